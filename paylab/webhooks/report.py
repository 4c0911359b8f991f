"""A reconciliation: its problems as a frame, a summary, totals per currency, and a report."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, Any, NoReturn

from ..errors.arguments import explain_arguments
from ..errors.extras import extra_imports
from ..errors.names import raise_unknown_attribute, with_name_suggestions
from ..frames.exact_frame import ExactFrame
from ..spec.text import printable
from .compared_period import ComparedPeriod
from .equality_rules import Rules
from .payment_columns import AMOUNT_NAMES, PAYMENT_COLUMNS
from .payment_problems import (
    PROBLEM_KINDS,
    PaymentProblem,
    total_or_none,
    write_count,
)
from .payment_values import make_amounts
from .report_lines import write_column_lines, write_kind_lines, write_total_lines
from .side_totals import NO_TOTAL, AmountColumn, totals_by_currency
from .sides import BOOKS, EVENTS, SERVICE, Payments, Rows

with extra_imports():
    import numpy as np
    import pandas as pd

NOT_COMPARED = "not compared"


@with_name_suggestions
@explain_arguments
class Reconciliation:
    """The problems of a reconciliation, their summary, and the totals of each side.

    It is true if there is no problem, and something was compared unless the service has no
    payment; its length is the number of problems, which a loop gets.
    """

    def __init__(  # noqa: PLR0913 - its parts
        self,
        payments: Payments,
        sides: Sequence[Rows],
        problems: Sequence[PaymentProblem],
        rules: Rules,
        period: ComparedPeriod,
        notes: Iterable[str] = (),
        place: str = "",
        blank_count: int = 0,
    ) -> None:
        """`sides` has the rows of each side, and `place` names the service.

        `blank_count` is the number of cells that were not compared because they are blank.
        """
        self._payments = payments
        self._rows = tuple(sides)
        self._rules = rules
        self._period = period
        self.problems = tuple(problems)
        self.notes = tuple(notes)
        self.place = place
        self._blank_count = blank_count

    @property
    def sides(self) -> tuple[str, ...]:
        """The compared sides: service, and books, events or both."""
        return (SERVICE, *(side_rows.side for side_rows in self._rows))

    def __bool__(self) -> bool:
        return not self.problems and len(self._empty_sides) < len(self._rows)

    def __len__(self) -> int:
        return len(self.problems)

    def __iter__(self) -> Iterator[PaymentProblem]:
        return iter(self.problems)

    def __getitem__(self, key: Any) -> Any:
        """The problem at a position, or the problems of a slice."""
        if not isinstance(key, int | slice):
            message = f"a reconciliation has numbered problems: write frame()[{key!r:.60}]"
            raise TypeError(message)
        return self.problems[key]

    if not TYPE_CHECKING:  # mypy would allow every name

        def __getattr__(self, name: str) -> NoReturn:
            is_of_frame = hasattr(pd.DataFrame, name) and not name.startswith("_")
            if is_of_frame:
                message = f"Reconciliation has no attribute {name!r}: use frame().{name}"
                raise AttributeError(message)
            raise_unknown_attribute(self, name)

    @property
    def _empty_sides(self) -> list[str]:
        """The sides that have none of the payments, although the service has some."""
        has_payments = any(
            self._period.mask_of(payment_family.indexes).any()
            for payment_family in self._payments.families
        )
        if not has_payments:
            return []
        return [
            side_rows.side
            for side_rows in self._rows
            if not self._period.mask_of_rows(side_rows.side).any()
        ]

    @property
    def compared(self) -> dict[str, dict[str, str]]:
        """By side, the names of the compared columns by their meaning.

        >>> lab.reconcile(lab.transfers.frame()).compared["books"]["amount"]
        'source_amount'
        """
        return {
            side_rows.side: {
                meaning: column_name
                for meaning, column_name in side_rows.name_by_meaning.items()
                if self._has_service_column(meaning)
            }
            for side_rows in self._rows
        }

    @property
    def not_compared(self) -> dict[str, dict[str, str]]:
        """By side, the columns that were not compared, each with the reason.

        >>> lab.reconcile(lab.transfers.frame()).not_compared["books"]["recipient_id"]
        'not compared'
        """
        reasons_by_side: dict[str, dict[str, str]] = {}
        for side_rows in self._rows:
            reason_by_column: dict[str, str] = {}
            for column_description in PAYMENT_COLUMNS:
                meaning = column_description.meaning
                is_missing = meaning not in side_rows.name_by_meaning
                if is_missing and self._has_service_column(meaning):
                    reason_by_column[meaning] = f"not in the {side_rows.side}"
            for meaning, column_name in side_rows.name_by_meaning.items():
                if not self._has_service_column(meaning):
                    reason_by_column[column_name] = "not in the service"
            reason_by_column |= dict.fromkeys(side_rows.unknown, NOT_COMPARED)
            reasons_by_side[side_rows.side] = reason_by_column
        return reasons_by_side

    def _has_service_column(self, meaning: str) -> bool:
        """Return whether a list of the service has a column with this meaning."""
        zone = self._rules.zone
        return any(
            payment_family.values(meaning, zone) is not None
            for payment_family in self._payments.families
        )

    def frame(self) -> pd.DataFrame:
        """Return one row per problem: its kind, key and column, both values, and the difference.

        `difference` is the other side minus the service, exact; `time_difference` that of times.
        `row` is the row of your books, counted from 1 below the header.

        >>> lab.reconcile(lab.transfers.frame()).frame().empty
        True
        """
        column_names = [
            column_name
            for column_name in PaymentProblem._fields
            if column_name not in ("payment", "difference")
        ]
        cells_by_column = {
            column_name: [getattr(problem, column_name) for problem in self.problems]
            for column_name in column_names
        }
        frame = ExactFrame(cells_by_column, columns=column_names)
        differences = make_amounts(
            [problem.difference for problem in self.problems],
            [_find_currency(problem.kind, problem.currency) for problem in self.problems],
        )
        frame.insert(column_names.index("time_difference"), "difference", pd.Series(differences))
        type_by_column = {
            **dict.fromkeys(("kind", "side", "family", "column", "currency"), "category"),
            **dict.fromkeys(("key", "id", "service_value", "other_value"), "str"),
            "row": "Int64",
            "time_difference": "timedelta64[us]",
        }
        return frame.astype(type_by_column)

    def summary(self) -> pd.DataFrame:
        """Return the number of problems and the sum of their differences by kind and currency.

        >>> lab.reconcile(lab.transfers.frame()).summary().empty
        True
        """
        differences_by_group: dict[tuple[str, str], list[Decimal | None]] = {}
        for problem in self.problems:
            group_key = problem.kind, problem.currency or ""
            differences_by_group.setdefault(group_key, []).append(problem.difference)
        kind_names = list(PROBLEM_KINDS)
        group_keys = sorted(
            differences_by_group,
            key=lambda group_key: (kind_names.index(group_key[0]), group_key[1]),
        )
        sums = [total_or_none(differences_by_group[group_key]) for group_key in group_keys]
        frame = ExactFrame(
            {
                "kind": pd.Categorical([kind for kind, _ in group_keys]),
                "currency": pd.Categorical([currency for _, currency in group_keys]),
                "problems": np.array(
                    [len(differences_by_group[group_key]) for group_key in group_keys],
                    dtype=np.int64,
                ),
            }
        )
        frame["difference"] = make_amounts(sums, [_find_currency(*key) for key in group_keys])
        return frame

    def totals(self) -> pd.DataFrame:
        """Return the number and the sum of the amounts of each side, by currency.

        >>> lab.reconcile(lab.transfers.frame()).totals()["currency"].tolist()
        ['USD']
        """
        side_totals_by_currency = totals_by_currency(self._amount_columns())
        currencies = sorted(side_totals_by_currency)
        totals_frame = ExactFrame({"currency": pd.Categorical(currencies)})
        for side_name in self.sides:
            side_totals = [
                side_totals_by_currency[currency].get(side_name, NO_TOTAL)
                for currency in currencies
            ]
            counts = [side_total.count for side_total in side_totals]
            side_sums = [side_total.amount for side_total in side_totals]
            totals_frame[f"count_{side_name}"] = np.array(counts, dtype=np.int64)
            totals_frame[f"amount_{side_name}"] = make_amounts(side_sums, currencies)
        return totals_frame

    def _amount_columns(self) -> Iterator[AmountColumn]:
        """Yield the amounts of each side that has some; the service has a column per family."""
        for family in self._payments.families:
            amounts = family.values("amount", self._rules.zone)
            currencies = family.values("currency", self._rules.zone)
            if amounts is not None:
                counted_mask = self._period.mask_of(family.indexes)
                yield AmountColumn(SERVICE, amounts, currencies, counted_mask)
        for side_rows in self._rows:
            amounts = side_rows.values.get("amount")
            currencies = side_rows.values.get("currency")
            if amounts is not None:
                counted_mask = self._period.mask_of_rows(side_rows.side)
                yield AmountColumn(side_rows.side, amounts, currencies, counted_mask)

    def report(self) -> str:
        """Return the result in a few lines: problems by kind, what was compared, and totals.

        >>> lab.reconcile(lab.transfers.frame()).report()[:10]
        'Reconciled'
        """
        report_lines = [
            self._write_verdict_line(),
            *write_kind_lines(self.summary()),
            *self.columns_lines(),
            *(f"  {note_text}" for note_text in self.notes),
            *write_total_lines(self.totals(), self.sides),
        ]
        return "\n".join(map(printable, report_lines))

    def _write_verdict_line(self) -> str:
        """Return the first line of the report: the numbers of rows, and the verdict."""
        warning_texts = [
            f"Nothing was compared with the {side}, which have none of the payments"
            for side in self._empty_sides
        ]
        compared_text = f"{self._write_payment_counts()} with {self._write_row_counts()}"
        verdict_line = f"Reconciled {compared_text}: {self._write_verdict()}"
        return ". ".join([*warning_texts, verdict_line])

    def _write_payment_counts(self) -> str:
        """Return the numbers of compared payments and their period: "3 transfers since ..."."""
        payment_texts = []
        for payment_family in self._payments.families:
            payment_count = int(self._period.mask_of(payment_family.indexes).sum())
            # A list that is not compared has a number of its own in the verdict.
            is_compared = payment_family.name not in self._period.uncompared
            if payment_count or is_compared:
                payment_texts.append(write_count(payment_count, payment_family.name))
        counts_text = " and ".join(payment_texts)
        return f"{counts_text} {self._period.text}".rstrip()

    def _write_row_counts(self) -> str:
        """Return the number of compared rows of each side: "books (3 rows)"."""
        side_texts = []
        for side_rows in self._rows:
            row_count = int(self._period.mask_of_rows(side_rows.side).sum())
            if side_rows.side == EVENTS:
                side_texts.append(f"the events of {write_count(row_count, 'payment')}")
            else:
                side_texts.append(f"{side_rows.side} ({write_count(row_count, 'row')})")
        return " and ".join(side_texts)

    def _write_verdict(self) -> str:
        """Return the number of problems, or that all agrees, and what was not compared."""
        verdict_text = "everything agrees"
        if self.problems:
            verdict_text = write_count(len(self.problems), "problem")
        elif self._blank_count:
            verdict_text = "the cells that are not blank agree"
        elif self._empty_sides:
            is_any_compared = len(self._empty_sides) < len(self._rows)
            verdict_text = "the rest agrees" if is_any_compared else "0 problems"
        elif self._find_gap():
            verdict_text = f"what was compared agrees; {self._find_gap()}"
        for family_name, payment_count in self._period.uncompared.items():
            uncompared_text = write_count(payment_count, family_name)
            verdict_text += f"; {uncompared_text} not compared with the books"
        return verdict_text

    def _find_gap(self) -> str:
        """Return what a verdict about books would hide: no amount, or one of two, was compared."""
        books_columns = self.compared.get(BOOKS)
        if books_columns is None:
            return ""
        other_names = [
            column_name
            for column_name, reason_text in self.not_compared[BOOKS].items()
            if reason_text == NOT_COMPARED and column_name.strip().casefold() in AMOUNT_NAMES
        ]
        if other_names:
            return f"not compared: {', '.join(other_names)}"
        is_any_compared = not AMOUNT_NAMES.isdisjoint(books_columns)
        return "" if is_any_compared else "no amount was compared"

    def columns_lines(self) -> list[str]:
        """Return lines that say what was compared and what was not.

        >>> lab.reconcile(lab.transfers.frame()).columns_lines()[0][:30]
        '  compared with books: amount '
        """
        return write_column_lines(self.compared, self.not_compared)

    def __repr__(self) -> str:
        return self.report()


def _find_currency(kind: str, currency: str | None) -> str | None:
    """Return the currency of a difference: that of its payment, and none for a rate."""
    return None if kind == "exchange_rate" else currency
