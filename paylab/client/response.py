"""The body of a response as JSON with exact numbers, read as a resource or a page."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from ..errors import APIResponseError, PagingError
from ..spec.models import Resource
from ..spec.paging import ENVELOPE, ListForm, RawPage, is_usual, read_page
from ..spec.service import Service
from ..spec.text import plain, read_json, write_json
from .assumption import explain, of_page
from .call import Call, Later
from .translation import Translation

R = TypeVar("R", bound=Resource)


class Identified(Resource):
    """Anything with an id."""

    id: str = ""


USUAL = Translation(Service())
# Keys of a body that speaks of an error although the status is a success.
ERROR_KEYS = ("error", "errors")
MARKUP = re.compile(rb"\s*<")
SHOWN = ("transfers", "conversions")
"""Lists whose envelope the spec shows; of others a bare array is read too."""


def parse_json(content: bytes) -> Any:
    """JSON in UTF-8 with decimal fractions kept exact; ValueError when it is not JSON."""
    return read_json(content.decode("utf-8-sig"))


@dataclass(frozen=True)
class Answer:
    """A 2xx answer: its parsed body as the service sent it, and the call that brought it."""

    body: Any
    call: Call
    translation: Translation = field(default=USUAL, repr=False)

    @classmethod
    def of(
        cls,
        content: bytes,
        call: Call,
        translation: Translation = USUAL,
        *,
        any_body: bool = False,
    ) -> Answer:
        """Read a body; APIResponseError when it is not JSON. No body reads as None.

        With `any_body` plain text is accepted too, but never a web page.
        """
        try:
            return cls(parse_json(content) if content.strip() else None, call, translation)
        except (ValueError, RecursionError):
            pass  # Raised below, outside: the parser's error would carry the whole body along.
        if any_body and not MARKUP.match(content):
            return cls(plain(content.decode("utf-8", "replace")), call, translation)
        kind = plain(call.response_headers.get("content-type", "no content type"), 80)
        message = f"the answer to {call.method} {call.path} is not JSON ({kind})"
        raise APIResponseError(message, call)

    def read(self, kind: type[R]) -> R:
        """The body as a resource, which must have an id."""
        body = self._resource(kind)
        if body is None:
            raise self._wrong(f"must be an object, a {kind.__name__}{self._lacks(kind)}")
        return self.resource(kind, body)

    def read_or(self, kind: type[R], known: Mapping[str, Any]) -> R:
        """The body as a resource; without one (and no error), a resource of the known fields."""
        body = self._resource(kind)
        if body is not None:
            return self.resource(kind, body)
        self.done()
        resource = kind.model_validate(dict(known))
        resource._replayed = self.call.replayed
        resource._raw = self.body if isinstance(self.body, dict) else {}
        return resource

    @property
    def made(self) -> str:
        """The id of what was made, or empty."""
        return str((self._resource(Identified) or {}).get("id", ""))

    def must_have_id(self) -> None:
        """APIResponseError when the answer does not identify what was made."""
        if not self.made:
            raise self._wrong("must be an object with an id")

    def done(self) -> None:
        """APIResponseError when the body describes an error."""
        if _is_error(self.body) or _is_error(_wrapped(self.body)) or self.body is False:
            raise self._wrong(f"speaks of an error: {plain(str(self.body), 200)}")

    def page(self, form: ListForm) -> RawPage:
        """The body as a page; an array is the whole list where the spec shows no envelope."""
        try:
            page = read_page(self.body, form, bare=form.name not in SHOWN)
        except ValueError as wrong:
            error = self._wrong(str(wrong))
            explain(error, of_page(self.body, form))
            raise error from None
        if page.has_next_page and not page.cursor:
            told = PagingError("the list says it has a next page but gives no cursor for it")
            explain(told, of_page(self.body, form))
            raise told
        return page

    def _resource(self, kind: type[Resource]) -> dict[str, Any] | None:
        """The object that has the id of its kind: the body, or what is wrapped in its `data`."""
        if _is_error(self.body) or _is_error(_wrapped(self.body)):
            return None
        both = (_wrapped(self.body), self.body)
        return next(
            (one for one in both if isinstance(one, dict) and _is_resource(one, kind)), None
        )

    def _lacks(self, kind: type[Resource]) -> str:
        named = "an id" if "id" in kind.model_fields else f"any of {', '.join(kind.model_fields)}"
        return f" with {named}" if isinstance(self.body, dict) else ""

    def resource(self, kind: type[R], body: dict[str, Any]) -> R:
        """An object of the service as a resource in our names; `raw` is as it came."""
        resource = kind.model_validate(self.translation.answer(kind.__name__, body))
        resource._raw = body
        resource._replayed = self.call.replayed
        return resource

    def _wrong(self, what: str) -> APIResponseError:
        message = f"the answer to {self.call.method} {self.call.path} {what}"
        return APIResponseError(message, self.call)


def own_envelope(content: bytes, form: ListForm, later: Later) -> bytes:
    """A page in the envelope of the spec, its numbers with the digits that were sent."""
    if is_usual(form) and all(f'"{name}"'.encode() in content for name in ENVELOPE):
        return content
    page = Answer.of(content, later.call).page(form)
    return write_json(
        {"data": page.data, "has_next_page": page.has_next_page, "cursor": page.cursor}
    ).encode()


def _wrapped(body: object) -> object:
    return body.get("data") if isinstance(body, dict) else None


def _is_error(body: object) -> bool:
    """Whether an object describes an error."""
    if not isinstance(body, dict):
        return False
    return any(body.get(key) for key in ERROR_KEYS) or body.get("success") is False


def _is_resource(body: object, kind: type[Resource]) -> bool:
    """Whether an object has the id of its kind; a kind without ids has one of its fields."""
    if not isinstance(body, dict):
        return False
    if "id" not in kind.model_fields:
        return bool(body.keys() & kind.model_fields.keys())
    id_ = body.get("id")
    return isinstance(id_, str | int) and not isinstance(id_, bool) and bool(str(id_).strip())
