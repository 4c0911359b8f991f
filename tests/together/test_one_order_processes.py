"""The same order asked for by processes: forked, spawned, pools, scripts, kernels, and kills."""

from __future__ import annotations

import os
import re
import signal
import threading
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from functools import partial
from multiprocessing import get_context
from random import Random

import httpx
import pytest
from forked import ended, fork
from one_order import ASKED, NAMED, NEW, ONCE, Cases, pay_once, serving
from one_order_steps import killed_at_step

from paylab.errors import PaylabError

case = Cases()

SCRIPT = """
from decimal import Decimal
from paylab import connect as service

def main(amount):
    made = service(max_retries=0).transfers.create(
        financial_account_id={account!r}, source_amount=amount, destination_currency="mxn",
        source_currency="usd", payout_method="spei")
    print(made.id)

if __name__ == "__main__":
    main(Decimal("50.00"))
"""


def pays(place, **options):
    """Pay in a child; its status is 0 if that returned the only payment."""

    def work():
        place.lab().pay(**options)
        return 0

    return work


@case(ASKED, pays=1)
def six_forked_children(place):
    """Six forked children that pay at once get one payment."""
    children = [fork(pays(place)) for _ in range(6)]
    assert [ended(child) for child in children] == [0] * 6


@case(ASKED, pays=1)
def children_of_a_process_that_has_paid(place):
    """Children forked after the payment use the same lab and ledger, and return it."""
    lab = place.lab()
    lab.pay()
    children = [fork(lambda: int(not lab.pay().replayed)) for _ in range(3)]
    assert [ended(child) for child in children] == [0] * 3


@case(NAMED, pays=6)
def six_children_with_references(place):
    """Six forked children with a reference each make six payments."""
    children = [fork(pays(place, client_reference_id=f"{at}")) for at in range(6)]
    assert [ended(child) for child in children] == [0] * 6


@case(ASKED, pays=1)
def pools_of_six_equal_orders(place):
    """Pools of forked workers and of a spawned one with six equal orders each get one payment."""
    ids = set()
    for method, workers in (("fork", 3), ("spawn", 1)):
        with ProcessPoolExecutor(workers, mp_context=get_context(method)) as pool:
            ids |= {*pool.map(partial(pay_once, place.reached), range(6))}
    assert len(ids) == 1


@case(ASKED, pays=1)
def a_child_that_is_forked_while_the_order_is_under_way(place):
    """A child waits for the order of its parent, and returns the same payment."""
    with ThreadPoolExecutor(1) as pool, place.gate() as gate:
        first = pool.submit(place.lab(gate).pay)
        assert gate.reached.wait(60)
        impatient = fork(lambda: int(not _under_way(place)))
        assert ended(impatient) == 0
        patient = fork(pays(place))
        gate.opened.set()
        assert first.result().id
        assert ended(patient) == 0


def _under_way(place):
    """Whether a call that does not wait long says that the order is under way."""
    try:
        place.lab().pay(timeout=0.05)
    except PaylabError as error:
        return "under way" in str(error)
    return False


class Reporting(httpx.BaseTransport):
    """A transport that reports on a pipe that a payment arrived, and then never returns."""

    def __init__(self, pipe, *, after):
        self.inner, self.pipe, self.after = httpx.HTTPTransport(), pipe, after

    def handle_request(self, request):
        """Forward a request; report a payment before or after that, and stop."""
        is_payment = request.method == "POST" and request.url.path == "/v1/transfers"
        if is_payment and not self.after:
            self._stop()
        response = self.inner.handle_request(request)
        if is_payment:
            response.read()
            self._stop()
        return response

    def _stop(self):
        os.write(self.pipe, b"!")
        threading.Event().wait()


def stuck(place, *, after, offspring=False):
    """Start a child whose payment is under way for ever; return its id once it is."""
    reads, writes = os.pipe()

    def work():
        if offspring:
            threading.Thread(target=_pay_until_killed, daemon=True).start()
            os.read(inner_reads, 1)
            grandchild = fork(lambda: threading.Event().wait(60))
            os.write(writes, grandchild.to_bytes(4, "big"))
            threading.Event().wait()
        _pay_until_killed()
        return 1

    inner_reads, inner_writes = os.pipe() if offspring else (reads, writes)

    def _pay_until_killed():
        place.lab(Reporting(inner_writes, after=after)).pay()

    child = fork(work)
    return child, os.read(reads, 4)


@case(ONCE, pays=2)
def killed_while_another_waits(place):
    """A call that waits for a process that is killed asks again under its key."""
    for after in (False, True):
        child, _ = stuck(place, after=after)
        with ThreadPoolExecutor(1) as pool:
            waiting = pool.submit(place.lab().pay, timeout=60)
            os.kill(child, signal.SIGKILL)
            assert ended(child) == -signal.SIGKILL
            assert waiting.result().replayed is after
        place.ledger = place.folder / "second.sqlite3"


@case(ONCE, pays=1)
def killed_while_its_own_child_lives(place):
    """The child of a killed process keeps nothing under way."""
    child, reported = stuck(place, after=True, offspring=True)
    grandchild = int.from_bytes(reported, "big")
    os.kill(child, signal.SIGKILL)
    assert ended(child) == -signal.SIGKILL
    try:
        assert place.lab().pay(timeout=5).replayed
    finally:
        os.kill(grandchild, signal.SIGKILL)


@case(ONCE, pays=4)
def children_killed_at_once(place):
    """Five children that pay one order and are killed at random steps make one payment."""
    draw = Random("five")
    for amount in ("1.00", "2.00", "3.00", "4.00"):
        work = partial(place.pay, source_amount=amount)
        steps = [draw.randrange(1, 45) for _ in range(5)]
        children = [fork(partial(killed_at_step, step, work)) for step in steps]
        assert {ended(child) for child in children} <= {0, 9, -signal.SIGKILL}
        place.pay(source_amount=amount)


@case(ASKED, pays=1)
def a_script(place):
    """A script that is read from stdin in another folder returns the payment, and says so."""
    paid = place.lab().pay()
    done = place.run("-", text=SCRIPT.format(account=place.account), folder="/")
    assert done.stdout.strip() == paid.id
    [line] = done.stderr.splitlines()
    assert paid.id in line
    assert "another client_reference_id or new=True" in line


CELL = """
transfer = lab.transfers.create(
    {account!r}, payout_method="spei", source_currency="USD",
    destination_currency="MXN", source_amount="50"{more})
print(transfer.id)
"""


class Kernel:
    """A kernel in a process of its own, which receives cells as JupyterLab sends them."""

    def __init__(self, environment):
        from jupyter_client.manager import KernelManager

        self.manager = KernelManager(kernel_name="python3")
        self.manager.start_kernel(env=environment)
        self.client = self.manager.client()
        self.client.start_channels()
        self.client.wait_for_ready(timeout=60)

    def run(self, code, cell=None):
        """Run a cell, and return what it printed, its messages and its error."""
        content = {"code": code, "silent": False, "store_history": True, "allow_stdin": False}
        metadata = {"cellId": cell} if cell else {}
        message = self.client.session.msg("execute_request", content, metadata=metadata)
        self.client.shell_channel.send(message)
        return "".join(self._outputs(message["header"]["msg_id"]))

    def _outputs(self, asked):
        while True:
            message = self.client.get_iopub_msg(timeout=60)
            if message["parent_header"].get("msg_id") != asked:
                continue
            kind, content = message["msg_type"], message["content"]
            if kind == "status" and content["execution_state"] == "idle":
                return
            yield content.get("text", "") + "\n".join(content.get("traceback", []))
            yield str(content.get("data", ""))

    def stop(self):
        """Stop the kernel and its process."""
        self.client.stop_channels()
        self.manager.shutdown_kernel(now=True)


@case(ASKED, pays=2)
def cells(place):
    """A cell run again, edited, copied, without an id, in another kernel: one order."""
    cell = CELL.format(account=place.account, more="")
    looped = "for _ in range(2):" + cell.replace("\n", "\n    ")
    edited = f"# rent\n{cell.replace('transfer', 'paid').replace('lab.paids', 'lab.transfers')}"
    kernel = Kernel(place.environment)
    try:
        kernel.run("import paylab\nlab = paylab.connect()")
        told = [kernel.run(cell, "c1"), kernel.run(cell, "c1"), kernel.run(edited, "c1")]
        told += [kernel.run(cell, "c2"), kernel.run(looped), kernel.run("%%time\n" + cell)]
        on_purpose = kernel.run(CELL.format(account=place.account, more=", new=True"), "c1")
    finally:
        kernel.stop()
    assert all("another client_reference_id or new=True" in each for each in told[1:])
    found = [set(re.findall(r"tr_\w+", each)) for each in told]
    assert len(set.union(*found)) == 1
    latest = set(re.findall(r"^tr_\w+$", on_purpose, re.MULTILINE))
    assert ended(fork(lambda: in_another_shell(place, cell) not in latest)) == 0


def in_another_shell(place, cell):
    """Run a cell twice in an IPython shell, and return the id of its payment."""
    from IPython.core.interactiveshell import InteractiveShell

    shell = InteractiveShell()
    shell.push({"lab": place.lab()})
    for _ in range(2):
        assert shell.run_cell(cell, cell_id="c9").success
    return shell.user_ns["transfer"].id


@case(NEW, pays=2)
def a_process_with_new(place):
    """A forked child with new=True makes another payment; one without returns the latest."""
    for options in ({}, {"new": True}, {}):
        assert ended(fork(pays(place, **options))) == 0


@pytest.fixture
def place(tmp_path):
    """A simulated service that other processes reach, and an empty ledger."""
    with serving(tmp_path) as place:
        yield place


@pytest.mark.parametrize(("act", "sentence", "pays"), case)
def test_as_many_payments_as_the_rule_says(place, act, sentence, pays):
    """The number of payments at the service is what the rule says."""
    act(place)
    assert len(place.transfers) == pays, sentence
