"""A collection of Bruno: a folder of text files, and a script that signs the requests."""

from __future__ import annotations

import re
from collections.abc import Mapping

from ..signing.snippets import signing_script
from ..spec.service.service import Service
from ..spec.text import format_json
from . import prose
from .collection import (
    KEY_VARIABLES,
    CollectionRequest,
    Files,
    collection_requests,
    id_variables,
    indent_lines,
    sort_by_folder,
)

ENVIRONMENT = "paylab"
"""The name of the environment with the variables."""

_SEND_SIGNED = """
bru.setVar("idempotency_key", uuids.v4());
const address = bru.interpolate(req.getUrl());
const [, scheme, authority, target] = address.match(/^(https?):\\/\\/([^\\/?#]+)([^#]*)/i);
const port = { http: /:80$/, https: /:443$/ }[scheme.toLowerCase()];
const host = authority.toLowerCase().replace(port, "");
const raw = req.getBody({ raw: true });
const text = raw && typeof raw !== "string" ? JSON.stringify(raw) : raw || "";
const body = bru.interpolate(text);
if (body) req.setBody(body, { raw: true });
const keys = [bru.getEnvVar("api_key"), bru.getEnvVar("secret_key")];
const signed = sign(...keys, req.getMethod(), host, target || "/", body);
for (const [name, value] of Object.entries(signed)) {
  if (name !== "host") req.setHeader(name, value);
}
"""


def make_bruno_collection(service: Service, server: str = "") -> Files:
    """The files of the collection by their path in its folder.

    >>> from paylab.openapi.bruno import make_bruno_collection
    >>> from paylab.spec.service.service import Service
    >>> sorted(make_bruno_collection(Service()))[:1]
    ['Conversion accounts/Create a conversion account.bru']
    """
    script_text = indent_lines(signing_script(service.signing) + _SEND_SIGNED, 2)
    collection_info = {"version": "1", "name": prose.TITLE, "type": "collection"}
    text_by_path = {
        "bruno.json": format_json({**collection_info, "ignore": ["node_modules", ".git"]}),
        "collection.bru": f"script:pre-request {{\n{script_text}\n}}\n",
        f"environments/{ENVIRONMENT}.bru": _write_environment(service, server),
    }
    requests = sort_by_folder(collection_requests(service))
    for sequence_number, request in enumerate(requests, start=1):
        folder_name = _make_file_name(request.folder)
        folder_text = f"meta {{\n  name: {request.folder}\n  seq: {sequence_number}\n}}\n"
        text_by_path.setdefault(f"{folder_name}/folder.bru", folder_text)
        request_path = f"{folder_name}/{_make_file_name(request.name)}.bru"
        text_by_path[request_path] = _write_request(request, sequence_number)
    return text_by_path


def _write_environment(service: Service, server: str) -> str:
    """The file of an environment: variables, and secret ones, whose values no file has."""
    id_lines = [f"  {variable_name}: " for variable_name in id_variables(service)]
    variables_text = "\n".join([f"  base_url: {server}", *id_lines])
    secrets_text = ",\n".join(f"  {variable_name}" for variable_name in KEY_VARIABLES)
    return f"vars {{\n{variables_text}\n}}\nvars:secret [\n{secrets_text}\n]\n"


def _make_file_name(title: str) -> str:
    """Turn a title into the name of a file: characters that a file system may refuse are spaces."""
    return re.sub(r"[^\w (),-]+", " ", title).strip()


def _write_request(request: CollectionRequest, sequence_number: int) -> str:
    """The file of a request, in Bruno's language of blocks."""
    body_kind = "none" if request.body is None else "json"
    block_texts = [
        f"meta {{\n  name: {request.name}\n  type: http\n  seq: {sequence_number}\n}}",
        f"{request.method.lower()} {{\n  url: {request.url}\n  body: {body_kind}\n  auth: none\n}}",
    ]
    if request.query:
        block_texts.append(f"params:query {{\n{_write_pairs(request.query)}\n}}")
    if request.headers:
        block_texts.append(f"headers {{\n{_write_pairs(request.headers)}\n}}")
    if request.body is not None:
        block_texts.append(f"body:json {{\n{indent_lines(request.body, 2)}\n}}")
    if request.stored_id is not None:
        store_statement = f'bru.setVar("{request.stored_id}", res.getBody().id);'
        block_texts.append(
            f"script:post-response {{\n  if (res.getStatus() < 300) {store_statement}\n}}"
        )
    return "\n\n".join(block_texts) + "\n"


def _write_pairs(texts_by_name: Mapping[str, str]) -> str:
    """The lines of a block of Bruno, one `name: text` each."""
    return "\n".join(
        f"  {pair_name}: {pair_text}" for pair_name, pair_text in texts_by_name.items()
    )
