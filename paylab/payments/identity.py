"""Which requests are the same order, and the Idempotency-Key of an order.

An order with a `client_reference_id` is that reference, otherwise its values. Values are equal
when they mean the same:

- amounts by value (`"50"`, `"50.00"`, `Decimal("50.0")`); currencies, methods, networks and source
  types without case; text in Unicode NFC; any other field as a JSON value;
- an account object, its id and `financial_account_id`; a field left out and null; any order;
- a quote and its terms, where the terms are known. Another quote counts as itself.

A default that only the service knows is not filled in. Keys must stay the same for ever: nothing
here depends on a setting, an address, an API key or a clock, and the tables are not derived.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from decimal import Context, Decimal
from hashlib import sha256
from json import JSONEncoder
from typing import Any
from unicodedata import normalize
from uuid import UUID

from ..errors.base import Problem, RuleError

REFERENCE = "client_reference_id"
AMOUNTS = frozenset({"source_amount", "destination_amount", "net_source_amount"})
CASELESS_FIELDS = frozenset(
    {"source_currency", "destination_currency", "payout_method", "source_network", "source_type"}
)
ACCOUNTS = ("financial_account", "payout_account")
"""Objects with an id; the field with the id alone ends in `_id`."""

NAME = "paylab order"
TRANSFER = "transfers.create"
NUMBER = re.compile(r"[+-]?([0-9]{1,100}(\.[0-9]{0,100})?|\.[0-9]{1,100})")
EXACT = Context(prec=250)
CANONICAL_JSON = JSONEncoder(sort_keys=True, ensure_ascii=False, separators=(",", ":"))

Values = Mapping[str, Any]


def key(order_values: Values, new: str = "", *, operation: str = TRANSFER) -> str:
    """The Idempotency-Key of an order: a UUID, version 4 in form; RuleError for a bad reference.

    `order_values` are made by `values`. `new` names another order of the same reference or values.

    >>> key(values({"client_reference_id": "invoice-7", "source_amount": "50"}))
    '85306cb6-3e17-439e-9213-ba211a2f0fde'
    """
    reference = reference_of(order_values)
    identified_by = "reference" if reference else "values"
    new_name = _normalize_name("new", new) if new else ""
    key_parts = [NAME, operation, identified_by, reference or order_values, new_name]
    digest_bytes = sha256(_canonical_bytes(key_parts)).digest()
    return str(UUID(bytes=digest_bytes[:16], version=4))


def reference_of(fields: Values) -> str:
    """The client_reference_id of an order in NFC, stripped; "" for none, RuleError for a blank one.

    >>> reference_of({"client_reference_id": " invoice-7 "})
    'invoice-7'
    """
    reference = fields.get(REFERENCE)
    return "" if reference is None else _normalize_name(REFERENCE, reference)


def values(fields: Values, terms: Values | None = None) -> dict[str, Any]:
    """Write the fields of an order in one spelling, so that equal orders have equal values.

    The terms of its quote stand for the quote.

    >>> values({"financial_account": {"id": "fa_1"}, "source_currency": "usd"})
    {'source_currency': 'USD', 'financial_account': 'fa_1'}
    """
    spelled_values = {
        normalize("NFC", field_name): spell(field_name, field_value)
        for field_name, field_value in fields.items()
    }
    order_values = {
        field_name: field_value
        for field_name, field_value in spelled_values.items()
        if field_value is not None
    }
    for field_name in ACCOUNTS:
        _merge_account(order_values, field_name)
    if terms is None:
        return order_values
    order_values.pop("quote_id", None)
    return {**values(terms), **order_values}


def spell(field_name: str, field_value: object) -> Any:
    """Write the value of a field in one spelling; an amount that is no number as a JSON value.

    >>> spell("source_amount", "50.00")
    '50'
    """
    if field_name == REFERENCE and isinstance(field_value, str):
        return normalize("NFC", field_value).strip()
    if field_name in AMOUNTS:
        value_text = str(field_value).strip()
        if NUMBER.fullmatch(value_text):
            return format(EXACT.normalize(Decimal(value_text)), "f")
    if field_name in CASELESS_FIELDS and isinstance(field_value, str):
        return normalize("NFC", field_value).upper()
    return _normalize_json(field_value)


def _normalize_name(field: str, name: object) -> str:
    """A name in NFC without spaces around it; RuleError if it is not text or blank."""
    normalized_name = normalize("NFC", name).strip() if isinstance(name, str) else ""
    if not normalized_name:
        raise RuleError([Problem(field, "must be text that is not blank")])
    return normalized_name


def _normalize_json(json_value: object) -> Any:
    """Write a JSON value with text in NFC, without null members, a float or Decimal as text."""
    if isinstance(json_value, str):
        return normalize("NFC", json_value)
    if isinstance(json_value, Mapping):
        members = {
            normalize("NFC", str(member_name)): _normalize_json(member)
            for member_name, member in json_value.items()
        }
        return {
            member_name: member for member_name, member in members.items() if member is not None
        }
    if isinstance(json_value, list | tuple):
        return [_normalize_json(member) for member in json_value]
    if json_value is None or isinstance(json_value, bool | int):
        return json_value
    return str(json_value)


def _merge_account(order_values: dict[str, Any], field_name: str) -> None:
    """Replace the two fields of an account by one with its id.

    Ids that contradict each other, and other members of the account, are all kept in a list.
    """
    account = order_values.pop(field_name, None)
    second_id = order_values.pop(f"{field_name}_id", None)
    if isinstance(account, Mapping):
        other_members = dict(account)
        account_id = other_members.pop("id", None)
    else:
        other_members = {}
        account_id = account
    ids = list(dict.fromkeys(str(id_) for id_ in (account_id, second_id) if id_ is not None))
    if len(ids) == 1 and not other_members:
        order_values[field_name] = ids[0]
    elif ids or other_members:
        order_values[field_name] = [*ids, other_members]


def _canonical_bytes(json_value: object) -> bytes:
    """Write a value as JSON without spaces, sorted by name, in UTF-8."""
    return CANONICAL_JSON.encode(json_value).encode("utf-8", "surrogatepass")
