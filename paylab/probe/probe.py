"""The probe: its questions in order, its permissions, and its report."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from ..client.call import Call
from ..client.sender import Sender
from ..errors import ConfigError, Problem, RuleError
from ..signing.snippets import DIALECT
from ..spec import assumptions, codes
from ..spec.codes import STATUSES
from ..spec.operations.records import OPERATIONS
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
from .answers import ServiceReply
from .inquiry import UNKNOWN_ID, WRITES, Inquiry, Question, ask_all, field_keys, ordered
from .orders import amount_form, answered, quote_facts
from .report import NOT_ASKED, ProbeFinding, Report, service_of
from .requests import (
    ASK_FOR_WRITE,
    BUDGET,
    Dialect,
    NotAskedError,
    Requests,
    retry_header,
    retry_unit,
)

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
    keep = partial(record.save, kept) if kept is not None else lambda _: None
    signing = inquiry.service.signing
    inquiry.requests.dialect = Dialect(**{name: getattr(signing, name) for name in DIALECT})
    try:
        ask_all(inquiry, [each for each in QUESTIONS if each.level != WRITES], keep)
        forbidden = forbidden_writes(inquiry, sandbox=sandbox) if write else ASK_FOR_WRITE
        inquiry.requests.writes = not forbidden
        if local and not forbidden:
            inquiry.memory[deliveries.LISTENER] = deliveries.Listener()
        ask_all(inquiry, [each for each in QUESTIONS if each.level == WRITES], keep, forbidden)
        observe(inquiry, inquiry.rows)
        for held in inquiry.instructions:
            instructions(inquiry, held)
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
    accepted = [
        f"{call.method} {call.path} was meant to be refused and was answered {call.status}"
        for call in (reply.call for reply in requests.accepted)
    ]
    return Report(
        tuple(_finding(inquiry, key, reason) for key in assumptions.KEYS),
        service_of(inquiry.assumed, inquiry.found, on),
        sent=requests.sent,
        made=tuple(inquiry.made),
        remarks=(*inquiry.remarks, *accepted),
        address=requests.sender.settings.base_url,
        on=on,
        complete=not inquiry.stopped,
    )


def _finding(inquiry: Inquiry, key: str, reason: str) -> ProbeFinding:
    if key in inquiry.found:
        return inquiry.found[key]
    why = next((why for start, why in UNANSWERABLE.items() if key.startswith(start)), "")
    return ProbeFinding(key, NOT_ASKED, None, why or reason or ASK_FOR_WRITE)


Row = Mapping[str, Any]


def observe(inquiry: Inquiry, rows: Mapping[str, Iterable[Any]]) -> None:
    """Read the statuses, codes, amounts and instructions of rows, and every 429."""
    found = {name: [row for row in each if isinstance(row, dict)] for name, each in rows.items()}
    for name, usual in STATUSES.items():
        statuses = {str(row["status"]) for row in found.get(name, ()) if row.get("status")}
        _words(inquiry, f"statuses.{name}", statuses - {*usual})
    seen = {str(each.get("code")) for row in found.get("individuals", ()) for each in _details(row)}
    _words(inquiry, "statuses.detail_codes", seen - {*codes.STATUS_DETAIL_CODES, "None"})
    _terminal(inquiry, found.get("individuals", ()))
    for row in found.get("transfers", ()):
        amount_form(inquiry, row, why="in the list of transfers")
    for row in (*found.get("conversion_accounts", ()), *found.get("transfers", ())):
        instructions(inquiry, row.get("deposit_instructions"))
    for reply in inquiry.requests.limited:
        limits(inquiry, reply)


def _words(inquiry: Inquiry, key: str, new: set[str]) -> None:
    """Add words that are not in the specification to the assumed ones."""
    usual = inquiry.words(key)
    if new - {*usual}:
        inquiry.answer(key, ordered([*usual, *sorted(new - {*usual})], key))
    else:
        inquiry.skip(key, "no answer had another one; which ones there are cannot be asked")


def _terminal(inquiry: Inquiry, people: Iterable[Row]) -> None:
    """Codes seen with rejected, and codes seen with action_required."""
    key, ends = "verification.terminal_codes", dict[str, set[str]]()
    for row in people:
        codes_of = {str(each.get("code")) for each in _details(row)}
        ends.setdefault(str(row.get("status")), set()).update(codes_of)
    final, again = ends.get("rejected", set()), ends.get("action_required", set())
    usual = {*inquiry.words(key)}
    if final | (again & usual):
        known = (usual | final) - again
        inquiry.answer(key, ordered(sorted(known), key), why="as far as individuals show it")


def _details(row: Row) -> list[Row]:
    return [each for each in row.get("status_details") or () if isinstance(each, dict)]


def instructions(inquiry: Inquiry, held: object, *replies: ServiceReply) -> None:
    """The names in the details of deposit instructions."""
    if not isinstance(held, dict):
        return
    keys = field_keys(f"deposit_instructions.{held.get('type')}")
    keys = {our: key for our, key in keys.items() if not inquiry.knows(key)}
    answered(inquiry, keys, held.get("details"), *replies)


def limits(inquiry: Inquiry, reply: ServiceReply) -> None:
    """The header of a 429 with the time to wait, and its unit."""
    header = retry_header(reply)
    if header is None:
        inquiry.unclear("rate_limits.header", "a 429 had no header that says when", reply)
        return
    assumed = str(inquiry.value("rate_limits.header"))
    spelled = {name.lower(): name for name in (assumed, "X-RateLimit-Reset", "RateLimit-Reset")}
    name = spelled.get(header[0], header[0].title())
    inquiry.answer("rate_limits.header", name, reply)
    inquiry.answer("rate_limits.unit", retry_unit(*header, reply.call.when), reply)


def read_calls(inquiry: Inquiry, replies: Iterable[ServiceReply]) -> None:
    """Find answers in recorded calls; nothing is sent."""
    pages: list[lists.List] = []
    for reply in replies:
        there = inquiry.service.match(reply.call.path)[0].get(reply.call.method)
        operation = there.operation if there else ""
        if reply.status == 429:
            limits(inquiry, reply)
        elif not reply.went_well:
            _refusal(inquiry, operation, reply)
        elif operation.endswith(".list"):
            name = operation.removesuffix(".list")
            inquiry.answer(f"paths.{name}", reply.call.path, reply)
            pages.append(lists.List(inquiry, name, reply))
            inquiry.rows.setdefault(name, []).extend(pages[-1].rows)
        elif operation:
            _success(inquiry, operation, reply)
            inquiry.rows.setdefault(operation.partition(".")[0], []).append(reply.object)
    for one in _first(pages):
        one.order()
        if one.more and not one.first.call.url.partition("?")[2]:
            one.note("default_limit", len(one.rows))
    lists.answer_parts(inquiry, list(_first(pages)))
    observe(inquiry, inquiry.rows)


def _first(pages: Iterable[lists.List]) -> Iterator[lists.List]:
    """The first page of each list."""
    seen: set[str] = set()
    for one in pages:
        if one.name not in seen and "cursor=" not in one.first.call.url:
            seen.add(one.name)
            yield one


def _success(inquiry: Inquiry, operation: str, reply: ServiceReply) -> None:
    for key in OPERATIONS[operation].success:
        if isinstance(key, str):
            inquiry.answer(key, reply.status, reply)
    if operation == "quotes.create":
        quote_facts(inquiry, reply.object, reply)
    held = reply.object.get("deposit_instructions")
    instructions(inquiry, held, reply)


def _refusal(inquiry: Inquiry, operation: str, reply: ServiceReply) -> None:
    """The shape of a refusal of fields, and its status where the specification shows none."""
    if not reply.complaints or not any(each.field for each in reply.complaints):
        return
    if operation in ("individuals.create", "quotes.create", "transfers.create"):
        inquiry.answer("error_codes.validation", reply.status, reply)
    if not inquiry.knows("errors.content"):
        refusals.read_error_body(inquiry, reply, reply)
