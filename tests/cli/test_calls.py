"""`paylab calls --follow` shows the calls of other processes, without secrets."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from contextlib import closing

import pytest

import paylab
from paylab.cli.main import main
from paylab.client.followers import Follower


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    """A cache folder of the test, with a short name because a socket path must be short."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return tmp_path / "paylab" / "followers"


def test_a_follower_hears_of_a_call_without_its_secrets(cache):
    """A follower gets calls without secrets, and no calls that control the simulator."""
    lab = paylab.connect()
    with closing(Follower()) as follower:
        assert cache.stat().st_mode & 0o777 == 0o700
        lab.simulator.clock.advance(1)
        lab.request("GET", "/v1/transfers", params={"limit": 1, "x": lab.settings.api_key.reveal()})
        [call] = follower.calls(0.05)
    assert (call["method"], call["status"], call["service"]) == ("GET", 200, "embedded")
    assert call["path"].startswith("/v1/transfers?limit=1&x=")
    assert lab.settings.api_key.reveal() not in json.dumps(call)
    assert list(cache.iterdir()) == []


def test_nothing_is_sent_into_a_folder_that_others_can_read(cache):
    """Calls are not sent to a folder that others can read, and a follower refuses it."""
    follower = Follower()
    cache.chmod(0o755)
    paylab.connect().transfers.list(limit=1).first()
    assert list(follower.calls(0.05)) == []
    with pytest.raises(paylab.ConfigError, match="can read"):
        Follower()
    follower.close()


def test_a_follower_that_was_killed_is_forgotten(cache):
    """The next call removes the socket of a follower that was killed."""
    follower = Follower()
    follower._socket.close()
    assert len(list(cache.iterdir())) == 1
    paylab.connect().transfers.list(limit=1).first()
    assert list(cache.iterdir()) == []


def test_a_follower_that_does_not_read_holds_nobody_up(cache):
    """Calls that do not fit into a follower's socket are dropped, so a lab does not wait."""
    lab = paylab.connect()
    with closing(Follower()):
        begun = time.monotonic()
        for _ in range(400):
            lab.request("GET", "/v1/conversions")
        assert time.monotonic() - begun < 20


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
