"""Lists: limits, cursors, order, and rows that are added between pages."""

from __future__ import annotations

import base64
import json

import pytest

INVALID = {"error": "Invalid pagination token"}
LISTS = ["transfers", "conversions", "individuals", "conversion_accounts"]


def token(position):
    """A cursor that encodes this position."""
    text = position if isinstance(position, str) else json.dumps(position)
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def walk(service, target, mark="?"):
    """The ids of the rows of each page."""
    cursor, pages = "", []
    while cursor is not None:
        page = service.get(f"{target}{mark}limit=7{cursor and f'&cursor={cursor}'}").json
        pages.append([row["id"] for row in page["data"]])
        assert page["has_next_page"] is (page["cursor"] is not None)
        cursor = page["cursor"]
    return pages


@pytest.mark.parametrize(
    ("query", "status"),
    [
        ("", 20),
        ("?limit=1", 1),
        ("?limit=100", 100),
        ("?limit=0", None),
        ("?limit=101", None),
        ("?limit=-1", None),
        ("?limit=", None),
        ("?limit=1.0", None),
        ("?limit=ten", None),
        ("?limit=%D9%A3", None),
        ("?limit=99999999999999999999", None),
        ("?limit=5&limit=6", 6),
        ("?other=1", 20),
    ],
)
def test_the_limit_is_from_1_to_100_by_default_20(make, query, status):
    """The limit is from 1 to 100, by default 20; any other limit returns 400."""
    answer = make(transfers=130).get(f"/v1/transfers{query}")
    if status:
        assert len(answer["data"]) == status
    else:
        assert (answer.status, [*answer.fields]) == (400, ["limit"])


@pytest.mark.parametrize("count", [0, 6, 7, 8, 14, 15])
def test_pages_of_seven_contain_every_row_once_for_any_number_of_rows(make, count):
    """Pages of seven contain every row once, for any number of rows."""
    pages = walk(make(transfers=count), "/v1/transfers")
    ids = [each for page in pages for each in page]
    assert (len(ids), len(set(ids))) == (count, count)
    assert len(pages) == max(1, -(-count // 7))


def test_a_list_is_sorted_by_created_at_then_by_id_in_descending_order(make):
    """A list is sorted by created_at, then by id, in descending order."""
    rows = make(transfers=100).get("/v1/transfers?limit=100")["data"]
    places = [(row["created_at"], row["id"]) for row in rows]
    assert places == sorted(places, reverse=True)


def test_rows_with_the_same_created_at_are_listed_in_reverse_order_of_creation(service):
    """Rows with the same created_at are listed in reverse order of creation."""
    made = [service.person()["id"] for _ in range(10)]
    pages = walk(service, "/v1/individuals")
    assert [each for page in pages for each in page] == made[::-1]


def test_rows_added_while_paging_hide_no_other_row(service):
    """When a row is added between two pages, no other row is repeated or missing."""
    before = [service.person()["id"] for _ in range(6)][::-1]
    first = service.get("/v1/individuals?limit=3").json
    service.person()
    second = service.get(f"/v1/individuals?limit=3&cursor={first['cursor']}").json
    assert [row["id"] for row in first["data"] + second["data"]] == before
    assert second["cursor"] is None


def test_a_filter_that_is_sent_with_every_cursor_applies_to_all_pages(make):
    """A filter that is sent with every cursor applies to all pages."""
    service = make(transfers=10)
    assert len(walk(service, "/v1/transfers?product_type=global_payouts", "&")) == 2
    assert walk(service, "/v1/transfers?product_type=off_ramp", "&") == [[]]


@pytest.mark.parametrize(
    "cursor",
    [
        "",
        "x",
        "!!!",
        "%00",
        "A" * 5000,
        token("[]"),
        token("{"),
        token("[" * 600),
        token({}),
        token({"created_at": "x", "id": "y"}),
        token({"created_at": "x", "id": "y", "direction": "sideways"}),
        token({"created_at": 1, "id": "y", "direction": "next"}),
        token({"created_at": "x", "id": None, "direction": "next"}),
        token('{"created_at":"x","direction":"next","id":"y"}'),
        token('{"created_at":"2026-13-01T00:00:00.000Z","direction":"next","id":"y"}'),
    ],
)
def test_an_invalid_cursor_is_refused_in_the_words_of_the_spec(module_service, cursor):
    """An invalid cursor returns 400 with the error text of the spec, in every list."""
    for name in LISTS:
        answer = module_service.get(f"/v1/{name}?cursor={cursor}")
        assert (answer.status, answer.json) == (400, INVALID), name


def test_a_cursor_is_opaque_but_not_secret(make):
    """A cursor is the position and the direction in base64url."""
    cursor = make(transfers=3).get("/v1/transfers?limit=2")["cursor"]
    position = json.loads(base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)))
    assert (position["direction"], len(position)) == ("next", 3)
