"""A simulator, a lab on it, and payouts to a Mexican bank account."""

import pytest

import paylab
from paylab.simulator.simulator import Simulator

TERMS = {"source_currency": "USD", "destination_currency": "MXN", "payout_method": "spei"}


@pytest.fixture
def simulator():
    """A simulator with a few earlier payments."""
    return Simulator(transfers=3)


@pytest.fixture
def lab(simulator):
    """A lab on it."""
    return paylab.connect(simulator=simulator)


@pytest.fixture
def account(lab):
    """The id of a Mexican bank account."""
    return lab.individuals.create(**paylab.examples.recipient("MX")).financial_accounts[0].id


@pytest.fixture
def row(account):
    """A function that makes a payout of a reference and an amount."""

    def make(reference="inv-1", amount="10.50", **fields):
        named = {} if reference is None else {"client_reference_id": reference}
        amounts = {"financial_account_id": account, "source_amount": amount}
        return {**named, **amounts, **TERMS, **fields}

    return make


@pytest.fixture
def payments(simulator):
    """A function that counts the payments of the batch, which are those called inv-..."""

    def count():
        rows = simulator.world.tables["transfers"].rows.values()
        names = [str(row["client_reference_id"]) for row in rows]
        return sum(name.startswith("inv-") for name in names)

    return count
