"""A reconciliation: its problems as a frame, a summary, totals per currency, and a report."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import timedelta
from decimal import Decimal
from typing import Any

from ..errors.arguments import explain_arguments
from ..errors.base import ExactnessError, Problem, RuleError
from ..errors.extras import explained
from ..errors.names import nearest_name
from ..frames import decimals
from ..frames.decimal_array import DecimalArray
from ..frames.frame import ExactFrame
from ..frames.times import time_zone
from ..spec.status import MACHINES
from ..spec.text import printable
from ..spec.time_arguments import read_duration, read_since
from .books import BookSource, read_books
from .event_file import EventHistory
from .payment_columns import COLUMNS
from .payment_problems import KINDS, PaymentProblem, Period, Rules, total
from .payment_values import WordColumn
from .reconciliation import find_problems
from .sides import SERVICE, Payments, Rows, earliest, rows_of_books, rows_of_events

with explained():
    import numpy as np
    import pandas as pd

Tolerance = Mapping[str, str | int | Decimal] | str | int | Decimal


def reconcile(  # noqa: PLR0913 - each has a default
    lists: Mapping[str, pd.DataFrame],
    books: BookSource | None = None,
    events: EventHistory | None = None,
    *,
    columns: Mapping[str, str] | None = None,
    status_map: Mapping[str, str] | None = None,
    tolerance: Tolerance | None = None,
    window: timedelta | str | None = None,
    tz: str = "UTC",
    since: Any = None,
    until: Any = None,
    delimiter: str | None = None,
    decimal: str | None = None,
    date_format: str | None = None,
    sheet: str | None = None,
    database: Any = None,
    place: str = "",
) -> Reconciliation:
    """Compare frames of transfers and conversions with your books, with events, or with both.

    `place` names the service; the others are explained at `lab.reconcile`.
    """
    if books is None and events is None:
        message = "there is nothing to compare with: give your books, or events=inbox"
        raise RuleError([Problem("books", message, "reconcile")])
    if decimal not in (None, ".", ","):
        raise RuleError([Problem("decimal", f"is {decimal!r:.40}: it must be . or ,", "reconcile")])
    payments = Payments(lists)
    zone = time_zone(tz)
    rules = Rules(
        read_tolerance(tolerance),
        read_duration(window, "window") if window is not None else timedelta(0),
        zone,
        _status_map(status_map, payments, zone),
    )
    problems: list[PaymentProblem] = []
    sides: list[Rows] = []
    notes: list[str] = []
    if books is not None:
        own_books = read_books(books, delimiter=delimiter, sheet=sheet, database=database)
        rows = rows_of_books(own_books.frame, columns, zone, decimal, date_format)
        notes += [*own_books.notes, *rows.notes]
        period = Period(read_since(since), read_since(until, "until"))
        problems += find_problems(payments, rows, rules, period)
        sides.append(rows)
    if events is not None:
        rows = rows_of_events(events.events)
        start = events.since or earliest(events.events)
        notes += events.notes
        notes.append(
            f"events are expected from {start:%Y-%m-%d %H:%M:%S} UTC on"
            if start
            else "there is no event, so none is missing"
        )
        problems += find_problems(payments, rows, rules, Period(start) if start else None)
        sides.append(rows)
    return Reconciliation(payments, sides, problems, rules, notes, place)


def read_tolerance(tolerance: Tolerance | None) -> dict[str, Decimal]:
    """Tolerances by currency in upper case, "" for all; ExactnessError for a float."""
    by_currency = tolerance if isinstance(tolerance, Mapping) else {"": tolerance or 0}
    tolerances: dict[str, Decimal] = {}
    for currency, value in by_currency.items():
        if isinstance(value, float):
            raise ExactnessError(f'tolerance is {value!r}, a float: write it as text, like "0.01"')
        amount = decimals.NUMBER.fullmatch(str(value)) and Decimal(str(value))
        if not isinstance(amount, Decimal) or amount < 0:
            message = f"{value!r:.40} is not an amount of zero or more"
            raise RuleError([Problem("tolerance", message, "reconcile")])
        tolerances[str(currency).strip().upper()] = amount
    return tolerances


def _status_map(words: Mapping[str, str] | None, payments: Payments, zone: Any) -> dict[str, str]:
    """Your words without case; RuleError for a status that the service does not have."""
    statuses_known: set[str] = set()
    for family in payments.families:
        statuses_known |= set(MACHINES[f"{family.name}s"].states)
        statuses = family.values("status", zone)
        statuses_known |= set(statuses.texts) if isinstance(statuses, WordColumn) else set()
    for status in (words or {}).values():
        if status not in statuses_known:
            nearest = nearest_name(str(status), statuses_known)
            hint = (
                f"nearest: {nearest}" if nearest else f"known: {', '.join(sorted(statuses_known))}"
            )
            message = f"{status!r:.60} is no status of the service; {hint}"
            raise RuleError([Problem("status_map", message, "reconcile")])
    return {word.strip().casefold(): status.casefold() for word, status in (words or {}).items()}


@explain_arguments
class Reconciliation:
    """The problems of a reconciliation, their summary, and the totals of each side.

    It is true if there is no problem.
    """

    def __init__(  # noqa: PLR0913 - its parts
        self,
        payments: Payments,
        sides: Sequence[Rows],
        problems: Sequence[PaymentProblem],
        rules: Rules,
        notes: Iterable[str] = (),
        place: str = "",
    ) -> None:
        self._payments = payments
        self._rows = tuple(sides)
        self._rules = rules
        self.problems = tuple(problems)
        self.notes = tuple(notes)
        self.place = place

    @property
    def sides(self) -> tuple[str, ...]:
        """The compared sides: service, and books, events or both."""
        return (SERVICE, *(rows.side for rows in self._rows))

    def __bool__(self) -> bool:
        return not self.problems

    @property
    def compared(self) -> dict[str, dict[str, str]]:
        """By side, the compared columns by meaning, with their names there.

        >>> lab.reconcile(lab.transfers.frame()).compared["books"]["amount"]
        'source_amount'
        """
        return {
            rows.side: {name: column for name, column in rows.names.items() if self._has(name)}
            for rows in self._rows
        }

    @property
    def not_compared(self) -> dict[str, dict[str, str]]:
        """By side, the columns that were not compared, each with the reason.

        >>> lab.reconcile(lab.transfers.frame()).not_compared["books"]["recipient_id"]
        'not compared'
        """
        reasons: dict[str, dict[str, str]] = {}
        for rows in self._rows:
            absent = {
                column.meaning: f"not in the {rows.side}"
                for column in COLUMNS
                if column.meaning not in rows.names and self._has(column.meaning)
            }
            alone = {
                own_column: "not in the service"
                for name, own_column in rows.names.items()
                if not self._has(name)
            }
            reasons[rows.side] = absent | alone | dict.fromkeys(rows.unknown, "not compared")
        return reasons

    def _has(self, meaning: str) -> bool:
        zone = self._rules.zone
        return any(family.values(meaning, zone) is not None for family in self._payments.families)

    def frame(self) -> pd.DataFrame:
        """One row per problem: its kind, key and column, both values, and the difference.

        `difference` is the other side minus the service, exact; `time_difference` that of times.
        `row` is the row of your books, counted from 1 below the header.

        >>> lab.reconcile(lab.transfers.frame()).frame().empty
        True
        """
        names = [name for name in PaymentProblem._fields if name not in ("place", "difference")]
        cells = {name: [getattr(problem, name) for problem in self.problems] for name in names}
        frame = ExactFrame(cells, columns=names)
        amounts = [problem.difference for problem in self.problems]
        exact = pd.Series(DecimalArray(decimals.from_numbers(amounts, "difference")))
        frame.insert(names.index("time_difference"), "difference", exact)
        words = ("kind", "side", "family", "column", "currency")
        kinds = dict.fromkeys(words, "category") | {"row": "Int64"}
        texts = dict.fromkeys(("key", "id", "service_value", "other_value"), "str")
        return frame.astype({**kinds, **texts, "time_difference": "timedelta64[us]"})

    def summary(self) -> pd.DataFrame:
        """Per kind and currency: the number of problems and the sum of the differences.

        >>> lab.reconcile(lab.transfers.frame()).summary().empty
        True
        """
        groups: dict[tuple[str, str], list[Decimal | None]] = {}
        for problem in self.problems:
            key = problem.kind, problem.currency or ""
            groups.setdefault(key, []).append(problem.difference)
        order = list(KINDS)
        keys = sorted(groups, key=lambda key: (order.index(key[0]), key[1]))
        differences = [[value for value in groups[key] if value is not None] for key in keys]
        sums = [total(values) if values else None for values in differences]
        frame = ExactFrame(
            {
                "kind": pd.Categorical([kind for kind, _ in keys]),
                "currency": pd.Categorical([currency for _, currency in keys]),
                "problems": np.array([len(groups[key]) for key in keys], dtype=np.int64),
            }
        )
        frame["difference"] = DecimalArray(decimals.from_numbers(sums, "difference"))
        return frame

    def totals(self) -> pd.DataFrame:
        """Per currency: the number of payments or rows and the sum of the amounts of each side.

        >>> lab.reconcile(lab.transfers.frame()).totals()["currency"].tolist()
        ['MXN', 'USD']
        """
        sums: dict[str, dict[str, Any]] = {}
        parts = [
            (
                SERVICE,
                family.values("amount", self._rules.zone),
                family.values("currency", self._rules.zone),
            )
            for family in self._payments.families
        ]
        parts += [
            (rows.side, rows.values.get("amount"), rows.values.get("currency"))
            for rows in self._rows
        ]
        for side, amounts, currencies in parts:
            if amounts is None:
                continue
            words = [
                "" if currencies is None else (currencies.text(at) or "")
                for at in range(len(amounts))
            ]
            grouped = pd.Series(amounts).groupby(pd.Series(words, dtype=object).str.upper())
            for currency, amount in grouped.sum().items():
                line = sums.setdefault(str(currency), {})
                line[f"amount_{side}"] = total([line.get(f"amount_{side}", Decimal(0)), amount])
            for currency, count in grouped.size().items():
                line = sums[str(currency)]
                line[f"count_{side}"] = line.get(f"count_{side}", 0) + int(count)
        frame = ExactFrame({"currency": pd.Categorical(sorted(sums))})
        for side in self.sides:
            lines = [sums[currency] for currency in sorted(sums)]
            frame[f"count_{side}"] = np.array(
                [line.get(f"count_{side}", 0) for line in lines], dtype=np.int64
            )
            amounts = [line.get(f"amount_{side}") for line in lines]
            frame[f"amount_{side}"] = DecimalArray(decimals.from_numbers(amounts, "amount"))
        return frame

    def report(self) -> str:
        """The result in a few lines: problems by kind, what was compared, and totals.

        >>> lab.reconcile(lab.transfers.frame()).report()[:10]
        'Reconciled'
        """
        return "\n".join(map(printable, self._lines()))

    def _lines(self) -> list[str]:
        counts = [
            f"{len(family.frame)} {family.name}{'' if len(family.frame) == 1 else 's'}"
            for family in self._payments.families
        ]
        count = len(self.problems)
        verdict = f"{count} problem{'' if count == 1 else 's'}" if count else "everything agrees"
        sides_text = " and ".join(
            f"{rows.side} ({len(rows)} {'event' if rows.side == 'events' else 'row'}"
            f"{'' if len(rows) == 1 else 's'})"
            for rows in self._rows
        )
        lines = [f"Reconciled {' and '.join(counts)} with {sides_text}: {verdict}"]
        for line in self.summary().to_dict("records"):
            amount = line["difference"]
            amount_text = f", {amount:+f} {line['currency']}" if isinstance(amount, Decimal) else ""
            where = "" if amount_text or not line["currency"] else f" ({line['currency']})"
            lines.append(f"  {line['problems']} x {line['kind']}{where}{amount_text.rstrip()}")
        lines += self.columns_lines()
        lines += [f"  {note}" for note in self.notes]
        for line in self.totals().to_dict("records"):
            sums = (
                f"{side} {line[f'amount_{side}']:f}"
                for side in self.sides
                if isinstance(line[f"amount_{side}"], Decimal)
            )
            lines.append(f"  total {line['currency']}: {', '.join(sums)}")
        return lines

    def columns_lines(self) -> list[str]:
        """What was compared and what was not, one line each.

        >>> lab.reconcile(lab.transfers.frame()).columns_lines()[0][:30]
        '  compared with books: amount '
        """
        lines = []
        for side, names in self.compared.items():
            column_texts = [
                name if column == name else f"{name} ({column})" for name, column in names.items()
            ]
            lines.append(
                f"  compared with {side}: {', '.join(column_texts) or 'only whether it is there'}"
            )
            reasons: dict[str, list[str]] = {}
            for name, reason in self.not_compared[side].items():
                reasons.setdefault(reason, []).append(name)
            lines += [f"  {reason}: {', '.join(names)}" for reason, names in reasons.items()]
        return lines

    def __repr__(self) -> str:
        return self.report()
