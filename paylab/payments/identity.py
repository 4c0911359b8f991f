"""The rule: which requests to create a payment are the same order.

Two requests to create a payment are the same order when they ask for the same thing at the same
address: equal values in every field, `client_reference_id` included. The same order is paid once
in 24 hours, whoever asks: another cell, thread, process or script with this ledger, another
spelling, another API key. A different `client_reference_id` makes a different order; `new=True`
makes another payment on purpose.

Values are equal when they mean the same:

- amounts by value (`"50"`, `"50.00"`, `Decimal("50.0")`); currencies, methods, networks and source
  types without case; text in Unicode NFC; any other field as a JSON value;
- an account object, its id and `financial_account_id`; a field left out and null; any order;
- a quote and its terms, if the quote was made with this ledger. Another quote counts as itself.

A default that only the service knows is not filled in.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from decimal import Context, Decimal
from hashlib import sha256
from typing import Any
from unicodedata import normalize

from ..spec.operations.field import AMOUNT, CURRENCY, ENUM
from ..spec.operations.records import IDEMPOTENT, OPERATIONS

_ORDERS = [OPERATIONS[name] for name in sorted(IDEMPOTENT)]
AMOUNTS = frozenset(name for each in _ORDERS for name in each.of_kind(AMOUNT))
WORDS = frozenset(name for each in _ORDERS for name in each.of_kind(CURRENCY, ENUM))
"""Fields that are compared without case."""
ACCOUNTS = tuple(field.name for each in _ORDERS for field in each.references)

NUMBER = re.compile(r"[+-]?([0-9]{1,100}(\.[0-9]{0,100})?|\.[0-9]{1,100})")
EXACT = Context(prec=250)

Values = Mapping[str, Any]


def identity(fields: Values, terms: Values | None = None) -> str:
    """The identity of an order: equal for two requests that are the same order.

    `fields` is the body of the request in our names, `terms` are the fields of its quote, if known.

    >>> identity({"source_amount": "50"}) == identity({"source_amount": "50.00", "extra": None})
    True
    """
    text = json.dumps(values(fields, terms), sort_keys=True)
    return sha256(text.encode()).hexdigest()


def values(fields: Values, terms: Values | None = None) -> dict[str, Any]:
    """The values of an order in one spelling; the terms of its quote stand for the quote.

    >>> values({"financial_account": {"id": "fa_1"}, "source_currency": "usd"})
    {'source_currency': 'USD', 'financial_account': 'fa_1'}
    """
    found = {normalize("NFC", name): _value(name, value) for name, value in fields.items()}
    found = {name: value for name, value in found.items() if value is not None}
    for name in ACCOUNTS:
        _join_account(found, name)
    if terms is None:
        return found
    found.pop("quote_id", None)
    return {**values(terms), **found}


def reference_of(fields: Values) -> str:
    """The digest of a client_reference_id, by which the ledger finds it; "" for none."""
    reference = values(fields).get("client_reference_id")
    return sha256(json.dumps(reference).encode()).hexdigest() if reference else ""


def _value(name: str, value: object) -> Any:
    if name in AMOUNTS:
        text = str(value).strip()
        if NUMBER.fullmatch(text):
            return str(EXACT.normalize(Decimal(text)))
    if name in WORDS and isinstance(value, str):
        return normalize("NFC", value).upper()
    return _json(value)


def _json(value: object) -> Any:
    """A JSON value with text in NFC, without null members."""
    if isinstance(value, str):
        return normalize("NFC", value)
    if isinstance(value, Mapping):
        members = {normalize("NFC", str(name)): _json(item) for name, item in value.items()}
        return {name: item for name, item in members.items() if item is not None}
    if isinstance(value, list | tuple):
        return [_json(item) for item in value]
    return value if value is None or isinstance(value, bool | int) else str(value)


def _join_account(found: dict[str, Any], name: str) -> None:
    """Write an account as its id, however it was given; contradicting ids are both kept."""
    given, by_id = found.pop(name, None), found.pop(f"{name}_id", None)
    more = dict(given) if isinstance(given, Mapping) else {}
    own = more.pop("id", None) if isinstance(given, Mapping) else given
    ids = dict.fromkeys(str(each) for each in (own, by_id) if each is not None)
    if ids or more:
        found[name] = next(iter(ids)) if len(ids) == 1 and not more else [*ids, more]
