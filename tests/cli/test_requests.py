"""`paylab requests` shows what a simulator received, with verdicts and without secrets."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from datetime import UTC, datetime
from types import SimpleNamespace

import pytest

import paylab
from paylab.cli.main import main
from paylab.cli.request_lines import show_request
from paylab.simulator.server import Server
from paylab.simulator.simulator import Simulator


@pytest.fixture
def lab(monkeypatch):
    """A lab of a served simulator, to which the environment leads too."""
    with Server(Simulator(frozen=False)) as server:
        for name in ("base_url", "api_key", "secret_key"):
            monkeypatch.setenv(f"PAYLAB_{name.upper()}", getattr(server, name))
        yield paylab.connect()


def send(lab):
    """Send a good request, one with an unknown parameter, and one that is refused."""
    lab.transfers.list(limit=1).first()
    lab.get("/v1/transfers", params={"limt": 1})
    with pytest.raises(paylab.BadRequestError):
        lab.post("/v1/quotes", {"source_amount": "x"})


def test_the_last_requests_are_shown(lab, capsys):
    """Each has a line with status and verdict, or its JSON; an option chooses the refused."""
    send(lab)
    assert main(["requests"]) == 0
    good, odd, bad = capsys.readouterr().out.splitlines()
    assert good.endswith("GET /v1/transfers -> 200  passed")
    assert odd.endswith("-> 200  strictness: limt is no query parameter: is limit meant?")
    assert "POST /v1/quotes -> 400  rules: refused; " in bad
    assert main(["requests", "--refused", "--json"]) == 0
    [row] = map(json.loads, capsys.readouterr().out.splitlines())
    assert (row["status"], row["body"]) == (400, {"source_amount": "x"})
    assert main(["requests", "--last", "1"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 1


def test_a_long_line_is_cut_and_twenty_are_shown(lab, capsys):
    """A line has at most 200 characters; without --last there are 20."""
    assert main(["requests"]) == 0
    assert capsys.readouterr().err.splitlines()[1:] == ["No requests yet."]
    for _ in range(21):
        lab.get("/v1/transfers")
    assert main(["requests"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 20
    at = datetime(2026, 1, 31, 9, 30, tzinfo=UTC)
    usual = {"at": at, "method": "GET", "status": 404, "verdict": "passed"}
    room = 200 - len("09:30:00  GET  -> 404  passed")
    for length in (room, room + 1):
        show_request(SimpleNamespace(path="/" * length, **usual), as_json=False, refused=False)
    fits, cut = capsys.readouterr().out.splitlines()
    assert (len(fits), fits[-6:], len(cut), cut[-4:]) == (200, "passed", 203, "e...")


def test_each_new_request_is_printed_as_it_arrives_also_after_a_reset(lab):
    """Each new request is printed as it arrives, also after a reset; Ctrl-C ends with a count."""
    command = [sys.executable, "-m", "paylab", "requests", "--follow", "--last", "0"]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    lab.transfers.list(limit=1).first()
    process = subprocess.Popen(command, **pipes)
    try:
        assert process.stderr.readline().startswith("paylab: SIMULATOR (shared, ")
        assert process.stderr.readline() == "Following requests. Stop it with Ctrl-C.\n"
        lab.simulator.reset()
        send(lab)
        lines = [process.stdout.readline() for _ in range(3)]
        assert ["200" in line for line in lines] == [True, True, False]
        process.send_signal(signal.SIGINT)
        assert process.communicate(timeout=30) == ("", "3 requests.\n")
        assert process.returncode == 0
    finally:
        process.kill()


def test_an_embedded_simulator_has_no_requests_of_others(capsys):
    """Without a configured simulator, the command says how to get one, with status 2."""
    assert main(["requests"]) == 2
    assert "paylab simulator" in capsys.readouterr().err


@pytest.mark.parametrize(("options", "word"), [([], "redacted"), (["--raw"], "keep it private")])
def test_a_har_file_is_written(lab, tmp_path, capsys, options, word):
    """It has the requests; a raw one says that it has the bodies as they came."""
    send(lab)
    path = tmp_path / "seen.har"
    assert main(["requests", "--har", str(path), *options]) == 0
    assert word in capsys.readouterr().err
    log = json.loads(path.read_text())["log"]
    assert (log["_paylab"]["raw"], bool(log["entries"])) == (bool(options), True)
    assert main(["requests", "--raw"]) == 2
    assert "--raw needs --har" in capsys.readouterr().err


def test_a_wrong_control_token_is_named(lab, monkeypatch, capsys):
    """A simulator that runs is not called absent."""
    monkeypatch.setenv("PAYLAB_CONTROL_TOKEN", "ct_other")
    for command in ("requests", "ready"):
        assert main([command]) == 2
        assert "refused the control token" in capsys.readouterr().err
