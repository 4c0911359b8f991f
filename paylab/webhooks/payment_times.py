"""Read the cells of a column as times."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any, NamedTuple, Self, TypeAlias
from zoneinfo import ZoneInfo

from ..errors.base import OptionError, Problem
from ..errors.extras import extra_imports
from .cell_texts import Series, cell_texts, is_arrow_text

with extra_imports():
    import numpy as np
    import pandas as pd
    import pyarrow as pa
    import pyarrow.compute as pc
    from numpy.typing import NDArray

OFFSET_PATTERN = r":\d\d.*(Z|z|[+-]\d\d:?\d\d)$"
DATE_FORMATS = ("%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y", "%d-%m-%Y", "%Y/%m/%d")
CLOCK_FORMATS = ("", " %H:%M", " %H:%M:%S")
UNITS = ("D", "m", "s", "ms", "us")
MICROSECOND = "datetime64[us]"
Times: TypeAlias = "NDArray[np.datetime64]"
"""An array of times without a zone."""


class TimeColumn(NamedTuple):
    """A column of times in one time zone, as an array without it, and the unit of their texts."""

    values: Times
    unit: str
    date_format: str = ""
    """The format that was found in texts that are not ISO 8601."""

    def take(self, rows: NDArray[np.int64]) -> Self:
        """Return the column of some rows."""
        return self._replace(values=self.values[rows])


def read_column_times(
    column: Series, name: str, zone: ZoneInfo, date_format: str | None = None
) -> TimeColumn:
    """Read the times of a column in a zone; those without an offset are in it already.

    `date_format` is their format, as in `strptime`. OptionError names the row of a text that is no
    time.
    """
    dtype = column.dtype
    if isinstance(dtype, pd.ArrowDtype) and not is_arrow_text(dtype):
        arrow_times = column.to_numpy(dtype=object, na_value=None)
        column = pd.Series(pd.to_datetime(arrow_times))
    elif pd.api.types.is_object_dtype(dtype) and all(map(_is_time_or_missing, column)):
        column = _convert_objects_to_times(column, zone)
    if isinstance(column.dtype, pd.DatetimeTZDtype):
        column = _convert_to_zone(column, zone)
    if pd.api.types.is_datetime64_dtype(column.dtype):
        microseconds = column.to_numpy(dtype=MICROSECOND)
        return TimeColumn(microseconds, _find_unit(microseconds, "s"))
    time_texts = cell_texts(column)
    microseconds, found_format = _read_times(time_texts, name, zone, date_format)
    has_seconds = pc.any(pc.match_substring_regex(time_texts, r"\d:\d\d:\d\d")).as_py()
    smallest_unit = "s" if has_seconds else "m"
    return TimeColumn(microseconds, _find_unit(microseconds, smallest_unit), found_format)


def _is_time_or_missing(cell_value: Any) -> bool:
    """Return whether a value is a date or a time of Python or pandas, or missing."""
    if isinstance(cell_value, str):
        return False
    return hasattr(cell_value, "year") or cell_value is None or bool(pd.isna(cell_value))


def _convert_objects_to_times(column: Series, zone: ZoneInfo) -> Series:
    """Convert a column of Python's dates and times to local times of a zone, without the zone.

    A date is its midnight there, and a time without a zone is a local time already.
    """
    local_times: list[datetime | None] = []
    for cell_value in column:
        if cell_value is None or pd.isna(cell_value):
            local_times.append(None)
        elif isinstance(cell_value, datetime) and cell_value.tzinfo:
            local_times.append(cell_value.astimezone(zone).replace(tzinfo=None))
        elif isinstance(cell_value, datetime):
            local_times.append(cell_value)
        else:
            local_times.append(datetime(cell_value.year, cell_value.month, cell_value.day))
    return pd.Series(local_times, dtype=MICROSECOND)


def _convert_to_zone(times: Series, zone: ZoneInfo) -> Series:
    """Convert times with a zone to local times of another zone, without the zone."""
    return times.dt.tz_convert(zone).dt.tz_localize(None)


def _read_times(
    time_texts: pa.Array, column_name: str, zone: ZoneInfo, date_format: str | None
) -> tuple[Times, str]:
    """Read texts in the given format, or as ISO 8601, or in the only usual format that fits all.

    Return the times, and the usual format; "" if the format was given or is ISO 8601.
    """
    text_series = pd.Series(time_texts.to_pandas())
    if date_format is not None:
        times_by_format = {date_format: _read_times_in_format(text_series, date_format, ("",))}
        chosen_times, _ = _choose_format(text_series, column_name, times_by_format)
        return _to_local_times(chosen_times, zone), ""
    iso_times = _read_iso_times(time_texts, zone)
    if iso_times is not None:
        return iso_times, ""
    times_by_format = {
        usual_format: _read_times_in_format(text_series, usual_format, CLOCK_FORMATS)
        for usual_format in DATE_FORMATS
    }
    chosen_times, found_format = _choose_format(text_series, column_name, times_by_format)
    return _to_local_times(chosen_times, zone), found_format


def _choose_format(
    series: Series, column_name: str, times_by_format: Mapping[str, Series]
) -> tuple[Series, str]:
    """Return the times by the only format that fits all texts, and the format; else OptionError."""
    blank_mask = series.isna()
    fitting_formats = [
        date_format
        for date_format, column_times in times_by_format.items()
        if not (column_times.isna() & ~blank_mask).any()
    ]
    if len(fitting_formats) != 1:
        raise _make_time_error(
            series, column_name, times_by_format, is_ambiguous=bool(fitting_formats)
        )
    found_format = fitting_formats[0]
    return times_by_format[found_format], found_format


def _to_local_times(moments: Series, zone: ZoneInfo) -> Times:
    """Return times as an array of local times of a zone; those without a zone are in it already."""
    if isinstance(moments.dtype, pd.DatetimeTZDtype):
        moments = _convert_to_zone(moments, zone)
    local_times: Times = moments.to_numpy(dtype=MICROSECOND)
    return local_times


def _read_iso_times(time_texts: pa.Array, zone: ZoneInfo) -> Times | None:
    """Read texts as ISO 8601, as local times of a zone; None if a text is not ISO 8601."""
    text_series = pd.Series(time_texts.to_pandas())
    utc_times = pd.to_datetime(text_series, format="ISO8601", utc=True, errors="coerce")
    if (utc_times.isna() & ~text_series.isna()).any():
        return None
    microseconds = utc_times.dt.tz_localize(None).to_numpy(dtype=MICROSECOND)
    offset_mask = np.asarray(pc.match_substring_regex(time_texts, OFFSET_PATTERN).fill_null(False))
    if not offset_mask.any():
        return microseconds
    # A text without an offset is a time of the zone already.
    converted_times = _convert_to_zone(utc_times, zone).to_numpy(dtype=MICROSECOND)
    return np.where(offset_mask, converted_times, microseconds)


def _read_times_in_format(
    series: Series, date_format: str, time_formats: tuple[str, ...]
) -> Series:
    """Read texts in a format of dates, with or without a time of day; NaT for others."""
    times_of_formats = [
        pd.to_datetime(series, format=date_format + time_format, errors="coerce")
        for time_format in time_formats
    ]
    merged_times: Series = times_of_formats[0]
    for times_in_format in times_of_formats[1:]:
        merged_times = merged_times.fillna(times_in_format)
    return merged_times


def _make_time_error(
    series: Series, column_name: str, times_by_format: Mapping[str, Series], *, is_ambiguous: bool
) -> OptionError:
    """Make the error for texts that no format fits, or several formats fit (`is_ambiguous`).

    It names the first text that the format with the fewest misfits does not read.
    """
    blank_mask = series.isna()
    best_times = min(times_by_format.values(), key=lambda times: int(times.isna().sum()))
    named_row_indexes = np.flatnonzero(best_times.isna() & ~blank_mask)
    if not len(named_row_indexes):
        # Several formats read all texts: the first text is named.
        named_row_indexes = np.flatnonzero(~blank_mask)
    row_index = int(named_row_indexes[0])
    reason_text = "can be read in two ways" if is_ambiguous else "is not a time"
    cell_description = f"{column_name}, row {row_index + 1}: {series[row_index]!r:.40}"
    message = f'{cell_description} {reason_text}: pass date_format="%d/%m/%Y"'
    return OptionError([Problem("books", message, "reconcile")])


def _find_unit(times: Times, smallest_clock_unit: str) -> str:
    """Return the unit of times: "D" if all are whole days, else a unit of a clock, such as "s".

    `smallest_clock_unit` is the last unit that the texts write, such as "m" for `13:45`. If the
    times are not whole in it, smaller ones follow, down to "us".
    """
    known_times = times[~np.isnat(times)]
    unit_names = UNITS[UNITS.index(smallest_clock_unit) :]
    for unit in ("D", *unit_names):
        if (known_times.astype(f"datetime64[{unit}]") == known_times).all():
            return unit
    return "us"


def round_times_down(times: Times, unit: str) -> Times:
    """Return times rounded down to a unit: 13:45:30 in "m" becomes 13:45:00."""
    return times.astype(f"datetime64[{unit}]").astype(MICROSECOND)


def time_text(time_value: Any, unit: str) -> str:
    """Return a time of numpy as text: "2026-01-31 09:30:00", or its date for the unit "D"."""
    text_unit = "s" if unit == "m" else unit
    return str(time_value.astype(f"datetime64[{text_unit}]")).replace("T", " ")


def as_timedelta(numpy_difference: Any) -> timedelta:
    """Return a difference of numpy times as a timedelta."""
    return timedelta(microseconds=int(numpy_difference.astype("timedelta64[us]").astype(np.int64)))
