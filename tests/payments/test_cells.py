"""Cells are run again in a real kernel: nothing is paid twice, and the output says why."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from contextlib import contextmanager

import pytest
from jupyter_client.manager import KernelManager

import paylab
from paylab.corridors import examples
from paylab.simulator.server import Server
from paylab.simulator.simulator import Simulator

TERMS = """
from functools import partial
terms = {{"payout_method": "spei", "source_currency": "USD", "destination_currency": "MXN"}}
pay = partial(lab.transfers.create, {account!r}, **terms)
"""
POOL = """
from concurrent.futures import ThreadPoolExecutor
with ThreadPoolExecutor(2) as pool:
    made = [pool.submit(pay, source_amount=amount) for amount in ("1.00", "2.00")]
print(*("again" if each.result().replayed else "new" for each in made))
"""
AWAITED = """
import asyncio
made = await asyncio.gather(
    *(asyncio.to_thread(pay, source_amount=amount) for amount in ("1.00", "2.00")))
print(*("again" if each.replayed else "new" for each in made))
"""
CONNECT = "import paylab\nlab = paylab.connect()"
PAY = """
transfer = lab.transfers.create(
    {account!r}, payout_method="spei", source_currency="USD",
    destination_currency="MXN", source_amount={amount!r}{more})
print(transfer.id, "again" if transfer.replayed else "new")
"""


class Kernel:
    """A kernel that receives cells as JupyterLab sends them, with their ids."""

    def __init__(self, environment):
        self.manager = KernelManager(kernel_name="python3")
        self.manager.start_kernel(env=environment)
        self.client = self.manager.client()
        self.client.start_channels()
        self.client.wait_for_ready(timeout=60)
        self.run(CONNECT)

    def run(self, code, cell=None):
        """Run a cell and return its output, then its messages and error, as one text."""
        content = {"code": code, "silent": False, "store_history": True, "allow_stdin": False}
        metadata = {"cellId": cell} if cell else {}
        message = self.client.session.msg("execute_request", content, metadata=metadata)
        self.client.shell_channel.send(message)
        parts = list(self._outputs(message["header"]["msg_id"]))
        # A message on stderr can arrive in the middle of a printed line.
        printed = [text for stream, text in parts if stream == "stdout"]
        return "".join([*printed, *(text for stream, text in parts if stream != "stdout")])

    def _outputs(self, asked):
        while True:
            message = self.client.get_iopub_msg(timeout=60)
            if message["parent_header"].get("msg_id") != asked:
                continue
            kind, content = message["msg_type"], message["content"]
            if kind == "status" and content["execution_state"] == "idle":
                return
            words = content.get("text", "") + "\n".join(content.get("traceback", []))
            yield content.get("name"), words

    def stop(self):
        """Stop the kernel and its process."""
        self.client.stop_channels()
        self.manager.shutdown_kernel(now=True)


class Place:
    """A served simulator with a recipient, and kernels that share a ledger."""

    def __init__(self, server, folder):
        self.server, self.kernels = server, []
        simulator = server.simulator
        keys = simulator.api_key, simulator.secret_key
        self.lab = paylab.connect(server.base_url, *keys, ledger="none")
        person = self.lab.individuals.create(**examples.recipient("MX"))
        self.lab.individuals.wait(person.id, every=0.05)
        bank = examples.account("MX")
        self.account = self.lab.financial_accounts.create(person.id, **bank).id
        self.environment = {
            **os.environ,
            "PAYLAB_BASE_URL": server.base_url,
            "PAYLAB_API_KEY": keys[0],
            "PAYLAB_SECRET_KEY": keys[1],
            "PAYLAB_LEDGER": str(folder / "ledger.sqlite3"),
        }

    @contextmanager
    def kernel(self):
        """A new kernel in its own process."""
        kernel = Kernel(self.environment)
        try:
            yield kernel
        finally:
            kernel.stop()

    def pay(self, amount="10.00", more=""):
        """The code of a cell that makes a payment."""
        return PAY.format(account=self.account, amount=amount, more=more)

    @property
    def made(self):
        """The number of transfers at the service."""
        return len(self.server.simulator.world.tables["transfers"])


def outcomes(text):
    """The word, `new` or `again`, that a cell printed for each payment; messages have no part."""
    return re.findall(r"^tr_\w+ (new|again)$", text, re.MULTILINE)


@pytest.fixture
def place(tmp_path):
    """A served simulator whose clock runs a hundred times as fast as real time."""
    with Server(Simulator(frozen=False, speed=100)) as server:
        yield Place(server, tmp_path)


def test_cells_run_again_edited_and_after_a_restart(place):
    """A cell run again, also after a restart, pays nothing; an edited cell needs `new=True`."""
    with place.kernel() as kernel:
        assert outcomes(kernel.run(place.pay(), cell="c1")) == ["new"]
        again = kernel.run(place.pay(), cell="c1")
        assert outcomes(again) == ["again"]
        assert "making nothing new" in again
        edited = kernel.run(place.pay("11.00"), cell="c1")
        assert "ChoiceError" in edited
        assert "source_amount: 10.00 -> 11.00" in edited
        assert "new=True" in edited
        assert "409" in edited
        assert place.made == 1
        assert outcomes(kernel.run(place.pay("11.00", ", new=True"), cell="c1")) == ["new"]
        assert place.made == 2
        assert outcomes(kernel.run(place.pay("12.00"), cell="c2")) == ["new"]
        assert outcomes(kernel.run(place.pay("12.00"), cell="c2")) == ["again"]
        assert place.made == 3
        assert "answered" in kernel.run("print(lab.ledger)")
    with place.kernel() as kernel:
        assert outcomes(kernel.run(place.pay("12.00"), cell="c2")) == ["again"]
        assert outcomes(kernel.run(place.pay("12.00"))) == ["again"]
        assert place.made == 3


def test_an_answer_that_was_lost(place):
    """After a lost answer, running the cell again returns the transfer that was made."""
    with place.kernel() as kernel:
        place.lab.simulator.faults.drop_after(path="/v1/transfers", times=3)
        lost = kernel.run(place.pay(), cell="c1")
        assert "APIConnectionError" in lost
        assert "may have been carried out" in lost
        assert place.made == 1
        found = kernel.run(place.pay(), cell="c1")
        assert "without a response" in found
        assert outcomes(found) == ["again"]
        assert place.made == 1


def test_a_cell_changed_by_a_comment_or_a_try_is_the_same(place):
    """A cell without an id makes the same order after a comment or a `try` is added."""
    tried = "try:" + place.pay().replace("\n", "\n    ") + "\nexcept ValueError:\n    raise"
    with place.kernel() as kernel:
        place.lab.simulator.faults.drop_after(path="/v1/transfers", times=3)
        assert "APIConnectionError" in kernel.run(place.pay())
        for code in ("# again" + place.pay(), tried, place.pay()):
            assert outcomes(kernel.run(code)) == ["again"]
    assert place.made == 1


def test_a_loop_in_a_cell_pays_each_time_round_once(place):
    """A loop pays once in each iteration; running its cell, with or without an id, pays nothing."""
    with place.kernel() as kernel:
        for cell, amount in (("c1", "10.00"), (None, "11.00")):
            loop = "for _ in range(3):" + place.pay(amount).replace("\n", "\n    ")
            for code, word in ((loop, "new"), (loop, "again"), ("import time\n" + loop, "again")):
                assert outcomes(kernel.run(code, cell=cell)) == [word] * 3
    assert place.made == 6


def test_a_cell_that_pays_in_threads_pays_once(place):
    """A cell that pays in a thread pool or with asyncio pays nothing when it is run again."""
    with place.kernel() as kernel:
        kernel.run(TERMS.format(account=place.account), cell="c0")
        shown = [kernel.run(code, cell=code) for code in (POOL, POOL, AWAITED, AWAITED)]
    words = ("new new", "again again") * 2
    assert [word in text for word, text in zip(words, shown, strict=True)] == [True] * 4
    assert place.made == 4


def test_the_same_cell_for_somebody_else(place):
    """A cell that is run with another recipient pays each recipient once."""
    cell = place.pay().replace(repr(place.account), "account")
    person = place.lab.individuals.create(**examples.recipient("MX"))
    place.lab.individuals.wait(person.id, every=0.05)
    bank = examples.account("MX")
    other = place.lab.financial_accounts.create(person.id, **bank).id
    with place.kernel() as kernel:
        for account, outcome in ((place.account, "new"), (other, "new"), (other, "again")):
            kernel.run(f"account = {account!r}")
            assert outcomes(kernel.run(cell, cell="c1")) == [outcome]
    assert place.made == 2


def test_after_a_day_the_key_is_gone(place):
    """When the key has expired, running the cell again raises ChoiceError and sends nothing."""
    with place.kernel() as kernel:
        kernel.run(place.pay(), cell="c1")
        place.lab.simulator.clock.advance("25h")
        late = kernel.run(place.pay(), cell="c1")
        assert "ChoiceError" in late
        assert "its key has expired" in late
        assert "no longer" in kernel.run("print(lab.ledger)")
    assert place.made == 1


@pytest.mark.parametrize(
    "edit",
    [
        lambda text: text + "transfer.id",
        lambda text: "import time" + text,
        lambda text: "%%time" + text,
        lambda text: text.replace("transfer", "made").replace("lab.mades", "lab.transfers"),
    ],
)
def test_an_edited_cell_without_an_id_pays_once(place, edit):
    """A cell without an id is recognised by its request, so an edit makes no second payment."""
    with place.kernel() as kernel:
        assert outcomes(kernel.run(place.pay())) == ["new"]
        assert outcomes(kernel.run(edit(place.pay()))) == ["again"]
        assert place.made == 1


YIELDING = """
import gc, itertools, sys, threading, time
from IPython.core.interactiveshell import InteractiveShell
from paylab.payments import call_site

class Yielding:
    alive = 0
    def __init__(self):
        Yielding.alive, self.me = Yielding.alive + 1, self
    def __del__(self):
        time.sleep(0.0005)
        Yielding.alive -= 1

def work(do, threads, failed=[]):
    until = time.monotonic() + 3
    def go():
        while time.monotonic() < until:
            Yielding.alive > 50 or Yielding()
            try:
                do()
            except SystemError as error:
                failed.append(error)
    working = [threading.Thread(target=go) for _ in range(threads)]
    for thread in working:
        thread.start()
    while threads < 8 and time.monotonic() < until:
        other = threading.Thread(target=int)
        other.start(), other.join()
    for thread in working:
        thread.join()
    sys.exit(str(failed) if failed else 0)
"""
LOOK = """
InteractiveShell.instance()
gc.set_threshold(1)
work(call_site.here, 2)
"""
PARSE = """
number = itertools.count()
gc.set_threshold(5)
work(lambda: call_site.cell_steps(f"made[{next(number)}] = [pay(row, a=1) for row in rows]"), 8)
"""


@pytest.mark.parametrize("code", [LOOK, PARSE])
def test_threads_of_a_batch_stand_garbage_that_is_collected(code):
    """Threads that find or parse their cell during garbage collection do not hang or fail."""
    subprocess.run([sys.executable, "-c", YIELDING + code], check=True, timeout=30)
