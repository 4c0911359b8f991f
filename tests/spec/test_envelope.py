"""The envelope of a list whose keys are not known."""

from __future__ import annotations

import pytest

from paylab.spec.envelope import find_envelope_differences
from paylab.spec.service import Service

ROWS = [{"id": "a", "next": True, "token": "x"}]
USUAL = {"data": ROWS, "has_next_page": False, "cursor": None}


@pytest.mark.parametrize(
    ("body", "differences"),
    [
        (USUAL, {}),
        (USUAL | {"has_next_page": True, "more": 1}, {}),
        (
            {"items": ROWS, "hasMore": True, "nextToken": "c"},
            {"items": "items", "more": "hasMore", "cursor": "nextToken"},
        ),
        (
            {"data": {"list": ROWS}, "meta": {"page": {"has_more": False, "after": None}}},
            {"items": "data.list", "more": "meta.page.has_more", "cursor": "meta.page.after"},
        ),
        ({"data": ROWS, "cursor": "c"}, {}),
        ({"data": ROWS, "cursor": None}, {"more": "none"}),
        ({"data": ROWS}, {"more": "none"}),
        ({"data": ROWS, "total": 9}, {}),
        ({"data": ROWS, "total": 0}, {"more": "none"}),
        ({"data": ROWS, "next": "https://h/?c=1"}, {}),
        ({"data": ROWS, "next": "/v1/x?c=1"}, {}),
        ({"data": ROWS, "live": True}, {"more": "none"}),
        ({"a": [1], "rows": ROWS}, {"items": "rows", "more": "none"}),
        ({"data": []}, {"more": "none"}),
    ],
)
def test_the_keys_of_a_page(body, differences):
    """The assumed keys where the body has them, else those whose names and values fit."""
    assert dict(find_envelope_differences(body, Service().list("transfers"))) == differences


def test_an_array_is_the_whole_list():
    """An array is the whole list."""
    form = Service().list("transfers")
    array = Service({"lists.items": "none"}).list("transfers")
    assert dict(find_envelope_differences(ROWS, form)) == {"items": "none"}
    assert dict(find_envelope_differences(ROWS, array)) == {}
    assert dict(find_envelope_differences(USUAL, array))["items"] == "data"


@pytest.mark.parametrize(
    "body", [None, "x", {}, {"data": "x"}, {"a": {"b": {"c": {"d": ROWS}}}}, {"data": [1]}]
)
def test_a_body_without_rows(body):
    """A body without a list of objects within three levels has no envelope."""
    assert [*find_envelope_differences(body, Service().list("transfers"))] == []
