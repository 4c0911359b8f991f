"""Where nothing can work: one sentence, few requests, no file, status 1."""

import json
from datetime import UTC, datetime, timedelta

import httpx
import pytest

from paylab.cli.main import main
from paylab.client import Client
from paylab.client.settings import Settings
from paylab.errors import ConfigError
from paylab.probe.probe import probe_service
from paylab.simulator.server import Server
from paylab.simulator.simulator import Simulator

HTML = "<!doctype html><html><body>Welcome</body></html>"
HTML_TYPE = {"content-type": "text/html"}
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


def answering_posts(status, text, **headers):
    """The same answer to every POST, and an empty page of any list."""
    answer = answering(status, text, **headers)
    return lambda request: (
        httpx.Response(200, json=PAGE) if request.method == "GET" else answer(request)
    )


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
        return probe_service(client, write=write), len(seen)


def last_list_only(request):
    """A service of web pages that has one of the lists, the one that is read last."""
    if request.url.path == "/v1/conversions":
        return httpx.Response(200, json=PAGE)
    return httpx.Response(404, text=HTML)


PAGE_STATUSES = [200, 400, 404, 405, 409, 410, 422, 429, 500, 501, 503]


@pytest.mark.parametrize("headers", [HTML_TYPE, {}], ids=["typed", "untyped"])
@pytest.mark.parametrize("make_answer", [answering, answering_posts])
@pytest.mark.parametrize("status", PAGE_STATUSES)
def test_web_pages_end_a_walk_within_five_requests(make_answer, status, headers):
    """Whatever their status, the sentence says that a web page came."""
    report, sent = walked(make_answer(status, HTML, **headers), write=True)
    assert "web page" in report.hopeless
    assert sent <= 5


def test_web_pages_at_most_lists_end_a_walk_within_five_requests():
    """A list that is found late leaves fewer paths to try for a deposit."""
    report, sent = walked(last_list_only, write=True)
    assert "404 with a web page, which proves nothing" in report.hopeless
    assert sent <= 5


@pytest.mark.parametrize(
    ("answer", "write", "most", "words"),
    [
        (raising(httpx.ConnectError), False, 5, "no connection to https://pay.example.com"),
        (raising(httpx.ReadTimeout), False, 5, "did not answer in time"),
        (answering(200, HTML, **HTML_TYPE), False, 5, "web pages"),
        (answering(404, HTML, **HTML_TYPE), False, 5, "web pages"),
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
        probe_service(client, write=True)
