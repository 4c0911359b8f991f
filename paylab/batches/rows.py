"""Payouts as people keep them, a row each: a CSV file, a frame, a list of dicts."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from os import PathLike, fspath
from typing import Any, TypeAlias

from ..errors import PaylabError

Payouts: TypeAlias = "str | PathLike[str] | Iterable[Mapping[str, Any]] | Any"
"""A CSV file by its path, a DataFrame, or dicts."""

REFERENCE = "client_reference_id"
ACCOUNT = "financial_account_id"
COLUMNS = (
    *(REFERENCE, ACCOUNT, "source_amount", "destination_amount", "net_source_amount"),
    *("source_currency", "destination_currency", "payout_method"),
    *("source_network", "source_type"),
)
"""The columns that mean something; any other is left alone."""


@dataclass(frozen=True)
class Row:
    """One payout as it came: its number from 1, its line where it has one, its cells."""

    number: int
    cells: Mapping[str, Any]
    line: int | None = None
    surplus: int = 0
    own: Mapping[str, Any] = field(default_factory=dict)
    """The cells of columns that mean nothing here, as text; they come back with the results."""

    def get(self, name: str) -> Any:
        """A cell, None where it is empty."""
        return self.cells.get(name)

    def body(self) -> dict[str, Any]:
        """What is sent for it: the same bytes in whatever order its columns stand."""
        cells = {name: self.cells[name] for name in COLUMNS if name in self.cells}
        account = cells.pop(ACCOUNT, None)
        own = {} if account is None else {"financial_account": {"id": account}}
        return own | cells


@dataclass(frozen=True)
class Sheet:
    """All rows, and the columns that were left alone."""

    rows: tuple[Row, ...]
    ignored: tuple[str, ...] = ()


def read(
    payouts: Payouts, reference: str, defaults: Mapping[str, Any], delimiter: str = ","
) -> Sheet:
    """The rows of a file, a frame or dicts; `defaults` fill what a row leaves empty."""
    raw = list(_raw(payouts, delimiter))
    names = {name: _named(str(name), reference) for name in _columns(raw)}
    given = {name: cell(value) for name, value in defaults.items()}
    rows = (_row(number, one, names, given) for number, one in enumerate(raw, 1))
    ignored = tuple(str(name) for name, known in names.items() if known not in COLUMNS)
    _refuse_twins(names.values())
    return Sheet(tuple(rows), ignored)


def cell(value: object) -> Any:
    """A cell as JSON: exact numbers as text, nothing where it is empty, anything else as it is."""
    if isinstance(value, str):
        return value.strip() or None
    if isinstance(value, Decimal):
        return _plain(value) if value.is_finite() else None
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    return None if _is_missing(value) else value


def _is_missing(value: object) -> bool:
    """None, NaN, NaT and pandas' NA, which says neither yes nor no to being itself."""
    try:
        return value is None or bool(value != value)  # noqa: PLR0124 - NaN is not itself
    except (TypeError, ValueError):
        return type(value).__name__ == "NAType"


def _plain(value: Decimal) -> str:
    """Zeros at the end say how wide a column was, not how exact an amount is."""
    text = getattr(value, "text", None) or format(value, "f")
    return text.rstrip("0").rstrip(".") if "." in text else text


@dataclass(frozen=True)
class _Raw:
    cells: Mapping[Any, Any]
    line: int | None = None
    surplus: int = 0


def _raw(payouts: Payouts, delimiter: str) -> Iterator[_Raw]:
    if isinstance(payouts, str | PathLike):
        return _csv(fspath(payouts), delimiter)
    return _dicts(payouts.to_dict("records") if hasattr(payouts, "to_dict") else payouts)


def _dicts(records: Any) -> Iterator[_Raw]:
    if isinstance(records, bytes | bytearray | memoryview) or not isinstance(records, Iterable):
        raise PaylabError(f"payouts are a CSV file's path, a frame or dicts, not {_type(records)}")
    for number, record in enumerate(records, 1):
        if not isinstance(record, Mapping):
            raise PaylabError(f"row {number} of the payouts is {_type(record)}, not a dict")
        yield _Raw(record)


def _type(value: object) -> str:
    return f"of type {type(value).__name__}"


def _csv(path: str, delimiter: str) -> Iterator[_Raw]:
    try:
        with open(path, encoding="utf-8-sig", newline="") as file:
            reader = csv.DictReader(file, strict=True, delimiter=delimiter)
            _suggest(path, reader.fieldnames or (), delimiter)
            _refuse_twins(reader.fieldnames or ())
            for record in reader:
                surplus = record.pop(None, ())  # cells past the head
                yield _Raw(record, reader.line_num, len(surplus))
    except (csv.Error, UnicodeDecodeError) as error:
        raise PaylabError(f"{path} cannot be read as CSV in UTF-8: {error}") from None


def _suggest(path: str, names: Sequence[str], used: str) -> None:
    """PaylabError when the header is one cell that another delimiter would split."""
    found = [mark for mark in DELIMITERS if mark != used and mark in "".join(names[:1])]
    if len(names) == 1 and found:
        raise PaylabError(
            f"{path} has one column, {names[0][:60]!r}: its cells seem to be separated by "
            f"{DELIMITERS[found[0]]}; say so with delimiter={found[0]!r} or --delimiter "
            f"{found[0]!r}"
        )


DELIMITERS = {";": "semicolons", "\t": "tabs", "|": "bars", ",": "commas"}


def _columns(raw: Iterable[_Raw]) -> Iterable[object]:
    return dict.fromkeys(name for one in raw for name in one.cells)


def _named(name: str, reference: str) -> str:
    if name == reference:
        return REFERENCE
    known = name.strip().lower().replace(" ", "_")
    return name if known not in COLUMNS or known == REFERENCE != reference else known


def _refuse_twins(names: Iterable[str]) -> None:
    known = [name for name in names if name in COLUMNS]
    twins = sorted({name for name in known if known.count(name) > 1})
    if twins:
        raise PaylabError(f"the column {twins[0]!r} is there twice")


def _row(number: int, raw: _Raw, names: Mapping[Any, str], defaults: Mapping[str, Any]) -> Row:
    known = {names[name]: cell(value) for name, value in raw.cells.items()}
    filled = {name: value for name, value in known.items() if name in COLUMNS and value is not None}
    own = {name: _text(value) for name, value in known.items() if name not in COLUMNS}
    return Row(number, {**defaults, **filled}, raw.line, raw.surplus, own)


def _text(value: object) -> str | None:
    # Half a character, which JSON can write, cannot be written to a file.
    return None if value is None else str(value).encode(errors="backslashreplace").decode()
