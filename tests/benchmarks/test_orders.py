"""A benchmark of orders, compared with bare signed POSTs to the same service."""

from __future__ import annotations

from contextlib import redirect_stderr
from io import StringIO
from itertools import count
from uuid import uuid4

import paylab
from paylab.corridors import examples
from paylab.simulator.simulator import Simulator

TERMS = {"payout_method": "spei", "source_currency": "USD", "destination_currency": "MXN"}
ORDERS = 2_000


def test_an_order_takes_little_longer_than_its_requests(compare):
    """Different orders, and one order again and again, against as many bare signed POSTs.

    A repetition is two requests: the POST that the service replays, and the reading of the
    payment as it is now. Both without paylab's orders are its floor.
    """
    lab = paylab.connect(simulator=Simulator())
    person = lab.individuals.create(**examples.recipient("MX"))
    account = lab.financial_accounts.create(person.id, **examples.account("MX")).id
    body = {**TERMS, "source_amount": "50.00", "financial_account": {"id": account}}
    amounts = (f"{number}.00" for number in count(51))

    def bare():
        lab.client.send("POST", "/v1/transfers", json=body, idempotency_key=uuid4())

    def bare_pair():
        bare()
        lab.client.send("GET", f"/v1/transfers/{payment.id}")

    def equal():
        lab.transfers.create(account, **TERMS, source_amount="50.00")

    def different():
        lab.transfers.create(account, **TERMS, source_amount=next(amounts))

    payment = lab.transfers.create(account, **TERMS, source_amount="50.00")
    calls = {
        "bare signed POST": bare,
        "bare signed POST and GET": bare_pair,
        "equal order": equal,
        "different order": different,
    }
    title = "One order of 2,000 without a reference"
    with redirect_stderr(StringIO()):  # the notices
        figures = compare(title, calls, loops=ORDERS, goal="equal order 1.1 x")
    assert figures["different order"]["ratio"] <= 1.6
    assert figures["equal order"]["ratio"] <= 2.4
