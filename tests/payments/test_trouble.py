"""A ledger error stops a payment before it is sent, or says that the payment was made."""

from __future__ import annotations

import resource
import signal
import sqlite3
from contextlib import contextmanager

import pytest

import paylab
from paylab.corridors import examples
from paylab.errors import LedgerError
from paylab.payments.ledger_store import OPEN, LedgerStore
from paylab.simulator.simulator import Simulator

TERMS = {"payout_method": "spei", "source_currency": "USD", "destination_currency": "MXN"}


@pytest.fixture
def lab(tmp_path):
    """A lab with the account of a recipient."""
    lab = paylab.connect(simulator=Simulator(), ledger=tmp_path / "ledger.sqlite3")
    person = lab.individuals.create(**examples.recipient("MX"))
    lab.account = lab.financial_accounts.create(person.id, **examples.account("MX")).id
    lab.individuals.wait(person.id)
    return lab


def pay(lab, amount="10.00"):
    """Make one payment."""
    return lab.transfers.create(lab.account, source_amount=amount, **TERMS)


def made(lab):
    """The number of transfers at the service."""
    return len(list(lab.transfers.list()))


@contextmanager
def full(path):
    """Limit files to one byte, so that every write fails as on a full disk."""
    _, hard = soft = resource.getrlimit(resource.RLIMIT_FSIZE)
    before = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, soft)
        signal.signal(signal.SIGXFSZ, before)


@contextmanager
def locked(path):
    """Lock the ledger from another connection."""
    with sqlite3.connect(path, isolation_level=None) as other:
        other.execute("BEGIN EXCLUSIVE")
        yield
    other.close()


@contextmanager
def gone(path):
    """Remove the ledger's table."""
    with sqlite3.connect(path) as other:
        other.execute("DROP TABLE orders")
    other.close()
    yield


@pytest.mark.parametrize("trouble", [full, locked, gone])
def test_a_ledger_in_trouble_stops_the_payment(lab, tmp_path, trouble):
    """An unusable ledger raises LedgerError before the payment is sent, and says what to do."""
    lab.ledger._store.file.connection.execute("PRAGMA busy_timeout = 50")
    with (
        trouble(tmp_path / "ledger.sqlite3"),
        pytest.raises(LedgerError, match=r"ledger.sqlite3 cannot be used.*PAYLAB_LEDGER"),
    ):
        pay(lab)
    assert made(lab) == 0


def test_an_answered_order_leaves_no_lock(lab, tmp_path):
    """The lock of an order is a file until its answer is stored."""
    pay(lab)
    assert [*(tmp_path / "ledger.sqlite3.locks").iterdir()] == []


@pytest.mark.parametrize(
    ("statements", "said"),
    [
        (["PRAGMA application_id = 5"], "another program"),
        (["CREATE TABLE invoices (id)"], "another program"),
        (["CREATE TABLE entries (id)"], "another program"),
        (["PRAGMA application_id = 1885436271", "PRAGMA user_version = 99"], "format is 99"),
    ],
)
def test_a_file_that_is_no_ledger_of_ours_is_left_alone(tmp_path, statements, said):
    """Another program's database, or a ledger of another version, is refused and not changed."""
    path = tmp_path / "ledger.sqlite3"
    with sqlite3.connect(path) as other:
        for statement in statements:
            other.execute(statement)
    other.close()
    before = path.read_bytes()
    with pytest.raises(LedgerError, match=said):
        LedgerStore(path)
    assert path.read_bytes() == before


def test_a_payment_that_cannot_be_noted_is_told_with_its_id_and_key(lab, tmp_path):
    """If the answer cannot be stored, the error has the id and key; a repeat returns the id."""
    store = lab.ledger._store
    change = store.change

    def failing(number, where="1", **values):
        with locked(tmp_path / "ledger.sqlite3"):
            change(number, where, **values)

    store.file.connection.execute("PRAGMA busy_timeout = 50")
    store.change = failing
    with pytest.raises(LedgerError, match="the payment was made: tr_") as error:
        pay(lab)
    del store.change
    assert made(lab) == 1
    assert error.value.key in error.value.hint
    assert lab.ledger.rows()[0]["key"] == error.value.key
    assert pay(lab).id == error.value.made
    assert OPEN not in [row["state"] for row in lab.ledger.rows()]
