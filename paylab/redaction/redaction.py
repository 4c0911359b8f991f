"""Remove secrets from everything that is shown, logged or stored.

Secrets are found by value, by position (a header, a field) and by form, plain and escaped: see
`search`, which is imported when the first text is redacted.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from .hiding import HIDDEN, Secret, hide_frames

HEADERS = frozenset({"authorization", "proxy-authorization", "x-api-key", "cookie", "set-cookie"})

LONGEST_NAME = 40
"""Maximum characters of a text that is not searched again: names of headers and fields recur."""

MOST_NAMES = 10_000
"""Maximum texts that are remembered as harmless."""


class Redaction:
    """Removes secrets from text, headers and parsed JSON.

    Keys and `values` are found anywhere, document numbers and share tokens by the name of their
    field or beside their label. The result depends on nothing that was redacted before. `personal`
    are names of a service for fields that an export leaves out.
    """

    def __init__(
        self,
        secrets: Iterable[Secret],
        personal: frozenset[str] = frozenset(),
        values: Iterable[str] = (),
    ) -> None:
        self._secrets = tuple(secrets)
        self._values = tuple(values)
        self.personal = personal
        self._harmless: set[str] = set()

    def of_exchange(self, *texts: str) -> Redaction:
        """The redaction of one request with its response.

        A document number or share token that one of these texts names is hidden in all of them,
        since a service may repeat it in a sentence.
        """
        from . import search

        named_values = dict.fromkeys(
            value for text in texts for value in search.find_named_values(text)
        )
        return Redaction(self._secrets, self.personal, named_values) if named_values else self

    @hide_frames
    def text(self, text: str) -> str:
        """The text without secrets, signatures, document numbers, share tokens and images."""
        if text in self._harmless:
            return text
        from . import search  # its patterns take long to compile

        clean_text = search.clean(text, self._secrets, self._values)
        if clean_text == text and len(text) <= LONGEST_NAME:
            if len(self._harmless) >= MOST_NAMES:
                self._harmless.clear()
            self._harmless.add(text)
        return clean_text

    def headers(self, headers: Mapping[str, str]) -> dict[str, str]:
        """The headers with secrets removed."""
        lower_headers = {name.lower(): value for name, value in headers.items()}
        return {
            self.text(name): self.text(lower_headers[name])
            for name in lower_headers
            if name not in HEADERS
        }

    def json(self, value: object) -> Any:
        """Parsed JSON with secrets removed from every text and number."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, list):
            return [self.json(item) for item in value]
        if isinstance(value, dict):
            return self._object(value)
        if value is None or isinstance(value, bool):
            return value
        return HIDDEN if any(number in str(value) for number in self._values) else value

    def _object(self, value: dict[str, Any]) -> dict[str, Any]:
        from .fields import DOCUMENT_NAME, has_share_token

        clean_members = {}
        for member_name, member in value.items():
            clean_item = self.json(member)
            if isinstance(member, str | int) and DOCUMENT_NAME.fullmatch(member_name):
                clean_item = member and HIDDEN
            elif member_name.lower().startswith("document"):
                clean_item = hide_document_numbers(clean_item)
            clean_members[self.text(member_name)] = clean_item
        return (
            {**clean_members, "token": HIDDEN}
            if has_share_token(value) and value["token"]
            else clean_members
        )


def hide_document_numbers(document: object) -> Any:
    """A document without its number, at any depth."""
    if isinstance(document, dict):
        return {
            name: HIDDEN if name in ("number", "numbers") and item else hide_document_numbers(item)
            for name, item in document.items()
        }
    return (
        [hide_document_numbers(item) for item in document]
        if isinstance(document, list)
        else document
    )
