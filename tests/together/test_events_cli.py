"""`paylab listen` and `paylab trigger` over HTTP, with a webhook handler of the user."""

from __future__ import annotations

import json
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
def served(monkeypatch):
    """A simulator behind a port, and its settings in the environment."""
    with Server(Simulator()) as server:
        keys = {"API_KEY": server.simulator.api_key, "SECRET_KEY": server.simulator.secret_key}
        named = {"BASE_URL": server.base_url, **keys}
        for name, value in named.items():
            monkeypatch.setenv(f"PAYLAB_{name}", value)
        yield named


@pytest.fixture
def listen(served):
    """A function that starts `paylab listen`; the processes are killed after the test."""
    running = []

    def started(*arguments):
        command = [sys.executable, "-m", "paylab", "listen", *arguments]
        process = subprocess.Popen(command, text=True, stdout=-1, stderr=-1)
        running.append(process)
        assert "SIMULATOR (shared, 127.0.0.1" in process.stderr.readline()
        assert "Listening on" in process.stderr.readline()
        return process

    yield started
    for process in running:
        process.kill()
        process.communicate()


def stop(process):
    """Interrupt a process as Ctrl-C does; return its exit status and the lines it printed."""
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=10)
    return process.returncode, out.splitlines()


class Handler(BaseHTTPRequestHandler):
    """A webhook handler that fails on the first delivery."""

    def do_POST(self):
        """Keep the body; answer 500 to the first delivery and 204 to the others."""
        length = int(self.headers["content-length"])
        self.server.got.append(json.loads(self.rfile.read(length)))
        self.send_response(500 if len(self.server.got) == 1 else 204)
        self.end_headers()

    def log_message(self, *_):
        """Log nothing."""


def test_listen_forwards_and_the_service_hears_the_answer(served, listen):
    """When the handler answers 500, the service delivers the event again."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.got = []
    Thread(target=server.serve_forever, daemon=True).start()
    process = listen("--forward-to", f"http://127.0.0.1:{server.server_port}/hook")
    assert main(["trigger", "transfer.completed"]) == 0
    with paylab.connect(*served.values()) as lab:
        lab.simulator.clock.advance(10)
    _, lines = stop(process)
    server.shutdown()
    types = [each["event_type"] for each in server.got]
    assert (types.count("transfer.created"), len(types)) == (2, 5)
    assert "-> 500" in lines[0]
    assert [line for line in lines if "(delivery 2)" in line]


@pytest.mark.usefixtures("served")
def test_a_refusal_does_not_repeat_a_warning(capsys):
    """An address that the rules warn about and the service refuses is reported once."""
    assert main(["listen", "--url", "http://hooks.example.com/x"]) == 1
    badge, *sentences = capsys.readouterr().err.splitlines()
    assert badge.startswith("paylab: SIMULATOR (shared, 127.0.0.1")
    assert sentences == [
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
        (["trigger", "transfer.completed", "--id", "nobody"], 1, "no transfer has the id nobody"),
        (["trigger", "transfer.completed", "--to", "active"], 2, "individual.status_changed"),
        (["trigger", "transfer.completed"], 0, "has no subscribers"),
        (["trigger", "--help"], 0, ""),
    ],
)
def test_exit_status_0_for_success_1_for_failure_2_for_wrong_use(capsys, arguments, status, words):
    """Exit status 0 for success, 1 for failure, 2 for wrong use; messages go to stderr."""
    try:
        found = main(arguments)
    except SystemExit as ended:
        found = ended.code
    assert (found, words in capsys.readouterr().err) == (status, True)


def test_trigger_prints_the_way(capsys):
    """`trigger --json` prints a JSON object per event in their order, the triggered one last."""
    assert main(["trigger", "transfer.failed", "--json"]) == 0
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [line["event_type"] for line in lines] == [
        f"transfer.{name}" for name in ("created", "funded", "payout_initiated", "failed")
    ]
    reasons = [line["event_payload"]["failure_reason"] for line in lines]
    assert (reasons[:-1], bool(reasons[-1])) == ([None] * 3, True)


@pytest.mark.usefixtures("served")
def test_trigger_says_what_is_legal(capsys):
    """An event that cannot follow is an error with status 1 that says which moves are legal."""
    main(["trigger", "transfer.completed", "--json"])
    last = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert main(["trigger", "transfer.failed", "--id", last["event_payload"]["id"]]) == 1
    assert "none, this status is final" in capsys.readouterr().err


def test_a_target_that_cannot_be_reached_is_said(served, listen):
    """If the target cannot be reached, the line says so, and the service gets 502 and retries."""
    process = listen("--forward-to", "http://127.0.0.1:9/hook", "--events", "transfer.created")
    assert main(["trigger", "transfer.created"]) == 0
    with paylab.connect(*served.values()) as lab:
        lab.simulator.clock.advance(10)
        tries = [(each["attempt"], each["status"]) for each in lab.simulator.deliveries()]
    _, lines = stop(process)
    said = "http://127.0.0.1:9/hook cannot be reached; answered 502 to the service"
    assert [said in line for line in lines] == [True, True]
    assert ("(delivery 2)" in lines[1], tries) == (True, [(1, 502), (2, 502)])


def test_trigger_prints_every_event_it_led_to(capsys):
    """The events of the individual that was created for a conversion are printed too."""
    assert main(["trigger", "conversion.created", "--json"]) == 0
    types = [json.loads(line)["event_type"] for line in capsys.readouterr().out.splitlines()]
    assert types == [*["individual.status_changed"] * 2, "conversion.created"]
