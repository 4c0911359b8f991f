"""The probe: its questions in order, its permissions, and its report."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from ..client.call import Call
from ..client.sender import Sender
from ..errors import ConfigError, Problem, RuleError
from ..spec import assumptions
from ..spec.service import Service
from . import (
    accounts,
    bodies,
    deliveries,
    dialect,
    lists,
    orders,
    outcomes,
    paths,
    record,
    refusals,
)
from .inquiry import UNKNOWN_ID, WRITES, Inquiry, Question, ask_all
from .observation import instructions, observe, read_calls
from .report import NOT_ASKED, ProbeFinding, Report, service_of
from .requests import BUDGET, Dialect, NotAskedError, Requests

QUESTIONS: tuple[Question, ...] = (
    *dialect.QUESTIONS,
    *lists.QUESTIONS,
    *paths.QUESTIONS,
    *accounts.QUESTIONS,
    *refusals.QUESTIONS,
    *bodies.QUESTIONS,
    deliveries.SUBSCRIBE,
    *outcomes.QUESTIONS,
    *orders.QUESTIONS,
    deliveries.UNSUBSCRIBE,
)
"""All questions, each after those that it depends on."""

DELIVERED = "--write listens for deliveries where the service is on this machine alone"
UNANSWERABLE: Mapping[str, str] = {
    "verification.terminal_codes": "a sandbox need not reject anybody for each code",
    "webhooks.signature_header": DELIVERED,
    "webhooks.id_field": DELIVERED,
    "webhooks.type_field": DELIVERED,
    "webhooks.payload_field": DELIVERED,
    "webhooks.delays": "it takes minutes and a public URL that fails",
    "webhooks.timeout": "it takes minutes and a public URL that is slow",
    "rate_limits": "no request was answered 429, and a probe does not provoke one",
    "deposit_instructions.ae": "no account with such instructions was met",
    "deposit_instructions.eu": "no account with such instructions was met",
    "deposit_instructions.gb": "no account with such instructions was met",
}
"""Prefixes of keys that cannot be probed, and the reasons."""

ASK_FOR_WRITE = "it creates objects: allow that with --write"


PRODUCTION = 403


def probe(  # noqa: PLR0913 - each is a switch of its own, and all have defaults
    sender: Sender,
    *,
    service: Service | None = None,
    write: bool = False,
    sandbox: bool = True,
    budget: int = BUDGET,
    pace: float = 0.0,
    kept: Path | None = None,
    local: bool = False,
) -> Report:
    """Ask a service all permitted questions.

    `service` has the assumptions; `write` allows creating objects, unless the service looks like a
    production one. `sandbox` declares a sandbox that cannot simulate deposits. An unfinished run
    continues from the file `kept`. A service on this machine (`local`) delivers events here.
    """
    if not isinstance(budget, int) or isinstance(budget, bool) or budget < 1:
        raise RuleError([Problem("budget", "must be a whole number of requests, 1 or more")])
    if write and sender.settings.read_only:
        raise ConfigError("--write creates objects, but this lab is read-only")
    inquiry = Inquiry(Requests(sender, budget=budget, pace=pace), service or Service())
    if kept is not None:
        record.resume(kept, inquiry)
    keep = partial(record.save, kept) if kept is not None else _forget
    signing = inquiry.service.signing
    inquiry.requests.dialect = Dialect(signing.empty_query, signing.key_encoding)
    try:
        ask_all(inquiry, [each for each in QUESTIONS if each.level != WRITES], keep=keep)
        forbidden = forbidden_writes(inquiry, sandbox=sandbox) if write else ASK_FOR_WRITE
        inquiry.requests.writes = not forbidden
        if local and not forbidden:
            inquiry.memory[deliveries.LISTENER] = deliveries.Listener()
        ask_all(inquiry, [each for each in QUESTIONS if each.level == WRITES], forbidden, keep)
        _observe(inquiry)
    finally:
        inquiry.requests.close()
        if deliveries.LISTENER in inquiry.memory:
            inquiry.memory[deliveries.LISTENER].stop()
    if kept is not None and not inquiry.stopped:
        kept.unlink(missing_ok=True)
    return report(inquiry)


def recorded(calls: Iterable[Call], sender: Sender, service: Service | None = None) -> Report:
    """Report what recorded calls show; nothing is sent."""
    inquiry = Inquiry(Requests(sender, budget=0), service or Service())
    read_calls(inquiry, [record.reply(call, sender.redaction) for call in calls])
    inquiry.requests.close()
    return report(inquiry, "the recorded calls do not show it")


def _forget(inquiry: Inquiry) -> None:
    """Store nothing of an unfinished run."""


def _observe(inquiry: Inquiry) -> None:
    """Read additional findings from all responses."""
    rows: dict[str, list[Any]] = inquiry.memory.get("rows", {})
    observe(inquiry, rows)
    for held in inquiry.memory.get("instructions", ()):
        instructions(inquiry, held)


def forbidden_writes(inquiry: Inquiry, *, sandbox: bool) -> str:
    """Why objects must not be created at this service; empty for a sandbox."""
    path = inquiry.path("sandbox_deposits", UNKNOWN_ID)
    try:
        empty = path and inquiry.remember(
            "empty sandbox_deposits", lambda: inquiry.requests.refused(path, {})
        )
    except NotAskedError as error:
        return str(error)
    if empty and empty.status == PRODUCTION:
        return "the service answers as a production one: 403 for a sandbox deposit"
    if not empty and not sandbox:
        return "the service has no sandbox deposits, so it may be a production one"
    return ""


def report(inquiry: Inquiry, reason: str = "") -> Report:
    """The report, with a finding for every key; `reason` is that of keys without one."""
    requests = inquiry.requests
    on = requests.sender.clock().date()
    return Report(
        tuple(_finding(inquiry, key, reason) for key in assumptions.KEYS),
        service_of(inquiry.assumed, inquiry.found, on),
        sent=requests.sent,
        made=tuple(inquiry.made),
        remarks=tuple(_remarks(inquiry)),
        address=requests.sender.settings.base_url,
        on=on,
        complete=not inquiry.stopped,
    )


def _finding(inquiry: Inquiry, key: str, reason: str) -> ProbeFinding:
    if key in inquiry.found:
        return inquiry.found[key]
    why = next((why for start, why in UNANSWERABLE.items() if key.startswith(start)), "")
    return ProbeFinding(key, NOT_ASKED, None, why or reason or ASK_FOR_WRITE)


def _remarks(inquiry: Inquiry) -> Iterable[str]:
    yield from inquiry.remarks
    for reply in inquiry.requests.accepted:
        call = reply.call
        yield f"{call.method} {call.path} was meant to be refused and was answered {call.status}"


__all__ = ["QUESTIONS", "UNANSWERABLE", "probe", "recorded", "report"]
