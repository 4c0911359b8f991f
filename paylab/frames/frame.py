"""Pages to a pandas frame with exact types, and the origin of the frame in its `attrs`."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import date
from itertools import chain
from typing import Any, Literal, TypeAlias, TypedDict, Unpack, cast

import pandas as pd
import pyarrow as pa

from ..spec.paging import Order
from . import decimals
from . import schema as times
from .decimal_array import DecimalArray, DecimalDtype
from .decode import text_schema
from .pages import Cut, Progress, Tally, read_pages
from .schema import SCHEMAS, Kept, Kind, Schema, likeliest

Series: TypeAlias = "pd.Series[Any]"
Amounts = Literal["exact", "float"]
Typed = dict[str, Any]
Read = Callable[[pa.ChunkedArray, str, int], Any]
Join = Callable[[list[Any], str], Any]


class Columns:
    """A frame in the making: tables of text are added, and typed as they come.

    Only the width of decimals and the list of words are settled at the end.
    """

    def __init__(self, schema: Schema) -> None:
        self._schema = schema
        self._parts: list[tuple[Typed, int]] = []
        self._rows = 0

    def add(self, texts: pa.Table) -> None:
        """Type some rows; an inexact amount is an error that names its row."""
        kinds = {name: self._schema.kind(name) for name in texts.column_names}
        part = {name: READ[kind](texts[name], name, self._rows) for name, kind in kinds.items()}
        self._parts.append((part, texts.num_rows))
        self._rows += texts.num_rows

    def frame(self) -> pd.DataFrame:
        """All that was added, as a frame; a column that some rows did not have is missing there."""
        names = list(dict.fromkeys(chain.from_iterable(part for part, _ in self._parts)))
        return pd.DataFrame({name: self._series(name) for name in names}, columns=names)

    def _series(self, name: str) -> Series:
        kind = self._schema.kind(name)
        parts = [part.pop(name, None) or _absent(kind, rows) for part, rows in self._parts]
        joined = JOIN[kind](parts, name)
        return joined if isinstance(joined, pd.Series) else series(joined)


def _absent(kind: Kind, rows: int) -> Any:
    return READ[kind](pa.chunked_array([pa.nulls(rows, pa.string())]), "", 0)


def series(array: pa.ChunkedArray) -> Series:
    """A column in the type in which it computes: decimals exact, times as numpy's, else Arrow's."""
    if pa.types.is_decimal(array.type):
        return pd.Series(DecimalArray(array))
    if pa.types.is_timestamp(array.type):
        return cast(Series, array.to_pandas())
    return pd.Series(pd.arrays.ArrowExtensionArray(array))


def _chained(parts: Sequence[pa.ChunkedArray], _: str) -> pa.ChunkedArray:
    chunks = [chunk for part in parts for chunk in part.chunks]
    return pa.chunked_array([pa.concat_arrays(chunks)] if chunks else [], parts[0].type)


def _words(parts: list[pa.ChunkedArray], name: str) -> Series:
    codes = pa.chunked_array([chunk for part in parts for chunk in part.chunks], parts[0].type)
    words: Series = codes.unify_dictionaries().combine_chunks().to_pandas()
    return words.cat.reorder_categories(sorted(words.cat.categories))


def _text(texts: pa.ChunkedArray, _name: str, _start: int) -> pa.ChunkedArray:
    return texts


READ: dict[Kind, Read] = {
    "text": _text,
    "list": _text,
    "word": lambda texts, _name, _start: texts.dictionary_encode(),
    "amount": decimals.part,
    "time": times.read_times,
    "seconds": decimals.part,
}

JOIN: dict[Kind, Join] = {
    "text": _chained,
    "list": _chained,
    "word": _words,
    "amount": decimals.join,
    "time": _chained,
    "seconds": decimals.join_seconds,
}


class _Reading(TypedDict, total=False):
    """How pages are read.

    limit: at most so many rows. since, status: rows created from then on, with one of these
    statuses; all pages are read to find them unless `order` is "newest_first". amounts: "exact",
    or "float" for statistics and plots, which `attrs` then says. extra: keep unknown fields, as
    text. attrs: where the pages came from. progress: `progress(rows, pages)` is called after each
    page, and may return False to stop; the frame then holds the rows read so far.
    """

    attrs: Mapping[str, Any]
    extra: bool
    limit: int | None
    since: date | str | None
    status: str | Collection[str] | None
    order: Order
    amounts: Amounts
    progress: Progress | None


def transfers(pages: Iterable[object], **options: Unpack[_Reading]) -> pd.DataFrame:
    """A frame of transfers: amounts exact, times UTC, words as categories, ids as text.

    Pages are the service's bodies as bytes (fast), or as parsed JSON; options are `Reading`'s.
    """
    return frame(pages, "transfers", **options)


def conversions(pages: Iterable[object], **options: Unpack[_Reading]) -> pd.DataFrame:
    """A frame of conversions, deposit and payout as flat columns; otherwise like `transfers`."""
    return frame(pages, "conversions", **options)


def frame(pages: Iterable[object], kind: Kept, **options: Unpack[_Reading]) -> pd.DataFrame:
    """A frame of the rows of a list of this kind; see `transfers`."""
    schema, tally = SCHEMAS[kind], Tally(options.get("progress"))
    since, statuses = times.since(options.get("since")), times.words(options.get("status"))
    cut = Cut(options.get("limit"), since, options.get("order", "unknown"), statuses)
    columns = Columns(schema)
    columns.add(text_schema(schema).empty_table())
    extra = options.get("extra", False)
    for table in read_pages(pages, schema, lambda part: part.table, tally, cut=cut, extra=extra):
        columns.add(table)
    made = columns.frame()
    made.attrs.update(_origin(made, tally) | dict(options.get("attrs", {})))
    return as_floats(made) if options.get("amounts") == "float" else made


def of(objects: Iterable[object], kind: Kept | None = None) -> pd.DataFrame:
    """A frame of results you hold: quotes, individuals, transfers, events, deliveries.

    `kind` is needed only for dicts that do not show by their names what they are.
    """
    rows = [_row(each) for each in objects]
    names = {name for row in rows for name in row}
    return frame([{"data": rows, "has_next_page": False}], kind or likeliest(names).name)


def as_floats(frame: pd.DataFrame) -> pd.DataFrame:
    """The frame with exact columns as floats, for statistics and plots; `attrs` says so."""
    exact = [name for name, kind in frame.dtypes.items() if isinstance(kind, DecimalDtype)]
    found = frame.astype(dict.fromkeys(exact, float))
    found.attrs = {**frame.attrs, "amounts": "float"}
    return found


def _row(value: Any) -> dict[str, Any]:
    """The fields of a result as the service sent them; of an event its type and payload."""
    if isinstance(value, Mapping):
        return dict(value)
    if hasattr(value, "payload"):
        return {"type": value.type, "payload": dict(value.payload)}
    return dict(value.raw)


def typed_frame(table: pa.Table, schema: Schema) -> pd.DataFrame:
    """The frame of a table of text: every column by its kind, unknown columns as text."""
    columns = Columns(schema)
    columns.add(table)
    return columns.frame()


def _origin(frame: pd.DataFrame, tally: Tally) -> dict[str, Any]:
    ids = [None if pd.isna(value) else value for value in frame["id"].iloc[[0, -1][: len(frame)]]]
    first, last = (ids[0], ids[-1]) if ids else (None, None)
    return {"pages": tally.pages, "first_id": first, "last_id": last, "complete": tally.complete}
