"""A collection of Postman (v2.1) whose requests are signed by a script when they are sent."""

from __future__ import annotations

from itertools import groupby
from typing import Any

from ..signing.snippets import signing_script
from ..spec.service.service import Service
from ..spec.text import JsonObject
from . import prose
from .collection import (
    IDEMPOTENCY_VARIABLE,
    KEY_VARIABLES,
    CollectionRequest,
    collection_requests,
    id_variables,
    sort_by_folder,
)

SCHEMA = "https://schema.getpostman.com/json/collection/v2.1.0/collection.json"

_SEND_SIGNED = """
pm.variables.set("idempotency_key", uuids.v4());
const address = pm.variables.replaceIn(pm.request.url.toString());
const [, scheme, authority, target] = address.match(/^(https?):\\/\\/([^\\/?#]+)([^#]*)/i);
const port = { http: /:80$/, https: /:443$/ }[scheme.toLowerCase()];
const host = authority.toLowerCase().replace(port, "");
const raw = pm.request.body && pm.request.body.raw;
const body = raw ? pm.variables.replaceIn(raw) : "";
const keys = [pm.variables.get("api_key"), pm.variables.get("secret_key")];
const signed = sign(...keys, pm.request.method, host, target || "/", body);
for (const [key, value] of Object.entries(signed)) {
  if (key !== "host") pm.request.headers.upsert({ key, value });
}
"""


def make_postman_collection(service: Service, server: str = "") -> dict[str, Any]:
    """The collection; base_url, api_key and secret_key are variables without values of yours.

    >>> from paylab.openapi.postman import make_postman_collection
    >>> from paylab.spec.service.service import Service
    >>> [item["name"] for item in make_postman_collection(Service())["item"]][:2]
    ['Individuals', 'Financial accounts']
    """
    requests = sort_by_folder(collection_requests(service))
    variable_names = ["base_url", *KEY_VARIABLES, IDEMPOTENCY_VARIABLE, *id_variables(service)]
    return {
        "info": {
            "name": prose.TITLE,
            "description": "Set base_url, api_key and secret_key. A script signs each request.",
            "schema": SCHEMA,
        },
        "variable": [
            {"key": variable_name, "value": server if variable_name == "base_url" else ""}
            for variable_name in variable_names
        ],
        "event": [_make_script("prerequest", signing_script(service.signing) + _SEND_SIGNED)],
        "item": [
            {"name": folder_name, "item": [_make_item(request) for request in folder_requests]}
            for folder_name, folder_requests in groupby(
                requests, key=lambda request: request.folder
            )
        ],
    }


def _make_script(event_name: str, script_text: str) -> JsonObject:
    """A script of Postman that runs at an event: "prerequest", or "test" after the answer."""
    return {
        "listen": event_name,
        "script": {"type": "text/javascript", "exec": script_text.splitlines()},
    }


def _make_item(request: CollectionRequest) -> JsonObject:
    """A request of the collection, with the script that stores the id of its answer."""
    request_item: JsonObject = {
        "name": request.name,
        "request": {
            "method": request.method,
            "header": [
                {"key": header_name, "value": header_value}
                for header_name, header_value in request.headers.items()
            ],
            "url": request.url,
        },
    }
    if request.body is not None:
        body_options = {"raw": {"language": "json"}}
        request_item["request"]["body"] = {
            "mode": "raw",
            "raw": request.body,
            "options": body_options,
        }
    if request.stored_id is not None:
        store_statement = (
            f'pm.collectionVariables.set("{request.stored_id}", pm.response.json().id);'
        )
        request_item["event"] = [
            _make_script("test", f"if (pm.response.code < 300) {store_statement}")
        ]
    return request_item
