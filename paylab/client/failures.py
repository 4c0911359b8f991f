"""The one error that tells why an exchange did not end well."""

from __future__ import annotations

from ..errors import APIStatusError, PaylabError, RedirectError, for_status
from ..printable import plain
from ..redaction import Redaction
from .call import Call
from .exchange import Exchange, Trouble
from .hints import hint
from .outgoing import Outgoing
from .refusals import read_refusal
from .retries import not_before

NOTHING_SENT = "nothing was sent: it is safe to send it again"
REDIRECTS = range(300, 400)


def look_first(path: str) -> str:
    """What to do when a key does not make sure that sending again makes no second one."""
    return f"it may have been carried out: look with GET {path} before sending"


def failure(
    outgoing: Outgoing, exchange: Exchange, call: Call, redaction: Redaction
) -> PaylabError:
    """The error of an exchange that did not go well."""
    if exchange.trouble is not None:
        return _trouble(exchange.trouble, outgoing, call)
    status = exchange.status or 0
    if status in REDIRECTS:
        return _redirect(status, exchange, call, redaction)
    return _refusal(status, exchange, call, redaction)


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


def _refusal(status: int, exchange: Exchange, call: Call, redaction: Redaction) -> APIStatusError:
    said = read_refusal(status, exchange.content, redaction)
    return for_status(status)(
        status,
        said.text,
        problems=said.problems,
        body=said.body,
        call=call,
        hint=_hint(status, said.text, exchange, call),
    )


def _hint(status: int, text: str, exchange: Exchange, call: Call) -> str | None:
    until = not_before(exchange.headers.get("retry-after", ""), call.when)
    if until:
        return f"the service asks not to be called again before {until}"
    return _found(call) or hint(status, text, f"{call.method} {call.path}")


def _found(call: Call) -> str | None:
    return call.finding and f"the doctor finds {call.finding}"
