"""The probe: its questions in order, what it may send, and the report that it ends with."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ..client.sender import Sender
from ..spec import assumptions
from ..spec.service import Service
from . import accounts, bodies, dialect, lists, paths, refusals
from .inquiry import LEVELS, WRITES, Inquiry, Question, run
from .report import Finding, Report, service_of
from .requests import BUDGET, Dialect, Requests

QUESTIONS: tuple[Question, ...] = (
    *dialect.QUESTIONS,
    *lists.QUESTIONS,
    *paths.QUESTIONS,
    *accounts.QUESTIONS,
    *refusals.QUESTIONS,
    *bodies.QUESTIONS,
)
"""Every question, in the order in which one needs the answer of another."""

UNANSWERABLE: Mapping[str, str] = {}
"""What cannot be seen from outside, and why, by key or the beginning of keys."""


def probe(
    sender: Sender,
    *,
    service: Service | None = None,
    write: bool = False,
    budget: int = BUDGET,
    pace: float = 0.0,
) -> Report:
    """Ask a service every question that the level allows.

    `service` is what is assumed; `write` allows objects to be made.
    """
    requests = Requests(sender, budget=budget, pace=pace, writes=write)
    assumed = service or Service()
    requests.dialect = Dialect(assumed.signing.empty_query, assumed.signing.key_encoding)
    inquiry = Inquiry(requests, assumed)
    try:
        run(inquiry, QUESTIONS, LEVELS if write else LEVELS[:2])
    finally:
        requests.close()
    return report(inquiry)


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
