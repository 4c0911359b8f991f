"""Pages as bytes: the fast way, the tolerant way, and the cursor that follows."""

from __future__ import annotations

import json
import warnings

import pytest

from paylab import frames
from paylab.errors import APIResponseError, ExactnessError
from paylab.frames.cursors import following

TRAPS = [
    '},{"cursor":"x"}',
    '],"has_next_page":false,"cursor":"x"}',
    '"],\\"has_next_page\\":true,\\"cursor\\":\\"x\\"}',
    '],"has_next_page":false,"cursor":null}\\',
    '\\"},{"cursor":"x',
]


def body(rows, more=False, cursor=None, **options):
    """A page as it comes over the wire."""
    page = {"data": rows, "has_next_page": more, "cursor": cursor}
    return json.dumps(page, **options).encode()


@pytest.mark.parametrize("trap", TRAPS)
@pytest.mark.parametrize("cursor", ["next", 'a"b\\', "é漢", None])
@pytest.mark.parametrize("options", [{}, {"separators": (",", ":")}, {"ensure_ascii": False}])
def test_cursor_is_safe(transfer, trap, cursor, options):
    """Text in the rows that looks like the end of a page fools nobody."""
    page = body([transfer | {"client_reference_id": trap}], bool(cursor), cursor, **options)
    assert following(page) == (bool(cursor), cursor)
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
def test_keys_in_any_order(page):
    """The order of the keys, spaces and escapes do not matter."""
    assert following(page) == (True, "n")


@pytest.mark.parametrize("page", [b"", b"<html>", b'{"data":', b'{"data":[],"cursor":5}'])
def test_no_page(page):
    """What is no page is a clear error."""
    with pytest.raises(APIResponseError):
        following(page)


def test_bytes_equal_objects(transfer):
    """Both ways give the same frame, and an ordinary page gives no warning."""
    rows = [transfer | {"id": f"tr_{number}", "completed_in": "7"} for number in range(30)]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fast = frames.transfers([body(rows)])
    assert fast.equals(frames.transfers([{"data": rows}]))


@pytest.mark.parametrize(
    ("change", "column", "value"),
    [
        ({"risk": {"score": 3}}, "id", "tr_1"),
        ({"source_amount": 12.5}, "source_amount", "12.5"),
        ({"source_amount": 12345678901234567890.5}, "source_amount", "12345678901234567000"),
        ({"status": "teleported"}, "status", "teleported"),
        ({"status": None}, "status", None),
        ({"id": 42}, "id", "42"),
        ({"deposit_instructions": {"payment_methods": [None]}}, "id", "tr_1"),
    ],
)
def test_tolerant(transfer, change, column, value):
    """A page that does not fit is read all the same, between two that do."""
    odd = json.dumps({"data": [transfer | change]}).encode()
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        frame = frames.transfers([body([transfer], True, "a"), odd, body([transfer])])
    assert len(frame) == 3
    cell = frame[column][1]
    assert (str(cell) if value else None) == value or str(cell).rstrip("0").rstrip(".") == value
    assert len([each for each in told if each.category is frames.MisfitWarning]) <= 1


def test_told_once(transfer):
    """However many pages do not fit, it is said once; unknown fields come when asked for."""
    pages = [body([transfer | {"risk": "low"}]) for _ in range(60)]
    with pytest.warns(frames.MisfitWarning, match="other fields") as told:
        frame = frames.transfers(pages)
    assert len(told) == 1
    assert "risk" not in frame
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert set(frames.transfers(pages, extra=True)["risk"]) == {"low"}


def test_junk_amount_names_its_row(transfer):
    """Also far down, in the fast way."""
    rows = [transfer] * 250
    pages = [
        body(rows[:100]),
        body(rows[100:200]),
        body([*rows[:7], transfer | {"total_fee": "x"}]),
    ]
    with pytest.raises(ExactnessError, match="total_fee, row 207: 'x' is not a number"):
        frames.transfers(pages)


def test_stop_keeps_what_came(transfer):
    """A stop, asked for or by the keyboard, keeps the pages so far."""
    frame = frames.transfers([body([transfer], True, "a")] * 90, progress=lambda rows, _: rows < 20)
    assert 20 <= len(frame) < 90
    assert frame.attrs["complete"] is False

    def interrupted():
        yield body([transfer], True, "a")
        raise KeyboardInterrupt

    frame = frames.transfers(interrupted(), progress=lambda *_: None)
    assert (len(frame), frame.attrs["complete"]) == (1, False)
