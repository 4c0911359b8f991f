"""`paylab calls --follow` shows the calls of other processes, without secrets."""

from __future__ import annotations

import json
import signal
import subprocess
import sys

import pytest

import paylab
from paylab.cli import calls
from paylab.cli.main import main


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    """A cache folder of the test, with a short name because a socket path must be short."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return tmp_path / "paylab" / "followers"


def test_the_command_shows_calls_of_another_process(cache):
    """The command prints a line for each call, and their number after Ctrl-C."""
    command = [sys.executable, "-m", "paylab", "calls", "--follow"]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    process = subprocess.Popen(command, **pipes)
    try:
        assert "Following" in process.stderr.readline()
        with pytest.raises(paylab.NotFoundError):
            paylab.connect().transfers.get("tr_nobody")
        line = process.stdout.readline()
        assert "embedded  GET  /v1/transfers/tr_nobody  ->  404" in line
        process.send_signal(signal.SIGINT)
        assert process.wait(10) == 0
        assert process.stderr.read() == "1 call.\n"
    finally:
        process.kill()
        process.communicate()


def test_without_follow_it_says_where_calls_are(capsys):
    """Without --follow, the command ends with status 2 and refers to `lab.calls`."""
    assert main(["calls"]) == 2
    assert "lab.calls" in capsys.readouterr().err


USUAL = {"when": "2026-01-31T09:30:00.000Z", "from": "script", "service": "embedded"}
USUAL |= {"method": "GET", "path": "/v1/transfers", "trouble": "", "bytes": 7}


@pytest.mark.parametrize(
    ("status", "is_failed"),
    [(199, True), (200, False), (299, False), (300, True), (404, True), (None, True)],
)
def test_only_failed_calls_are_shown_when_they_are_asked_for(capsys, status, is_failed):
    """A status of 200 to 299 is a success; a call without an answer is none."""
    call = {**USUAL, "status": status, "trouble": "" if status else "connect"}
    assert calls._show_call(call, as_json=False, failed=True) is is_failed
    shown = capsys.readouterr().out
    assert bool(shown) is is_failed
    assert calls._show_call(call, as_json=False, failed=False)
    line = capsys.readouterr().out
    end = f"{status}" if status else "no answer (connect)"
    assert line == f"09:30:00  script  embedded  GET  /v1/transfers  ->  {end}  7 bytes\n"
    assert calls._show_call(call, as_json=True, failed=False)
    assert json.loads(capsys.readouterr().out) == call
