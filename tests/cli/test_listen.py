"""`paylab listen`: the lines of events, and the types that it takes."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from datetime import UTC, datetime

import pytest

import paylab
from paylab.cli import listen
from paylab.cli.main import main
from paylab.simulator.server import Server
from paylab.simulator.simulator import Simulator
from paylab.webhooks.arrival import Arrival

BODY = b'{"event_type": "transfer.created", "event_payload": {"id": "tr_1"}}'


def arrival(**changes):
    """An event that came once and in order."""
    at = datetime(2026, 1, 31, 9, 30, 1, tzinfo=UTC)
    usual = {"seq": 1, "at": at, "last_at": at, "deliveries": 1, "type": "transfer.created"}
    usual |= {"id": "tr_1", "status": "awaiting_funds", "updated_at": at, "order": "in order"}
    return Arrival(**{**usual, "body": BODY, **changes})


@pytest.mark.parametrize(
    ("changes", "end"),
    [
        ({}, "  tr_1  awaiting_funds"),
        ({"status": None}, "  tr_1  -"),
        ({"deliveries": 2}, "  awaiting_funds  (delivery 2)"),
        ({"order": "stale"}, "  awaiting_funds  stale"),
        ({"answered": 204}, "  awaiting_funds  -> 204"),
        ({"answered": 0}, "  -> http://a/hook cannot be reached; answered 502 to the service"),
    ],
)
def test_an_event_is_a_line(capsys, changes, end):
    """Time, type, resource and status, and what is not usual about the delivery."""
    listen._print_arrival(arrival(**changes), target="http://a/hook", in_json=False)
    line = capsys.readouterr().out
    assert line.startswith("09:30:01  transfer.created  tr_1  ")
    assert line.endswith(f"{end}\n")


def test_an_event_is_a_line_of_json(capsys):
    """The event in its wrapper, with its delivery."""
    listen._print_arrival(arrival(deliveries=3), target=None, in_json=True)
    told = json.loads(capsys.readouterr().out)
    assert (told["event_type"], told["deliveries"]) == ("transfer.created", 3)


@pytest.mark.parametrize("types", ["transfer.crated", "", ","])
def test_unknown_types_are_wrong_use(capsys, types):
    """The error lists the known types."""
    with pytest.raises(SystemExit) as ended:
        main(["listen", "--events", types])
    assert ended.value.code == 2
    assert "must be one of transfer.created" in capsys.readouterr().err


def test_types_are_separated_by_commas():
    """Spaces and empty words are left out."""
    assert listen._read_event_types("transfer.created, transfer.failed,") == (
        "transfer.created",
        "transfer.failed",
    )


def test_it_listens_until_it_is_stopped(monkeypatch):
    """An event is a line as soon as it comes; Ctrl-C ends with a count, and unsubscribes."""
    with Server(Simulator(frozen=False)) as server:
        for name in ("base_url", "api_key", "secret_key"):
            monkeypatch.setenv(f"PAYLAB_{name.upper()}", getattr(server, name))
        command = [sys.executable, "-m", "paylab", "listen", "--events", "transfer.created"]
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
        process = subprocess.Popen(command, **pipes)
        try:
            assert process.stderr.readline().startswith("paylab: SIMULATOR (shared, 127.0.0.1:")
            assert process.stderr.readline().startswith("Listening on http://127.0.0.1:")
            lab = paylab.connect()
            lab.trigger("transfer.created")
            assert "transfer.created  tr_" in process.stdout.readline()
            process.send_signal(signal.SIGINT)
            assert process.communicate(timeout=30) == ("", "1 event.\n")
            assert process.returncode == 0
            assert lab.webhook_subscriptions.list().to_list() == []
        finally:
            process.kill()
            process.communicate()


def test_without_a_service_there_is_nothing_to_listen_to(capsys):
    """An embedded simulator ends with the command: wrong use, with the way on."""
    assert main(["listen"]) == 2
    assert "start `paylab simulator` and export the lines" in capsys.readouterr().err


def test_a_remote_service_needs_the_url_of_a_tunnel(monkeypatch, capsys):
    """The error names the options of the command, and nothing is sent."""
    monkeypatch.setenv("PAYLAB_BASE_URL", "https://sandbox.example.com")
    monkeypatch.setenv("PAYLAB_API_KEY", "key")
    monkeypatch.setenv("PAYLAB_SECRET_KEY", "s" * 32)
    assert main(["listen"]) != 0
    assert "give --port PORT, and --url with the https address" in capsys.readouterr().err
