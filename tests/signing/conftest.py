"""An independent signer, written from the spec with hashlib and hmac; any step can be changed."""

from __future__ import annotations

import hashlib
import hmac
from base64 import b64encode
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime

import pytest

from paylab.signing.canonical import ReceivedRequest
from paylab.signing.unauthorized import verify

KEY = "key_sandbox_4f2a"
SECRET = "sk_sandbox_Zm9yIHRlc3RzIG9ubHk="
NOW = datetime(2026, 1, 31, 9, 30, 0, 123_000, tzinfo=UTC)
HEADERS = {
    "host": "api.example.test:8443",
    "x-api-key": KEY,
    "x-date": "2026-01-31T09:30:00.123Z",
    "x-nonce": "1769851800123004217",
}


def same(text):
    """Return the text unchanged: the correct step."""
    return text


@dataclass(frozen=True)
class Signer:
    """The signing steps of the spec; the function fields change the result of a step."""

    secret: str | bytes = SECRET
    encoding: str = "utf-8"
    canonical: Callable[[str], str] = same
    hashed: Callable[[str], str] = same
    payload: Callable[[str], str] = same
    finish: Callable[[bytes], bytes] = lambda digest: b64encode(digest.hex().encode())

    def sign(self, method, path, query, headers, body_hash):
        """Return the signature of a request."""
        lines = [method, path, query] if query else [method, path]
        for name in sorted(headers):
            lines.append(name + ":" + headers[name])
        lines += [";".join(sorted(headers)), body_hash]
        text = self.canonical("\n".join(lines)).encode(self.encoding)
        hashed = self.hashed(hashlib.sha256(text).hexdigest())
        payload = self.payload("HMAC-SHA256\n" + headers["x-date"] + "\n" + hashed)
        key = self.secret if isinstance(self.secret, bytes) else self.secret.encode()
        return self.finish(hmac.new(key, payload.encode(), hashlib.sha256).digest()).decode()


def make(
    method="POST",
    path="/v1/transfers",
    query="limit=2&name=a%20b",
    body=b'{"amount": "1.00"}',
    headers=None,
    names=None,
    **steps,
):
    """A signed request as it arrives; `headers` changes the signed headers, None removes one."""
    signer = Signer(**steps)
    body_hash = hashlib.sha256(body).hexdigest()
    signed = {**HEADERS, "x-content-sha256": body_hash, **(headers or {})}
    signed = {name: value for name, value in signed.items() if value is not None}
    signature = signer.sign(method, path, query, signed, body_hash)
    listed = ";".join(names or sorted(signed))
    line = f"HMAC-SHA256 Credential={KEY},SignedHeaders={listed},Signature={signature}"
    sent = {**signed, "authorization": line}

    def arrived(text):
        return text.encode(signer.encoding).decode("latin-1")

    sent = {arrived(name): arrived(value) for name, value in sent.items()}
    return ReceivedRequest(method, arrived(path), arrived(query), sent, body)


def judge(request, *, secret=SECRET, now=NOW, nonces=()):
    """Verify a request; return the refusal, which is no match, or None."""
    found = verify(request, {KEY: secret}.get, now, nonces=nonces)
    assert found is None or not found.match
    return found


@pytest.fixture(name="signed", scope="session")
def signed_fixture():
    """The function that makes a request with the independent signer."""
    return make


@pytest.fixture(name="check", scope="session")
def check_fixture():
    """The function that verifies a request."""
    return judge


@pytest.fixture(name="resent", scope="session")
def resent_fixture():
    """A function that replaces headers of a signed request; None removes a header."""

    def change(request, **headers):
        changed = {name.replace("_", "-"): value for name, value in headers.items()}
        merged = {**request.headers, **changed}
        kept = {name: value for name, value in merged.items() if value is not None}
        return ReceivedRequest(request.method, request.path, request.query, kept, request.body)

    return change
