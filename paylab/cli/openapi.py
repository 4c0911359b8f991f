"""Print the interface of the service as an OpenAPI 3.1 document.

Client generators, viewers and contract tests read it. Each operation and field says whether the
specification states it (`x-origin`); a service.toml changes paths, names and dialect.
`--controls` prints the control API of the simulator as a document of its own.
With openapi-generator add `--additional-properties=enumClassPrefix=true` for Go.
`--collection` makes a collection of Postman or Bruno, whose script signs each request with the
variables base_url, api_key and secret_key.
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


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    parser.add_argument("--service", metavar="FILE", help=_SERVICE)
    parser.add_argument(
        "--server",
        metavar="URL",
        default="",
        help="base address of the service (default: a variable of the document)",
    )
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
    parser.add_argument(
        "--collection",
        choices=["postman", "bruno"],
        help="print a collection of requests with a script that signs them instead",
    )
    parser.add_argument(
        "--to", metavar="FILE", help="write it to this file, a collection of Bruno to this folder"
    )


def run(options: argparse.Namespace) -> int:
    """Print or write the document, or the schema of a service.toml."""
    from .. import files

    is_chosen_by_option = [
        options.service_schema,
        options.controls,
        options.collection is not None,
    ]
    if sum(is_chosen_by_option) > 1:
        message = "choose one of --service-schema, --controls and --collection: each is a document"
        raise ConfigError(message)
    if not options.server.isprintable():
        raise ConfigError("--server has a line break or another control character: remove it")
    if options.collection == "bruno":
        return _write_bruno(options)
    if options.service_schema:
        document_text, summary_text = _make_service_schema()
    elif options.collection:
        document_text, summary_text = _make_postman_collection(options)
    else:
        document_text, summary_text = _make_document(options)
    if options.to is None:
        print(document_text)
        return 0
    with files.replace(files.path_of(options.to)) as document_file:
        document_file.write(f"{document_text}\n".encode())
    warn_user(f"paylab: {options.to} has {summary_text}")
    return 0


def _make_document(options: argparse.Namespace) -> tuple[str, str]:
    """Make the document as JSON, and a summary of it: "12 paths and 30 schemas"."""
    if options.controls:
        from ..simulator.control_document import control_document

        document_object = control_document()
    else:
        from ..openapi import document

        document_object = document(service_for(options.service), options.server)
    schemas = document_object["components"]["schemas"]
    summary_text = f"{len(document_object['paths'])} paths and {len(schemas)} schemas"
    return json.dumps(document_object, indent=2, ensure_ascii=False), summary_text


def _make_postman_collection(options: argparse.Namespace) -> tuple[str, str]:
    """Make a collection of Postman as JSON, and a summary of it: "25 requests"."""
    from ..openapi.postman import make_postman_collection

    collection_object = make_postman_collection(service_for(options.service), options.server)
    request_items = [
        request_item
        for folder_item in collection_object["item"]
        for request_item in folder_item["item"]
    ]
    return json.dumps(
        collection_object, indent=2, ensure_ascii=False
    ), f"{len(request_items)} requests"


def _write_bruno(options: argparse.Namespace) -> int:
    """Write a collection of Bruno into a new or an empty folder."""
    from .. import files
    from ..openapi.bruno import make_bruno_collection

    if options.to is None:
        raise ConfigError("a collection of Bruno is a folder: name it with --to FOLDER")
    folder = files.path_of(options.to)
    is_empty_folder = folder.is_dir() and not any(folder.iterdir())
    if folder.exists() and not is_empty_folder:
        raise ConfigError(f"{options.to} is not an empty folder: name another one")
    text_by_file = make_bruno_collection(service_for(options.service), options.server)
    for file_name, file_text in text_by_file.items():
        path = folder / file_name
        path.parent.mkdir(parents=True, exist_ok=True)
        with files.replace(path) as collection_file:
            collection_file.write(file_text.encode())
    warn_user(f"paylab: {options.to} has {len(text_by_file)} files")
    return 0


def _make_service_schema() -> tuple[str, str]:
    """Make the JSON Schema of a service.toml, and a summary: "the schema of 120 settings"."""
    from ..spec.service.keys import setting_keys
    from ..spec.service.schema import schema_text

    return schema_text().rstrip(), f"the schema of {len(setting_keys())} settings"
