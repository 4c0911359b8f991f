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
from .machine_integers import MACHINE_DIGITS, find_largest, read_unscaled

DIGITS_MAX = 38  # digits in Arrow's decimal128
SHOWN_LENGTH = 40  # maximum length of a value quoted in a message
SCALES = (2, 6, 12, 18)
PRECISIONS = (18, 24, 30, 36)  # a digit is left to add
NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d{1,9})?", re.ASCII)
TOO_LONG = (
    f"the result needs more than {DIGITS_MAX} digits: round the amounts first, as .round(6) does, "
    "and write a / b for a * (1 / b)"
)
WIDEST = pa.decimal256(2 * DIGITS_MAX, DIGITS_MAX)  # holds all numbers of 38 digits
UNLIMITED = Context(prec=MAX_PREC, Emax=MAX_EMAX, Emin=MIN_EMIN)


def read_texts(texts: pa.ChunkedArray, column_name: str, first_row: int = 0) -> pa.ChunkedArray:
    """The texts as exact decimals; null and blank are missing, other text is an ExactnessError.

    The type is the narrowest, or `WIDEST` if no other one holds all numbers. `first_row` is the
    number of the first text in its column, for messages.
    """
    plain_decimals = _read_plain_decimals(texts)
    if plain_decimals is not None:
        return plain_decimals
    numbers = [
        _read_number(number_text or "", column_name, row_number)
        for row_number, number_text in enumerate(texts.to_pylist(), first_row)
    ]
    return _make_narrow_column(numbers)


def join(columns: Sequence[pa.ChunkedArray], column_name: str = "") -> pa.ChunkedArray:
    """The rows of all columns as one column, of the narrowest type that holds every number.

    ExactnessError, with `column_name` and the rows, if no type does; without a name, the columns
    may be operands, and no rows are named.
    """
    joined_type = columns[0].type
    if joined_type == WIDEST or any(column.type != joined_type for column in columns):
        integer_digits = max(map(count_integer_digits, columns))
        decimal_places = max(column.type.scale for column in columns)
        # Without trailing zeros the numbers may fit.
        type_with_fewer_places = pa.decimal128(DIGITS_MAX, DIGITS_MAX - integer_digits)
        joined_type = working_type(integer_digits, decimal_places) or type_with_fewer_places
    try:
        chunks = [chunk.cast(joined_type) for column in columns for chunk in column.chunks]
    except pa.ArrowInvalid:
        raise ExactnessError(_describe_clash(columns, column_name)) from None
    return pa.chunked_array([pa.concat_arrays(chunks)] if chunks else [], joined_type)


def join_seconds(columns: Sequence[pa.ChunkedArray], column_name: str) -> pa.ChunkedArray:
    """The rows of all columns as integers, or as decimals if a number is not whole."""
    seconds = join(columns, column_name)
    try:
        return seconds.cast(pa.int64())
    except pa.ArrowInvalid:
        return seconds


def read_decimals(texts: pa.ChunkedArray, column_name: str, first_row: int = 0) -> pa.ChunkedArray:
    """The texts as one column of exact decimals, of at most 38 digits; see `read_texts`."""
    # `join` raises ExactnessError if no type holds all of them.
    return join([read_texts(texts, column_name, first_row)], column_name)


def from_numbers(numbers: Iterable[Decimal | None], column_name: str = "amount") -> pa.ChunkedArray:
    """Python's decimals as one column of exact decimals; None is missing."""
    checked_numbers = [
        None if number is None else _check_digits(number, column_name, row_number)
        for row_number, number in enumerate(numbers)
    ]
    # `join` raises ExactnessError if no type holds all of them.
    return join([_make_narrow_column(checked_numbers)], column_name)


def from_results(numbers: Iterable[Decimal | None], too_long: str = TOO_LONG) -> pa.ChunkedArray:
    """Computed decimals as one column; ExactnessError that says what to write if none holds all."""
    try:
        return from_numbers(numbers)
    except ExactnessError:
        raise ExactnessError(too_long) from None


def fits(texts: pa.ChunkedArray, column_name: str, decimal_type: pa.DataType) -> bool:
    """Whether the numbers in all texts are exact in a decimal type.

    ExactnessError for a text that is not a number of at most 38 digits.
    """
    integer_digits_max = decimal_type.precision - decimal_type.scale
    integer_digits, decimal_places = _measure_lengths(texts)
    has_short_texts = integer_digits <= integer_digits_max and decimal_places <= decimal_type.scale
    if has_short_texts and _is_plain(texts):
        return True
    numbers = read_decimals(texts, column_name)
    try:
        numbers.cast(decimal_type)
    except pa.ArrowInvalid:
        return False
    return count_integer_digits(numbers) <= int(integer_digits_max)


def count_integer_digits(numbers: pa.Array | pa.ChunkedArray) -> int:
    """The most digits that one of the numbers has before its point; 0 without numbers."""
    if numbers.type.precision <= MACHINE_DIGITS:
        chunks = numbers.chunks if isinstance(numbers, pa.ChunkedArray) else [numbers]
        largest_integer = max([0, *(find_largest(read_unscaled(chunk)) for chunk in chunks)])
        digit_count = len(str(largest_integer)) if largest_integer else 0
        return max(0, digit_count - int(numbers.type.scale))
    smallest_and_largest = pc.min_max(numbers).as_py().values()
    return max([0, *(int(number.adjusted()) + 1 for number in smallest_and_largest if number)])


def working_type(integer_digits: int, decimal_places: int) -> pa.DataType | None:
    """The narrowest type for these digits before and after the point; None past 38."""
    usual_places = next((places for places in SCALES if places >= decimal_places), decimal_places)
    for precision in PRECISIONS:
        if integer_digits + usual_places <= precision:
            return pa.decimal128(precision, usual_places)
    if integer_digits + decimal_places > DIGITS_MAX:
        return None
    return pa.decimal128(DIGITS_MAX, decimal_places)


def fit_width(numbers: pa.Array) -> pa.Array:
    """Results of up to 76 digits as decimals of up to 38; ExactnessError if one needs more."""
    integer_digits = count_integer_digits(numbers)
    # With fewer decimals than those of the type, the numbers may fit: zeros at the end are cut.
    decimal_places = min(numbers.type.scale, DIGITS_MAX - integer_digits)
    digit_count = integer_digits + decimal_places
    precision = next(
        (precision for precision in PRECISIONS if digit_count <= precision), DIGITS_MAX
    )
    try:
        if integer_digits <= DIGITS_MAX:
            return numbers.cast(pa.decimal128(precision, decimal_places))
    except pa.ArrowInvalid:
        pass  # Arrow also refuses some numbers that fit, such as 2**64 - 1
    return from_results(numbers.to_pylist()).combine_chunks()


def narrow_scale(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """The decimals in the narrowest working type that holds them, unchanged if none does."""
    integer_digits = count_integer_digits(column)
    smaller_scales = (places for places in SCALES if places < column.type.scale)
    for decimal_places in (*smaller_scales, column.type.scale):
        narrow_type = working_type(integer_digits, decimal_places) or column.type
        try:
            return column.cast(narrow_type)
        except pa.ArrowInvalid:
            continue
    return column


def write(numbers: pa.ChunkedArray) -> pa.ChunkedArray:
    """The decimals as text in plain digits: zero is 0.00, never 0E-18."""
    number_texts = numbers.cast(pa.string())
    if not pc.any(pc.match_substring(number_texts, "E")).as_py():
        return number_texts
    plain_texts = [
        number_text and format(Decimal(number_text), "f")  # None stays None
        for number_text in number_texts.to_pylist()
    ]
    return pa.chunked_array([pa.array(plain_texts, pa.string())])


def trim_zeros(
    number_texts: pa.ChunkedArray, decimal_places: int, decimal_places_min: int
) -> pa.ChunkedArray:
    """Remove the zeros at the end of texts with `decimal_places` each, down to the minimum.

    With a minimum of 2, 12.3000 becomes 12.30 and 12.3450 becomes 12.345.
    """
    if decimal_places <= decimal_places_min:
        return number_texts
    zeros_pattern = rf"(\.\d{{{decimal_places_min}}}\d*?)0+$"
    trimmed_texts = pc.replace_substring_regex(number_texts, zeros_pattern, r"\1")
    return pc.utf8_rtrim(trimmed_texts, ".")


def _is_plain(number_texts: pa.ChunkedArray) -> bool:
    """Whether all texts are of digits, minus and points."""
    other_character_counts = pc.binary_length(pc.ascii_trim(number_texts, "0123456789.-"))
    return pc.max(other_character_counts).as_py() in (0, None)


def _measure_lengths(number_texts: pa.ChunkedArray) -> tuple[int, int]:
    """The most characters before the point, and after it; 0 and 0 without texts."""
    text_lengths = pc.binary_length(number_texts)
    point_positions = pc.find_substring(number_texts, ".")
    leftmost_point_at, rightmost_point_at = pc.min_max(point_positions).as_py().values()
    all_have_point = leftmost_point_at is not None and leftmost_point_at >= 0
    if all_have_point:  # as amounts usually do
        max_length_from_point = pc.max(pc.subtract(text_lengths, point_positions)).as_py()
        return rightmost_point_at, max_length_from_point - 1
    whole_mask = pc.less(point_positions, 0)
    lengths_before = pc.if_else(whole_mask, text_lengths, point_positions)
    lengths_from_point = pc.subtract(text_lengths, point_positions)
    lengths_after = pc.if_else(whole_mask, 0, pc.subtract(lengths_from_point, 1))
    max_length_before = pc.max(lengths_before).as_py() or 0
    max_length_after = pc.max(lengths_after).as_py() or 0
    return max_length_before, max_length_after


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
    if decimal_type.precision == PRECISIONS[0]:  # the narrowest type
        return numbers
    # A minus or a leading zero was counted as a digit.
    return numbers.cast(working_type(count_integer_digits(numbers), decimal_places))


def _read_number(number_text: str, column_name: str, row_number: int) -> Decimal | None:
    """A number of at most 38 digits; None for blank text."""
    stripped_text = number_text.strip()
    if not stripped_text:
        return None
    if not NUMBER.fullmatch(stripped_text):
        quoted_text = quote_short(number_text)
        raise ExactnessError(f"{column_name}, row {row_number}: {quoted_text} is not a number")
    return _check_digits(Decimal(stripped_text), column_name, row_number)


def _check_digits(number: Decimal, column_name: str, row_number: int) -> Decimal:
    """A number, without its trailing zeros if they are many; ExactnessError past 38 digits."""
    exponent = int(number.as_tuple().exponent)
    # Counting digits takes long: most numbers are seen to be short by their ends.
    is_short = -DIGITS_MAX <= exponent <= 0 and number.adjusted() - exponent < DIGITS_MAX
    if not is_short and sum(count_digits(number)) > DIGITS_MAX:
        number_text = quote_short(str(number))
        raise ExactnessError(
            f"{column_name}, row {row_number}: {number_text} needs more than {DIGITS_MAX} digits"
        )
    has_usual_places = -SCALES[-1] <= exponent <= 0
    return number if has_usual_places else number.normalize(UNLIMITED)


def count_digits(number: Decimal) -> tuple[int, int]:
    """The digits before and after the point, without trailing zeros."""
    integer_digits = number.adjusted() + 1 if number else 0
    decimal_places = _count_decimals(number.normalize(UNLIMITED))
    return max(0, integer_digits), max(0, decimal_places)


def _count_decimals(number: Decimal) -> int:
    """The digits after the point; less than 0 for a number such as 1E+3."""
    return -int(number.as_tuple().exponent)


def _make_narrow_column(numbers: Sequence[Decimal | None]) -> pa.ChunkedArray:
    """Numbers of at most 38 digits in the narrowest type that holds all of them."""
    narrow_type = _find_narrow_type(numbers)
    if narrow_type is None:  # they may fit without zeros at the end
        numbers = [None if number is None else number.normalize(UNLIMITED) for number in numbers]
        narrow_type = _find_narrow_type(numbers)
    # No type fits if one number has many digits before the point and another many after it.
    return pa.chunked_array([pa.array(numbers, narrow_type or WIDEST)])


def _find_narrow_type(numbers: Sequence[Decimal | None]) -> pa.DataType | None:
    """The narrowest type for all digits of the numbers; None past 38."""
    decimal_places = max(
        [0, *(_count_decimals(number) for number in numbers if number is not None)]
    )
    integer_digits = max([0, *(number.adjusted() + 1 for number in numbers if number)])
    return working_type(integer_digits, decimal_places)


def _describe_clash(columns: Sequence[pa.ChunkedArray], column_name: str) -> str:
    """Name the two numbers with the most digits before and after the point, and their rows."""
    amounts = [number or Decimal(0) for column in columns for number in column.to_pylist()]
    digit_counts = [count_digits(number) for number in amounts]
    row_numbers = range(len(amounts))
    largest_row_number = max(row_numbers, key=lambda row_number: digit_counts[row_number][0])
    finest_row_number = max(row_numbers, key=lambda row_number: digit_counts[row_number][1])
    clashing_texts = [
        quote_short(format(amounts[row_number].normalize(UNLIMITED), "f"))
        + (f" (row {row_number})" if column_name else "")
        for row_number in (largest_row_number, finest_row_number)
    ]
    return (
        f"{column_name or 'amounts'}: {' and '.join(clashing_texts)} together need more than "
        f"{DIGITS_MAX} digits in one column"
    )


def quote_short(number_text: str) -> str:
    """A text in quotes for a message, cut if it is long."""
    return repr(f"{number_text:.{SHOWN_LENGTH}}{'…' * (len(number_text) > SHOWN_LENGTH)}")
