"""Pages as bytes: the fast decoder, the tolerant decoder, and the next cursor."""

from __future__ import annotations

import json
import sys
import warnings
from pathlib import Path
from subprocess import PIPE, run

import pandas as pd
import pytest

from paylab import frames
from paylab.errors import APIResponseError, ExactnessError, PagingError
from paylab.frames.decode import read_next_page

TRAPS = [
    '},{"cursor":"x"}',
    '],"has_next_page":false,"cursor":"x"}',
    '"],\\"has_next_page\\":true,\\"cursor\\":\\"x\\"}',
    '],"has_next_page":false,"cursor":null}\\',
    '\\"},{"cursor":"x',
]


def body(rows, more=False, cursor=None, **options):
    """A page as bytes, as the service sends it."""
    page = {"data": rows, "has_next_page": more, "cursor": cursor}
    return json.dumps(page, **options).encode()


@pytest.mark.parametrize("trap", TRAPS)
@pytest.mark.parametrize("cursor", ["next", 'a"b\\', "é漢", None])
@pytest.mark.parametrize("options", [{}, {"separators": (",", ":")}, {"ensure_ascii": False}])
def test_text_of_a_row_does_not_change_the_cursor(transfer, trap, cursor, options):
    """Text in a row that looks like the end of a page does not change the cursor."""
    page = body([transfer | {"client_reference_id": trap}], bool(cursor), cursor, **options)
    assert read_next_page(page) == (bool(cursor), cursor)
    assert frames.transfers([page])["client_reference_id"][0] == trap


@pytest.mark.parametrize(
    "page",
    [
        b'{"has_next_page":true,"cursor":"n","data":[]}',
        b'{"cursor":"n","data":[{"id":"],\\"has_next_page\\":false"}],"has_next_page":true}',
        b' \n{"data":[],"has_next_page":true,"cursor":"n"}\n',
        b'{"data":[],"has_next_page":true,"cursor":"n","next":{"has_next_page":false}}',
        b'{"data":[],"has_next_page":true,"cursor":"\\u006e"}',
    ],
)
def test_keys_are_read_in_any_order(page):
    """The order of the keys, spaces and escapes do not matter."""
    assert read_next_page(page) == (True, "n")


@pytest.mark.parametrize(
    "page",
    [
        b"",
        b"<html>",
        b'{"data":',
        b'{"data":[],"cursor":5}',
        b'["data",[],"has_next_page":true,"cursor":"n"}',
    ],
)
def test_a_body_that_is_not_a_page_raises_apiresponseerror(page):
    """A body that is not a page raises APIResponseError."""
    with pytest.raises(APIResponseError):
        read_next_page(page)


def test_bytes_and_parsed_json_give_the_same_frame(transfer):
    """Bytes and parsed JSON give the same frame; an ordinary page gives no warning."""
    rows = [transfer | {"id": f"tr_{number}", "completed_in": "7"} for number in range(30)]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fast = frames.transfers([body(rows)])
    assert fast.equals(frames.transfers([{"data": rows}]))


@pytest.mark.parametrize(
    ("change", "column", "value"),
    [
        ({"risk": {"score": 3}}, "id", "tr_1"),
        ({"source_amount": 12.5}, "source_amount", "12.50"),
        ({"source_amount": 12345678901234567890.5}, "source_amount", "12345678901234567000.00"),
        ({"status": "teleported"}, "status", "teleported"),
        ({"status": None}, "status", None),
        ({"id": 42}, "id", "42"),
        ({"deposit_instructions": {"payment_methods": [None]}}, "id", "tr_1"),
    ],
)
def test_an_unusual_page_between_two_ordinary_pages_is_read_with_at_most_one_warning(
    transfer, change, column, value
):
    """An unusual page between two ordinary pages is read, with at most one warning."""
    first, last = body([transfer | {"id": "a"}], True, "a"), body([transfer | {"id": "c"}])
    odd = body([transfer | change], True, "b")
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        frame = frames.transfers([first, odd, last])
    assert len(frame) == 3
    cell = frame[column][1]
    assert (None if pd.isna(cell) else str(cell)) == value
    assert len([each for each in told if each.category is frames.MisfitWarning]) <= 1


def test_unknown_fields_give_one_warning_for_all_pages(transfer):
    """Unknown fields give one warning for all pages; with `extra` they are columns."""
    pages = [body([transfer | {"id": str(at), "risk": "low"}]) for at in range(60)]
    with pytest.warns(frames.MisfitWarning, match="the unknown fields risk; ") as told:
        frame = frames.transfers(pages)
    assert len(told) == 1
    assert "risk" not in frame
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert set(frames.transfers(pages, extra=True)["risk"]) == {"low"}


def test_amounts_as_numbers_are_no_misfit(transfer):
    """They are read exactly and in silence; an unknown field on a later page is still told."""
    numbers = (
        b'{"data": [{"id": "a", "source_amount": 10.10}], "has_next_page": true, "cursor": "b"}'
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert str(frames.transfers([numbers])["source_amount"][0]) == "10.10"
    with pytest.warns(frames.MisfitWarning, match="the unknown fields risk; "):
        frames.transfers([numbers, body([transfer | {"risk": "low"}])])


def test_junk_amount_names_its_row(transfer):
    """The error counts rows over all pages, also in the fast decoder."""
    rows = [transfer] * 250
    pages = [
        body(rows[:100]),
        body(rows[100:200]),
        body([*rows[:7], transfer | {"total_fee": "x"}]),
    ]
    with pytest.raises(ExactnessError, match="total_fee, row 207: 'x' is not a number"):
        frames.transfers(pages)


def test_stop_keeps_what_came(transfer):
    """A stop by `progress` or by Ctrl-C keeps the pages read so far."""
    pages = [body([transfer | {"id": str(at)}], True, "a") for at in range(90)]
    frame = frames.transfers(pages, progress=lambda rows, _: rows < 20)
    assert 20 <= len(frame) < 90
    assert frame.attrs["complete"] is False

    def interrupted():
        yield body([transfer], True, "a")
        raise KeyboardInterrupt

    frame = frames.transfers(interrupted(), progress=lambda *_: None)
    assert (len(frame), frame.attrs["complete"]) == (1, False)


UNKNOWN = [
    b'{"items": [{"id": "1"}], "next_cursor": "a", "has_more": true}',
    b'{"data": [{"id": "1"}], "has_more": true}',
    b'{"data": [{"id": "1"}], "next_cursor": "a"}',
    b'{"data": [{"id": "1"}], "has_next_page": null, "cursor": null}',
    b'{"data": [{"id": "1"}]}',
    b'{"results": [], "has_next_page": false, "cursor": null}',
    b'{"data": {"items": []}, "has_next_page": false, "cursor": null}',
    b'[{"id": "1"}]',
    *(b"null", b" null ", b"\xef\xbb\xbfnull", b"null{}", b"true", b"1", b'"x"', b"{}", b"[]"),
    b'{"data": [], "has_next_page": false, "cursor": null} null',
    b'null {"data": [], "has_next_page": false, "cursor": null}',
    b'{"data": null, "has_next_page": false, "cursor": null}',
    b'{"data": [null], "has_next_page": false, "cursor": null}',
    b'{"data": [{"total_fee": 1e99999999999999999999}], "has_next_page": false, "cursor": null}',
    b'{"data": [{"total_fee": NaN}], "has_next_page": false, "cursor": null, "a": 1}',
]


@pytest.mark.parametrize("page", UNKNOWN)
def test_what_is_not_known_is_no_complete_list(tmp_path, page):
    """An unknown page raises APIResponseError in frames and exports; no file is created."""
    for read in (
        lambda: frames.transfers(frames.bodies(lambda _: page)),
        lambda: frames.transfers([page]),
        lambda: frames.export_list(lambda _: page, tmp_path / "t.csv"),
    ):
        with pytest.raises(APIResponseError):
            read()
    assert not (tmp_path / "t.csv").exists()


def test_reading_a_mutated_page_gives_rows_or_a_paylaberror_and_never_crashes():
    """Reading a mutated page gives rows or a PaylabError, and never crashes."""
    command = [sys.executable, str(Path(__file__).with_name("mutating.py")), "400", "7"]
    found = json.loads(run(command, stdout=PIPE, text=True, check=True).stdout)
    assert (found["crashes"], found["escaped"]) == ([], {})


def endless(every):
    """Endless pages, each with another cursor; one in `every` pages has a row."""
    number = 0
    while True:
        number += 1
        yield body([{"id": str(number)}] if number % every == 0 else [], True, str(number))


def test_empty_pages_without_end(tmp_path):
    """Too many successive empty pages raise PagingError; fewer are accepted."""
    for use in (frames.transfers, lambda found: frames.export_list(found, tmp_path / "t.csv")):
        pages = endless(10**9)
        source = pages if use is frames.transfers else lambda _, pages=pages: next(pages)
        with pytest.raises(PagingError, match="101 empty pages"):
            use(source)
    assert len(frames.transfers(endless(60), limit=3)) == 3
