"""What is taken out of everything that may be shown, logged or kept."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from .secret import HIDDEN, Secret

HEADERS = frozenset({"authorization", "proxy-authorization", "x-api-key", "cookie", "set-cookie"})
# Parts of an Authorization header that a service might quote back.
PARTS = re.compile(r"\b(Signature|Credential)=[^\s,\"'<>]+", re.IGNORECASE)


class Redaction:
    """Takes secrets out of text, headers and parsed JSON, wherever they stand."""

    def __init__(self, secrets: Iterable[Secret]) -> None:
        self._secrets = tuple(secrets)

    def text(self, text: str) -> str:
        """The text without the secrets' values and without signatures."""
        for secret in self._secrets:
            text = text.replace(secret.reveal(), HIDDEN)
        return PARTS.sub(rf"\1={HIDDEN}", text)

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
            return {self.text(name): self.json(item) for name, item in value.items()}
        return value
