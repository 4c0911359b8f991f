"""The router: an event is handled once, a late one is marked, a failed one is handled again."""

from __future__ import annotations

import json
import random
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from paylab.webhooks.event import UnreadableEventError
from paylab.webhooks.router import Router

LIFE = (
    ("transfer.created", "awaiting_funds"),
    ("transfer.funded", "started"),
    ("transfer.payout_initiated", "started"),
    ("transfer.completed", "completed"),
)


def delivery(step, row="tr_1"):
    """The body of one of a transfer's events."""
    kind, status = LIFE[step]
    payload = {"id": row, "status": status, "updated_at": f"2026-01-15T12:00:0{step}.000Z"}
    return json.dumps({"event_type": kind, "event_payload": payload})


class RecordingRouter(Router):
    """A router that records the events it handles."""

    def __init__(self):
        super().__init__()
        self.seen = []
        self.default(self.seen.append)


@pytest.fixture
def router():
    """A router whose default handler records its events."""
    return RecordingRouter()


def types(router):
    """The types of the recorded events, in order."""
    return [event.type for event in router.seen]


def test_an_event_goes_to_its_handler_and_others_to_the_default(router):
    """An event goes to the handler of its type, or else to the default handler."""
    own = []
    router.on("transfer.funded")(own.append)
    outcomes = [router.handle(delivery(step)).outcome for step in (0, 1)]
    assert (types(router), len(own), outcomes) == (["transfer.created"], 1, ["handled"] * 2)


def test_a_duplicate_is_handled_once(router):
    """An event that is delivered three times is handled once."""
    assert [bool(router.handle(delivery(1))) for _ in range(3)] == [True, False, False]
    assert len(router.seen) == 1


def test_a_late_event_moves_nothing_back(router):
    """A late event is marked as stale, and handlers without `stale=True` are not called."""
    router.handle(delivery(3))
    receipt = router.handle(delivery(1))
    assert (receipt.outcome, receipt.event.stale) == ("stale", True)
    assert types(router) == ["transfer.completed"]


def test_a_handler_may_ask_for_late_events(router):
    """A handler with `stale=True` is called with late events, which are marked as stale."""
    late, never = [], []
    router.on("transfer.funded", stale=True)(late.append)
    router.on("transfer.created")(never.append)
    outcomes = [router.handle(delivery(step)).outcome for step in (3, 1, 0)]
    assert outcomes == ["handled", "stale", "stale"]
    assert ([event.stale for event in late], never) == ([True], [])


@pytest.mark.parametrize("order", [(3, 2, 1, 0), (0, 2, 1, 3), (1, 0, 3, 2, 1, 0)])
def test_the_last_word_is_the_latest_state(router, order):
    """In any order of delivery, the last handled event has the latest status."""
    for step in order:
        router.handle(delivery(step))
    assert router.seen[-1].status == "completed"


def test_a_handler_that_raises_is_tried_again(router):
    """An event whose handler raised is handled again, and does not make earlier ones stale."""
    failures = [OSError("the database is away")]

    @router.on("transfer.funded")
    def fragile(event):
        if failures:
            raise failures.pop()
        router.seen.append(event)

    with pytest.raises(OSError, match="away"):
        router.handle(delivery(1))
    assert [router.handle(delivery(step)).outcome for step in (0, 1)] == ["handled"] * 2
    assert types(router) == ["transfer.created", "transfer.funded"]


def test_an_event_without_a_handler_is_no_error():
    """An event without a handler has the outcome `unhandled`."""
    assert [Router().handle(delivery(1)).outcome] == ["unhandled"]


def test_a_handler_given_again_replaces_the_one_before(router):
    """A second handler of a type replaces the first, so that a cell can be run twice."""
    first, second = [], []
    for seen in (first, second):
        router.on("transfer.funded", "transfer.created")(seen.append)
    router.handle(delivery(1))
    assert (len(first), len(second)) == (0, 1)


def test_a_coroutine_is_no_handler(router):
    """A coroutine function is refused, because it would never be awaited."""

    async def handler(event):
        """Never runs."""

    with pytest.raises(TypeError, match="plain function"):
        router.on("transfer.funded")(handler)


def test_what_is_no_event_is_a_value_error(router):
    """A body that is not an event raises UnreadableEventError."""
    with pytest.raises(UnreadableEventError):
        router.handle(b"<html>")


def test_a_router_forgets_the_oldest_events_first_when_it_has_reached_its_limit():
    """A router forgets the oldest events first when it has reached its limit."""
    router = Router(remember=2)
    for row in ("a", "b", "c"):
        router.handle(delivery(1, row))
    assert [bool(router.handle(delivery(1, row))) for row in ("c", "b", "a")] == [
        False,
        False,
        True,
    ]


def test_many_threads_handle_each_event_once(router):
    """In eight threads, each event is handled once and both resources end as completed."""
    rows = [delivery(step, row) for step in range(4) for row in ("a", "b")] * 20
    random.Random(7).shuffle(rows)
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(router.handle, rows))
    identities = [event.identity for event in router.seen]
    assert len(identities) == len(set(identities))
    assert {row: _last(router, row) for row in "ab"} == {"a": "completed", "b": "completed"}


def _last(router, row):
    return [event.status for event in router.seen if event.id == row][-1]


def test_a_second_delivery_waits_for_the_first():
    """A second delivery waits for the first, and is handled if the first one fails."""
    router, entered, go, runs = Router(), threading.Event(), threading.Event(), []

    @router.default
    def slow(event):
        runs.append(event)
        entered.set()
        go.wait(5)
        if len(runs) == 1:
            raise OSError("the first run fails")

    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(router.handle, delivery(1))
        entered.wait(5)
        second = pool.submit(router.handle, delivery(1))
        go.set()
        assert isinstance(first.exception(), OSError)
        assert second.result().outcome == "handled"


@pytest.mark.parametrize(
    ("event_type", "told"),
    [
        ("transfer.complete", "is transfer.completed meant"),
        ("transfer.paid", "is transfer.completed meant"),
        ("transfer.*", "contains a wildcard"),
    ],
)
def test_a_type_that_would_never_come_is_warned_of(router, event_type, told):
    """A handler of a type that looks mistyped gives a warning: it would never be called."""
    with pytest.warns(UserWarning, match=told):
        router.on(event_type)(print)


def test_a_new_type_is_taken(router, recwarn):
    """A type that is not in the spec is accepted without a warning."""
    router.on("wallet.frozen", "transfer.failed")(print)
    assert not recwarn
