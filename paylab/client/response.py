"""A response: its body as JSON with exact numbers, read as a resource, a page or an error."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any, Self, TypeVar

from ..errors.api import APIResponseError
from ..errors.base import PagingError
from ..light_dataclass import light_dataclass
from ..redaction.redaction import Redaction
from ..spec.envelope import find_object_path
from ..spec.json_path import value_at
from ..spec.operations.records import OPERATIONS
from ..spec.page import SPEC_ENVELOPE, RawPage, has_spec_envelope, read_page
from ..spec.service.lists import ListForm
from ..spec.service.service import Service
from ..spec.service.value_types import NONE
from ..spec.text import (
    EXACT_DECODER,
    LAST_MEMBER_DECODER,
    JsonObject,
    RepeatedMemberError,
    plain,
    write_json,
)
from .call import Call

if TYPE_CHECKING:
    from ..spec.resource import Resource
    from .exchange import Attempt, Exchange

R = TypeVar("R", bound="Resource")

ToOurNames = Callable[[str, JsonObject], JsonObject]
"""Renames the fields of an object of the service; its first argument is the name of the model."""

MARKUP = re.compile(rb"\s*<")
NESTED_OBJECT_SIGNS = ("status", "type", "created_at", "updated_at")
"""Fields that show which nested object is the one of the answer."""


@light_dataclass(frozen=True, repr=False)
class Response:
    """A response of a service and the record of its call; `body` is as the service sent it."""

    attempt: Attempt
    service: Service
    to_our_names: ToOurNames
    redaction: Redaction
    place: Callable[[], str]
    body: object = None
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
        service: Service,
        to_our_names: ToOurNames,
        redaction: Redaction,
        place: Callable[[], str],
    ) -> Self:
        """The response with its body, None for an empty one; APIResponseError if it is not JSON.

        If the request takes any answer, plain text is also accepted, but never a web page.
        """
        content = attempt.exchange.content
        is_replayed = attempt.exchange.replayed
        make_response = partial(
            cls, attempt, service, to_our_names, redaction, place, replayed=is_replayed
        )
        if not content.strip():
            return make_response(None)
        try:
            body_text = content.decode("utf-8-sig")
            try:
                return make_response(EXACT_DECODER.decode(body_text))
            except RepeatedMemberError as error:
                # The answer to a payment that was made must not be lost: only a page is refused.
                return make_response(LAST_MEMBER_DECODER.decode(body_text), repeats=str(error))
        except (ValueError, ArithmeticError, RecursionError):
            pass  # Raised below: the parser's error would contain the whole body.
        if attempt.exchange.request.any_answer and not MARKUP.match(content):
            return make_response(plain(content.decode("utf-8", "replace")))
        media_type = plain(attempt.call.response_headers.get("content-type", "no content type"), 80)
        raise make_response()._make_wrong_body_error(f"is not JSON ({media_type})")

    def read(self, model: type[R]) -> R:
        """The body as a resource, which must have an id; it is read once."""
        resource_by_model = vars(self).setdefault("_resources", {})
        if model not in resource_by_model:
            resource_by_model[model] = self._read_resource(model)
        resource: R = resource_by_model[model]
        return resource

    def _read_resource(self, model: type[R]) -> R:
        """The body as a resource; APIResponseError if it is none, or describes an error."""
        body = self._find_object(model.model_fields)
        if body is None:
            self.refuse_error_body()
            expectation_text = f"must be an object, a {model.__name__}"
            if isinstance(self.body, dict):  # it lacks the fields of the model
                names_text = ", ".join(model.model_fields)
                needed_text = "an id" if "id" in model.model_fields else f"any of {names_text}"
                expectation_text += f" with {needed_text}"
            raise self._make_wrong_body_error(expectation_text)
        return self.resource(model, body)

    def read_again(self, known: R) -> R:
        """The body as the resource that an earlier answer showed; APIResponseError for another."""
        current = self.read(type(known))
        if current.get("id") != known.get("id"):
            raise self._make_wrong_body_error(f"is about {current.get('id')}")
        return current

    def read_or(self, model: type[R], known_fields: Mapping[str, object]) -> R:
        """The body as a resource; an empty body gives a resource of the known fields."""
        body = self._find_object(model.model_fields)
        if body is not None:
            return self.resource(model, body)
        self.refuse_error_body()
        resource = model.model_validate(dict(known_fields))
        resource._replayed = self.replayed
        resource._place = self.place
        resource._raw = self.body if isinstance(self.body, dict) else {}
        return resource

    @property
    def has_id(self) -> bool:
        """Whether the body is an object with an id; APIResponseError when it describes an error."""
        if self._find_object(("id",)) is None:
            self.refuse_error_body()
            return False
        return True

    def require_object_with_id(self) -> JsonObject:
        """Return the object with an id, as sent; APIResponseError when there is none."""
        # The id is needed; the others only tell which nested object is meant.
        body = self._find_object(("id", *NESTED_OBJECT_SIGNS))
        if body is None:
            self.refuse_error_body()
            raise self._make_wrong_body_error("must be an object with an id")
        return body

    def refuse_error_body(self) -> None:
        """APIResponseError with the service's words if the body of a success describes an error."""
        from ..spec.error_body import is_error

        data_member = self.body.get("data") if isinstance(self.body, dict) else None
        has_failed = self.body is False  # some services answer a bare `false` for a failure
        describes_error = has_failed or is_error(self.body) or is_error(data_member)
        if not describes_error:
            return
        from .failures import read_refusal  # rarely needed

        exchange = self.exchange
        refusal = read_refusal(exchange.status, exchange.content, self._exchange_redaction)
        raise self._make_wrong_body_error(f"describes an error: {plain(refusal.text, 200)}")

    def page(self, list_form: ListForm) -> RawPage:
        """The body as a page; an array is the whole list where the spec shows no envelope.

        APIResponseError if it is no page, PagingError if the cursor of the next page is missing.
        """
        if self.repeats:  # the second could hide the rows of the first
            raise self._make_wrong_body_error(self.repeats)
        may_be_array = not OPERATIONS[f"{list_form.name}.list"].is_shown
        try:
            page = read_page(self.body, list_form, bare=may_be_array)
        except ValueError as error:
            self.refuse_error_body()
            reason = str(error)
            if isinstance(self.body, dict):
                first_names_text = ", ".join(map(repr, islice(self.body, 5)))
                reason += f"; it contains {first_names_text or 'nothing'}"
            raise self._make_wrong_body_error(reason) from None
        if page.has_next_page and not page.cursor:
            paging_error = PagingError(
                "the list says it has a next page but gives no cursor for it"
            )
            paging_error.call = self.call
            raise paging_error
        return page

    def _find_object(self, field_names: Collection[str]) -> JsonObject | None:
        """The first object with the fields of a resource, looked for in these places:

        1. where the settings of the service have the object of this operation;
        2. in `data`;
        3. the body itself;
        4. anywhere in the body, if there is only one such object.

        None if there is none, or if the body describes an error.
        """
        from ..spec.error_body import is_error  # imported late: a client that only lists needs none

        body = self.body
        data_member = body.get("data") if isinstance(body, dict) else None
        if is_error(body) or (data_member and is_error(data_member)):
            return None
        for candidate in (value_at(body, self._envelope_path), data_member, body):
            if isinstance(candidate, dict) and _is_resource(candidate, field_names):
                return candidate
        object_path = find_object_path(body, field_names)
        return value_at(body, object_path) if object_path else None

    @property
    def _envelope_path(self) -> str:
        """The path of the object inside the body, by the settings; "none" if it is the body."""
        operation = OPERATIONS.get(self.exchange.request.operation)
        return operation.item_path(self.service) if operation else NONE

    def translate_page(self, list_form: ListForm) -> RawPage:
        """The body as a page of a list, with the rows in our names."""
        page = self.page(list_form)
        model_name = OPERATIONS[f"{list_form.name}.list"].answer
        return replace(page, data=[self.to_our_names(model_name, row) for row in page.data])

    def resource(self, kind: type[R], body: JsonObject) -> R:
        """An object of the service as a resource in our names; `raw` is the object as sent."""
        return build_resource(kind, body, self.to_our_names, self.place, replayed=self.replayed)

    @property
    def _exchange_redaction(self) -> Redaction:
        """The redaction that also hides the document numbers in this exchange."""
        from .exchange import exchange_redaction  # only an unusable body needs it

        return exchange_redaction(self.exchange, self.redaction)

    def _make_wrong_body_error(self, what_is_wrong: str) -> APIResponseError:
        """The error for an unusable body; `what_is_wrong` continues "the answer to GET /path"."""
        what_is_wrong = plain(self._exchange_redaction.text(what_is_wrong), 300)
        message = f"the answer to {self.call.method} {self.call.path} {what_is_wrong}"
        return APIResponseError(message, self.call)


def _is_resource(candidate: dict[str, Any], field_names: Collection[str]) -> bool:
    """Whether an object is of the resource with these fields.

    If `id` is one of the fields, the object must have an id: a number, or text that is not blank.
    Otherwise it must have at least one of the fields.
    """
    if "id" not in field_names:
        return not candidate.keys().isdisjoint(field_names)
    id_ = candidate.get("id")
    is_text_or_number = isinstance(id_, str | int) and not isinstance(id_, bool)
    return is_text_or_number and bool(str(id_).strip())


def build_resource(
    model: type[R],
    body: JsonObject,
    to_our_names: ToOurNames,
    place: Callable[[], str],
    *,
    replayed: bool = False,
) -> R:
    """An object of the service as a resource in our names; `raw` is the object as sent."""
    resource = model.model_validate(to_our_names(model.__name__, body))
    # One update of pydantic's dict: three assignments take a tenth of reading a transfer.
    private_values = resource.__pydantic_private__ or {}
    private_values.update(_raw=body, _replayed=replayed, _place=place)
    return resource


_NAMES = [f'"{name}"'.encode() for name in SPEC_ENVELOPE]


def is_in_spec_envelope(content: bytes, form: ListForm) -> bool:
    """Whether a page has the envelope of the spec."""
    if not has_spec_envelope(form):
        return False
    start_and_end = content[:100] + content[-1000:]  # searching a whole page takes 0.1 ms
    return all(field_name in start_and_end or field_name in content for field_name in _NAMES)


def put_in_envelope(page: RawPage) -> bytes:
    """A page in the envelope of the spec; numbers keep their digits."""
    members = {"data": page.data, "has_next_page": page.has_next_page, "cursor": page.cursor}
    try:
        return write_json(members).encode()
    except RecursionError:
        raise APIResponseError("a page of the list is nested too deep") from None
