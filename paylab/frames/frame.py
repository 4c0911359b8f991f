"""Pages to a pandas frame with exact types, and the origin of the frame in its `attrs`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import date
from typing import Any

import pandas as pd
import pyarrow as pa

from . import times
from .columns import Columns
from .cut import Cut
from .flatten import text_schema
from .pages import Progress, Tally
from .reading import read
from .schema import CONVERSIONS, TRANSFERS, Schema


def transfers(  # noqa: PLR0913 - each narrows what is read or says who watches
    pages: Iterable[object],
    *,
    attrs: Mapping[str, Any] | None = None,
    extra: bool = False,
    limit: int | None = None,
    since: date | str | None = None,
    progress: Progress | None = None,
) -> pd.DataFrame:
    """A frame of transfers: amounts exact, times UTC, words as categories, ids as text.

    Pages are the service's bodies as bytes (fast), or as parsed JSON. At most `limit` rows, none
    created before `since`. `attrs` says where the pages came from; `extra` keeps unknown fields,
    as text. `progress(rows, pages)` may return False to stop; the frame then holds what came.
    """
    return _frame(
        pages, TRANSFERS, attrs or {}, Cut(limit, times.since(since)), Tally(progress), extra=extra
    )


def conversions(  # noqa: PLR0913 - as above
    pages: Iterable[object],
    *,
    attrs: Mapping[str, Any] | None = None,
    extra: bool = False,
    limit: int | None = None,
    since: date | str | None = None,
    progress: Progress | None = None,
) -> pd.DataFrame:
    """A frame of conversions, deposit and payout as flat columns; otherwise like `transfers`."""
    return _frame(
        pages,
        CONVERSIONS,
        attrs or {},
        Cut(limit, times.since(since)),
        Tally(progress),
        extra=extra,
    )


def typed(table: pa.Table, schema: Schema) -> pd.DataFrame:
    """The frame of a table of text: every column by its kind, unknown columns as text."""
    columns = Columns(schema)
    columns.add(table)
    return columns.frame()


def _frame(  # noqa: PLR0913 - all that the two functions above were given
    pages: Iterable[object],
    schema: Schema,
    attrs: Mapping[str, Any],
    cut: Cut,
    tally: Tally,
    *,
    extra: bool,
) -> pd.DataFrame:
    columns = Columns(schema)
    columns.add(text_schema(schema).empty_table())
    for _ in read(pages, schema, lambda part: columns.add(part.table), tally, cut=cut, extra=extra):
        pass  # the rows are in `columns`
    frame = columns.frame()
    frame.attrs.update(_origin(frame, tally) | dict(attrs))
    return frame


def _origin(frame: pd.DataFrame, tally: Tally) -> dict[str, Any]:
    ids = [None if pd.isna(value) else value for value in frame["id"].iloc[[0, -1][: len(frame)]]]
    first, last = (ids[0], ids[-1]) if ids else (None, None)
    return {"pages": tally.pages, "first_id": first, "last_id": last, "complete": tally.complete}
