"""Print the interface of the service as an OpenAPI 3.1 document.

Client generators, viewers and contract tests read it. Each operation and field says whether the
specification states it (`x-origin`); a service.toml changes paths, names and dialect.
`--controls` prints the control API of the simulator as a document of its own.
With openapi-generator add `--additional-properties=enumClassPrefix=true` for Go.
`--service-schema` prints the JSON Schema of a service.toml, by which editors complete and check it.
"""

from __future__ import annotations

import argparse
import json

from ..errors.base import ConfigError
from .service import service_for
from .terminal import warn_user

EXAMPLE = "paylab openapi --to openapi.json"
_SERVICE = "follow the assumptions in this service.toml (default: see PAYLAB_SERVICE)"


def arguments(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    parser.add_argument("--service", metavar="FILE", help=_SERVICE)
    parser.add_argument("--server", metavar="URL", default="", help="base address of the service")
    parser.add_argument(
        "--service-schema",
        action="store_true",
        help="print the JSON Schema of a service.toml instead",
    )
    parser.add_argument(
        "--controls",
        action="store_true",
        help="print the control API of the simulator instead",
    )
    parser.add_argument("--to", metavar="FILE", help="write it to this file")


def run(options: argparse.Namespace) -> int:
    """Print or write the document, or the schema of a service.toml."""
    from .. import files

    if options.service_schema and options.controls:
        raise ConfigError("--service-schema and --controls are two documents: choose one")
    text, has = _service_schema() if options.service_schema else _document(options)
    if options.to is None:
        print(text)
        return 0
    with files.replace(files.path_of(options.to)) as file:
        file.write(f"{text}\n".encode())
    warn_user(f"paylab: {options.to} has {has}")
    return 0


def _document(options: argparse.Namespace) -> tuple[str, str]:
    """The document, and what it has."""
    if options.controls:
        from ..simulator.control_document import control_document

        spec = control_document()
    else:
        from ..openapi import document

        spec = document(service_for(options.service), options.server)
    has = f"{len(spec['paths'])} paths and {len(spec['components']['schemas'])} schemas"
    return json.dumps(spec, indent=2, ensure_ascii=False), has


def _service_schema() -> tuple[str, str]:
    """The JSON Schema of a service.toml, and what it has."""
    from ..spec.service.keys import keys
    from ..spec.service.schema import schema_text

    return schema_text().rstrip(), f"the schema of {len(keys())} settings"
