"""A process is killed at different points of a transfer and run again: there is one transfer."""

import os
import signal
import subprocess
import sys
import threading
from functools import partial
from itertools import count

import pytest

import paylab
from paylab.corridors import examples
from paylab.simulator.server import Server
from paylab.simulator.simulator import Simulator

SCRIPT = """
import os, signal, sys
import httpx, paylab
from paylab.lab.lab import Lab
from paylab.client import resolve

POINT = os.environ["POINT"]

def die():
    os.kill(os.getpid(), signal.SIGKILL)

class Deadly(httpx.HTTPTransport):
    def handle_request(self, request):
        if POINT == "before sending":
            die()
        response = super().handle_request(request)
        if POINT == "after sending":
            die()
        return response

lab = Lab(resolve(), transport=Deadly())
new = {"new": True} if os.environ.get("NEW") else {}
for _ in range(int(os.environ.get("TIMES", "1"))):
    transfer = lab.transfers.create(
        os.environ["ACCOUNT"], payout_method="spei", source_currency="USD",
        destination_currency="MXN", source_amount="10.00", **new)
    print(transfer.id, transfer.replayed)
if POINT == "after receiving":
    die()
"""


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


def run(place, point="", **more):
    """Run the script once."""
    _, environment, folder = place
    script = folder / "pay.py"
    script.write_text(SCRIPT)
    return subprocess.run(
        [sys.executable, str(script)],
        env={**environment, "POINT": point, **more},
        capture_output=True,
        text=True,
        check=False,
    )


def transfers(place):
    """The number of transfers at the service."""
    return len(place[0].simulator.world.tables["transfers"])


@pytest.mark.parametrize(
    ("point", "new"),
    [
        ("before sending", ""),
        ("after sending", ""),
        ("after receiving", ""),
        ("before sending", "yes"),
        ("after sending", "yes"),
    ],
)
def test_killed_and_run_again_there_is_one_transfer(place, point, new):
    """A script that is killed before or after its POST and run again makes one transfer."""
    killed = run(place, point, NEW=new)
    assert killed.returncode == -signal.SIGKILL
    again = run(place, NEW=new)
    assert (again.returncode, transfers(place)) == (0, 1), again.stderr


def test_one_order_twice_in_a_loop_is_one_payment(place):
    """An equal order in a loop makes one transfer, and a line on stderr for each repetition."""
    first, second = run(place, TIMES="2"), run(place, TIMES="2")
    lines = [*first.stdout.splitlines(), *second.stdout.splitlines()]
    assert [line.split()[1] for line in lines] == ["False", "True", "True", "True"]
    assert transfers(place) == len({line.split()[0] for line in lines}) == 1
    assert [done.stderr.count("new=True makes another") for done in (first, second)] == [1, 2]


def test_new_pays_again(place):
    """A second run with `new=True` makes a second transfer."""
    run(place)
    run(place, NEW="yes")
    assert transfers(place) == 2


def test_without_a_ledger_every_run_pays(place):
    """With PAYLAB_LEDGER=none, every run makes a transfer."""
    run(place, PAYLAB_LEDGER="none")
    run(place, PAYLAB_LEDGER="none")
    assert transfers(place) == 2


PYTHON = sys.executable


def test_a_script_that_was_moved_or_piped_makes_the_same_order(place):
    """A script that is renamed, wrapped in a function or read from stdin makes no new order."""
    _, environment, home = place
    run(place, "after sending")
    moved = home / "renamed.py"
    moved.write_text("def main():" + SCRIPT.replace("\n", "\n    ") + "\nmain()\n")
    for command, text in (([PYTHON, str(moved)], ""), ([PYTHON, "-"], SCRIPT)):
        env = {**environment, "POINT": ""}
        subprocess.run(command, input=text, env=env, text=True, check=True, capture_output=True)
    assert transfers(place) == 1


RACE = """
import os, sys
import paylab

lab = paylab.connect()
print("ready", flush=True)
for line in sys.stdin:
    transfer = lab.transfers.create(
        os.environ["ACCOUNT"], payout_method="spei", source_currency="USD",
        destination_currency="MXN", source_amount=line.strip())
    print(transfer.id, flush=True)
"""


def test_two_processes_at_the_same_moment_pay_once(place):
    """Two processes that send the same payment at once make one transfer, for ten amounts."""
    _, environment, folder = place
    (folder / "race.py").write_text(RACE)
    racers = [
        subprocess.Popen(
            [PYTHON, str(folder / "race.py")],
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        for _ in range(2)
    ]
    assert [racer.stdout.readline() for racer in racers] == ["ready\n"] * 2
    for amount in range(1, 11):
        for racer in racers:
            print(f"{amount}.00", file=racer.stdin, flush=True)
        assert len({racer.stdout.readline() for racer in racers}) == 1
    for racer in racers:
        racer.communicate()
    assert transfers(place) == 10


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


def test_killed_at_each_call_and_run_again_there_is_one_transfer(place):
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

    for stop in count(1):
        ledger, amount = folder / f"ledger-{stop}.sqlite3", f"{stop}.00"
        ends = [
            os.waitstatus_to_exitcode(os.waitpid(fork(partial(once, at, ledger, amount)), 0)[1])
            for at in (stop, 0)
        ]
        if ends[0] == 0:
            break
        assert (ends, transfers(place)) == ([DIED, 0], stop)
    assert stop > 40
