"""Conversion accounts are orders too: their 202 is not stored, so the list is searched first."""

from __future__ import annotations

import httpx
import pytest

import paylab
from paylab.client.settings import Secret, Settings
from paylab.corridors import examples
from paylab.lab.lab import Lab
from paylab.simulator.simulator import Simulator
from paylab.simulator.transport import SimulatorTransport


class Spoiled(SimulatorTransport):
    """A transport that carries out a POST and then spoils its answer."""

    def handle_request(self, request):
        """Answer the request; after a POST, refuse it as a gateway, or interrupt."""
        response = super().handle_request(request)
        if request.method == "POST" and self.spoil:
            return self.spoil()
        return response


def interrupt():
    """Interrupt, as a stopped kernel does."""
    raise KeyboardInterrupt


@pytest.fixture
def walk(tmp_path):
    """A function that makes labs on one simulator and ledger, and the order of an account."""
    simulator = Simulator()
    lab = paylab.connect(simulator=simulator)
    person = lab.individuals.create(**examples.individual("MX", consent_at=lab.clock()))
    lab.simulator.move(person.id, "pending")
    lab.individuals.wait(person, until="active")
    wallet = lab.financial_accounts.create(person, "crypto_wallet", examples.WALLET)
    keys = Secret(simulator.api_key), Secret(simulator.secret_key)

    def make(spoil=None):
        transport = Spoiled(simulator.respond)
        transport.spoil = spoil
        ledger, clock = tmp_path / "ledger.sqlite3", simulator.world.now
        return Lab(
            Settings("http://localhost", *keys), transport=transport, clock=clock, ledger=ledger
        )

    return make, (person.id, wallet.id)


@pytest.mark.parametrize("spoil", [interrupt, lambda: httpx.Response(403)])
def test_an_account_whose_answer_was_spoiled_is_looked_for(walk, spoil):
    """After a lost or refused 202, the account is found: a repeat would make a second one."""
    make, order = walk
    more = {"client_reference_id": "scenario:slow"}
    with pytest.raises((KeyboardInterrupt, paylab.PaylabError)):
        make(spoil).conversion_accounts.create(*order, "mxn", **more)
    again = make().conversion_accounts.create(*order, "MXN", **more)
    assert [each.id for each in make().conversion_accounts.list()] == [again.id]


def test_an_equal_account_is_opened_once(walk, capsys):
    """An equal order returns the account as it is now; another reference or `new` opens another."""
    make, order = walk
    first = make().conversion_accounts.create(*order, "mxn")
    again = make().conversion_accounts.create(*order, source_currency="MXN")
    assert (again.id, again.replayed) == (first.id, True)
    assert "new=True makes another" in capsys.readouterr().err
    for more in ({"client_reference_id": "a"}, {"new": True}):
        assert make().conversion_accounts.create(*order, "mxn", **more).id != first.id
