"""`paylab listen` and `paylab trigger`: over HTTP, with a handler of somebody's own."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest

import paylab
from paylab.cli.main import main
from paylab.simulator.server import Server
from paylab.simulator.simulator import Simulator


@pytest.fixture
def served():
    """The environment of a simulator behind a port."""
    with Server(Simulator()) as server:
        keys = {"API_KEY": server.simulator.api_key, "SECRET_KEY": server.simulator.secret_key}
        named = {"BASE_URL": server.base_url, **keys}
        yield {f"PAYLAB_{name}": value for name, value in named.items()}


@pytest.fixture
def listen(served):
    """Starts `paylab listen`, and stops it as Ctrl-C does."""
    running = []

    def started(*arguments):
        command = [sys.executable, "-m", "paylab", "listen", *arguments]
        process = subprocess.Popen(
            command, env={**os.environ, **served}, text=True, stdout=-1, stderr=-1
        )
        running.append(process)
        assert "Listening on" in process.stderr.readline()
        return process

    yield started
    for process in running:
        process.kill()
        process.communicate()


def stop(process):
    """Interrupt it, and give its status and what it printed."""
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=10)
    return process.returncode, out.splitlines()


def run(*arguments, **environment):
    """A command to its end."""
    command = [sys.executable, "-m", "paylab", *arguments]
    env = {**os.environ, **environment}
    return subprocess.run(command, env=env, capture_output=True, text=True, check=False)


def test_listen_prints_what_is_triggered_and_unsubscribes(served, listen):
    """A line an event, and no subscription left behind."""
    process = listen("--json", "--events", "transfer.created,transfer.completed")
    assert run("trigger", "transfer.completed", **served).returncode == 0
    status, lines = stop(process)
    types = [json.loads(line)["event_type"] for line in lines]
    assert (status, types) == (0, ["transfer.created", "transfer.completed"])
    with paylab.connect(*served.values()) as lab:
        assert list(lab.webhook_subscriptions.list()) == []


class Handler(BaseHTTPRequestHandler):
    """Somebody's handler, which fails at first."""

    def do_POST(self):
        """Keep the body; the first is answered 500."""
        length = int(self.headers["content-length"])
        self.server.got.append(json.loads(self.rfile.read(length)))
        self.send_response(500 if len(self.server.got) == 1 else 204)
        self.end_headers()

    def log_message(self, *_):
        """Nothing is logged."""


def test_listen_forwards_and_the_service_hears_the_answer(served, listen):
    """A handler that fails is delivered to again."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.got = []
    Thread(target=server.serve_forever, daemon=True).start()
    process = listen("--forward-to", f"http://127.0.0.1:{server.server_port}/hook")
    run("trigger", "transfer.completed", **served)
    with paylab.connect(*served.values()) as lab:
        lab.simulator.clock.advance(10)
    _, lines = stop(process)
    server.shutdown()
    types = [each["event_type"] for each in server.got]
    assert types[:2] == ["transfer.created", "transfer.created"]
    assert (len(types), "-> 500" in lines[0], "(delivery 2)" in lines[1]) == (5, True, True)


def test_a_refusal_does_not_repeat_a_warning(served):
    """The rules warn of the address, and the service refuses it."""
    done = run("listen", "--url", "http://hooks.example.com/x", **served)
    assert done.returncode == 1
    assert done.stderr.splitlines() == [
        "paylab: url: must be https; http is for loopback addresses only",
        "paylab: 400 the service refuses this",
    ]


@pytest.mark.parametrize(
    ("arguments", "status", "words"),
    [
        (["listen"], 2, "paylab simulator"),
        (["listen", "--events", "transfer.lost"], 2, "transfer.created"),
        (["listen", "--help"], 0, ""),
        (["trigger", "transfer.lost"], 2, "transfer.created"),
        (["trigger"], 2, "EVENT"),
        (["trigger", "transfer.completed", "--id", "nobody"], 1, "not found"),
        (["trigger", "transfer.completed", "--to", "active"], 2, "individual.status_changed"),
        (["trigger", "transfer.completed"], 0, "has no subscribers"),
        (["trigger", "--help"], 0, ""),
    ],
)
def test_statuses(capsys, arguments, status, words):
    """0 done, 1 failed, 2 wrong use; errors on stderr."""
    try:
        found = main(arguments)
    except SystemExit as ended:
        found = ended.code
    assert (found, words in capsys.readouterr().err) == (status, True)


def test_trigger_prints_the_way(capsys):
    """The events of the resource, in order, as a program may read them."""
    assert main(["trigger", "transfer.failed", "--json"]) == 0
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert lines[-1]["event_type"] == "transfer.failed"
    assert lines[-1]["event_payload"]["failure_reason"]


def test_trigger_says_what_is_legal(served, monkeypatch, capsys):
    """In one sentence, with status 1."""
    for name, value in served.items():
        monkeypatch.setenv(name, value)
    main(["trigger", "transfer.completed", "--json"])
    last = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert main(["trigger", "transfer.failed", "--id", last["event_payload"]["id"]]) == 1
    assert "none, this status is final" in capsys.readouterr().err


def test_a_target_that_cannot_be_reached_is_said(served, listen):
    """In words, while the service is answered 502 and tries again."""
    process = listen("--forward-to", "http://127.0.0.1:9/hook")
    run("trigger", "transfer.created", **served)
    _, lines = stop(process)
    assert "http://127.0.0.1:9/hook cannot be reached" in lines[0]


def test_trigger_prints_every_event_it_led_to(capsys):
    """Those of the individual that a conversion was made for too."""
    assert main(["trigger", "conversion.created", "--json"]) == 0
    types = [json.loads(line)["event_type"] for line in capsys.readouterr().out.splitlines()]
    assert types == [*["individual.status_changed"] * 2, "conversion.created"]
