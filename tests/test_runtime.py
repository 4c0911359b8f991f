"""What starts threads, timers, processes and sockets, and what happens where none can start."""

from __future__ import annotations

import ast
import asyncio
import gc
import sys
import warnings
from contextlib import suppress
from pathlib import Path
from signal import SIGKILL, SIGTERM
from subprocess import PIPE
from threading import Thread
from time import monotonic

import pytest

import paylab
from paylab import runtime
from paylab.errors.base import PaylabError

PACKAGE = Path(paylab.__file__).parent
STARTERS = {
    "Thread", "Timer", "ThreadPoolExecutor", "ProcessPoolExecutor", "Popen", "to_thread", "socket",
    "create_connection", "create_server", "start_new_thread", "run_in_executor", "check_output",
}  # fmt: skip


@pytest.fixture
def no_threads(monkeypatch):
    """A Python that cannot start a thread, as in a browser."""

    def refuse(thread):
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(Thread, "start", refuse)


def starters(path):
    """The names of what a module calls to start something."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Call):
            function = node.func
            name = getattr(function, "attr", getattr(function, "id", ""))
            if name in STARTERS:
                yield name


def test_one_module_starts_threads_timers_processes_and_sockets():
    """Whatever is missing in a browser is missing in one place."""
    calls = {
        str(path.relative_to(PACKAGE)): sorted(set(starters(path)))
        for path in sorted(PACKAGE.rglob("*.py"))
    }
    assert [name for name, names in calls.items() if names] == ["runtime.py"]


def test_no_module_asks_for_the_platform():
    """What a platform lacks is found by trying it."""
    sources = {path: path.read_text() for path in PACKAGE.rglob("*.py")}
    assert [str(path) for path, text in sources.items() if "sys.platform" in text] == []


def test_work_is_done_at_once_without_threads(no_threads):
    """An executor, a timer and a function of the event loop do their work in this thread."""
    assert not runtime.has_threads()
    with runtime.make_executor(2, "work") as executor:
        assert list(executor.map(abs, [-1, 2])) == [1, 2]
        assert isinstance(executor.submit(int, "x").exception(), ValueError)
    done = []
    runtime.call_later(60, lambda: done.append("timer"), "timer")
    assert done == ["timer"]
    assert asyncio.run(runtime.in_thread(abs, -3)) == 3


def test_a_repetition_is_a_task_of_the_event_loop_without_threads(no_threads):
    """It runs until it is stopped; without an event loop it does not run at all."""
    rounds = []

    async def watch():
        repetition = runtime.Repetition(lambda: rounds.append(1), 0.001, "watch")
        repetition.start()
        while len(rounds) < 3:
            await asyncio.sleep(0.001)
        assert repetition.is_running
        repetition.stop()
        return repetition

    assert not asyncio.run(watch()).is_running
    alone = runtime.Repetition(lambda: rounds.append(1), 0.001, "alone")
    alone.start()
    assert not alone.is_running


def test_a_server_says_that_it_needs_a_thread(no_threads):
    """Serving fails with a sentence, and nothing listens."""
    with pytest.raises(PaylabError, match="needs a thread, which this Python cannot start"):
        paylab.connect().serve()


def test_the_embedded_simulator_works_without_threads(no_threads):
    """A deposit, its events, a frame, a batch and a watch need no thread."""
    lab = paylab.connect()
    inbox = lab.inbox()
    person = lab.individuals.create(**paylab.examples.individual("MX", consent_at=lab.clock()))
    sides = ("document-front", "document-back", "selfie")
    from paylab.views.specimens import specimen

    lab.individuals.upload_images(person, {side: specimen(side) for side in sides})
    person = lab.individuals.wait(person)
    wallet = lab.financial_accounts.create(person, "crypto_wallet", paylab.examples.wallet())
    account = lab.conversion_accounts.wait(lab.conversion_accounts.create(person, wallet))
    lab.sandbox.deposit(account, "10.00", "mxn")
    conversion = lab.conversions.wait(conversion_account_id=account.id)
    assert conversion.status == "completed"
    assert {"conversion.created", "conversion.completed"} & {event.type for event in inbox}
    assert len(lab.transfers.frame()) == 130
    router = paylab.webhooks.Router()
    watch = lab.watch(router, every=0.01)
    assert watch.poll() == 0
    watch.stop()
    inbox.close()


def test_a_panel_needs_no_thread(no_threads):
    """In an event loop it is refreshed by the loop, and without one at once."""
    messages = []

    async def show():
        lab = paylab.connect()
        view = lab.panel()._make_view()
        view.send = messages.append
        view.receive({"kind": "ready"})
        lab.transfers.list().first()
        assert len(messages) == 1  # nothing is sent while a cell runs
        await asyncio.sleep(0.3)

    asyncio.run(show())
    assert [row["cells"][1] for row in messages[-1]["rows"]] == ["GET /v1/transfers"]
    lab = paylab.connect()
    view = lab.panel()._make_view()
    view.send = messages.append
    view.receive({"kind": "ready"})
    lab.conversions.list().to_list()
    assert [row["cells"][1] for row in messages[-1]["rows"]] == ["GET /v1/conversions"]


def test_threads_are_used_where_they_start():
    """An executor has threads of its own name, and a timer calls in the background."""
    assert runtime.has_threads()
    with runtime.make_executor(1, "paylab-test") as executor:
        from threading import current_thread

        assert executor.submit(lambda: current_thread().name).result().startswith("paylab-test")
    begun = monotonic()
    cancel = runtime.call_later(60, lambda: None, "timer")
    cancel()
    assert monotonic() - begun < 60


DEAF = """
import signal, subprocess, sys
signal.signal(signal.SIGTERM, signal.SIG_IGN)
child = subprocess.Popen([sys.executable, "-c", "import time; print(flush=True); time.sleep(99)"])
child.wait()
"""
"""A program that ignores SIGTERM, with a child that prints a line when it has started."""


def test_a_process_that_ignores_its_end_is_killed_with_its_children():
    """A JupyterLab that hangs does not outlive `paylab lab`; a process that ends is not killed."""
    deaf = runtime.start_process([sys.executable, "-c", DEAF], stdout=PIPE, start_new_session=True)
    assert deaf.stdout.readline() == b"\n"
    runtime.end_process(deaf, 0.05)
    assert deaf.wait(30) == -SIGKILL
    assert deaf.stdout.read() == b""  # the child has closed it, too
    sleeper = "import time; print(flush=True); time.sleep(99)"
    polite = runtime.start_process([sys.executable, "-c", sleeper], stdout=PIPE)
    assert polite.stdout.readline() == b"\n"
    runtime.end_process(polite, 30)
    assert polite.wait(30) == -SIGTERM


def test_a_port_that_is_no_number_leaves_no_socket_open():
    """Python warns of a socket that is collected while it is open."""
    gc.collect()  # the sockets of others
    with warnings.catch_warnings(record=True) as seen_warnings:
        warnings.simplefilter("always")
        with suppress(TypeError):
            runtime.listen("127.0.0.1", "x")
        gc.collect()
    assert not [seen for seen in seen_warnings if seen.category is ResourceWarning]
