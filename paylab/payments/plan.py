"""A batch checked before it is sent: its rows, and every problem with its row number."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Context, Decimal, Inexact
from typing import TYPE_CHECKING

from ..client.request import NO_FLOAT
from ..errors.base import Problem, RuleError, RuleWarning, warn_caller
from ..errors.extras import extra_imports
from ..errors.names import with_name_suggestions
from ..errors.suggestions import find_suggestion
from ..rules import transfers
from ..spec import money
from ..spec.service.service import Service
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
NOT_CHECKED = "not checked: whether the accounts exist, and which payouts were made before"
PROBLEMS_SHOWN_MAX = 10
"""The maximum number of problems in a repr."""
ROWS_NAMED_MAX = 3
"""How many rows are named of those that have the same problem."""
_EXACT = Context(prec=1_000, traps=[Inexact])


@dataclass(frozen=True)
class RowProblem(Problem):
    """A problem of one row, which count from 1 after the header; row 0 is a whole column."""

    row: int = 0
    line: int | None = None

    def __str__(self) -> str:
        """`row 3 (line 4), source_amount: must be more than 0`."""
        if not self.row:
            return super().__str__()
        line_note = f" (line {self.line})" if self.line else ""
        return f"row {self.row}{line_note}, {super().__str__()}"


@dataclass(frozen=True)
class SharedProblem(Problem):
    """A problem that many rows have, with their numbers."""

    rows: tuple[int, ...] = ()

    def __str__(self) -> str:
        """`120 rows (2, 3, 4, ...), source_amount: is required`."""
        first_rows_text = ", ".join(map(str, self.rows[:ROWS_NAMED_MAX]))
        return f"{len(self.rows)} rows ({first_rows_text}, ...), {super().__str__()}"


@with_name_suggestions
@dataclass(frozen=True, repr=False)
class Plan:
    """The payouts to send, their problems, and the columns that are not sent."""

    rows: tuple[PayoutRow, ...]
    problems: tuple[RowProblem, ...]
    ignored: tuple[str, ...] = ()

    def raise_if_problems(self) -> None:
        """Raise RuleError with every problem, if there are any; one of many rows is named once."""
        if self.problems:
            raise RuleError(self.group_problems())

    def group_problems(self) -> list[Problem]:
        """The problems, of which one that many rows have is a single SharedProblem."""
        problems_by_text: dict[tuple[str, str], list[RowProblem]] = {}
        for problem in self.problems:
            problems_by_text.setdefault((problem.field, problem.message), []).append(problem)
        grouped_problems: list[Problem] = []
        for (field_name, message), problems in problems_by_text.items():
            if len(problems) <= ROWS_NAMED_MAX:
                grouped_problems += problems
                continue
            rows = tuple(problem.row for problem in problems)
            shared_problem = SharedProblem(field_name, message, problems[0].source, rows)
            grouped_problems.append(shared_problem)
        return grouped_problems

    def _find_wrong_row_numbers(self) -> set[int]:
        """The numbers of the rows with a problem: all, if a column is missing."""
        wrong_numbers = {problem.row for problem in self.problems}
        if 0 in wrong_numbers:
            return {payout_row.number for payout_row in self.rows}
        return wrong_numbers

    def totals(self) -> dict[str, Decimal]:
        """The sum of each amount by its column and currency, of rows without a problem."""
        wrong_numbers = self._find_wrong_row_numbers()
        sum_by_label: dict[str, Decimal] = {}
        for payout_row in self.rows:
            if payout_row.number in wrong_numbers:
                continue
            for amount_label, amount in _read_amounts(payout_row):
                sum_by_label[amount_label] = _EXACT.add(
                    sum_by_label.get(amount_label, Decimal(0)), amount
                )
        return sum_by_label

    def frame(self) -> pd.DataFrame:
        """The problems as a frame: row, line, field, problem, source."""
        with extra_imports():
            import pandas as pd

        frame_rows = [
            (problem.row, problem.line, problem.field, problem.message, problem.source)
            for problem in self.problems
        ]
        return pd.DataFrame(frame_rows, columns=["row", "line", "field", "problem", "source"])

    def __repr__(self) -> str:
        """The line of `str`, the first problems, and what is not checked."""
        problem_lines = [f"  {problem}" for problem in self.problems[:PROBLEMS_SHOWN_MAX]]
        hidden_count = len(self.problems) - len(problem_lines)
        more_lines = [f"  and {hidden_count} more in .problems"] if hidden_count else []
        return "\n".join([str(self), *problem_lines, *more_lines, NOT_CHECKED])

    def __str__(self) -> str:
        """One line: number of rows, number of problems, totals."""
        wrong_count = len(self._find_wrong_row_numbers())
        problems_text = "no problems"
        if wrong_count:
            problems_text = f"problems in {wrong_count} row{'' if wrong_count == 1 else 's'}"
        plan_text = f"{_payouts_text(len(self.rows))}, {problems_text}"
        totals_text = ", ".join(
            f"{amount} {amount_label}" for amount_label, amount in self.totals().items()
        )
        if not totals_text:
            return plan_text
        total_label = "total of the others" if wrong_count else "total"
        return f"{plan_text}; {total_label}: {totals_text}"


def _payouts_text(count: int) -> str:
    """A number of payouts, such as `1 payout`."""
    return f"{count} payout{'' if count == 1 else 's'}"


def make_plan(
    payouts: Payouts,
    *,
    service: Service,
    reference: str = REFERENCE,
    references: bool = True,
    delimiter: str = ",",
    **defaults: object,
) -> Plan:
    """Read the payouts and check every row by the rules of a service.

    `reference` names the reference column. A row needs a reference, unless `references` is False.
    `delimiter` separates the cells of a CSV file. Other keywords fill empty cells of a column:
    `source_currency="USD"`.
    """
    unknown_text = ", ".join(repr(name) for name in defaults if name not in COLUMNS)
    if unknown_text:
        raise TypeError(f"no columns: {unknown_text}; the columns are {', '.join(COLUMNS)}")
    payout_rows, ignored_columns = read_rows(payouts, reference, delimiter, defaults)
    row_problems = list(_check_rows(payout_rows, service, references=references))
    problem_by_missing_column = _find_missing_columns(payout_rows, row_problems)
    problems = [
        *(
            _make_missing_column_problem(problem, ignored_columns)
            for problem in problem_by_missing_column.values()
        ),
        *(problem for problem in row_problems if problem.field not in problem_by_missing_column),
    ]
    named_problems = tuple(
        replace(problem, field=reference) if problem.field == REFERENCE else problem
        for problem in problems
    )
    return Plan(payout_rows, named_problems, ignored_columns)


def _check_rows(
    payout_rows: Sequence[PayoutRow], service: Service, *, references: bool
) -> Iterator[RowProblem]:
    """Yield the problems of all rows, each with its row, line and column."""
    first_row_by_payout: dict[tuple[str, str], int] = {}
    for payout_row in payout_rows:
        reference = payout_row.reference
        # Rows with one reference, or without one and with equal values, are the same payout.
        values_text = "" if reference else str(sorted(values(payout_row.body()).items()))
        first_row_number = first_row_by_payout.setdefault(
            (reference, values_text), payout_row.number
        )
        problems = [
            *_check_duplicate(payout_row, first_row_number),
            *_check_cell_count(payout_row),
            *_check_by_rules(payout_row, service),
        ]
        if references and not reference:
            problems.insert(0, Problem(REFERENCE, NO_REFERENCE, _SOURCE))
        for problem in problems:
            column_name = _COLUMNS_BY_FIELD.get(problem.field, problem.field)
            yield RowProblem(
                column_name,
                problem.message,
                problem.source,
                row=payout_row.number,
                line=payout_row.line,
            )


def _find_missing_columns(
    payout_rows: Sequence[PayoutRow], row_problems: Sequence[RowProblem]
) -> dict[str, RowProblem]:
    """The columns that are needed and of which no row has a value, each with its first problem."""
    filled_columns = {column_name for row in payout_rows for column_name in row.cells}
    problem_by_missing_column: dict[str, RowProblem] = {}
    for problem in row_problems:
        if problem.field in COLUMNS and problem.field not in filled_columns:
            problem_by_missing_column.setdefault(problem.field, problem)
    return problem_by_missing_column


def _make_missing_column_problem(problem: RowProblem, unknown_columns: Sequence[str]) -> RowProblem:
    """The problem of a column of which no row has a value, with unknown columns that may be it."""
    message = f"{problem.message}; no row has a value for it"
    near_columns = [
        column_name
        for column_name in unknown_columns
        if find_suggestion(column_name, [problem.field])
    ]
    if near_columns:
        message += f" (unknown: {', '.join(near_columns)}; is {problem.field} meant?)"
    return RowProblem(problem.field, message, problem.source)


def _check_duplicate(payout_row: PayoutRow, first_row_number: int) -> Iterator[Problem]:
    """Yield the problem of a row that repeats the first row of the same payout, if it does."""
    if first_row_number == payout_row.number:
        return
    if payout_row.reference:
        message = f"is also the reference of row {first_row_number}: it must be unique"
        yield Problem(REFERENCE, message, _SOURCE)
    elif ACCOUNT in payout_row.cells:
        message = f"equals row {first_row_number}: give each a reference, or remove one"
        yield Problem("", message, _SOURCE)


def _check_cell_count(payout_row: PayoutRow) -> Iterator[Problem]:
    """Yield the problem of a row of a file, if it has more cells than the header."""
    if payout_row.surplus_cells:
        message = "has more cells than the header: is a comma not in quotes?"
        yield Problem("", message, _SOURCE)


def _check_by_rules(payout_row: PayoutRow, service: Service) -> Iterator[Problem]:
    """Yield the problems of a row by the rules of a transfer; a likely typo is a warning."""
    body = payout_row.body()
    for doubt in transfers.find_rail_warnings(body, service):
        warn_caller(str(doubt), RuleWarning)
    for problem in (*transfers.check(body, service), *transfers.check_rail(body, service)):
        is_float = isinstance(payout_row.cells.get(problem.field), float)
        yield replace(problem, message=NO_FLOAT) if is_float else problem


def _read_amounts(payout_row: PayoutRow) -> Iterator[tuple[str, Decimal]]:
    """The amounts of a row, each with its currency and column, such as `USD source amount`."""
    for amount_name, currency_name in transfers.AMOUNTS.items():
        amount = money.read_amount(payout_row.cells.get(amount_name))
        if amount is not None:
            currency = str(payout_row.cells.get(currency_name)).upper()
            yield f"{currency} {amount_name.replace('_', ' ')}", amount
