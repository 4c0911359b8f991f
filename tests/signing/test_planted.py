"""Each named mistake, made in several requests by a signer that was written from the spec.

The signer does not use paylab; `paylab sign --compare --json` checks the headers that it makes.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import subprocess
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from itertools import cycle, pairwise
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from paylab.cli.main import main

SECRET = "sk_live_" + "MDEyMzQ1Njc4OWFiY2RlZg=="
HEX_SECRET = "00ff" * 12
API_KEY = "pk_live_0001"
REQUESTS = {
    "post": ("POST", "https://api.pay.test/v1/transfers", b'{"source_amount": "10.00", "n": [1]}'),
    "post with accents": ("POST", "http://127.0.0.1:8812/v1/individuals", '{"a":"Ñuñoa"}'.encode()),
    "get": ("GET", "https://api.pay.test/v1/conversions", b""),
    "get with a query": (
        *("GET", "https://api.pay.test:8443/v1/transfers?limit=2&after=x%2Fy&name=Ana%20Maria"),
        b"",
    ),
    "post with a query": ("POST", "https://api.pay.test/v1/quotes?b=2%3D&a=1%201", b'{"b":1}'),
}


@dataclass(frozen=True)
class Signer:
    """The signing steps of the spec; each field replaces a part of the request or a step."""

    method: str
    url: str
    body: bytes
    secret: bytes = SECRET.encode()
    host: str | None = None
    path: str | None = None
    query: str | None = None
    date: str | None = None
    names: tuple[str, ...] | None = None
    dropped: tuple[str, ...] = ()
    spell: object = str
    hash_of_body: object = lambda body: hashlib.sha256(body).hexdigest()
    hash_of_canonical: object = lambda text: hashlib.sha256(text.encode()).hexdigest()
    blank: bool = False
    newline: str = "\n"
    end: str = ""
    encode: object = lambda digest: base64.b64encode(digest.hex().encode())
    signed: dict = field(default_factory=dict)

    def sign(self):
        """The headers of the request as a client sends them."""
        parts = urlsplit(self.url)
        now = datetime.now(UTC)
        date = self.date or now.strftime("%Y-%m-%dT%H:%M:%S.") + f"{now.microsecond // 1000:03d}Z"
        sent = {
            "host": self.host or parts.netloc,
            "x-api-key": API_KEY,
            "x-date": date,
            "x-content-sha256": self.hash_of_body(self.body),
            "x-nonce": f"{int(now.timestamp() * 1000)}004217",
        }
        sent = {name: value for name, value in sent.items() if name not in self.dropped}
        names = self.names or tuple(sorted(sent))
        query = parts.query if self.query is None else self.query
        lines = [self.method, parts.path if self.path is None else self.path]
        lines += [query] if query or self.blank else []
        values = sent | self.signed
        lines += [f"{self.spell(name)}:{values[name]}" for name in names]
        listed = ";".join(map(self.spell, names))
        canonical = self.newline.join([*lines, listed, values["x-content-sha256"]]) + self.end
        payload = self.newline.join(
            ["HMAC-SHA256", values["x-date"], self.hash_of_canonical(canonical)]
        )
        digest = hmac.new(self.secret, payload.encode(), hashlib.sha256).digest()
        signature = self.encode(digest).decode()
        line = f"HMAC-SHA256 Credential={API_KEY},SignedHeaders={listed},Signature={signature}"
        return {**sent, "Authorization": line}


def named(request, **change):
    """The signer of one of the requests, with changes."""
    return replace(Signer(*REQUESTS[request]), **change)


@pytest.fixture
def told(tmp_path, monkeypatch, capsys):
    """A function that runs `paylab sign --compare` on headers and returns its JSON."""

    def run(headers, method, url, body, secret=SECRET):
        monkeypatch.setenv("PAYLAB_SECRET_KEY", secret)
        theirs, sent = tmp_path / "headers", tmp_path / "body"
        theirs.write_text("".join(f"{name}: {value}\n" for name, value in headers.items()))
        sent.write_bytes(body)
        with_body = ["--body", str(sent)] if body else []
        arguments = ["sign", method, url, *with_body, "--compare", str(theirs), "--json"]
        status = main(arguments)
        found = json.loads(capsys.readouterr().out)
        assert status == (0 if found["match"] else 1)
        return found

    return run


def encoded(change):
    """A function that changes the digest's hex text and encodes it in Base64."""
    return lambda digest: base64.b64encode(change(digest.hex()).encode())


AGO = (datetime.now(UTC) - timedelta(minutes=11)).strftime("%Y-%m-%dT%H:%M:%S.000Z")
SAMPLE_ORDER = ("host", "x-api-key", "x-date", "x-content-sha256", "x-nonce")
ANYWHERE = {
    "raw-digest": {"encode": base64.b64encode},
    "unsorted-headers": {"names": SAMPLE_ORDER},
    "uppercase-hash": {"hash_of_body": lambda body: hashlib.sha256(body).hexdigest().upper()},
    "uppercase-signature": {"encode": encoded(str.upper)},
    "wrong-secret": {"secret": API_KEY.encode()},
    "stale-date": {"date": AGO},
    "host-differs": {"host": "internal-proxy:8080"},
    "key-decoded": {"secret": base64.b64decode(SECRET.rpartition("_")[2])},
    "key-trimmed": {"secret": SECRET.rstrip("=").encode()},
    "missing-header": {"dropped": ("x-content-sha256",), "signed": {"x-content-sha256": "0" * 64}},
    "header-name-case": {"spell": str.title},
    "double-base64": {"encode": lambda digest: base64.b64encode(encoded(str)(digest))},
    "wrong-line-ending": {"newline": "\r\n"},
    "unknown": {"encode": lambda digest: b"????"},
}
QUERIES = ("get with a query", "post with a query")
BODIES = ("post", "post with accents", "post with a query")
SOME = [
    *[("blank-query-line", at, {"blank": True}) for at in ("get", "post", "post with accents")],
    *[("body-changed", at, {}) for at in BODIES],
    ("path-without-version", "post", {"path": "/transfers"}),
    ("path-without-version", "get with a query", {"path": "/transfers"}),
    ("query-reordered", "get with a query", {"query": "after=x%2Fy&limit=2&name=Ana%20Maria"}),
    ("query-reordered", "post with a query", {"query": "a=1%201&b=2%3D"}),
    ("query-decoded", "get with a query", {"query": "limit=2&after=x/y&name=Ana Maria"}),
    ("plus-for-space", "get with a query", {"query": "limit=2&after=x%2Fy&name=Ana+Maria"}),
    ("plus-for-space", "post with a query", {"query": "b=2%3D&a=1+1"}),
    (
        "uppercase-hash",
        "post",
        {"hash_of_canonical": lambda text: hashlib.sha256(text.encode()).hexdigest().upper()},
    ),
    ("wrong-line-ending", "get", {"end": "\n"}),
    ("wrong-line-ending", "post", {"encode": encoded(lambda text: text + "\n")}),
    ("missing-header", "get", {"names": ("host", "x-api-key", "x-content-sha256", "x-date")}),
    ("header-name-case", "get", {"spell": str.upper}),
    ("host-differs", "get with a query", {"signed": {"host": "api.pay.test"}}),
    ("stale-date", "post", {"date": "2020-01-01T00:00:00.000Z"}),
    ("key-trimmed", "get", {"secret": SECRET.encode() + b"\n"}),
    ("key-trimmed", "get", {"secret": SECRET.encode()[:16]}),
    ("method-case", "get", {"method": "get"}),
    ("unknown", "get", {"secret": b"sk_live_of_somebody_else"}),
    ("unhashed-canonical", "post", {"hash_of_canonical": lambda text: text}),
    ("hex-signature", "post", {"encode": lambda digest: digest.hex().encode()}),
]
# Each of them in two requests, and in all requests some.
EVERY = [
    (name, at, change)
    for (name, change), pair in zip(ANYWHERE.items(), pairwise(cycle(REQUESTS)), strict=False)
    for at in pair
]


@pytest.mark.parametrize(("mistake", "at", "change"), [*EVERY, *SOME])
def test_the_command_line_names_the_mistake(told, mistake, at, change):
    """The JSON has only the match, the id of the mistake, its layer and its line."""
    method, url, body = REQUESTS[at]
    if mistake == "body-changed":
        again = json.dumps(json.loads(body), indent=2).encode()
        change = {"hash_of_body": lambda _: hashlib.sha256(again).hexdigest()}
    found = told(named(at, **change).sign(), method, url, body)
    assert (found["match"], found["mistake"]) == (False, mistake)
    assert set(found) == {"match", "layer", "line", "mistake"}
    assert found["layer"]
    assert found["line"]


@pytest.mark.parametrize("at", REQUESTS)
def test_what_is_right_matches(told, at):
    """A correct signature matches, with or without the optional nonce."""
    method, url, body = REQUESTS[at]
    for dropped in ((), ("x-nonce",)):
        found = told(named(at, dropped=dropped).sign(), method, url, body)
        assert found == {"match": True, "layer": None, "line": None, "mistake": None}


def test_a_key_decoded_from_hex_is_named(told):
    """A secret that was decoded from hex before signing is named `key-decoded`."""
    signer = named("get", secret=bytes.fromhex(HEX_SECRET))
    found = told(signer.sign(), *REQUESTS["get"], secret=HEX_SECRET)
    assert found["mistake"] == "key-decoded"


def test_the_signer_agrees_with_openssl():
    """The signer of this file computes the same signature as openssl."""
    texts = []
    signer = named("post", date=AGO, hash_of_canonical=lambda text: texts.append(text) or "x" * 64)
    headers = signer.sign()
    digest = subprocess.run(
        ["openssl", "dgst", "-sha256", "-hmac", SECRET, "-r"],
        input=f"HMAC-SHA256\n{AGO}\n{'x' * 64}".encode(),
        capture_output=True,
        check=True,
    ).stdout.split()[0]
    assert headers["Authorization"].endswith(f"={base64.b64encode(digest).decode()}")
    assert texts[0].split("\n")[:3] == ["POST", "/v1/transfers", "host:api.pay.test"]


def test_the_headers_can_be_a_log_of_curl(told):
    """The headers can be the output of `curl -v`."""
    method, url, body = REQUESTS["post"]
    headers = named("post", encode=base64.b64encode).sign()
    log = {f"> {name}": value for name, value in headers.items()}
    found = told({**log, "< HTTP/1.1 401": "Unauthorized", "* left intact": ""}, method, url, body)
    assert found["mistake"] == "raw-digest"


@pytest.mark.parametrize(
    ("text", "status"),
    [("", 2), ("no colon here\n", 2), ("Authorization: x\n", 1), ("X-Date: y\n", 1), ("\0: 1", 2)],
)
def test_headers_that_are_none(tmp_path, monkeypatch, capsys, text, status):
    """Unreadable headers end with status 2, incomplete ones with status 1 and a finding."""
    monkeypatch.setenv("PAYLAB_SECRET_KEY", SECRET)
    Path(tmp_path / "headers").write_text(text)
    wrong = ["sign", "GET", "https://a.test/v1/x", "--compare", str(tmp_path / "headers"), "--json"]
    assert main(wrong) == status
    if status == 1:
        assert json.loads(capsys.readouterr().out)["mistake"] in ("missing-header", "unknown")
