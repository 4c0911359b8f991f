"""The service's names of fields in all that a lab reads: lists, frames, files, events, orders."""

from __future__ import annotations

import csv

import pandas as pd
import pytest

import paylab
from paylab.corridors import examples
from paylab.corridors.on_ramps import ON_RAMPS
from paylab.spec.operations.records import NAMED, OPERATIONS
from paylab.spec.service.keys import setting_keys
from paylab.spec.service.setting import setting_key_of

TABLES = {
    *(setting_key_of(operation.names) for operation in NAMED.values()),
    *(f"deposit_instructions.{on_ramp.instructions_type}.fields" for on_ramp in ON_RAMPS),
}
RENAMED = {
    key: f"their.{key.rpartition('.')[2]}"
    for key in setting_keys()
    if key.rpartition(".")[0] in TABLES
}
"""A nested name for every field of every table of names."""
TERMS = {"source_currency": "USD", "destination_currency": "MXN", "payout_method": "spei"}
FRAMES = ("transfers", "conversions", "individuals", "conversion_accounts")


def walked(service):
    """A lab with an on-ramp of each country and one transfer."""
    lab = paylab.connect(service=service)
    for on_ramp in ON_RAMPS:
        fields = examples.individual(on_ramp.country, consent_at=lab.clock())
        person = lab.individuals.create(**fields)
        for status in ("pending", "active"):
            lab.simulator.move(person.id, status)
        details = examples.wallet(lab.service)
        wallet = lab.financial_accounts.create(person.id, "crypto_wallet", details)
        account = lab.conversion_accounts.create(person, wallet, on_ramp.currency)
        lab.conversion_accounts.wait(account.id)
        lab.sandbox.deposit(account.id, "10", on_ramp.currency)
        lab.conversions.wait(conversion_account_id=account.id)
    payee = lab.individuals.create(**examples.recipient("MX")).financial_accounts[0]
    order = {"client_reference_id": "salary-1", "source_amount": "5", **TERMS}
    lab.transfers.create(payee, **order)
    return lab, payee, order


@pytest.fixture(scope="module")
def usual():
    """A walk with the names of the specification."""
    return walked({})


@pytest.fixture(scope="module")
def renamed():
    """The same walk with other names."""
    return walked(RENAMED)


@pytest.mark.parametrize("kind", FRAMES)
def test_a_frame_and_a_file_have_the_names_of_the_specification(usual, renamed, kind, tmp_path):
    """Every list is read by the service's names, into the same columns with the same values."""
    ours, theirs = getattr(usual[0], kind), getattr(renamed[0], kind)
    model = OPERATIONS[f"{kind}.list"].answer
    assert ("their" in theirs.list().first().raw) == (model in NAMED)
    columns = [name for name in ours.frame() if not name.endswith("_at")]
    assert theirs.frame()[columns].equals(ours.frame()[columns])
    if hasattr(theirs, "export"):
        rows = csv.DictReader(theirs.export(tmp_path / "rows.csv").path.open(newline=""))
        assert [row["id"] for row in rows] == [row.id for row in theirs.list()]


def test_an_order_finds_its_payment_by_the_name_of_the_service(renamed):
    """A repetition, `find`, a batch and the books know the reference of an answer."""
    lab, payee, order = renamed
    paid = lab.transfers.create(payee, **order)
    assert paid.replayed
    assert lab.transfers.find(client_reference_id="salary-1").id == paid.id
    batch = [{"financial_account_id": payee.id, **order}]
    assert lab.transfers.create_many(batch)["outcome"].tolist() == ["already paid"]
    books = [{"reference": "salary-1", "amount": "5", "currency": "USD"}]
    report = lab.reconcile(pd.DataFrame(books), since=paid.created_at)
    assert report.sides == ("service", "books")
    assert not report.problems
    assert not lab.drift


def test_an_event_has_the_names_of_the_service(renamed):
    """A webhook and a watch deliver the reference under the service's name; both are read."""
    lab, payee, order = renamed
    polled, pushed = paylab.events.Router(), []
    polled.on("transfer.created")(lambda event: pushed.append(event.resource.client_reference_id))
    with lab.watch(polled, every=3600) as watch, lab.inbox(["transfer.created"]) as inbox:
        lab.transfers.create(payee, **{**order, "client_reference_id": "salary-2"})
        watch.poll()
        event = inbox.wait(timeout=5)
    assert event.payload["their"]["client_reference_id"] == "salary-2"
    assert event.resource.client_reference_id == "salary-2"
    assert pushed == ["salary-2"]
