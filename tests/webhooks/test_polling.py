"""Polling gives events to a router: with errors, beside webhooks, and until it is stopped."""

from __future__ import annotations

import threading
import time
from datetime import UTC, datetime

import pytest

import paylab
from paylab.simulator.simulator import Simulator
from paylab.spec.page import Page
from paylab.webhooks.polling import PolledList, Watch
from paylab.webhooks.router import Router


@pytest.fixture
def lab():
    """A lab whose service has a few transfers: each round reads the whole list."""
    return paylab.connect(simulator=Simulator(transfers=5))


class RecordingRouter(Router):
    """A router that records the events it handles."""

    def __init__(self):
        super().__init__()
        self.seen = []
        self.default(self.seen.append)


@pytest.fixture
def router():
    """A router that records the events it handles."""
    return RecordingRouter()


@pytest.fixture
def watch(lab, router):
    """A watch whose interval is an hour, so that only `poll` polls."""
    with lab.watch(router, every=3600) as made:
        yield made


def told(router):
    """Type and status of each handled event."""
    return [(event.type, event.status) for event in router.seen]


def test_the_past_is_no_news(watch, router):
    """The transfers that exist when the watch starts are not events."""
    assert (watch.poll(), router.seen) == (0, [])


@pytest.mark.parametrize(("year", "count"), [(2020, 5), (2030, 0)])
def test_the_past_is_news_since_a_time(lab, router, year, count):
    """With `since`, transfers updated at or after that time are events, oldest first."""
    lab.watch(router, every=3600, since=datetime(year, 1, 1, tzinfo=UTC)).stop()
    times = [event.resource.created_at for event in router.seen]
    assert len(times) == count
    assert times == sorted(times)


@pytest.mark.parametrize("kind", ["transfer.completed", "conversion.completed"])
def test_a_life_is_followed_step_by_step(lab, watch, router, kind):
    """If the watch polls once a second, it finds the same events as the webhooks."""
    events = lab.trigger(f"{kind.partition('.')[0]}.created")
    row = events[0].id
    while router.latest(events[0]) is None or router.latest(events[0]).type != kind:
        watch.poll()
        lab.sleep(1.0)
    polled = [event.identity for event in router.seen if event.id == row]
    assert polled == [event.identity for event in lab.events(row)]


def test_an_individual_is_followed(lab, watch, router):
    """An event of an individual has the previous status that the watch saw, at first None."""
    (event, *_) = lab.trigger("individual.status_changed")
    watch.poll()
    lab.individuals.wait(event.id)
    watch.poll()
    changes = [(each.resource.previous_status, each.status) for each in router.seen]
    assert changes == [(None, "pending"), ("pending", "active")]


def test_a_status_without_an_event_is_told_all_the_same(lab, watch, router):
    """A change of status without an event is handled as `transfer.status_changed`."""
    (event, *_) = lab.trigger("transfer.created")
    lab.simulator.move(event.id, "cancelled")
    watch.poll()
    assert told(router) == [("transfer.status_changed", "cancelled")]


def test_what_came_by_webhook_is_not_told_again(lab, watch, router):
    """An event that arrived by webhook is not handled again when polling finds it."""
    with lab.inbox(router=router):
        lab.trigger("transfer.completed")
        before = len(router.seen)
        assert (watch.poll(), len(router.seen)) == (0, before)


def test_what_polling_told_is_not_told_by_webhook(lab, watch, router):
    """An event that polling found is not handled again when its webhook arrives."""
    with lab.inbox(["transfer.completed"], router=router) as inbox:
        inbox.answer(503, 1)
        lab.trigger("transfer.completed")
        watch.poll()
        inbox.wait(type="transfer.completed")
    assert told(router) == [("transfer.completed", "completed")]


def test_a_handler_that_raises_is_given_it_again_by_the_next_round(lab, router):
    """If a handler raises, the next round gives it the event again; the error is recorded."""
    failures = [OSError("away")]

    @router.default
    def fragile(event):
        if failures:
            raise failures.pop()
        router.seen.append(event)

    with lab.watch(router, every=3600) as watch:
        lab.trigger("transfer.completed")
        assert [watch.poll(), watch.poll(), watch.poll()] == [0, 1, 0]
    assert [str(error) for error in watch.errors] == ["away"]


@pytest.mark.parametrize("kind", ["status", "refuse", "html", "truncate"])
def test_a_failing_service_is_survived(lab, watch, router, kind):
    """After errors of the service, the next round finds the missed event; the error is recorded."""
    lab.trigger("transfer.completed")
    lab.simulator.faults.add(kind, path="/v1/transfers", times=10)
    assert (watch.poll(), told(router), len(watch.errors)) == (0, [], 1)
    lab.simulator.faults.clear()
    assert watch.poll() == 1
    assert (told(router), len(watch.errors)) == ([("transfer.completed", "completed")], 1)


def test_more_than_a_page_is_seen(lab, watch, router):
    """A round finds all new rows, also when they fill more than one page."""
    (first, *_) = lab.trigger("conversion.created")
    for _ in range(120):
        lab.sandbox.deposit(first.resource.conversion_account_id, "1", "mxn")
    watch.poll()
    assert sum(event.type == "conversion.created" for event in router.seen) == 121


def test_what_is_old_and_open_is_looked_after(lab, router):
    """An open transfer that is no longer on the first page is still followed."""
    (transfer, *_) = lab.trigger("transfer.created")
    with lab.watch(router, every=3600) as watch:
        lab.simulator.seed(transfers=150)
        lab.transfers.wait(transfer.id)
        watch.poll()
    assert (transfer.id, "completed") in [(event.id, event.status) for event in router.seen]


def test_it_runs_beside_the_kernel(lab, router):
    """The thread of the watch finds events by itself, also when the clock is frozen."""
    found = threading.Event()
    router.on("transfer.completed")(lambda event: found.set())
    with lab.watch(router, every=0.02) as watch:
        lab.trigger("transfer.completed")
        assert found.wait(5)
        assert watch.is_running


def test_it_stops_on_request(lab, router):
    """`stop` ends polling for good, also when a handler calls it."""
    watch = lab.watch(router, every=0.02)
    router.default(lambda event: watch.stop())
    lab.trigger("transfer.completed")
    deadline = time.monotonic() + 5
    while watch.is_running and time.monotonic() < deadline:
        time.sleep(0.01)
    watch.stop()
    rounds = watch.rounds
    time.sleep(0.1)
    assert (watch.is_running, watch.rounds) == (False, rounds)


def test_every_has_to_be_a_time(lab, router):
    """An interval of 0 seconds is refused."""
    with pytest.raises(ValueError, match="more than 0"):
        lab.watch(router, every=0)


def test_since_has_to_be_an_instant(lab, router):
    """`since` without a time zone is refused."""
    with pytest.raises(ValueError, match="time zone"):
        lab.watch(router, since=datetime(2026, 1, 1))


class Listed:
    """A list of transfers in a given order that counts the pages requested."""

    def __init__(self, count, order, *, get=True):
        self.rows = [row(at, "started") for at in range(count)]
        self.order, self.asked, self.get = order, 0, self.read if get else None

    def pages(self):
        """The list in pages of ten."""
        rows = sorted(self.rows, key=self.order[0], reverse=self.order[1])
        for start in range(0, max(len(rows), 1), 10):
            self.asked += 1
            yield Page(rows[start : start + 10], start + 10 < len(rows), str(start))

    def read(self, row_id):
        """The row with an id."""
        return next(row for row in self.rows if row["id"] == row_id)

    def change(self, at, status, minute):
        """Change status and update time of a row."""
        moved = {"status": status, "updated_at": f"2026-02-01T10:{minute:02}:00Z"}
        self.rows[at] = {**self.rows[at], **moved}


def row(at, status, day=1):
    """A transfer; each is created one minute after the previous one."""
    when = f"2026-0{day}-15T{at // 60:02}:{at % 60:02}:00.000Z"
    return {"id": f"tr_{at:04}", "status": status, "created_at": when, "updated_at": when}


ORDERS = {
    "newest first": (lambda row: row["created_at"], True),
    "oldest first": (lambda row: row["created_at"], False),
    "last updated first": (lambda row: (row["updated_at"], row["id"]), True),
    "first updated first": (lambda row: (row["updated_at"], row["id"]), False),
    "by id backwards": (lambda row: row["id"][::-1], False),
    "newest first in two groups": (lambda row: (row["id"][-1] in "05", row["created_at"]), True),
}


@pytest.mark.parametrize("get", [True, False], ids=["with get", "list alone"])
@pytest.mark.parametrize("count", [0, 5, 105])
@pytest.mark.parametrize("order", ORDERS.values(), ids=ORDERS)
def test_news_is_found_in_a_list_of_any_order(router, order, count, get):
    """In a list of any order, new and changed rows are events once each, oldest row first."""
    listed = Listed(count, order, get=get)
    watch = Watch([PolledList("transfer", listed.pages, listed.get)], router, 3600, None)
    assert (watch.poll(), watch.poll()) == (0, 0)
    news = [count, count + 1]
    listed.rows += [row(at, "started", day=2) for at in news]
    changed = [count - 1, count - 3] if count else []
    for minute, at in enumerate(changed):
        listed.change(at, "completed", minute)
    watch.poll()
    assert [event.id for event in router.seen] == [f"tr_{at:04}" for at in (*changed[::-1], *news)]
    assert watch.poll() == 0


def test_a_list_that_is_declared_newest_first_is_not_read_whole(router):
    """If a list is declared newest first and nothing is new, one page is read."""
    listed = Listed(250, ORDERS["newest first"])
    watch = Watch([PolledList("transfer", listed.pages, None, "newest_first")], router, 3600, None)
    listed.rows = [{**each, "status": "completed"} for each in listed.rows]
    watch.poll()
    before = listed.asked
    watch.poll()
    assert (before, listed.asked - before) == (10, 1)


@pytest.mark.parametrize(
    ("count", "order", "told"),
    [(100, "unknown", 0), (101, "unknown", 1), (250, "unknown", 1), (250, "newest_first", 0)],
)
def test_a_list_that_is_read_whole_each_time_is_told_once(router, caplog, count, order, told):
    """A list of more than ten pages in an unknown order gives one warning at the start."""
    listed = Listed(count, ORDERS["newest first"])
    watch = Watch([PolledList("transfer", listed.pages, listed.get, order)], router, 9, None)
    assert (watch.poll(), watch.poll()) == (0, 0)
    assert [one.message.count("reads all of it") for one in caplog.records] == [1] * told


def test_rows_of_one_time_are_in_order(router):
    """Rows that were created at the same time do not contradict the declared order."""
    listed = Listed(50, ORDERS["newest first"])
    listed.rows = [each | {"created_at": row(0, "")["created_at"]} for each in listed.rows]
    watch = Watch(
        [PolledList("transfer", listed.pages, listed.get, "newest_first")], router, 9, None
    )
    watch.poll()
    before = listed.asked
    watch.poll()
    assert (before, listed.asked - before) == (5, 1)


@pytest.mark.parametrize(
    ("status", "updated", "told"),
    [
        ("action_required", 1, 0),
        ("active", 1, 0),
        ("active", 2, 1),
        ("pending", 1, 1),
        ("rejected", 2, 1),
    ],
)
def test_an_individual_that_was_not_known(router, status, updated, told):
    """A new individual is an event if it has left its first status already."""
    listed = Listed(0, ORDERS["newest first"])
    watch = Watch([PolledList("individual", listed.pages)], router, 9, None)
    watch.poll()
    made = row(1, status)
    listed.rows = [made | {"updated_at": row(updated, status)["updated_at"]}]
    assert (watch.poll(), len(router.seen)) == (told, told)


def test_a_payout_that_begins_is_told_by_its_update(router):
    """A transfer that is still started and was updated has begun to be paid out."""
    listed = Listed(1, ORDERS["newest first"])
    watch = Watch([PolledList("transfer", listed.pages, listed.get)], router, 9, None)
    watch.poll()
    listed.change(0, "started", 1)
    watch.poll()
    assert told(router) == [("transfer.payout_initiated", "started")]


@pytest.mark.parametrize("order", ORDERS.values(), ids=ORDERS)
def test_since_looks_at_the_whole_past(router, order):
    """With `since`, each row updated since then is found once, in a list of any order."""
    listed = Listed(250, order)
    since = datetime(2026, 1, 15, 2, 0, tzinfo=UTC)
    watch = Watch([PolledList("transfer", listed.pages, listed.get)], router, 3600, since)
    assert (watch.poll(), watch.poll()) == (130, 0)
    assert [event.id for event in router.seen] == [f"tr_{at:04}" for at in range(120, 250)]


def test_an_order_that_changes_on_the_way_floods_nobody(router):
    """If the list loses its order, old rows beyond the first pages do not become events."""
    listed = Listed(250, ORDERS["newest first"])
    watch = Watch(
        [PolledList("transfer", listed.pages, listed.get, "newest_first")], router, 3600, None
    )
    watch.poll()
    listed.order = ORDERS["by id backwards"]
    listed.rows.append(row(250, "started", day=2))
    assert (watch.poll(), watch.poll()) == (1, 0)


def test_an_order_that_is_lost_between_two_pages(router):
    """If a page is newer than the one before it, the whole list is read."""
    listed = Listed(20, ORDERS["newest first"])
    lists = [PolledList("transfer", listed.pages, listed.get, "newest_first")]
    watch = Watch(lists, router, 3600, None)
    watch.poll()
    listed.rows.append(row(20, "started", day=2))
    listed.change(0, "completed", 1)
    listed.order = (lambda row: (int(row["id"][3:]) // 10, -int(row["id"][3:])), False)
    watch.poll()
    assert sorted(event.id for event in router.seen) == ["tr_0000", "tr_0020"]
