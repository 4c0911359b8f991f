"""Request signatures, as the interface document describes them."""

from __future__ import annotations

import base64
import hashlib
import hmac
import re
import time
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from itertools import count

from .refusals import Refusal
from .settings import Settings

ALGORITHM = "HMAC-SHA256"
NEEDED = ("host", "x-api-key", "x-date", "x-content-sha256")
_AUTHORIZATION = re.compile(
    r"HMAC-SHA256 Credential=([^,]+),\s*SignedHeaders=([^,]+),\s*Signature=([A-Za-z0-9+/=]+)"
)
_NUMBERS = count()  # a clock that stands still would repeat a random number one day
_DATE = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")


def key_bytes(secret: str, encoding: str = "text") -> bytes:
    """The bytes of the HMAC key."""
    if encoding == "hex":
        return bytes.fromhex(secret)
    return base64.b64decode(secret) if encoding == "base64" else secret.encode()


def canonical_request(
    method: str,
    path: str,
    query: str,
    headers: Mapping[str, str],
    names: list[str],
    body_hash: str,
    empty_query: str = "omit",
) -> str:
    """The text that is hashed: six parts joined by newlines."""
    names = sorted(names)
    lines = [method, path]
    if query or empty_query == "blank":
        lines.append(query)
    lines += [f"{name}:{headers[name].strip()}" for name in names]
    return "\n".join([*lines, ";".join(names), body_hash])


def signature(key: bytes, date: str, canonical: str) -> str:
    """The value of Signature: base64 of the HMAC's hexadecimal text."""
    digest = hashlib.sha256(canonical.encode()).hexdigest()
    text = hmac.new(key, f"{ALGORITHM}\n{date}\n{digest}".encode(), hashlib.sha256).hexdigest()
    return base64.b64encode(text.encode()).decode()


def sign(
    api_key: str,
    secret: str,
    method: str,
    target: str,
    body: bytes = b"",
    host: str = "localhost",
    now: float | None = None,
    empty_query: str = "omit",
    encoding: str = "text",
    nonce: bool = True,
) -> dict[str, str]:
    """The headers of a signed request, for code that has no client."""
    now = time.time() if now is None else now
    date = datetime.fromtimestamp(now, UTC).isoformat(timespec="milliseconds")
    headers = {
        "host": host,
        "x-api-key": api_key,
        "x-date": date.replace("+00:00", "Z"),
        "x-content-sha256": hashlib.sha256(body).hexdigest(),
    }
    if nonce:
        headers["x-nonce"] = f"{int(now * 1000)}{next(_NUMBERS) % 10**6:06}"
    path, _, query = target.partition("?")
    names = sorted(headers)
    text = canonical_request(
        method, path, query, headers, names, headers["x-content-sha256"], empty_query
    )
    value = signature(key_bytes(secret, encoding), headers["x-date"], text)
    headers["authorization"] = (
        f"{ALGORITHM} Credential={api_key},SignedHeaders={';'.join(names)},Signature={value}"
    )
    return headers


class Verifier:
    """Verifies signatures and stores the nonces of the accepted requests."""

    def __init__(
        self, api_key: str, secret: str, settings: Settings, clock: Callable[[], float]
    ) -> None:
        self._api_key = api_key
        self._settings = settings
        self._key = key_bytes(secret, settings["signing.key"])
        self._clock = clock
        self._nonces: dict[str, float] = {}

    def verify(self, method: str, target: str, headers: Mapping[str, str], body: bytes) -> None:
        """Raise a Refusal unless signature and date are valid and the nonce is new."""
        parts = _AUTHORIZATION.fullmatch(headers.get("authorization", ""))
        if parts is None:
            raise self._refusal("Missing or malformed Authorization header")
        credential, names, value = parts[1], parts[2].lower().split(";"), parts[3]
        needed = NEEDED + (("x-nonce",) if self._nonce_counts(headers) else ())
        missing = [name for name in needed if name not in headers or name not in names]
        missing += [name for name in names if name not in headers and name not in missing]
        if missing:
            raise self._refusal(f"Header must be present and signed: {', '.join(missing)}")
        if credential != self._api_key or headers["x-api-key"] != self._api_key:
            raise self._refusal("Unknown API key")
        self._check_date(headers["x-date"])
        body_hash = hashlib.sha256(body).hexdigest()
        if headers["x-content-sha256"] != body_hash:
            raise self._refusal("X-Content-SHA256 does not match the request body")
        path, _, query = target.partition("?")
        text = canonical_request(
            method, path, query, headers, names, body_hash, self._settings["signing.empty_query"]
        )
        expected = signature(self._key, headers["x-date"], text)
        if not hmac.compare_digest(expected, value):
            raise self._refusal("Invalid signature")
        self._use_nonce(headers.get("x-nonce"))

    def _nonce_counts(self, headers: Mapping[str, str]) -> bool:
        return "x-nonce" in headers or bool(self._settings["signing.nonce_required"])

    def _check_date(self, text: str) -> None:
        if not _DATE.fullmatch(text):
            raise self._refusal("X-Date must be ISO 8601 in UTC with milliseconds")
        try:
            moment = datetime.fromisoformat(text)
        except ValueError:
            raise self._refusal("X-Date is not a date") from None
        if abs(moment.timestamp() - self._clock()) > self._settings["signing.tolerance"]:
            raise self._refusal("Request expired: X-Date is too far from the server's time")

    def _use_nonce(self, nonce: str | None) -> None:
        if nonce is None:
            return
        now = self._clock()
        kept = 2 * self._settings["signing.tolerance"]
        self._nonces = {each: used for each, used in self._nonces.items() if now - used <= kept}
        if nonce in self._nonces:
            raise self._refusal("Nonce already used")
        self._nonces[nonce] = now

    def _refusal(self, words: str) -> Refusal:
        return Refusal(self._settings["signing.refusal"], words)
