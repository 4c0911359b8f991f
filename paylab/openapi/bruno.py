"""A collection of Bruno, a folder of text files, whose requests are signed by a script."""

from __future__ import annotations

import re

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
)
from .postman import sorted_by_folder

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
    script = indent_lines(signing_script(service.signing) + _SEND_SIGNED, 2)
    facts = {"version": "1", "name": prose.TITLE, "type": "collection"}
    files = {
        "bruno.json": format_json({**facts, "ignore": ["node_modules", ".git"]}),
        "collection.bru": f"script:pre-request {{\n{script}\n}}\n",
        f"environments/{ENVIRONMENT}.bru": _environment(service, server),
    }
    for number, request in enumerate(sorted_by_folder(collection_requests(service)), start=1):
        folder = _file_name(request.folder)
        folder_text = f"meta {{\n  name: {request.folder}\n  seq: {number}\n}}\n"
        files.setdefault(f"{folder}/folder.bru", folder_text)
        files[f"{folder}/{_file_name(request.name)}.bru"] = _request_text(request, number)
    return files


def _environment(service: Service, server: str) -> str:
    """The variables; keys are secret ones, whose values Bruno keeps out of files."""
    variable_lines = [f"  base_url: {server}", *(f"  {name}: " for name in id_variables(service))]
    secrets = ",\n".join(f"  {name}" for name in KEY_VARIABLES)
    return "vars {\n" + "\n".join(variable_lines) + "\n}\nvars:secret [\n" + secrets + "\n]\n"


def _file_name(title: str) -> str:
    return re.sub(r"[^\w (),-]+", " ", title).strip()


def _request_text(request: CollectionRequest, number: int) -> str:
    query = "&".join(f"{name}={value}" for name, value in request.query.items())
    url = f"{{{{base_url}}}}{request.path}" + (f"?{query}" if query else "")
    body = "none" if request.body is None else "json"
    blocks = [
        f"meta {{\n  name: {request.name}\n  type: http\n  seq: {number}\n}}",
        f"{request.method.lower()} {{\n  url: {url}\n  body: {body}\n  auth: none\n}}",
    ]
    if request.query:
        query_lines = "\n".join(f"  {name}: {value}" for name, value in request.query.items())
        blocks.append(f"params:query {{\n{query_lines}\n}}")
    if request.headers:
        query_lines = "\n".join(f"  {name}: {value}" for name, value in request.headers.items())
        blocks.append(f"headers {{\n{query_lines}\n}}")
    if request.body is not None:
        blocks.append(f"body:json {{\n{indent_lines(request.body, 2)}\n}}")
    if request.stored_id is not None:
        store = f'bru.setVar("{request.stored_id}", res.getBody().id);'
        blocks.append(f"script:post-response {{\n  if (res.getStatus() < 300) {store}\n}}")
    return "\n\n".join(blocks) + "\n"
