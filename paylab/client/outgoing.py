"""A request before it is sent: the same bytes and the same key on every attempt."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import httpx

from ..errors import Problem, RuleError
from . import wire
from .auth import BODY_HASH
from .upload import Upload

# The two operations the service carries out once for one Idempotency-Key (spec, "Idempotency").
IDEMPOTENT = frozenset({"/v1/transfers", "/v1/conversion_accounts"})


@dataclass(frozen=True)
class Outgoing:
    """What is sent, apart from the headers that make each attempt different."""

    method: str
    path: str
    url: httpx.URL
    content: bytes | Upload | None = field(default=None, repr=False)
    idempotency_key: str | None = None

    @property
    def repeatable(self) -> bool:
        """Whether sending it twice does no more than sending it once."""
        if self.method == "POST":
            return self.idempotency_key is not None and self.path in IDEMPOTENT
        return self.method in {"GET", "HEAD"}

    @property
    def headers(self) -> dict[str, str]:
        """The headers every attempt shares."""
        headers = {"Content-Type": "application/json"} if self.content is not None else {}
        if isinstance(self.content, Upload):
            headers["Content-Length"] = str(self.content.length)
        if self.idempotency_key is not None:
            headers["Idempotency-Key"] = self.idempotency_key
        return headers

    @property
    def extensions(self) -> dict[str, str]:
        """What the signature must know of a body that is not held in memory: its hash."""
        return {BODY_HASH: self.content.digest} if isinstance(self.content, Upload) else {}


def outgoing(
    base_url: str, method: str, path: str, json: Any, params: Mapping[str, Any] | None
) -> Outgoing:
    """Put a request together; RuleError when it cannot be sent as HTTP."""
    content = None if json is None else wire.encode(json)
    url = _url(base_url, path, {k: v for k, v in (params or {}).items() if v is not None})
    return Outgoing(method.upper(), path.partition("?")[0], url, content)


def _url(base_url: str, path: str, params: Mapping[str, Any]) -> httpx.URL:
    if not path.startswith("/"):
        raise RuleError([Problem("path", "must begin with /")])
    if "#" in path:
        raise RuleError([Problem("path", "must not have a fragment (#...)")])
    try:
        url = httpx.URL(base_url + path)
        return url.copy_merge_params(params) if params else url
    except httpx.InvalidURL as error:
        raise RuleError([Problem("path", f"cannot be sent: {error}")]) from None
