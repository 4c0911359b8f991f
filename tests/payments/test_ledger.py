"""A ledger is shared by forked processes, and by one that is killed and run again."""

import signal
import threading
from functools import partial
from itertools import count

import pytest
from forked import ended, fork
from one_order import TERMS, serving
from one_order_steps import STEPS, killed_at_step

import paylab
from paylab.corridors import examples
from paylab.simulator.simulator import Simulator


@pytest.fixture
def place(tmp_path):
    """A simulated service that other processes reach, and an empty ledger."""
    with serving(tmp_path) as place:
        yield place


def test_forked_children_share_only_the_ledger(place):
    """Each forked child receives its own answers; all of them make one order together."""
    lab = place.lab()
    ids = [lab.pay(source_amount=f"2{number}.00").id for number in range(4)]
    children = [fork(partial(ask, lab, ids[number], number)) for number in range(4)]
    assert [ended(child) for child in children] == [0] * 4
    assert len(place.transfers) == len(lab.ledger) == 9


def ask(lab, id_, number):
    """Run in a child: return the number of wrong answers."""
    wrong = sum(lab.transfers.get(id_).id != id_ for _ in range(10))
    lab.pay(source_amount="30.00")
    made = lab.pay(source_amount=f"1{number}.00")
    return wrong + (str(made.source_amount) != f"1{number}.00") + made.replayed


def test_a_fork_waits_for_no_lock_of_its_parent(tmp_path):
    """A child that is forked while another thread pays can pay without a deadlock."""
    lab = paylab.connect(simulator=Simulator(), ledger=tmp_path / "ledger.sqlite3")
    person = lab.individuals.create(**examples.recipient("MX"))
    account = lab.financial_accounts.create(person.id, **examples.account("MX")).id
    pay, stop = partial(lab.transfers.create, account, **TERMS), threading.Event()
    pay(source_amount="3.00")  # a fork while a thread imports a module leaves its lock taken

    def keep_paying():
        for amount in count(1):
            if stop.wait(0.01):
                return
            pay(source_amount=f"1.{amount:02}")

    thread = threading.Thread(target=keep_paying)
    thread.start()
    try:
        children = [fork(lambda: pay(source_amount="2.00").replayed) for _ in range(5)]
        found = [ended(child) for child in children]
    finally:
        stop.set()
        thread.join()
    assert found == [0] * 5


@pytest.mark.parametrize(
    ("options", "modules"),
    [({}, tuple(STEPS)), ({"new": True}, ("socket",))],
    ids=["any step", "a step of the request, with new=True"],
)
def test_killed_between_each_two_steps(place, options, modules):
    """Killed before any step, with a signal or without, and run again: one payment."""
    for step in count(1):
        place.ledger = place.folder / f"{step}.sqlite3"
        pay = partial(place.lab().pay, source_amount=f"{step}.00", **options)
        status = ended(fork(partial(killed_at_step, step, pay, modules)))
        if status == 0:
            break
        assert status in (9, -signal.SIGKILL)
        paid = pay()
        assert (len(place.transfers), paid.id in place.transfers) == (step, True), (
            f"killed at step {step}"
        )
    assert step > 3 * len(modules), "the steps of an order were not seen"
