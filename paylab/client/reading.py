"""The body of an answer as JSON with exact numbers, and the answer as a resource or a page."""

from __future__ import annotations

import json
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, TypeVar

from ..errors import APIResponseError
from ..models import Resource
from ..paging import Page, RawPage
from .call import Call
from .plain import plain

R = TypeVar("R", bound=Resource)


def parse(content: bytes) -> Any:
    """JSON in UTF-8 with decimal fractions kept exact; ValueError when it is not JSON."""
    return json.loads(
        content.decode("utf-8-sig"), parse_float=Decimal, parse_constant=_refuse_constant
    )


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


@dataclass(frozen=True)
class Answer:
    """A 2xx answer: its parsed body and the call that brought it."""

    body: Any
    call: Call

    @classmethod
    def of(cls, content: bytes, call: Call) -> Answer:
        """Read a body; APIResponseError when it is not JSON. No body reads as None."""
        try:
            return cls(parse(content) if content.strip() else None, call)
        except (ValueError, RecursionError):
            pass  # Raised below, outside: the parser's error would carry the whole body along.
        kind = plain(call.response_headers.get("content-type", "no content type"), 80)
        message = f"the answer to {call.method} {call.path} is not JSON ({kind})"
        raise APIResponseError(message, call)

    def read(self, kind: type[R]) -> R:
        """The body as a resource."""
        if not isinstance(self.body, dict):
            raise self._wrong(f"must be an object, a {kind.__name__}")
        resource = kind.model_validate(self.body)
        resource._replayed = self.call.replayed
        return resource

    def page(self) -> RawPage:
        """The body as a page: an envelope, or a bare array that is the whole list."""
        envelope = {"data": self.body} if isinstance(self.body, list) else self.body
        if not isinstance(envelope, dict):
            raise self._wrong("must be a page or an array")
        cursor, more = envelope.get("cursor"), envelope.get("has_next_page")
        if not isinstance(cursor, str | None) or not isinstance(more, bool | None):
            raise self._wrong("has an unreadable cursor or has_next_page")
        # Without the word, a cursor is the only sign that there is more.
        return Page(self._items(envelope), bool(cursor) if more is None else more, cursor)

    def _items(self, envelope: dict[str, Any]) -> list[dict[str, Any]]:
        items = envelope.get("data")
        if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
            raise self._wrong("must hold a list of objects as data")
        return items

    def _wrong(self, what: str) -> APIResponseError:
        message = f"the answer to {self.call.method} {self.call.path} {what}"
        return APIResponseError(message, self.call)
