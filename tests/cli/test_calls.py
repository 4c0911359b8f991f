"""`paylab calls --follow`: what other processes send is shown, without secrets, and only then."""

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
from paylab.client.call_log import Follower


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    """A cache folder of the test's own, with a short name: a socket's path must be short."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return tmp_path / "paylab" / "followers"


def test_a_follower_hears_of_a_call_without_its_secrets(cache):
    """Of calls of the service, and not of a simulator's controls."""
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
    """And nobody follows in one."""
    follower = Follower()
    cache.chmod(0o755)
    paylab.connect().transfers.list(limit=1).first()
    assert list(follower.calls(0.05)) == []
    with pytest.raises(paylab.ConfigError, match="can read"):
        Follower()
    follower.close()


def test_a_follower_that_was_killed_is_forgotten(cache):
    """Its socket is removed by the next call."""
    follower = Follower()
    follower._socket.close()
    assert len(list(cache.iterdir())) == 1
    paylab.connect().transfers.list(limit=1).first()
    assert list(cache.iterdir()) == []


def test_a_follower_that_does_not_read_holds_nobody_up(cache):
    """What does not fit into its socket is dropped."""
    lab = paylab.connect()
    with closing(Follower()):
        begun = time.monotonic()
        for _ in range(400):
            lab.request("GET", "/v1/conversions")
        assert time.monotonic() - begun < 20


def test_the_command_shows_calls_of_another_process(cache):
    """A line for each, until it is stopped."""
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
    """Wrong use: status 2."""
    assert main(["calls"]) == 2
    assert "lab.calls" in capsys.readouterr().err
