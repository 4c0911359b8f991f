"""With faults in the delivery of events, handlers end with the statuses that GET returns."""

from __future__ import annotations

from collections import Counter

import pytest

import paylab
from paylab.corridors import examples
from paylab.simulator.simulator import Simulator
from paylab.webhooks.router import Router

MANY = 140
ENDS = (*(f"scenario:{end}" for end in ("failed", "expired", "under_review", "cancelled")), *"abc")
FAULTS = (
    ("event_drop", {"seed": 5}),
    ("event_duplicate", {"seed": 1}),
    ("event_delay", {"seed": 2, "seconds": 400}),
    ("event_reorder", {"seed": 3}),
    ("event_outage", {"seed": 6, "seconds": 40}),
)


class Books:
    """The books of a user: the status of each payment and how often each event was handled."""

    def __init__(self):
        self.statuses, self.runs, self.router = {}, Counter(), Router()
        self.router.default(self.note)

    def note(self, event):
        """Record the status of an event and count the call."""
        self.statuses[event.id] = event.status
        self.runs[event.identity] += 1


@pytest.fixture(scope="module")
def lab():
    """A lab on an empty simulator."""
    return paylab.connect(simulator=Simulator())


@pytest.fixture(scope="module")
def books(lab):
    """The books after many transfers and conversions with every fault of delivery."""
    kept = Books()
    account, wallet = _accounts(lab)
    inbox = lab.inbox(router=kept.router)
    watch = lab.watch(kept.router, every=3600)
    for kind, details in FAULTS:
        lab.simulator.faults.add(kind, times=10**6, probability=0.2, **details)
    inbox.answer(503, 10**6, probability=0.4, seed=4)
    for number in range(MANY):
        _pay(lab, account, wallet, number)
    for _ in range(12):
        lab.simulator.clock.advance("90s")
    kept.by_webhook = dict(kept.statuses)
    watch.poll()
    watch.stop()
    kept.inbox = inbox
    return kept


def _accounts(lab):
    fields = examples.individual("MX", consent_at=lab.clock())
    person = lab.individuals.create(**fields | {"product_types": ["on_ramp", "global_payouts"]})
    lab.simulator.move(person.id, "pending")
    lab.individuals.wait(person.id)
    coin = lab.financial_accounts.create(person.id, "crypto_wallet", examples.WALLET)
    bank = lab.financial_accounts.create(person.id, "bank_account", {"clabe": "999999000000000002"})
    return bank.id, lab.conversion_accounts.create(person.id, coin.id, "mxn").id


def _pay(lab, account, wallet, number):
    lab.transfers.create(
        account,
        source_amount="10.00",
        source_currency="usd",
        destination_currency="mxn",
        payout_method="spei",
        client_reference_id=f"{ENDS[number % len(ENDS)]}:{number}",
    )
    lab.sandbox.deposit(wallet, "10", "mxn", "Scenario Failed" if number % 5 == 0 else None)


@pytest.fixture(scope="module")
def truth(lab, books):
    """The statuses that GET returns."""
    rows = [*lab.transfers.list(100), *lab.conversions.list(100)]
    return {row.id: row.status for row in rows}


def test_webhooks_and_polling_end_where_get_is(books, truth):
    """After webhooks and polling, the books have the same status as GET for every payment."""
    assert len(truth) == 2 * MANY
    assert {row: status for row, status in books.statuses.items() if row in truth} == truth


def test_webhooks_alone_had_lost_some(books, truth):
    """With webhooks alone, the books do not have the latest status of many payments."""
    behind = [row for row in truth if books.by_webhook.get(row) != truth[row]]
    assert MANY / 4 < len(behind) < MANY


def test_no_event_was_handled_twice(books):
    """No event is handled twice, by repeated delivery or by delivery and polling."""
    assert set(books.runs.values()) == {1}


def test_everything_did_go_wrong(lab, books):
    """There were many duplicates, late events and failed attempts."""
    frame, log = books.inbox.frame(), lab.simulator.deliveries()
    attempts = Counter(row["attempt"] for row in log if row["status"] == 503)
    assert (frame["deliveries"] > 1).sum() > MANY / 10
    assert (frame["order"] == "stale").sum() > MANY / 10
    assert min(attempts[number] for number in (1, 2, 3, 4)) > MANY / 20
