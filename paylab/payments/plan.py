"""A batch checked before it is sent: its rows, and every problem with its row number."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Context, Decimal, Inexact
from typing import TYPE_CHECKING, Any

from ..errors.base import Problem, RuleError, RuleWarning
from ..errors.extras import explained
from ..rules import transfers
from ..spec import money
from .identity import REFERENCE, identity
from .payout_rows import ACCOUNT, COLUMNS, PayoutRow, Payouts, read_rows

if TYPE_CHECKING:
    import pandas as pd

_RENAMED = {"financial_account": ACCOUNT, "financial_account.id": ACCOUNT}
_OWN = "batch"
NO_REFERENCE = (
    "is required; references=False (--no-references) sends a row without one, which is safe to "
    "repeat for 24 hours only"
)
_EXACT = Context(prec=1_000, traps=[Inexact])
FLOAT = 'must be text: a float is not exact; read the file with dtype="string", or give its path'


@dataclass(frozen=True)
class RowProblem(Problem):
    """A problem of one row; rows count from 1 after the header."""

    row: int = 0
    line: int | None = None

    def __str__(self) -> str:
        """`row 3 (line 4), source_amount: must be more than 0`."""
        line = f" (line {self.line})" if self.line else ""
        return f"row {self.row}{line}, {super().__str__()}"


@dataclass(frozen=True)
class Plan:
    """The payouts to send, their problems, and the columns that are not sent."""

    rows: tuple[PayoutRow, ...]
    problems: tuple[RowProblem, ...]
    ignored: tuple[str, ...] = ()

    def refuse(self) -> None:
        """Raise RuleError with every problem, if there are any."""
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
        with explained():
            import pandas as pd

        cells = [(p.row, p.line, p.field, p.message, p.source) for p in self.problems]
        return pd.DataFrame(cells, columns=["row", "line", "field", "problem", "source"])

    def __str__(self) -> str:
        """One line: number of rows, number of problems, totals."""
        wrong = len({problem.row for problem in self.problems})
        sums = [f"{amount} {label}" for label, amount in self.totals().items()]
        count = len(self.rows)
        problems = f"{wrong} {'has' if wrong == 1 else 'have'} problems" if wrong else "no problems"
        total = f"; total{' of the others' if wrong else ''}: {', '.join(sums)}" if sums else ""
        return f"{count} payout{'' if count == 1 else 's'}, {problems}{total}"


def plan(
    payouts: Payouts,
    *,
    reference: str = REFERENCE,
    references: bool = True,
    delimiter: str = ",",
    **defaults: Any,
) -> Plan:
    """Read the payouts and check every row; `reference` names the reference column.

    A row needs a reference, unless `references` is False. `delimiter` separates the cells of a CSV
    file. Other keywords fill empty cells of a column: `source_currency="USD"`.
    """
    unknown = [name for name in defaults if name not in COLUMNS]
    if unknown:
        raise TypeError(f"{unknown[0]!r} is not a column; the columns are {', '.join(COLUMNS)}")
    rows, ignored = read_rows(payouts, reference, delimiter, defaults)
    labels = _RENAMED | {REFERENCE: reference}
    return Plan(rows, tuple(_problems(rows, labels, references=references)), ignored)


def _problems(
    rows: Sequence[PayoutRow], names: Mapping[str, str], *, references: bool
) -> Iterator[RowProblem]:
    first: dict[str, int] = {}
    for row in rows:
        earlier = first.setdefault(row.name or identity(row.body()), row.number)
        problems = [*_own_problems(row, earlier), *_rule_problems(row)]
        if references and not row.name:
            problems.insert(0, Problem(REFERENCE, NO_REFERENCE, _OWN))
        for problem in problems:
            field = names.get(problem.field, problem.field)
            yield RowProblem(field, problem.message, problem.source, row.number, row.line)


def _own_problems(row: PayoutRow, earlier: int) -> Iterator[Problem]:
    """The problems that no rule knows; `earlier` is the first row of the same payout."""
    if earlier != row.number and row.name:
        message = f"is also the reference of row {earlier}: it must be unique"
        yield Problem(REFERENCE, message, _OWN)
    elif earlier != row.number:
        message = f"row {row.number} equals row {earlier}: give each a reference, or remove one"
        yield Problem("", message, _OWN)
    if row.surplus:
        message = "has more cells than the header: is a comma not in quotes?"
        yield Problem("", message, _OWN)


def _rule_problems(row: PayoutRow) -> Iterator[Problem]:
    body = row.body()
    currency = body.get("destination_currency")
    rail = body.get("payout_method")
    for doubt in transfers.warn_rail(currency, rail) if isinstance(currency, str) else ():
        warnings.warn(str(doubt), RuleWarning, stacklevel=2)
    for problem in transfers.check(body) or transfers.check_rail(str(currency), rail):
        is_float = isinstance(row.cells.get(problem.field), float)  # pandas read the amount so
        if is_float and problem.field in transfers.AMOUNTS:
            yield Problem(problem.field, FLOAT, problem.source)
        else:
            yield problem


def _amounts(row: PayoutRow) -> Iterator[tuple[str, Decimal]]:
    for name, currency in transfers.AMOUNTS.items():
        amount = money.read_amount(row.cells.get(name))
        if amount is not None:
            yield f"{row.cells.get(currency)} {name}".replace("_", " "), amount
