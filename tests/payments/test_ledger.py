"""A ledger is shared by forked processes, and by one that is killed and run again."""

import os
import sys
import threading
from functools import partial
from itertools import count

import pytest

import paylab
from paylab.corridors import examples
from paylab.simulator.server import Server
from paylab.simulator.simulator import Simulator


@pytest.fixture
def place(tmp_path):
    """A served simulator with an active recipient, an environment and an empty ledger."""
    with Server(Simulator(frozen=False, speed=1000)) as server:
        keys = server.simulator.api_key, server.simulator.secret_key
        lab = paylab.connect(server.base_url, *keys, ledger="none")
        account = recipient(lab)
        environment = {
            **os.environ,
            "PAYLAB_BASE_URL": server.base_url,
            "PAYLAB_API_KEY": keys[0],
            "PAYLAB_SECRET_KEY": keys[1],
            "PAYLAB_LEDGER": str(tmp_path / "ledger.sqlite3"),
            "ACCOUNT": account,
        }
        yield server, environment, tmp_path


def recipient(lab):
    """The id of a bank account of an active recipient."""
    person = lab.individuals.create(**examples.recipient("MX"))
    lab.individuals.wait(person.id, every=0.05)
    return lab.financial_accounts.create(person.id, **examples.account("MX")).id


def transfers(place):
    """The number of transfers at the service."""
    return len(place[0].simulator.world.tables["transfers"])


def test_forked_children_share_only_the_ledger(place):
    """Each forked child receives its own answers; all of them make one order together."""
    _, environment, folder = place
    settings = {name: environment[f"PAYLAB_{name.upper()}"] for name in SETTINGS}
    lab = paylab.connect(**settings, ledger=folder / "ledger.sqlite3")
    ids = [pay(lab, environment, f"2{number}.00").id for number in range(4)]
    children = [fork(partial(ask, lab, environment, ids[number], number)) for number in range(4)]
    assert [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children] == [0] * 4
    assert transfers(place) == len(lab.ledger) == 9


SETTINGS = ("base_url", "api_key", "secret_key")


def pay(lab, environment, amount):
    """Make one payment."""
    return lab.transfers.create(
        environment["ACCOUNT"],
        payout_method="spei",
        source_currency="USD",
        destination_currency="MXN",
        source_amount=amount,
    )


def ask(lab, environment, id_, number):
    """Run in a child: return the number of wrong answers."""
    wrong = sum(lab.transfers.get(id_).id != id_ for _ in range(30))
    pay(lab, environment, "30.00")
    made = pay(lab, environment, f"1{number}.00")
    return wrong + (str(made.source_amount) != f"1{number}.00") + made.replayed


def fork(work):
    """Fork a child whose exit status is what `work` returns; return its process id."""
    child = os.fork()
    if child:
        return child
    status = 99
    try:
        status = work()
    finally:
        os._exit(status)


def test_a_fork_waits_for_no_lock_of_its_parent(tmp_path):
    """A child that is forked while another thread pays can pay without a deadlock."""
    lab = paylab.connect(simulator=Simulator(), ledger=tmp_path / "ledger.sqlite3")
    account = {"ACCOUNT": recipient(lab)}
    stop = threading.Event()

    def keep_paying():
        for amount in count(1):
            if stop.wait(0.01):
                return
            pay(lab, account, f"1.{amount:02}")

    thread = threading.Thread(target=keep_paying)
    thread.start()
    try:
        children = [fork(lambda: pay(lab, account, "2.00").replayed) for _ in range(5)]
        found = [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children]
    finally:
        stop.set()
        thread.join()
    assert found == [0] * 5


def count_calls(stop):
    """Count the calls of the ledger's functions in this process, which ends at call `stop`."""
    calls = count(1)

    def note(frame, event, _):
        if event == "call" and "/payments/" in frame.f_code.co_filename and next(calls) == stop:
            os._exit(DIED)

    sys.setprofile(note)
    return calls


DIED = 7


@pytest.mark.parametrize("step", [4, pytest.param(1, marks=pytest.mark.whole_table)])
def test_killed_at_each_call_and_run_again_there_is_one_transfer(place, step):
    """A process that ends at any call of the ledger leaves an order that is paid once."""
    _, environment, folder = place
    settings = {name: environment[f"PAYLAB_{name.upper()}"] for name in SETTINGS}

    def once(stop, ledger, amount):
        lab = paylab.connect(**settings, ledger=ledger)
        lab.clock()
        count_calls(stop)
        pay(lab, environment, amount)
        sys.setprofile(None)
        return 0

    for number, stop in enumerate(count(1, step), 1):
        ledger, amount = folder / f"ledger-{stop}.sqlite3", f"{stop}.00"
        ends = [
            os.waitstatus_to_exitcode(os.waitpid(fork(partial(once, at, ledger, amount)), 0)[1])
            for at in (stop, 0)
        ]
        if ends[0] == 0:
            break
        assert (ends, transfers(place)) == ([DIED, 0], number)
    assert stop > 40
