"""The problems of a reconciliation: their kinds, values and texts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from datetime import timedelta
from decimal import Decimal
from typing import NamedTuple

from ..errors.extras import extra_imports
from ..spec.codes import minor_unit
from ..spec.text import JsonObject
from .payment_keys import NO_PAYMENT

with extra_imports():
    from ..frames import decimals

HOUR = timedelta(hours=1)
SUM_AMOUNTS_MAX = 5
"""Maximum amounts of a split payment in a cell."""

PROBLEM_KINDS = {
    "missing_in_service": "a row has no payment",
    "missing_in_books": "a payment has no row",
    "missing_in_events": "a payment has no event",
    "duplicate": "a payment has several rows, or a reference several payments",
    "split": "several rows together are one payment",
    "swapped": "two payments have each other's amount",
    "sign": "an amount has the other sign",
    "amount": "the source amount or the deposit differs",
    "destination_amount": "the destination amount or the payout differs",
    "fee": "the fee differs",
    "tax": "the tax differs",
    "net_amount": "the net amount differs",
    "exchange_rate": "the rate differs",
    "currency": "a currency differs",
    "status": "the status differs",
    "payout_method": "the payout method differs",
    "date": "a date or a time differs",
    "time_zone": "a time differs by quarters of an hour, up to 14 hours",
}
"""The kinds of problems."""

KINDS_OF_SEVERAL_ROWS = ("duplicate", "split")
"""The kinds whose values are of several rows."""


class PaymentProblem(NamedTuple):
    """A problem: its kind, the payment, the column, both values and their difference."""

    kind: str
    side: str
    key: str
    id: str | None
    family: str | None
    column: str
    currency: str | None
    service_value: str | None
    other_value: str | None
    difference: Decimal | None = None
    time_difference: timedelta | None = None
    row: int | None = None
    """The row of the books, counted from 1."""
    payment: int = NO_PAYMENT
    """The index of the payment among all payments."""

    def as_json(self) -> JsonObject:
        """Return the problem with amounts and durations as text."""
        problem_object = self._asdict()
        del problem_object["payment"]
        problem_object["difference"] = write_digits(self.difference)
        if self.time_difference is not None:
            problem_object["time_difference"] = f"{self.time_difference.total_seconds():g} s"
        return problem_object


def subtract(minuend: Decimal, subtrahend: Decimal) -> Decimal:
    """Return the exact difference of two amounts, without rounding to a context's precision."""
    return decimals.UNLIMITED.subtract(minuend, subtrahend)


def total(amounts: Iterable[Decimal]) -> Decimal:
    """Return the exact sum of amounts, without rounding; 0 without amounts."""
    running_total = Decimal(0)
    for amount in amounts:
        running_total = decimals.UNLIMITED.add(running_total, amount)
    return running_total


def total_or_none(amounts: Iterable[Decimal | None]) -> Decimal | None:
    """Return the exact sum; None if all amounts are None."""
    present_amounts = [amount for amount in amounts if amount is not None]
    return total(present_amounts) if present_amounts else None


def write_digits(amount: Decimal | None) -> str | None:
    """Return an amount in plain digits; None without an amount."""
    return None if amount is None else format(amount, "f")


def write_count(count: int, noun: str) -> str:
    """Write "1 row" or "2 rows"."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def write_total(total: Decimal, currency: str) -> str:
    """Return a total with the decimals of its currency, or with all digits that it has."""
    last_place = Decimal((0, (1,), -minor_unit(currency)))
    short_total = total.quantize(last_place, context=decimals.UNLIMITED)
    return format(short_total if short_total == total else total, "f")


def sum_text(amounts: Iterable[Decimal]) -> str:
    """Return amounts as a sum, such as "1.50 + 2"; of many amounts only the first ones."""
    amount_texts = [format(amount, "f") for amount in amounts]
    hidden_amount_count = len(amount_texts) - SUM_AMOUNTS_MAX
    term_texts = amount_texts[:SUM_AMOUNTS_MAX]
    if hidden_amount_count > 0:
        term_texts.append(f"{hidden_amount_count} more")
    return " + ".join(term_texts)


def zone_notes(problems: Iterable[PaymentProblem]) -> list[str]:
    """Return a note on the commonest offset of a time zone in a list; empty if no two share one."""
    count_by_offset = Counter(
        problem.time_difference for problem in problems if problem.kind == "time_zone"
    )
    # A difference that only one payment has may be a mistake in that time.
    return [
        f"{count} times differ by {offset / HOUR:+g} hours: tz= is the zone of the books"
        for offset, count in count_by_offset.most_common(1)
        if offset and count > 1
    ]


def name_swapped(problems: list[PaymentProblem]) -> list[PaymentProblem]:
    """Rename the problems of two payments that have each other's amount to the kind `swapped`.

    If the books have 5 for a payment of 3, and 3 for one of 5, each has one problem `swapped`.
    Problems of their other columns are left out if these are swapped, too.
    """
    partner_by_payment = _find_swapped(problems)
    if not partner_by_payment:
        return problems
    values_by_payment_and_column = {
        (problem.payment, problem.column): _read_compared_values(problem)
        for problem in problems
        if problem.kind not in KINDS_OF_SEVERAL_ROWS
    }
    renamed_problems = []
    for problem in problems:
        may_be_swapped = problem.kind not in KINDS_OF_SEVERAL_ROWS
        if not may_be_swapped or problem.payment not in partner_by_payment:
            renamed_problems.append(problem)
            continue
        service_value, other_value = _read_compared_values(problem)
        partner = partner_by_payment[problem.payment]
        partner_values = values_by_payment_and_column.get((partner, problem.column))
        # Swapped values: what the books have here, the service has for the partner.
        are_swapped = partner_values == (other_value, service_value)
        if not are_swapped:
            renamed_problems.append(problem)
        elif problem.kind == "amount":
            renamed_problems.append(problem._replace(kind="swapped"))
    return renamed_problems


def _find_swapped(problems: list[PaymentProblem]) -> dict[int, int]:
    """Find the payments that have each other's amount: the index of the partner, by index."""
    partner_by_payment: dict[int, int] = {}
    unpaired_indexes_by_amounts: dict[tuple[object, ...], list[int]] = {}
    for problem in problems:
        if problem.kind != "amount":
            continue
        service_value, other_value = _read_compared_values(problem)
        candidate_indexes = unpaired_indexes_by_amounts.get(
            (problem.family, other_value, service_value)
        )
        if candidate_indexes:
            partner_index = candidate_indexes.pop(0)
            partner_by_payment[partner_index] = problem.payment
            partner_by_payment[problem.payment] = partner_index
        else:
            amounts_key = problem.family, service_value, other_value
            unpaired_indexes_by_amounts.setdefault(amounts_key, []).append(problem.payment)
    return partner_by_payment


def _read_compared_values(problem: PaymentProblem) -> tuple[object, object]:
    """Return the values of the service and of the other side, as they are compared.

    Amounts are numbers, and words have no letter case.
    """
    is_amount = problem.difference is not None
    return (
        _read_compared_value(problem.service_value, is_amount=is_amount),
        _read_compared_value(problem.other_value, is_amount=is_amount),
    )


def _read_compared_value(value_text: str | None, *, is_amount: bool) -> object:
    """Return an amount as a number, a word in lower case; None without a value."""
    if value_text is None:
        return None
    return Decimal(value_text) if is_amount else value_text.casefold()
