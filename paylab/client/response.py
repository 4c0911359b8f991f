"""A response: its body as JSON with exact numbers, read as a resource or a page."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Self, TypeVar

from ..errors import APIResponseError, ConfigWarning, PagingError, PaylabError
from ..spec.paging import ENVELOPE, ListForm, RawPage, is_usual, read_page
from ..spec.resource import Resource
from ..spec.text import EXACT, plain, read_json, write_json
from .call import Call, DeferredCall
from .request import Exchange, OutgoingRequest
from .translation import ANSWERS, Translation

R = TypeVar("R", bound=Resource)


class Identified(Resource):
    """Anything with an id."""

    id: str = ""


# Keys of a body that describes an error although the status is a success.
ERROR_KEYS = ("error", "errors")
MARKUP = re.compile(rb"\s*<")
SHOWN = ("transfers", "conversions")
"""Lists whose envelope the spec shows; others may also be a bare array."""


def parse_json(content: bytes) -> Any:
    """JSON in UTF-8 with decimal fractions kept exact; ValueError when it is not JSON."""
    return read_json(content.decode("utf-8-sig"))


@dataclass(frozen=True)
class Response:
    """A response and the record of its call; `body` is as the service sent it."""

    request: OutgoingRequest
    exchange: Exchange = field(repr=False)
    deferred: DeferredCall
    translation: Translation = field(repr=False)
    place: Callable[[], str] = field(repr=False)
    body: Any = None
    replayed: bool = False

    @property
    def call(self) -> Call:
        """The record of the call."""
        return self.deferred.call

    def parsed(self) -> Self:
        """The response with its body; APIResponseError when it is not JSON. No body is None.

        Where the request takes any body, plain text is accepted too, but never a web page.
        """
        content = self.exchange.content
        try:
            body = EXACT.decode(content.decode("utf-8-sig")) if content.strip() else None
            return replace(self, body=body, replayed=self.exchange.replayed)
        except (ValueError, ArithmeticError, RecursionError):
            pass  # Raised below: the parser's error would contain the whole body.
        if self.request.any_body and not MARKUP.match(content):
            return replace(self, body=plain(content.decode("utf-8", "replace")))
        kind = plain(self.call.response_headers.get("content-type", "no content type"), 80)
        raise self._wrong(f"is not JSON ({kind})")

    def read(self, kind: type[R]) -> R:
        """The body as a resource, which must have an id."""
        body = self._resource(kind)
        if body is None:
            raise self._wrong(f"must be an object, a {kind.__name__}{self._lacks(kind)}")
        return self.resource(kind, body)

    def read_or(self, kind: type[R], known: Mapping[str, Any]) -> R:
        """The body as a resource; an empty body gives a resource of the known fields."""
        body = self._resource(kind)
        if body is not None:
            return self.resource(kind, body)
        self.done()
        resource = kind.model_validate(dict(known))
        resource._replayed, resource._place = self.replayed, self.place
        resource._raw = self.body if isinstance(self.body, dict) else {}
        return resource

    @property
    def made(self) -> str:
        """The id of what was made; APIResponseError when the answer does not identify it."""
        body = self._resource(Identified)
        if body is None:
            raise self._wrong("must be an object with an id")
        return str(body["id"])

    def done(self) -> None:
        """APIResponseError when the body describes an error."""
        wrapped = self.body.get("data") if isinstance(self.body, dict) else None
        if _is_error(self.body) or _is_error(wrapped) or self.body is False:
            raise self._wrong(f"describes an error: {plain(str(self.body), 200)}")

    def page(self, form: ListForm) -> RawPage:
        """The body as a page; an array is the whole list where the spec shows no envelope."""
        error: PaylabError
        try:
            page = read_page(self.body, form, bare=form.name not in SHOWN)
            if page.cursor or not page.has_next_page:
                return page
            error = PagingError("the list says it has a next page but gives no cursor for it")
        except ValueError as wrong:
            error = self._wrong(str(wrong))
        from .assumption import name_assumptions, of_page

        name_assumptions(error, of_page(self.body, form))
        raise error

    def _resource(self, kind: type[Resource]) -> dict[str, Any] | None:
        """The object with the id: the body, or the object in its `data`."""
        body = self.body
        wrapped = body.get("data") if isinstance(body, dict) else None
        if _is_error(body) or (wrapped and _is_error(wrapped)):
            return None
        for one in (wrapped, body):
            if not isinstance(one, dict):
                continue
            if "id" in kind.model_fields:
                id_ = one.get("id")
                has_id = isinstance(id_, str | int) and not isinstance(id_, bool)
                if has_id and str(id_).strip():
                    return one
            elif one.keys() & kind.model_fields.keys():
                return one
        return None

    def _lacks(self, kind: type[Resource]) -> str:
        named = "an id" if "id" in kind.model_fields else f"any of {', '.join(kind.model_fields)}"
        return f" with {named}" if isinstance(self.body, dict) else ""

    def resource(self, kind: type[R], body: dict[str, Any]) -> R:
        """An object of the service as a resource in our names; `raw` is the object as sent."""
        if kind.__name__ in ANSWERS or body.get("deposit_instructions"):
            self._warn_of_names(kind, body)
        if self.translation.is_idle:
            resource = kind.model_validate(body)
        else:
            resource = kind.model_validate(self.translation.answer(kind.__name__, body))
        resource._raw = body
        resource._replayed, resource._place = self.replayed, self.place
        return resource

    def _warn_of_names(self, kind: type[Resource], body: dict[str, Any]) -> None:
        """Warn of a field that seems to have another name than the settings say."""
        from .assumption import of_answer

        for key, name in of_answer(kind, body, self.translation.service):
            told = f"has {plain(name, 60)!r}, but no {key.rpartition('.')[2]}"
            told = f"the answer to {self.call.method} {self.call.path} {told}"
            told = f"{told}: if they are the same, set {key} in service.toml"
            warnings.warn(told, ConfigWarning, stacklevel=3)

    def _wrong(self, what: str) -> APIResponseError:
        message = f"the answer to {self.call.method} {self.call.path} {what}"
        return APIResponseError(message, self.call)


_NAMES = [f'"{name}"'.encode() for name in ENVELOPE]


def own_envelope(response: Response, form: ListForm) -> bytes:
    """A page in the envelope of the spec; numbers keep their digits."""
    content = response.exchange.content
    ends = content[:100] + content[-1000:]  # searching a whole page takes 0.1 ms
    if is_usual(form) and all(name in ends or name in content for name in _NAMES):
        return content
    page = response.parsed().page(form)
    return write_json(
        {"data": page.data, "has_next_page": page.has_next_page, "cursor": page.cursor}
    ).encode()


def _is_error(body: object) -> bool:
    """Whether an object describes an error."""
    if not isinstance(body, dict):
        return False
    return any(body.get(key) for key in ERROR_KEYS) or body.get("success") is False
