"""Your choices for payouts of a batch that may have been made before."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import Literal

from ..errors.base import ChoiceError, Problem, RuleError
from ..spec.time_arguments import read_duration
from .comparison import LOOKBACK_AGE
from .outcome import Outcome, already_paid, outcome_of_error

Older = Literal["paid", "pay"]


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
        """The choices as they were given; RuleError for one that is none."""
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
        """The outcome of a row that is not paid again."""
        if error.reason == "old" and self.older == "paid":
            return already_paid(error.payment)
        return outcome_of_error(error)
