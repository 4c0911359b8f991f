"""A batch checked before it is sent: its rows, and every problem with its row number."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Context, Decimal, Inexact
from typing import TYPE_CHECKING

from ..errors.base import Problem, RuleError, RuleWarning, warn_caller
from ..errors.extras import extra_imports
from ..errors.names import find_suggestion, with_name_suggestions
from ..rules import transfers
from ..spec import money
from .identity import REFERENCE, values
from .payout_rows import ACCOUNT, COLUMNS, PayoutRow, Payouts, read_rows

if TYPE_CHECKING:
    import pandas as pd

_COLUMNS_BY_FIELD = {"financial_account": ACCOUNT, "financial_account.id": ACCOUNT}
_SOURCE = "batch"
NO_REFERENCE = (
    "is required; references=False sends a row without one, which is safe to repeat for 24 hours "
    "only"
)
_EXACT = Context(prec=1_000, traps=[Inexact])
FLOAT_AMOUNT = (
    'must be text: a float is not exact; read the file with dtype="string", or give its path'
)


@dataclass(frozen=True)
class RowProblem(Problem):
    """A problem of one row; rows count from 1 after the header."""

    row: int = 0
    line: int | None = None

    def __str__(self) -> str:
        """`row 3 (line 4), source_amount: must be more than 0`."""
        line_note = f" (line {self.line})" if self.line else ""
        return f"row {self.row}{line_note}, {super().__str__()}"


@with_name_suggestions
@dataclass(frozen=True)
class Plan:
    """The payouts to send, their problems, and the columns that are not sent."""

    rows: tuple[PayoutRow, ...]
    problems: tuple[RowProblem, ...]
    ignored: tuple[str, ...] = ()

    def raise_if_problems(self) -> None:
        """Raise RuleError with every problem, if there are any."""
        if self.problems:
            raise RuleError(self.problems, self.hint)

    @property
    def hint(self) -> str | None:
        """Which unknown columns may be those that no row has; None if no needed one is missing."""
        filled_columns = {column_name for row in self.rows for column_name in row.cells}
        problem_fields = {problem.field for problem in self.problems}
        missing_columns = [
            column_name
            for column_name in COLUMNS
            if column_name in problem_fields and column_name not in filled_columns
        ]
        if not self.ignored or not missing_columns:
            return None
        unused_columns = [
            column_name for column_name in COLUMNS if column_name not in filled_columns
        ]
        nearest_columns = {name: find_suggestion(name, unused_columns) for name in self.ignored}
        unknown_text = ", ".join(
            f"{name} (is {column_name} meant?)" if column_name else name
            for name, column_name in nearest_columns.items()
        )
        return f"no row has {', '.join(missing_columns)}; unknown columns: {unknown_text}"

    def totals(self) -> dict[str, Decimal]:
        """The sum of each amount by its column and currency, of rows without a problem."""
        problem_rows = {problem.row for problem in self.problems}
        sums: dict[str, Decimal] = {}
        for payout_row in self.rows:
            if payout_row.number in problem_rows:
                continue
            for label, amount in _read_amounts(payout_row):
                sums[label] = _EXACT.add(sums.get(label, Decimal(0)), amount)
        return sums

    def frame(self) -> pd.DataFrame:
        """The problems as a frame: row, line, field, problem, source."""
        with extra_imports():
            import pandas as pd

        frame_rows = [
            (problem.row, problem.line, problem.field, problem.message, problem.source)
            for problem in self.problems
        ]
        return pd.DataFrame(frame_rows, columns=["row", "line", "field", "problem", "source"])

    def __str__(self) -> str:
        """One line: number of rows, number of problems, totals."""
        problem_rows = len({problem.row for problem in self.problems})
        problems_text = "no problems"
        if problem_rows:
            problems_text = f"problems in {problem_rows} row{'' if problem_rows == 1 else 's'}"
        plan_text = f"{_payouts_text(len(self.rows))}, {problems_text}"
        totals = ", ".join(f"{amount} {label}" for label, amount in self.totals().items())
        if not totals:
            return plan_text
        return f"{plan_text}; total{' of the others' if problem_rows else ''}: {totals}"


def _payouts_text(count: int) -> str:
    """A number of payouts, such as `1 payout`."""
    return f"{count} payout{'' if count == 1 else 's'}"


def make_plan(
    payouts: Payouts,
    *,
    reference: str = REFERENCE,
    references: bool = True,
    delimiter: str = ",",
    **defaults: object,
) -> Plan:
    """Read the payouts and check every row; `reference` names the reference column.

    A row needs a reference, unless `references` is False. `delimiter` separates the cells of a CSV
    file. Other keywords fill empty cells of a column: `source_currency="USD"`.
    """
    unknown_names = [column_name for column_name in defaults if column_name not in COLUMNS]
    if unknown_names:
        columns = ", ".join(COLUMNS)
        raise TypeError(f"{unknown_names[0]!r} is not a column; the columns are {columns}")
    payout_rows, ignored = read_rows(payouts, reference, delimiter, defaults)
    columns_by_field = _COLUMNS_BY_FIELD | {REFERENCE: reference}
    problems = _check_rows(payout_rows, columns_by_field, references=references)
    return Plan(payout_rows, tuple(problems), ignored)


def _check_rows(
    payout_rows: Sequence[PayoutRow], columns: Mapping[str, str], *, references: bool
) -> Iterator[RowProblem]:
    """The problems of all rows; `columns` are the names of columns that differ from the field."""
    first_rows: dict[tuple[str, str], int] = {}
    for payout_row in payout_rows:
        reference = payout_row.reference
        # Rows with one reference, or without one and with equal values, are the same payout.
        values_text = "" if reference else str(sorted(values(payout_row.body()).items()))
        first_row = first_rows.setdefault((reference, values_text), payout_row.number)
        problems = [*_check_in_batch(payout_row, first_row), *_check_by_rules(payout_row)]
        if references and not reference:
            problems.insert(0, Problem(REFERENCE, NO_REFERENCE, _SOURCE))
        for problem in problems:
            column = columns.get(problem.field, problem.field)
            yield RowProblem(
                column, problem.message, problem.source, payout_row.number, payout_row.line
            )


def _check_in_batch(payout_row: PayoutRow, first_row: int) -> Iterator[Problem]:
    """The problems of a row among the others; `first_row` is the first row of the same payout."""
    is_repeated = first_row != payout_row.number
    if is_repeated and payout_row.reference:
        message = f"is also the reference of row {first_row}: it must be unique"
        yield Problem(REFERENCE, message, _SOURCE)
    elif is_repeated:
        yield Problem("", f"equals row {first_row}: give each a reference, or remove one", _SOURCE)
    if payout_row.surplus:
        message = "has more cells than the header: is a comma not in quotes?"
        yield Problem("", message, _SOURCE)


def _check_by_rules(payout_row: PayoutRow) -> Iterator[Problem]:
    """The problems of a row by the rules of a transfer; a likely typo is a warning."""
    body = payout_row.body()
    for doubt in transfers.warn_rail(body):
        warn_caller(str(doubt), RuleWarning)
    for problem in [*transfers.check(body), *transfers.check_rail(body)]:
        # An amount is a float if pandas read the file without a dtype.
        is_float = isinstance(payout_row.cells.get(problem.field), float)
        if is_float and problem.field in transfers.AMOUNTS:
            yield Problem(problem.field, FLOAT_AMOUNT, problem.source)
        else:
            yield problem


def _read_amounts(payout_row: PayoutRow) -> Iterator[tuple[str, Decimal]]:
    """The amounts of a row, each with its currency and column, such as `USD source amount`."""
    for amount_name, currency_name in transfers.AMOUNTS.items():
        amount = money.read_amount(payout_row.cells.get(amount_name))
        if amount is not None:
            yield f"{payout_row.cells.get(currency_name)} {amount_name}".replace("_", " "), amount
