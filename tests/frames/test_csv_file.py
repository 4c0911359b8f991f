"""Frames keep their types in a CSV file."""

from __future__ import annotations

import csv
import warnings
from decimal import Decimal

import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from paylab import frames
from paylab.errors import ConfigError, ExactnessError, OptionError, PaylabError

WORDS = st.none() | st.text(max_size=8)
ROWS = st.lists(
    st.fixed_dictionaries(
        {
            "id": WORDS,
            "status": WORDS,
            "failure_reason": WORDS,
            "source_amount": st.none() | st.decimals(allow_nan=False, allow_infinity=False),
            "exchange_rate": st.none() | st.from_regex(r"[0-9]{1,9}\.[0-9]{1,20}", fullmatch=True),
            "completed_in": st.none() | st.integers(0, 10**6),
            "created_at": st.none() | st.datetimes().map(lambda t: t.isoformat() + "Z"),
        }
    ),
    max_size=5,
)


def cells(path):
    """The rows as Python's csv module reads them."""
    with path.open(newline="", encoding="utf-8") as lines:
        return list(csv.DictReader(lines))


@settings(max_examples=6, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(ROWS)
def test_a_frame_that_is_read_back_equals_the_written_frame_types_included(paged, tmp_path, rows):
    """A frame that is read back equals the written frame, types included."""
    try:
        frame = frames.transfers(paged(rows))
    except ExactnessError:
        return
    frames.to_csv(frame, tmp_path / "t.csv")
    pd.testing.assert_frame_equal(frames.read_csv(tmp_path / "t.csv"), frame)


@pytest.mark.parametrize("change", [{}, {"risk": "high"}, {"payout_method": "base"}])
def test_a_csv_of_conversions_is_read_as_conversions(paged, conversion, tmp_path, change):
    """The header determines the kind of object; unknown columns stay text."""
    frame = frames.conversions(paged([conversion, conversion | change]), extra=True)
    frames.to_csv(frame, tmp_path / "c.csv")
    pd.testing.assert_frame_equal(frames.read_csv(tmp_path / "c.csv"), frame)


@pytest.mark.parametrize(
    "columns", [["failure_reason"], ["id", "source_amount"], ["completed_in"], ["status"]]
)
def test_a_csv_of_some_columns_is_read_back(paged, transfer, tmp_path, columns):
    """A CSV may have only some of the columns, and a column may be empty."""
    frame = frames.transfers(paged([transfer] * 3))[columns]
    frames.to_csv(frame, tmp_path / "t.csv")
    pd.testing.assert_frame_equal(frames.read_csv(tmp_path / "t.csv", "transfers"), frame)


@pytest.mark.parametrize(
    ("column", "cell"),
    [
        ("source_amount", "10.25"),
        ("client_reference_id", "0042"),
        ("deposit_instructions_clabe", "032180000118359719"),
        ("created_at", "2026-01-31T09:30:00.123Z"),
        ("exchange_rate", "0.000000000000000000"),
        ("completed_in", "5"),
        ("settlement_reference_id", ""),
    ],
)
def test_numbers_have_no_exponent_and_keep_their_zeros(paged, transfer, tmp_path, column, cell):
    """Numbers have no exponent and keep their zeros; times end with Z."""
    row = transfer | {"exchange_rate": "0.000000000000000000", "completed_in": "5"}
    path = frames.to_csv(frames.transfers(paged([row])), tmp_path / "t.csv")
    assert cells(path)[0][column] == cell


def test_computed_columns_and_grouped_frames_are_written_too(paged, transfer, tmp_path):
    """Computed columns and grouped frames are written too."""
    frame = frames.transfers(paged([transfer] * 2))
    frame["share"] = frame["total_fee"] * frame["exchange_rate"]
    sums = frame.groupby("status", observed=True)[["share"]].sum()
    assert cells(frames.to_csv(sums, tmp_path / "s.csv")) == [
        {"status": "awaiting_funds", "share": "16.71120000"}
    ]


def test_a_file_from_a_spreadsheet_is_accepted(tmp_path):
    """A byte order mark, CRLF and missing quotes are accepted."""
    path = tmp_path / "t.csv"
    path.write_bytes(b"\xef\xbb\xbfid,source_amount,mine\r\n007,1.10,x\r\n008,,\r\n")
    frame = frames.read_csv(path)
    assert frame["id"].tolist() == ["007", "008"]
    assert frame["source_amount"].tolist() == [Decimal("1.10"), pd.NA]


def test_a_spoiled_amount_is_an_error_with_its_row(tmp_path):
    """The error for an invalid amount has its row and value."""
    (tmp_path / "t.csv").write_text("id,source_amount\na,1\nb,1.234.567\n")
    with pytest.raises(ExactnessError, match=r"source_amount, row 1: '1\.234\.567'"):
        frames.read_csv(tmp_path / "t.csv")


def test_a_cell_of_3_mb_is_written_and_read_back(paged, transfer, tmp_path):
    """A cell of 3 MB is written and read back."""
    frame = frames.transfers(paged([transfer | {"failure_reason": "x" * 3_000_000}] * 2))
    frames.to_csv(frame, tmp_path / "t.csv")
    pd.testing.assert_frame_equal(frames.read_csv(tmp_path / "t.csv"), frame)


def test_a_frame_that_cannot_be_written_leaves_the_old_file(paged, transfer, tmp_path):
    """If a frame cannot be written, the old file is not changed and no other file is left."""
    path = frames.to_csv(frames.transfers(paged([transfer])), tmp_path / "t.csv")
    before = path.read_bytes()
    with pytest.raises(pa.ArrowInvalid, match="Unsupported"):
        frames.to_csv(pd.DataFrame({"a": [{"b": 1}]}), path)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def test_a_missing_folder_raises_configerror(tmp_path):
    """A missing folder raises ConfigError."""
    with pytest.raises(ConfigError, match=r"cannot write t\.csv: there is no folder"):
        frames.to_csv(pd.DataFrame(), tmp_path / "nowhere" / "t.csv")


@pytest.mark.parametrize("safe", [True, False])
def test_what_described_another_file_is_not_believed(paged, transfer, tmp_path, safe):
    """The sidecar of an `excel_safe` export is not used for the file that replaces it."""
    target = tmp_path / "t.csv"
    pages = paged([transfer | {"client_reference_id": "'=1"}])
    frame = frames.transfers(pages)
    for write in (
        lambda: frames.to_csv(frame, target),
        lambda: frames.export(pages, target, excel_safe=safe),
    ):
        frames.export(pages, target, excel_safe=True)
        write()
        assert frames.read_csv(target)["client_reference_id"].tolist() == ["'=1"]


def test_a_kind_that_is_none(paged, transfer, tmp_path):
    """Every function with a kind refuses an unknown one, and the error lists the kinds."""
    path = frames.export(paged([transfer]), tmp_path / "t.csv").path
    for ask in (
        lambda: frames.read_csv(path, kind="nonsense"),
        lambda: frames.read_parquet(frames.export([], tmp_path / "t.parquet").path, "nonsense"),
        lambda: frames.export([], path, "nonsense"),
        lambda: frames.export_list(lambda _: b"", path, "nonsense"),
        lambda: frames.of([], "nonsense"),
    ):
        with pytest.raises(OptionError, match=r"kind: must be one of transfers, conv.* nonsense"):
            ask()


def test_the_error_suggests_delimiter_and_the_file_is_read_with_it(tmp_path):
    """The error suggests `delimiter`, and the file is read with it."""
    (tmp_path / "t.csv").write_text("id;source_amount\na;1.50\n")
    with pytest.raises(PaylabError, match="separated by semicolons; pass delimiter=';'"):
        frames.read_csv(tmp_path / "t.csv")
    frame = frames.read_csv(tmp_path / "t.csv", delimiter=";")
    assert frame["source_amount"].tolist() == [Decimal("1.50")]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"id,status\na,b,c\n", "Expected 2 columns, got 3"),
        (b'id,status\n"a,b\n', "Expected 2 columns, got 1"),
        (b"", "Empty CSV file"),
        (b"id,status\n\xe1,b\n", "in UTF-8"),
        (b"id,id\na,b\n", "two columns 'id'"),
    ],
)
def test_the_error_names_the_file_and_what_is_wrong_with_it(tmp_path, content, words):
    """The error names the file and what is wrong with it."""
    (tmp_path / "t.csv").write_bytes(content)
    with pytest.raises(PaylabError, match=f"t\\.csv .*{words}"):
        frames.read_csv(tmp_path / "t.csv")


@pytest.mark.parametrize("read", [frames.read_parquet, frames.summarize])
@pytest.mark.parametrize("damage", [lambda _: b"", lambda kept: kept[:-20], lambda _: b"id\na\n"])
def test_a_broken_parquet_file_is_named(paged, transfer, tmp_path, damage, read):
    """The error names the file and says what to do."""
    file = tmp_path / "t.parquet"
    frames.export(paged([transfer]), file)
    file.write_bytes(damage(file.read_bytes()))
    with pytest.raises(ConfigError, match=r"t\.parquet cannot be read as Parquet: .*again"):
        read(file)


@pytest.mark.parametrize("text", ["hello\n", "Paid,Cur\n1.10,USD\n"])
def test_a_file_without_a_known_column_is_read_with_a_warning(tmp_path, text):
    """The warning names the file, and not its first line, which may be a row of values."""
    (tmp_path / "t.csv").write_text(text)
    with pytest.warns(
        frames.UnknownColumnWarning, match=r"t\.csv has none of .* is read as an amount"
    ) as said:
        frame = frames.read_csv(tmp_path / "t.csv")
    assert [*frame.columns] == text.partition("\n")[0].split(",")
    assert not [name for name in frame.columns if name in str(said[0].message)]
    assert said[0].filename == __file__


OTHER_FILES = {
    "t.xlsx": ("to_excel", {"index": False}, frames.read_excel),
    "t.parquet": ("to_parquet", {}, frames.read_parquet),
    "t.jsonl": ("to_json", {"orient": "records", "lines": True}, frames.read_jsonl),
}


@pytest.mark.parametrize("name", OTHER_FILES)
def test_another_file_without_a_known_column_is_read_with_a_warning(tmp_path, name):
    """Also a workbook, Parquet and JSON lines; one known column is enough."""
    write, options, read = OTHER_FILES[name]
    getattr(pd.DataFrame({"Paid": ["1.10"], "Cur": ["USD"]}), write)(tmp_path / name, **options)
    with pytest.warns(frames.UnknownColumnWarning, match=rf"{name} has none of the columns"):
        assert [*read(tmp_path / name).columns] == ["Paid", "Cur"]
    getattr(pd.DataFrame({"Paid": ["1.10"], "id": ["x"]}), write)(tmp_path / name, **options)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        read(tmp_path / name)


@pytest.mark.parametrize(("text", "kind"), [("hello\n", "transfers"), ("hello,status\n", None)])
def test_a_file_of_a_known_kind_is_read_without_a_warning(tmp_path, text, kind):
    """One known column is enough, and so is the kind by name."""
    (tmp_path / "t.csv").write_text(text)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert "hello" in frames.read_csv(tmp_path / "t.csv", kind)
