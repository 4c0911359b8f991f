"""The error to raise for a call that failed, and what to try."""

from __future__ import annotations

import re
from dataclasses import dataclass

from ..errors import (
    APIStatusError,
    PaylabError,
    ReadOnlyError,
    RedirectError,
    for_status,
)
from ..redaction.redaction import Redaction
from ..spec.service import Service
from ..spec.text import plain
from . import assumption_hints
from .assumption_hints import Doubt
from .call import Call
from .orders import NOTHING_SENT
from .request import Exchange, OutgoingRequest, Trouble
from .response import read_refusal
from .retries import TOO_MANY_REQUESTS, asked_wait, not_before
from .settings import Settings


@dataclass(frozen=True)
class Hint:
    """A hint, and the refusals it applies to."""

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
        "list again from the start: a cursor is valid only in its list and with the same filters",
    ),
    Hint(
        _on(400),
        "idempotency",
        r"\.create$|^POST$",
        "an Idempotency-Key is a UUID of 36 characters; omit it and paylab makes one",
    ),
    Hint(
        _on(400),
        "verifies with images",
        r"\.submit_token$",
        "this individual verifies with images: lab.individuals.upload_images(id, {...})",
    ),
    Hint(
        _on(401),
        "",
        "",
        "the signature is correct by the spec: API key and secret may not belong "
        "together or to this service, or a proxy changes Host, path or query; "
        "`paylab doctor` checks the settings, lab.explain() shows what was signed",
    ),
    Hint(
        _on(403),
        "",
        r"^sandbox\.",
        "deposits can be simulated only in the sandbox: check the base URL and the keys",
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
        "an off-ramp needs a wallet of the recipient on its source network, to which the "
        "stablecoins are returned if it fails: lab.financial_accounts.create(individual_id, "
        '"crypto_wallet", {"address": ..., "network": ...}), then send it again',
    ),
    Hint(
        _on(422),
        "ask for a new one",
        r"^transfers\.create$",
        "a quote expires soon and can be used for one transfer: get a new one with "
        "lab.quotes.create(...)",
    ),
    Hint(
        _on(422),
        "",
        r"\.(submit_token|upload_images)$",
        "the individual must be in action_required: get it and read status and status_details",
    ),
    Hint(_on(429), "", "", "wait before the next request, and send requests less often"),
    Hint(range(300, 400), "", "", "set the base URL to the address that the service redirects to"),
)


def hint(status: int, text: str, operation: str) -> str | None:
    """The first hint that matches a refusal, or None; without an operation, by the method."""
    for row in HINTS:
        if (
            status in row.statuses
            and row.words in text.lower()
            and re.search(row.operations, operation)
        ):
            return row.advice
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
    if exchange.trouble is not None:
        return _trouble(exchange.trouble, outgoing, call)
    status = exchange.status or 0
    if status in REDIRECTS:
        return _redirect(status, exchange, call, redaction)
    return _refusal(outgoing, exchange, call, redaction, service)


def _trouble(trouble: Trouble, outgoing: OutgoingRequest, call: Call) -> PaylabError:
    error = trouble.error(f"{call.method} {call.path}: {call.error}", call)
    error.hint = _after_trouble(trouble, outgoing)
    return error


def _after_trouble(trouble: Trouble, outgoing: OutgoingRequest) -> str | None:
    if outgoing.method == "GET":
        return None if trouble.arrived else _unreachable(outgoing)
    if not trouble.arrived:
        return NOTHING_SENT
    if outgoing.repeatable:
        key = outgoing.idempotency_key
        return f"it may have been carried out: send the same again with idempotency_key={key!r}"
    return "it may have been carried out: check before sending it again"


def _unreachable(outgoing: OutgoingRequest) -> str:
    host = outgoing.url.netloc.decode()
    return f"check that {host} is right and reachable; `paylab doctor` shows the settings"


def _redirect(status: int, exchange: Exchange, call: Call, redaction: Redaction) -> APIStatusError:
    target = plain(redaction.text(exchange.headers.get("location", "")))
    text = f"redirects to {target or 'nowhere'}, which is not followed"
    return RedirectError(status, text, call=call, hint=hint(status, text, ""))


def _refusal(
    outgoing: OutgoingRequest,
    exchange: Exchange,
    call: Call,
    redaction: Redaction,
    service: Service,
) -> APIStatusError:
    status = exchange.status or 0
    refusal = read_refusal(status, exchange.content, redaction, service.errors)
    error = for_status(status)(
        status,
        refusal.text,
        problems=refusal.problems,
        body=refusal.body,
        call=call,
        hint=_hint(status, refusal.text, outgoing, exchange, call, service),
    )
    assumption_hints.of_refusal(error, outgoing, refusal.text, service)
    if status == TOO_MANY_REQUESTS and _asked(exchange, call, service) is None:
        assumption_hints.name_assumptions(error, [Doubt("rate_limits.header")])
    return error


def _asked(exchange: Exchange, call: Call, service: Service) -> float | None:
    """Seconds that the service asks to wait."""
    limits = service.rate_limits
    return asked_wait(exchange.headers, call.when, limits.header, limits.unit)


def _hint(  # noqa: PLR0913 - all that advice can depend on
    status: int,
    text: str,
    outgoing: OutgoingRequest,
    exchange: Exchange,
    call: Call,
    service: Service,
) -> str | None:
    until = not_before(_asked(exchange, call, service), call.when)
    if until:
        return f"the service asks not to be called again before {until}"
    return _found(call) or hint(status, text, outgoing.operation or outgoing.method)


def _found(call: Call) -> str | None:
    return call.finding and f"the doctor finds {call.finding}"
