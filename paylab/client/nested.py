"""The names inside nested fields: the service would ignore a wrong one with its value."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from .. import corridors
from ..account_fields import CRYPTO_WALLET
from ..errors import Problem
from ..models import Address, Document
from ..rules.fields import dotted
from . import wire
from .operations import nearest

Body = dict[str, Any]

ADDRESS = frozenset(Address.model_fields)
DOCUMENT = frozenset(Document.model_fields)
ENTRY = frozenset({"type", "details"})
# How alike a name in details and a known one are when one is a slip for the other.
SLIP = 0.85

ACCOUNTS = (CRYPTO_WALLET, *(one for corridor in corridors.ALL for one in corridor.accounts))
DETAILS = {
    kind: {field.name for one in ACCOUNTS if one.type == kind for field in one.fields}
    for kind in {one.type for one in ACCOUNTS}
}
ANY_DETAILS = frozenset[str]().union(*DETAILS.values())


def check_individual(body: Body) -> None:
    """RuleError for a name in address, document or financial_accounts that is no field there."""
    entries = body.get("financial_accounts")
    listed = enumerate(entries if isinstance(entries, list) else [])
    problems = [
        *unknown(body.get("address"), ADDRESS, "address"),
        *unknown(body.get("document"), DOCUMENT, "document"),
        *(each for at, entry in listed for each in _entry(entry, f"financial_accounts.{at}")),
    ]
    wire.refuse(problems)


def check_details(details: object, kind: object = None) -> None:
    """RuleError for a name in details that looks like a slip for one of its type, or of any."""
    wire.refuse([*_details(kind, details, "details")])


def unknown(value: object, known: Collection[str], at: str) -> Iterator[Problem]:
    """The names in a nested object that are none of its fields."""
    for name in value if isinstance(value, Mapping) else ():
        if name not in known:
            like = nearest(str(name), known)
            meant = f"is {like} meant?" if like else f"known are {', '.join(sorted(known))}"
            way = "extra={...} sends what is not known"
            yield Problem(dotted(at, str(name)), f"is no field; {meant} ({way})")


def _entry(entry: object, at: str) -> Iterator[Problem]:
    yield from unknown(entry, ENTRY, at)
    if isinstance(entry, Mapping):
        yield from _details(entry.get("type"), entry.get("details"), dotted(at, "details"))


def _details(kind: object, details: object, at: str) -> Iterator[Problem]:
    """Slips only: which names details have is mostly assumed, and another may be right."""
    known = DETAILS.get(str(kind), ANY_DETAILS)
    details = details if isinstance(details, Mapping) else {}
    for name in details:
        like = None if name in known else nearest(str(name), known, SLIP)
        if like and like not in details:
            yield Problem(
                dotted(at, str(name)),
                f"is no known field; is {like} meant? (extra={{...}} sends it as it is)",
            )
