"""Read pages into a pandas frame with exact types; its `attrs` have the source."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from typing import Any, Literal, Unpack, get_args

import pandas as pd
import pyarrow as pa

from ..errors.arguments import explain_arguments
from ..errors.base import ArgumentError
from ..errors.text import plain
from ..spec.repeats import warn_of_repeats
from ..spec.row_filter import FILTER_NAMES, RowFilter, RowFilters, read_row_filter
from ..spec.service.lists import Order
from . import repeats
from .column_choice import Names, read_columns, require_columns, schema_for
from .columns import ListName, Schema, find_schema, likeliest_schema
from .exact_frame import ExactFrame
from .frame_forms import as_floats
from .pages import Progress, Tally, read_pages
from .selection import Selection
from .text_table import PagePart, path_tree, text_schema
from .typed_columns import Columns

Amounts = Literal["exact", "float"]
PAYMENTS = ("transfers", "conversions")
"""The lists whose rows keep columns of the user: others may have documents of persons."""


class _Reading(RowFilters, total=False):
    """The keywords of `transfers`, besides filters of rows."""

    attrs: Mapping[str, Any]
    extra: bool
    limit: int | None
    columns: Names | None
    order: Order
    amounts: Amounts
    progress: Progress | None


READING_OPTION_NAMES = _Reading.__annotations__.keys() - FILTER_NAMES
"""The keywords that say how rows are read, not which."""


@explain_arguments
def transfers(pages: Iterable[object], **options: Unpack[_Reading]) -> pd.DataFrame:
    """A frame of transfers: amounts exact, times UTC, words as categories, ids as text.

    Pages are the service's bodies as bytes (fast), or as parsed JSON. A row that the pages repeat
    is kept once, with its newest `updated_at`.

    `limit` is the maximum number of rows. `since` and `until` keep rows created at or after a
    time, and before a time, `status` rows with one of the statuses; all pages are read unless
    `order` is "newest_first". `client_reference_id` keeps rows with this reference,
    `individual_id` those of this recipient. `columns` are the names of the columns to read, in
    your order; the others are not decoded.
    `amounts="float"` is for statistics and plots, and `attrs` says so. `extra` keeps unknown
    fields as text. `attrs` is the source of the pages. `progress(rows, pages)` is called after
    each page, and can return False to stop; the frame then has the rows read so far.

    >>> len(paylab.frames.transfers([lab.request("GET", "/v1/transfers")]))
    20
    """
    return frame(pages, "transfers", **options)


@explain_arguments
def conversions(pages: Iterable[object], **options: Unpack[_Reading]) -> pd.DataFrame:
    """A frame of conversions, deposit and payout as flat columns; otherwise like `transfers`.

    `individual_id` and `conversion_account_id` keep those of one person, or of one account.

    >>> len(paylab.frames.conversions([lab.request("GET", "/v1/conversions")]))
    3
    """
    return frame(pages, "conversions", **options)


def frame(
    pages: Iterable[object],
    kind: ListName,
    *,
    once: bool = True,
    row_filter: RowFilter | None = None,
    **options: Unpack[_Reading],
) -> pd.DataFrame:
    """A frame of the rows of a list of this kind; see `transfers`.

    With `once`, a row that the list repeats is kept once, with a RepeatWarning. `row_filter` is
    used in place of the keywords of filters.
    """
    schema = find_schema(kind)
    _check_amounts_option(options)
    if row_filter is None:
        row_filter = read_row_filter(kind, _select_filters(options))
    row_selection = Selection(options.get("limit"), row_filter, options.get("order", "unknown"))
    with_extra = options.get("extra", False)
    column_names = read_columns(options.get("columns"), schema, extra=with_extra)
    if not with_extra:  # to know the unknown fields, all known ones are read
        schema = schema_for(schema, column_names, row_filter.fields)
    collected_columns = Columns(schema)
    no_rows = text_schema(schema).empty_table()
    collected_columns.add(no_rows)  # so that a frame without rows has columns too

    def add_rows(page_part: PagePart) -> None:
        """Add the rows of some pages to the columns."""
        collected_columns.add(page_part.table)

    tally = Tally(options.get("progress"))
    read_pages(pages, schema, add_rows, tally, selection=row_selection, extra=with_extra)
    exact_frame: pd.DataFrame = ExactFrame(collected_columns.series())
    if schema.is_list and once:
        exact_frame = _remove_repeats(exact_frame)
    origin_attrs = _describe_origin(exact_frame, tally) | dict(options.get("attrs", {}))
    if column_names is not None:
        require_columns(column_names, list(exact_frame.columns))
        exact_frame = exact_frame[column_names]
    exact_frame.attrs.update(origin_attrs)
    return as_floats(exact_frame) if options.get("amounts") == "float" else exact_frame


def _check_amounts_option(options: _Reading) -> None:
    """ArgumentError unless `amounts` is one of the two words, or left out."""
    if options.get("amounts", "exact") not in get_args(Amounts):
        message = f"amounts must be 'exact' or 'float', not {options['amounts']!r:.60}"
        raise ArgumentError(message, "amounts")


def _select_filters(options: _Reading) -> dict[str, Any]:
    """The keywords that are filters of rows.

    Unknown keywords are among them: the filter refuses them.
    """
    return {
        option_name: option
        for option_name, option in options.items()
        if option_name not in READING_OPTION_NAMES
    }


@explain_arguments
def of(objects: Iterable[object], kind: ListName | None = None) -> pd.DataFrame:
    """A frame of your results: quotes, individuals, transfers, events, deliveries.

    Rows of a frame are results too, as `frame.to_dict("records")` gives them; your own columns are
    kept in rows of transfers and conversions, which have no personal data. `kind` is needed only
    for dicts whose kind cannot be recognised by their keys.

    >>> paylab.frames.of([quote])["source_amount"].tolist()
    [Decimal('20.00')]
    """
    results = list(objects)
    rows = [_read_fields(result_object) for result_object in results]
    field_names = {field_name for row in rows for field_name in row}
    page_object = {"data": rows, "has_next_page": False}
    schema = find_schema(kind or likeliest_schema(field_names).name)
    known_frame = frame([page_object], schema.name, once=False)
    if schema.name not in PAYMENTS or not all(isinstance(result, Mapping) for result in results):
        return known_frame
    return known_frame.assign(**_list_own_values(rows, {*schema.names, *path_tree(schema)}))


def _list_own_values(rows: Sequence[Mapping[str, Any]], known: Set[str]) -> dict[str, list[Any]]:
    """The values of each field that no column of the list has, by its name; None in other rows.

    Fields with an object or a list are left out.
    """
    own_names = dict.fromkeys(name for row in rows for name in row if name not in known)
    values_by_name = {name: [row.get(name) for row in rows] for name in own_names}
    return {
        str(name): values
        for name, values in values_by_name.items()
        if not any(isinstance(value, Mapping | list) for value in values)
    }


def _remove_repeats(frame: pd.DataFrame) -> pd.DataFrame:
    """The frame with the newest version of each id; a warning if there were others."""
    column_by_name = {
        version_column: pa.array(frame[version_column]) for version_column in repeats.REPEAT_COLUMNS
    }
    superseded_row_numbers = repeats.find_superseded(lambda: [pa.table(column_by_name)])
    warn_of_repeats(len(superseded_row_numbers))
    if not len(superseded_row_numbers):
        return frame
    newest_rows: pd.DataFrame = frame.drop(index=superseded_row_numbers.tolist())
    unique_rows = newest_rows.reset_index(drop=True)
    for column_name in unique_rows.select_dtypes("category"):
        category_accessor = unique_rows[column_name].cat
        unique_rows[column_name] = category_accessor.remove_unused_categories()
    return unique_rows


def _read_fields(result: Any) -> dict[str, Any]:
    """The fields of a result, by paylab's names; for an event its type and payload."""
    if isinstance(result, Mapping):
        return dict(result)
    event = getattr(result, "event", result)  # an inbox has events as they arrived
    if hasattr(event, "payload"):
        return {"type": event.type, "payload": event.resource.to_dict()}
    if not hasattr(result, "to_dict"):
        message = f"a frame is made of results or dicts, not of {plain(repr(result), 60)}"
        raise ArgumentError(message, "objects")
    value_by_field: dict[str, Any] = result.to_dict()
    return value_by_field


def typed_frame(table: pa.Table, schema: Schema) -> pd.DataFrame:
    """The frame of a table of text, with typed columns; unknown columns are text."""
    collected_columns = Columns(schema)
    collected_columns.add(table)
    return ExactFrame(collected_columns.series())


def _describe_origin(frame: pd.DataFrame, tally: Tally) -> dict[str, Any]:
    """The facts of a reading for `attrs`; the ids are None in a frame without rows."""
    first_and_last_id = frame["id"].iloc[[0, -1]] if len(frame) else [None, None]
    first_id, last_id = (None if pd.isna(id_) else id_ for id_ in first_and_last_id)
    return {
        "pages": tally.pages,
        "first_id": first_id,
        "last_id": last_id,
        "complete": tally.complete,
    }
