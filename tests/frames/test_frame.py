"""Frames from pages: columns, types, unusual rows, and the source in `attrs`."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal

import pandas as pd
import pytest

from paylab import frames
from paylab.errors import APIResponseError, ExactnessError, RepeatWarning
from paylab.frames.columns import CONVERSIONS, TRANSFERS

TYPES = {
    "text": "string[pyarrow]",
    "list": "string[pyarrow]",
    "word": "category",
    "amount": "decimal",
    "time": "datetime64[us, UTC]",
    "seconds": "int64[pyarrow]",
}


@pytest.mark.parametrize("pages", [[], [{"data": [], "has_next_page": False, "cursor": None}]])
@pytest.mark.parametrize(
    ("read", "schema"), [(frames.transfers, TRANSFERS), (frames.conversions, CONVERSIONS)]
)
def test_an_empty_result_has_every_column_with_its_type(read, schema, pages):
    """An empty result has every column with its type."""
    frame = read(pages)
    assert list(frame.columns) == schema.names
    assert [str(kind) for kind in frame.dtypes] == [TYPES[c.kind] for c in schema.columns]
    assert len(frame) == 0


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("id", "tr_1"),
        ("client_reference_id", "0042"),
        ("source_amount", Decimal("10.25")),
        ("source_currency", "USDC"),
        ("exchange_rate", Decimal("16.7112")),
        ("total_tax", Decimal(0)),
        ("status", "awaiting_funds"),
        ("created_at", datetime(2026, 1, 31, 9, 30, 0, 123000, UTC)),
        ("deposit_instructions_type", "crypto_wallet"),
        ("deposit_instructions_currency", "usdc"),
        ("deposit_instructions_payment_methods", "base"),
        ("deposit_instructions_deadline", datetime(2026, 2, 1, 9, 30, tzinfo=UTC)),
        ("deposit_instructions_address", "0xabc"),
        ("deposit_instructions_clabe", "032180000118359719"),
    ],
)
def test_a_transfer_is_one_flat_row(paged, transfer, column, value):
    """A transfer is one flat row."""
    assert frames.transfers(paged([transfer]))[column][0] == value


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("deposit_amount", Decimal("50.00")),
        ("deposit_currency", "MXN"),
        ("deposit_received_at", datetime(2026, 1, 31, 9, 30, tzinfo=UTC)),
        ("payout_amount", Decimal("2.771234")),
        ("payout_account_id", "fa_2"),
        ("payout_tx_hash", "0xfeed"),
        ("payout_initiated_at", datetime(2026, 1, 31, 9, 30, 1, tzinfo=UTC)),
        ("exchange_rate", Decimal("0.055703")),
    ],
)
def test_deposit_and_payout_of_a_conversion_are_flat_columns(paged, conversion, column, value):
    """Deposit and payout of a conversion are flat columns."""
    frame = frames.conversions(paged([conversion]))
    assert frame[column][0] == value
    assert pd.isna(frame["payout_completed_at"][0])


@pytest.mark.parametrize(
    ("change", "column", "value"),
    [
        ({"source_amount": 10}, "source_amount", Decimal(10)),
        ({"source_amount": Decimal("1E+2")}, "source_amount", Decimal(100)),
        ({"source_amount": ""}, "source_amount", None),
        ({"source_amount": None}, "source_amount", None),
        ({"completed_in": "0"}, "completed_in", 0),
        ({"completed_in": 7}, "completed_in", 7),
        ({"failure_reason": ""}, "failure_reason", ""),
        ({"status": "teleported"}, "status", "teleported"),
        ({"source_currency": "uSd"}, "source_currency", "uSd"),
        ({"id": 42}, "id", "42"),
        ({"id": "\ud800"}, "id", "?"),
        ({"recipient_id": {"id": "ind_1"}}, "recipient_id", '{"id": "ind_1"}'),
        ({"recipient_id": True}, "recipient_id", "true"),
        ({"recipient_id": ["a"]}, "recipient_id", '["a"]'),
        ({"deposit_instructions": None}, "deposit_instructions_type", None),
        ({"deposit_instructions": "none"}, "deposit_instructions_type", None),
        ({"deposit_instructions": {"details": []}}, "deposit_instructions_clabe", None),
        ({"client_reference_id": '},{"cursor":"x"}'}, "client_reference_id", '},{"cursor":"x"}'),
        ({"client_reference_id": '"\n,;\0'}, "client_reference_id", '"\n,;\0'),
    ],
)
def test_values_of_unexpected_types_are_read_as_text_numbers_or_missing_values(
    paged, transfer, change, column, value
):
    """Values of unexpected types are read as text, numbers or missing values."""
    cell = frames.transfers(paged([transfer, transfer | change]))[column][1]
    assert pd.isna(cell) if value is None else cell == value


@pytest.mark.parametrize(
    ("sent", "read"),
    [(["base", "solana"], "base,solana"), ([], ""), ("spei", "spei"), ([1], "[1]"), (None, None)],
)
def test_payment_methods_are_joined_by_commas(paged, sent, read):
    """Payment methods are joined by commas."""
    frame = frames.transfers(paged([{"deposit_instructions": {"payment_methods": sent}}]))
    cell = frame["deposit_instructions_payment_methods"][0]
    assert pd.isna(cell) if read is None else cell == read


def test_an_object_without_keys_is_a_row_of_missing_values(paged):
    """An object without keys is a row of missing values."""
    frame = frames.transfers(paged([{}]))
    assert len(frame) == 1
    assert frame.isna().all(axis=None)


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("source_amount", "lots", "source_amount, row 2: 'lots' is not a number"),
        ("source_amount", ["5"], "source_amount, row 2: '\\[\"5\"\\]' is not a number"),
        ("source_amount", True, "source_amount, row 2: 'true' is not a number"),
        ("source_amount", 0.1, "source_amount, row 2: 0.1 is a float"),
        ("completed_in", 0.1, "completed_in, row 2: 0.1 is a float"),
    ],
)
def test_what_cannot_be_exact(paged, transfer, name, value, words):
    """An inexact amount or number of seconds raises an error with column, row and value."""
    rows = [transfer, transfer, transfer | {name: value}]
    with pytest.raises(ExactnessError, match=words):
        frames.transfers(paged(rows))


def test_unknown_fields_are_left_out(paged, transfer):
    """Unknown fields are left out; with `extra` they are text columns at the end."""
    details = transfer["deposit_instructions"]["details"] | {"network": "base"}
    instructions = transfer["deposit_instructions"] | {"details": details}
    new = {"deposit_instructions": instructions, "risk": {"score": 3}, "status_at": "now"}
    pages = paged([transfer, transfer | new], size=1)
    assert list(frames.transfers(pages).columns) == TRANSFERS.names
    frame = frames.transfers(pages, extra=True)
    assert frame["risk"].tolist() == [pd.NA, '{"score": 3}']
    assert list(frame.columns) == [
        *TRANSFERS.names,
        "deposit_instructions.details.network",
        "risk",
        "status_at",
    ]


def test_unknown_field_named_like_a_column(paged, conversion):
    """An unknown field with the name of a column does not replace the column."""
    frame = frames.conversions(paged([conversion | {"deposit_amount": "9"}]), extra=True)
    assert frame["deposit_amount"][0] == Decimal("50.00")
    assert frame["extra.deposit_amount"][0] == "9"


def test_the_attributes_of_a_frame_say_where_its_rows_are_from(paged, transfer):
    """`attrs` has the counts, the first and last id, and the attributes of the caller."""
    rows = [transfer | {"id": f"tr_{number}"} for number in range(5)]
    frame = frames.transfers(paged(rows), attrs={"base_url": "https://api.example"})
    assert frame.attrs == {
        "base_url": "https://api.example",
        "pages": 3,
        "first_id": "tr_0",
        "last_id": "tr_4",
        "complete": True,
    }


@pytest.mark.parametrize(("kept", "complete"), [(0, False), (1, False), (2, False), (3, True)])
def test_attrs_says_whether_the_frame_has_the_last_page(paged, transfer, kept, complete):
    """`attrs` says whether the frame has the last page."""
    pages = paged([transfer] * 5)[:kept]
    assert frames.transfers(pages).attrs["complete"] is complete


@pytest.mark.parametrize(
    ("times", "kept"),
    [
        (["02", "01"], [0]),
        (["01", "02"], [1]),
        (["01", "01"], [1]),
        (["01", None], [1]),
        (["x", "01", "03", "02"], [2]),
    ],
)
def test_the_newest_version_of_a_row_is_kept_the_last_one_read_in_doubt(transfer, times, kept):
    """The newest version of a row is kept, the last one read in doubt; its amount counts once."""
    stamps = [at and f"2026-02-{at}T00:00:00Z" for at in times]
    rows = [
        transfer | {"updated_at": at, "source_amount": f"10.{number}", "status": f"s{number}"}
        for number, at in enumerate(stamps)
    ]
    others = [transfer | {"id": None}, transfer | {"id": None}, transfer | {"id": "tr_2"}]
    pages = [{"data": [row, other]} for row, other in zip(rows, [*others, *others], strict=False)]
    with pytest.warns(RepeatWarning, match="each id is read once") as told:
        frame = frames.transfers(pages)
    assert [each.category for each in told].count(RepeatWarning) == 1
    assert frame[frame["id"] == "tr_1"]["source_amount"].tolist() == [Decimal(f"10.{kept[0]}")]
    assert sorted(frame["status"].cat.categories) == ["awaiting_funds", f"s{kept[0]}"]
    assert frame.index.tolist() == list(range(len(frame)))


def test_a_limit_counts_a_repeated_row_once(transfer):
    """A frame with a limit has as many rows, with different ids, if the list has them."""
    rows = [transfer | {"id": f"tr_{number // 2}"} for number in range(40)]
    with pytest.warns(RepeatWarning):
        assert frames.transfers([{"data": rows}], limit=7)["id"].nunique() == 7
    asked = [{"id": "a"}, {"id": "a"}]
    assert len(frames.of(asked, "transfers")) == 2


def test_progress_is_called_with_the_numbers_of_rows_and_pages_after_each_page(paged, transfer):
    """`progress` is called with the numbers of rows and pages after each page."""
    seen = []
    frames.transfers(paged([transfer] * 5), progress=lambda *count: seen.append(count))
    assert seen == [(2, 1), (4, 2), (5, 3)]


@pytest.mark.parametrize(
    ("page", "words"),
    [
        ({}, "page 1 of the list must contain a list of objects as data"),
        ({"data": None}, "page 1 of the list must contain a list of objects"),
        ("<html>", "page 1 of the list must be a page: an object with data"),
        ({"data": ["tr_1"]}, "page 1 of the list must contain a list of objects"),
        ({"data": [], "meta": 1}, "page 1 of the list does not say whether another page follows"),
    ],
)
def test_a_page_of_a_wrong_type_raises_apiresponseerror(paged, transfer, page, words):
    """A page of a wrong type raises APIResponseError; it is not an empty result."""
    with pytest.raises(APIResponseError, match=words):
        frames.transfers([*paged([transfer]), page])


def test_arithmetic_on_the_columns_of_a_frame_is_exact_in_pandas(paged, transfer):
    """Arithmetic on the columns of a frame is exact in pandas."""
    frame = frames.transfers(paged([transfer] * 3))
    product = frame["net_source_amount"] * frame["exchange_rate"]
    assert product[0] == Decimal("9.75") * Decimal("16.7112")
    assert (frame["source_amount"] - frame["total_fee"]).eq(frame["net_source_amount"]).all()
    by_currency = frame.groupby("source_currency", observed=True)["source_amount"].sum()
    assert by_currency["USDC"] == Decimal("30.75")


@pytest.mark.parametrize(("least", "day"), [(Decimal(10), "2026-01-31")])
def test_a_query_finds_the_variables_of_its_caller(paged, transfer, least, day):
    """`query` finds the variables of its caller, also when a time has no zone."""
    frame = frames.transfers(paged([transfer, transfer | {"created_at": "2026-01-30T00:00:00Z"}]))
    assert len(frame.query("source_amount > @least")) == 2
    assert len(frame.query("source_amount > @least and created_at >= @day")) == 1


def test_pages_are_read_once(paged, transfer):
    """A generator of pages is accepted."""
    assert len(frames.transfers(page for page in paged([transfer] * 5))) == 5


def test_a_wide_frame_is_shown_by_its_first_columns():
    """The text has as many first columns as fit; that of a narrow frame is pandas' own."""
    row = {"id": "tr_1", "status": "completed", "source_amount": "1.00"}
    wide = frames.transfers([{"data": [row]}])
    shown = repr(wide)
    assert all(name in shown for name in wide.columns[:2])
    assert wide.columns[-1] not in shown
    assert f"[1 rows x {wide.shape[1]} columns, the first " in shown
    narrow = wide[["id", "status"]]
    assert repr(narrow) == repr(pd.DataFrame(narrow))
