"""The calls of other processes, sent to followers without secrets, and without waiting."""

from __future__ import annotations

import json
import os
import time
from contextlib import closing, suppress
from socket import AF_UNIX, SOCK_DGRAM, socket

import httpx
import pytest

import paylab
from paylab.client.followers import Broadcast, Follower
from paylab.errors import ConfigError, PaylabError
from paylab.redaction.redaction import Redaction


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


@pytest.fixture
def heard(scripted, settings, cache):
    """What a follower hears of one call of a client whose service gives a reply."""

    def hear(reply, path="/v1/transfers", **options):
        broadcast = Broadcast(Redaction([settings.api_key]), "pay.test")
        client, _ = scripted(reply, watchers=[broadcast], max_retries=0)
        with closing(Follower()) as follower:
            with suppress(PaylabError):
                client.request("GET", path, **options)
            return list(follower.calls(0.01))

    return hear


def test_a_call_is_told_with_its_outcome(heard, monkeypatch):
    """A call is its time, sender, service, method, path, status and size, and nothing else."""
    monkeypatch.setenv("JPY_SESSION_NAME", "/home/me/payouts.ipynb")
    [call] = heard({"id": "tr_1"})
    assert call == {
        "when": "2026-01-31T09:30:00.123Z",
        "from": "payouts.ipynb",
        "service": "pay.test",
        "method": "GET",
        "path": "/v1/transfers",
        "status": 200,
        "trouble": None,
        "bytes": 13,
    }


def test_a_call_without_an_answer_is_told_with_its_trouble(heard, settings):
    """The words of a connection that failed are told without secrets."""
    [call] = heard(httpx.ConnectError(f"refused {settings.api_key.reveal()}"))
    assert (call["status"], call["bytes"]) == (None, 0)
    assert "refused" in call["trouble"]
    assert settings.api_key.reveal() not in call["trouble"]


def test_a_call_of_any_length_is_told(heard, monkeypatch):
    """A long path, message or name of a notebook is cut, so that the line is whole JSON."""
    monkeypatch.setenv("JPY_SESSION_NAME", "ñ" * 500)
    [call] = heard(httpx.ConnectError("ñ" * 2000), "/v1/transfers", params={"a": "b" * 2000})
    assert (len(call["path"]), len(call["from"])) == (300, 80)
    assert call["trouble"].endswith("ñ…")


def test_what_controls_a_simulator_is_not_told(heard):
    """Only calls of the service are told."""
    assert heard({}, "/_simulator/clock") == []


@pytest.mark.parametrize("mode", [0o710, 0o701, 0o770, 0o755])
def test_a_folder_is_private_or_unused(heard, cache, mode):
    """No right of a group or of others is accepted; the folder's owner keeps all of theirs."""
    assert len(heard({})) == 1
    assert cache.stat().st_mode & 0o777 == 0o700
    cache.chmod(mode)
    with pytest.raises(ConfigError, match="chmod 700"):
        Follower()


def test_a_link_to_a_private_folder_is_refused(tmp_path, cache):
    """Somebody else may have placed a link."""
    (tmp_path / "own").mkdir(mode=0o700)
    cache.parent.mkdir(parents=True)
    cache.symlink_to(tmp_path / "own")
    with pytest.raises(ConfigError, match="chmod 700"):
        Follower()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder away")
def test_a_folder_of_another_user_is_refused(cache):
    """Its owner would read the calls."""
    cache.mkdir(mode=0o700, parents=True)
    os.chown(cache, 65534, 65534)
    with pytest.raises(ConfigError, match="chmod 700"):
        Follower()


def test_a_line_that_is_not_json_is_left_out(cache):
    """Another program may write into the socket; the next call is heard all the same."""
    with closing(Follower()) as follower:
        [place] = cache.iterdir()
        assert place.name == f"{os.getpid()}.sock"
        for line in (b"{", b'{"status": 200}'):
            with socket(AF_UNIX, SOCK_DGRAM) as sender:
                sender.sendto(line, str(place))
        assert list(follower.calls(0.01)) == [{"status": 200}]
