"""Rows of a period and some columns, in frames and files."""

from __future__ import annotations

import json

import pytest

from paylab import frames
from paylab.errors import RuleError

CASES = [
    ({}, ["a", "b", "c"]),
    ({"since": "2026-01-02"}, ["b", "c"]),
    ({"until": "2026-01-02"}, ["a"]),
    ({"until": "2026-01-02T00:00:00.001Z"}, ["a", "b"]),
    ({"since": "2026-01-01T12:00:00", "until": "2026-01-03"}, ["a", "b"]),
    ({"until": "2026-01-01"}, []),
]


@pytest.fixture
def pages(paged, transfer):
    """Three transfers, of 1 January at noon, and of the first instants of the two next days."""
    times = {"a": "2026-01-01T12:00:00Z", "b": "2026-01-02T00:00:00Z", "c": "2026-01-03T00:00:00Z"}
    rows = [transfer | {"id": name, "created_at": time} for name, time in times.items()]
    return [json.dumps(page).encode() for page in paged(rows)]


@pytest.mark.parametrize(("period", "kept"), CASES)
def test_a_period_starts_with_since_and_ends_before_until(pages, tmp_path, period, kept):
    """A frame and an export have the rows created from `since` to before `until`."""
    assert frames.transfers(pages, **period)["id"].tolist() == kept
    path = frames.export(pages, tmp_path / "t.csv", **period).path
    assert frames.read_csv(path)["id"].tolist() == kept


@pytest.mark.parametrize(
    "columns", [["id"], ["total_fee", "id"], "status, source_amount", ("exchange_rate",)]
)
def test_columns_are_in_the_order_of_the_call(pages, tmp_path, columns):
    """`columns` are in the order of the call, with the values of the whole frame."""
    names = columns.replace(" ", "").split(",") if isinstance(columns, str) else list(columns)
    whole = frames.transfers(pages)
    frame = frames.transfers(pages, columns=columns, until="2026-01-03")
    assert list(frame.columns) == names
    assert frame.equals(whole[names][:2])
    for to in ("t.csv", "t.parquet", "t.xlsx"):
        frames.export(pages, tmp_path / to, columns=columns)
    assert frames.read_csv(tmp_path / "t.csv").equals(whole[names])
    assert frames.read_parquet(tmp_path / "t.parquet").equals(whole[names])


def test_a_sum_of_chosen_columns_warns_of_two_currencies(paged, transfer):
    """An amount knows the currencies of its rows also if the column of currencies is left out."""
    rows = [transfer, transfer | {"source_currency": "PHP"}]
    frame = frames.transfers(paged(rows), columns=["source_amount"])
    with pytest.warns(frames.CurrencyWarning, match="PHP"):
        frame["source_amount"].sum()


def test_an_unknown_field_can_be_a_column(paged, transfer):
    """With `extra`, a column can be a field that paylab does not know."""
    rows = paged([transfer | {"risk": "low"}])
    frame = frames.transfers(rows, columns=["risk", "id"], extra=True)
    assert frame.to_dict("records") == [{"risk": "low", "id": "tr_1"}]


@pytest.mark.parametrize(
    ("choice", "words"),
    [
        ({"columns": ["source_amout"]}, "columns: 'source_amout' is no column; is source_amount"),
        ({"columns": []}, "columns: is empty"),
        ({"columns": " , "}, "columns: is empty"),
        ({"columns": ["id", "id"]}, "columns: has a name twice"),
        ({"until": "soon"}, "until: must be a datetime"),
        ({"since": "2026-02-01", "until": "2026-01-01"}, "until: must be later than `since`"),
    ],
)
def test_a_choice_that_cannot_be(pages, tmp_path, choice, words):
    """A misspelt column and an impossible period are refused, and nothing is written."""
    with pytest.raises(RuleError, match=words):
        frames.transfers(pages, **choice)
    with pytest.raises(RuleError, match=words):
        frames.export(pages, tmp_path / "t.csv", **choice)
    assert not [*tmp_path.iterdir()]


def test_a_folder_needs_the_time_of_creation(pages, tmp_path):
    """The files of a folder are divided by `created_at`, so that it cannot be left out."""
    with pytest.raises(RuleError, match="must have created_at"):
        frames.export(pages, f"{tmp_path}/days/", columns=["id"])
