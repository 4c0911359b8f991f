"""Read pages into a pandas frame with exact types; its `attrs` have the source."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Literal, Unpack, cast, get_args

import pandas as pd
import pyarrow as pa

from ..errors.arguments import explain_arguments
from ..errors.base import ArgumentError, ExactnessError, MissingExtraError
from ..errors.extras import is_installed
from ..errors.text import plain, printable_lines
from ..spec.repeats import warn_of_repeats
from ..spec.row_filter import FILTER_NAMES, RowFilter, RowFilters, read_row_filter
from ..spec.service.lists import Order
from . import repeats
from .column_choice import Names, read_columns, require_columns, schema_for
from .columns import ListName, Schema, likeliest_schema, schema_of
from .decimal_array import DecimalDtype
from .exact_decimal import USE_DECIMAL
from .frame_forms import as_floats, exact_styler, sql_columns
from .merges import refuse_other_index, refuse_other_keys
from .operands import refuse_floats
from .pages import Progress, Tally, read_pages
from .selection import Selection
from .text_table import text_schema
from .typed_columns import Columns

Amounts = Literal["exact", "float"]


class ExactSeries(pd.Series):
    """A column or row of an `ExactFrame`, whose text is escaped when it is shown."""

    @property
    def _constructor(self) -> Callable[..., ExactSeries]:
        return ExactSeries

    @property
    def _constructor_expanddim(self) -> Callable[..., ExactFrame]:
        return ExactFrame

    @property
    def plot(self) -> Any:
        """As in pandas; amounts are drawn as floats."""
        _require_matplotlib()
        is_exact = isinstance(self.dtype, DecimalDtype)
        return pd.Series(self.astype(float) if is_exact else self).plot

    def hist(self, *args: Any, **options: Any) -> Any:
        """As in pandas; amounts are counted as floats."""
        _require_matplotlib()
        return pd.Series(self.astype(float)).hist(*args, **options)

    def value_counts(self, *args: Any, **options: Any) -> Any:
        """As in pandas, which would return a plain series."""
        return ExactSeries(super().value_counts(*args, **options))

    def __repr__(self) -> str:
        return printable_lines(super().__repr__())

    def to_string(self, buf: Any = None, *args: Any, **options: Any) -> Any:
        """As in pandas; without a file to write to, invisible characters are escaped."""
        return _text_unless_written(super().to_string(buf, *args, **options))


class ExactFrame(pd.DataFrame):
    """A pandas frame whose `query` and `to_excel` also work for times with a time zone.

    Results of its methods are frames of this class too. The text of the service that a frame holds
    is escaped when it is shown; `to_csv` and values have it as it was sent.
    """

    @property
    def _constructor(self) -> Callable[..., ExactFrame]:
        return ExactFrame

    @property
    def _constructor_sliced(self) -> Callable[..., ExactSeries]:
        return ExactSeries

    def __repr__(self) -> str:
        return printable_lines(super().__repr__())

    def _repr_html_(self) -> str | None:
        return _text_unless_written(cast(Any, super())._repr_html_())

    def to_string(self, buf: Any = None, *args: Any, **options: Any) -> Any:
        """As in pandas; without a file to write to, invisible characters are escaped."""
        return _text_unless_written(super().to_string(buf, *args, **options))

    @property
    def plot(self) -> Any:
        """As in pandas; amounts are drawn as floats."""
        _require_matplotlib()
        return pd.DataFrame(as_floats(self)).plot

    def hist(self, *args: Any, **options: Any) -> Any:
        """As in pandas; amounts are counted as floats."""
        _require_matplotlib()
        return pd.DataFrame(as_floats(self)).hist(*args, **options)

    def boxplot(self, *args: Any, **options: Any) -> Any:
        """As in pandas; amounts are drawn as floats."""
        _require_matplotlib()
        return pd.DataFrame(as_floats(self)).boxplot(*args, **options)

    @property
    def style(self) -> Any:
        """As in pandas; the lengths of bars are computed with floats."""
        return exact_styler(self)

    def merge(self, right: Any, *args: Any, **options: Any) -> Any:
        """As in pandas; ExactnessError if exact amounts are matched with another kind."""
        keys_given = dict(zip(("how", "on", "left_on", "right_on"), args, strict=False))
        refuse_other_keys(self, right, keys_given | options)
        return super().merge(right, *args, **options)

    def join(self, other: Any, on: Any = None, *args: Any, **options: Any) -> Any:
        """As in pandas; ExactnessError if exact amounts are matched with another kind."""
        refuse_other_index(self, other, on)
        return super().join(other, on, *args, **options)

    def dot(self, other: Any) -> Any:
        """As in pandas; ExactnessError for floats."""
        refuse_floats(other)
        return super().dot(other)

    def to_sql(self, name: str, con: Any, **options: Any) -> Any:  # type: ignore[misc]
        """As in pandas; amounts are exact numbers, but text in SQLite, which has none."""
        columns, types = sql_columns(self, con)
        return columns.to_sql(name, con, **options | {"dtype": types | options.get("dtype", {})})

    def eval(self, expr: str, **options: Any) -> Any:
        """As in pandas, also for `query`; times compared with text without a zone are in UTC."""
        options["level"] = options.get("level", 0) + 1
        try:
            return super().eval(expr, **options)
        except TypeError as error:
            if "'decimal'" in str(error):
                message = f"{error}: {USE_DECIMAL}, as @rate in the expression"
                raise ExactnessError(message) from None
            # pandas reads '2026-11-01' as a time without a zone
            naive = self._without_zones("UTC")
            times = {name: naive[name] for name in self.select_dtypes("datetimetz")}
            index = {"index": naive.index, naive.index.name: naive.index}
            options["resolvers"] = (*options.get("resolvers", ()), times, index)
            try:
                return super().eval(expr, **options)
            except TypeError:
                raise error from None

    def to_excel(self, *args: Any, **options: Any) -> None:  # type: ignore[misc]
        """As in pandas; times are written without their zone, because a workbook has no zones.

        `frame.paylab.to_excel` also keeps long amounts exact and escapes formulas.
        """
        self._without_zones().to_excel(*args, **options)

    def _without_zones(self, tz: str | None = None) -> pd.DataFrame:
        """A plain frame with naive times, in a zone or as shown."""
        naive_frame = pd.DataFrame(self)
        for at, kind in enumerate(naive_frame.dtypes):
            if isinstance(kind, pd.DatetimeTZDtype):
                naive_frame.isetitem(at, _remove_zone(naive_frame.iloc[:, at].array, tz))
        index = naive_frame.index
        if isinstance(index, pd.MultiIndex):
            naive_frame.index = index.set_levels(
                [_remove_zone(level, tz) for level in index.levels]
            )
        else:
            naive_frame.index = _remove_zone(index, tz)
        return naive_frame


def _require_matplotlib() -> None:
    """MissingExtraError unless the plotting library that pandas is set to is installed."""
    if pd.get_option("plotting.backend") == "matplotlib" and not is_installed("matplotlib"):
        raise MissingExtraError("matplotlib", "plots")


def _text_unless_written(text: str | None) -> str | None:
    """A text that pandas made for people; None when it was written to a file."""
    return None if text is None else printable_lines(text)


def _remove_zone(values: Any, tz: str | None) -> Any:
    """An array or an index; times lose their zone."""
    if not isinstance(values.dtype, pd.DatetimeTZDtype):
        return values
    return (values.tz_convert(tz) if tz else values).tz_localize(None)


class _Reading(RowFilters, total=False):
    """The keywords of `transfers`, besides filters of rows."""

    attrs: Mapping[str, Any]
    extra: bool
    limit: int | None
    columns: Names | None
    order: Order
    amounts: Amounts
    progress: Progress | None


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
    schema = schema_of(kind)
    tally = Tally(options.get("progress"))
    if options.get("amounts", "exact") not in get_args(Amounts):
        message = f"amounts must be 'exact' or 'float', not {options['amounts']!r:.60}"
        raise ArgumentError(message, "amounts")
    if row_filter is None:
        own = _Reading.__annotations__.keys() - FILTER_NAMES
        filters = {name: value for name, value in options.items() if name not in own}
        row_filter = read_row_filter(kind, filters)
    selection = Selection(options.get("limit"), row_filter, options.get("order", "unknown"))
    extra = options.get("extra", False)
    column_names = read_columns(options.get("columns"), schema, extra=extra)
    if not extra:  # to know the unknown fields, all known ones are read
        schema = schema_for(schema, column_names, row_filter.fields)
    columns = Columns(schema)
    columns.add(text_schema(schema).empty_table())
    read_pages(
        pages,
        schema,
        lambda part: columns.add(part.table),
        tally,
        selection=selection,
        extra=extra,
    )
    every_row = ExactFrame(columns.series())
    exact_frame = _remove_repeats(every_row) if schema.is_list and once else every_row
    origin = _describe_origin(exact_frame, tally) | dict(options.get("attrs", {}))
    if column_names is not None:
        require_columns(column_names, list(exact_frame.columns))
        exact_frame = exact_frame[column_names]
    exact_frame.attrs.update(origin)
    return as_floats(exact_frame) if options.get("amounts") == "float" else exact_frame


@explain_arguments
def of(objects: Iterable[object], kind: ListName | None = None) -> pd.DataFrame:
    """A frame of your results: quotes, individuals, transfers, events, deliveries.

    `kind` is needed only for dicts whose kind cannot be recognised by their keys.

    >>> paylab.frames.of([quote])["source_amount"].tolist()
    [Decimal('20.00')]
    """
    rows = [_read_fields(object_) for object_ in objects]
    field_names = {name for row in rows for name in row}
    page = {"data": rows, "has_next_page": False}
    return frame([page], kind or likeliest_schema(field_names).name, once=False)


def _remove_repeats(frame: pd.DataFrame) -> pd.DataFrame:
    columns = {name: pa.array(frame[name]) for name in repeats.COLUMNS}
    dropped = repeats.find_superseded(lambda: [pa.table(columns)])
    warn_of_repeats(len(dropped))
    if not len(dropped):
        return frame
    unique_rows: pd.DataFrame = frame.drop(index=dropped.tolist()).reset_index(drop=True)
    for name in unique_rows.select_dtypes("category"):
        unique_rows[name] = unique_rows[name].cat.remove_unused_categories()
    return unique_rows


def _read_fields(value: Any) -> dict[str, Any]:
    """The fields of a result, by paylab's names; for an event its type and payload."""
    if isinstance(value, Mapping):
        return dict(value)
    if hasattr(value, "payload"):
        return {"type": value.type, "payload": value.resource.to_dict()}
    if not hasattr(value, "to_dict"):
        message = f"a frame is made of results or dicts, not of {plain(repr(value), 60)}"
        raise ArgumentError(message, "objects")
    fields: dict[str, Any] = value.to_dict()
    return fields


def typed_frame(table: pa.Table, schema: Schema) -> pd.DataFrame:
    """The frame of a table of text, with typed columns; unknown columns are text."""
    columns = Columns(schema)
    columns.add(table)
    return ExactFrame(columns.series())


def _describe_origin(frame: pd.DataFrame, tally: Tally) -> dict[str, Any]:
    ids = [None if pd.isna(value) else value for value in frame["id"].iloc[[0, -1][: len(frame)]]]
    first_id, last_id = (ids[0], ids[-1]) if ids else (None, None)
    return {
        "pages": tally.pages,
        "first_id": first_id,
        "last_id": last_id,
        "complete": tally.complete,
    }
