"""Convert text to exact Arrow decimals with room to compute, and back.

Arrow adds and multiplies into a wider type; past 38 digits it raises an error, or a sum wraps to a
negative number silently. Hence 18 digits if they are enough, checked casts from text only, and an
ExactnessError for what needs more than 38 digits.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal

import pyarrow as pa
import pyarrow.compute as pc

from ..errors.base import ExactnessError

MOST = 38  # digits in Arrow's decimal128
SHOWN = 40  # maximum length of a value quoted in a message
SCALES = (2, 6, 12, 18)
PRECISIONS = (18, 24, 30, 36)  # a digit is left to add
PLAIN = r"^-?[0-9]{1,20}(\.[0-9]{1,18})?$"
NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d{1,9})?", re.ASCII)


@dataclass(frozen=True)
class DecimalPart:
    """Some rows of a column, in the narrowest type, or as text if no type fits."""

    values: pa.ChunkedArray
    integers: int
    places: int


def part(texts: pa.ChunkedArray, column: str, start: int = 0) -> DecimalPart:
    """The texts as exact decimals; null and blank are missing, other text is an ExactnessError.

    `start` is the number of the first row.
    """
    usual = _usual(texts)
    if usual is not None:
        return usual
    plain = _plain(texts, column, start)
    integers, places = measure(plain)
    kind = working_type(integers, places)
    return DecimalPart(plain.cast(kind) if kind else plain, integers, places)


def join(parts: Sequence[DecimalPart], column: str) -> pa.ChunkedArray:
    """The parts as one column of the narrowest type that holds them all."""
    widest = max(part.integers for part in parts), max(part.places for part in parts)
    kind = working_type(*widest)
    if kind is None:  # without trailing zeros the values may fit
        return _squeezed(parts, column)
    chunks = [chunk.cast(kind) for part in parts for chunk in part.values.chunks]
    return pa.chunked_array([pa.concat_arrays(chunks)] if chunks else [], kind)


def join_seconds(parts: Sequence[DecimalPart], column: str) -> pa.ChunkedArray:
    """The parts as integers, or as decimals if a value is not whole."""
    exact = join(parts, column)
    try:
        return exact.cast(pa.int64())
    except pa.ArrowInvalid:
        return exact


def read_decimals(texts: pa.ChunkedArray, column: str, start: int = 0) -> pa.ChunkedArray:
    """The texts as one column of exact decimals."""
    return join([part(texts, column, start)], column)


def read_seconds(texts: pa.ChunkedArray, column: str) -> pa.ChunkedArray:
    """The texts as one column of integers, or of decimals."""
    return join_seconds([part(texts, column)], column)


def at(texts: pa.ChunkedArray, column: str, kind: pa.DataType, start: int = 0) -> pa.ChunkedArray:
    """The texts in a given type; ExactnessError for the first that does not fit."""
    exact = read_decimals(texts, column, start)
    try:
        return rescaled(exact, kind)
    except pa.ArrowInvalid:
        row = next(row for row, value in enumerate(exact.to_pylist()) if not _fits(value, kind))
        message = f"{_short(texts[row].as_py())} does not fit {kind}; a CSV file keeps it as text"
        raise ExactnessError(f"{column}, row {start + row}: {message}") from None


def rescaled(exact: pa.ChunkedArray, kind: pa.DataType) -> pa.ChunkedArray:
    """The decimals in another type; ArrowInvalid if a value does not fit.

    Arrow's own cast misses some overflows when it adds decimal places.
    """
    if pa.types.is_decimal(kind) and integers(exact) + kind.scale > kind.precision:
        raise pa.ArrowInvalid(f"a value does not fit {kind}")
    return exact.cast(kind)


def integers(values: pa.Array | pa.ChunkedArray) -> int:
    """The largest number of digits before the point."""
    extremes = pc.min_max(values).as_py().values()
    return max([0, *(int(value.adjusted()) + 1 for value in extremes if value)])


def working_type(integers: int, places: int) -> pa.DataType | None:
    """The narrowest type for these digits before and after the point; None past 38."""
    scale = next((rung for rung in SCALES if rung >= places), places)
    for precision in PRECISIONS:
        if integers + scale <= precision:
            return pa.decimal128(precision, scale)
    return pa.decimal128(MOST, places) if integers + places <= MOST else None


def narrowest(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """The decimals in the narrowest working type that holds them."""
    width = integers(column)
    for places in (*(rung for rung in SCALES if rung < column.type.scale), column.type.scale):
        try:
            return column.cast(working_type(width, places) or column.type)
        except pa.ArrowInvalid:
            continue
    return column


def write(decimals: pa.ChunkedArray) -> pa.ChunkedArray:
    """The decimals as text in plain digits: zero is 0.00, never 0E-18."""
    texts = decimals.cast(pa.string())
    if not pc.any(pc.match_substring(texts, "E")).as_py():
        return texts
    return each(texts, lambda text, _: format(Decimal(text), "f"))


def _usual(texts: pa.ChunkedArray) -> DecimalPart | None:
    """The fast path for texts of few digits, minus and points; None for any other text.

    The cast is checked, so that the result is exact.
    """
    if not _only_digits(texts):
        return None
    length, point = pc.binary_length(texts), pc.find_substring(texts, ".")
    first, last = pc.min_max(point).as_py().values()
    if first is None or first < 0 <= last:  # no values, or integers among others
        return None
    integers = last if last >= 0 else pc.max(length).as_py()
    places = max(0, pc.max(pc.subtract(length, point)).as_py() - 1) if last >= 0 else 0
    kind = working_type(integers, places)
    # For a wider type a minus or a leading zero may be the reason.
    if kind is None or kind.precision > PRECISIONS[0]:
        return None
    try:
        return DecimalPart(texts.cast(kind), integers, places)
    except pa.ArrowInvalid:
        return None


def _only_digits(texts: pa.ChunkedArray) -> bool:
    """Whether the texts contain only characters of plain numbers."""
    return texts.type == pa.string() and not any(
        _bytes(chunk).translate(None, b"0123456789.-") for chunk in texts.chunks
    )


def _bytes(texts: pa.Array) -> bytes:
    """The characters of all texts, concatenated."""
    _, offsets, data = texts.buffers()
    if not len(texts) or data is None:
        return b""
    ends = memoryview(offsets).cast("i")
    begin, end = ends[texts.offset], ends[texts.offset + len(texts)]
    return bytes(memoryview(data)[begin:end])


def _plain(texts: pa.ChunkedArray, column: str, start: int) -> pa.ChunkedArray:
    """The texts as plain digits; texts that are plain already are unchanged."""
    if pc.all(pc.match_substring_regex(texts, PLAIN)).as_py() in (True, None):
        return texts
    return each(texts, lambda text, row: _digits(text, column, start + row))


def _fits(value: Decimal | None, kind: pa.DataType) -> bool:
    """Whether a type holds a value; Arrow's own conversion turns 1E-57 into zero."""
    whole, _, places = format(value or Decimal(0), "f").lstrip("-").partition(".")
    fits = len(whole.lstrip("0")) <= kind.precision - kind.scale
    return bool(fits and len(places.rstrip("0")) <= kind.scale)


def _squeezed(parts: Sequence[DecimalPart], column: str) -> pa.ChunkedArray:
    texts = [chunk for part in parts for chunk in part.values.cast(pa.string()).chunks]
    plain = trimmed(pa.chunked_array(texts, pa.string()))
    kind = working_type(*measure(plain))
    if kind is None:
        raise ExactnessError(_clash(plain, column))
    return plain.cast(kind)


def trimmed(values: pa.ChunkedArray) -> pa.ChunkedArray:
    """The decimals as text in plain digits, without trailing zeros."""
    return each(write(values), lambda text, _: shortest(text))


def each(texts: pa.ChunkedArray, change: Callable[[str, int], str | None]) -> pa.ChunkedArray:
    """Apply a function of the text and its row to each text."""
    changed = [text and change(text, row) for row, text in enumerate(texts.to_pylist())]
    return pa.chunked_array([pa.array([text or None for text in changed], pa.string())])


def _digits(text: str, column: str, row: int) -> str | None:
    """A number in plain digits, at most 38; None for blank text."""
    stripped = text.strip()
    if not stripped:
        return None
    if not NUMBER.fullmatch(stripped):
        raise ExactnessError(f"{column}, row {row}: {_short(text)} is not a number")
    number = Decimal(stripped)
    if not number:
        return format(number, "f") if -SCALES[-1] <= number.adjusted() <= 0 else "0"
    if abs(number.adjusted()) <= MOST:  # a huge exponent could fill the memory
        plain = format(number, "f")
        if _lengths(plain)[1] > SCALES[-1]:
            plain = shortest(plain)  # trailing zeros alone may need that many places
        if sum(_lengths(plain)) <= MOST:
            return plain
    raise ExactnessError(f"{column}, row {row}: {_short(text)} needs more than {MOST} digits")


def shortest(plain: str) -> str:
    """Plain digits without trailing zeros."""
    return plain.rstrip("0").rstrip(".") if "." in plain else plain


def _lengths(plain: str) -> tuple[int, int]:
    before, _, after = plain.lstrip("-0").partition(".")
    return len(before), len(after)


def measure(plain: pa.ChunkedArray) -> tuple[int, int]:
    """The largest numbers of digits before and after the point."""
    integers, places = _digit_counts(plain)
    return pc.max(integers).as_py() or 0, pc.max(places).as_py() or 0


def _digit_counts(plain: pa.ChunkedArray) -> tuple[pa.ChunkedArray, pa.ChunkedArray]:
    digits = pc.utf8_ltrim(plain, "-0")
    length, point = pc.binary_length(digits), pc.find_substring(digits, ".")
    whole = pc.less(point, 0)
    places = pc.subtract(pc.subtract(length, point), 1)
    return pc.if_else(whole, length, point), pc.if_else(whole, 0, places)


def _clash(plain: pa.ChunkedArray, column: str) -> str:
    rows = [pc.index(counts, pc.max(counts)).as_py() for counts in _digit_counts(plain)]
    large, fine = (f"{_short(plain[row].as_py())} (row {row})" for row in rows)
    return f"{column}: {large} and {fine} together need more than {MOST} digits in one column"


def _short(text: str) -> str:
    return repr(text if len(text) <= SHOWN else f"{text[:SHOWN]}…")
