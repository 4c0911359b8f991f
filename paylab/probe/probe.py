"""The probe: its questions in order, what it may send, and the report that it ends with."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ..client.sender import Sender
from ..errors import ConfigError
from ..spec import assumptions
from ..spec.service import Service
from . import accounts, bodies, dialect, lists, outcomes, paths, refusals
from .inquiry import WRITES, Inquiry, Question, run
from .report import Finding, Report, service_of
from .requests import BUDGET, Dialect, Requests

QUESTIONS: tuple[Question, ...] = (
    *dialect.QUESTIONS,
    *lists.QUESTIONS,
    *paths.QUESTIONS,
    *accounts.QUESTIONS,
    *refusals.QUESTIONS,
    *bodies.QUESTIONS,
    *outcomes.QUESTIONS,
)
"""Every question, in the order in which one needs the answer of another."""

UNANSWERABLE: Mapping[str, str] = {}
"""What cannot be seen from outside, and why, by key or the beginning of keys."""


PRODUCTION = 403


def probe(  # noqa: PLR0913 - each is a switch of its own, and all have defaults
    sender: Sender,
    *,
    service: Service | None = None,
    write: bool = False,
    sandbox: bool = True,
    budget: int = BUDGET,
    pace: float = 0.0,
) -> Report:
    """Ask a service every question that the level allows.

    `service` is what is assumed; `write` allows objects to be made, unless the service answers as
    a production one. `sandbox` says that it is a sandbox when it cannot simulate deposits.
    """
    if write and sender.settings.read_only:
        raise ConfigError("--write makes objects, but this lab is read-only")
    requests = Requests(sender, budget=budget, pace=pace)
    assumed = service or Service()
    requests.dialect = Dialect(assumed.signing.empty_query, assumed.signing.key_encoding)
    inquiry = Inquiry(requests, assumed)
    try:
        run(inquiry, [each for each in QUESTIONS if each.level != WRITES])
        forbidden = forbidden_writes(inquiry, sandbox=sandbox) if write else "it makes objects"
        requests.writes = not forbidden
        run(inquiry, [each for each in QUESTIONS if each.level == WRITES], forbidden)
    finally:
        requests.close()
    return report(inquiry)


def forbidden_writes(inquiry: Inquiry, *, sandbox: bool) -> str:
    """Why nothing may be made at this service; empty when it is a sandbox."""
    empty = inquiry.memory.get("empty sandbox_deposits")
    if empty is not None and empty.status == PRODUCTION:
        return "the service answers as a production one: 403 for a sandbox deposit"
    if empty is None and not sandbox:
        return "the service has no sandbox deposits, so it may be a production one"
    return ""


def report(inquiry: Inquiry) -> Report:
    """What an inquiry found, a finding for every key."""
    requests = inquiry.requests
    on = requests.sender.clock().date()
    return Report(
        tuple(_finding(inquiry, key) for key in assumptions.KEYS),
        service_of(inquiry.assumed, inquiry.found, on),
        sent=requests.sent,
        made=tuple(inquiry.made),
        remarks=tuple(_remarks(inquiry)),
        address=requests.sender.settings.base_url,
        on=on,
        complete=requests.sent < requests.budget,
    )


def _finding(inquiry: Inquiry, key: str) -> Finding:
    if key in inquiry.found:
        return inquiry.found[key]
    reason = next((why for start, why in UNANSWERABLE.items() if key.startswith(start)), "")
    return Finding(key, "not asked", None, reason or "no question asks for it")


def _remarks(inquiry: Inquiry) -> Iterable[str]:
    yield from inquiry.remarks
    for reply in inquiry.requests.accepted:
        call = reply.call
        yield f"{call.method} {call.path} was meant to be refused and was answered {call.status}"


__all__ = ["QUESTIONS", "WRITES", "probe", "report"]
