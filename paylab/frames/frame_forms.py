"""A frame as plots, styles, Arrow and databases need it."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pandas as pd
import pyarrow as pa
from pandas.api.types import is_list_like, is_object_dtype

from ..errors.base import ExactnessError
from ..errors.extras import MissingExtraError, is_installed
from .float_errors import name_error
from .operands import exact_decimals
from .sql_tables import SQLITE_AMOUNT, make_amount_type

SIGNED_BITS = 63
WIDE_INTEGER = pa.decimal128(38, 0)
COMPUTED = ("_bar", "_background_gradient")  # pandas' functions of lengths and colours


def as_floats(frame: pd.DataFrame) -> pd.DataFrame:
    """The frame with exact columns as floats, for statistics and plots; `attrs` says so."""
    amount_names = find_exact_columns(frame)
    float_frame = frame.astype(dict.fromkeys(amount_names, float))
    float_frame.attrs = {**frame.attrs, "amounts": "float"}
    return float_frame


def find_exact_columns(frame: pd.DataFrame) -> list[Any]:
    """The names of the columns with exact decimals."""
    return [column_name for column_name, dtype in frame.dtypes.items() if str(dtype) == "decimal"]


def with_decimal_mark(frame: pd.DataFrame, decimal_mark: str) -> pd.DataFrame:
    """The frame with its exact amounts, also those in its labels, as text with this mark."""
    marked_frame = frame.copy()
    for position, dtype in enumerate(frame.dtypes):
        if str(dtype) == "decimal":
            amount_texts = frame.iloc[:, position].astype("string")
            marked_texts: Any = amount_texts.str.replace(".", decimal_mark, regex=False)
            marked_frame.isetitem(position, marked_texts)
    marked_frame.index = _mark_labels(frame.index, decimal_mark)
    marked_frame.columns = _mark_labels(frame.columns, decimal_mark)
    return marked_frame


def _mark_labels(labels: Any, decimal_mark: str) -> Any:
    """The index with its exact amounts as text with this decimal mark."""
    if isinstance(labels, pd.MultiIndex):
        marked_levels = [_mark_labels(level, decimal_mark) for level in labels.levels]
        return labels.set_levels(marked_levels, verify_integrity=False)
    if str(labels.dtype) != "decimal":
        return labels
    return labels.astype("string").str.replace(".", decimal_mark, regex=False)


def with_named_index(frame: pd.DataFrame) -> pd.DataFrame:
    """The frame with an index that has a name as columns; without one, the frame.

    A level that is also a column is not repeated.
    """
    repeated_level_names = [
        level_name
        for level_name in frame.index.names
        if level_name is not None and level_name in frame
    ]
    if repeated_level_names:
        frame = frame.reset_index(repeated_level_names, drop=True)
    return frame.reset_index() if any(frame.index.names) else frame


def as_table(frame: pd.DataFrame) -> pa.Table:
    """The columns as an Arrow table.

    Intervals and periods are text, since Arrow has no such types. Whole numbers that 64 bits do not
    hold are decimals.
    """
    span_names = [column_name for column_name, dtype in frame.dtypes.items() if _is_span(dtype)]
    frame_with_texts = frame.astype(dict.fromkeys(span_names, "string")) if span_names else frame
    try:
        return pa.Table.from_pandas(frame_with_texts, preserve_index=False)
    except (OverflowError, pa.ArrowInvalid):  # Arrow tries 64 bits for integers of Python
        wide_frame = _widen_long_integers(frame_with_texts)
        try:
            return pa.Table.from_pandas(wide_frame, preserve_index=False)
        except OverflowError as error:
            nested_name = _find_nested_column(wide_frame)
            message = f"{nested_name} has cells with whole numbers of more than 64 bits in them"
            raise ExactnessError(f"{message}: write them as text, as map(str) does") from error
    except pa.ArrowTypeError as error:
        mixed_name = _find_mixed_column(frame_with_texts)
        if mixed_name is None:
            raise
        message = (
            f"{mixed_name} has floats beside exact amounts: write amounts as text or Decimal there"
        )
        raise ExactnessError(f'{message}, and .astype("decimal")') from error


def _find_nested_column(frame: pd.DataFrame) -> Any:
    """The name of the first column that has lists or other cells with values in them."""
    for column_name, dtype in frame.dtypes.items():
        position = [*frame.columns].index(column_name)
        if is_object_dtype(dtype) and any(map(is_list_like, frame.iloc[:, position])):
            return column_name
    return "a column"


def _widen_long_integers(frame: pd.DataFrame) -> pd.DataFrame:
    """The frame with columns of whole numbers that 64 bits do not hold as exact decimals.

    ExactnessError, with the name of the column, for one with other values, and for more digits than
    a decimal has.
    """
    wide_frame = frame.copy(deep=False)
    for position, (column_name, dtype) in enumerate(frame.dtypes.items()):
        column: pd.Series[Any] = frame.iloc[:, position]
        if not is_object_dtype(dtype) or not any(map(_is_long_integer, column)):
            continue
        try:
            decimals = exact_decimals(column)
        except ExactnessError as error:
            hint_text = 'for a column of text, write .astype("string")'
            raise name_error(ExactnessError(f"{error}; {hint_text}"), column_name) from None
        if all(isinstance(value, int) for value in column.dropna()):
            decimals = decimals.cast(WIDE_INTEGER)
        wide_frame.isetitem(position, pd.arrays.ArrowExtensionArray(decimals))
    return wide_frame


def _is_long_integer(value: object) -> bool:
    """Whether a value is a whole number that 64 bits, of which one is the sign, do not hold."""
    return isinstance(value, int) and value.bit_length() > SIGNED_BITS


def _find_mixed_column(frame: pd.DataFrame) -> object:
    """The name of the first column of objects that has Decimals and floats; None without one."""
    for column_name, column in frame.items():
        if column.dtype != object:
            continue
        value_types = {type(value) for value in column.dropna()}
        if float in value_types and any(issubclass(type_, Decimal) for type_ in value_types):
            return column_name
    return None


def with_bin_texts(frame: pd.DataFrame) -> pd.DataFrame:
    """The frame with categories of intervals or periods as text; without any, the frame."""
    bin_names = [
        column_name
        for column_name, dtype in frame.dtypes.items()
        if isinstance(dtype, pd.CategoricalDtype) and _is_span(dtype)
    ]
    return frame.astype(dict.fromkeys(bin_names, "string")) if bin_names else frame


def _is_span(dtype: object) -> bool:
    """Whether a column holds intervals, such as bins of `pd.cut`, or periods."""
    if isinstance(dtype, pd.CategoricalDtype):
        dtype = dtype.categories.dtype
    return isinstance(dtype, pd.IntervalDtype | pd.PeriodDtype)


def exact_styler(frame: pd.DataFrame) -> Any:
    """The styles of a frame: cells show exact amounts, lengths and colours are of floats."""
    from pandas.io.formats.style import Styler  # needs jinja2

    class ExactStyler(Styler):
        """The styles of a frame with exact amounts."""

        data: pd.DataFrame

        def _apply(self, func: Callable[..., Any], *args: object, **options: object) -> Any:
            """Style cells as pandas does; lengths and colours are computed from floats."""
            untyped_super: Any = super()
            if getattr(func, "__name__", "") not in COMPUTED:
                return untyped_super._apply(func, *args, **options)
            exact_frame = self.data
            self.data = as_floats(exact_frame)  # only while the function computes
            try:
                return untyped_super._apply(func, *args, **options)
            finally:
                self.data = exact_frame

    return ExactStyler(frame)


def sql_columns(frame: pd.DataFrame, connection: object) -> tuple[pd.DataFrame, dict[Any, Any]]:
    """The frame as pandas writes it, and the database types of its exact columns by name."""
    exact_column_names = [str(column_name) for column_name in find_exact_columns(frame)]
    if _is_sqlite(connection):
        texts_by_name = {
            column_name: frame[column_name].astype("string").astype(object)
            for column_name in exact_column_names
        }
        is_sqlalchemy = not isinstance(connection, sqlite3.Connection)
        amount_type = make_amount_type() if is_sqlalchemy else SQLITE_AMOUNT
        frame_with_texts = pd.DataFrame(frame).assign(**texts_by_name)
        return frame_with_texts, dict.fromkeys(texts_by_name, amount_type)
    import sqlalchemy

    type_by_name: dict[str, Any] = {}
    for column_name in exact_column_names:
        arrow_type = pa.array(frame[column_name].array).type
        type_by_name[column_name] = sqlalchemy.Numeric(arrow_type.precision, arrow_type.scale)
    return pd.DataFrame(frame), type_by_name


def _is_sqlite(connection: object) -> bool:
    """Whether a connection, an engine or a URL is of SQLite.

    SQLite stores decimals as floats.
    """
    if isinstance(connection, sqlite3.Connection):
        return True
    if isinstance(connection, str):
        return connection.startswith("sqlite")
    return getattr(getattr(connection, "dialect", None), "name", "") == "sqlite"


def first_columns_text(frame: pd.DataFrame) -> str:
    """The `repr` of a frame; of one that is too wide, the first columns that fit, and their count.

    pandas alone shows the first and the last ones: next to a long last name, only one other.
    """
    frame_text = repr(frame)
    if not _hides_columns(frame_text):
        return frame_text
    shown_count = 1
    while not _hides_columns(repr(frame.iloc[:, : shown_count + 1])):
        shown_count += 1
    # The line with the size, which pandas adds to a frame of many rows, is replaced.
    columns_text, *_ = repr(frame.iloc[:, :shown_count]).rsplit("\n\n[", 1)
    size_text = f"{len(frame)} rows x {frame.shape[1]} columns"
    return f"{columns_text}\n\n[{size_text}, the first {shown_count} are shown]"


def _hides_columns(frame_text: str) -> bool:
    """Whether the text of a frame leaves out columns."""
    header_line, *_ = frame_text.split("\n", 1)
    return "..." in header_line.split()


def remove_zones(frame: pd.DataFrame, tz: str | None = None) -> pd.DataFrame:
    """A plain frame whose times have no zone: times in the zone `tz`, or as they are shown."""
    naive_frame = pd.DataFrame(frame)
    for column_index, dtype in enumerate(naive_frame.dtypes):
        if isinstance(dtype, pd.DatetimeTZDtype):
            zoned_times = naive_frame.iloc[:, column_index].array
            naive_frame.isetitem(column_index, _remove_zone(zoned_times, tz))
    index = naive_frame.index
    if isinstance(index, pd.MultiIndex):
        naive_levels = [_remove_zone(level, tz) for level in index.levels]
        naive_frame.index = index.set_levels(naive_levels)
    else:
        naive_frame.index = _remove_zone(index, tz)
    return naive_frame


def _remove_zone(array_or_index: Any, tz: str | None) -> Any:
    """Times in the zone `tz` without their zone; by default in their own. Others stay."""
    if not isinstance(array_or_index.dtype, pd.DatetimeTZDtype):
        return array_or_index
    times = array_or_index.tz_convert(tz) if tz else array_or_index
    return times.tz_localize(None)


def require_matplotlib() -> None:
    """MissingExtraError unless the plotting library that pandas is set to is installed."""
    if pd.get_option("plotting.backend") == "matplotlib" and not is_installed("matplotlib"):
        raise MissingExtraError("matplotlib", "plots")
