"""The rows of a batch: payouts of a CSV file, a frame or dicts, with exact cells."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from os import PathLike
from typing import Any, TypeAlias
from unicodedata import normalize

from ..errors.base import PaylabError
from ..files import CsvRow, csv_header, csv_rows
from ..spec.operations.field import AMOUNT, CURRENCY, ENUM, TEXT
from ..spec.operations.records import OPERATIONS
from .identity import REFERENCE

Payouts: TypeAlias = "str | PathLike[str] | Iterable[Mapping[str, Any]] | Any"
"""A CSV file by its path, a DataFrame, or dicts."""

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
    own: Mapping[str, str | None] = field(default_factory=dict)
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


def read_rows(
    payouts: Payouts, reference: str, delimiter: str, defaults: Mapping[str, Any]
) -> tuple[tuple[PayoutRow, ...], tuple[str, ...]]:
    """The rows of payouts, and the names of their columns that are not sent.

    `reference` names the reference column, `delimiter` separates the cells of a CSV file, and
    `defaults` fill empty cells.
    """
    if hasattr(payouts, "columns"):  # to_dict would keep the last of two
        _refuse_twins(_known_name(str(name), reference) for name in payouts.columns)
    records = list(_records(payouts, delimiter))
    names = {name: _known_name(str(name), reference) for row in records for name in row.cells}
    if records and reference not in {REFERENCE, *names}:
        raise PaylabError(f"the payouts have no column {reference!r}, which names their references")
    _refuse_twins(names.values())
    usual = {name: _cell(value) for name, value in defaults.items()}
    rows = [_row(number, record, names, usual) for number, record in enumerate(records, 1)]
    ignored = [str(name) for name, known in names.items() if known not in COLUMNS]
    return tuple(rows), tuple(ignored)


def _records(payouts: Payouts, delimiter: str) -> Iterator[CsvRow]:
    if isinstance(payouts, str | PathLike):
        _refuse_twins(csv_header(payouts, delimiter))
        return csv_rows(payouts, delimiter)
    records: Any = payouts
    return _dict_records(records.to_dict("records") if hasattr(records, "columns") else records)


def _dict_records(records: Any) -> Iterator[CsvRow]:
    if isinstance(records, bytes | bytearray | memoryview) or not isinstance(records, Iterable):
        kind = f"of type {type(records).__name__}"
        raise PaylabError(f"payouts are a CSV file's path, a frame or dicts, not {kind}")
    for number, record in enumerate(records, 1):
        if not isinstance(record, Mapping):
            kind = f"of type {type(record).__name__}"
            raise PaylabError(f"row {number} of the payouts is {kind}, not a dict")
        yield CsvRow(dict(record))


def _known_name(name: str, reference: str) -> str:
    """The name of a column in our spelling; that of another column stays."""
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
    number: int, record: CsvRow, names: Mapping[Any, str], defaults: Mapping[str, Any]
) -> PayoutRow:
    cells = dict(defaults)
    own: dict[str, str | None] = {}
    for column, value in record.cells.items():
        name = names[column]
        cell = _cell(value)
        if name not in COLUMNS:
            own[name] = None if cell is None else _writable(str(cell))
        elif cell is not None:
            cells[name] = cell
    return PayoutRow(number, cells, record.line, record.surplus, own)


def _writable(text: str) -> str:
    """A text without unpaired surrogates, which JSON can contain and a file cannot."""
    return text.encode(errors="backslashreplace").decode()


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
