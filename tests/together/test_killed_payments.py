"""A process that is killed at any request of a payment, and run again, has paid once."""

from __future__ import annotations

import os

import httpx
import pytest
from forked import ended, fork

import paylab
from paylab.client.settings import Secret, Settings
from paylab.corridors import examples
from paylab.lab.lab import Lab
from paylab.simulator.server import Server
from paylab.simulator.simulator import Simulator

TERMS = {"payout_method": "spei", "source_currency": "USD", "destination_currency": "MXN"}
KILLED = 9
MOST_REQUESTS = 12

ORDERS = {
    "values": {},
    "a reference": {"client_reference_id": "invoice-7"},
    "a name": {"client_reference_id": "invoice-7", "new": "second"},
    "lookback": {"client_reference_id": "invoice-7", "lookback": "3 days"},
}


class Killing(httpx.HTTPTransport):
    """A transport that ends the process after the answer to a request.

    To end it before the next request would be the same, since a process stores nothing.
    """

    def __init__(self, number):
        super().__init__(verify=False)  # the service is on http, and certificates take time
        self.left = number

    def handle_request(self, request):
        """Send a request; the process may end after its answer."""
        self.left -= 1
        try:
            response = super().handle_request(request)
            response.read()
        finally:
            if self.left == 0:
                os._exit(KILLED)
        return response


@pytest.fixture(scope="module")
def server():
    """A simulated service over HTTP."""
    with Server(Simulator()) as server:
        yield server


@pytest.mark.parametrize("order", ORDERS.values(), ids=ORDERS)
@pytest.mark.parametrize("earlier", ["nothing", "a lost answer", "a payment"])
def test_a_process_killed_at_any_request_pays_once(server, order, earlier):
    """Whichever request it is killed after, the next run pays once."""
    lab = paylab.connect(server.base_url, server.api_key, server.secret_key)
    settings = Settings(server.base_url, Secret(server.api_key), Secret(server.secret_key))
    person = lab.individuals.create(**examples.recipient("MX"))
    for number in range(1, MOST_REQUESTS):
        account = lab.financial_accounts.create(person.id, **examples.account("MX")).id
        named = "client_reference_id" in order
        fields = {**TERMS, **order, "source_amount": "50"}
        fields |= {"client_reference_id": account} if named else {}
        if earlier == "a payment":
            lab.transfers.create(account, **fields)
        if earlier == "a lost answer":
            lab.simulator.faults.drop_after(method="POST", path="/v1/transfers", times=1)

        def pay(number=number, account=account, fields=fields):
            transport = Killing(number)
            Lab(settings, transport=transport).transfers.create(account, **fields)
            return 0

        status = ended(fork(pay))
        lab.simulator.faults.clear()
        paid = lab.transfers.create(account, **fields)
        listed = [row.id for row in lab.transfers.list() if row.financial_account_id == account]
        assert listed == [paid.id]
        if status == 0:  # it was not killed any more
            assert number > 1
            return
        assert status == KILLED
    raise AssertionError("a payment takes more requests than expected")
