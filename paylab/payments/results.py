"""The results of a batch: a row per payout with its outcome, as a frame and as a CSV file."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from time import monotonic
from typing import Any, NamedTuple, Self, TypeVar

from .. import files
from ..errors.base import ConfigError, ConfigWarning, PaylabError, warn_caller
from ..errors.extras import extra_imports
from ..frames.columns import TRANSFERS
from ..frames.text_table import as_text, text_table
from ..spec.text import JsonMapping, plain, printable
from ..storage.spreadsheet_cells import RESULTS, escape_cell
from .identity import REFERENCE
from .outcome import UNKNOWN, Outcome
from .payout_rows import COLUMNS, PayoutRow
from .plan import Plan

with extra_imports():
    import pandas as pd
    import pyarrow as pa

    from ..frames.frame import typed_frame
    from ..frames.sidecars import forget_sidecar
    from ..frames.spreadsheet_text import NUMBERS, PLAIN
    from .batch_results import BatchResults

UNANSWERED = Outcome(
    UNKNOWN, error="no answer when this file was written: run the same payouts again"
)
QUOTE = '"'
WRITES_MAX = 250
"""A file with more rows is not written after every answer, but about this many times."""
WRITE_SECONDS = 0.25
"""After this time an outcome is written even if fewer rows than that are unwritten."""

T = TypeVar("T")
Outcomes = Mapping[int, Outcome]


class ResultRow(NamedTuple):
    """A payout with the word of its outcome, the fields that are shown, and its error."""

    payout: PayoutRow
    outcome: str
    fields: dict[str, Any]
    error: str | None


class Results:
    """The results of a batch, with the same columns for any of its rows.

    First is what became of the row (its reference, outcome, status, id and error), then all fields
    of its transfer, and your own columns, but not those of earlier results. A row without a
    transfer has its own cells, so that it can be corrected and sent again.
    """

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._sent_columns = [
            column_name
            for column_name in COLUMNS
            if column_name not in TRANSFERS.names
            and any(row.cells.get(column_name) for row in plan.rows)
        ]
        result_names = {*RESULTS, *TRANSFERS.names, *self._sent_columns}
        own_names = plan.ignored
        if {*own_names} >= RESULTS:  # the payouts are the corrected results of an earlier batch
            own_names = tuple(
                column_name for column_name in own_names if column_name not in result_names
            )
        self._own_columns = {
            column_name: f"{column_name} (given)" if column_name in result_names else column_name
            for column_name in own_names
        }

    def table(self, payouts: Sequence[PayoutRow], outcomes: Outcomes) -> pa.Table:
        """Some rows as a table of text."""
        return _read_result_rows(payouts, outcomes, self._make_table)

    def frame(self, outcomes: Outcomes, place: str) -> BatchResults:
        """All rows, typed as `lab.transfers.frame()`; a row for each payout, always.

        `place` is the name of the service.
        """
        frame = _read_result_rows(self._plan.rows, outcomes, self._make_frame)
        frame["row"] = frame["row"].astype("int64")
        outcome_counts = Counter(outcomes[row.number].word for row in self._plan.rows)
        results = BatchResults(frame)
        results.attrs = {"outcomes": dict(outcome_counts), "service": place}
        return results

    def _make_frame(self, rows: Sequence[ResultRow]) -> pd.DataFrame:
        """Rows as a typed frame; PaylabError for a row that cannot be read."""
        return typed_frame(self._make_table(rows), TRANSFERS)

    def _make_table(self, rows: Sequence[ResultRow]) -> pa.Table:
        """Rows as a table of text; PaylabError for a row that cannot be read."""
        transfer_columns = text_table([row.fields for row in rows], TRANSFERS).to_pydict()
        cells_by_column: dict[str, list[str | None]] = {
            "row": [str(row.payout.number) for row in rows],
            REFERENCE: transfer_columns[REFERENCE],
            "outcome": [row.outcome for row in rows],
            "status": transfer_columns["status"],
            "id": transfer_columns["id"],
            "error": [row.error and printable(row.error) for row in rows],
            **transfer_columns,
        }
        for column_name in self._sent_columns:
            cells_by_column[column_name] = [
                as_text(row.payout.cells.get(column_name)) for row in rows
            ]
        for column_name, shown_name in self._own_columns.items():
            cells_by_column[shown_name] = [
                as_text(row.payout.extra_cells.get(column_name)) for row in rows
            ]
        return pa.table(
            cells_by_column,
            pa.schema([(column_name, pa.string()) for column_name in cells_by_column]),
        )


def _read_result_rows(
    payouts: Sequence[PayoutRow], outcomes: Outcomes, read: Callable[[Sequence[ResultRow]], T]
) -> T:
    """Give the result rows to `read`, and return what it makes of them.

    The payments are already made: an unreadable row keeps its id and its reference.
    """
    rows = [_make_result_row(payout, outcomes[payout.number]) for payout in payouts]
    with suppress(PaylabError):  # all at once is fast; one by one tells which is unreadable
        return read(rows)
    return read([_make_readable(row, read) for row in rows])


def _make_result_row(payout: PayoutRow, outcome: Outcome) -> ResultRow:
    """Make a row with the fields of its transfer; without one, with the cells that were given."""
    fields: JsonMapping = {"id": outcome.payment or None, **payout.cells}
    if outcome.is_made:
        fields = outcome.transfer
    shown_fields = {**fields, REFERENCE: payout.cells.get(REFERENCE)}
    return ResultRow(payout, outcome.word, shown_fields, outcome.error)


def _make_readable(row: ResultRow, read: Callable[[Sequence[ResultRow]], object]) -> ResultRow:
    """Make a row that `read` accepts: with all its fields, or only its id and its reference."""
    try:
        read([row])
    except PaylabError as error:
        readable_fields = {
            field_name: plain(str(row.fields[field_name]))
            for field_name in ("id", REFERENCE)
            if row.fields.get(field_name) is not None
        }
        message = f"made, but its fields cannot be shown: {error}"
        return row._replace(fields=readable_fields, error=row.error or message)
    return row


class ResultsFile:
    """The results of a batch as a CSV file, which is whole at every moment of the batch.

    A row that is not answered yet is `unknown`, so that after a kill the file tells which were. The
    whole file is replaced, since only that is atomic; of many rows after some answers only, so that
    the time grows with the rows. A disk that is full later on does not end the batch: the results
    are also returned.
    """

    def __init__(self, path: Path, plan: Plan, results: Results) -> None:
        self._path = path
        self._results = results
        self._rows_per_write = max(1, len(plan.rows) // WRITES_MAX)
        result_table = results.table(plan.rows, {row.number: UNANSWERED for row in plan.rows})
        column_kinds = [TRANSFERS.kind(column_name) for column_name in result_table.column_names]
        self._escapes = [
            _escape_number if column_kind in NUMBERS else escape_cell
            for column_kind in column_kinds
        ]
        self._header = _write_csv_line(map(escape_cell, result_table.column_names))
        row_numbers = [row.number for row in plan.rows]
        self._lines = dict(zip(row_numbers, self._escape_lines(result_table), strict=True))
        self._unwritten: list[tuple[PayoutRow, Outcome]] = []

    def __enter__(self) -> Self:
        """Write the file without answers; ConfigError if it cannot be written."""
        files.recover_path(self._path)
        try:
            self._write(is_durable=False)
        except OSError as error:
            message = f"{self._path} cannot be written ({error}); nothing was sent"
            raise ConfigError(message) from None
        return self

    def __exit__(self, *_: object) -> None:
        """Write what is not written yet, durably."""
        try:
            self._write(is_durable=True)
            forget_sidecar(self._path)
        except OSError as error:
            warning_text = (
                f"{self._path} could not be written ({error}): it may lack the last results"
            )
            warn_caller(warning_text, ConfigWarning)

    def add_outcome(self, row: PayoutRow, outcome: Outcome) -> None:
        """Write the outcome of a row, now or with the next ones."""
        self._unwritten.append((row, outcome))
        seconds_since_write = monotonic() - self._written_at
        if len(self._unwritten) >= self._rows_per_write or seconds_since_write >= WRITE_SECONDS:
            with suppress(OSError):  # the next write has this row too
                self._write(is_durable=False)

    def _write(self, *, is_durable: bool) -> None:
        """Replace the file by one that also has the outcomes since the last time."""
        rows = [row for row, _ in self._unwritten]
        outcome_by_number = {row.number: outcome for row, outcome in self._unwritten}
        csv_lines = self._escape_lines(self._results.table(rows, outcome_by_number))
        self._lines |= zip(outcome_by_number, csv_lines, strict=True)
        self._unwritten.clear()
        with files.replace(self._path, is_durable=is_durable) as csv_file:
            csv_file.write(b"".join([self._header, *self._lines.values()]))
        self._written_at = monotonic()

    def _escape_lines(self, table: pa.Table) -> list[bytes]:
        """The rows of a table as lines of CSV in which no cell is a formula."""
        escaped_columns = [
            [cell and escape(cell) for cell in column.to_pylist()]
            for escape, column in zip(self._escapes, table.columns, strict=True)
        ]
        return [_write_csv_line(csv_cells) for csv_cells in zip(*escaped_columns, strict=True)]


def _escape_number(number_text: str) -> str:
    """Escape a cell of numbers, except a short plain number: even a negative one is no formula."""
    return number_text if re.match(PLAIN, number_text) else escape_cell(number_text)


def _write_csv_line(cells: Iterable[str | None]) -> bytes:
    """Write one line of CSV as Arrow does: a missing value is an empty cell without quotes."""
    quoted_cells = ("" if cell is None else f'"{cell.replace(QUOTE, QUOTE * 2)}"' for cell in cells)
    return f"{','.join(quoted_cells)}\n".encode()
