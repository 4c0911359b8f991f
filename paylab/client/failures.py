"""Reads error bodies of any shape, and builds the error to raise."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from html import unescape
from http import HTTPStatus
from itertools import islice
from typing import Any

from ..errors import APIStatusError, PaylabError, Problem, RedirectError, for_status
from ..redaction.redaction import Redaction
from ..spec.paging import at
from ..spec.service import Service
from ..spec.text import plain
from . import assumption
from .assumption import Doubt
from .call import Call
from .exchange import Exchange, Trouble
from .request import Outgoing
from .response import parse_json
from .retries import TOO_MANY_REQUESTS, asked_wait, not_before


@dataclass(frozen=True)
class Hint:
    """Advice, and the refusals it applies to."""

    statuses: range
    words: str
    operations: str
    advice: str


def _on(status: int) -> range:
    return range(status, status + 1)


HINTS = (
    Hint(
        _on(400),
        "pagination token",
        r"\.list$|^GET$",
        "list again from the start: a cursor is only good in the list and for the filters it "
        "came with",
    ),
    Hint(
        _on(400),
        "idempotency",
        r"\.create$|^POST$",
        "an Idempotency-Key is a UUID of 36 characters; leave it out and paylab makes one",
    ),
    Hint(
        _on(400),
        "verifies with images",
        r"\.submit_token$",
        "this individual is asked for pictures: lab.individuals.upload_images(id, {...})",
    ),
    Hint(
        _on(401),
        "",
        "",
        "the doctor finds the signature to be the one the spec gives: API key and secret may not "
        "belong together or to this service, or something on the way changes Host, path or query; "
        "`paylab doctor` checks the settings, lab.explain() shows what was signed",
    ),
    Hint(
        _on(403),
        "",
        r"^sandbox\.",
        "deposits can be simulated in the sandbox only: check the base URL and the keys",
    ),
    Hint(
        _on(409),
        "",
        r"\.create$|^POST$",
        "this Idempotency-Key was used with another body in the last 24 hours: send the first "
        "body again to see its result, or use a new key for a new payment",
    ),
    Hint(
        _on(422),
        "crypto_wallet",
        r"^transfers\.create$",
        "an off-ramp needs a wallet of the recipient's on the network it comes from, where the "
        "stablecoins go back to should it fail: lab.financial_accounts.create(individual_id, "
        '"crypto_wallet", {"address": ..., "network": ...}), then send it again',
    ),
    Hint(
        _on(422),
        "ask for a new one",
        r"^transfers\.create$",
        "a quote holds for a short while and is good for one transfer: lab.quotes.create(...) "
        "gives a fresh one",
    ),
    Hint(
        _on(422),
        "",
        r"\.(submit_token|upload_images)$",
        "the individual must be in action_required: get it and read status and status_details",
    ),
    Hint(_on(429), "", "", "wait before asking again, and ask less often"),
    Hint(range(300, 400), "", "", "set the base URL to the address you mean to sign requests for"),
)


def hint(status: int, text: str, operation: str) -> str | None:
    """The first advice that fits a refusal, or None; without an operation, by the method."""
    for row in HINTS:
        if (
            status in row.statuses
            and row.words in text.lower()
            and re.search(row.operations, operation)
        ):
            return row.advice
    return None


# Names of keys without case and underscores, the likeliest first.
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
# What every body of a status says; other words beside it say more.
PHRASES = frozenset(status.phrase for status in HTTPStatus)
MOST_WORDS = 10
MOST_PROBLEMS = 100
# Problems the service listed rest on no rule of ours.
SOURCE = "service"

INVISIBLE = re.compile(r"<(script|style|title)\b.*?</\1\s*>|<!--.*?-->", re.DOTALL | re.IGNORECASE)
TAG = re.compile(r"<[^<>]*>")
MARKUP = re.compile(r"<(!doctype|html|head|body|div|p|pre|h[1-6])\b", re.IGNORECASE)
# Looking for the end of an element that never ends takes quadratic time.
LONGEST_MARKUP = 2**13


@dataclass(frozen=True)
class Said:
    """The service's words, its field problems, and the body."""

    text: str
    problems: tuple[Problem, ...] = ()
    body: Any = None


def read_refusal(status: int, content: bytes, redaction: Redaction, form: Any = None) -> Said:
    """The words of a refusal; the name of the status when the body has none.

    `form` are the [errors] of a service: where its words stand, before all other places.
    """
    text = redaction.text(content.decode("utf-8", "replace"))
    try:
        body = redaction.json(parse_json(content))
        stated = _problems_at(body, form) if form else ()
        problems = tuple(stated or _problems(body))[:MOST_PROBLEMS]
        stated_words = _text(at(body, form.words)) if form else ""
        words = stated_words or _words(body) or "; ".join(map(str, problems))
        if not words or words.isdigit():  # a bare number says less than any word
            words = "; ".join(islice(_anything(body), MOST_WORDS)) or words
    except (ValueError, RecursionError):
        body, problems, words = text or None, (), _visible(text)
    # Markup and entities are gone from the words: what they hid is looked for again.
    return Said(plain(redaction.text(words)) or _name(status), problems, body)


def _problems_at(body: object, form: Any) -> tuple[Problem, ...]:
    """The field problems where the service is known to list them."""
    found = at(body, form.problems)
    if form.list_form == "by_field" and isinstance(found, dict):
        return tuple(_by_field(found))
    if not isinstance(found, list):
        return ()
    return tuple(
        Problem(plain(_dotted(field), 100), plain(_words(words)), SOURCE)
        if (field := at(item, form.field)) and (words := at(item, form.message))
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
    if not MARKUP.search(text):
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
    """The first words found; a sentence is preferred to a code or the name of the status."""
    first, *others = [each for each in words if each not in PHRASES] or words or [""]
    sentence = next((each for each in others if " " in each), "")
    return f"{first}: {sentence}" if sentence and " " not in first else first


def _anything(body: object, name: str = "") -> Iterator[str]:
    """Every text of a body with its key, for unknown shapes."""
    if isinstance(body, dict):
        for key, value in body.items():
            yield from _anything(value, str(key))
    elif isinstance(body, list):
        for value in body:
            yield from _anything(value, name)
    elif isinstance(body, str) and body.strip():
        yield f"{name}: {_visible(body)}" if name else _visible(body)


def _problems(body: object) -> Iterator[Problem]:
    if isinstance(body, list):
        yield from (_problem(item) for item in body)
    if isinstance(body, dict):
        known = _folded(body)
        for key in LIST_KEYS:
            yield from _listed(known.get(key))


def _listed(value: object) -> Iterator[Problem]:
    if isinstance(value, list):
        yield from (_problem(item) for item in value)
    elif isinstance(value, dict):
        yield from _by_field(value)


def _by_field(value: dict[str, Any]) -> Iterator[Problem]:
    """Field problems of the form `{"email": ["is required"]}`."""
    if _folded(value).keys() & {*TEXT_KEYS} or any(map(_lists_objects, value.values())):
        yield from _problems(value)
        return
    for field, words in value.items():
        for word in words if isinstance(words, list) else [words]:
            yield Problem(plain(field, 100), plain(_words(word) or str(word)), SOURCE)


def _lists_objects(value: object) -> bool:
    return isinstance(value, list) and any(isinstance(item, dict) for item in value)


def _problem(item: object) -> Problem:
    if not isinstance(item, dict):
        return Problem("", plain(_words(item) or str(item)), SOURCE)
    known = _folded(item)
    source = known.get("source")  # where JSON:API names the field
    named = {**(_folded(source) if isinstance(source, dict) else {}), **known}
    field = next((named[key] for key in FIELD_KEYS if named.get(key)), "")
    words = next((said for key in WORD_KEYS if (said := _words(known.get(key)))), "")
    return Problem(plain(_dotted(field), 100), plain(words or "is refused"), SOURCE)


def _dotted(field: object) -> str:
    """`a.0.b`, from a list of steps or a JSON pointer too."""
    parts = field if isinstance(field, list) else [field]
    text = ".".join(str(part) for part in parts)
    return text.removeprefix("/data/attributes").strip("/").replace("/", ".")


NOTHING_SENT = "nothing was sent: it is safe to send it again"
REDIRECTS = range(300, 400)


def look_first(path: str) -> str:
    """The advice when an Idempotency-Key does not prevent a second object."""
    return f"it may have been carried out: look with GET {path} before sending"


def failure(
    outgoing: Outgoing, exchange: Exchange, call: Call, redaction: Redaction, service: Service
) -> PaylabError:
    """The error of a failed exchange."""
    if exchange.trouble is not None:
        return _trouble(exchange.trouble, outgoing, call)
    status = exchange.status or 0
    if status in REDIRECTS:
        return _redirect(status, exchange, call, redaction)
    return _refusal(outgoing, exchange, call, redaction, service)


def _trouble(trouble: Trouble, outgoing: Outgoing, call: Call) -> PaylabError:
    error = trouble.error(f"{call.method} {call.path}: {call.error}", call)
    error.hint = _after_trouble(trouble, outgoing)
    return error


def _after_trouble(trouble: Trouble, outgoing: Outgoing) -> str | None:
    if outgoing.method == "GET":
        return None if trouble.arrived else _unreachable(outgoing)
    if not trouble.arrived:
        return NOTHING_SENT
    if outgoing.repeatable:
        key = outgoing.idempotency_key
        return f"it may have been carried out: send the same again with idempotency_key={key!r}"
    return "it may have been carried out: look before sending it again"


def _unreachable(outgoing: Outgoing) -> str:
    host = outgoing.url.netloc.decode()
    return f"is {host} the right host, and is there a way to it? `paylab doctor` shows the settings"


def _redirect(status: int, exchange: Exchange, call: Call, redaction: Redaction) -> APIStatusError:
    target = plain(redaction.text(exchange.headers.get("location", "")))
    text = f"redirects to {target or 'nowhere'}, which is not followed"
    return RedirectError(status, text, call=call, hint=hint(status, text, ""))


def _refusal(
    outgoing: Outgoing, exchange: Exchange, call: Call, redaction: Redaction, service: Service
) -> APIStatusError:
    status = exchange.status or 0
    said = read_refusal(status, exchange.content, redaction, service.errors)
    error = for_status(status)(
        status,
        said.text,
        problems=said.problems,
        body=said.body,
        call=call,
        hint=_hint(status, said.text, outgoing, exchange, call, service),
    )
    assumption.of_refusal(error, outgoing, said.text, service)
    if status == TOO_MANY_REQUESTS and _asked(exchange, call, service) is None:
        assumption.explain(error, [Doubt("rate_limits.header")])
    return error


def _asked(exchange: Exchange, call: Call, service: Service) -> float | None:
    """Seconds that the service asks to wait."""
    limits = service.rate_limits
    return asked_wait(exchange.headers, call.when, limits.header, limits.unit)


def _hint(  # noqa: PLR0913 - all that advice can depend on
    status: int, text: str, outgoing: Outgoing, exchange: Exchange, call: Call, service: Service
) -> str | None:
    until = not_before(_asked(exchange, call, service), call.when)
    if until:
        return f"the service asks not to be called again before {until}"
    return _found(call) or hint(status, text, outgoing.operation or outgoing.method)


def _found(call: Call) -> str | None:
    return call.finding and f"the doctor finds {call.finding}"
