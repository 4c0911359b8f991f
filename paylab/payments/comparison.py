"""Compares an object of the service with an order: other values, hidden fields, status."""

from __future__ import annotations

import re
from collections.abc import Mapping
from decimal import Decimal
from fnmatch import fnmatchcase
from glob import escape

from ..spec.models import Transfer
from ..spec.resource import Resource
from ..spec.text import plain
from .identity import ACCOUNTS, AMOUNTS, REFERENCE, Values, spell

DEAD = frozenset({"failed", "expired", "cancelled", "canceled"})
"""Statuses of a payment that was not made; any other one counts as live, also an unknown one."""
TEXTS = ("individual_id", "source_currency", "destination_currency", "payout_method", REFERENCE)
NEEDED = frozenset({*ACCOUNTS, *TEXTS, *AMOUNTS}) - {"payout_method", REFERENCE}
"""The fields that an object must show to be recognised, as far as the order has them."""
MASK = re.compile(r"\*\*|[•…]")
HIDDEN_PART = re.compile("[*•…]+")


def status_of(row: Resource) -> str:
    """The status of an object in lower case; "" for none."""
    return str(getattr(row, "status", None) or "").strip().lower()


def is_dead(payment: Transfer) -> bool:
    """Whether a payment failed, expired or was cancelled."""
    return status_of(payment) in DEAD


def read_shown(row: Resource, field_name: str) -> str | None:
    """A value that an object shows of an order, spelled as in an order; None if it shows none.

    It may be masked.

    >>> read_shown(Transfer(id="tr_1", source_amount="10.00"), "source_amount")
    '10'
    """
    if field_name in AMOUNTS:
        amount = row.get(field_name)
        return spell(field_name, amount) if isinstance(amount, Decimal) else None
    shown_text = None
    if field_name in ACCOUNTS:
        account = row.get(f"{field_name}_id") or row.get(field_name)
        shown_text = account.get("id") if isinstance(account, Mapping | Resource) else account
    elif field_name in TEXTS:
        shown_text = row.get(field_name)
    return (
        spell(field_name, shown_text)
        if isinstance(shown_text, str) and shown_text.strip()
        else None
    )


def is_masked(shown_value: str) -> bool:
    """Whether a value of an object may be masked: `****1234`."""
    return MASK.search(shown_value) is not None


def may_be_masked(shown_value: str, value: str) -> bool:
    """Whether a value that an object shows may be another value, with parts of it masked.

    >>> may_be_masked("inv-**7", "inv-2027"), may_be_masked("inv-**7", "inv-2028")
    (True, False)
    """
    shown_parts = map(escape, HIDDEN_PART.split(shown_value))
    return is_masked(shown_value) and fnmatchcase(value, "*".join(shown_parts))


def find_differences(order: Values, row: Resource) -> list[str]:
    """Describe each value in which an object differs from an order; empty if no shown one does.

    >>> find_differences({"source_amount": "11"}, Transfer(id="tr_1", source_amount="10.00"))
    ['source_amount is 10, not 11']
    """
    difference_texts = []
    for field_name, ordered_value in order.items():
        shown_value = read_shown(row, field_name)
        if shown_value is None or shown_value == _id_of_account(ordered_value):
            continue
        if is_masked(shown_value):
            continue
        difference_text = f"{field_name} is {plain(shown_value, 60)}, not {ordered_value}"
        difference_texts.append(difference_text)
    return difference_texts


def _id_of_account(order_value: object) -> object:
    """The id of an account that an order has with other members; any other value is unchanged.

    >>> _id_of_account(["fa_1", {"type": "savings"}])
    'fa_1'
    """
    match order_value:
        case [account_id, _]:
            return account_id
    return order_value


def find_hidden_fields(order: Values, row: Resource) -> list[str]:
    """The fields of an order that an object does not show, or shows masked."""
    hidden_fields = []
    for field_name, ordered_value in order.items():
        shown_value = read_shown(row, field_name)
        # No object shows its quote, and an equal value is no mask, even if it looks like one.
        if field_name == "quote_id" or shown_value == ordered_value:
            continue
        if shown_value is None or is_masked(shown_value):
            hidden_fields.append(field_name)
    return hidden_fields


def is_recognised(order: Values, row: Resource) -> bool:
    """Whether an object is surely that of an order.

    It has an id, shows the `NEEDED` fields of the order, and differs in no value.
    """
    shows_needed = NEEDED.isdisjoint(find_hidden_fields(order, row))
    return bool(row.get("id")) and shows_needed and not find_differences(order, row)
