"""Rows since a time and syncs are complete for every order of the list."""

from __future__ import annotations

import json
import warnings
from datetime import UTC, datetime, timedelta
from random import Random

import pytest

from paylab import frames
from paylab.errors import RuleError, RuleWarning
from paylab.spec.codes import PAGE_MAX

BEGIN = datetime(2026, 1, 1, tzinfo=UTC)
COUNT, PAGE = 60, 3


def at(minutes):
    """A time as the service writes it, in minutes after the start."""
    return (BEGIN + timedelta(minutes=minutes)).isoformat().replace("+00:00", "Z")


def rows(count=COUNT):
    """One transfer per minute; every seventh was updated much later."""
    return [
        {
            "id": f"tr_{number:03d}",
            "status": "completed",
            "created_at": at(number),
            "updated_at": at(number + (7 * count if number % 7 == 0 else 1)),
        }
        for number in range(count)
    ]


def fewest_updated(row):
    """A sort key: the time of update, then the time of creation."""
    return row["updated_at"], row["created_at"]


ORDERS = {
    "newest first": lambda made: made[::-1],
    "oldest first": lambda made: made,
    "last updated first": lambda made: sorted(made, key=fewest_updated, reverse=True),
    "first updated first": lambda made: sorted(made, key=fewest_updated),
    "no order": lambda made: Random(4).sample(made, len(made)),
    "by id of two offices": lambda made: made[::2] + made[1::2],
    "newest first in two groups": lambda made: made[::2][::-1] + made[1::2][::-1],
}


class List:
    """A fake list in pages of `size` rows; `asked` counts the requested pages."""

    kind, account = "transfers", "one"

    def __init__(self, made, order="unknown", size=PAGE):
        self.made, self.asked, self.order, self.size = made, 0, order, size

    def pull(self):
        """The list itself."""
        return self

    def origin(self):
        """The source of the rows."""
        return {"base_url": "https://one"}

    def fetch(self, cursor):
        """A page of rows."""
        self.asked += 1
        start = int(cursor or 0)
        end = start + self.size
        more = end < len(self.made)
        page = {"data": self.made[start:end], "has_next_page": more}
        return json.dumps(page | {"cursor": str(end) if more else None}).encode()

    def one(self, id_):
        """One row as JSON; None if it does not exist."""
        return next((json.dumps(row).encode() for row in self.made if row["id"] == id_), None)


@pytest.mark.filterwarnings("ignore::paylab.frames.OrderWarning")
@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("begin", [30, 1])
def test_every_row_since_a_time_is_found_in_every_order(order, begin):
    """Every row since a time is found in every order."""
    source = List(ORDERS[order](rows()))
    frame = frames.transfers(frames.bodies(source.fetch), since=at(begin))
    assert sorted(frame["id"]) == [f"tr_{number:03d}" for number in range(begin, COUNT)]


@pytest.mark.filterwarnings("ignore::paylab.frames.OrderWarning")
@pytest.mark.parametrize("order", ORDERS)
def test_a_sync_brings_all_that_is_new(order, tmp_path):
    """A sync finds all new rows, also when they are on the last page."""
    dataset = frames.Dataset(f"{tmp_path}/d")
    assert dataset.sync(List(ORDERS[order](rows(40)))).new == 40
    assert dataset.sync(List(ORDERS[order](rows(46)))).new == 6
    assert dataset.sync(List(ORDERS[order](rows(46)))).new == 0
    assert dataset.summarize()["rows"].sum() == 46


@pytest.mark.parametrize(
    ("order", "declared", "told"),
    [
        ("newest first", "newest_first", 0),
        ("newest first", "unknown", 1),
        ("oldest first", "newest_first", 1),
    ],
)
def test_reading_everything_is_told(order, declared, told):
    """A list is read to its end, with a warning, unless it is newest first as declared."""
    source = List(ORDERS[order](rows()))
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        frames.transfers(frames.bodies(source.fetch), since=at(54), order=declared)
    assert [each.category for each in found] == [frames.OrderWarning] * told
    assert (source.asked == COUNT / PAGE) == bool(told)


@pytest.mark.filterwarnings("error")
def test_rows_of_one_time_on_two_pages_are_all_read():
    """The row after a page is read too if the last one of the page is as old as `since`."""
    made = rows()[::-1]
    made[6] |= {"created_at": at(54)}
    source = List(made, "newest_first")
    frame = frames.transfers(frames.bodies(source.fetch), since=at(54), order="newest_first")
    assert (len(frame), source.asked) == (7, 3)


@pytest.mark.parametrize(("limit", "asked"), [(100, 1), (101, 2), (200, 2), (2000, 20), (2001, 20)])
def test_no_page_is_read_beyond_a_limit(limit, asked):
    """A full page more is read only if rows are missing."""
    source = List(rows(2000), size=PAGE_MAX)
    frame = frames.transfers(frames.bodies(source.fetch), limit=limit)
    assert (len(frame), source.asked) == (min(limit, 2000), asked)
    assert frame.attrs["complete"] is (limit >= 2000)


@pytest.mark.filterwarnings("ignore::paylab.frames.OrderWarning")
def test_a_sync_brings_rows_that_appear_late(tmp_path):
    """In an unknown order, a sync finds new rows that are older than the newest known row."""
    made, dataset = rows()[::-1], frames.Dataset(f"{tmp_path}/d")
    dataset.sync(List(made[:20] + made[30:]))
    assert dataset.sync(List(made)).new == 10


def test_a_sync_of_an_undeclared_list_says_that_it_reads_everything(tmp_path):
    """A second sync in unknown order warns and reads all pages; newest first reads one page."""
    dataset = frames.Dataset(f"{tmp_path}/d")
    dataset.sync(List(rows()[::-1]))
    with pytest.warns(frames.OrderWarning, match="list_order") as told:
        assert dataset.sync(List(rows()[::-1])).pages == COUNT / PAGE
    assert told[0].filename == __file__
    assert dataset.sync(List(rows()[::-1], "newest_first"), overlap="1min").pages == 1


@pytest.mark.parametrize(
    "since",
    ["2026-01-01T01:54:00+01:00", datetime(2026, 1, 1, 0, 54, tzinfo=UTC), "2026-01-01 00:54Z"],
)
def test_a_time_with_an_offset_is_read_in_it(since):
    """A time with an offset is that instant."""
    assert len(frames.transfers([{"data": rows()}], since=since)) == 6


@pytest.mark.parametrize("since", [datetime(2026, 1, 1, 0, 54), "2026-01-01T00:54:00"])
def test_a_time_without_an_offset_is_utc_and_a_warning_says_so(since):
    """A time without an offset is UTC, with a warning that names the instant."""
    with pytest.warns(RuleWarning, match="taken as 2026-01-01T00:54:00.000Z"):
        assert len(frames.transfers([{"data": rows()}], since=since)) == 6


@pytest.mark.parametrize("since", ["soon", 5, "2026-13-01", b"2026-01-01"])
def test_a_value_that_is_no_time_is_an_error_with_its_argument(since):
    """A value that is not a time raises RuleError with the name of the argument."""
    with pytest.raises(RuleError, match="since"):
        frames.transfers([{"data": []}], since=since)


@pytest.mark.parametrize("kind", ["transfers", "conversions"])
def test_rows_without_a_time_are_kept(kind, tmp_path):
    """Rows with a missing or unreadable time are kept, whatever their ids and statuses are."""
    odd = [
        {"id": 7 + at, "status": "pending", "source_currency": "XYZ", "created_at": created}
        for at, created in enumerate([None, "soon", 5, ["x"], {"at": 1}])
    ]
    source = List([*odd, {"id": "tr_x"}, *rows()[::-1]])
    source.kind = kind
    read = frames.transfers if kind == "transfers" else frames.conversions
    count = COUNT + len(odd) + 1
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert len(read(frames.bodies(source.fetch), since=at(55))) == 11
        dataset = frames.Dataset(f"{tmp_path}/d")
        assert [dataset.sync(source).new for _ in range(2)] == [count, 0]
        frames.export_list(source.fetch, f"{tmp_path}/t/", kind)
        assert frames.summarize(f"{tmp_path}/t", by=["day", "corridor"])["rows"].sum() == count
    assert dataset.summarize(by=["day"])["rows"].sum() == count
