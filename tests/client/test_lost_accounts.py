"""After a lost 202, the client looks for the conversion account before it posts again."""

from __future__ import annotations

import httpx
import pytest

from paylab import connect, errors
from paylab.corridors.examples import WALLET, individual
from paylab.simulator.simulator import Simulator

ASKED = ("ind_1", "fa_1", "mxn")
LOST = [httpx.ReadTimeout("slow"), httpx.RemoteProtocolError("closed"), 500, 502]


def listed(*accounts):
    """A page of conversion accounts."""
    return {"data": list(accounts), "has_next_page": False, "cursor": None}


def account(**fields):
    """The requested account as the list shows it, with some fields changed."""
    made = {
        "id": "ca_1",
        "individual_id": "ind_1",
        "payout_account": {"id": "fa_1"},
        "source_currency": "MXN",
        "created_at": "2026-01-31T09:30:00.500Z",
        "status": "pending",
    }
    return {**made, **fields}


@pytest.mark.parametrize("lost", LOST)
@pytest.mark.parametrize("retries", [0, 2])
def test_what_was_made_is_found(scripted, lost, retries):
    """After a lost answer, the client finds the account in the list and reads it."""
    client, script = scripted(lost, listed(account()), account(), max_retries=retries)
    assert client.conversion_accounts.create(*ASKED).id == "ca_1"
    assert [request.method for request in script.requests] == ["POST", "GET", "GET"]


@pytest.mark.parametrize(
    "other",
    [
        {"individual_id": "ind_2"},
        {"payout_account": {"id": "fa_2"}},
        {"source_currency": "php"},
        {"client_reference_id": "another"},
        {"created_at": "2026-01-31T09:25:00.122Z"},
    ],
)
def test_another_account_is_not_taken_for_it(scripted, other):
    """An account that differs or is older does not match: the POST is repeated with its key."""
    client, script = scripted(LOST[0], listed(account(**other)), account(id="ca_2"))
    assert client.conversion_accounts.create(*ASKED).id == "ca_2"
    assert [request.method for request in script.requests] == ["POST", "GET", "POST"]
    first, _, second = script.sent("idempotency-key")
    assert first == second


def test_an_account_may_be_made_by_a_clock_that_is_behind(scripted):
    """It counts if it was made at most the allowed difference of clocks before the request."""
    made = account(created_at="2026-01-31T09:25:00.123Z")
    client, _ = scripted(LOST[0], listed(made), made)
    assert client.conversion_accounts.create(*ASKED).id == "ca_1"


def cut():
    """A body that ends with its connection."""
    yield b"{"
    raise httpx.ReadError("cut")


@pytest.mark.parametrize(
    "trouble", [httpx.ConnectError("no"), 429, httpx.Response(429, content=cut())]
)
def test_what_was_not_carried_out_is_not_looked_for(scripted, trouble):
    """After a failed connection or a 429, the POST is repeated without reading the list."""
    client, script = scripted(trouble, account())
    client.conversion_accounts.create(*ASKED)
    assert [request.method for request in script.requests] == ["POST", "POST"]


def test_it_is_not_posted_again_when_nobody_can_tell(scripted):
    """If the list cannot be read, the POST is not repeated and the hint says where to check."""
    client, script = scripted(LOST[0], 403)
    with pytest.raises(errors.APITimeoutError) as caught:
        client.conversion_accounts.create(*ASKED)
    assert "check with GET /v1/conversion_accounts" in caught.value.hint
    assert [request.method for request in script.requests] == ["POST", "GET"]


@pytest.mark.parametrize("times", [1, 2, 3])
def test_one_account_is_made_when_its_answers_are_lost(times):
    """One account is created although the answers to its POST and to the next GETs are lost."""
    lab = connect(simulator=Simulator(), ledger="none")
    person = lab.individuals.create(**individual("PH", consent_at=lab.clock()))
    lab.simulator.move(person.id, "pending")
    lab.individuals.wait(person, until="active")
    wallet = lab.financial_accounts.create(person, "crypto_wallet", WALLET)
    lab.simulator.faults.drop_after(path="/v1/conversion_accounts", times=times)
    made = lab.conversion_accounts.create(person, wallet, "php")
    assert [call.method for call in lab.calls.failed] == ["POST", "GET", "GET"][:times]
    assert [one.id for one in lab.conversion_accounts.list()] == [made.id]


@pytest.mark.parametrize(
    "hidden",
    [
        ("individual_id",),
        ("client_reference_id",),
        ("created_at",),
        ("individual_id", "created_at"),
    ],
)
def test_what_a_list_leaves_out_is_not_compared(scripted, hidden):
    """Fields that the list does not show are not compared."""
    made = account(client_reference_id="r1")
    shown = {name: value for name, value in made.items() if name not in hidden}
    client, script = scripted(LOST[0], listed(shown), made)
    assert client.conversion_accounts.create(*ASKED, client_reference_id="r1").id == "ca_1"
    assert [request.method for request in script.requests] == ["POST", "GET", "GET"]


def test_what_nothing_tells_apart_is_the_callers_to_decide(scripted):
    """If the listed account may be an older one, it is not used and the POST is not repeated."""
    names = ("id", "status", "source_currency", "payout_account")
    spec = {name: account()[name] for name in names}
    client, script = scripted(LOST[0], listed(spec), max_retries=2)
    with pytest.raises(errors.PaylabError) as error:
        client.conversion_accounts.create(*ASKED)
    assert "check with GET /v1/conversion_accounts" in error.value.hint
    assert [request.method for request in script.requests] == ["POST", "GET"]
