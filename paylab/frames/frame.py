"""Pages to a pandas frame with exact types, and the origin of the frame in its `attrs`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import pandas as pd
import pyarrow as pa

from . import decimals, times
from .decimals import Series
from .flatten import text_schema, text_table
from .pages import Progress, Tally, chunks
from .schema import CONVERSIONS, TRANSFERS, Kind, Schema


def transfers(
    pages: Iterable[object],
    *,
    attrs: Mapping[str, Any] | None = None,
    extra: bool = False,
    progress: Progress | None = None,
) -> pd.DataFrame:
    """A frame of transfers: amounts exact, times UTC, words as categories, ids as text.

    `attrs` says where the pages came from; `extra` keeps unknown fields, as text.
    """
    return _frame(pages, TRANSFERS, attrs or {}, extra, Tally(progress))


def conversions(
    pages: Iterable[object],
    *,
    attrs: Mapping[str, Any] | None = None,
    extra: bool = False,
    progress: Progress | None = None,
) -> pd.DataFrame:
    """A frame of conversions, deposit and payout as flat columns; otherwise like `transfers`."""
    return _frame(pages, CONVERSIONS, attrs or {}, extra, Tally(progress))


def typed(table: pa.Table, schema: Schema) -> pd.DataFrame:
    """The frame of a table of text: every column by its kind, unknown columns as text."""
    kinds = {name: schema.kind(name) for name in table.column_names}
    series = {name: READERS[kind](table[name], name) for name, kind in kinds.items()}
    return pd.DataFrame(series, columns=table.column_names)


def _frame(
    pages: Iterable[object], schema: Schema, attrs: Mapping[str, Any], extra: bool, tally: Tally
) -> pd.DataFrame:
    tables, start = [text_schema(schema).empty_table()], 0
    for rows in chunks(pages, tally):
        tables.append(text_table(rows, schema, extra=extra, start=start))
        start += len(rows)
    frame = typed(pa.concat_tables(tables, promote_options="default"), schema)
    frame.attrs.update(_origin(frame, tally) | dict(attrs))
    return frame


def _origin(frame: pd.DataFrame, tally: Tally) -> dict[str, Any]:
    ids = [None if pd.isna(value) else value for value in frame["id"].iloc[[0, -1][: len(frame)]]]
    first, last = (ids[0], ids[-1]) if ids else (None, None)
    return {"pages": tally.pages, "first_id": first, "last_id": last, "complete": tally.complete}


def _series(array: pa.ChunkedArray) -> Series:
    return pd.Series(pd.arrays.ArrowExtensionArray(array))


def _words(texts: pa.ChunkedArray, _: str) -> Series:
    words: Series = texts.combine_chunks().dictionary_encode().to_pandas()
    return words.cat.reorder_categories(sorted(words.cat.categories))


READERS: dict[Kind, Callable[[pa.ChunkedArray, str], Series]] = {
    "text": lambda texts, _: _series(texts),
    "list": lambda texts, _: _series(texts),
    "word": _words,
    "amount": lambda texts, name: _series(decimals.read(texts, name)),
    "time": lambda texts, name: _series(times.read(texts, name)),
    "seconds": lambda texts, name: _series(decimals.read_seconds(texts, name)),
}
