"""The rows of a batch: payouts of a CSV file, a frame or dicts, with exact cells."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from os import PathLike
from typing import Any, TypeAlias
from unicodedata import normalize

from ..client.identifiers import check_identifier
from ..errors.base import ConfigError, OptionError, PaylabError, Problem
from ..spec.operations.field import AMOUNT, CURRENCY, ENUM, TEXT
from ..spec.operations.records import OPERATIONS
from ..storage.csv_files import CsvRow, read_csv_header, read_csv_rows
from .identity import REFERENCE

Payouts: TypeAlias = "str | PathLike[str] | Iterable[Mapping[str, Any]] | Any"
"""A CSV file by its path, a DataFrame, or dicts."""

ACCOUNT = "financial_account_id"
_OBJECT_COLUMN = "financial_account"
"""The column of an account as `transfers.create` takes it: the object, or its id."""
_FIELD_KINDS = (AMOUNT, CURRENCY, ENUM, TEXT)
_FIELD_NAMES = (
    name
    for kind in _FIELD_KINDS
    for name in OPERATIONS["transfers.create"].field_names_of_kind(kind)
)
COLUMNS = tuple(dict.fromkeys((REFERENCE, ACCOUNT, *_FIELD_NAMES)))
"""The known columns; others are not sent."""


@dataclass(frozen=True)
class PayoutRow:
    """One payout as given: its number from 1, its line in a file, its cells."""

    number: int
    cells: Mapping[str, Any]
    line: int | None = None
    surplus_cells: int = 0
    """The number of its cells past the header of the file."""
    extra_cells: Mapping[str, str | None] = field(default_factory=dict)
    """The cells of unknown columns, as text; they are added to the results."""

    @property
    def reference(self) -> str:
        """The reference of the payout in NFC; "" for none."""
        return normalize("NFC", str(self.cells.get(REFERENCE) or "")).strip()

    def body(self) -> dict[str, Any]:
        """The body of the request; the order of the columns does not change its bytes."""
        cells = {
            column_name: self.cells[column_name]
            for column_name in COLUMNS
            if column_name in self.cells
        }
        account_id = cells.pop(ACCOUNT, None)
        if account_id is None:
            return cells
        return {"financial_account": {"id": account_id}} | cells


def read_rows(
    payouts: Payouts, reference: str, delimiter: str, defaults: Mapping[str, object]
) -> tuple[tuple[PayoutRow, ...], tuple[str, ...]]:
    """Read the rows of payouts, and the names of their columns that are not sent.

    `reference` names the reference column, `delimiter` separates the cells of a CSV file, and
    `defaults` fill empty cells. ConfigError for a file without rows.
    """
    if hasattr(payouts, "columns"):  # of two equal columns, to_dict would keep the last one only
        _raise_if_duplicated(
            _column_name(str(column_name), reference) for column_name in payouts.columns
        )
    csv_rows = list(_read_records(payouts, delimiter))
    if not csv_rows and isinstance(payouts, str | PathLike):
        has_header = bool(read_csv_header(payouts, delimiter))
        state_text = "has no rows below its header" if has_header else "is empty"
        raise ConfigError(f"{payouts} {state_text}: nothing to send")
    our_name_by_column = {
        column_name: _column_name(str(column_name), reference)
        for csv_row in csv_rows
        for column_name in csv_row.cells
    }
    if csv_rows and reference not in {REFERENCE, *our_name_by_column}:
        columns_text = ", ".join(map(str, our_name_by_column))
        message = f"the payouts have no column {reference!r}: they have {columns_text}"
        raise OptionError([Problem("reference", message)])
    _raise_if_duplicated(our_name_by_column.values())
    default_cells = {
        column_name: _read_cell(default_value) for column_name, default_value in defaults.items()
    }
    payout_rows = [
        _make_row(row_number, csv_row, our_name_by_column, default_cells)
        for row_number, csv_row in enumerate(csv_rows, 1)
    ]
    ignored_columns = [
        str(column_name)
        for column_name, our_name in our_name_by_column.items()
        if our_name not in COLUMNS
    ]
    return tuple(payout_rows), tuple(ignored_columns)


def _read_records(payouts: Payouts, delimiter: str) -> Iterator[CsvRow]:
    """Read the payouts of a file, a frame or dicts as rows of raw cells."""
    if isinstance(payouts, str | PathLike):
        _raise_if_duplicated(read_csv_header(payouts, delimiter))
        return read_csv_rows(payouts, delimiter)
    if hasattr(payouts, "columns"):
        frame: Any = payouts  # pandas may not be installed
        return _read_dicts(frame.to_dict("records"))
    return _read_dicts(payouts)


def _read_dicts(records: object) -> Iterator[CsvRow]:
    """Yield dicts as rows of raw cells; PaylabError for anything else."""
    if isinstance(records, Mapping):
        raise PaylabError("payouts are a list of dicts, not one dict: write [payout]")
    is_bytes = isinstance(records, bytes | bytearray | memoryview)
    if is_bytes or not isinstance(records, Iterable):
        type_name = type(records).__name__
        message = f"payouts are a CSV file's path, a frame or dicts, not of type {type_name}"
        raise PaylabError(message)
    for row_number, payout in enumerate(records, 1):
        if not isinstance(payout, Mapping):
            type_name = type(payout).__name__
            raise PaylabError(f"row {row_number} of the payouts is of type {type_name}, not a dict")
        yield CsvRow(dict(payout))


def _column_name(header_text: str, reference: str) -> str:
    """The name of a column in our spelling; that of an unknown column is unchanged.

    `reference` is the name of the reference column.

    >>> _column_name("Source Amount", "invoice")
    'source_amount'
    """
    if header_text == reference:
        return REFERENCE
    normal_name = header_text.strip().lower().replace(" ", "_")
    # The references are in a column of another name: one with our name is an unknown column.
    is_other_reference = normal_name == REFERENCE and reference != REFERENCE
    if normal_name == _OBJECT_COLUMN:
        return ACCOUNT
    if normal_name not in COLUMNS or is_other_reference:
        return header_text
    return normal_name


def _raise_if_duplicated(column_names: Iterable[str]) -> None:
    """Raise PaylabError if two columns have the same known name."""
    count_by_column = Counter(column_names)
    duplicate_columns = [column_name for column_name in COLUMNS if count_by_column[column_name] > 1]
    if duplicate_columns:
        raise PaylabError(f"columns that are there twice: {', '.join(duplicate_columns)}")


def _make_row(
    number: int,
    csv_row: CsvRow,
    our_name_by_column: Mapping[Any, str],
    defaults: Mapping[str, object],
) -> PayoutRow:
    """Make a row of raw cells a payout, with our names of columns.

    `defaults` fill its empty cells. PaylabError for an account that is no id.
    """
    cells = dict(defaults)
    extra_cells: dict[str, str | None] = {}
    for column_name, raw_cell in csv_row.cells.items():
        our_name = our_name_by_column[column_name]
        cell = _read_cell(raw_cell)
        if our_name == ACCOUNT and cell is not None:
            cell = check_identifier(cell, f"row {number}, {ACCOUNT}", "FinancialAccount")
        if our_name not in COLUMNS:
            extra_cells[our_name] = None if cell is None else _escape_surrogates(str(cell))
        elif cell is not None:
            cells[our_name] = cell
    return PayoutRow(
        number, cells, line=csv_row.line, surplus_cells=csv_row.surplus, extra_cells=extra_cells
    )


def _escape_surrogates(cell_text: str) -> str:
    """Escape the unpaired surrogates of a text, which JSON can contain and a file cannot."""
    return cell_text.encode(errors="backslashreplace").decode()


def _read_cell(cell: object) -> Any:
    """Read a cell as a JSON value: numbers as exact text, None when empty, others unchanged.

    A float stays a float, which the rules refuse.
    """
    if isinstance(cell, str):
        return cell.strip() or None
    if isinstance(cell, Decimal):
        return _write_decimal(cell) if cell.is_finite() else None
    if isinstance(cell, int) and not isinstance(cell, bool):
        return str(cell)
    return None if _is_missing(cell) else cell


def _is_missing(cell: object) -> bool:
    """Whether a cell is None, NaN, NaT or pandas' NA (whose comparison is not a bool)."""
    try:
        return cell is None or bool(cell != cell)  # noqa: PLR0124 - NaN is not itself
    except (TypeError, ValueError):
        return type(cell).__name__ == "NAType"


def _write_decimal(amount: Decimal) -> str:
    """Write an amount as plain digits, without the trailing zeros that its column adds."""
    amount_text = getattr(amount, "text", None) or format(amount, "f")
    return amount_text.rstrip("0").rstrip(".") if "." in amount_text else amount_text
