"""Orders: POSTs that must not happen twice, and the errors of those whose outcome is unknown."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import timedelta
from typing import TYPE_CHECKING, Any, Protocol, Unpack

from ..errors.api import APIStatusError, ConflictError
from ..errors.base import ChoiceError, PaylabError, ReadOnlyError, ReplayError, RuleError
from ..light_dataclass import light_dataclass
from .request import Options, OutgoingRequest

if TYPE_CHECKING:
    from .response import Response

# The service refused it without carrying it out; after a 5xx that is unknown.
REFUSAL_STATUSES = range(400, 500)
# This refusal does not show whether the order was carried out.
REQUEST_TIMEOUT = 408
Advice = Callable[[BaseException], str]
"""What to do after an error of an order that may have been carried out."""
NOTHING_SENT = "nothing was sent: you can send it again"


ORDER_CONFLICT = re.compile(
    r"idempot|\b(another|other|different|mismatch\w*|same) (body|payload|request|param\w*|order)\b"
    r"|\bin.progress\b|\bconcurrent|\bbeing processed\b|\balready (processed|submitted|received)\b",
    re.IGNORECASE,
)
"""Words about a key, or about another request of the same order."""


@light_dataclass(frozen=True, repr=False)
class Order:
    """A POST that must not happen twice: its operation and its fields in our names, as given.

    `terms` are the fields of its quote, if they are known. `new` tells the order from an equal one
    before: a name of its own, or True for a random key. `lookback` is how far back the list is
    searched before it is sent. `is_quiet` is whether to show no notice of a repetition, as in a
    batch. `body` has the fields in the spelling that is sent, if it was computed before.
    """

    operation: str
    fields: Mapping[str, Any]
    terms: Mapping[str, object] | None = None
    new: str | bool = ""
    lookback: timedelta | None = None
    is_quiet: bool = False
    body: Mapping[str, object] | None = None


class OrderSender(Protocol):
    """Sends POSTs that must not happen twice."""

    def send(self, order: Order, **options: Unpack[Options]) -> Response:
        """The response of an order; it has an object with an id."""

    def send_raw(self, request: OutgoingRequest, body: object) -> Response:
        """The response to an order that is sent to a path; `body` is its JSON."""


def key_advice(key: str) -> str:
    """The advice for an order whose key only the caller can give again."""
    return (
        f"it may have been carried out: send the same again with idempotency_key={key!r}, "
        "within 24 hours, so that it happens once"
    )


@contextmanager
def add_advice_on_error(advice: Advice) -> Iterator[None]:
    """Add advice to the error of an order, unless it shows that nothing was carried out."""
    try:
        yield
    except PaylabError as error:
        if is_undecided(error):
            error.hint = _make_undecided_hint(error, advice(error))
        raise
    except BaseException as error:
        error.add_note(advice(error))
        raise


def _make_undecided_hint(error: PaylabError, advice: str) -> str:
    """The hint of an order that may have been carried out: the error's hint, then the advice."""
    if not isinstance(error, APIStatusError):
        return advice
    if error.status in REFUSAL_STATUSES and error.after_lost:
        # This attempt was refused; only the one whose answer was lost may have been carried out.
        advice = f"an earlier attempt: {advice}"
    # A status may have a hint of its own: until when the service asks not to be called.
    return "; ".join(filter(None, (error.hint, advice)))


def is_undecided(error: PaylabError) -> bool:
    """Whether an order that failed may have been carried out."""
    if isinstance(error, ChoiceError | ReplayError | ReadOnlyError | RuleError):
        return False
    if error.after_lost:
        return True
    if isinstance(error, APIStatusError) and error.status in REFUSAL_STATUSES:
        return error.status == REQUEST_TIMEOUT
    # A request that failed before it left the machine has this hint.
    return error.hint != NOTHING_SENT


def is_order_conflict(error: ConflictError) -> bool:
    """Whether a 409 says that an order or its key was used before, or gives no reason.

    A 409 about anything else, such as the balance, is an ordinary refusal.
    """
    from ..spec.error_words import is_status_phrase  # only a refusal needs them
    from .refusal_kinds import DUPLICATE, find_kind

    refusal_text = error.text.strip()
    has_no_reason = is_status_phrase(refusal_text) or " " not in refusal_text
    if has_no_reason or ORDER_CONFLICT.search(refusal_text):
        return True
    return find_kind(error.status, refusal_text, error.body) is DUPLICATE
