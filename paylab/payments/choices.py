"""The messages about an order that was made before: replayed, edited, or too old."""

from __future__ import annotations

import json

from ..errors import ChoiceError, LedgerError
from .ledger_store import OPEN, Entry

LOST = (
    "it may have been carried out: run it again as it is, and the same Idempotency-Key is sent, so "
    "that it happens once; lab.ledger shows the key"
)


def again(entry: Entry) -> str:
    """The sentence of an order that keeps its key."""
    if entry.state == OPEN:
        return (
            f"this was sent before ({entry.made}) and no answer was seen: asking again with the "
            "same Idempotency-Key, so that it happens once"
        )
    return (
        f"this made {entry.resource_id} before ({entry.made}): it is given again and nothing "
        "new is made; new=True makes another"
    )


def edited(entry: Entry, body: str, who: str = "this cell") -> ChoiceError:
    """Something else is sent than before, by `who`: a cell, or an order of the same reference."""
    made = entry.resource_id or "something whose answer was not seen"
    change = _change(entry.body, body)
    what = f"not sent: {who} made {made} at {entry.made} with another body ({change})"
    hint = (
        "new=True sends it as another payment; "
        f"idempotency_key={entry.key!r} sends it under the key of before, which the service "
        "refuses with 409; put the old value back to see what was made"
    )
    return ChoiceError(what, hint)


def too_late(entry: Entry) -> ChoiceError:
    """The order is so old that the service may have forgotten its key."""
    if entry.state == OPEN:
        what = f"not sent: sent before ({entry.made}), no answer was seen, and its key has expired"
        hint = "look in the list whether it was made; new=True sends it as another payment"
        return ChoiceError(what, hint, expired="")
    what = f"not sent: this made {entry.resource_id} at {entry.made}, and its key has expired"
    hint = f"get {entry.resource_id!r} to see it; new=True sends it as another payment"
    return ChoiceError(what, hint, expired=entry.resource_id)


def unnoted(key: str, resource_id: str, reason: str) -> LedgerError:
    """The payment was made, and then the ledger could not be written."""
    made = resource_id or "something without an id"
    what = f"the payment was made: {made}, with Idempotency-Key {key}; but {reason}"
    hint = f"do not send it as a new payment; idempotency_key={key!r} gives it again"
    return LedgerError(what, hint, made=resource_id, key=key)


def payee(body: str) -> object:
    """Who gets it, as far as a body tells."""
    try:
        found = json.loads(body)
    except ValueError:
        return body
    return [found.get(name) for name in PAYEE] if isinstance(found, dict) else body


PAYEE = ("financial_account", "individual_id", "payout_account")


def _change(before: str, after: str) -> str:
    """The fields that differ, with both values."""
    try:
        old, new = json.loads(before), json.loads(after)
    except ValueError:
        return "it differs"
    names = [name for name in {**old, **new} if old.get(name) != new.get(name)]
    changes = [f"{name}: {old.get(name)} -> {new.get(name)}" for name in names]
    return ", ".join(changes) or "it differs"
