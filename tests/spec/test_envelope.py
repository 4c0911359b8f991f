"""The envelope of a list whose keys are not known."""

from __future__ import annotations

import pytest

from paylab.spec.envelope import read_envelope
from paylab.spec.service import Service

ROWS = [{"id": "a", "next": True, "token": "x"}]
USUAL = {"data": ROWS, "has_next_page": False, "cursor": None}


@pytest.mark.parametrize(
    ("body", "keys", "follows", "differences"),
    [
        (USUAL, ("data", "has_next_page", "cursor"), False, {}),
        (USUAL | {"has_next_page": True, "more": 1}, ("data", "has_next_page", "cursor"), True, {}),
        (
            {"items": ROWS, "hasMore": True, "nextToken": "c"},
            ("items", "hasMore", "nextToken"),
            True,
            {"items": "items", "more": "hasMore", "cursor": "nextToken"},
        ),
        (
            {"data": {"list": ROWS}, "meta": {"page": {"has_more": False, "after": None}}},
            ("data.list", "meta.page.has_more", "meta.page.after"),
            False,
            {"items": "data.list", "more": "meta.page.has_more", "cursor": "meta.page.after"},
        ),
        ({"data": ROWS, "cursor": "c"}, ("data", "", "cursor"), True, {}),
        ({"data": ROWS, "cursor": None}, ("data", "none", "cursor"), False, {"more": "none"}),
        ({"data": ROWS}, ("data", "none", ""), False, {"more": "none"}),
        ({"data": ROWS, "total": 9}, ("data", "", ""), False, {}),
        ({"data": ROWS, "total": 0}, ("data", "none", ""), False, {"more": "none"}),
        ({"data": ROWS, "next": "https://h/?c=1"}, ("data", "", ""), False, {}),
        ({"data": ROWS, "next": "/v1/x?c=1"}, ("data", "", ""), False, {}),
        ({"data": ROWS, "live": True}, ("data", "none", ""), False, {"more": "none"}),
        ({"a": [1], "rows": ROWS}, ("rows", "none", ""), False, {"items": "rows", "more": "none"}),
        ({"data": []}, ("data", "none", ""), False, {"more": "none"}),
    ],
)
def test_the_keys_of_a_page(body, keys, follows, differences):
    """The assumed keys where the body has them, else those whose names and values fit."""
    form = Service().list("transfers")
    found = read_envelope(body, form)
    assert (found.kind, found.items, found.more, found.cursor) == ("object", *keys)
    assert found.follows is follows
    assert found.rows == tuple(ROWS) or body["data"] == []
    assert dict(found.differences(body, form)) == differences


def test_an_array():
    """An array is the whole list."""
    form = Service().list("transfers")
    found = read_envelope(ROWS, form)
    assert (found.kind, found.rows, found.follows) == ("array", tuple(ROWS), False)
    assert dict(found.differences(ROWS, form)) == {"envelope": "array"}
    array = Service({"lists.envelope": "array"}).list("transfers")
    assert dict(found.differences(ROWS, array)) == {}
    assert dict(read_envelope(USUAL, array).differences(USUAL, array))["envelope"] == "object"


@pytest.mark.parametrize(
    "body", [None, "x", {}, {"data": "x"}, {"a": {"b": {"c": {"d": ROWS}}}}, {"data": [1]}]
)
def test_a_body_without_rows(body):
    """A body without a list of objects within three levels has no envelope."""
    assert read_envelope(body, Service().list("transfers")) is None
