"""Amounts are exact or raise an error; the expected values come from Python's Decimal."""

from __future__ import annotations

import operator
from decimal import Context, Decimal, localcontext

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from analyst_frames import failures
from hypothesis import example, given, settings
from hypothesis import strategies as st

from paylab import frames
from paylab.errors import ExactnessError
from paylab.frames import arithmetic, decimals, parquet_types
from paylab.frames.decimal_array import DecimalArray

EXACT = Context(prec=400)
FIRST_BATCH_PAGES = settings(max_examples=40)


def read(*texts: str | None) -> pa.ChunkedArray:
    """A column of amounts."""
    return decimals.read_decimals(pa.chunked_array([pa.array(texts, pa.string())]), "source_amount")


def series(*texts: str | None) -> pd.Series:
    """A column of amounts in pandas."""
    return pd.Series(DecimalArray(read(*texts)))


def digits_needed(text: str) -> int:
    """The number of digits without leading zeros and without trailing zeros after the point."""
    _, digits, exponent = Decimal(text).as_tuple()
    plain = "".join(map(str, digits)).lstrip("0")
    while exponent < 0 and plain.endswith("0"):
        plain, exponent = plain[:-1], exponent + 1
    return max(len(plain) + max(exponent, 0), -exponent) if plain else 0


def numbers(most: int = 50) -> st.SearchStrategy[str]:
    """Decimal text of up to `most` digits, with sign, point and sometimes an exponent."""
    digits = st.text("0123456789", min_size=1, max_size=most)
    parts = st.tuples(st.sampled_from(["", "-", "+"]), digits, st.integers(0, most))
    point = parts.map(lambda p: f"{p[0]}{p[1][: p[2]] or '0'}.{p[1][p[2] :] or '0'}")
    power = st.integers(-90, 90).map(lambda n: f"e{n}")
    return st.builds("{}{}".format, point, st.just("") | power)


def money() -> st.SearchStrategy[str]:
    """Amounts of up to 16 digits, two of them after the point."""
    return st.integers(-(10**16) + 1, 10**16 - 1).map(lambda n: str(Decimal(n).scaleb(-2)))


@pytest.mark.parametrize(
    ("texts", "kind"),
    [
        ([], pa.decimal128(18, 2)),
        ([None, ""], pa.decimal128(18, 2)),
        (["10"], pa.decimal128(18, 2)),
        (["9999999999999999.99"], pa.decimal128(18, 2)),
        (["10000000000000000.00"], pa.decimal128(24, 2)),
        (["0.000001", "999999999999"], pa.decimal128(18, 6)),
        (["10.250000"], pa.decimal128(18, 6)),
        (["16.71123456"], pa.decimal128(18, 12)),
        (["0.000000000000000001"], pa.decimal128(18, 18)),
        (["1.000000000000000001"], pa.decimal128(24, 18)),
        (["0.10000000000000e0"], pa.decimal128(18, 18)),
        (["1" * 28], pa.decimal128(30, 2)),
        (["1" * 29], pa.decimal128(36, 2)),
        (["1" * 34], pa.decimal128(36, 2)),
        (["1" * 35], pa.decimal128(38, 0)),
        (["1" * 37 + ".1"], pa.decimal128(38, 1)),
        (["1" * 38], pa.decimal128(38, 0)),
        (["1" * 37, "5.00"], pa.decimal128(38, 0)),
        (["1." + "0" * 80], pa.decimal128(18, 2)),
        (["0E-40", "0E+40", "-0.00"], pa.decimal128(18, 2)),
    ],
)
def test_a_column_has_the_narrowest_type_that_holds_its_values(
    texts: list[str | None], kind: pa.DataType
) -> None:
    """A column has the narrowest type that holds its values."""
    assert read(*texts).type == kind


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("10.25", "10.25"),
        ("  10.25\n", "10.25"),
        ("+5", "5"),
        ("1e3", "1000"),
        ("-1.5E-7", "-0.00000015"),
        (".5", "0.5"),
        ("5.", "5"),
        ("000123.40", "123.4"),
        ("123456789012345678.123456789012345678", "123456789012345678.123456789012345678"),
        ("99999999999999999999", "99999999999999999999"),
    ],
)
def test_every_valid_notation_of_a_number_is_read_as_that_number(text: str, value: str) -> None:
    """Every valid notation of a number is read as that number."""
    assert read(text).to_pylist() == [Decimal(value)]


@pytest.mark.parametrize(
    "junk",
    [
        "NaN",
        "Infinity",
        "1_000",
        "1,000.00",
        "1 000",
        "$5",
        "٣",
        "1²",
        "--1",
        "1.2.3",
        "0x10",
        "ten",
        "true",
        "1e",
        ".",
        "-",
        "5\x00",
    ],
)
def test_text_that_is_no_number_is_an_error_with_its_column_and_row(junk: str) -> None:
    """Text that is not a number raises an error with its column, row and value."""
    with pytest.raises(ExactnessError) as caught:
        read("1.00", None, junk)
    assert str(caught.value) == f"source_amount, row 2: {junk!r} is not a number"


@pytest.mark.parametrize(("count", "shown"), [(40, "x" * 40), (41, "x" * 40 + "…")])
def test_a_long_value_is_cut_in_a_message(count: int, shown: str) -> None:
    """A message has at most 40 characters of a value."""
    with pytest.raises(ExactnessError, match=f"row 0: '{shown}' is not a number"):
        read("x" * count)


@pytest.mark.parametrize("text", ["1" * 39, "1e38", "1e-39", "1e999999999", "1e-999999999"])
def test_a_number_of_more_than_38_digits_is_refused(text: str) -> None:
    """A number that needs more than 38 digits is refused, however large its exponent is."""
    with pytest.raises(ExactnessError, match=r"row 1: '1.* needs more than 38 digits"):
        read("1.00", text)


def test_two_values_that_share_no_type_are_both_named() -> None:
    """If no type holds both the largest and the finest value, the error names both."""
    with pytest.raises(ExactnessError, match=r"source_amount: '1e?.*\(row 1\) and .*\(row 0\)"):
        read("0." + "1" * 20, "1" * 20)


@FIRST_BATCH_PAGES
@given(numbers())
def test_any_number_of_up_to_38_digits_is_read_exactly(text: str) -> None:
    """Any number of up to 38 digits is read exactly; any longer one is refused."""
    if digits_needed(text) > 38:
        with pytest.raises(ExactnessError):
            read(text)
    else:
        assert read(text).to_pylist() == [Decimal(text)]


@FIRST_BATCH_PAGES
@given(st.lists(st.none() | numbers(30) | money(), max_size=6))
def test_a_column_is_read_exactly_as_a_whole_or_refused_as_a_whole(texts: list[str | None]) -> None:
    """A column is read exactly as a whole, or refused as a whole."""
    try:
        values = read(*texts).to_pylist()
    except ExactnessError:
        assert sum(digits_needed(text) for text in texts if text) > 38
        return
    assert values == [text and Decimal(text) for text in texts]


def test_results_do_not_depend_on_the_precision_of_the_current_decimal_context() -> None:
    """Results do not depend on the precision of the current decimal context."""
    texts = ["1234567890.123456", "1e3", "-0.000001"]
    with localcontext(Context(prec=2)):
        written, sum_ = decimals.write(read(*texts)).to_pylist(), series(*texts).sum()
    assert written == ["1234567890.123456", "1000.000000", "-0.000001"]
    assert str(sum_) == "1234568890.123455"


@FIRST_BATCH_PAGES
@given(st.text(max_size=12))
def test_any_text_is_read_exactly_or_refused(text: str) -> None:
    """Any text is read as a number, read as missing because it is blank, or refused."""
    try:
        (value,) = read(text).to_pylist()
    except ExactnessError:
        return
    assert value == Decimal(text) if text.strip() else value is None


@FIRST_BATCH_PAGES
@given(st.lists(numbers(38), min_size=1, max_size=6))
def test_written_amounts_are_read_as_the_same_numbers(texts: list[str]) -> None:
    """Amounts are written in plain digits, which are read as the same numbers and type."""
    try:
        column = read(*texts)
    except ExactnessError:
        return
    written = decimals.write(column).to_pylist()
    assert not any("E" in text for text in written)
    assert read(*written).equals(column)


@FIRST_BATCH_PAGES
@given(st.lists(st.tuples(money(), money()), min_size=1, max_size=5))
def test_columns_of_money_add_and_subtract_exactly(pairs: list[tuple[str, str]]) -> None:
    """Columns of money add and subtract exactly."""
    left, right = (series(*side) for side in zip(*pairs, strict=True))
    sums, differences = (left + right).tolist(), (left - right).tolist()
    assert sums == [Decimal(a) + Decimal(b) for a, b in pairs]
    assert differences == [Decimal(a) - Decimal(b) for a, b in pairs]


@pytest.mark.parametrize("op", [operator.add, operator.sub, operator.mul])
@FIRST_BATCH_PAGES
@given(pairs=st.lists(st.tuples(numbers(30), numbers(30)), min_size=1, max_size=4))
def test_results_of_many_digits_equal_python_results_or_raise_exactnesserror(
    op, pairs: list[tuple[str, str]]
) -> None:
    """Results of many digits equal Python's results, or raise ExactnessError."""
    try:
        found = op(*(series(*side) for side in zip(*pairs, strict=True))).tolist()
    except ExactnessError:
        return
    with localcontext(EXACT):
        assert found == [op(Decimal(a), Decimal(b)) for a, b in pairs]


@FIRST_BATCH_PAGES
@given(st.lists(st.tuples(numbers(38), st.sampled_from("ab")), min_size=1, max_size=6))
def test_sums_of_groups_equal_python_sums_or_raise_exactnesserror(
    rows: list[tuple[str, str]],
) -> None:
    """Sums of groups equal Python's sums, or raise ExactnessError."""
    texts, keys = zip(*rows, strict=True)
    try:
        found = series(*texts).groupby(list(keys)).sum().to_dict()
    except ExactnessError:
        return
    with localcontext(EXACT):
        for key, value in found.items():
            assert value == sum(Decimal(t) for t, k in rows if k == key)


@FIRST_BATCH_PAGES
@given(st.lists(numbers(40), min_size=1, max_size=4))
@example(["0.1e-56"])  # so small that Arrow reads it as zero
def test_a_value_that_a_type_cannot_hold_is_an_error(texts: list[str]) -> None:
    """A value that a type cannot hold raises ExactnessError; it is never changed."""
    column = pa.chunked_array([pa.array(texts, pa.string())])
    try:
        found = parquet_types.cast_exactly(column, "amount", pa.decimal128(38, 18)).to_pylist()
    except ExactnessError:
        return
    assert found == [Decimal(text) for text in texts]


@FIRST_BATCH_PAGES
@given(st.integers(-(10**18) + 1, 10**18 - 1), st.integers(1, 10**12 - 1), st.integers(0, 12))
def test_an_amount_times_a_rate_is_exact(cents: int, rate: int, places: int) -> None:
    """An amount times a rate is exact."""
    amount, factor = Decimal(cents).scaleb(-2, EXACT), Decimal(rate).scaleb(-places, EXACT)
    (product,) = series(format(amount, "f")) * series(format(factor, "f"))
    assert product == EXACT.multiply(amount, factor)


@FIRST_BATCH_PAGES
@given(st.lists(numbers(38), max_size=8))
def test_a_total_equals_the_sum_of_python_or_is_refused(texts: list[str]) -> None:
    """A total equals Python's sum, or is refused because it needs more than 38 digits."""
    try:
        column = series(*texts)
    except ExactnessError:
        return
    with localcontext(EXACT):
        expected = sum(map(Decimal, texts), Decimal(0))
    if digits_needed(f"{expected:f}") > 38:
        with pytest.raises(ExactnessError, match="more than 38 digits"):
            column.sum()
    else:
        assert column.sum() == expected


@pytest.mark.parametrize(
    ("column", "expected"),
    [
        (series(*["9999999999999999.99"] * 3), "29999999999999999.97"),
        (series(*["99999999999999999999.999999999999"] * 3), "299999999999999999999.999999999997"),
        (series(*["3" * 38] * 3), "9" * 38),
        (series("9" * 38, "1", "-1"), "9" * 38),
        (series("1.10", None, "-0.10"), "1.00"),
        (series(), "0"),
        (series(None), "0"),
    ],
)
def test_totals_are_exact_at_every_width(column: pd.Series, expected: str) -> None:
    """Totals are exact at every width; none overflows to a negative number."""
    assert column.sum() == Decimal(expected)


@pytest.mark.parametrize(
    ("kind", "least", "most"),
    [
        ("Int8", -128, 127),
        ("int16", -(2**15), 2**15 - 1),
        ("Int32", -(2**31), 2**31 - 1),
        ("UInt8", 0, 255),
        ("Int64", -(2**63), 2**63 - 1),
    ],
)
def test_whole_amounts_become_integers_or_are_refused(kind: str, least: int, most: int) -> None:
    """Whole amounts become integers; a value out of range is an error, not another number."""
    found = series(f"{least}.00", f"{most}.00").astype(kind)
    assert (str(found.dtype), found.tolist()) == (kind, [least, most])
    for outside in (least - 1, most + 1):
        with pytest.raises(ExactnessError, match=r"out of bounds.* round them first"):
            series("1.00", f"{outside}.00").astype(kind)


SUMS = {
    "a total": lambda frame: frame["source_amount"].sum(),
    "a running total": lambda frame: frame["source_amount"].cumsum(),
    "a product": lambda frame: frame["source_amount"].prod(),
    "columns": lambda frame: frame["source_amount"] + frame["source_amount"] * 9,
    "groups": lambda frame: frame.groupby("status")["source_amount"].sum(),
    "groups of each row": lambda frame: frame.groupby("status")["source_amount"].transform("sum"),
    "a named aggregation": lambda frame: frame.groupby("status").agg(x=("source_amount", "sum")),
    "a pivot": lambda frame: frame.pivot_table("source_amount", "status", aggfunc="sum"),
    "days": lambda frame: frame.set_index("created_at")["source_amount"].resample("D").sum(),
    "a summary": lambda frame: frames.summarize(frame)["source_amount"],
}


@pytest.mark.parametrize("how", SUMS)
@pytest.mark.parametrize("places", [0, 18])
def test_a_sum_past_38_digits_is_refused(how: str, places: int) -> None:
    """A sum that 38 digits do not hold is refused; one that they hold is exact."""
    time = pd.Timestamp("2026-01-31", tz="UTC")
    facts = {"status": "completed", "created_at": time, "source_currency": "USD"}
    whole, refused, four = (Decimal(digit * 38).scaleb(-places, EXACT) for digit in "194")
    with pytest.raises(ExactnessError):
        SUMS[how](pd.DataFrame({"source_amount": series(*[str(refused)] * 4)}).assign(**facts))
    if how not in ("a product", "columns"):
        frame = pd.DataFrame({"source_amount": series(*[str(whole)] * 4)}).assign(**facts)
        assert four in np.ravel(np.asarray(SUMS[how](frame), dtype=object)).tolist()


@pytest.mark.parametrize(
    ("texts", "kind"),
    [
        (["5", "12.0", None], pa.int64()),
        ([], pa.int64()),
        (["12.5", "5"], pa.decimal128(18, 2)),
        (["9223372036854775807"], pa.int64()),
        (["9223372036854775808"], pa.decimal128(24, 2)),
    ],
)
def test_whole_seconds_are_integers(texts: list[str | None], kind: pa.DataType) -> None:
    """Whole seconds are integers; fractions and very large values are exact decimals."""
    part = decimals.read_texts(pa.chunked_array([pa.array(texts, pa.string())]), "completed_in")
    column = decimals.join_seconds([part], "completed_in")
    assert column.type == kind
    assert column.to_pylist() == [text and Decimal(text) for text in texts]


@pytest.mark.parametrize(
    ("texts", "kind"),
    [
        ([], (24, 6)),
        ([None, None], (24, 6)),
        (["1.500000", None, "-2.250000"], (24, 6)),
        (["0.000001", "123456789012.000000"], (24, 6)),
        (["123456789012345678.123456"], (24, 6)),
        (["16.71123400", "0.05570300"], (13, 8)),
        (["0.00000001"], (13, 8)),
        (["7"], (18, 0)),
        (["0.000000000000000001"], (38, 18)),
    ],
)
def test_integers_narrow_a_column_as_casts_do(texts, kind):
    """Both ways give the same type and the same values, also for a part of a column."""
    column = pa.chunked_array([pa.array([*texts, "0"], pa.string()).cast(pa.decimal128(*kind))])
    for part in (column, column.slice(1), column.slice(0, len(texts))):
        fast, slow = arithmetic.narrow(part), decimals.narrow_scale(part)
        assert (fast.type, fast.to_pylist()) == (slow.type, slow.to_pylist())


def cut(column):
    """A column of one row for each row of a column."""
    return [column.iloc[[row]] for row in range(len(column))]


BESIDE_POWERS = {
    "reading": lambda exact: exact,
    "a column of Decimals": lambda exact: pd.Series(exact.tolist()).astype("decimal"),
    "cummax": lambda exact: exact.cummax(),
    "cummin": lambda exact: exact[::-1].cummin()[::-1],
    "a sum": lambda exact: [row.sum() for row in cut(exact)],
    "sums of groups": lambda exact: exact.groupby(exact.index).sum(),
    "a quantile": lambda exact: [row.quantile([0.5]).iloc[0] for row in cut(exact)],
    "rolling": lambda exact: pd.DataFrame({"a": exact}).paylab.rolling(1)["a"].sum(),
    "a product": lambda exact: exact * Decimal("1.000"),
    "more decimals": lambda exact: exact + Decimal("0.000000"),
    "a quotient": lambda exact: exact / Decimal("1.000"),
    "equal": lambda exact: exact[exact == exact.tolist()],
}


@pytest.mark.parametrize("places", [0, 2, 18])
def test_numbers_beside_powers_of_two_are_exact(places):
    """Arrow refuses to cast 2**64 - 1 and others like it from 256 bits to 128."""
    for exponent in range(62, 126):
        numbers = [
            Decimal(2**exponent + distance).scaleb(-places, EXACT) for distance in range(-3, 2)
        ]
        plain = series(*(format(number, "f") for number in numbers))
        with_exponents = series(*(format(number, "e") for number in numbers))
        assert with_exponents.tolist() == numbers

        def check(how, numbers=numbers, plain=plain):
            assert [*BESIDE_POWERS[how](plain)] == numbers

        assert failures(BESIDE_POWERS, check) == {}


def test_numbers_that_do_not_fit_together_are_named_without_the_row_of_an_operand():
    """The rows of one column are named; a value that is set has no row."""
    fine = "0." + "1" * 18
    with pytest.raises(ExactnessError, match=r"'1\d+' \(row 0\) and '0.1+' \(row 1\) together"):
        pd.Series([str(10**37), fine], dtype="decimal")
    column = pd.Series([fine], dtype="decimal")
    with pytest.raises(ExactnessError, match=r"amounts: '1\d+' and '0.1+' together need"):
        column[0] = Decimal(10) ** 37
