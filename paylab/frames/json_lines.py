"""Read files of JSON lines, as an export writes them, with exact types."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from datetime import date
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa

from ..errors.arguments import explain_arguments
from ..files import require_regular
from ..spec.text import EXACT_DECODER
from ..spec.time_arguments import read_period
from ..storage.addresses import (
    is_url,
    local_copy,
    local_path,
    unreadable_address_error,
)
from .column_choice import CREATED, Names, needed_columns, read_names
from .columns import ListName, find_schema, likeliest_schema
from .frame import select_period, typed_frame
from .sidecars import read_sidecar
from .text_table import Row, text_array

FORMAT = "JSON lines in UTF-8"


@explain_arguments
def read_jsonl(  # noqa: PLR0913 - which file, of which rows, and which part of it
    path: str | os.PathLike[str],
    kind: ListName | None = None,
    *,
    since: date | str | None = None,
    until: date | str | None = None,
    columns: Names | None = None,
    storage_options: Mapping[str, Any] | None = None,
) -> pd.DataFrame:
    """Read a file of JSON lines with exact types; otherwise like `read_csv`.

    Each line is an object with the names of the columns; unknown columns are text. Numbers keep
    the digits that they have in the file.

    >>> path = lab.transfers.export("transfers.jsonl").path
    >>> len(paylab.frames.read_jsonl(path))
    130
    """
    begin_time, end_time = read_period(since, until)
    chosen_names = read_names(columns)
    with local_copy(path, storage_options) as file:
        require_regular(file)
        try:
            rows = list(_read_rows(file))
        except (ValueError, ArithmeticError, RecursionError) as error:
            raise unreadable_address_error(path, FORMAT, error) from None
    column_names = list(dict.fromkeys(column_name for row in rows for column_name in row))
    sidecar = {} if is_url(path) else read_sidecar(local_path(path))
    schema = find_schema(kind or sidecar.get("kind") or likeliest_schema(column_names).name)
    if not rows:  # an empty file gives a frame with all columns
        column_names = schema.names
    period_columns = [CREATED] if begin_time or end_time else []
    texts = {
        column_name: text_array([row.get(column_name) for row in rows])
        for column_name in needed_columns(chosen_names, column_names, period_columns)
    }
    frame = typed_frame(pa.table(texts), schema)
    if period_columns:
        frame = select_period(frame, begin_time, end_time)
    return frame if chosen_names is None else frame[chosen_names]


def _read_rows(path: Path) -> Iterator[Row]:
    """Yield the object of each line; ValueError with the number of a line that has none."""
    with path.open(encoding="utf-8-sig") as json_lines:
        for line_number, json_line in enumerate(json_lines, 1):
            if not json_line.strip():
                continue
            try:
                row = EXACT_DECODER.decode(json_line)
            except (ValueError, ArithmeticError) as error:
                raise ValueError(f"line {line_number}: {error}") from None
            if not isinstance(row, dict):
                raise ValueError(f"line {line_number} is not an object")
            yield row
