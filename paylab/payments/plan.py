"""A batch checked before it is sent: its rows, and every problem with its row number."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Context, Decimal, Inexact
from os import PathLike
from typing import TYPE_CHECKING, Any, TypeAlias
from unicodedata import normalize

from ..errors.base import PaylabError, Problem, RuleError, RuleWarning
from ..errors.extras import explained
from ..files import CsvRow, csv_header, csv_rows
from ..rules import transfers
from ..spec import money
from ..spec.operations.field import AMOUNT, CURRENCY, ENUM, TEXT
from ..spec.operations.records import OPERATIONS
from .identity import identity

if TYPE_CHECKING:
    import pandas as pd

Payouts: TypeAlias = "str | PathLike[str] | Iterable[Mapping[str, Any]] | Any"
"""A CSV file by its path, a DataFrame, or dicts."""

REFERENCE = "client_reference_id"
ACCOUNT = "financial_account_id"
_KINDS = (AMOUNT, CURRENCY, ENUM, TEXT)
_NAMES = (name for kind in _KINDS for name in OPERATIONS["transfers.create"].of_kind(kind))
COLUMNS = tuple(dict.fromkeys((REFERENCE, ACCOUNT, *_NAMES)))
"""The known columns; others are not sent."""


@dataclass(frozen=True)
class PayoutRow:
    """One payout as given: its number from 1, its line in a file, its cells."""

    number: int
    cells: Mapping[str, Any]
    line: int | None = None
    surplus: int = 0
    own: Mapping[str, Any] = field(default_factory=dict)
    """The cells of unknown columns, as text; they are added to the results."""

    @property
    def name(self) -> str:
        """The reference of the payout in NFC; "" for none."""
        return normalize("NFC", str(self.cells.get(REFERENCE) or "")).strip()

    def body(self) -> dict[str, Any]:
        """The body of the request; the order of the columns does not change its bytes."""
        cells = {name: self.cells[name] for name in COLUMNS if name in self.cells}
        account = cells.pop(ACCOUNT, None)
        own = {} if account is None else {"financial_account": {"id": account}}
        return own | cells


def _cell(value: object) -> Any:
    """A cell as JSON: exact numbers as text, None when empty, anything else unchanged."""
    if isinstance(value, str):
        return value.strip() or None
    if isinstance(value, Decimal):
        return _plain(value) if value.is_finite() else None
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    return None if _is_missing(value) else value


def _is_missing(value: object) -> bool:
    """Whether a cell is None, NaN, NaT or pandas' NA (whose comparison is not a bool)."""
    try:
        return value is None or bool(value != value)  # noqa: PLR0124 - NaN is not itself
    except (TypeError, ValueError):
        return type(value).__name__ == "NAType"


def _plain(value: Decimal) -> str:
    """Plain digits without the trailing zeros of the column's type."""
    text = getattr(value, "text", None) or format(value, "f")
    return text.rstrip("0").rstrip(".") if "." in text else text


def _raw(payouts: Payouts, delimiter: str) -> Iterator[CsvRow]:
    if isinstance(payouts, str | PathLike):
        _refuse_twins(csv_header(payouts, delimiter))
        return csv_rows(payouts, delimiter)
    frame: Any = payouts
    return _dicts(frame.to_dict("records") if hasattr(frame, "columns") else frame)


def _dicts(records: Any) -> Iterator[CsvRow]:
    if isinstance(records, bytes | bytearray | memoryview) or not isinstance(records, Iterable):
        kind = f"of type {type(records).__name__}"
        raise PaylabError(f"payouts are a CSV file's path, a frame or dicts, not {kind}")
    for number, record in enumerate(records, 1):
        if not isinstance(record, Mapping):
            kind = f"of type {type(record).__name__}"
            raise PaylabError(f"row {number} of the payouts is {kind}, not a dict")
        yield CsvRow(dict(record))


def _named(name: str, reference: str) -> str:
    if name == reference:
        return REFERENCE
    known = name.strip().lower().replace(" ", "_")
    return name if known not in COLUMNS or known == REFERENCE != reference else known


def _refuse_twins(names: Iterable[str]) -> None:
    known = [name for name in names if name in COLUMNS]
    twins = sorted({name for name in known if known.count(name) > 1})
    if twins:
        raise PaylabError(f"the column {twins[0]!r} is duplicated")


def _row(
    number: int, raw: CsvRow, names: Mapping[Any, str], defaults: Mapping[str, Any]
) -> PayoutRow:
    known = {names[name]: _cell(value) for name, value in raw.cells.items()}
    filled = {name: value for name, value in known.items() if name in COLUMNS and value is not None}
    # An unpaired surrogate, which JSON can contain, cannot be written to a file.
    own = {
        name: None if value is None else str(value).encode(errors="backslashreplace").decode()
        for name, value in known.items()
        if name not in COLUMNS
    }
    return PayoutRow(number, {**defaults, **filled}, raw.line, raw.surplus, own)


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
    if hasattr(payouts, "columns"):  # to_dict would keep the last of two
        _refuse_twins(_named(str(name), reference) for name in payouts.columns)
    raw = list(_raw(payouts, delimiter))
    names = {name: _named(str(name), reference) for row in raw for name in row.cells}
    if raw and reference not in {REFERENCE, *names}:
        raise PaylabError(f"the payouts have no column {reference!r}, which names their references")
    filled = {name: _cell(value) for name, value in defaults.items()}
    rows = tuple(_row(number, row, names, filled) for number, row in enumerate(raw, 1))
    ignored = tuple(str(name) for name, known in names.items() if known not in COLUMNS)
    _refuse_twins(names.values())
    labels = _RENAMED | {REFERENCE: reference}
    return Plan(rows, tuple(_problems(rows, labels, references=references)), ignored)


def _problems(
    rows: Sequence[PayoutRow], names: Mapping[str, str], *, references: bool
) -> Iterator[RowProblem]:
    first: dict[str, int] = {}
    for row in rows:
        earlier = first.setdefault(row.name or identity(row.body()), row.number)
        missing = [Problem(REFERENCE, NO_REFERENCE, _OWN)] if references and not row.name else []
        for problem in (*missing, *_own_problems(row, earlier), *_rule_problems(row)):
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
    found = transfers.check(body) or transfers.check_rail(str(currency), rail)
    for doubt in transfers.warn_rail(currency, rail) if isinstance(currency, str) else ():
        warnings.warn(str(doubt), RuleWarning, stacklevel=2)
    for problem in found:
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
