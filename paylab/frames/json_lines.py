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
from ..storage.addresses import (
    is_url,
    local_copy,
    local_path,
    unreadable_address_error,
    write_address,
)
from .column_choice import Names
from .columns import ListName, find_schema, likeliest_schema
from .extract import Extract
from .frame import typed_frame
from .sidecars import read_sidecar
from .text_table import Row, text_array
from .unknown_columns import warn_of_unknown_names

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
    extract = Extract.from_arguments(since, until, columns)
    with local_copy(path, storage_options) as local_file:
        require_regular(local_file)
        try:
            rows = list(_read_rows(local_file))
        except (ValueError, ArithmeticError, RecursionError) as error:
            raise unreadable_address_error(path, FORMAT, error) from None
    names_in_file = list(dict.fromkeys(column_name for row in rows for column_name in row))
    sidecar_facts = {} if is_url(path) else read_sidecar(local_path(path))
    list_name = kind or sidecar_facts.get("kind")
    schema = find_schema(list_name) if list_name else likeliest_schema(names_in_file)
    if not list_name:
        warn_of_unknown_names(write_address(os.fspath(path)), names_in_file, schema.names)
    # An empty file gives a frame with all columns.
    column_names = names_in_file if rows else schema.names
    texts_by_name = {
        column_name: text_array([row.get(column_name) for row in rows])
        for column_name in extract.choose_columns(column_names)
    }
    return extract.select_from(typed_frame(pa.table(texts_by_name), schema))


def _read_rows(path: Path) -> Iterator[Row]:
    """Yield the object of each line; ValueError with the number of a line that has none."""
    with path.open(encoding="utf-8-sig") as lines_file:
        for line_number, json_line in enumerate(lines_file, 1):
            if not json_line.strip():
                continue
            try:
                row = EXACT_DECODER.decode(json_line)
            except (ValueError, ArithmeticError) as error:
                raise ValueError(f"line {line_number}: {error}") from None
            if not isinstance(row, dict):
                raise ValueError(f"line {line_number} is not an object")
            yield row
