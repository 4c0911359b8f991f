"""Cursor tokens and walking from page to page."""

from __future__ import annotations

import base64
import json
import warnings
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import paylab
from paylab.errors import PagingError, RepeatWarning
from paylab.spec.page import Page, has_spec_envelope, read_page
from paylab.spec.paging import Pager, decode_cursor, encode_cursor
from paylab.spec.service import Service
from paylab.views.results import items_card

POSITION = {"created_at": "2026-01-31T09:30:00.123Z", "id": "tr_1", "direction": "next"}
# Made with: printf '{"created_at":...}' | basenc --base64url | tr -d '='
TOKEN = (
    "eyJjcmVhdGVkX2F0IjoiMjAyNi0wMS0zMVQwOTozMDowMC4xMjNaIiwiZGlyZWN0aW9uIjoibmV4dCIs"
    "ImlkIjoidHJfMSJ9"
)


def token(value):
    """A token of any JSON value."""
    text = value if isinstance(value, bytes) else json.dumps(value, separators=(",", ":")).encode()
    return base64.urlsafe_b64encode(text).rstrip(b"=").decode()


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("frame", "use lab.transfers.frame()"),
        ("to_frame", "use lab.transfers.frame()"),
        ("to_csv", "use lab.transfers.export()"),
        ("appnd", "it has fetched, filter"),
    ],
)
def test_a_list_without_a_frame_names_the_frame_of_the_lab(name, words):
    """What a list of a lab lacks, and the lab makes of all its rows, is named."""
    pager = Pager(lambda _: Page([]), lambda row: row, list_name="transfers")
    with pytest.raises(AttributeError) as raised:
        getattr(pager, name)
    assert words in str(raised.value)


def test_a_cursor_is_base64url_of_json():
    """A cursor is base64url of JSON without padding, and decodes to the same position."""
    assert encode_cursor(POSITION) == TOKEN
    assert decode_cursor(TOKEN) == POSITION


@given(st.text(min_size=1, max_size=40), st.text(min_size=1, max_size=40))
@settings(deadline=None)
def test_every_position_comes_back(created_at, id_):
    """Encoding and decoding a position returns the same position."""
    position = {"created_at": created_at, "id": id_, "direction": "next"}
    assert decode_cursor(encode_cursor(position)) == position


@pytest.mark.parametrize(
    ("cursor", "words"),
    [
        *((junk, ".") for junk in ("", "!!!", "é", "A", "AAAA", "A" * 1025, TOKEN[:-4])),
        *((token(junk), ".") for junk in (b"\xff\xfe", b"[" * 100_000)),
        *((spelling, "was changed") for spelling in (TOKEN + "=", TOKEN + "\n", TOKEN + "!")),
        *((token(shape), "wrong shape") for shape in ([], None, {}, {**POSITION, "extra": "1"})),
        *((token({**POSITION, "id": id_}), "empty or wrong value") for id_ in (7, "")),
        (token({**POSITION, "direction": "sideways"}), "unknown direction"),
        (token({**POSITION, "direction": "\ud800"}), "unknown direction"),
        (token(json.dumps(POSITION).encode()), "was changed"),
    ],
)
def test_anything_else_is_no_cursor(cursor, words):
    """Anything that is not a cursor raises ValueError with the reason."""
    with pytest.raises(ValueError, match=words):
        decode_cursor(cursor)


PART = st.integers() | st.text(max_size=9) | st.lists(st.integers(), max_size=2)
POSITIONS = st.fixed_dictionaries(
    {"created_at": PART, "id": PART, "direction": st.just("next") | PART}
)
TOKENS = st.one_of(*(parts.map(token) for parts in (st.binary(), PART, POSITIONS)))


@given(st.text() | TOKENS | POSITIONS.map(encode_cursor))
@settings(deadline=None)
def test_no_text_breaks_the_reader(text):
    """Any text, and a token of any bytes or JSON, is the cursor of a position or a ValueError."""
    try:
        position = decode_cursor(text)
    except ValueError:
        return
    assert encode_cursor(position) == text
    assert all(isinstance(value, str) and value for value in position.values())


def pages(*cursors):
    """A pager over numbered items, one per page, and the list of cursors it asks for."""
    asked = []

    def fetch(cursor):
        asked.append(cursor)
        at = len(asked) - 1
        return Page([{"n": at}], cursors[at] is not None, cursors[at])

    return Pager(fetch, lambda item: item["n"]), asked


def test_a_pager_walks_from_cursor_to_cursor():
    """A pager returns items in order and requests the first page without a cursor."""
    pager, asked = pages("a", "b", None)
    assert list(pager) == [0, 1, 2]
    assert asked == [None, "a", "b"]


def test_pages_are_fetched_when_they_are_needed():
    """A page is fetched only when its items are needed."""
    pager, asked = pages("a", "b", None)
    assert pager.first() == 0
    assert asked == [None]


def test_pages_come_read_and_raw():
    """`pages` has parsed items and `raw_pages` raw ones; both keep the envelope's values."""
    assert list(pages("a", None)[0].pages()) == [Page([0], True, "a"), Page([1], False, None)]
    assert next(pages("a", None)[0].raw_pages()) == Page([{"n": 0}], True, "a")


def test_a_page_is_a_sequence_of_its_items():
    """A page has the length, the items, the indexes and the slices of its items."""
    page = Page(["a", "b", "c"], True, "next")
    assert [*page] == [*page.data]
    assert len(page) == 3
    assert "b" in page
    assert (page[0], page[-1], page[1:]) == ("a", "c", ["b", "c"])
    assert not Page([])
    with pytest.raises(TypeError, match=r"'tr_1': \.get\(\) of the part"):
        page["tr_1"]


def test_a_query_keeps_its_filters_and_asks_for_no_more_than_the_maximum():
    """The parameters of a page: the limit, at most the maximum, the filters and the cursor."""
    form = Service().list("transfers")
    paging = {form.limit_parameter: form.max_limit, form.cursor_parameter: "next"}
    status = {"status": "completed"}
    assert form.query(form.max_limit + 1, "next", status) == paging | status
    assert form.query(form.max_limit, "next") == paging


def test_every_walk_starts_again():
    """Each iteration over a pager starts again at the first page."""
    asked = []
    pager = Pager(lambda cursor: asked.append(cursor) or Page([{}]), lambda item: item)
    assert (len(list(pager)), len(list(pager))) == (1, 1)
    assert asked == [None, None]


def test_a_walk_can_start_at_a_cursor():
    """A pager can start at a given cursor."""
    asked = []
    pager = Pager(lambda cursor: asked.append(cursor) or Page([{}]), lambda item: item, "c")
    list(pager)
    assert asked == ["c"]


def test_an_empty_list_has_no_first():
    """`first` of an empty list is None."""
    assert Pager(lambda _: Page([]), lambda item: item).first() is None


def test_a_list_of_empty_pages_ends():
    """A hundred empty pages in a row are read on, and one more is an error; a full one between
    them starts the count again.
    """

    def pager(empty, start=0):
        found = [Page([], True, f"{at}") for at in range(start, start + empty)]
        ends = iter([*found, Page([{"n": 1}], True, "full"), *found[:50], Page([{"n": 2}])])
        renamed = (replace(page, cursor=f"{at}") for at, page in enumerate(ends))
        return Pager(lambda _: next(renamed), lambda row: row["n"])

    assert pager(100).to_list() == [1, 2]
    with pytest.raises(PagingError, match="101 empty pages in a row"):
        pager(101).to_list()


def test_what_a_display_keeps():
    """The first twenty items of an iteration are kept for display, and the number of all."""
    ends = iter([Page([{"n": 1}] * 15, True, f"{at}") for at in range(3)] + [Page([])])
    pager = Pager(lambda _: next(ends), lambda row: row["n"])
    assert (sum(pager), pager.fetched()) == (45, ([1] * 20, 45))


def test_what_a_page_and_a_pager_are_by_default():
    """A page is the last one, and only a pager that was read is empty or not."""
    assert Page([1]) == Page([1], False, None)
    with pytest.raises(TypeError, match=r"\.first\(\) is None"):
        bool(Pager(lambda _: Page([]), lambda row: row))


def test_an_empty_page_is_not_the_end():
    """A page may be empty and still have a next one."""
    answers = iter([Page([], True, "a"), Page([{"n": 1}], False, None)])
    assert list(Pager(lambda _: next(answers), lambda item: item["n"])) == [1]


@pytest.mark.parametrize("cursors", [("a", "a"), ("a", "b", "a"), ("a", "b", "c", "b")])
def test_a_cursor_that_repeats_is_an_error(cursors):
    """A repeated cursor raises PagingError instead of an endless loop."""
    pager, asked = pages(*cursors)
    with pytest.raises(PagingError, match="same cursor twice"):
        list(pager)
    assert len(asked) == len(cursors)


def repeating(*pages):
    """A pager over pages of (id, updated_at, text)."""
    last = len(pages) - 1
    names = ("id", "updated_at", "text")
    answers = [
        Page([dict(zip(names, row, strict=False)) for row in page], at < last, f"c{at}")
        for at, page in enumerate(pages)
    ]
    return Pager(
        lambda cursor: answers[int(cursor[1:]) + 1 if cursor else 0], lambda row: row.get("text")
    )


OLD, NEW = "2026-01-01T00:00:00Z", "2026-01-01T02:00:00+01:00"


@pytest.mark.parametrize(
    ("pages", "first", "newest"),
    [
        ([[("a", OLD, "1"), ("b", OLD, "2")], [("a", NEW, "3")]], ["1", "2"], ["2", "3"]),
        ([[("a", NEW, "1"), ("b", OLD, "2")], [("a", OLD, "3")]], ["1", "2"], ["1", "2"]),
        ([[("a", OLD, "1"), ("a", NEW, "2"), ("a", OLD, "3")]], ["2"], ["2"]),
        ([[(1, None, "1")], [(1, None, "2"), ("1", None, "3")]], ["1", "3"], ["2", "3"]),
    ],
)
def test_a_repeated_row_is_read_once(pages, first, newest):
    """An iteration gives the first version of a row, a whole list the newest; one warning each."""
    pager = repeating(*pages)
    for read, found in (
        (lambda: list(pager), first),
        (lambda: [row["text"] for page in pager.raw_pages() for row in page.data], first),
        (lambda: pager.to_list(9), first),
        (pager.to_list, newest),
        (pager.filter().to_list, newest),
    ):
        with pytest.warns(RepeatWarning, match="each id is read once") as told:
            assert read() == found
        assert len(told) == 1
    assert pager.fetched() == (newest, len(newest))


def test_rows_without_an_id_are_all_read():
    """Rows without an id, or with an id of another type, are never repeated."""
    rows = [(None,), (None,), ([],), ([],)]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert len(repeating(rows, rows).to_list()) == 8


@pytest.mark.parametrize("cursor", [None, ""])
def test_a_next_page_without_a_cursor_is_an_error(cursor):
    """A page that announces a next page without a cursor raises PagingError."""
    with pytest.raises(PagingError, match="no cursor"):
        list(Pager(lambda _: Page([], True, cursor), lambda item: item))


ROWS = [{"id": "a"}]
NAMED = {"lists.items": "list.rows", "lists.more": "list.more", "lists.cursor": "next"}
CURSOR_ONLY, ARRAY = {"lists.more": "none"}, {"lists.items": "none"}


@pytest.mark.parametrize(
    ("settings", "body", "page"),
    [
        ({}, {"data": ROWS, "has_next_page": True, "cursor": "c"}, Page(ROWS, True, "c")),
        ({}, {"data": ROWS, "has_next_page": False, "cursor": "c"}, Page(ROWS, False, "c")),
        ({}, {"data": [], "has_next_page": False}, Page([])),
        ({}, {"data": ROWS, "cursor": "c"}, Page(ROWS, True, "c")),
        (NAMED, {"list": {"rows": ROWS, "more": True}, "next": "c"}, Page(ROWS, True, "c")),
        (CURSOR_ONLY, {"data": ROWS, "cursor": "c"}, Page(ROWS, True, "c")),
        (CURSOR_ONLY, {"data": ROWS}, Page(ROWS)),
        (ARRAY, ROWS, Page(ROWS)),
        (ARRAY, {"data": ROWS}, Page(ROWS)),
    ],
)
def test_a_page_of_each_form_is_read(settings, body, page):
    """Rows, flag and cursor are read where the service has them."""
    assert read_page(body, Service(settings).list("transfers")) == page


@pytest.mark.parametrize(
    ("settings", "body", "words"),
    [
        ({}, ROWS, "must be a page: an object with data, has_next_page, cursor"),
        (CURSOR_ONLY, ROWS, "must be a page: an object with data, cursor"),
        (ARRAY, "x", "must be a page"),
        ({}, {"data": ROWS}, "does not say whether another page follows: has_next_page"),
        (ARRAY, {"data": ROWS, "x": 1}, "does not say whether another page follows"),
        ({}, {"data": {}, "has_next_page": False}, "must contain a list of objects as data"),
        ({}, {"data": [1], "has_next_page": False}, "must contain a list of objects as data"),
        (ARRAY, [1], "must contain a list of objects as data"),
        (NAMED, {"list": ROWS}, r"must contain a list of objects as list\.rows"),
        ({}, {"data": ROWS, "has_next_page": 1}, "has an unreadable cursor or has_next_page"),
        ({}, {"data": ROWS, "cursor": 1}, "has an unreadable cursor or has_next_page"),
    ],
)
def test_what_is_no_page(settings, body, words):
    """The error names the keys that are missing or cannot be read."""
    with pytest.raises(ValueError, match=f"^{words}"):
        read_page(body, Service(settings).list("transfers"))


@pytest.mark.parametrize(
    ("values", "usual"),
    [({}, True), ({"lists.items": "rows"}, False), ({"lists.transfers.items": "none"}, False)],
)
def test_a_list_has_the_envelope_of_the_spec_unless_it_differs(values, usual):
    """A list has it unless its keys or its form differ."""
    assert has_spec_envelope(Service(values).list("transfers")) is usual


def test_a_slice_of_a_list_is_shown_as_a_table_in_a_notebook():
    """It is a list, whose HTML has a row for each item."""
    lab = paylab.connect()
    first_three = lab.transfers.list()[:3]
    assert first_three == lab.transfers.list().to_list()[:3]
    card = items_card(first_three)
    assert all(transfer.id in card for transfer in first_three)
    assert "No items" in items_card(first_three[3:])
