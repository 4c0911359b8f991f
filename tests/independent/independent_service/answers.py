"""The format of answers: field names, amounts, currencies, extra fields and pages."""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
from collections.abc import Mapping
from typing import Any

from .money import AMOUNTS
from .refusals import Refusal, refuse
from .settings import Settings
from .world import Row

LISTS = {
    "list_individuals": "individuals",
    "list_transfers": "transfers",
    "list_conversion_accounts": "conversion_accounts",
    "list_conversions": "conversions",
    "list_subscriptions": "webhook_subscriptions",
}
NAMES = {
    "individual": "individual",
    "individuals": "individual",
    "quote": "quote",
    "transfer": "transfer",
    "transfers": "transfer",
    "account": None,
    "deposit": "deposit",
    "conversion_account": "conversion_account",
    "conversion_accounts": "conversion_account",
}
CURRENCIES = frozenset(
    ("source_currency", "destination_currency", "fee_currency", "tax_currency", "currency")
)


def thing(operation: str) -> str:
    """The object type of an operation: the part of its name after the verb."""
    return operation.partition("_")[2]


def present(value: Any, operation: str, settings: Settings) -> Any:
    """An object or a list of objects, in the field names and formats of the service."""
    if isinstance(value, list):
        return [present(each, operation, settings) for each in value]
    if not isinstance(value, dict):
        return value
    shown = _public(value, settings)
    names = settings.names(NAMES.get(thing(operation)) or "nothing")
    shown = {names.get(key, key): content for key, content in shown.items()}
    if settings["answers.unknown_fields"]:
        shown |= {"organization_id": "org-7", "metadata": {"channel": "api", "tags": []}}
    return shown


def _public(value: Any, settings: Settings) -> Any:
    """The value without private keys, with amounts and currencies in the configured format."""
    if isinstance(value, list):
        return [_public(each, settings) for each in value]
    if not isinstance(value, dict):
        return value
    shown: Row = {}
    for key, content in value.items():
        if key.startswith("_"):
            continue
        shown[key] = _public(content, settings)
        if not isinstance(content, str):
            continue
        if key in AMOUNTS and settings["amounts.answers"] == "number":
            shown[key] = json.loads(content)
        elif key in CURRENCIES and settings["currencies.case"] == "lower":
            shown[key] = content.lower()
    return shown


def page(rows: list[Row], name: str, query: Mapping[str, str], settings: Settings) -> Any:
    """One page of a list: an envelope with the rows, whether there are more, and a cursor.

    A list that is configured as a bare array returns every row; the limit has no effect.
    """
    rows = _sorted(rows, settings.of_list(name, "order"))
    limit = _limit(query.get("limit"), name, settings)
    after = _position(query["cursor"], name) if "cursor" in query else None
    if settings.of_list(name, "shape") == "array":
        return rows
    ids = [row["id"] for row in rows]
    if after is not None and after not in ids:
        raise Refusal(400, "Invalid pagination token")
    start = 0 if after is None else ids.index(after) + 1
    more = start + limit < len(rows)
    chosen = rows[start : start + limit]
    return {
        settings.of_list(name, "data"): chosen,
        settings.of_list(name, "more"): more,
        settings.of_list(name, "cursor"): cursor(name, chosen[-1]["id"]) if more else None,
    }


def _sorted(rows: list[Row], order: str) -> list[Row]:
    """The rows, newest first, oldest first, or in an order that does not depend on time."""
    if order == "unknown":
        return sorted(rows, key=lambda row: hashlib.sha256(row["id"].encode()).digest())
    return sorted(rows, key=lambda row: row["_number"], reverse=order == "newest")


def _limit(text: str | None, name: str, settings: Settings) -> int:
    most = int(settings.of_list(name, "max_limit"))
    if text is None:
        return min(int(settings.of_list(name, "limit")), most)
    if not text.isascii() or not text.isdigit() or int(text) < 1:
        refuse([("limit", "Expected an integer of at least 1")])
    if int(text) > most:
        if settings.of_list(name, "above_max") == "refuse":
            refuse([("limit", f"Number must be less than or equal to {most}")])
        return most
    return int(text)


def cursor(name: str, last: str) -> str:
    """An opaque token for the start of the next page of a list."""
    text = json.dumps({"list": name, "after": last, "direction": "next"})
    return base64.urlsafe_b64encode(text.encode()).decode()


def _position(token: str, name: str) -> str:
    """The id in a token. An invalid token raises the error that the interface document gives."""
    refusal = Refusal(400, "Invalid pagination token")
    try:
        content = json.loads(base64.b64decode(token, altchars=b"-_", validate=True))
    except (ValueError, binascii.Error):
        raise refusal from None
    good = isinstance(content, dict) and content.get("direction") == "next"
    if not good or content.get("list") != name or not isinstance(content.get("after"), str):
        raise refusal
    return str(content["after"])
