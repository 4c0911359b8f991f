"""The body of an order in one spelling, so that equal orders are equal bytes."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Context, Decimal
from functools import lru_cache
from typing import Any
from unicodedata import normalize

from ..rules.transfers import AMOUNTS
from ..spec import codes, money
from ..spec.operations.field import CURRENCY, ENUM, Field
from ..spec.operations.records import OPERATIONS
from ..spec.service.service import Service

REFERENCE = "client_reference_id"
EXACT = Context(prec=250)
Values = Mapping[str, Any]


def order_body(operation: str, fields: Values, service: Service) -> dict[str, Any]:
    """The fields of an order as they are sent, in our names.

    They are sorted, text is in NFC, an amount has the decimals of its currency, a word the letter
    case of the spec or the service, and an account is an object with an id.

    >>> fields = {"source_amount": "5", "source_currency": "usd"}
    >>> order_body("transfers.create", fields, lab.service)
    {'source_amount': '5.00', 'source_currency': 'USD'}
    """
    order_operation = OPERATIONS[operation]
    body = {}
    for field_name, field_value in fields.items():
        field = order_operation.by_name.get(field_name)
        if field is not None and field.kind in (CURRENCY, ENUM) and isinstance(field_value, str):
            body[field_name] = _spell_word(field, field_value, service)
        else:
            body[field_name] = _spell_value(field_name, field_value, fields)
    # The id of an account alone becomes an object with the id, if the body has no other account.
    for account_reference in order_operation.references:
        account_id = body.get(account_reference.id_name)
        account = body.get(account_reference.name, {"id": account_id})
        if account_id is None or not isinstance(account, Mapping):
            continue
        if account.get("id", account_id) == account_id:  # else the rules refuse two accounts
            del body[account_reference.id_name]
            body[account_reference.name] = _normalize_json({**account, "id": account_id})
    return dict(sorted(body.items()))


def _spell_word(field: Field, sent_word: str, service: Service) -> str:
    """A word in the letter case of the spec or the service; an unknown currency in upper case."""
    default_word = sent_word.upper() if field.kind == CURRENCY else sent_word
    word_by_folded = _fold_words(field.choices(service))
    return word_by_folded.get(sent_word.casefold(), default_word)


@lru_cache
def _fold_words(words: tuple[str, ...]) -> Mapping[str, str]:
    """Words by their form without letter case, the same for each order."""
    return {word.casefold(): word for word in words}


def _spell_value(field_name: str, field_value: object, fields: Values) -> Any:
    """A reference, an amount or any other JSON value in its spelling."""
    if field_name == REFERENCE and isinstance(field_value, str):
        return normalize("NFC", field_value).strip()
    if field_name in AMOUNTS:
        return _spell_amount(field_value, fields.get(AMOUNTS[field_name]))
    return _normalize_json(field_value)


def _spell_amount(value: object, currency: object) -> Any:
    """An amount with the decimals of its currency.

    Unchanged if it has more decimals, and for a value that is no amount.
    """
    amount_text = value.strip() if isinstance(value, str) else str(value)
    amount = money.read_amount(amount_text)
    if amount is None or not isinstance(currency, str):
        return value
    smallest_unit = Decimal(1).scaleb(-codes.minor_unit(currency))
    spelled_amount = amount.quantize(smallest_unit, context=EXACT)
    return format(spelled_amount if spelled_amount == amount else amount, "f")


def _normalize_json(value: object) -> Any:
    """A JSON value with text in NFC, and the members of objects in order."""
    if isinstance(value, str):
        return normalize("NFC", value)
    if isinstance(value, Mapping):
        return {
            str(member_name): _normalize_json(member)
            for member_name, member in sorted(value.items())
        }
    if isinstance(value, list | tuple):
        return [_normalize_json(member) for member in value]
    return value
