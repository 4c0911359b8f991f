"""The error to raise for a call that failed: the words of the service, and what to try."""

from __future__ import annotations

from dataclasses import replace
from http.client import responses

from ..errors.api import APIStatusError, RedirectError, error_class_of_status
from ..errors.base import PaylabError, ReadOnlyError
from ..redaction.redaction import Redaction
from ..spec.error_body import ErrorBody, read_error
from ..spec.service.error_bodies import ErrorSettings
from ..spec.service.service import Service
from ..spec.text import plain, read_json
from .advice import Advisor
from .call import Call
from .exchange import Exchange, TransportFailure
from .orders import NOTHING_SENT
from .refusal_kinds import RATE
from .request import OutgoingRequest
from .retries import wait_advice
from .settings import Settings


def read_only_error(
    request: OutgoingRequest, settings: Settings, redaction: Redaction
) -> ReadOnlyError:
    """The error of a request that a read-only lab does not send."""
    setting_source = settings.source_by_setting.get("read_only", "argument")
    error = ReadOnlyError(
        f"{request.method} {redaction.text(request.path)} was not sent: "
        f"this lab is read-only ({setting_source}) and sends nothing but GETs"
    )
    error.hint = (
        "to send it, set PAYLAB_READ_ONLY=0, or read_only = false in the profile, "
        "or in Python connect with read_only=False"
    )
    return error


def make_failure(
    exchange: Exchange, call: Call, redaction: Redaction, service: Service
) -> PaylabError:
    """The error of a failed exchange."""
    transport_failure = exchange.failure
    if transport_failure is not None:
        error = transport_failure.error(f"{call.method} {call.path}: {call.error}", call)
        error.hint = _advise_after_failure(transport_failure, exchange.request)
        return error
    if 300 <= exchange.status < 400:
        target_text = plain(redaction.text(exchange.headers.get("location", ""))) or "nowhere"
        redirect_text = f"redirects to {target_text}, which is not followed"
        advice_text = "set the base URL to the address that the service redirects to"
        return RedirectError(exchange.status, redirect_text, call=call, hint=advice_text)
    return _make_refusal(exchange, call, redaction, service)


def _advise_after_failure(
    transport_failure: TransportFailure, outgoing: OutgoingRequest
) -> str | None:
    """Advise after a request without an answer, by whether the request may have arrived.

    None for a GET that may have arrived: the error says all.
    """
    if outgoing.method == "GET":
        host = outgoing.url.netloc.decode()
        advice = f"check that {host} is right and reachable; `paylab doctor` shows the settings"
        return None if transport_failure.arrived else advice
    if not transport_failure.arrived:
        return NOTHING_SENT
    if outgoing.repeatable:
        idempotency_key = outgoing.idempotency_key
        repetition_text = f"send the same again with idempotency_key={idempotency_key!r}"
        return f"it may have been carried out: {repetition_text}"
    return "it may have been carried out: check before sending it again"


def _describe_finding(finding: str, refusal_text: str) -> str:
    """The mistake in a signature, with its message unless the refusal says the same."""
    mistake_id, _, message = finding.partition(": ")
    if mistake_id == "stale-date":
        detail_text = ": set this machine's clock"
    else:
        detail_text = "" if message in refusal_text else f": {message}"
    return f"the signature check found {mistake_id}{detail_text}"


def _make_refusal(
    exchange: Exchange, call: Call, redaction: Redaction, service: Service
) -> APIStatusError:
    """The error of an answer with a status of 400 or more, with what to try."""
    outgoing_request = exchange.request
    status = exchange.status
    rate_limits = service.rate_limits
    refusal = read_refusal(status, exchange.content, redaction, error_settings=service.errors)
    advisor = Advisor(outgoing_request, status, error_body=refusal, service=service)
    is_rate = advisor.kind is RATE
    wait_text = wait_advice(exchange.headers, call.when, rate_limits, is_rate=is_rate)
    refusal_advice = advisor.advice(wait_text)
    advice_text = refusal_advice.text
    assumption_id = refusal_advice.assumption
    if call.finding:  # it is surer than the words of the refusal
        advice_text = _describe_finding(call.finding, refusal.text)
        assumption_id = None
    error_class = error_class_of_status(status)
    error = error_class(
        status, refusal.text, problems=refusal.problems, body=refusal.body, call=call
    )
    hints = [advice_text]
    if not advice_text or "your provider" in advice_text:
        hints.append(_advise_to_ask_provider(error))
    error.hint = "; ".join(filter(None, hints)) or None
    error.assumption = assumption_id
    return error


def _advise_to_ask_provider(error: APIStatusError) -> str | None:
    """The advice to let the provider look a refusal up; None without an id of the request."""
    if not error.request_id:
        return None
    return f"your provider can look this call up by its id {plain(error.request_id, 80)}"


def read_refusal(
    status: int, content: bytes, redaction: Redaction, error_settings: ErrorSettings | None = None
) -> ErrorBody:
    """The words and field problems of a refusal, without secrets.

    Without words, the name of the status stands for them. The places that `error_settings`, the
    settings [errors] of a service, name are read before all others.
    """
    body_text = redaction.text(content.decode("utf-8", "replace"))
    try:
        body = redaction.json(read_json(content.decode("utf-8-sig")))
        error_body = read_error(body, error_settings)
    except (ValueError, RecursionError):
        error_body = replace(read_error(body_text), body=body_text or None)
    # Redacted once more: the reader has removed markup and entities, which may split a secret.
    problems = tuple(
        replace(
            problem, field=redaction.text(problem.field), message=redaction.text(problem.message)
        )
        for problem in error_body.problems
    )
    refusal_text = plain(redaction.text(error_body.text)).removeprefix(f"{status} ")
    if not refusal_text:
        refusal_text = responses.get(status, "no reason given")
    return replace(error_body, text=refusal_text, problems=problems)
