"""The rules of a reconciliation: which amounts, times and words are equal."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from decimal import Decimal
from typing import NamedTuple
from zoneinfo import ZoneInfo

from ..errors.base import ExactnessError, OptionError, Problem
from ..errors.extras import extra_imports
from ..errors.suggestions import find_nearest_name
from ..spec.time_arguments import read_duration
from .payment_problems import subtract

with extra_imports():
    from ..frames import decimals

UTC = ZoneInfo("UTC")
Tolerance = Mapping[str, str | int | Decimal] | str | int | Decimal


@dataclass(frozen=True)
class Rules:
    """The rules of equality: tolerances by currency, a window for times, words of the books."""

    tolerance: Mapping[str, Decimal] = field(default_factory=dict)
    """By currency in upper case; the key "" is for all others."""
    window: timedelta = timedelta(0)
    zone: ZoneInfo = UTC
    status_map: Mapping[str, str] = field(default_factory=dict)

    def agree(self, service: Decimal, other: Decimal, currency: str | None) -> bool:
        """Return whether two amounts are equal within the tolerance of their currency."""
        return subtract(other, service).copy_abs() <= self.tolerance_of(currency)

    def tolerance_of(self, currency: str | None) -> Decimal:
        """Return the tolerance of a currency.

        A currency without a tolerance has the common one, or 0.
        """
        default_tolerance = self.tolerance.get("", Decimal(0))
        return self.tolerance.get((currency or "").upper(), default_tolerance)


class Period(NamedTuple):
    """The payments that a side should have: from `since`, before `until`."""

    since: datetime | None = None
    until: datetime | None = None
    zone: ZoneInfo = UTC
    """That of the books, in which the period is written."""

    @property
    def is_everything(self) -> bool:
        """Whether the period has neither a begin nor an end."""
        return self.since is None and self.until is None


def _read_tolerance(tolerance: Tolerance | None) -> dict[str, Decimal]:
    """Read tolerances by currency in upper case, "" for all; ExactnessError for a float."""
    tolerance_by_currency = tolerance if isinstance(tolerance, Mapping) else {"": tolerance or 0}
    return {
        str(currency).strip().upper(): _read_amount(amount)
        for currency, amount in tolerance_by_currency.items()
    }


def _read_amount(amount_value: object) -> Decimal:
    """Read the amount of a tolerance, which is zero or more."""
    if isinstance(amount_value, float):
        raise ExactnessError(
            f'tolerance is {amount_value!r}, a float: write it as text, like "0.01"'
        )
    is_number = decimals.NUMBER.fullmatch(str(amount_value)) is not None
    if not is_number or Decimal(str(amount_value)) < 0:
        raise argument_error("tolerance", f"{amount_value!r:.40} is not an amount of zero or more")
    return Decimal(str(amount_value))


def _read_status_map(status_map: Mapping[str, str], statuses: Collection[str]) -> dict[str, str]:
    """Return the status of each of your words, both in lower case.

    OptionError for a status that the service does not have; `statuses` are those that it has.
    """
    for status in status_map.values():
        if status not in statuses:
            raise _make_unknown_status_error(status, statuses)
    return {
        your_word.strip().casefold(): status.casefold() for your_word, status in status_map.items()
    }


def _make_unknown_status_error(status: object, statuses: Collection[str]) -> OptionError:
    """Make the error for a status that is not one of `statuses`; it names the nearest of them."""
    nearest_status = find_nearest_name(str(status), statuses)
    hint_text = (
        f"nearest: {nearest_status}" if nearest_status else f"known: {', '.join(sorted(statuses))}"
    )
    message = f"{status!r:.60} is no status of the service; {hint_text}"
    return argument_error("status_map", message)


def argument_error(argument: str, message: str) -> OptionError:
    """Make the error for an argument of `reconcile`."""
    return OptionError([Problem(argument, message, "reconcile")])


def read_rules(
    known_statuses: Collection[str],
    zone: ZoneInfo,
    status_map: Mapping[str, str] | None,
    tolerance: Tolerance | None,
    window: timedelta | str | None,
) -> Rules:
    """Read the rules for equal values; an error for a rule that cannot be read."""
    return Rules(
        tolerance=_read_tolerance(tolerance),
        window=timedelta(0) if window is None else read_duration(window, "window"),
        zone=zone,
        status_map=_read_status_map(status_map or {}, known_statuses),
    )
