"""The outcome of each payout of a batch, and your choices for those made before."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, Literal

from ..client.orders import is_order_conflict, is_undecided
from ..errors import api
from ..errors.base import ChoiceError, PaylabError, PaylabWarning, Problem, RuleError
from ..spec.time_arguments import read_duration
from .identity import REFERENCE
from .payout_rows import ACCOUNT
from .recognition import LOOKBACK_AGE

CREATED = "created"
REPLAYED = "replayed"
PAID = "already paid"
FAILED = "failed before"
CONFLICT = "conflict"
REFUSED = "refused"
UNKNOWN = "unknown"
UNSENT = "unsent"
MADE = frozenset({CREATED, REPLAYED, PAID})
OTHER_PAYMENT = f"for another payment give it another {REFERENCE}"
ROW_CHOICES = {
    "dead": "retry_failed=True (--retry-failed) pays it again",
    "conflict": f"correct the row if it is that payment; {OTHER_PAYMENT}",
    "old": f'older="paid" (--older paid) counts it as paid; {OTHER_PAYMENT}',
}
"""What you can choose for a row whose payment was found, by the reason of its error."""
OUTCOME_WORDS = {"dead": FAILED, "old": CONFLICT, "busy": UNSENT, "untold": UNKNOWN}
"""The outcome of an order that asks you to choose, by its reason."""
Older = Literal["paid", "pay"]

_ACCOUNT_FIELD = re.compile(r"\bfinancial_account(\.id)?(?![\w.])")
"""The field of a call that a file has as the column `financial_account_id`."""


class UnpaidWarning(PaylabWarning):
    """A batch ended, and at least one of its rows was not paid."""


@dataclass(frozen=True)
class Outcome:
    """The outcome of a row as a word, its transfer, and the error if there is none.

    created: made now. replayed: sent, and the service or its list gave the payment of an equal
    order. already paid: found in the list, and not sent. failed before: its payment failed,
    expired or was cancelled. conflict: its reference has a payment with other values. refused: by
    the service; correct it and send it again. unknown: no answer; send it again. unsent: not sent.
    """

    word: str
    transfer: Mapping[str, Any] = field(default_factory=dict)
    error: str | None = None
    payment: str = ""
    """The id of the payment of the row that failed before."""

    @property
    def is_made(self) -> bool:
        """Whether the row has a transfer."""
        return self.word in MADE


@dataclass(frozen=True)
class BatchChoices:
    """What you chose for payouts that may have been made before.

    `lookback` is how far the list is searched, None for not at all; `older` is whether an equal
    payment that is older than 7 days is this payout ("paid") or not ("pay"); `retry_failed` pays a
    payout again whose payment failed, expired or was cancelled.
    """

    lookback: timedelta | None = LOOKBACK_AGE
    older: Older | None = None
    retry_failed: bool = False

    @classmethod
    def read(cls, lookback: object, older: object, *, retry_failed: bool) -> BatchChoices:
        """Read the choices from the arguments of a batch; RuleError for a wrong one."""
        if older not in (None, "paid", "pay"):
            message = f'must be "paid" or "pay", not {older!r:.40}'
            raise RuleError([Problem("older", message)])
        lookback_age = None if lookback is None else read_duration(lookback, "lookback")
        return cls(lookback_age, older, retry_failed)

    def next_name(self, error: ChoiceError) -> str:
        """The name that pays a row again whose payment failed or is old; "" if it is not paid."""
        # A payment of this run that failed at once would fail again and again.
        pays_failed = error.reason == "dead" and self.retry_failed and not error.is_new
        pays_old = error.reason == "old" and self.older == "pay"
        return str(error.payment.id or "") if pays_failed or pays_old else ""

    def outcome(self, error: ChoiceError) -> Outcome:
        """The outcome of a row that is not paid again, by the error that asked you to choose."""
        if error.reason == "old" and self.older == "paid":
            return Outcome(PAID, error.payment.raw)
        return outcome_of_error(error)


def outcome_of_error(error: PaylabError) -> Outcome:
    """The outcome of a row by its error, which may or may not prove that nothing was made."""
    failed_payment_id = ""
    if isinstance(error, ChoiceError) and error.reason == "dead":
        failed_payment_id = error.payment.id
    return Outcome(
        _choose_outcome_word(error), error=_describe_row_error(error), payment=failed_payment_id
    )


def _choose_outcome_word(error: PaylabError) -> str:
    """Choose the word for the outcome of a row that ended with an error."""
    if isinstance(error, ChoiceError):
        default_word = UNKNOWN if error.payment is None else CONFLICT
        return OUTCOME_WORDS.get(error.reason, default_word)
    if isinstance(error, api.ConflictError) and is_order_conflict(error):
        return CONFLICT
    if isinstance(error, api.RateLimitError) or is_undecided(error):
        return UNKNOWN
    # If the API key is refused, nothing is wrong with the row: it can be sent again.
    if isinstance(error, api.AuthenticationError | api.PermissionDeniedError):
        return UNSENT
    return REFUSED if isinstance(error, api.APIStatusError | RuleError) else UNSENT


def _describe_row_error(error: PaylabError) -> str:
    """Write the problems of an error, or its text; for a choice or unknown id also what to do.

    The field of the account is named as the column that it is in.
    """
    error_text = "; ".join(map(str, getattr(error, "problems", ()))) or str(error)
    hint = None
    if isinstance(error, ChoiceError | api.NotFoundError):
        hint = error.hint
    if isinstance(error, ChoiceError) and error.payment is not None:
        hint = ROW_CHOICES.get(error.reason, hint)
    return _ACCOUNT_FIELD.sub(ACCOUNT, f"{error_text}; {hint}" if hint else error_text)
