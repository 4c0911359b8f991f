"""Cells are run in a real kernel: an equal order is paid once, and the output says why."""

from __future__ import annotations

import os
import re
from contextlib import contextmanager

import pytest
from jupyter_client.manager import KernelManager

import paylab
from paylab.corridors import examples
from paylab.simulator.server import Server
from paylab.simulator.simulator import Simulator

POOL = """
from concurrent.futures import ThreadPoolExecutor
with ThreadPoolExecutor(3) as pool:
    made = [pool.submit(
        lab.transfers.create, {account!r}, payout_method="spei", source_currency="USD",
        destination_currency="MXN", source_amount="7.00") for _ in range(6)]
print(len({{each.result().id for each in made}}), "payment")
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
        self.stderr = "".join(text for stream, text in parts if stream == "stderr")
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
            shown = content.get("data", {}).get("text/html", "")
            yield content.get("name", "display" if shown else None), words + shown

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


def test_cells_that_ask_for_one_order_pay_once(place):
    """A cell run again, copied, edited or in another kernel pays nothing for an equal order."""
    edited = "# again\nfor _ in range(2):" + place.pay("10").replace("\n", "\n    ")
    with place.kernel() as kernel:
        assert outcomes(kernel.run(place.pay(), cell="c1")) == ["new"]
        again = kernel.run(place.pay(), cell="c1")
        assert outcomes(again) == ["again"]
        assert again.count("new=True makes another") == 1
        assert '<div role="status"' in again
        assert kernel.stderr == ""
        assert outcomes(kernel.run(edited)) == ["again"] * 2
        assert "1 payment" in kernel.run(POOL.format(account=place.account), cell="c2")
        assert place.made == 2
    with place.kernel() as kernel:
        assert outcomes(kernel.run(place.pay("10.0"), cell="c9")) == ["again"]
        assert outcomes(kernel.run(place.pay("11.00"), cell="c1")) == ["new"]
        more = ", new=True", ", client_reference_id='b'"
        assert [outcomes(kernel.run(place.pay(more=each))) for each in more] == [["new"]] * 2
    assert place.made == 5


def test_an_answer_that_was_lost(place):
    """After a lost answer, running the cell again returns the transfer that was made."""
    with place.kernel() as kernel:
        place.lab.simulator.faults.drop_after(path="/v1/transfers", times=3)
        lost = kernel.run(place.pay(), cell="c1")
        assert "APIConnectionError" in lost
        assert "may have been carried out" in lost
        assert outcomes(kernel.run(place.pay(), cell="c1")) == ["again"]
    assert place.made == 1
