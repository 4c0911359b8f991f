"""Remove secrets from everything that is shown, logged or stored.

Secrets are found by value, by position (a header, a field) and by form, plain and escaped: see
`search`, which is imported when the first text is redacted.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ..spec.text import JsonObject
from .hiding import HIDDEN, Secret, hide_frames

HEADERS = frozenset({"authorization", "proxy-authorization", "x-api-key", "cookie", "set-cookie"})

NAME_LENGTH_MAX = 40
"""Maximum characters of a text that is remembered as harmless: names recur, long texts do not."""

HARMLESS_TEXTS_MAX = 10_000
"""Maximum texts that are remembered as harmless."""


class Redaction:
    """Removes secrets from text, headers and parsed JSON.

    Keys and the texts `values` are found anywhere, document numbers and share tokens by the name of
    their field or beside their label. The result depends on nothing that was redacted before.
    `personal` are names of a service for fields that an export leaves out.
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
        """Make the redaction for one request with its response.

        A document number or share token that one of these texts names is hidden in all of them,
        since a service may repeat it in a sentence.
        """
        from . import search

        named_values = dict.fromkeys(
            named_value for text in texts for named_value in search.find_named_values(text)
        )
        return Redaction(self._secrets, self.personal, named_values) if named_values else self

    @hide_frames
    def text(self, text: str) -> str:
        """Hide secrets, signatures, document numbers, share tokens and images in a text."""
        if text in self._harmless:
            return text
        from . import search  # its patterns take long to compile

        clean_text = search.clean(text, self._secrets, self._values)
        # Short texts, such as names of fields, come again and again: they are searched once.
        if clean_text == text and len(text) <= NAME_LENGTH_MAX:
            if len(self._harmless) >= HARMLESS_TEXTS_MAX:
                self._harmless.clear()
            self._harmless.add(text)
        return clean_text

    def headers(self, headers: Mapping[str, str]) -> dict[str, str]:
        """Copy headers in lower case, without those that carry keys, and with secrets hidden."""
        clean_headers = {}
        for header_name, header_value in headers.items():
            lower_name = header_name.lower()
            if lower_name not in HEADERS:
                clean_headers[self.text(lower_name)] = self.text(header_value)
        return clean_headers

    def json(self, json_value: object) -> Any:
        """Copy parsed JSON with the secrets in every text and number hidden."""
        if isinstance(json_value, str):  # most are words, which need no call
            return json_value if json_value in self._harmless else self.text(json_value)
        if isinstance(json_value, list):
            return [self.json(inner_value) for inner_value in json_value]
        if isinstance(json_value, dict):
            return self._clean_object(json_value)
        if json_value is None or isinstance(json_value, bool):
            return json_value
        number_text = str(json_value)
        has_secret = any(secret_text in number_text for secret_text in self._values)
        return HIDDEN if has_secret else json_value

    def _clean_object(self, json_object: JsonObject) -> JsonObject:
        """Copy an object with its secrets hidden, by the names of its members."""
        from .fields import DOCUMENT_NAME, has_share_token

        clean_members = {}
        for member_name, member in json_object.items():
            clean_member = self.json(member)
            if isinstance(member, str | int) and DOCUMENT_NAME.fullmatch(member_name):
                clean_member = HIDDEN if member else member  # an empty number is not hidden
            elif member_name.lower().startswith("document"):
                clean_member = hide_document_numbers(clean_member)
            is_harmless = member_name in self._harmless
            clean_members[member_name if is_harmless else self.text(member_name)] = clean_member
        if has_share_token(json_object) and json_object["token"]:
            clean_members["token"] = HIDDEN
        return clean_members


def hide_document_numbers(document: object) -> Any:
    """Hide the members `number` and `numbers` of an identity document, at any depth."""
    if isinstance(document, list):
        return [hide_document_numbers(inner_value) for inner_value in document]
    if not isinstance(document, dict):
        return document
    clean_members = {}
    for member_name, member in document.items():
        is_number = member_name in ("number", "numbers") and member
        clean_members[member_name] = HIDDEN if is_number else hide_document_numbers(member)
    return clean_members
