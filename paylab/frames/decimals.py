"""Convert text to exact Arrow decimals with room to compute, and back.

Arrow adds and multiplies into a wider type; past 38 digits it raises an error, or a sum wraps to a
negative number silently. Hence 18 digits if they are enough, checked casts from text only, and an
ExactnessError for what needs more than 38 digits.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from decimal import MAX_EMAX, MAX_PREC, MIN_EMIN, Context, Decimal

import pyarrow as pa
import pyarrow.compute as pc

from ..errors.base import ExactnessError

DIGITS_MAX = 38  # digits in Arrow's decimal128
SHOWN_LENGTH = 40  # maximum length of a value quoted in a message
SCALES = (2, 6, 12, 18)
PRECISIONS = (18, 24, 30, 36)  # a digit is left to add
NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d{1,9})?", re.ASCII)
TOO_LONG = f"the result needs more than {DIGITS_MAX} digits"
WIDEST = pa.decimal256(2 * DIGITS_MAX, DIGITS_MAX)  # holds all numbers of 38 digits
UNLIMITED = Context(prec=MAX_PREC, Emax=MAX_EMAX, Emin=MIN_EMIN)


def read_texts(texts: pa.ChunkedArray, column: str, start: int = 0) -> pa.ChunkedArray:
    """The texts as exact decimals; null and blank are missing, other text is an ExactnessError.

    The type is the narrowest, or `WIDEST` if no other one holds all values. `start` is the number
    of the first row.
    """
    usual = _read_plain_decimals(texts)
    if usual is not None:
        return usual
    numbered_texts = enumerate(texts.to_pylist(), start)
    return _join_numbers([_read(text or "", column, row) for row, text in numbered_texts])


def join(parts: Sequence[pa.ChunkedArray], column: str = "amount") -> pa.ChunkedArray:
    """The parts as one column of the narrowest type that holds them all."""
    joined_type = parts[0].type
    if joined_type == WIDEST or any(part.type != joined_type for part in parts):
        integer_digits = max(map(integers, parts))
        decimal_places = max(part.type.scale for part in parts)
        # Without trailing zeros the values may fit.
        joined_type = working_type(integer_digits, decimal_places) or pa.decimal128(
            DIGITS_MAX, DIGITS_MAX - integer_digits
        )
    try:
        chunks = [chunk.cast(joined_type) for part in parts for chunk in part.chunks]
    except pa.ArrowInvalid:
        raise ExactnessError(_describe_clash(parts, column)) from None
    return pa.chunked_array([pa.concat_arrays(chunks)] if chunks else [], joined_type)


def join_seconds(parts: Sequence[pa.ChunkedArray], column: str) -> pa.ChunkedArray:
    """The parts as integers, or as decimals if a value is not whole."""
    exact = join(parts, column)
    try:
        return exact.cast(pa.int64())
    except pa.ArrowInvalid:
        return exact


def read_decimals(texts: pa.ChunkedArray, column: str, start: int = 0) -> pa.ChunkedArray:
    """The texts as one column of exact decimals."""
    return join([read_texts(texts, column, start)], column)


def from_numbers(numbers: Iterable[Decimal | None], column: str = "amount") -> pa.ChunkedArray:
    """Python's decimals as one column of exact decimals."""
    numbered_values = enumerate(numbers)
    checked = [
        number if number is None else _check_digits(number, column, row)
        for row, number in numbered_values
    ]
    return join([_join_numbers(checked)], column)


def cast_exactly(
    texts: pa.ChunkedArray, column: str, kind: pa.DataType, start: int = 0
) -> pa.ChunkedArray:
    """The texts in a given type; ExactnessError for the first that does not fit."""
    exact = read_decimals(texts, column, start)
    integer_digits = 18
    decimal_places = 0
    if kind != pa.int64():
        integer_digits = kind.precision - kind.scale
        decimal_places = kind.scale
    try:
        if integers(exact) <= integer_digits:  # Arrow's own cast misses some overflows
            return exact.cast(kind)
    except pa.ArrowInvalid:
        pass  # the error below names the row
    misfit_row = _find_misfit(exact, integer_digits, decimal_places)
    message = (
        f"{_shorten(texts[misfit_row].as_py())} does not fit {kind}; a CSV file keeps it as text"
    )
    raise ExactnessError(f"{column}, row {start + misfit_row}: {message}")


def _find_misfit(numbers: pa.ChunkedArray, integer_digits: int, decimal_places: int) -> int:
    """The first row whose value has more digits before or after the point."""
    for row, number in enumerate(numbers.to_pylist()):
        digits_before, digits_after = _count_digits(number or Decimal(0))
        if digits_before > integer_digits or digits_after > decimal_places:
            return row
    raise ValueError("every value fits")


def fits(texts: pa.ChunkedArray, column: str, kind: pa.DataType) -> bool:
    """Whether all texts are exact in a decimal type; also true for one that no type holds."""
    integer_digits, decimal_places = _measure_lengths(texts)
    is_small = integer_digits <= kind.precision - kind.scale and decimal_places <= kind.scale
    if is_small and _is_plain(texts):
        return True
    exact = read_decimals(texts, column)
    try:
        exact.cast(kind)
    except pa.ArrowInvalid:
        return False
    return integers(exact) <= int(kind.precision - kind.scale)


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
    return pa.decimal128(DIGITS_MAX, places) if integers + places <= DIGITS_MAX else None


def fit_width(values: pa.Array) -> pa.Array:
    """Results of up to 76 digits as decimals of up to 38; ExactnessError if one needs more."""
    integer_digits = integers(values)
    decimal_places = min(
        values.type.scale, DIGITS_MAX - integer_digits
    )  # without trailing zeros the values may fit
    precision = next(
        (rung for rung in PRECISIONS if integer_digits + decimal_places <= rung), DIGITS_MAX
    )
    try:
        if integer_digits <= DIGITS_MAX:
            return values.cast(pa.decimal128(precision, decimal_places))
    except pa.ArrowInvalid:
        pass  # raised below
    raise ExactnessError(TOO_LONG)


def narrow_scale(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """The decimals in the narrowest working type that holds them."""
    width = integers(column)
    for scale in (*(rung for rung in SCALES if rung < column.type.scale), column.type.scale):
        try:
            return column.cast(working_type(width, scale) or column.type)
        except pa.ArrowInvalid:
            continue
    return column


def write(decimals: pa.ChunkedArray) -> pa.ChunkedArray:
    """The decimals as text in plain digits: zero is 0.00, never 0E-18."""
    number_texts = decimals.cast(pa.string())
    if not pc.any(pc.match_substring(number_texts, "E")).as_py():
        return number_texts
    plain_texts = [text and format(Decimal(text), "f") for text in number_texts.to_pylist()]
    return pa.chunked_array([pa.array(plain_texts, pa.string())])


def trim(texts: pa.ChunkedArray, scale: int, places: int) -> pa.ChunkedArray:
    """Plain texts of a scale without their last zeros, but with at least some decimal places."""
    if scale <= places:
        return texts
    trimmed = pc.replace_substring_regex(texts, rf"(\.\d{{{places}}}\d*?)0+$", r"\1")
    return pc.utf8_rtrim(trimmed, ".")


def _is_plain(number_texts: pa.ChunkedArray) -> bool:
    """Whether all texts are of digits, minus and points."""
    other_characters = pc.binary_length(pc.ascii_trim(number_texts, "0123456789.-"))
    return pc.max(other_characters).as_py() in (0, None)


def _measure_lengths(number_texts: pa.ChunkedArray) -> tuple[int, int]:
    """The most characters before and after the point."""
    text_lengths = pc.binary_length(number_texts)
    point = pc.find_substring(number_texts, ".")
    is_whole = pc.less(point, 0)
    before = pc.max(pc.if_else(is_whole, text_lengths, point)).as_py()
    after = pc.max(
        pc.if_else(is_whole, 0, pc.subtract(pc.subtract(text_lengths, point), 1))
    ).as_py()
    return before or 0, after or 0


def _read_plain_decimals(number_texts: pa.ChunkedArray) -> pa.ChunkedArray | None:
    """The fast path for texts of digits, minus and points; None for any other text.

    The cast is checked, so that the result is exact.
    """
    if not _is_plain(number_texts):
        return None
    integer_digits, decimal_places = _measure_lengths(number_texts)
    decimal_type = working_type(integer_digits, decimal_places)
    if decimal_type is None or decimal_places > SCALES[-1]:
        return None
    try:
        numbers = number_texts.cast(decimal_type)
    except pa.ArrowInvalid:
        return None
    if decimal_type.precision == PRECISIONS[0]:
        return numbers
    # A minus or a leading zero was counted as a digit.
    return numbers.cast(working_type(integers(numbers), decimal_places))


def _read(number_text: str, column: str, row_number: int) -> Decimal | None:
    """A number of at most 38 digits; None for blank text."""
    stripped = number_text.strip()
    if not stripped:
        return None
    if not NUMBER.fullmatch(stripped):
        raise ExactnessError(f"{column}, row {row_number}: {_shorten(number_text)} is not a number")
    return _check_digits(Decimal(stripped), column, row_number)


def _check_digits(number: Decimal, column: str, row_number: int) -> Decimal:
    """A number, without its trailing zeros if they are many; ExactnessError past 38 digits."""
    if sum(_count_digits(number)) > DIGITS_MAX:
        short_text = _shorten(str(number))
        raise ExactnessError(
            f"{column}, row {row_number}: {short_text} needs more than {DIGITS_MAX} digits"
        )
    return number if 0 <= _count_decimals(number) <= SCALES[-1] else number.normalize(UNLIMITED)


def _count_digits(number: Decimal) -> tuple[int, int]:
    """The digits before and after the point, without trailing zeros."""
    integer_digits = number.adjusted() + 1 if number else 0
    return max(0, integer_digits), max(0, _count_decimals(number.normalize(UNLIMITED)))


def _count_decimals(number: Decimal) -> int:
    return -int(number.as_tuple().exponent)


def _join_numbers(numbers: Sequence[Decimal | None]) -> pa.ChunkedArray:
    """Numbers of at most 38 digits in the narrowest type that holds all of them."""
    chunk = pa.chunked_array([pa.array(numbers, WIDEST)])
    decimal_places = max(
        (_count_decimals(number) for number in numbers if number is not None), default=0
    )
    return chunk.cast(working_type(integers(chunk), max(0, decimal_places)) or WIDEST)


def _describe_clash(column_parts: Sequence[pa.ChunkedArray], column: str) -> str:
    numbers = [value or Decimal(0) for part in column_parts for value in part.to_pylist()]
    sizes = [_count_digits(value) for value in numbers]
    widest_rows = [max(range(len(sizes)), key=lambda row: sizes[row][side]) for side in (0, 1)]
    plain_texts = [format(numbers[row].normalize(UNLIMITED), "f") for row in widest_rows]
    large, fine = (
        f"{_shorten(text)} (row {row})" for text, row in zip(plain_texts, widest_rows, strict=True)
    )
    return f"{column}: {large} and {fine} together need more than {DIGITS_MAX} digits in one column"


def _shorten(number_text: str) -> str:
    return repr(
        number_text if len(number_text) <= SHOWN_LENGTH else f"{number_text[:SHOWN_LENGTH]}…"
    )
