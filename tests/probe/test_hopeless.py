"""Where nothing can work: one sentence, few requests, no file, status 1."""

import json
from datetime import UTC, datetime, timedelta

import httpx
import pytest

from paylab.cli.main import main
from paylab.client import Client
from paylab.client.settings import Settings
from paylab.errors import ConfigError
from paylab.probe.probe import probe
from paylab.simulator.server import Server
from paylab.simulator.simulator import Simulator

HTML = "<!doctype html><html><body>Welcome</body></html>"
NOW = datetime(2026, 11, 22, 12, 0, tzinfo=UTC)
PAGE = {"data": [], "has_next_page": False, "cursor": None}


def raising(error):
    """An answer that is an error of the connection."""

    def answer(request):
        raise error(str(error.__name__), request=request)

    return answer


def answering(status, text="", **headers):
    """The same answer to every request."""
    return lambda request: httpx.Response(status, text=text, headers=headers)


def read_only(request):
    """A service that refuses everything but reading."""
    is_get = request.method == "GET"
    return httpx.Response(200 if is_get else 403, json=PAGE if is_get else {"error": "read only"})


OFF = {"date": (NOW - timedelta(minutes=7)).strftime("%a, %d %b %Y %H:%M:%S GMT")}
LIMIT = json.dumps({"error": "invalid", "fields": {"?limit": "unknown query parameter"}})
UNAUTHORIZED = json.dumps({"error": "signature does not match"})


def walked(answer, *, write=False):
    """The report of a walk through a service that answers so, and the number of requests."""
    seen = []

    def count(request):
        seen.append(request)
        return answer(request)

    settings = Settings("https://pay.example.com", "key", "a0" * 16)
    options = {"clock": lambda: NOW, "sleep": lambda _: None}
    with Client(settings, transport=httpx.MockTransport(count), **options) as client:
        return probe(client, write=write), len(seen)


@pytest.mark.parametrize(
    ("answer", "write", "most", "words"),
    [
        (raising(httpx.ConnectError), False, 5, "no connection to https://pay.example.com"),
        (raising(httpx.ReadTimeout), False, 5, "did not answer in time"),
        (answering(200, HTML, **{"content-type": "text/html"}), False, 5, "web pages"),
        (answering(404, HTML, **{"content-type": "text/html"}), False, 5, "web pages"),
        (answering(308, location="https://api.example.com/"), False, 5, "set the base URL"),
        (answering(503, "down"), False, 5, "try again later"),
        (answering(404, '{"error": "not found"}'), False, 5, "none of the lists"),
        (answering(400, LIMIT), False, 20, "refuses its lists: 400"),
        (answering(400, LIMIT), False, 20, "lists.limit_parameter"),
        (answering(401, UNAUTHORIZED), False, 20, "check that API key and secret belong"),
        (answering(401, UNAUTHORIZED, **OFF), False, 20, "420 s ahead: set the clock"),
        (read_only, True, 5, "production, or this key may only read"),
    ],
)
def test_one_sentence_says_why(answer, write, most, words):
    """The report says what is wrong and what to do, and proves nothing."""
    report, sent = walked(answer, write=write)
    assert words in report.hopeless
    assert "\n" not in report.hopeless
    assert sent <= most
    assert not report.complete
    assert report.where("proven") == ()
    assert report.service.given == {}


def test_a_wrong_secret_ends_the_command_with_1_and_writes_no_file(tmp_path, monkeypatch, capsys):
    """Over HTTP, with a clock that is right: the sentence on stderr, no file, status 1."""
    to = tmp_path / "service.toml"
    with Server(Simulator()) as server:
        monkeypatch.setenv("PAYLAB_BASE_URL", server.base_url)
        monkeypatch.setenv("PAYLAB_API_KEY", server.simulator.api_key)
        monkeypatch.setenv("PAYLAB_SECRET_KEY", "of somebody else")
        assert main(["probe", "--to", str(to)]) == 1
    assert "refuses the signature" in capsys.readouterr().err
    assert not to.exists()


def test_a_read_only_lab_is_told_before_a_request():
    """`write` contradicts read-only settings: ConfigError, nothing is sent."""
    settings = Settings("https://pay.example.com", "key", "secret", read_only=True)
    transport = httpx.MockTransport(raising(AssertionError))
    with Client(settings, transport=transport) as client, pytest.raises(ConfigError):
        probe(client, write=True)
