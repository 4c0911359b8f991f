"""A response: its body as JSON with exact numbers, read as a resource, a page or an error."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any, Self, TypeVar

from ..errors.api import APIResponseError
from ..errors.base import PagingError, PaylabError
from ..redaction.redaction import Redaction
from ..spec.envelope import find_object_path
from ..spec.json_path import value_at
from ..spec.operations.records import OPERATIONS
from ..spec.page import SPEC_ENVELOPE, RawPage, has_spec_envelope, read_page
from ..spec.service.lists import ListForm
from ..spec.service.value_types import NONE
from ..spec.text import EXACT_DECODER, LAST_MEMBER_DECODER, RepeatedMemberError, plain, write_json
from ..spec.translation import Translation
from .call import Call

if TYPE_CHECKING:
    from ..spec.resource import Resource
    from .exchange import Attempt, Exchange

R = TypeVar("R", bound="Resource")


MARKUP = re.compile(rb"\s*<")
OBJECT = ("status", "type", "created_at", "updated_at")
"""Fields that show which nested object is the one of the answer."""


@dataclass(frozen=True, repr=False)
class Response:
    """A response and the record of its call; `body` is as the service sent it."""

    attempt: Attempt
    translation: Translation
    redaction: Redaction
    place: Callable[[], str]
    body: Any = None
    replayed: bool = False
    repeats: str = ""
    """What is wrong with a body in which an object has two members of one name."""

    @property
    def exchange(self) -> Exchange:
        """The request as it was sent, and what came back for it."""
        return self.attempt.exchange

    @property
    def call(self) -> Call:
        """The record of the call."""
        return self.attempt.call

    @classmethod
    def of(
        cls,
        attempt: Attempt,
        translation: Translation,
        redaction: Redaction,
        place: Callable[[], str],
    ) -> Self:
        """The response with its body; APIResponseError when it is not JSON. No body is None.

        Where the request takes any body, plain text is accepted too, but never a web page.
        """
        content = attempt.exchange.content
        replayed = attempt.exchange.replayed
        make_response = partial(cls, attempt, translation, redaction, place, replayed=replayed)
        try:
            body_text = content.decode("utf-8-sig")
            try:
                return make_response(EXACT_DECODER.decode(body_text) if content.strip() else None)
            except RepeatedMemberError as error:
                # The answer to a payment that was made must not be lost: only a page is refused.
                return make_response(LAST_MEMBER_DECODER.decode(body_text), repeats=str(error))
        except (ValueError, ArithmeticError, RecursionError):
            pass  # Raised below: the parser's error would contain the whole body.
        if attempt.exchange.request.any_body and not MARKUP.match(content):
            return make_response(plain(content.decode("utf-8", "replace")))
        media_type = plain(attempt.call.response_headers.get("content-type", "no content type"), 80)
        raise make_response()._wrong_body_error(f"is not JSON ({media_type})")

    def read(self, kind: type[R]) -> R:
        """The body as a resource, which must have an id; it is read once."""
        resources = vars(self).setdefault("_resources", {})
        if kind not in resources:
            resources[kind] = self._read(kind)
        resource: R = resources[kind]
        return resource

    def _read(self, model: type[R]) -> R:
        """The body as a resource; APIResponseError if it is none, or describes an error."""
        body = self._find_object(model.model_fields)
        if body is None:
            self.done()
            wanted = (
                "an id" if "id" in model.model_fields else f"any of {', '.join(model.model_fields)}"
            )
            lacks = f" with {wanted}" if isinstance(self.body, dict) else ""
            raise self._wrong_body_error(f"must be an object, a {model.__name__}{lacks}")
        return self.resource(model, body)

    def read_or(self, kind: type[R], known: Mapping[str, object]) -> R:
        """The body as a resource; an empty body gives a resource of the known fields."""
        body = self._find_object(kind.model_fields)
        if body is not None:
            return self.resource(kind, body)
        self.done()
        resource = kind.model_validate(dict(known))
        resource._replayed = self.replayed
        resource._place = self.place
        resource._raw = self.body if isinstance(self.body, dict) else {}
        return resource

    @property
    def has_id(self) -> bool:
        """Whether the body is an object with an id; APIResponseError when it describes an error."""
        if self._find_object(("id",)) is None:
            self.done()
            return False
        return True

    def require_object_with_id(self) -> dict[str, Any]:
        """Return the object with an id, as sent; APIResponseError when there is none."""
        body = self._find_object(("id", *OBJECT))
        if body is None:
            self.done()
            raise self._wrong_body_error("must be an object with an id")
        return body

    def done(self) -> None:
        """APIResponseError with the service's words when the body describes an error."""
        from ..spec.error_body import is_error

        wrapped = self.body.get("data") if isinstance(self.body, dict) else None
        if is_error(self.body) or is_error(wrapped) or self.body is False:
            status = self.exchange.status
            content = self.exchange.content
            from .failures import read_refusal  # rarely needed

            refusal = read_refusal(status, content, self._exchange_redaction)
            raise self._wrong_body_error(f"describes an error: {plain(refusal.text, 200)}")

    def page(self, form: ListForm) -> RawPage:
        """The body as a page; an array is the whole list where the spec shows no envelope."""
        error: PaylabError
        if self.repeats:  # the second could hide the rows of the first
            raise self._wrong_body_error(self.repeats)
        try:
            page = read_page(self.body, form, bare=not OPERATIONS[f"{form.name}.list"].is_shown)
            if page.cursor or not page.has_next_page:
                return page
            error = PagingError("the list says it has a next page but gives no cursor for it")
        except ValueError as wrong:
            self.done()
            reason = str(wrong)
            if isinstance(self.body, dict):
                reason += f"; it contains {', '.join(map(repr, islice(self.body, 5))) or 'nothing'}"
            error = self._wrong_body_error(reason)
        error.call = self.call
        raise error

    def _find_object(self, field_names: Collection[str]) -> dict[str, Any] | None:
        """The first object that has an id or one of the names, looked for in these places:

        1. where the settings of the service have the object of this operation;
        2. in `data`;
        3. the body itself;
        4. anywhere in the body, if there is only one such object.

        None if there is none, or if the body describes an error.
        """
        from ..spec.error_body import is_error  # imported late: reading a list never comes here

        body = self.body
        wrapped = body.get("data") if isinstance(body, dict) else None
        if is_error(body) or (wrapped and is_error(wrapped)):
            return None
        for candidate in (value_at(body, self._envelope_path), wrapped, body):
            if isinstance(candidate, dict) and _has_any(candidate, field_names):
                return candidate
        object_path = find_object_path(body, field_names)
        return value_at(body, object_path) if object_path else None

    @property
    def _envelope_path(self) -> str:
        """Where the settings of the service have the object of this operation; "none" for none."""
        operation = OPERATIONS.get(self.exchange.request.operation)
        return operation.item_path(self.translation.service) if operation else NONE

    def named_page(self, form: ListForm) -> RawPage:
        """The body as a page of a list, its rows in our names."""
        page = self.page(form)
        model = OPERATIONS[f"{form.name}.list"].answer
        return replace(
            page, data=[self.translation.translate_answer(model, row) for row in page.data]
        )

    def resource(self, kind: type[R], body: dict[str, Any]) -> R:
        """An object of the service as a resource in our names; `raw` is the object as sent."""
        return resource_of(kind, body, self.translation, self.place, replayed=self.replayed)

    @property
    def _exchange_redaction(self) -> Redaction:
        from .exchange import exchange_redaction  # only an unusable body needs it

        return exchange_redaction(self.exchange, self.redaction)

    def _wrong_body_error(self, complaint_text: str) -> APIResponseError:
        complaint_text = plain(self._exchange_redaction.text(complaint_text), 300)
        message = f"the answer to {self.call.method} {self.call.path} {complaint_text}"
        return APIResponseError(message, self.call)


def _has_any(candidate: dict[str, Any], field_names: Collection[str]) -> bool:
    """Whether an object has an id that is not blank, or one of the fields if none of them is id."""
    if "id" not in field_names:
        return not candidate.keys().isdisjoint(field_names)
    id_ = candidate.get("id")
    is_text_or_number = isinstance(id_, str | int) and not isinstance(id_, bool)
    return is_text_or_number and bool(str(id_).strip())


def resource_of(
    kind: type[R],
    body: dict[str, Any],
    translation: Translation,
    place: Callable[[], str],
    *,
    replayed: bool = False,
) -> R:
    """An object of the service as a resource in our names; `raw` is the object as sent."""
    resource = kind.model_validate(translation.translate_answer(kind.__name__, body))
    resource._raw = body
    resource._replayed = replayed
    resource._place = place
    return resource


_NAMES = [f'"{name}"'.encode() for name in SPEC_ENVELOPE]


def is_as_specified(content: bytes, form: ListForm, translation: Translation) -> bool:
    """Whether a page has the envelope and the names of the spec."""
    if not has_spec_envelope(form) or translation.renames(form.name):
        return False
    ends = content[:100] + content[-1000:]  # searching a whole page takes 0.1 ms
    return all(field_name in ends or field_name in content for field_name in _NAMES)


def put_in_envelope(page: RawPage) -> bytes:
    """A page in the envelope of the spec; numbers keep their digits."""
    members = {"data": page.data, "has_next_page": page.has_next_page, "cursor": page.cursor}
    try:
        return write_json(members).encode()
    except RecursionError:
        raise APIResponseError("a page of the list is nested too deep") from None
