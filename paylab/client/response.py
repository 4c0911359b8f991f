"""A response: its body as JSON with exact numbers, read as a resource, a page or an error."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from html import unescape
from http import HTTPStatus
from itertools import islice
from typing import Any, Self, TypeVar

from ..errors import APIResponseError, ConfigWarning, PagingError, PaylabError, Problem
from ..redaction.redaction import Redaction
from ..spec.operations import ANSWER_NAMES, OPERATIONS
from ..spec.paging import ENVELOPE, ListForm, RawPage, is_usual, read_page, value_at
from ..spec.resource import Resource
from ..spec.text import EXACT, plain, read_json, write_json
from ..spec.translation import Translation
from .call import Call, DeferredCall
from .request import Exchange, OutgoingRequest

R = TypeVar("R", bound=Resource)


class Identified(Resource):
    """Anything with an id."""

    id: str = ""


# Keys of a body that describes an error although the status is a success.
ERROR_KEYS = ("error", "errors")
MARKUP = re.compile(rb"\s*<")


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
    redaction: Redaction = field(repr=False)
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
            self.done()
            what = (
                "an id" if "id" in kind.model_fields else f"any of {', '.join(kind.model_fields)}"
            )
            lacks = f" with {what}" if isinstance(self.body, dict) else ""
            raise self._wrong(f"must be an object, a {kind.__name__}{lacks}")
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
    def identified(self) -> dict[str, Any]:
        """The object with an id, as sent; APIResponseError when there is none."""
        body = self._resource(Identified)
        if body is None:
            self.done()
            raise self._wrong("must be an object with an id")
        return body

    def done(self) -> None:
        """APIResponseError with the service's words when the body describes an error."""
        wrapped = self.body.get("data") if isinstance(self.body, dict) else None
        if _is_error(self.body) or _is_error(wrapped) or self.body is False:
            status, content = self.exchange.status or 0, self.exchange.content
            told = read_refusal(status, content, self.redaction)
            raise self._wrong(f"describes an error: {plain(told.text, 200)}")

    def page(self, form: ListForm) -> RawPage:
        """The body as a page; an array is the whole list where the spec shows no envelope."""
        error: PaylabError
        try:
            page = read_page(self.body, form, bare=not OPERATIONS[f"{form.name}.list"].is_shown)
            if page.cursor or not page.has_next_page:
                return page
            error = PagingError("the list says it has a next page but gives no cursor for it")
        except ValueError as wrong:
            self.done()
            error = self._wrong(f"{wrong}{self._members}")
        from .assumption_hints import name_assumptions, of_page

        name_assumptions(error, of_page(self.redaction.json(self.body), form))
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

    def resource(self, kind: type[R], body: dict[str, Any]) -> R:
        """An object of the service as a resource in our names; `raw` is the object as sent."""
        if kind.__name__ in ANSWER_NAMES or body.get("deposit_instructions"):
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
        from .assumption_hints import of_answer

        for key, name in of_answer(kind, body, self.translation.service):
            given = plain(self.redaction.text(name), 60)
            message = f"has {given!r}, but no {key.rpartition('.')[2]}"
            message = f"the answer to {self.call.method} {self.call.path} {message}"
            message = f"{message}: if they are the same, set {key} in service.toml"
            warnings.warn(message, ConfigWarning, stacklevel=3)

    @property
    def _members(self) -> str:
        """The first names of members of the body, for an error."""
        if not isinstance(self.body, dict):
            return ""
        return f"; it contains {', '.join(map(repr, islice(self.body, 5))) or 'nothing'}"

    def _wrong(self, what: str) -> APIResponseError:
        what = plain(self.redaction.text(what), 300)
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


# Names of keys without case and underscores, most likely first.
TEXT_KEYS = (
    *("error", "message", "errormessage", "errordescription", "detail", "title", "reason"),
    *("description", "msg", "text", "issue", "summary", "faultstring", "code", "errorcode"),
)
LIST_KEYS = (
    *("errors", "details", "detail", "problems", "violations", "error", "message", "messages"),
    *("issues", "reasons", "invalidparams"),
)
FIELD_KEYS = ("field", "path", "param", "parameter", "loc", "name", "property", "pointer")
WORD_KEYS = (
    *("message", "msg", "text", "error", "reason", "detail", "description", "issue", "title"),
    "code",
)
# The standard text of a status; any other text is preferred.
PHRASES = frozenset(status.phrase for status in HTTPStatus)
MOST_WORDS = 10
MOST_PROBLEMS = 100
# Problems listed by the service have no rule of ours.
SOURCE = "service"
INVISIBLE = re.compile(r"<(script|style|title)\b.*?</\1\s*>|<!--.*?-->", re.DOTALL | re.IGNORECASE)

TAG = re.compile(r"<[^<>]*>")
HTML_TAG = re.compile(r"<(!doctype|html|head|body|div|p|pre|h[1-6])\b", re.IGNORECASE)

# Searching the end of an unclosed element would take quadratic time.
LONGEST_MARKUP = 2**13


@dataclass(frozen=True)
class ErrorBody:
    """The service's message, its field problems, and the body."""

    text: str
    problems: tuple[Problem, ...] = ()
    body: Any = None


def read_refusal(status: int, content: bytes, redaction: Redaction, form: Any = None) -> ErrorBody:
    """The message of a refusal, or the name of the status.

    `form` are the [errors] of a service: where its words stand, before all other places.
    """
    text = redaction.text(content.decode("utf-8", "replace"))
    try:
        body = redaction.json(parse_json(content))
        stated = _problems_at(body, form) if form else ()
        problems = tuple(stated or _problems(body))[:MOST_PROBLEMS]
        stated_words = _text(value_at(body, form.words)) if form else ""
        words = stated_words or _words(body) or "; ".join(map(str, problems))
        if not words or words.isdigit():  # any word is better than a bare number
            words = "; ".join(islice(_anything(body), MOST_WORDS)) or words
    except (ValueError, RecursionError):
        body, problems, words = text or None, (), _visible(text)
    # Markup and entities are gone from the words: what they hid is looked for again.
    return ErrorBody(plain(redaction.text(words)) or _name(status), problems, body)


def _problems_at(body: object, form: Any) -> tuple[Problem, ...]:
    """The field problems by the settings of the service."""
    found = value_at(body, form.problems)
    if form.list_form == "by_field" and isinstance(found, dict):
        return tuple(_by_field(found))
    if not isinstance(found, list):
        return ()
    return tuple(
        Problem(plain(_dotted(field), 100), plain(_words(words)), SOURCE)
        if (field := value_at(item, form.field)) and (words := value_at(item, form.message))
        else _problem(item)
        for item in found
    )


def _name(status: int) -> str:
    try:
        return HTTPStatus(status).phrase
    except ValueError:
        return "no reason given"


def _visible(text: str) -> str:
    """The visible text of a body that may be HTML."""
    text = text[:LONGEST_MARKUP]
    if not HTML_TAG.search(text):
        return text
    return unescape(TAG.sub(" ", INVISIBLE.sub(" ", text)))


def _folded(body: dict[str, Any]) -> dict[str, Any]:
    """An object by normalised keys: `errorMessage` and `error_message` are the same."""
    return {str(name).replace("_", "").replace("-", "").lower(): body[name] for name in body}


def _words(body: object) -> str:
    if isinstance(body, dict):
        known = _folded(body)
        return _chosen([words for key in TEXT_KEYS if (words := _words(known.get(key)))])
    if isinstance(body, list):
        texts = [_text(item) for item in body[:MOST_PROBLEMS]]
        return "; ".join(texts) if all(texts) else ""
    return _text(body)


def _text(value: object) -> str:
    if value is None or isinstance(value, dict | list | bool):
        return ""
    return _visible(value) if isinstance(value, str) else str(value)


def _chosen(words: list[str]) -> str:
    """The message: a sentence is preferred to a code or the name of the status."""
    first, *others = [each for each in words if each not in PHRASES] or words or [""]
    sentence = next((each for each in others if " " in each), "")
    return f"{first}: {sentence}" if sentence and " " not in first else first


def _anything(body: object, name: str = "") -> Iterator[str]:
    """Every text of a body with its key, for unknown formats."""
    if isinstance(body, dict):
        for key, value in body.items():
            yield from _anything(value, str(key))
    elif isinstance(body, list):
        for value in body:
            yield from _anything(value, name)
    elif isinstance(body, str) and body.strip():
        yield f"{name}: {_visible(body)}" if name else _visible(body)


def _problems(body: object) -> Iterator[Problem]:
    known = _folded(body) if isinstance(body, dict) else {}
    values = [body] if isinstance(body, list) else [known.get(key) for key in LIST_KEYS]
    for value in values:
        if isinstance(value, list):
            yield from map(_problem, value)
        elif isinstance(value, dict):
            yield from _by_field(value)


def _by_field(value: dict[str, Any]) -> Iterator[Problem]:
    """Field problems of the form `{"email": ["is required"]}`."""
    listed = [item for each in value.values() if isinstance(each, list) for item in each]
    if _folded(value).keys() & {*TEXT_KEYS} or any(isinstance(item, dict) for item in listed):
        yield from _problems(value)
        return
    for name, words in value.items():
        for word in words if isinstance(words, list) else [words]:
            yield Problem(plain(name, 100), plain(_words(word) or str(word)), SOURCE)


def _problem(item: object) -> Problem:
    if not isinstance(item, dict):
        return Problem("", plain(_words(item) or str(item)), SOURCE)
    known = _folded(item)
    source = known.get("source")  # where JSON:API names the field
    named = {**(_folded(source) if isinstance(source, dict) else {}), **known}
    name = next((named[key] for key in FIELD_KEYS if named.get(key)), "")
    words = next((text for key in WORD_KEYS if (text := _words(known.get(key)))), "")
    return Problem(plain(_dotted(name), 100), plain(words or "is refused"), SOURCE)


def _dotted(field: object) -> str:
    """`a.0.b`, from a list of steps or a JSON pointer too."""
    parts = field if isinstance(field, list) else [field]
    text = ".".join(str(part) for part in parts)
    return text.removeprefix("/data/attributes").strip("/").replace("/", ".")
