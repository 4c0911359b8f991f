"""What is taken out of everything that may be shown, logged or kept: one place for all of it."""

from __future__ import annotations

import json
import re
from base64 import b64decode
from collections.abc import Iterable, Mapping
from functools import lru_cache
from hashlib import sha256
from typing import Any, Protocol
from urllib.parse import quote, quote_plus

HIDDEN = "***"
HEADERS = frozenset({"authorization", "proxy-authorization", "x-api-key", "cookie", "set-cookie"})

# Parts of an Authorization header that a service might quote back, and headers written as text.
PARTS = re.compile(r"\b(Signature|Credential)=[^\s,\"'<>]+", re.IGNORECASE)
NAMED = re.compile(r"\b(x-api-key['\"]?\s*[:=]\s*['\"]?)[^\s,;'\"<>]+", re.IGNORECASE)
SCHEME = re.compile(
    r"\b((?:proxy-)?authorization['\"]?\s*[:=]\s*['\"]?\w+\s+)(?!Credential)[^\s,'\"<>]+",
    re.IGNORECASE,
)
DATA_URI = re.compile(r"data:([\w.+-]+/[\w.+-]+);base64,([A-Za-z0-9+/_=-]+)")
DOCUMENT = re.compile(
    r'("document"\s*:\s*\{[^{}]*?"number"\s*:\s*")((?:[^"\\]|\\.)+)(")', re.DOTALL
)
MOST_NUMBERS = 1000
SHORTEST_NUMBER = 5
"""A document number is also looked for by its value, unless it is so short that words hold it."""


class Revealing(Protocol):
    """A secret that tells its text when asked."""

    def reveal(self) -> str:
        """The text."""


class Redaction:
    """Takes secrets out of text, headers and parsed JSON, wherever they stand.

    `learn` reads the document numbers in a body, so that they are found by value from then on.
    """

    def __init__(self, secrets: Iterable[Revealing]) -> None:
        self._secrets = tuple(secrets)
        self._numbers: dict[str, None] = {}

    def learn(self, text: str) -> None:
        """Remember the document numbers of a JSON body."""
        found = DOCUMENT.findall(text) if '"document"' in text else ()
        for _, number, _ in found:
            plain = _unescaped(number)
            if len(plain) >= SHORTEST_NUMBER and len(self._numbers) < MOST_NUMBERS:
                self._numbers[plain] = None

    def text(self, text: str) -> str:
        """The text without secrets, signatures, document numbers and data URIs."""
        words = _folded(text)
        if ";base64," in text:
            text = DATA_URI.sub(_shortened, text)
        for secret in self._secrets:
            for spelling in _spellings(secret.reveal()):
                text = text.replace(spelling, HIDDEN)
        for number in self._numbers:
            text = text.replace(number, HIDDEN)
        if "signature=" in words or "credential=" in words:
            text = PARTS.sub(rf"\1={HIDDEN}", text)
        if "x-api-key" in words:
            text = NAMED.sub(rf"\1{HIDDEN}", text)
        if "authorization" in words:
            text = SCHEME.sub(rf"\1{HIDDEN}", text)
        return DOCUMENT.sub(rf"\1{HIDDEN}\3", text) if '"document"' in words else text

    def headers(self, headers: Mapping[str, str]) -> dict[str, str]:
        """The headers without those that hold a secret, the rest cleaned."""
        kept = {name.lower(): value for name, value in headers.items()}
        return {name: self.text(kept[name]) for name in kept if name not in HEADERS}

    def json(self, value: Any) -> Any:
        """Parsed JSON with every text in it cleaned."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, list):
            return [self.json(item) for item in value]
        if isinstance(value, dict):
            return {self.text(name): self._item(name, item) for name, item in value.items()}
        return value

    def _item(self, name: str, item: Any) -> Any:
        if name == "document" and isinstance(item, dict) and item.get("number"):
            item = {**item, "number": HIDDEN}
        return self.json(item)


def _folded(text: str) -> str:
    """The text as IGNORECASE compares it, to see quickly whether an expression can match at all."""
    if text.isascii():
        return text.lower()
    return text.replace("\u0130", "i").replace("\u0131", "i").casefold()


@lru_cache(maxsize=64)
def _spellings(secret: str) -> tuple[str, ...]:
    """A secret as it is, in JSON, in a URL; the longest first."""
    forms = {secret, json.dumps(secret)[1:-1], quote(secret, safe=""), quote_plus(secret)}
    return tuple(sorted(filter(None, forms), key=len, reverse=True))


def _unescaped(text: str) -> str:
    try:
        return str(json.loads(f'"{text}"'))
    except ValueError:
        return text


def _shortened(match: re.Match[str]) -> str:
    """A data URI as its kind, size and hash."""
    try:
        data = b64decode(match[2].encode() + b"==", altchars=b"-_" if "_" in match[2] else None)
    except ValueError:
        data = match[2].encode()
    return f"data:{match[1]};base64,<{len(data)} bytes, sha256 {sha256(data).hexdigest()[:16]}>"
