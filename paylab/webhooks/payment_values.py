"""Read the cells of a column as exact amounts or as words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import NamedTuple, Self

from ..errors.base import ExactnessError, OptionError, Problem
from ..errors.extras import extra_imports
from ..frames import decimals
from ..frames.currency_rows import CurrencyRows
from ..frames.decimal_array import DecimalArray
from .cell_texts import Series, cell_text, cell_texts

with extra_imports():
    import numpy as np
    import pandas as pd
    import pyarrow as pa
    import pyarrow.compute as pc
    from numpy.typing import NDArray

GROUP_MARKS = "['\u2019\u00a0\u202f ]"
MISPLACED_MARK = rf"[0-9.,]{GROUP_MARKS}+[0-9.,]"
"""A mark inside a number; it is misplaced unless the whole number is one of GROUPED_BY_MARKS."""
GROUPED_BY_MARKS = (
    rf"^[^0-9]*([0-9]{{1,3}}|[0-9]{{1,2}}({GROUP_MARKS}[0-9]{{2}})*)({GROUP_MARKS}[0-9]{{3}})+"
    r"([.,][0-9]*)?[^0-9]*$"
)
ACCOUNTING_NEGATIVE = r"^\((.*)\)$|^([^-]+)-$"
NUMBER_PATTERNS = {
    ".": r"^[+-]?([0-9]+|[0-9]{1,3}(,[0-9]{3})+|[0-9]{1,2}(,[0-9]{2})*,[0-9]{3})?(\.[0-9]*)?$",
    ",": r"^[+-]?([0-9]+|[0-9]{1,3}(\.[0-9]{3})+)?(,[0-9]*)?$",
}
"""Numbers by their decimal mark; the other mark groups thousands, also as in India."""
TWO_POINTS = r"\..*\."
GROUPED_BY_POINTS = r"^[+-]?[1-9][0-9]{0,2}(\.[0-9]{3})+$"


class WordColumn(NamedTuple):
    """A column of words: the index of the word in each row, -1 for none, and the words."""

    word_indexes: NDArray[np.int64]
    texts: list[str]

    def take(self, rows: NDArray[np.int64]) -> Self:
        """Return the column of some rows."""
        return self._replace(word_indexes=self.word_indexes[rows])

    def text(self, row: int) -> str | None:
        """Return the word of a row; None for a blank cell."""
        word_index = self.word_indexes[row]
        return None if word_index < 0 else self.texts[word_index]


def read_amounts(
    columns: Mapping[str, Series], decimal_mark: str | None, *, has_semicolons: bool = False
) -> tuple[dict[str, DecimalArray], str]:
    """Read exact amounts by column name, and make a note on the decimal mark that was found.

    The note is empty if the mark was given, or is the usual one. ExactnessError names the column
    and the row, counted from 1, of a cell that is no amount. OptionError if texts such as `1,234`
    can have either decimal mark; in a file with semicolons between its cells, so can `1.234`.
    """
    amounts_by_name: dict[str, DecimalArray] = {}
    texts_by_name: dict[str, pa.Array] = {}
    for column_name, column in columns.items():
        if _is_exact(column):
            amounts_by_name[column_name] = DecimalArray(_convert_to_decimals(column))
        else:
            texts_by_name[column_name] = _normalize_signs(cell_texts(column))
    found_mark = decimal_mark or _find_decimal_mark(texts_by_name.values())
    for column_name, amount_texts in texts_by_name.items():
        number_texts = pa.chunked_array([_use_decimal_point(amount_texts, column_name, found_mark)])
        first_row_number = 1
        amounts = decimals.read_decimals(number_texts, column_name, first_row_number)
        amounts_by_name[column_name] = DecimalArray(amounts)
    if decimal_mark:
        return amounts_by_name, ""
    return amounts_by_name, _describe_mark(found_mark, texts_by_name.values(), has_semicolons)


def make_amounts(
    numbers: Iterable[Decimal | None], currencies: Iterable[str | None]
) -> DecimalArray:
    """Return a column of amounts that know their currencies; "" and None are unknown ones."""
    known_currencies = pd.Series([currency or None for currency in currencies], dtype=object)
    return DecimalArray(decimals.from_numbers(numbers), CurrencyRows.of(known_currencies))


def _describe_mark(decimal_sign: str, columns: Iterable[pa.Array], has_semicolons: bool) -> str:
    """Describe a decimal comma, or a point that may group thousands in all numbers that have it.

    Such a point is an OptionError in a file with semicolons, where decimal commas are usual.
    """
    if decimal_sign == ",":
        return "decimal comma was found"
    amount_texts = pa.chunked_array(list(columns), pa.string())
    texts_with_point = amount_texts.filter(pc.match_substring(amount_texts, "."))
    if texts_with_point.length() == 0 or not _all_match(texts_with_point, GROUPED_BY_POINTS):
        return ""
    first_text = texts_with_point[0].as_py()
    if has_semicolons:
        raise OptionError([Problem("decimal", _ask_for_mark(first_text, "point"), "reconcile")])
    advice_text = 'pass decimal="," if it groups thousands'
    return f"decimal point was found, in {first_text:.40}: {advice_text}"


def _is_exact(column: Series) -> bool:
    """Return whether a column has decimals or integers."""
    dtype = column.dtype
    if isinstance(dtype, pd.ArrowDtype):
        arrow_type = dtype.pyarrow_dtype
        return bool(pa.types.is_decimal(arrow_type) or pa.types.is_integer(arrow_type))
    return isinstance(column.array, DecimalArray) or pd.api.types.is_integer_dtype(dtype)


def _convert_to_decimals(column: Series) -> pa.Array:
    """Return a column of decimals or integers as an Arrow array of decimals."""
    column_array = pa.array(column)
    if isinstance(column_array, pa.ChunkedArray):
        column_array = column_array.combine_chunks()
    return (
        column_array.cast(pa.decimal128(20, 0))
        if pa.types.is_integer(column_array.type)
        else column_array
    )


def _normalize_signs(amount_texts: pa.Array) -> pa.Array:
    """Write numbers without marks between groups of digits, and with the minus in front.

    "(1 234.50)" and "1'234.50-" become "-1234.50"; "12 34.50" stays, since it is no number.
    """
    unusual_sign_pattern = rf"\x{{2212}}|[()]|-$|{GROUP_MARKS}"
    if not pc.any(pc.match_substring_regex(amount_texts, unusual_sign_pattern)).as_py():
        return amount_texts
    without_marks = pc.replace_substring_regex(amount_texts, GROUP_MARKS, "")
    is_misplaced = pc.and_not(
        pc.match_substring_regex(amount_texts, MISPLACED_MARK),
        pc.match_substring_regex(amount_texts, GROUPED_BY_MARKS),
    )
    ungrouped_texts = pc.if_else(is_misplaced, amount_texts, without_marks)
    signed_texts = pc.replace_substring(ungrouped_texts, "\u2212", "-")
    return pc.replace_substring_regex(signed_texts, ACCOUNTING_NEGATIVE, r"-\1\2")


def _find_decimal_mark(columns: Iterable[pa.Array]) -> str:
    """Find the decimal mark of all numbers: a comma if it fits all of them, and a point does not.

    OptionError if both fit, as in "1,234". If neither fits, it is a point. Points that a number has
    twice group its thousands, as in "1.234.567": then the mark is a comma.
    """
    amount_texts = pa.chunked_array(list(columns), pa.string())
    comma_mask = pc.match_substring(amount_texts, ",")
    if not pc.any(comma_mask).as_py():
        has_groups = pc.any(pc.match_substring_regex(amount_texts, TWO_POINTS)).as_py()
        is_comma = has_groups and _all_match(amount_texts, NUMBER_PATTERNS[","])
        return "," if is_comma else "."
    possible_marks = [
        decimal_mark
        for decimal_mark, pattern in NUMBER_PATTERNS.items()
        if _all_match(amount_texts, pattern)
    ]
    if len(possible_marks) > 1:
        text_with_comma = amount_texts.filter(comma_mask)[0].as_py()
        message = _ask_for_mark(text_with_comma, "comma")
        raise OptionError([Problem("decimal", message, "reconcile")])
    return possible_marks[0] if possible_marks else "."


def _ask_for_mark(amount_text: str, mark_name: str) -> str:
    """The message about an amount that can be read with either decimal mark."""
    question_text = f"{amount_text!r:.40} does not say whether the {mark_name} is decimal"
    return f'{question_text}: pass decimal="," or decimal="."'


def _all_match(amount_texts: pa.ChunkedArray, pattern: str) -> bool:
    """Return whether all texts match; nulls do not count."""
    return pc.all(pc.match_substring_regex(amount_texts, pattern)).as_py() is not False


def _use_decimal_point(amount_texts: pa.Array, column_name: str, decimal_sign: str) -> pa.Array:
    """Write numbers with a decimal point and without marks between groups of digits.

    ExactnessError names the first row that is no number with this decimal mark.
    """
    if decimal_sign == "." and not pc.any(pc.match_substring(amount_texts, ",")).as_py():
        return amount_texts
    number_mask = pc.match_substring_regex(amount_texts, NUMBER_PATTERNS[decimal_sign])
    invalid_row_indexes = pc.indices_nonzero(pc.invert(number_mask))
    if len(invalid_row_indexes):
        row_index = invalid_row_indexes[0].as_py()
        invalid_text = amount_texts[row_index].as_py()
        short_text = invalid_text[: decimals.SHOWN_LENGTH]
        if short_text != invalid_text:
            short_text += "…"
        raise ExactnessError(
            f"{column_name}, row {row_index + 1}: {short_text!r} is not a number with the decimal "
            f"mark {decimal_sign!r}: pass decimal=, or correct it"
        )
    group_mark = "." if decimal_sign == "," else ","
    ungrouped_texts = pc.replace_substring(amount_texts, group_mark, "")
    return pc.replace_substring(ungrouped_texts, decimal_sign, ".")


def word_column(column: Series) -> WordColumn:
    """Read the words of a column as trimmed text."""
    if isinstance(column.dtype, pd.CategoricalDtype):
        category_codes = np.asarray(column.cat.codes, dtype=np.int64)
        return WordColumn(category_codes, [str(cell_text(word)) for word in column.cat.categories])
    encoded_words = cell_texts(column).dictionary_encode()
    word_indexes = np.asarray(encoded_words.indices.fill_null(-1), dtype=np.int64)
    return WordColumn(word_indexes, encoded_words.dictionary.to_pylist())
