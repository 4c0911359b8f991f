"""Secrets appear in no repr, dump, error, call record or log."""

from __future__ import annotations

import copy
import json
import logging
import pickle
import traceback
from dataclasses import asdict
from pathlib import Path
from random import Random

import httpx
import pytest

import paylab
from paylab import connect
from paylab.client import Client
from paylab.client.service_clock import utcnow
from paylab.client.settings import Secret, Settings, resolve
from paylab.errors import ConfigError, PaylabError
from paylab.redaction.redaction import Redaction

KEY, SECRET = "key_live_1234", "s3cr3t/with+signs="
PACKAGE = Path(paylab.__file__).parent


def hidden(text):
    """Whether a text contains no API key, no secret key and no signature."""
    return not any(word in text for word in (KEY, SECRET, "Signature=M", "Signature=N", "SIGNED"))


@pytest.mark.parametrize(
    "show",
    [
        repr,
        str,
        lambda s: f"{s.secret_key} {s.api_key:>40} {s.secret_key!r}",
        lambda s: str(vars(s)),
        lambda s: str(asdict(s)),
        lambda s: json.dumps(asdict(s), default=str),
        lambda s: pickle.dumps(s).decode("latin-1"),
        lambda s: pickle.dumps(s, protocol=0).decode("latin-1"),
        lambda s: repr(copy.deepcopy(s)),
        lambda s: "%s %r" % (s.api_key, s.secret_key),  # noqa: UP031 - logging formats so
    ],
)
def test_settings_show_and_dump_no_secret(settings, show):
    """No secret appears when settings are printed, converted, copied or pickled."""
    assert hidden(show(settings))


def test_a_secret_cannot_be_written_as_json():
    """`json.dumps` and `vars` raise TypeError for a Secret."""
    with pytest.raises(TypeError):
        json.dumps(Secret(SECRET))
    with pytest.raises(TypeError):
        vars(Secret(SECRET))


def test_a_secret_speaks_when_asked_and_copies_to_itself():
    """`reveal` returns the secret; a copy of a Secret is the same object."""
    secret = Secret(SECRET)
    assert secret.reveal() == SECRET
    assert copy.copy(secret) is copy.deepcopy(secret) is secret


def test_a_pickled_secret_is_empty(settings):
    """Using an unpickled secret raises ConfigError, because secrets are not pickled."""
    unpickled = pickle.loads(pickle.dumps(settings))
    assert unpickled.base_url == settings.base_url
    with pytest.raises(ConfigError, match="not pickled"):
        unpickled.secret_key.reveal()
    with pytest.raises(ConfigError, match="not pickled"):
        Client(unpickled)


def echo(request):
    """Answer 401 and repeat the signature, key and secret in headers and body."""
    sent = dict(request.headers.items())
    words = f"you sent {sent['authorization']} with {sent['x-api-key']} and {SECRET}"
    body = {"error": words, "errors": [{"field": KEY, "message": SECRET}], KEY: {SECRET: [KEY]}}
    return httpx.Response(401, json=body, headers={"X-Echo": words})


def refuse(request):
    """Fail to connect, with the signature and the secret in the error message."""
    raise httpx.ConnectError(f"cannot send {request.headers['authorization']} {SECRET}")


def answer_with(body):
    """Answer 200 with a body that has the key and the secret as names of members."""
    return lambda request: httpx.Response(200, json=body)


BODIES = {KEY: 1, "x" * 280 + SECRET: []}, {"error": {KEY: SECRET}}, {"data": {SECRET: 1}, KEY: []}


@pytest.mark.parametrize("body", BODIES)
@pytest.mark.parametrize("read", ["get", "list", "page"])
def test_names_of_members_are_redacted(settings, body, read):
    """No error or warning about a response shows a member's name that is a key."""
    client = Client(settings, transport=httpx.MockTransport(answer_with(body)))
    calls = {
        "get": lambda: client.transfers.get("tr_1"),
        "list": client.transfers.list().first,
        "page": lambda: client.session.lists.page_as_sent("transfers", 10, None),
    }
    with pytest.raises(PaylabError) as caught:
        calls[read]()
    error = caught.value
    assert hidden("\n".join([str(error), *error.card(), str(vars(error)), str(client.calls)]))


class Interrupting(Random):
    """A random source and a path that are interrupted."""

    def __fspath__(self):
        raise KeyboardInterrupt

    def randrange(self, *_):
        """Be interrupted while the signature of requests is prepared."""
        raise KeyboardInterrupt


def interrupt(*sent):
    """Be interrupted with the signed headers in a variable."""
    headers = [request.headers.raw for request in sent]
    raise KeyboardInterrupt(len(headers))


def send(settings, clock=utcnow):
    """A GET that is interrupted by its transport, if not by its clock."""
    client = Client(settings, transport=httpx.MockTransport(interrupt), clock=clock)
    client.transfers.get("tr_1")


def once():
    """The times of a clock that is interrupted when it is read for the signature."""
    yield utcnow()
    raise KeyboardInterrupt


@pytest.mark.parametrize(
    "call",
    [
        send,
        lambda settings: send(settings, clock=once().__next__),
        lambda settings: Client(settings, random=Interrupting()),
        lambda settings: connect("https://a.test", KEY, SECRET, service=Interrupting()),
    ],
    ids=["transport", "signing", "client", "connect"],
)
def test_an_interrupt_shows_no_secret(settings, call):
    """A traceback of an interrupt that shows all variables contains no key and no signature."""
    with pytest.raises(KeyboardInterrupt) as caught:
        call(settings)
    found = traceback.TracebackException.from_exception(caught.value, capture_locals=True)
    assert "in interrupt" not in "".join(found.format())
    assert hidden("".join(_ours(found.format())))


def redirect(request):
    """Redirect to an address that contains the key and the secret."""
    return httpx.Response(302, headers={"Location": f"https://else.test/?k={KEY}&s={SECRET}"})


@pytest.mark.parametrize("behave", [echo, refuse, redirect])
def test_errors_and_calls_show_no_secret(settings, behave):
    """Message, repr, card, attributes, calls and traceback with locals show no secret."""
    client = Client(settings, transport=httpx.MockTransport(behave), sleep=lambda _: None)
    with pytest.raises(PaylabError) as caught:
        client.transfers.get("tr_1")
    error = caught.value
    lines = traceback.TracebackException.from_exception(error, capture_locals=True).format()
    shown = [str(error), repr(error), *error.card(), str(vars(error)), "".join(_ours(lines))]
    assert all(map(hidden, shown))
    assert hidden(str([asdict(call) for call in client.calls]))


def _ours(lines):
    # The frames of this file hold the secrets as constants of the test.
    return (line for line in lines if __file__ not in line)


@pytest.mark.parametrize("behave", [echo, refuse, redirect])
def test_logging_shows_no_secret(settings, behave, caplog):
    """No logger shows a secret at DEBUG: paylab's, httpx's or httpcore's."""
    caplog.set_level(logging.DEBUG)
    client = Client(settings, transport=httpx.MockTransport(behave), sleep=lambda _: None)
    with pytest.raises(PaylabError):
        client.transfers.get("tr_1")
    assert "GET /v1/transfers/tr_1" in caplog.text
    assert ("HTTP Request: GET" in caplog.text) == (behave is not refuse)
    assert hidden(caplog.text)


def test_logging_shows_no_secret_on_a_real_socket(settings, caplog):
    """httpcore logs its network steps at DEBUG; they show no secret and no body."""
    caplog.set_level(logging.DEBUG)
    settings = Settings("http://127.0.0.1:9", KEY, SECRET)
    with Client(settings, sleep=lambda _: None) as client, pytest.raises(PaylabError):
        client.request("POST", "/v1/individuals", json={"given_name": "María"})
    assert any(record.name.startswith("httpcore") for record in caplog.records)
    assert hidden(caplog.text)
    assert "María" not in caplog.text


def test_a_call_keeps_no_header_that_holds_a_secret(scripted):
    """A call keeps its request headers except Authorization and X-API-Key."""
    client, _ = scripted({})
    client.request("GET", "/v1/transfers")
    headers = client.calls[-1].request_headers
    assert not {"authorization", "x-api-key"} & headers.keys()
    assert {"host", "x-date", "x-nonce", "x-content-sha256"} <= headers.keys()


def test_a_key_that_cannot_stand_in_a_header_is_not_quoted():
    """The error for a key that cannot be a header value names the setting, not the key."""
    with pytest.raises(ConfigError, match=r"^api_key must be printable ASCII") as caught:
        Settings("https://pay.test", f"{KEY}\n", SECRET)
    assert hidden(str(caught.value))


@pytest.mark.parametrize(
    "spelling",
    [
        "Signature=",
        "S\u0130GNATURE=",
        "\u017f\u0131gnature=",
        "X-Ap\u0131-\u212aey: ",
        "Author\u0130zation: Basic ",
    ],
)
def test_odd_letters_hide_too(spelling):
    """A secret is redacted also after a name spelled with Unicode variants of its letters."""
    assert "abc123" not in Redaction([]).text(f"ñ {spelling}abc123")


@pytest.mark.parametrize(
    ("profile", "text"),
    [
        (SECRET, ""),
        ("mine", f'[mine]\nbase_url = "https://a.test"\napi_key = "env:{SECRET}"'),
        ("mine", f'[mine]\nbase_url = "https://a.test"\napi_key = "keyring:{SECRET}"'),
    ],
)
def test_a_key_in_the_wrong_place_is_not_repeated(tmp_path, monkeypatch, profile, text):
    """A key that is passed as a profile, or written as a reference, is not in the error."""
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "keyring.backends.null.Keyring")
    path = tmp_path / "profiles.toml"
    path.write_text(text)
    path.chmod(0o600)
    with pytest.raises(ConfigError) as caught:
        resolve(profile=profile, environ={}, profiles=path)
    assert hidden(str(caught.value))


@pytest.mark.parametrize(
    ("variables", "options"),
    [
        ({"PAYLAB_READ_ONLY": "maybe"}, {}),
        ({"PAYLAB_SERVICE": "/nowhere/service.toml"}, {}),
        ({"PAYLAB_BASE_URL": "http://example.com"}, {}),
        ({"PAYLAB_BASE_URL": "x"}, {}),
        ({"PAYLAB_API_KEY": f"{KEY} x"}, {}),
        ({"PAYLAB_SECRET_KEY": f" {SECRET}"}, {}),
        ({"PAYLAB_CONTROL_TOKEN": "a b"}, {}),
        ({}, {"profile": "nowhere"}),
        ({}, {"timeout": -1}),
        ({}, {"max_retries": "x"}),
        ({}, {"replay": "/nowhere.har"}),
    ],
)
def test_no_local_variable_of_ours_shows_a_key(monkeypatch, variables, options):
    """After a refusal of `connect`, a traceback with the variables of each frame has no key."""
    settings = {
        "PAYLAB_BASE_URL": "https://sandbox.example.com",
        "PAYLAB_API_KEY": KEY,
        "PAYLAB_SECRET_KEY": SECRET,
    }
    for name, value in {**settings, **variables}.items():
        monkeypatch.setenv(name, value)
    with pytest.raises(ConfigError) as refusal:
        connect(**options)
    _check_locals_of_ours(refusal.value)


@pytest.mark.parametrize(
    "profile",
    [
        f'api_key = "{KEY}"\nsecret_key = 5',
        f'api_key = "{KEY}"\nsecret_key = "{SECRET}"\ncolour = 1',
        f'api_key = "env:{KEY}"',
        f'api_key = "keyring:{KEY}"',
        f'api_key = "{KEY}"\nsecret_key = "{SECRET}"',  # in a file that others can read
    ],
)
def test_no_local_variable_of_ours_shows_a_key_of_a_refused_profile(tmp_path, monkeypatch, profile):
    """After the refusal of a profile, a traceback with the variables of each frame has no key."""
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "keyring.backends.null.Keyring")
    path = tmp_path / "profiles.toml"
    path.write_text(f'[default]\nbase_url = "https://sandbox.example.com"\n{profile}\n')
    path.chmod(0o644)
    with pytest.raises(ConfigError) as refusal:
        resolve(profiles=path, environ={})
    _check_locals_of_ours(refusal.value)


def _check_locals_of_ours(error):
    frames = [frame.tb_frame for frame in _tracebacks(error.__traceback__)]
    ours = [frame for frame in frames if Path(frame.f_code.co_filename).is_relative_to(PACKAGE)]
    assert ours
    for frame in ours:
        for name, value in frame.f_locals.items():
            assert name == "environ" or hidden(repr(value)), (frame.f_code.co_name, name)


def _tracebacks(traceback):
    """The parts of a traceback, one for each frame."""
    while traceback:
        yield traceback
        traceback = traceback.tb_next
