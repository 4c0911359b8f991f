"""The cells of a column as what they mean: texts, exact amounts, words and times."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any, NamedTuple, Self
from zoneinfo import ZoneInfo

from ..errors.base import ExactnessError, Problem, RuleError
from ..errors.extras import explained
from ..frames import decimals
from ..frames.decimal_array import DecimalArray

with explained():
    import numpy as np
    import pandas as pd
    import pyarrow as pa
    import pyarrow.compute as pc

FLOAT_DIGITS = 15  # with more, the text that a float was read from is not known
GROUPS = "['\u2019\u00a0\u202f ]"
NEGATIVE = r"^\((.*)\)$|^([^-]+)-$"
NUMBER = {
    ".": r"^[+-]?([0-9]+|[0-9]{1,3}(,[0-9]{3})+)?(\.[0-9]*)?$",
    ",": r"^[+-]?([0-9]+|[0-9]{1,3}(\.[0-9]{3})+)?(,[0-9]*)?$",
}
"""Numbers by their decimal mark; the other mark groups thousands."""

OFFSET = r":\d\d.*(Z|z|[+-]\d\d:?\d\d)$"
FORMATS = ("%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y", "%d-%m-%Y", "%Y/%m/%d")
CLOCKS = ("", " %H:%M", " %H:%M:%S")
UNITS = {name: np.timedelta64(1, name) for name in ("D", "m", "s", "ms", "us")}
MICROSECOND = "datetime64[us]"

Series = Any
"""A column of a frame."""


class WordColumn(NamedTuple):
    """A column of words: the code of each row, -1 for none, and the words as they are written."""

    codes: np.ndarray[Any, Any]
    texts: list[str]

    def take(self, places: np.ndarray[Any, Any]) -> Self:
        """The rows at some places."""
        return self._replace(codes=self.codes[places])

    def text(self, row: int) -> str | None:
        """The word of a row; None for a blank cell."""
        code = self.codes[row]
        return None if code < 0 else self.texts[code]


class TimeColumn(NamedTuple):
    """A column of times in one time zone, without it, and the unit that they are written in."""

    values: np.ndarray[Any, Any]
    unit: str
    form: str = ""
    """The format that was found in texts that are not ISO 8601."""

    def take(self, places: np.ndarray[Any, Any]) -> Self:
        """The rows at some places."""
        return self._replace(values=self.values[places])


def texts_of(column: Series) -> pa.Array:
    """The cells as trimmed text; blank and missing are null."""
    kind = column.dtype
    if isinstance(kind, pd.CategoricalDtype):
        column = column.astype(object)
    if isinstance(column.dtype, pd.StringDtype) or _is_arrow_text(column.dtype):
        texts = pa.array(column).cast(pa.string())
    else:
        texts = pa.array([_text(value) for value in column], pa.string())
    if isinstance(texts, pa.ChunkedArray):
        texts = texts.combine_chunks()
    trimmed = pc.utf8_trim_whitespace(texts)
    return pc.if_else(pc.equal(trimmed, ""), pa.scalar(None, pa.string()), trimmed)


def _is_arrow_text(kind: object) -> bool:
    return isinstance(kind, pd.ArrowDtype) and (
        pa.types.is_string(kind.pyarrow_dtype) or pa.types.is_large_string(kind.pyarrow_dtype)
    )


def _text(value: Any) -> str | None:
    """A cell as text; ExactnessError for a float whose written digits are not known."""
    if isinstance(value, str):
        return value
    if pd.isna(value):
        return None
    if isinstance(value, float):
        number = Decimal(repr(float(value)))
        if not number.is_finite() or len(number.normalize().as_tuple().digits) > FLOAT_DIGITS:
            raise ExactnessError(f"{value!r} is a float with too many digits: read it as text")
        value = number.to_integral_value() if number == number.to_integral_value() else number
    return format(value, "f") if isinstance(value, Decimal) else str(value)


def amounts_of(columns: Mapping[str, Series], mark: str | None) -> tuple[dict[str, Any], str]:
    """Exact amounts by name, and the decimal mark that was found in their texts or given.

    ExactnessError names the column and the row of an amount that is none, counted from 1;
    RuleError if texts such as `1,234` do not tell the mark.
    """
    exact = {
        name: DecimalArray(_exact(column)) for name, column in columns.items() if _is_exact(column)
    }
    texts = {
        name: _plain(texts_of(column)) for name, column in columns.items() if name not in exact
    }
    mark = mark or _decimal_mark(texts.values())
    for name, array in texts.items():
        numbers = pa.chunked_array([_with_point(array, name, mark)])
        exact[name] = DecimalArray(decimals.read_decimals(numbers, name, 1))
    return exact, mark


def _is_exact(column: Series) -> bool:
    kind = column.dtype
    if isinstance(kind, pd.ArrowDtype):
        kind = kind.pyarrow_dtype
        return bool(pa.types.is_decimal(kind) or pa.types.is_integer(kind))
    return isinstance(column.array, DecimalArray) or pd.api.types.is_integer_dtype(kind)


def _exact(column: Series) -> pa.Array:
    values = pa.array(column)
    array = values.combine_chunks() if isinstance(values, pa.ChunkedArray) else values
    return array.cast(pa.decimal128(20, 0)) if pa.types.is_integer(array.type) else array


def _plain(texts: pa.Array) -> pa.Array:
    """The numbers without blanks between digits; an accountant's minus goes before them."""
    if not pc.any(pc.match_substring_regex(texts, rf"\x{{2212}}|[()]|-$|{GROUPS}")).as_py():
        return texts
    ungrouped = pc.replace_substring_regex(texts, GROUPS, "")
    signed = pc.replace_substring(ungrouped, "\u2212", "-")
    return pc.replace_substring_regex(signed, NEGATIVE, r"-\1\2")


def _decimal_mark(columns: Iterable[pa.Array]) -> str:
    """The decimal mark of all numbers: a point, unless a comma fits all and a point does not."""
    texts = pa.chunked_array(list(columns), pa.string())
    with_comma = pc.match_substring(texts, ",")
    if not pc.any(with_comma).as_py():
        return "."
    fitting = [mark for mark, form in NUMBER.items() if _all_match(texts, form)]
    if len(fitting) > 1:
        text = texts.filter(with_comma)[0].as_py()
        message = f'{text!r:.40} does not say whether the comma is decimal: pass decimal=","'
        raise RuleError([Problem("decimal", f'{message} or decimal="."', "reconcile")])
    return fitting[0] if fitting else "."


def _all_match(texts: pa.ChunkedArray, form: str) -> bool:
    return pc.all(pc.match_substring_regex(texts, form)).as_py() is not False


def _with_point(texts: pa.Array, name: str, mark: str) -> pa.Array:
    """The numbers with a decimal point and without grouping."""
    if mark == "." and not pc.any(pc.match_substring(texts, ",")).as_py():
        return texts
    is_number = pc.match_substring_regex(texts, NUMBER[mark])
    wrong = pc.indices_nonzero(pc.invert(is_number))
    if len(wrong):
        row = wrong[0].as_py()
        text = texts[row].as_py()
        short_text = (
            text if len(text) <= decimals.SHOWN_LENGTH else f"{text[: decimals.SHOWN_LENGTH]}…"
        )
        raise ExactnessError(
            f"{name}, row {row + 1}: {short_text!r} is not a number with the decimal mark {mark!r}"
        )
    grouped = pc.replace_substring(texts, "." if mark == "," else ",", "")
    return pc.replace_substring(grouped, mark, ".")


def word_column(column: Series) -> WordColumn:
    """The words of a column as trimmed text."""
    if isinstance(column.dtype, pd.CategoricalDtype):
        category_texts = [_text(word) for word in column.cat.categories]
        return WordColumn(
            np.asarray(column.cat.codes, dtype=np.int64), [str(word) for word in category_texts]
        )
    coded = texts_of(column).dictionary_encode()
    codes = np.asarray(coded.indices.fill_null(-1), dtype=np.int64)
    return WordColumn(codes, coded.dictionary.to_pylist())


def times_of(column: Series, name: str, zone: ZoneInfo, form: str | None = None) -> TimeColumn:
    """The times of a column in a zone; those without an offset are in it already.

    `form` is their format, as in `strptime`. RuleError names the row of a text that is no time.
    """
    kind = column.dtype
    if isinstance(kind, pd.ArrowDtype) and not _is_arrow_text(kind):
        column = pd.Series(pd.to_datetime(column.to_numpy(dtype=object, na_value=None)))
    elif pd.api.types.is_object_dtype(kind) and all(map(_is_time_or_missing, column)):
        column = _times_of_objects(column, zone)
    if isinstance(column.dtype, pd.DatetimeTZDtype):
        column = column.dt.tz_convert(zone).dt.tz_localize(None)
    if pd.api.types.is_datetime64_dtype(column.dtype):
        values = column.to_numpy(dtype=MICROSECOND)
        return TimeColumn(values, _unit(values, "s"))
    texts = texts_of(column)
    values, form_found = _read_times(texts, name, zone, form)
    has_seconds = pc.any(pc.match_substring_regex(texts, r"\d:\d\d:\d\d")).as_py()
    return TimeColumn(values, _unit(values, "s" if has_seconds else "m"), form_found)


def _is_time_or_missing(value: Any) -> bool:
    return not isinstance(value, str) and (
        hasattr(value, "year") or value is None or pd.isna(value)
    )


def _times_of_objects(column: Series, zone: ZoneInfo) -> Series:
    """Python's dates and times in a zone, without it."""
    moments: list[datetime | None] = []
    for value in column:
        if value is None or pd.isna(value):
            moments.append(None)
        elif isinstance(value, datetime):
            moments.append(value.astimezone(zone).replace(tzinfo=None) if value.tzinfo else value)
        else:
            moments.append(datetime(value.year, value.month, value.day))
    return pd.Series(moments, dtype=MICROSECOND)


def _read_times(texts: pa.Array, name: str, zone: ZoneInfo, form: str | None) -> tuple[Any, str]:
    """The times of texts: ISO 8601, the given format, or the only usual one that fits all.

    With the format if it was found.
    """
    times_as_text = pd.Series(texts.to_pandas())
    is_blank = times_as_text.isna()
    if form is None:
        moments = pd.to_datetime(times_as_text, format="ISO8601", utc=True, errors="coerce")
        if not (moments.isna() & ~is_blank).any():
            values = moments.dt.tz_localize(None).to_numpy(dtype=MICROSECOND)
            has_offset = np.asarray(pc.match_substring_regex(texts, OFFSET).fill_null(False))
            if has_offset.any():
                local = moments.dt.tz_convert(zone).dt.tz_localize(None)
                values = np.where(has_offset, local.to_numpy(dtype=MICROSECOND), values)
            return values, ""
    days = FORMATS if form is None else (form,)
    clocks = CLOCKS if form is None else ("",)
    readings = {}
    for day in days:
        parts = [
            pd.to_datetime(times_as_text, format=day + clock, errors="coerce") for clock in clocks
        ]
        moments = parts[0]
        for part in parts[1:]:
            moments = moments.fillna(part)
        readings[day] = moments
    fitting = [day for day, moments in readings.items() if not (moments.isna() & ~is_blank).any()]
    if len(fitting) == 1:
        moments = readings[fitting[0]]
        if isinstance(moments.dtype, pd.DatetimeTZDtype):
            moments = moments.dt.tz_convert(zone).dt.tz_localize(None)
        return moments.to_numpy(dtype=MICROSECOND), "" if form else fitting[0]
    nearest = min(readings.values(), key=lambda moments: int((moments.isna() & ~is_blank).sum()))
    wrong = np.flatnonzero(nearest.isna() & ~is_blank)
    row = int(wrong[0]) if len(wrong) else int(np.flatnonzero(~is_blank)[0])
    reason = "can be read in two ways" if fitting else "is not a time"
    message = (
        f'{name}, row {row + 1}: {times_as_text[row]!r:.40} {reason}: pass date_format="%d/%m/%Y"'
    )
    raise RuleError([Problem("books", message, "reconcile")])


def _unit(values: Any, least: str) -> str:
    """The unit that all times are whole in: a day, else `least` or finer."""
    times_present = values[~np.isnat(values)]
    units = list(UNITS)
    for unit in ("D", *units[units.index(least) :]):
        if (times_present.astype(f"datetime64[{unit}]") == times_present).all():
            return unit
    return "us"


def whole_times(values: Any, unit: str) -> Any:
    """The times without what is finer than a unit."""
    return values.astype(f"datetime64[{unit}]").astype(MICROSECOND)


def time_text(value: Any, unit: str) -> str:
    """A time as it is shown: a date if the unit is a day."""
    finest = "s" if unit == "m" else unit
    return str(value.astype(f"datetime64[{finest}]")).replace("T", " ")


def as_timedelta(value: Any) -> timedelta:
    """A difference of times."""
    return timedelta(microseconds=int(value.astype("timedelta64[us]").astype(np.int64)))
