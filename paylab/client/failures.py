"""The error to raise for a call that failed: the service's words, and what to try."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from html import unescape
from http import HTTPStatus
from itertools import islice
from typing import Any

from ..errors import APIStatusError, PaylabError, Problem, ReadOnlyError, RedirectError, for_status
from ..redaction.redaction import Redaction
from ..spec.paging import value_at
from ..spec.service import Service
from ..spec.text import plain, read_json
from . import assumption_hints
from .assumption_hints import Doubt
from .call import Call
from .orders import NOTHING_SENT
from .request import Exchange, OutgoingRequest, Trouble
from .retries import TOO_MANY_REQUESTS, asked_wait, not_before
from .settings import Settings

HINTS = {
    (400, "pagination token", r"\.list$|^GET$"): (
        "list again from the start: a cursor is valid only in its list and with the same filters"
    ),
    (400, "idempotency", r"\.create$|^POST$"): (
        "an Idempotency-Key is a UUID of 36 characters; omit it and paylab makes one"
    ),
    (400, "verifies with images", r"\.submit_token$"): (
        "this individual verifies with images: lab.individuals.upload_images(id, {...})"
    ),
    (401, "", ""): (
        "the signature is correct by the spec: API key and secret may not belong "
        "together or to this service, or a proxy changes Host, path or query; "
        "`paylab doctor` checks the settings, lab.explain() shows what was signed"
    ),
    (403, "", r"^sandbox\."): (
        "deposits can be simulated only in the sandbox: check the base URL and the keys"
    ),
    (409, "", r"\.create$|^POST$"): (
        "this Idempotency-Key was used with another body in the last 24 hours: send the first "
        "body again to see its result, or use a new key for a new payment"
    ),
    (422, "crypto_wallet", r"^transfers\.create$"): (
        "an off-ramp needs a wallet of the recipient on its source network, to which the "
        "stablecoins are returned if it fails: lab.financial_accounts.create(individual_id, "
        '"crypto_wallet", {"address": ..., "network": ...}), then send it again'
    ),
    (422, "ask for a new one", r"^transfers\.create$"): (
        "a quote expires soon and can be used for one transfer: get a new one with "
        "lab.quotes.create(...)"
    ),
    (422, "", r"\.(submit_token|upload_images)$"): (
        "the individual must be in action_required: get it and read status and status_details"
    ),
    (429, "", ""): "wait before the next request, and send requests less often",
}
"""Advice by status, words in the refusal, and a pattern of the operation (else of the method)."""


def hint(status: int, text: str, operation: str) -> str | None:
    """The first hint that matches a refusal, or None."""
    for (number, words, operations), advice in HINTS.items():
        if number == status and words in text.lower() and re.search(operations, operation):
            return advice
    return None


REDIRECTS = range(300, 400)

LIFT = (
    "to send it, connect with read_only=False, or set PAYLAB_READ_ONLY=0, "
    "or read_only = false in the profile"
)


def not_sent(request: OutgoingRequest, settings: Settings, redaction: Redaction) -> ReadOnlyError:
    """The error of a request that a read-only lab does not send."""
    source = settings.where.get("read_only", "argument")
    error = ReadOnlyError(
        f"{request.method} {redaction.text(request.path)} was not sent: "
        f"this lab is read-only ({source}) and sends nothing but GETs"
    )
    error.hint = LIFT
    return error


def failure(
    outgoing: OutgoingRequest,
    exchange: Exchange,
    call: Call,
    redaction: Redaction,
    service: Service,
) -> PaylabError:
    """The error of a failed exchange."""
    trouble = exchange.trouble
    if trouble is not None:
        error = trouble.error(f"{call.method} {call.path}: {call.error}", call)
        error.hint = _after_trouble(trouble, outgoing)
        return error
    if exchange.status in REDIRECTS:
        return _redirect(exchange, call, redaction)
    return _refusal(outgoing, exchange, call, redaction, service)


def _after_trouble(trouble: Trouble, outgoing: OutgoingRequest) -> str | None:
    if outgoing.method == "GET":
        host = outgoing.url.netloc.decode()
        advice = f"check that {host} is right and reachable; `paylab doctor` shows the settings"
        return None if trouble.arrived else advice
    if not trouble.arrived:
        return NOTHING_SENT
    if outgoing.repeatable:
        key = outgoing.idempotency_key
        return f"it may have been carried out: send the same again with idempotency_key={key!r}"
    return "it may have been carried out: check before sending it again"


def _redirect(exchange: Exchange, call: Call, redaction: Redaction) -> APIStatusError:
    target = plain(redaction.text(exchange.headers.get("location", "")))
    text = f"redirects to {target or 'nowhere'}, which is not followed"
    advice = "set the base URL to the address that the service redirects to"
    return RedirectError(exchange.status or 0, text, call=call, hint=advice)


def _refusal(
    outgoing: OutgoingRequest,
    exchange: Exchange,
    call: Call,
    redaction: Redaction,
    service: Service,
) -> APIStatusError:
    status, limits = exchange.status or 0, service.rate_limits
    refusal = read_refusal(status, exchange.content, redaction, service.errors)
    asked = asked_wait(exchange.headers, call.when, limits.header, limits.unit)
    until = not_before(asked, call.when)
    if until:
        advice: str | None = f"the service asks not to be called again before {until}"
    elif call.finding:
        advice = f"the doctor finds {call.finding}"
    else:
        advice = hint(status, refusal.text, outgoing.operation or outgoing.method)
    error = for_status(status)(
        status, refusal.text, problems=refusal.problems, body=refusal.body, call=call, hint=advice
    )
    assumption_hints.of_refusal(error, outgoing, refusal.text, service)
    if status == TOO_MANY_REQUESTS and asked is None:
        assumption_hints.name_assumptions(error, [Doubt("rate_limits.header")])
    return error


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


def parse_json(content: bytes) -> Any:
    """JSON in UTF-8 with decimal fractions kept exact; ValueError when it is not JSON."""
    return read_json(content.decode("utf-8-sig"))


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
