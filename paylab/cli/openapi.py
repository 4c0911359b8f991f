"""Print the interface of the service as an OpenAPI 3.1 document.

Client generators, viewers and contract tests read it. Each operation and field says whether the
specification states it (`x-origin`); a service.toml changes paths, names and dialect.
"""

from __future__ import annotations

import argparse
import json

from .service import service_for
from .terminal import warn_user

EXAMPLE = "paylab openapi --to openapi.json"
_SERVICE = "follow the assumptions in this service.toml (default: see PAYLAB_SERVICE)"


def arguments(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    parser.add_argument("--service", metavar="FILE", help=_SERVICE)
    parser.add_argument("--server", metavar="URL", default="", help="base address of the service")
    parser.add_argument("--to", metavar="FILE", help="write it to this file")


def run(options: argparse.Namespace) -> int:
    """Print or write the document."""
    from .. import files
    from ..openapi import document

    made = document(service_for(options.service), options.server)
    text = json.dumps(made, indent=2, ensure_ascii=False)
    if options.to is None:
        print(text)
        return 0
    with files.replace(files.path_of(options.to)) as file:
        file.write(f"{text}\n".encode())
    schemas = len(made["components"]["schemas"])
    warn_user(f"paylab: {options.to} has {len(made['paths'])} paths and {schemas} schemas")
    return 0
