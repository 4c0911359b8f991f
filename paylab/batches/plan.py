"""A batch looked through before anything is sent: every problem, with the number of its row."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Context, Decimal, Inexact
from typing import TYPE_CHECKING, Any

from ..errors import Problem, RuleError, RuleWarning
from ..rules import amounts, transfers
from .rows import ACCOUNT, COLUMNS, REFERENCE, Payouts, Row, read

if TYPE_CHECKING:
    import pandas as pd

_RENAMED = {"financial_account": ACCOUNT, "financial_account.id": ACCOUNT}
_OWN = "batch"
_EXACT = Context(prec=1_000, traps=[Inexact])
FLOAT = 'must be text: a float is not exact; read the file with dtype="string", or give its path'


@dataclass(frozen=True)
class RowProblem(Problem):
    """What is wrong with one row; rows count from 1, the header of a file is not one."""

    row: int = 0
    line: int | None = None

    def __str__(self) -> str:
        """`row 3 (line 4), source_amount: must be more than 0`."""
        line = f" (line {self.line})" if self.line else ""
        return f"row {self.row}{line}, {super().__str__()}"


@dataclass(frozen=True)
class Plan:
    """What would be sent, what is wrong with it, and which columns were left alone."""

    rows: tuple[Row, ...]
    problems: tuple[RowProblem, ...]
    ignored: tuple[str, ...] = ()

    def refuse(self) -> None:
        """RuleError with every problem, if there is one."""
        if self.problems:
            raise RuleError(self.problems)

    def totals(self) -> dict[str, Decimal]:
        """The sum of each amount by its column and currency, of rows without a problem."""
        wrong = {problem.row for problem in self.problems}
        sums: dict[str, Decimal] = {}
        for row in self.rows:
            for label, amount in () if row.number in wrong else _amounts(row):
                sums[label] = _EXACT.add(sums.get(label, Decimal(0)), amount)
        return sums

    def frame(self) -> pd.DataFrame:
        """The problems as a frame: row, line, field, problem, source."""
        import pandas as pd

        cells = [(p.row, p.line, p.field, p.message, p.source) for p in self.problems]
        return pd.DataFrame(cells, columns=["row", "line", "field", "problem", "source"])

    def __str__(self) -> str:
        """One line: how many rows, how many problems, how much money."""
        wrong = len({problem.row for problem in self.problems})
        sums = [f"{amount} {label}" for label, amount in self.totals().items()]
        count = len(self.rows)
        return (
            f"{count} payout{'' if count == 1 else 's'}, {wrong} with problems; the good ones: "
            + (", ".join(sums) or "nothing")
        )


def plan(
    payouts: Payouts, *, reference: str = REFERENCE, delimiter: str = ",", **defaults: Any
) -> Plan:
    """Read the payouts and check every row; `reference` names the column with the references.

    `delimiter` is what separates the cells of a CSV file.
    Other keywords are for all rows that leave the column empty: `source_currency="USD"`.
    """
    unknown = [name for name in defaults if name not in COLUMNS]
    if unknown:
        raise TypeError(f"{unknown[0]!r} is no column; columns are {', '.join(COLUMNS)}")
    sheet = read(payouts, reference, defaults, delimiter)
    return Plan(
        sheet.rows, tuple(_problems(sheet.rows, _RENAMED | {REFERENCE: reference})), sheet.ignored
    )


def _problems(rows: Sequence[Row], names: Mapping[str, str]) -> Iterator[RowProblem]:
    counts = Counter(str(row.get(REFERENCE)) for row in rows)
    first: dict[str, int] = {}
    for row in rows:
        earlier = first.setdefault(str(row.get(REFERENCE)), row.number)
        twin = earlier if counts[str(row.get(REFERENCE))] > 1 and earlier != row.number else None
        for problem in _of_row(row, twin):
            field = names.get(problem.field, problem.field)
            yield RowProblem(field, problem.message, problem.source, row.number, row.line)


def _of_row(row: Row, twin: int | None) -> list[Problem]:
    body = row.body()
    found = transfers.check(body) or transfers.check_rail(
        body["destination_currency"], body["payout_method"]
    )
    for doubt in transfers.warn(body):
        warnings.warn(str(doubt), RuleWarning, stacklevel=2)
    return [*_reference(row, twin), *_surplus(row), *map(_said_of_floats(row), found)]


def _said_of_floats(row: Row) -> Callable[[Problem], Problem]:
    """An amount that pandas read as a float has lost its digits before it came here."""

    def said(problem: Problem) -> Problem:
        if problem.field in transfers.AMOUNTS and isinstance(row.get(problem.field), float):
            return Problem(problem.field, FLOAT, problem.source)
        return problem

    return said


def _reference(row: Row, twin: int | None) -> list[Problem]:
    if row.get(REFERENCE) is None:
        message = "is required: it keeps the row from being paid twice"
        return [Problem(REFERENCE, message, _OWN)]
    if twin is None:
        return []
    return [Problem(REFERENCE, f"is the reference of row {twin} too: each needs its own", _OWN)]


def _surplus(row: Row) -> list[Problem]:
    if not row.surplus:
        return []
    return [Problem("", "has more cells than the header: is a comma not in quotes?", _OWN)]


def _amounts(row: Row) -> Iterator[tuple[str, Decimal]]:
    for name, currency in transfers.AMOUNTS.items():
        amount = amounts.read(row.get(name))
        if amount is not None:
            yield f"{row.get(currency)} {name}".replace("_", " "), amount


def terms(row: Row) -> Mapping[str, Any]:
    """What makes a payout this one: another with the same reference and terms is the same."""
    return {name: value for name, value in sorted(row.cells.items()) if value is not None}
