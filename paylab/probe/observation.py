"""Read words, names, limits and lists from responses to other questions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ..spec import codes
from ..spec.codes import STATUSES
from . import lists, refusals
from .answers import ServiceReply
from .inquiry import Inquiry, keys_of, ordered
from .orders import answered, quote_facts
from .requests import retry_header, retry_unit

CREATED = {
    "individuals.create": "individuals",
    "quotes.create": "quotes",
    "transfers.create": "transfers",
    "sandbox.deposit": "sandbox_deposits",
    "webhook_subscriptions.create": "webhook_subscriptions",
    "webhook_subscriptions.delete": "webhook_subscription",
}
"""The key in [success_codes] of operations without a documented success code."""
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
        if row.get("source_amount") is not None and not inquiry.knows("amounts.answers"):
            form = "text" if isinstance(row["source_amount"], str) else "number"
            inquiry.answer("amounts.answers", form, why="in the list of transfers")
    for row in (*found.get("conversion_accounts", ()), *found.get("transfers", ())):
        instructions(inquiry, row.get("deposit_instructions"))
    for reply in inquiry.requests.limited:
        limits(inquiry, reply)


def _words(inquiry: Inquiry, key: str, new: set[str]) -> None:
    """Add words that are not in the specification to the assumed ones."""
    assumed = inquiry.assumed.value(key)
    usual = [str(each) for each in assumed] if isinstance(assumed, tuple) else []
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
    assumed = inquiry.assumed.value(key)
    usual = {str(each) for each in assumed} if isinstance(assumed, tuple) else set()
    if final | (again & usual):
        known = (usual | final) - again
        inquiry.answer(key, ordered(sorted(known), key), why="as far as individuals show it")


def _details(row: Row) -> list[Row]:
    return [each for each in row.get("status_details") or () if isinstance(each, dict)]


def instructions(inquiry: Inquiry, held: object, *replies: ServiceReply) -> None:
    """The names in the details of deposit instructions."""
    if not isinstance(held, dict):
        return
    start = f"deposit_instructions.{held.get('type')}.fields."
    keys = {key.removeprefix(start): key for key in keys_of(start) if not inquiry.knows(key)}
    answered(inquiry, keys, held.get("details"), *replies)


def limits(inquiry: Inquiry, reply: ServiceReply) -> None:
    """The header of a 429 with the time to wait, and its unit."""
    header = retry_header(reply)
    if header is None:
        inquiry.unclear("rate_limits.header", "a 429 had no header that says when", reply)
        return
    assumed = str(inquiry.value("rate_limits.header"))
    spelled = {name.lower(): name for name in (assumed, "X-RateLimit-Reset", "RateLimit-Reset")}
    name = spelled.get(header[0], "-".join(part.title() for part in header[0].split("-")))
    inquiry.answer("rate_limits.header", name, reply)
    inquiry.answer("rate_limits.unit", retry_unit(*header, reply.call.when), reply)


def read_calls(inquiry: Inquiry, replies: Iterable[ServiceReply]) -> None:
    """Find answers in recorded calls; nothing is sent."""
    rows: dict[str, list[Any]] = {}
    pages: list[lists.List] = []
    for reply in replies:
        operation = _operation(inquiry, reply)
        if reply.status == 429:
            limits(inquiry, reply)
        elif not reply.went_well:
            _refusal(inquiry, operation, reply)
        elif operation.endswith(".list"):
            name = operation.removesuffix(".list")
            inquiry.answer(f"paths.{name}", reply.call.path, reply)
            pages.append(lists.List(inquiry, name, reply))
            rows.setdefault(name, []).extend(pages[-1].rows)
        elif operation:
            _success(inquiry, operation, reply)
            rows.setdefault(operation.partition(".")[0], []).append(reply.object)
    for one in _first(pages):
        one.order()
        if one.more and not one.first.call.url.partition("?")[2]:
            one.note("default_limit", len(one.rows))
    lists.answer_parts(inquiry, list(_first(pages)))
    observe(inquiry, rows)


def _operation(inquiry: Inquiry, reply: ServiceReply) -> str:
    """The operation of a recorded call, "" for none."""
    there = inquiry.service.match(reply.call.path)[0].get(reply.call.method)
    return there.operation if there else ""


def _first(pages: Iterable[lists.List]) -> Iterator[lists.List]:
    """The first page of each list."""
    seen: set[str] = set()
    for one in pages:
        if one.name not in seen and "cursor=" not in one.first.call.url:
            seen.add(one.name)
            yield one


def _success(inquiry: Inquiry, operation: str, reply: ServiceReply) -> None:
    if operation in CREATED:
        inquiry.answer(f"success_codes.{CREATED[operation]}", reply.status, reply)
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
