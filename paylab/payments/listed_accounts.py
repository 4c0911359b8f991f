"""Chooses the conversion account of an order among those that the list of the service has."""

from __future__ import annotations

from collections.abc import Sequence

from ..errors.base import ChoiceError
from ..spec.models import ConversionAccount
from ..spec.resource import creation_time
from .comparison import answered_reference, find_differences, shown_values, status_of
from .identity import REFERENCE, Values

STATUS_RANKS = ("active", "pending")
"""The statuses of which an account is returned first; a disabled one is never returned."""
DISABLED = "disabled"
IDENTIFYING_FIELDS = frozenset({"individual_id", "payout_account", "source_currency"})
"""What a row must show to tell whether it is the ordered account."""


def choose_account(rows: Sequence[ConversionAccount], order: Values) -> ConversionAccount | None:
    """The newest active, else pending account of an order; None if there is none.

    ChoiceError if accounts may be that of the order, but none shows whose it is.
    """
    candidates = matching_accounts(rows, order)
    identified_accounts = [
        row for row in candidates if shown_values(row, order).keys() >= IDENTIFYING_FIELDS
    ]
    if candidates and not identified_accounts:
        reason = f"{candidates[0].id} may be this account, but does not show whose it is"
        raise undecided_account_error(reason)
    newest_first = sorted(identified_accounts, key=creation_time, reverse=True)
    return min(newest_first, key=_status_rank, default=None)  # of equal ones, the first


def matching_accounts(rows: Sequence[ConversionAccount], order: Values) -> list[ConversionAccount]:
    """The accounts that may be that of an order and are not disabled."""
    return [row for row in rows if status_of(row) != DISABLED and _matches(order, row)]


def undecided_account_error(why: str, reason: str = "untold") -> ChoiceError:
    """The error if the list cannot tell whether an account was made."""
    hint = 'read lab.conversion_accounts.list(); new="..." makes another account'
    return ChoiceError(why, hint, reason=reason)


def _status_rank(account: ConversionAccount) -> int:
    """The rank of an account by its status: active accounts first, then pending ones."""
    status = status_of(account)
    return STATUS_RANKS.index(status) if status in STATUS_RANKS else len(STATUS_RANKS)


def _matches(order_values: Values, account: ConversionAccount) -> bool:
    """Whether an account shows no other value than an order, and the reference that it has."""
    reference = order_values.get(REFERENCE)
    if reference is not None and reference != answered_reference(account):
        return False
    return not find_differences(order_values, account, may_choose=True)
