"""Waiting polls until a status is reached or the timeout has passed."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial

import pytest

from paylab.client import Client
from paylab.errors import PaylabError, RuleWarning, WaitTimeoutError
from paylab.spec.service import Service


def status(*names):
    """Answers for one object, one per status."""
    return [{"id": "x", "status": name} for name in names]


def page(*rows):
    """A page of conversions: id, account, status, and the hour each was created."""
    data = [
        {
            "id": id_,
            "conversion_account_id": account,
            "status": name,
            "created_at": f"2026-01-31T{hour:02}:00:00Z",
        }
        for id_, account, name, hour in rows
    ]
    return {"data": data, "has_next_page": False, "cursor": None}


@pytest.mark.parametrize(
    ("wait", "seen", "last"),
    [
        (lambda c: c.individuals.wait("x"), ["pending", "under_review", "active"], "active"),
        (lambda c: c.individuals.wait("x"), ["pending", "action_required"], "action_required"),
        (lambda c: c.individuals.wait("x", until="pending"), ["odd", "pending"], "pending"),
        (lambda c: c.transfers.wait("x"), ["awaiting_funds", "started", "failed"], "failed"),
        (lambda c: c.transfers.wait("x"), ["strange", "completed"], "completed"),
        (lambda c: c.transfers.wait("x", until={"started"}), ["pending", "started"], "started"),
        (lambda c: c.conversion_accounts.wait("x"), ["pending", "pending", "active"], "active"),
        (lambda c: c.conversion_accounts.wait("x"), ["pending", "disabled"], "disabled"),
        (
            lambda c: c.individuals.wait("x", until=lambda one: one.status != "pending"),
            ["pending", "odd"],
            "odd",
        ),
    ],
)
def test_waiting_ends_at_the_status_waited_for(scripted, wait, seen, last):
    """Waiting polls once a second and returns at the expected status."""
    client, script = scripted(*status(*seen))
    assert wait(client).status == last
    assert script.naps == [1.0] * (len(seen) - 1)


@pytest.mark.parametrize("created_at", [None, "soon", 5])
def test_a_conversion_without_a_time_is_a_clear_error(scripted, created_at):
    """With `since`, a conversion without a readable created_at raises PaylabError."""
    row = {"id": "c", "conversion_account_id": "a", "status": "completed", "created_at": created_at}
    client, _ = scripted({"data": [row], "has_next_page": False}, max_retries=0)
    since = datetime(2026, 1, 31, tzinfo=UTC)
    with pytest.raises(PaylabError, match="no readable created_at"):
        client.conversions.wait(conversion_account_id="a", since=since)


FRONT = {"code": "verification_front_image_needed", "message": "Front image needed."}
TOKEN = {"code": "verification_token_needed", "message": "Token needed."}


@pytest.mark.parametrize(
    ("name", "details", "words"),
    [
        ("active", [], None),
        ("action_required", [FRONT], "Front image needed.); next: lab.individuals.upload_images("),
        ("action_required", [TOKEN], "next: lab.individuals.submit_token('x', ...)"),
        ("action_required", [], "x is action_required: the service gives no reason; next: "),
        ("rejected", [FRONT], "this status is final"),
    ],
)
def test_a_wait_that_ends_without_success_says_what_is_needed(scripted, name, details, words):
    """A notice has the reasons and the next call; none is shown if you wait for the status."""
    notices = []
    row = {"id": "x", "status": name, "status_details": details}
    client, _ = scripted(row, row, show_notice=notices.append)
    client.individuals.wait("x", until=name)
    assert notices == []
    client.individuals.wait("x")
    assert [words in notice for notice in notices] == ([True] if words else [])


@pytest.mark.parametrize(
    ("wait", "name", "hint"),
    [
        (
            lambda c: c.individuals.wait("x", timeout=0),
            "pending",
            "wait longer, as with timeout=60",
        ),
        (
            lambda c: c.individuals.wait("x", until="active", timeout=0),
            "action_required",
            "lab.individuals.upload_images('x', images)",
        ),
        (lambda c: c.individuals.wait("x", until="active"), "rejected", "this status is final"),
        (lambda c: c.conversion_accounts.wait("x", timeout=0), "pending", "wait longer"),
        (
            lambda c: c.transfers.wait("x", timeout=0),
            "awaiting_funds",
            "longer, unless the balance",
        ),
        (lambda c: c.transfers.wait("x", until="completed"), "failed", "no wait helps"),
    ],
)
def test_a_wait_in_vain_says_what_to_try(scripted, wait, name, hint):
    """The error of each wait has a line "Try"."""
    client, _ = scripted(*status(name))
    with pytest.raises(WaitTimeoutError) as caught:
        wait(client)
    assert hint in caught.value.hint
    assert "Try: " in "".join(caught.value.card())


def test_a_misspelt_status_is_named_before_the_wait(scripted):
    """A status that is spelt like a known one is a warning, and not refused."""
    client, _ = scripted(*status("completd"))
    with pytest.warns(RuleWarning, match="until: 'completd' .*is completed meant?"):
        assert client.transfers.wait("x", until="completd").status == "completd"


def test_waiting_stops_when_its_sleeps_add_up_to_the_timeout(scripted):
    """Waiting stops when its sleeps add up to the timeout; the error has the last object."""
    client, script = scripted(*status(*["pend\x1bing"] * 4))
    with pytest.raises(WaitTimeoutError) as caught:
        client.individuals.wait("x", timeout=2.5)
    words = (
        "after 2.5 s the individual is still pend\\x1bing, and the wait ends at action_required, "
        'active or rejected; if pend\\x1bing is the end, write wait(..., until="pend\\x1bing")'
    )
    assert str(caught.value) == words
    assert caught.value.last.id == "x"
    assert script.naps == [1.0, 1.0, 0.5]


@pytest.mark.parametrize(
    ("wait", "final"),
    [
        (lambda c: c.individuals.wait("x", until="active"), "rejected"),
        (lambda c: c.transfers.wait("x", until={"completed"}), "failed"),
    ],
)
def test_waiting_ends_where_nothing_follows(scripted, wait, final):
    """A final status other than the expected one raises WaitTimeoutError at once."""
    client, script = scripted(*status("pending", final))
    with pytest.raises(WaitTimeoutError, match=f"is {final}, which is final"):
        wait(client)
    assert script.naps == [1.0]


@pytest.mark.parametrize("end", ["completed", "failed", "cancelled", "expired"])
def test_every_end_of_a_conversion_ends_the_wait(scripted, end):
    """Every final status of a conversion ends the wait, including cancelled and expired."""
    client, _ = scripted(page(("x", "ca_1", end, 1)))
    assert client.conversions.wait("x").status == end


def test_an_id_that_is_absent_is_not_the_one_waited_for(scripted):
    """Waiting by id does not match a conversion whose account id is null."""
    client, _ = scripted(page(("other", None, "completed", 1)))
    is_announced = pytest.warns(RuleWarning, match="no conversion x is listed yet: check the id")
    with is_announced, pytest.raises(WaitTimeoutError, match="was not found"):
        client.conversions.wait("x", timeout=0)


@pytest.mark.filterwarnings("ignore:id. no conversion x is listed yet")
def test_a_conversion_is_found_through_the_list(scripted):
    """A conversion is found by its id in the list once it appears there."""
    client, script = scripted(
        page(("other", "ca_1", "completed", 1)),
        page(("x", "ca_1", "pending", 2), ("other", "ca_1", "completed", 1)),
        page(("x", "ca_1", "completed", 2)),
    )
    assert client.conversions.wait("x").status == "completed"
    assert {request.url.raw_path for request in script.requests} == {b"/v1/conversions?limit=100"}


ROWS = (
    ("foreign", "ca_2", "completed", 5),
    ("newest", "ca_1", "completed", 4),
    ("older", "ca_1", "completed", 1),
)


@pytest.mark.parametrize("since", [None, datetime(2026, 1, 31, 4, tzinfo=UTC)])
@pytest.mark.parametrize("rows", [ROWS, ROWS[::-1], (ROWS[2], ROWS[0], ROWS[1])])
def test_an_accounts_newest_conversion_is_waited_for(scripted, rows, since):
    """The newest conversion of the account is found, whatever the order of the list."""
    client, _ = scripted(page(*rows))
    assert client.conversions.wait(conversion_account_id="ca_1", since=since).id == "newest"


def test_an_older_conversion_is_not_taken_for_the_new_one(scripted):
    """A conversion created before `since` is ignored."""
    older = ("older", "ca_1", "completed", 1)
    client, _ = scripted(page(older), page(("new", "ca_1", "completed", 3), older))
    since = datetime(2026, 1, 31, 2, tzinfo=UTC)
    assert client.conversions.wait(conversion_account_id="ca_1", since=since).id == "new"


@pytest.mark.filterwarnings("ignore:id. no conversion x is listed yet")
def test_a_conversion_that_never_comes(scripted):
    """If no conversion appears, the error says that it was not found."""
    client, _ = scripted(page(), page())
    with pytest.raises(WaitTimeoutError, match="after 1 s the conversion was not found") as caught:
        client.conversions.wait("x", timeout=1)
    assert caught.value.last is None


@pytest.mark.parametrize(("order", "pages"), [("newest_first", 1), ("unknown", 2)])
def test_the_whole_list_is_read_unless_its_order_is_declared(scripted, order, pages):
    """The whole list is read; a list declared newest first is read up to the first match."""
    first = {**page(ROWS[1]), "has_next_page": True, "cursor": "next"}
    client, script = scripted(first, page(ROWS[2]))
    client = client.with_service(client.service.with_values({"lists.order": order}))
    assert client.conversions.wait(conversion_account_id="ca_1").id == "newest"
    assert len(script.requests) == pages


@pytest.mark.parametrize(
    ("until", "status_now", "declared", "is_noted", "is_advised"),
    [
        (None, "approved", (), True, True),
        (None, "approved", ("approved",), False, True),
        (None, "pending", (), False, False),
        ({"active"}, "approved", (), True, True),
        (lambda person: False, "approved", (), False, False),
    ],
)
def test_a_wait_says_at_once_that_a_status_is_unknown(
    scripted, settings, until, status_now, declared, is_noted, is_advised
):
    """The first line and the error name the statuses that end the wait, and `until`."""
    own = replace(settings, service=Service({"statuses.individuals": declared}))
    _, script = scripted(*status(*[status_now] * 3))
    lines = []
    shown = partial(nullcontext, lines.append)
    client = Client(own, transport=script, sleep=script.naps.append, wait_shown=shown)
    chosen = {} if until is None else {"until": until}
    with pytest.raises(WaitTimeoutError) as caught:
        client.individuals.wait("x", timeout=2, **chosen)
    assert ("which paylab does not know (the wait ends at" in lines[0]) == is_noted
    assert ('until="approved"' in str(caught.value)) == is_advised
