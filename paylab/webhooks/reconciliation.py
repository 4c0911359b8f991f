"""Compare the payments of the service with rows of books or events: a list of problems."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime, timedelta
from decimal import Decimal
from functools import partial
from typing import Any
from zoneinfo import ZoneInfo

from ..errors.extras import explained
from ..frames import decimals
from ..frames.decimal_array import DecimalArray
from .column_comparison import COMPARE, ColumnPair
from .payment_columns import COLUMNS
from .payment_keys import NO_PLACE, match, repeated_references
from .payment_problems import (
    PaymentProblem,
    Period,
    Rules,
    digits_of,
    name_swapped,
    subtract,
    sum_text,
    total,
)
from .sides import BOOKS, SERVICE, Family, Payments, Rows

with explained():
    import numpy as np

UTC = ZoneInfo("UTC")


def find_problems(
    payments: Payments, rows: Rows, rules: Rules, period: Period | None
) -> list[PaymentProblem]:
    """The problems of one side, in the order of the payments; rows without one come last.

    No payment is missing if `period` is None.
    """
    comparison = Comparison(payments, rows, rules)
    problems = [*comparison.differences(), *comparison.unmatched_rows()]
    if period is not None:
        problems += comparison.missing(period)
    last = payments.count
    order = {column.meaning: at for at, column in enumerate(COLUMNS)}
    return sorted(
        name_swapped(problems),
        key=lambda problem: (
            problem.place if problem.place >= 0 else last,
            problem.row or 0 if problem.place < 0 else 0,
            order.get(problem.column, -1),
        ),
    )


class Comparison:
    """The payments of the service beside the rows of one other side."""

    def __init__(self, payments: Payments, rows: Rows, rules: Rules) -> None:
        self.payments = payments
        self.rows = rows
        self.rules = rules
        self.matches = match(rows.ids, rows.references, payments.ids, payments.references)
        self.places = self.matches.places
        self.repeats: list[PaymentProblem] = []
        self.covered: set[int] = set()
        groups = repeated_references(self.matches, payments.references)
        for place, other_places in groups.items():
            self._assign([place, *other_places])
        self.counts = np.bincount(self.places[self.places >= 0], minlength=payments.count)

    def differences(self) -> Iterator[PaymentProblem]:
        """What differs between a payment and its rows."""
        yield from self.repeats
        matched = self.places >= 0
        counts = np.where(matched, self.counts[self.places], 0) if self.payments.count else matched
        single = np.flatnonzero(counts == 1)
        yield from self._compare(self.places[single], single, self.rows.values)
        by_place: dict[int, list[int]] = {}
        for row in np.flatnonzero(counts > 1).tolist():
            by_place.setdefault(int(self.places[row]), []).append(row)
        chosen: dict[int, int] = {}
        parts: dict[int, list[int]] = {}
        for place, rows in by_place.items():
            problem, row = self._several(place, rows)
            yield problem
            if problem.kind == "split":
                parts[place] = rows
            else:
                chosen[place] = row
        yield from self._compare(_places(chosen), _places(chosen.values()), self.rows.values)
        yield from self._compare_parts(parts)

    def unmatched_rows(self) -> Iterator[PaymentProblem]:
        """Rows of which the service has no payment."""
        for row in np.flatnonzero(self.places == NO_PLACE).tolist():
            amount = self._amount(row)
            currencies = self.rows.values.get("currency")
            family = self.rows.families[row] if self.rows.families else None
            yield PaymentProblem(
                *("missing_in_service", self.rows.side, self.rows.key(row), None, family),
                "amount" if amount is not None else "",
                _upper(currencies.text(row)) if currencies is not None else None,
                None,
                digits_of(amount),
                amount,
                row=self._number(row),
            )

    def missing(self, period: Period) -> Iterator[PaymentProblem]:
        """Payments of the period without a row.

        Books that have rows of one family only need not have the other.
        """
        created = self.payments.created() if any(period) else None
        is_due = self.counts == 0
        if created is not None and period.since is not None:
            is_due &= ~(created < _naive(period.since))
        if created is not None and period.until is not None:
            is_due &= ~(created >= _naive(period.until))
        due = {family.name for family in self.payments.families if self._has_family(family)}
        for place in np.flatnonzero(is_due).tolist():
            if place in self.covered or self.payments.family_at(place).name not in due:
                continue
            amount = self._service_amount(place)
            difference = None if amount is None else -amount
            yield self._problem(
                f"missing_in_{self.rows.side}",
                place,
                None,
                "amount",
                digits_of(amount),
                None,
                difference,
            )

    def _has_family(self, family: Family) -> bool:
        if self.rows.side != BOOKS or not self.counts.any():
            return True
        return bool(self.counts[family.start : family.start + len(family.frame)].any())

    def _assign(self, places: list[int]) -> None:
        """Give each row with a repeated reference a payment of its own.

        The one with its amount, else the first that is free. Payments that stay without a row are
        duplicates; if one row is the sum of all of them, they are a split payment.
        """
        rows = np.flatnonzero((self.places == places[0]) & self.matches.by_reference).tolist()
        amounts = {place: self._service_amount(place) for place in places}
        amounts_present = [amount for amount in amounts.values() if amount is not None]
        row_amounts = [self._amount(row) for row in rows]
        self.covered.update(places)
        if len(rows) == 1 and row_amounts[0] is not None and len(amounts_present) == len(places):
            currency = self._currency(places[0])
            total_amount = total(amounts_present)
            is_whole = self.rules.agree(total_amount, row_amounts[0], currency)
            if is_whole and not any(
                self.rules.agree(known_amount, row_amounts[0], currency)
                for known_amount in amounts_present
            ):
                self.places[rows[0]] = NO_PLACE - 1  # matched, and compared here
                self.repeats.append(
                    self._problem(
                        *("split", places[0], rows[0], "amount"),
                        *(
                            sum_text(amounts_present),
                            digits_of(row_amounts[0]),
                            subtract(row_amounts[0], total_amount),
                        ),
                        side=SERVICE,
                    )
                )
                return
        free = list(places)
        unassigned = []
        for row, amount in zip(rows, row_amounts, strict=True):
            equal = next((place for place in free if amounts[place] == amount), None)
            if equal is None:
                unassigned.append(row)
                continue
            self.places[row] = equal
            free.remove(equal)
        for row in unassigned[: len(free)]:
            self.places[row] = free.pop(0)
        for place in free:
            amount = amounts[place]
            difference = None if amount is None else -amount
            self.repeats.append(
                self._problem(
                    "duplicate",
                    place,
                    None,
                    "amount",
                    digits_of(amount),
                    None,
                    difference,
                    side=SERVICE,
                )
            )

    def _several(self, place: int, rows: list[int]) -> tuple[PaymentProblem, int]:
        """The problem of a payment with several rows, and the row to compare with it.

        It is split if the sum of the rows is nearer to its amount than any row is; otherwise the
        nearest row is compared and the others are duplicates.
        """
        service = self._service_amount(place)
        paid = digits_of(service)
        amounts = {row: amount for row in rows if (amount := self._amount(row)) is not None}
        total_amount = total(amounts.values())
        chosen = rows[0]
        if service is not None and amounts:
            distance = {row: abs(subtract(amount, service)) for row, amount in amounts.items()}
            chosen = min(distance, key=lambda row: distance[row])
            if abs(subtract(total_amount, service)) < distance[chosen]:
                facts = place, rows[0], "amount", paid, sum_text(amounts.values()), Decimal(0)
                return self._problem("split", *facts), chosen
        extra = subtract(total_amount, amounts[chosen]) if chosen in amounts else None
        amounts_text = sum_text(amounts.values()) if amounts else f"{len(rows)} rows"
        surplus = next(row for row in rows if row != chosen)
        return self._problem(
            "duplicate", place, surplus, "amount", paid, amounts_text, extra
        ), chosen

    def _compare_parts(self, parts: Mapping[int, list[int]]) -> Iterator[PaymentProblem]:
        """Split payments: amounts are added up, words and rates are compared row by row.

        An amount that every row repeats as a whole is not added up. Times are not compared.
        """
        sums: dict[str, Any] = {}
        other_values: dict[str, Any] = {}
        for column in COLUMNS:
            values = self.rows.values.get(column.meaning)
            if isinstance(values, DecimalArray) and column.currency:
                wholes = [self._whole(column.meaning, *part) for part in parts.items()]
                sums[column.meaning] = DecimalArray(decimals.from_numbers(wholes))
            elif values is not None and column.kind != "time":
                other_values[column.meaning] = values
        first = _places(rows[0] for rows in parts.values())
        yield from self._compare(_places(parts), first, sums, np.arange(len(parts)))
        columns: set[tuple[int, str]] = set()
        rows = _places(row for rows in parts.values() for row in rows)
        for problem in self._compare(self.places[rows], rows, other_values):
            if (problem.place, problem.column) not in columns:
                columns.add((problem.place, problem.column))
                yield problem

    def _whole(self, meaning: str, place: int, rows: list[int]) -> Decimal | None:
        """The amount that the rows of a split payment have together; None if all are blank."""
        values = self.rows.values[meaning]
        parts = [value for row in rows if isinstance(value := values[row], Decimal)]
        is_repeated = meaning != "amount" and set(parts) == {self._service_amount(place, meaning)}
        return total(parts[:1] if is_repeated else parts) if parts else None

    def _compare(
        self, places: Any, rows: Any, values: Mapping[str, Any], at_values: Any = None
    ) -> Iterator[PaymentProblem]:
        """The differences of pairs of a payment and a row; `at_values` is where its values are."""
        at_values = rows if at_values is None else at_values
        for family in self.payments.families:
            inside = (places >= family.start) & (places < family.start + len(family.frame))
            pairs = places[inside], rows[inside]
            known_at = at_values[inside]
            for column in COLUMNS:
                side_values = values.get(column.meaning)
                service = family.values(column.meaning, self.rules.zone)
                if side_values is not None and service is not None and len(pairs[0]):
                    compared = ColumnPair(
                        column,
                        self.rules,
                        partial(self._pair_currency, pairs[0], column.currency),
                    )
                    both_columns = service.take(pairs[0] - family.start), side_values.take(known_at)
                    for at, facts in COMPARE[column.kind](compared, *both_columns):
                        place = int(pairs[0][at])
                        row = int(pairs[1][at])
                        yield self._problem(
                            facts.kind,
                            place,
                            row,
                            column.meaning,
                            facts.service,
                            facts.other,
                            facts.difference,
                            facts.time_difference,
                            currency=facts.currency,
                        )

    def _problem(  # noqa: PLR0913 - the facts of a problem
        self,
        kind: str,
        place: int,
        row: int | None,
        column: str,
        service: str | None,
        other: str | None,
        difference: Decimal | None = None,
        time_difference: timedelta | None = None,
        *,
        side: str = "",
        currency: str | None = None,
    ) -> PaymentProblem:
        payments = self.payments
        rows = self.rows
        id_ = payments.ids[place].as_py()
        reference = payments.references[place].as_py()
        is_by_id = rows.ids.null_count < len(rows) or rows.side != BOOKS
        key = rows.key(row) if row is not None else (id_ if is_by_id else reference or id_)
        return PaymentProblem(
            *(kind, side or rows.side, key or "", id_, payments.family_at(place).name, column),
            currency or self._currency(place),
            service,
            other,
            difference,
            time_difference,
            None if row is None else self._number(row),
            place,
        )

    def _number(self, row: int) -> int | None:
        return row + 1 if self.rows.side == BOOKS else None

    def _amount(self, row: int) -> Decimal | None:
        values = self.rows.values.get("amount")
        amount = None if values is None else values[row]
        return amount if isinstance(amount, Decimal) else None

    def _service_amount(self, place: int, meaning: str = "amount") -> Decimal | None:
        family = self.payments.family_at(place)
        values = family.values(meaning, self.rules.zone)
        amount = None if values is None else values[place - family.start]
        return amount if isinstance(amount, Decimal) else None

    def _pair_currency(self, places: Any, meaning: str, at: int) -> str | None:
        return self._currency(int(places[at]), meaning)

    def _currency(self, place: int, meaning: str = "currency") -> str | None:
        """The currency of a payment's amount; the source currency if the service gives none."""
        family = self.payments.family_at(place)
        for name in (meaning, "currency"):
            words = family.values(name, self.rules.zone)
            currency = None if words is None else words.text(place - family.start)
            if currency:
                return _upper(currency)
        return None


def _places(numbers: Iterable[int]) -> Any:
    return np.fromiter(numbers, dtype=np.int64)


def _naive(moment: datetime) -> Any:
    return np.datetime64(moment.astimezone(UTC).replace(tzinfo=None), "us")


def _upper(word: str | None) -> str | None:
    return None if word is None else word.upper()
