"""A lost 202 of a conversion account: it is looked for before it is posted again."""

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
    """The account that was asked for, as the list shows it."""
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
    """One POST, the list, and the account."""
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
        {"created_at": "2026-01-31T09:00:00.000Z"},
    ],
)
def test_another_account_is_not_taken_for_it(scripted, other):
    """Nor one that is older than the order; then the same is posted again with its key."""
    client, script = scripted(LOST[0], listed(account(**other)), account(id="ca_2"))
    assert client.conversion_accounts.create(*ASKED).id == "ca_2"
    assert [request.method for request in script.requests] == ["POST", "GET", "POST"]
    first, _, second = script.sent("idempotency-key")
    assert first == second


@pytest.mark.parametrize("trouble", [httpx.ConnectError("no"), 429])
def test_what_was_not_carried_out_is_not_looked_for(scripted, trouble):
    """It can be sent again at once."""
    client, script = scripted(trouble, account())
    client.conversion_accounts.create(*ASKED)
    assert [request.method for request in script.requests] == ["POST", "POST"]


def test_it_is_not_posted_again_when_nobody_can_tell(scripted):
    """The error says where to look."""
    client, script = scripted(LOST[0], 403)
    with pytest.raises(errors.APITimeoutError) as caught:
        client.conversion_accounts.create(*ASKED)
    assert "check with GET /v1/conversion_accounts" in caught.value.hint
    assert [request.method for request in script.requests] == ["POST", "GET"]


@pytest.mark.parametrize("times", [1, 2, 3])
def test_one_account_is_made_when_its_answers_are_lost(times):
    """The simulator carries it out, answers 202, and the connection breaks."""
    lab = connect(simulator=Simulator(), ledger="none")
    person = lab.individuals.create(**individual("PH", consent_at=lab.clock()))
    lab.simulator.move(person.id, "pending")
    lab.individuals.wait(person, until="active")
    wallet = lab.financial_accounts.create(person, "crypto_wallet", WALLET)
    lab.simulator.faults.drop_after(method="POST", path="/v1/conversion_accounts", times=times)
    made = lab.conversion_accounts.create(person, wallet, "php")
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
    """A list may show fewer fields than the account has."""
    made = account(client_reference_id="r1")
    shown = {name: value for name, value in made.items() if name not in hidden}
    client, script = scripted(LOST[0], listed(shown), made)
    assert client.conversion_accounts.create(*ASKED, client_reference_id="r1").id == "ca_1"
    assert [request.method for request in script.requests] == ["POST", "GET", "GET"]


def test_what_nothing_tells_apart_is_the_callers_to_decide(scripted):
    """The account may be an older one: it is not posted again, and not taken for it either."""
    names = ("id", "status", "source_currency", "payout_account")
    spec = {name: account()[name] for name in names}
    client, script = scripted(LOST[0], listed(spec), max_retries=2)
    with pytest.raises(errors.PaylabError) as error:
        client.conversion_accounts.create(*ASKED)
    assert "check with GET /v1/conversion_accounts" in error.value.hint
    assert [request.method for request in script.requests] == ["POST", "GET"]
