"""Code snippets sign what they send: each is run up to its request, which is then verified."""

from __future__ import annotations

import subprocess
from datetime import UTC, datetime
from itertools import cycle, product
from types import SimpleNamespace

import httpx
import pytest

from paylab.signing import ReceivedRequest, snippets, verify
from paylab.spec.service import Service

KEY, SECRET = "key_sandbox_4f2a", "736b5f73616e64626f78"
CURL = """curl() { cat; while (($#)); do [ "$1" = -H ] && echo "$2"; shift; done; }"""
"""A function in place of curl, which prints the headers."""


def by_curl(request):
    """The headers that the bash code gives to curl."""
    code = ["bash", "-c", f"{CURL}\n{snippets.curl(request)}"]
    shown = subprocess.run(code, capture_output=True, text=True, check=True).stdout
    lines = [line.replace(";", ": ") if line.endswith(";") else line for line in shown.split("\n")]
    return dict(line.split(": ", 1) for line in lines if ": " in line)


def by_python(request):
    """The headers that the code with the standard library gives to a request."""
    names = {}
    exec(snippets.python(request).partition("request = urllib")[0], names)
    return names["headers"]


def by_httpx(request):
    """The headers of a request of httpx after the Auth of the code."""
    made = []

    def send(method, url, *, auth, timeout, **parts):
        made.append(next(auth.auth_flow(httpx.Request(method, url, **parts))))
        return SimpleNamespace(status_code=200, text="")

    code, call, options = snippets.httpx(request).partition("response = httpx.request(")
    names = {}
    exec(code, names)
    exec(call + options, names | {"httpx": SimpleNamespace(request=send)})
    return made[0].headers


TARGETS = [
    ("http://h.test", ("h.test", "/", "")),
    (
        "https://h.test:443/v1/transfers?limit=2&x=a%20b&a=1",
        ("h.test", "/v1/transfers", "limit=2&x=a%20b&a=1"),
    ),
    ("http://h.test:443/v1/v1x", ("h.test:443", "/v1/v1x", "")),
]
SETTINGS = [
    {},
    {"signing.empty_query": "blank", "signing.key_encoding": "hex"},
    {"signing.hash_encoding": "base64", "signing.signed_path": "unversioned"},
    {"signing.empty_body": "blank", "signing.key_encoding": "base64", "signing.base_path": "/v1"},
    {"signing.signature": "hex", "signing.date_form": "seconds", "signing.nonce": "refused"},
    {
        "signing.signature": "base64",
        "signing.date_form": "compact",
        "signing.nonce_form": "uuid",
        "signing.query_order": "sorted",
        "signing.header_order": "sample",
        "signing.signed_host": "portless",
    },
    {"signing.date_form": "unix", "signing.empty_query": "blank", "signing.query_order": "sorted"},
]


@pytest.mark.parametrize(
    ("code", "url", "target", "settings"),
    [
        *(
            (code, *target, settings)
            for code, target, settings in product((by_python, by_httpx), TARGETS, SETTINGS)
        ),
        # Each of them starts many processes.
        *((by_curl, *target, each) for target, each in zip(cycle(TARGETS), SETTINGS, strict=False)),
    ],
)
def test_a_snippet_signs_what_it_sends(code, url, target, settings, monkeypatch):
    """The signature is that of the request, for any address and every signing setting."""
    monkeypatch.setenv("PAYLAB_API_KEY", KEY)
    monkeypatch.setenv("PAYLAB_SECRET_KEY", SECRET)
    service, (host, path, query) = Service(settings), target
    for method, body, key in (("GET", "", None), ("POST", '{"n": "é\'$x"}\n', "k-1")):
        request = snippets.SnippetRequest(method, url, body, key, signing=service.signing)
        sent = {name.lower(): value for name, value in code(request).items()}
        assert (sent["host"], sent.get("idempotency-key")) == (host, key)
        assert sent.get("content-type") == ("application/json" if body else None)
        received = ReceivedRequest(method, path, query, sent, body.encode())
        now = datetime.now(UTC)
        assert verify(received, {KEY: SECRET}.get, now, signing=service.signing) is None


def test_a_body_that_begins_with_an_at_sign_names_no_file_for_curl():
    """curl reads a file for such a body, unless it is told that the body is text."""
    code = snippets.curl(snippets.SnippetRequest("POST", "http://h.test", "@/etc/hostname"))
    assert "--data-raw" in code
    assert "--data-binary" not in code
