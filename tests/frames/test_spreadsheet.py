"""Spreadsheet-safe cells: no formula runs, no value is changed, and all are read back."""

from __future__ import annotations

import csv
import re
import sys
import warnings
from decimal import Decimal
from io import BytesIO
from types import SimpleNamespace
from zipfile import ZipFile

import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import paylab
from paylab import frames
from paylab.errors import ConfigError, ExactnessError
from paylab.storage import csv_files
from paylab.storage.spreadsheet_cells import escape_cell, restore_cell

FORMULAS = [
    "=1+1",
    "+1+1",
    "-1+1",
    "@SUM(A1)",
    '=HYPERLINK("http://x","y")',
    "\uff1d1+1",
    "'=1+1",
]
SPLIT = {
    "x;=1": "x;'=1",
    "a\n=1": "a\n'=1",
    "a\r=1": "a\r'=1",
    "a\t=1": "a\t'=1",
    "a;;-1;@x": "a;;'-1;'@x",
    'a;"=1"': 'a;\'"=1"',
    "a;'=1": "a;''=1",
    "a;'b": "a;''b",
    ";+1": ";'+1",
    "\t=1+1": "'\t'=1+1",
    "\r=1+1": "'\r'=1+1",
    "=1;=2": "'=1;'=2",
    "'x;'=1": "''x;''=1",
    "a; =1": "a; =1",
    "a,=1": "a,=1",
    "a;b": "a;b",
}
"""Cells that begin a cell of their own where a line is split at semicolons, tabs or line ends."""
SPOILED = ["000123", "12345678901234567890", "032180000118359719", "12E45", "1,234,567,890,123,456"]


def exported(tmp_path, rows):
    """Export the rows with `excel_safe` and return the cells."""
    frames.export_list(lambda _: page(rows), tmp_path / "t.csv", excel_safe=True)
    with (tmp_path / "t.csv").open(newline="", encoding="utf-8-sig") as lines:
        return list(csv.DictReader(lines))


def page(rows):
    """One page as bytes."""
    import json

    return json.dumps({"data": rows, "has_next_page": False, "cursor": None}).encode()


def test_a_risky_cell_starts_with_an_apostrophe_and_is_read_back_without(transfer, tmp_path):
    """A risky cell starts with an apostrophe and is read back without it, in every column."""
    columns, texts = ["client_reference_id", "failure_reason", "id"], [*FORMULAS, *SPOILED]
    rows = [transfer | dict.fromkeys(columns, text) for text in texts]
    cells = exported(tmp_path, rows)
    for column in columns:
        assert [cell[column] for cell in cells] == [f"'{text}" for text in texts]
    assert paylab.read_csv(tmp_path / "t.csv").equals(frames.transfers([{"data": rows}]))


def test_cells_that_a_spreadsheet_splits_are_escaped(transfer, tmp_path):
    """A formula after a separator is escaped there, and every reader restores the text."""
    rows = [
        transfer | {"id": f"tr_{at}", "client_reference_id": text} for at, text in enumerate(SPLIT)
    ]
    cells = exported(tmp_path, rows)
    assert [cell["client_reference_id"] for cell in cells] == [*SPLIT.values()]
    assert paylab.read_csv(tmp_path / "t.csv").equals(frames.transfers([{"data": rows}]))
    assert [*map(escape_cell, SPLIT)] == [*SPLIT.values()]
    assert [*map(restore_cell, SPLIT.values())] == [*SPLIT]


@pytest.mark.parametrize("amount", ["-5.00", "12.5", "0"])
def test_short_amounts_stay_numbers_in_a_spreadsheet(transfer, tmp_path, amount):
    """A short amount is written without an apostrophe, so it is a number in a spreadsheet."""
    assert exported(tmp_path, [transfer | {"source_amount": amount}])[0]["source_amount"] == amount


@pytest.mark.parametrize("amount", ["12345678901234567.89", "-1=1", "0.123456789012345678"])
def test_long_amounts_are_text(transfer, tmp_path, amount):
    """An amount that a spreadsheet would round or calculate is written as text."""
    cells = exported(tmp_path, [transfer | {"source_amount": amount}])
    assert cells[0]["source_amount"] == f"'{amount}"


@settings(max_examples=4, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(
        st.text(
            st.characters(codec="utf-8", exclude_characters="\0") | st.sampled_from(";\t\n'\"=-"),
            min_size=1,
            max_size=9,
        ),
        min_size=20,
        max_size=40,
    )
)
def test_no_cell_starts_with_a_formula_character_and_any_text_is_read_back(tmp_path, texts):
    """No cell starts with a formula character, and any text is read back."""
    rows = [{"id": f"x{at}", "client_reference_id": text} for at, text in enumerate(texts)]
    cells = exported(tmp_path, rows)
    assert not {cell["client_reference_id"][:1] for cell in cells} & set("=+-@\t\r\n")
    assert paylab.read_csv(tmp_path / "t.csv")["client_reference_id"].tolist() == texts


RISKY = [*FORMULAS, "\uff0b1", "\uff0d1", "\uff201", "-", "''=1", "'000123"]
HARMLESS = ["000123", "plain", "'plain", "a=1", "12E45", "é", ""]


def test_a_file_that_is_no_result_is_read_as_it_is(tmp_path):
    """An apostrophe in a file of your own stays."""
    path = tmp_path / "own.csv"
    path.write_text("id,client_reference_id\na,'=1\n")
    assert [row.cells["client_reference_id"] for row in csv_files.read_csv_rows(path)] == ["'=1"]
    assert paylab.read_csv(path)["client_reference_id"].tolist() == ["'=1"]


@pytest.mark.parametrize("text", ["=1+1", "-1", "@x", "+1"])
def test_no_name_and_no_note_of_a_workbook_is_a_formula(tmp_path, text):
    """The names of unknown fields and the facts of the source are text in a workbook."""
    openpyxl = pytest.importorskip("openpyxl")
    frame = frames.transfers([{"data": [{"id": text, text: text}]}], extra=True)
    book = openpyxl.load_workbook(frame.paylab.to_excel(tmp_path / "t.xlsx"))
    cells = [cell for sheet in book for row in sheet.iter_rows() for cell in row]
    assert text in [cell.value for cell in cells]
    assert "f" not in {cell.data_type for cell in cells}


@pytest.mark.parametrize("is_terminal", [True, False])
def test_rows_on_a_terminal_are_escaped(monkeypatch, is_terminal):
    """A terminal gets no control character of a cell; a pipe gets every cell as it was sent."""
    out = SimpleNamespace(buffer=BytesIO(), isatty=lambda: is_terminal)
    monkeypatch.setattr(sys, "stdout", out)
    frames.export_list(lambda _: page([{"id": "a\x1b[2J\u202e"}]), "-")
    text = out.buffer.getvalue().decode()
    assert ("\\x1b[2J\\u202e" in text, "\x1b[2J\u202e" in text) == (is_terminal, not is_terminal)


@pytest.mark.parametrize("tz", ["UTC", "Asia/Manila"])
def test_a_workbook_is_read_back_with_the_types_of_the_frame(lab, tmp_path, tz):
    """Amounts, ids and times are those that were written, in the zone that the workbook notes."""
    frame = lab.transfers.frame()
    frame.loc[0, "client_reference_id"] = "007"
    path = frame.paylab.to_excel(tmp_path / "t.xlsx", tz=tz)
    found = frames.read_excel(path)
    assert found.dtypes.equals(frame.dtypes)
    for column_name in frame.columns:
        assert found[column_name].equals(frame[column_name]) or (
            [*found[column_name].dropna()] == [*frame[column_name].dropna()]
        )
    day = frame["created_at"].dt.floor("D").max()
    part = frames.read_excel(path, since=day.date(), columns=["id", "total_fee"])
    assert [*part["id"]] == [*frame.loc[frame["created_at"] >= day, "id"]]
    assert list(part.columns) == ["id", "total_fee"]


def test_a_sheet_is_chosen_and_a_wrong_one_is_an_error(tmp_path):
    """Times of other workbooks are in the zone that you name; numbers have their shown digits."""
    sheet = pd.DataFrame({"id": ["tr_1"], "total_fee": [0.1], "created_at": ["2026-01-31 08:00"]})
    sheet["created_at"] = pd.to_datetime(sheet["created_at"])
    sheet.to_excel(tmp_path / "b.xlsx", sheet_name="mine", index=False)
    found = frames.read_excel(tmp_path / "b.xlsx", "transfers", sheet="mine", tz="Asia/Manila")
    assert found["total_fee"][0] == Decimal("0.1")
    assert found["created_at"][0] == pd.Timestamp("2026-01-31T00:00Z")
    with pytest.raises(ConfigError, match="has no sheet 'yours'; it has mine"):
        frames.read_excel(tmp_path / "b.xlsx", sheet="yours")


@pytest.mark.parametrize(
    ("text", "instant"),
    [
        ("2025-01-01 12:00", "2025-01-01T18:00Z"),
        ("2025-01-01T12:00:00.5", "2025-01-01T18:00:00.5Z"),
        ("2025-01-01", "2025-01-01T06:00Z"),
        (" 2025-01-01 ", "2025-01-01T06:00Z"),
        ("2025-01-01T12:00:00Z", "2025-01-01T12:00Z"),
        ("2025-01-01 12:00+02:00", "2025-01-01T10:00Z"),
    ],
)
def test_a_time_that_is_text_is_in_the_zone_that_you_name(tmp_path, text, instant):
    """As a cell of a time is, unless the text has an offset."""
    sheet = pd.DataFrame({"id": [text], "created_at": [text]})
    sheet.to_excel(tmp_path / "b.xlsx", index=False)
    found = frames.read_excel(tmp_path / "b.xlsx", "transfers", tz="America/Mexico_City")
    assert found["created_at"][0] == pd.Timestamp(instant)
    assert found["id"][0] == text


@pytest.mark.parametrize("text", ["soon", "0001-01-01T00:00+14:00"])
def test_a_text_that_is_no_time_is_missing_with_a_warning(tmp_path, text):
    """Also a time that is none in UTC."""
    sheet = pd.DataFrame({"id": ["tr_1"], "created_at": [text]})
    sheet.to_excel(tmp_path / "b.xlsx", index=False)
    with pytest.warns(frames.UnreadableTimeWarning, match="created_at, row 0"):
        found = frames.read_excel(tmp_path / "b.xlsx", "transfers", tz="America/Mexico_City")
    assert found["created_at"].isna().all()


@pytest.mark.parametrize(
    ("cell", "is_refused"),
    [
        ("<f>10+5</f><v />", True),
        ("<f>10+5</f>", True),
        ('<f t="shared" si="0" />', True),
        ("<f>10+5</f><v>15</v>", False),
        ('<f>IF(1=1,"","")</f><v></v>', False),
        ("<v>15</v>", False),
    ],
)
@pytest.mark.parametrize("prefix", ["", "x:"])
def test_a_formula_without_a_result_is_no_missing_amount(lab, tmp_path, cell, is_refused, prefix):
    """Programs write such formulas: the error names the cell. An empty text is a result."""
    sheet = pd.DataFrame({"id": ["tr_1"], "source_amount": [7.5], "source_currency": ["USD"]})
    sheet.to_excel(tmp_path / "a.xlsx", index=False)
    kind = ' t="str"' if "IF" in cell else ""
    with ZipFile(tmp_path / "a.xlsx") as old, ZipFile(tmp_path / "b.xlsx", "w") as new:
        for name in old.namelist():
            content = old.read(name).decode()
            if name.endswith("sheet1.xml"):
                content = content.replace('<c r="B2" t="n"><v>7.5</v>', f'<c r="B2"{kind}>{cell}')
                assert cell in content
                content = re.sub(r"<(/?)(?=\w)", rf"<\1{prefix}", content)
                content = content.replace("xmlns=", "xmlns:x=") if prefix else content
            new.writestr(name, content)
    for read in (frames.read_excel, lab.reconcile):
        if is_refused:
            with pytest.raises(
                ExactnessError, match=r"b\.xlsx, cell B2: the formula =.* no stored"
            ):
                read(tmp_path / "b.xlsx")
        else:
            read(tmp_path / "b.xlsx")


def test_numbers_that_a_workbook_has_as_text_are_named(frame_of_numbers, tmp_path):
    """One warning names the columns of which SUM would leave out numbers; others give none."""
    frame = frame_of_numbers
    with pytest.warns(frames.SheetTextWarning) as told:
        path = frame.paylab.to_excel(tmp_path / "t.xlsx")
    [message] = [str(warning.message) for warning in told]
    assert "longer numbers of batch, paid are text" in message
    found = frames.read_excel(path)
    assert found["paid"].tolist() == ["12345678901234.567", "1.25"]
    assert found["batch"].tolist() == [str(10**20), "1"]
    short_frame = frame.drop(columns=["batch", "paid"])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        short_frame.paylab.to_excel(path)


def test_an_export_names_the_amounts_that_a_workbook_has_as_text(transfer, tmp_path):
    """The amounts of all pages count."""
    rows = [transfer, transfer | {"id": "tr_2", "source_amount": "12345678901234.567"}]
    with pytest.warns(frames.SheetTextWarning, match="longer numbers of source_amount are text"):
        frames.export([{"data": [row]} for row in rows], tmp_path / "t.xlsx")


def test_own_floats_are_numbers_in_a_workbook(frame_of_numbers, tmp_path):
    """A float is a number with all its digits, nothing for NaN, and text if it is infinite."""
    openpyxl = pytest.importorskip("openpyxl")
    frame = frame_of_numbers[["ratio"]].assign(one=[float("nan"), 1e22], most=[float("inf"), -0.5])
    sheet = openpyxl.load_workbook(frame.paylab.to_excel(tmp_path / "t.xlsx"))["rows"]
    rows = [*sheet.iter_rows(min_row=2, values_only=True)]
    assert rows == [(0.1 + 0.2, None, "inf"), (1.5, 1e22, -0.5)]


def test_whole_numbers_of_more_than_64_bits_are_written(frame_of_numbers, tmp_path):
    """A CSV has all their digits and no decimals; more than 38 digits are refused by name."""
    path = frame_of_numbers[["batch"]].paylab.to_csv(tmp_path / "t.csv")
    assert path.read_text().splitlines()[1:] == [f'"{10**20}"', '"1"']
    for value, reason in [(10**45, "needs more than 38 digits"), (0.5, "0.5 is a float")]:
        frame = pd.DataFrame({"batch": pd.Series([10**20, value], dtype=object)})
        with pytest.raises(ExactnessError, match=f"^batch.*{reason}.*write .astype"):
            frame.paylab.to_csv(path)


@pytest.fixture
def frame_of_numbers():
    """Columns of a user: amounts, floats, and whole numbers that 64 bits do not hold."""
    paid = pd.Series(["12345678901234.567", "1.25"], dtype="decimal")
    return pd.DataFrame({"paid": paid, "ratio": [0.1 + 0.2, 1.5], "batch": [10**20, 1]})


@pytest.mark.parametrize("write", ["to_csv", "to_excel"])
def test_whole_numbers_of_more_than_64_bits_in_lists_are_refused_by_name(tmp_path, write):
    """Arrow has no type for them; the error says what to write."""
    frame = frames.transfers([]).assign(own=[]).reindex(range(1)).astype({"own": object})
    frame.at[0, "own"] = [10**20]
    with pytest.raises(ExactnessError, match=r"^own has cells .*64 bits.*map\(str\)"):
        getattr(frame.paylab, write)(tmp_path / "t.xlsx")
