"""The body of an order in one spelling, so that equal orders are equal bytes."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Context, Decimal
from typing import Any
from unicodedata import normalize

from ..rules.transfers import AMOUNTS
from ..spec import codes, money
from ..spec.operations.field import CURRENCY, ENUM
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
    record = OPERATIONS[operation]
    body = {}
    for name, value in fields.items():
        field = record.by_name.get(name)
        if field is not None and field.kind in (CURRENCY, ENUM) and isinstance(value, str):
            words_by_case = {word.casefold(): word for word in field.accepted(service)}
            unknown = value.upper() if field.kind == CURRENCY else value
            body[name] = words_by_case.get(value.casefold(), unknown)
        else:
            body[name] = _spelled(name, value, fields)
    for reference in record.references:
        id_ = body.get(reference.by_id)
        account = body.get(reference.name, {"id": id_})
        if id_ is not None and isinstance(account, Mapping) and account.get("id", id_) == id_:
            del body[reference.by_id]
            body[reference.name] = _sorted({**account, "id": id_})
    return dict(sorted(body.items()))


def _spelled(name: str, value: Any, fields: Values) -> Any:
    """A value that is no word in its spelling."""
    if name == REFERENCE and isinstance(value, str):
        return normalize("NFC", value).strip()
    if name in AMOUNTS:
        return _amount(value, fields.get(AMOUNTS[name]))
    return _sorted(value)


def _amount(value: Any, currency: object) -> Any:
    """An amount with the decimals of its currency; unchanged if it has more, or is none."""
    amount = money.read_amount(value if isinstance(value, str) else str(value))
    if amount is None or not isinstance(currency, str):
        return value
    places = Decimal(1).scaleb(-codes.minor_unit(currency))
    exact = amount.quantize(places, context=EXACT)
    return format(exact if exact == amount else amount, "f")


def _sorted(value: Any) -> Any:
    """A JSON value with text in NFC, and the members of objects in order."""
    if isinstance(value, str):
        return normalize("NFC", value)
    if isinstance(value, Mapping):
        return {str(name): _sorted(item) for name, item in sorted(value.items())}
    if isinstance(value, list | tuple):
        return [_sorted(item) for item in value]
    return value
