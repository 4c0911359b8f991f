"""Find the paths of operations: try the assumed one, then common variants."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import partial

from ..spec import assumptions
from ..spec.service_keys import NONE
from .answers import ServiceReply
from .inquiry import READS, REFUSALS, UNKNOWN_ID, Inquiry, Question, filled

NOWHERE = "/v1/paylab-probe-no-such-path"
VARIANTS: Mapping[str, tuple[str, ...]] = {
    "individuals": ("/v1/customers", "/v1/users", "/v1/recipients", "/v1/individuals/list"),
    "create_individual": ("/v1/customers", "/v1/users", "/v1/recipients"),
    "conversions": ("/v1/onramp/conversions", "/v1/on_ramp/conversions", "/v1/on-ramp/conversions"),
    "conversion": ("/v1/conversions/{id}",),
    "conversion_accounts": ("/v1/conversions/accounts", "/v1/onramp/conversion_accounts"),
    "webhook_subscriptions": ("/v1/webhooks", "/v1/webhooks/subscriptions"),
    "create_webhook_subscription": ("/v1/webhooks", "/v1/webhooks/subscriptions"),
    "transfers": ("/v1/payouts", "/v1/payments"),
    "create_transfer": ("/v1/payouts", "/v1/payments"),
    "quotes": ("/v1/transfer_quotes", "/v1/quotes/create", "/v1/fx/quotes", "/v1/rates/quotes"),
    "sandbox_deposits": (
        *("/v1/sandbox_deposits", "/v1/simulations/deposits", "/v1/sandbox/simulate-deposit"),
        *("/v1/sandbox/conversion_accounts/{id}/deposits", "/v1/simulate/deposits"),
        "/v1/conversion_accounts/{id}/deposit",
    ),
    "verification_images": ("/v1/individuals/{id}/images", "/v1/individuals/{id}/documents"),
    "delete_webhook_subscription": ("/v1/webhook_subscriptions/{id}/delete",),
}
"""Alternative paths from public descriptions."""

SIBLINGS: Mapping[str, tuple[str, str]] = {
    "individual": ("individuals", "create_individual"),
    "transfer": ("transfers", "create_transfer"),
    "conversion_account": ("conversion_accounts", "create_conversion_account"),
    "webhook_subscription": ("webhook_subscriptions", "create_webhook_subscription"),
    "delete_webhook_subscription": ("webhook_subscription", "webhook_subscription"),
    "conversion": ("conversions", "conversions"),
    "update_financial_account": ("create_financial_account", "create_financial_account"),
    "conversion_accounts": ("create_conversion_account", "create_conversion_account"),
    "webhook_subscriptions": ("create_webhook_subscription", "create_webhook_subscription"),
    "transfers": ("create_transfer", "create_transfer"),
    "individuals": ("create_individual", "create_individual"),
}
"""The operation from whose path another one is derived."""

CREATED = (
    *("create_individual", "create_financial_account", "create_transfer"),
    *("create_conversion_account", "create_webhook_subscription", "quotes", "sandbox_deposits"),
)
BY_ID = (
    *("individual", "transfer", "conversion_account", "webhook_subscription", "conversion"),
    "verification_images",
)
POSTED_BY_ID = (
    *("submit_verification_token", "upload_verification_images", "update_financial_account"),
)


def candidates(inquiry: Inquiry, name: str) -> list[str]:
    """The possible path templates of an operation, most likely first."""
    key = assumptions.KEYS[f"paths.{name}"]
    first = str(inquiry.value(key.name)), str(key.default or NONE), _below(inquiry, name)
    known = [*first, *map(str, key.others), *VARIANTS.get(name, ())]
    plain = [each for each in known if each and each != NONE]
    styled = [each for template in plain for each in _styles(template)]
    return [each for each in dict.fromkeys((*plain, *styled)) if _is_valid(key, each)]


def _below(inquiry: Inquiry, name: str) -> str:
    """The path derived from a sibling operation with another path than assumed."""
    for sibling in SIBLINGS.get(name, ()):
        template = str(inquiry.value(f"paths.{sibling}"))
        if template != NONE:
            is_one = name in BY_ID or name.startswith(("update_", "delete_"))
            return f"{template}/{{id}}" if is_one and "{id}" not in template else template
    return ""


def _styles(template: str) -> Iterator[str]:
    """A path in kebab, snake and singular."""
    head, version, rest = template.partition("/v1")
    parts = re.split(r"(\{[a-z_]+\})", rest)
    for old, new in (("_", "-"), ("-", "_"), (r"s(?=/|$)", "")):
        changed = (part if part.startswith("{") else re.sub(old, new, part) for part in parts)
        yield head + version + "".join(changed)


def _is_valid(key: assumptions.Key, template: str) -> bool:
    try:
        key.read(template)
    except ValueError:
        return False
    return True


def find_list(inquiry: Inquiry, name: str) -> ServiceReply | None:
    """Find a list: its first page, or None."""
    tried = []
    for template in candidates(inquiry, name):
        reply = inquiry.requests.get(template)
        tried.append(reply)
        if reply.went_well and isinstance(reply.body, dict | list):
            inquiry.answer(f"paths.{name}", template, reply)
            return reply
    _not_there(inquiry, name, tried)
    return None


def _find(inquiry: Inquiry, name: str, method: str) -> None:
    """Try templates until one exists."""
    tried, is_unclear = [], False
    for template in candidates(inquiry, name):
        reply, unknown_id = _tried(inquiry, name, method, template)
        tried.append(reply)
        there = is_there(inquiry, reply, unknown_id=unknown_id)
        if there:
            inquiry.answer(f"paths.{name}", template, reply)
            inquiry.memory[f"empty {name}"] = reply
            return
        is_unclear |= there is None
    if is_unclear:
        words = "an unknown path and an unknown id are refused alike"
        inquiry.unclear(f"paths.{name}", words, *tried[:1])
        return
    _not_there(inquiry, name, tried)


def _tried(inquiry: Inquiry, name: str, method: str, template: str) -> tuple[ServiceReply, bool]:
    """The response at a template, and whether its id may be unknown."""
    requests = inquiry.requests
    if method == "GET":
        known = _known_id(inquiry, name, template)
        return requests.get(filled(template, known)), known == UNKNOWN_ID
    path, holds_id = filled(template, UNKNOWN_ID), "{" in template
    if method == "DELETE":
        return requests.refused(path, None, method="DELETE"), holds_id
    key = requests.new_key() if name in _IDEMPOTENT else None
    return requests.refused(path, {}, key), holds_id


_IDEMPOTENT = ("create_transfer", "create_conversion_account")


def _known_id(inquiry: Inquiry, name: str, template: str) -> str:
    """The first id of the list that can be sent, or an unknown id."""
    listed = "individuals" if name == "verification_images" else f"{name}s"
    rows = inquiry.rows.get(listed, [])
    ids = (str(row.get("id") or "") for row in rows if isinstance(row, dict))
    can_send = inquiry.requests.can_send
    return next((each for each in ids if each and can_send(filled(template, each))), UNKNOWN_ID)


def is_there(inquiry: Inquiry, reply: ServiceReply, *, unknown_id: bool) -> bool | None:
    """Whether an operation exists; None if the response could be that of an unknown path.

    An unknown id is a 404 too, but usually with another message.
    """
    if reply.status in (0, 405, 501) or reply.status >= 500:
        return False
    if reply.status != 404:
        return True
    if not unknown_id:
        return False
    nowhere = inquiry.remember("nowhere", lambda: inquiry.requests.get(NOWHERE))
    if nowhere.status != 404 or _gist(reply) != _gist(nowhere):
        return True
    return False if _distinguishes(inquiry, nowhere) else None


def _distinguishes(inquiry: Inquiry, nowhere: ServiceReply) -> bool:
    """Whether the messages for an unknown id and an unknown path differ."""
    for name in ("individual", "transfer", "conversion_account"):
        path = inquiry.path(name, UNKNOWN_ID)
        if path:
            reply = inquiry.remember(f"unknown {name}", partial(inquiry.requests.get, path))
            if reply.status == 404 and _gist(reply) != _gist(nowhere):
                return True
    return False


def _gist(reply: ServiceReply) -> str:
    """The message of a refusal without path, method and id."""
    call = reply.call
    words = reply.words.replace(call.url, "").replace(call.path, "").replace(UNKNOWN_ID, "")
    return " ".join(words.replace(call.method, "").split())


def _not_there(inquiry: Inquiry, name: str, tried: list[ServiceReply]) -> None:
    """Record that no template exists: the operation is absent or has an unusual path."""
    key = assumptions.KEYS[f"paths.{name}"]
    if all(reply.status in (0, 401, 403) or reply.status >= 500 for reply in tried):
        inquiry.unclear(key.name, "it did not answer", *tried[:1])
    elif key.optional:
        inquiry.answer(key.name, NONE, *tried[:1], why=f"not at {len(tried)} likely paths")
    else:
        inquiry.unclear(key.name, f"not at {len(tried)} likely paths", *tried[:1])


def _question(level: str, method: str, *names: str) -> Question:
    """Find the paths of operations that have one method."""

    def ask(inquiry: Inquiry) -> None:
        for name in names:
            _find(inquiry, name, method)

    return Question(level, ask, *(f"paths.{name}" for name in names))


QUESTIONS = (
    _question(REFUSALS, "POST", *CREATED),  # refused for the empty body, or not found
    _question(READS, "GET", *BY_ID),  # by an id of a list, or refused for an unknown id
    _question(REFUSALS, "POST", *POSTED_BY_ID),  # refused for an unknown id, or not found
    _question(REFUSALS, "DELETE", "delete_webhook_subscription"),
)
