"""Remove secrets from everything that is shown, logged or stored.

Secrets are found by value, by position (a header, a field) and by form, plain and escaped: see
`search`, which is imported when the first text is redacted.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from .hiding import HIDDEN, Secret, hide_frames

HEADERS = frozenset({"authorization", "proxy-authorization", "x-api-key", "cookie", "set-cookie"})

MOST_NUMBERS = 1000
"""Maximum document numbers and share tokens that are searched by value."""

LONGEST_NAME = 40
"""Maximum characters of a text that is not searched again: names of headers and fields recur."""

MOST_NAMES = 500
"""Maximum texts that are remembered as harmless."""


class Redaction:
    """Removes secrets from text, headers and parsed JSON.

    `learn` reads the document numbers and share tokens of a body and finds them by value
    afterwards. `personal` are names of a service for fields that an export leaves out.
    """

    def __init__(self, secrets: Iterable[Secret], personal: frozenset[str] = frozenset()) -> None:
        self._secrets, self.personal = tuple(secrets), personal
        self._numbers: dict[str, None] = {}
        self._harmless: set[tuple[str, int]] = set()

    @hide_frames
    def learn(self, text: str) -> str:
        """The text as from `text`, after learning its document numbers and share tokens."""
        from . import search

        search.learn(text, self._remember)
        return self.text(text)

    @hide_frames
    def text(self, text: str) -> str:
        """The text without secrets, signatures, document numbers, share tokens and images."""
        known = text, len(self._numbers)  # what is learned may make a text harmful
        if known in self._harmless:
            return text
        from . import search  # its patterns take long to compile

        clean = search.clean(text, self._secrets, self._numbers)
        if clean == text and len(text) <= LONGEST_NAME:
            if len(self._harmless) >= MOST_NAMES:
                self._harmless.clear()
            self._harmless.add(known)
        return clean

    def headers(self, headers: Mapping[str, str]) -> dict[str, str]:
        """The headers with secrets removed."""
        kept = {name.lower(): value for name, value in headers.items()}
        return {self.text(name): self.text(kept[name]) for name in kept if name not in HEADERS}

    def json(self, value: Any) -> Any:
        """Parsed JSON with secrets removed from every text and number."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, list):
            return [self.json(item) for item in value]
        if isinstance(value, dict):
            return self._object(value)
        if value is None or isinstance(value, bool):
            return value
        return HIDDEN if any(number in str(value) for number in self._numbers) else value

    def _object(self, value: dict[str, Any]) -> dict[str, Any]:
        from .fields import DOCUMENT_NAME, has_share_token

        clean = {}
        for name, item in value.items():
            kept = self.json(item)
            if isinstance(item, str | int) and DOCUMENT_NAME.fullmatch(name):
                kept = item and HIDDEN
            elif name.lower().startswith("document"):
                kept = numberless(kept)
            clean[self.text(name)] = kept
        return {**clean, "token": HIDDEN} if has_share_token(value) and value["token"] else clean

    def _remember(self, value: str) -> None:
        if len(self._numbers) < MOST_NUMBERS:
            self._numbers[value] = None


def numberless(document: Any) -> Any:
    """A document without its number, at any depth."""
    if isinstance(document, dict):
        return {
            name: HIDDEN if name in ("number", "numbers") and item else numberless(item)
            for name, item in document.items()
        }
    return [numberless(item) for item in document] if isinstance(document, list) else document
