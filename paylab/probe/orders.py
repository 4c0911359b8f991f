"""Probe orders: conversion accounts, deposits, quotes, transfers, and repeated keys.

All questions here create synthetic objects in a sandbox and need `--write`.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from decimal import Decimal
from typing import Any

from ..spec import codes, timestamps
from ..spec.service_keys import NONE
from . import objects
from .answers import ServiceReply
from .inquiry import PREFIX, WRITES, Inquiry, Question, field_keys, keys_of, ordered
from .objects import verified
from .requests import NotAskedError


def conversion_accounts(inquiry: Inquiry) -> None:
    """Create a conversion account in each country: its status and deposit instructions."""
    ready: list[str] = []
    replies: list[ServiceReply] = []
    for country in codes.ON_RAMP:
        account = _conversion_account(inquiry, country)
        replies += account.replies
        if account.status != 202:
            ready.append(country)
        found = objects.wait(inquiry, account.id, "conversion_account")
        held = found.get("deposit_instructions") or {}
        inquiry.instructions.append(held)
        _default_coin(inquiry, found, *account.replies)
    key = "conversion_accounts.at_once"
    others = [each for each in inquiry.words(key) if each not in ("MX", "PH")]
    inquiry.answer(key, ordered([*ready, *others], key), *replies)


def _conversion_account(inquiry: Inquiry, country: str) -> objects.Thing:
    name, path = f"conversion account {country}", inquiry.path("create_conversion_account")
    if name not in inquiry.made:
        body = _opening(inquiry, country)
        key = inquiry.requests.new_key()
        inquiry.memory[f"sent {name}"] = body, key
    thing = objects.made_once(inquiry, name, lambda: inquiry.requests.write(path, body, key))
    return thing if thing.id else _located(inquiry, name, thing)


def _located(inquiry: Inquiry, name: str, thing: objects.Thing) -> objects.Thing:
    """Find the object of a 202 without a body, by its Location or in the list."""
    located = thing.reply.headers.get("location", "") if thing.reply else ""
    id_ = located.rstrip("/").rpartition("/")[2]
    path = inquiry.path("conversion_accounts")
    if not id_ and path:
        found = objects.rows_of(inquiry.requests.get(path).body)
        rows = [row for row in found if isinstance(row, dict)]
        newest: dict[str, Any] = max(rows, key=lambda row: str(row.get("created_at")), default={})
        id_ = str(newest.get("id", ""))
    inquiry.made[name]["object"]["id"] = id_
    return thing._replace(object={**thing.object, "id": id_})


def _opening(inquiry: Inquiry, country: str) -> dict[str, Any]:
    wallet = verified(inquiry, country)
    owner = objects.ramp_individual(inquiry, country)
    form = inquiry.value("conversion_accounts.account_form")
    account = {"payout_account": {"id": wallet.id}}
    body: dict[str, Any] = {
        "individual_id": owner.id,
        "source_currency": objects.currency(inquiry, codes.ON_RAMP[country]),
        **(account if form == "object" else {"payout_account_id": wallet.id}),
        "client_reference_id": f"{PREFIX}-{country.lower()}",
    }
    if "destination_currency" in inquiry.value("conversion_accounts.required"):
        body["destination_currency"] = objects.currency(inquiry, "USDC")
    return inquiry.sent("conversion_accounts", body)


def answered(inquiry: Inquiry, keys: Mapping[str, str], found: Any, *replies: ServiceReply) -> None:
    """Find the field names of a response."""
    if isinstance(found, dict):
        for our, name in inquiry.match(keys, found, without=["id"]).items():
            inquiry.answer(keys[our], name, *replies)


def _default_coin(inquiry: Inquiry, found: Mapping[str, Any], *replies: ServiceReply) -> None:
    key = "conversion_accounts.default_destination_currency"
    name = str(inquiry.value("conversion_accounts.fields.destination_currency"))
    coin, assumed = found.get(name), str(inquiry.assumed.value(key))
    if isinstance(coin, str) and not inquiry.knows(key):
        same = codes.same_currency(coin, assumed)
        inquiry.answer(key, assumed if same else coin, *replies)


def stored_statuses(inquiry: Inquiry) -> None:
    """Repeat a request with its key after a 202: it is replayed, or creates another account."""
    name = "conversion account PH"
    account = _conversion_account(inquiry, "PH")
    if account.status != 202 or f"sent {name}" not in inquiry.memory:
        raise NotAskedError("no conversion account was answered 202")
    body, key = inquiry.memory[f"sent {name}"]
    reply = inquiry.requests.write(inquiry.path("create_conversion_account"), body, key)
    if reply.went_well:
        replayed = "idempotency-replayed" in reply.headers or reply.object.get("id") == account.id
        usual = [int(each) for each in inquiry.words("idempotency.stored")]
        stored = [each for each in usual if each != 202] + ([202] if replayed else [])
        inquiry.answer("idempotency.stored", tuple(stored), reply)


def deposits(inquiry: Inquiry) -> None:
    """Make two deposits, one without a sender: its conversion is held, continues, or is absent."""
    account = _conversion_account(inquiry, "MX")
    path = inquiry.path("sandbox_deposits", account.id)
    if not path:
        raise NotAskedError("the service has no sandbox deposits")
    good = objects.made_once(
        inquiry, "deposit", lambda: _deposit(inquiry, path, account.id, "10.00")
    )
    inquiry.answer("success_codes.sandbox_deposits", good.status, *good.replies)
    keys = field_keys("sandbox_deposits")
    answered(inquiry, keys, good.reply.body if good.reply else None, *good.replies)
    bare = _deposit(inquiry, path, account.id, "11.00", "")
    key = "sandbox_deposits.missing_sender"
    if not bare.went_well:
        inquiry.answer(key, "refused", bare)
        return
    word = _sender_outcome(inquiry, account.id)
    if word:
        inquiry.answer(key, word, bare)


def _deposit(
    inquiry: Inquiry, path: str, account: str, text: str, sender: str = PREFIX
) -> ServiceReply:
    body = {
        "conversion_account_id": account,
        "amount": objects.sent_amount(inquiry, text),
        "currency": objects.currency(inquiry, "MXN"),
        "sender_name": sender,
    }
    return inquiry.requests.write(path, inquiry.sent("sandbox_deposits", body))


def _sender_outcome(inquiry: Inquiry, account: str) -> str:
    """Find the outcome of the deposit without a sender after the other one has moved."""
    path = inquiry.path("conversions")
    for pause in objects.PAUSES if path else ():
        inquiry.requests.sleep(pause)
        rows = objects.rows_of(inquiry.requests.get(path).body)
        statuses = {
            Decimal(str(row["deposit"]["amount"])): str(row.get("status"))
            for row in rows
            if row.get("conversion_account_id") == account and isinstance(row.get("deposit"), dict)
        }
        good, bare = statuses.get(Decimal(10)), statuses.get(Decimal(11))
        if good in ("started", "completed") and bare:
            return "held" if bare == "pending" else "accepted"
    return ""


def quotes(inquiry: Inquiry) -> None:
    """Create a quote without a source currency: status, names, lifetime and default currency."""
    path = inquiry.path("quotes")
    if not path:
        raise NotAskedError("the service has no quotes")
    quote = objects.made_once(
        inquiry, "quote", lambda: inquiry.requests.write(path, _order(inquiry, "quotes"))
    )
    inquiry.answer("success_codes.quotes", quote.status, *quote.replies)
    quote_facts(inquiry, quote.object, *quote.replies)


def quote_facts(inquiry: Inquiry, quote: dict[str, Any], *replies: ServiceReply) -> None:
    """Read a quote: field names, lifetime, and format of amounts."""
    answered(inquiry, field_keys("quotes"), quote, *replies)
    found = inquiry.service.names("quotes").read(quote)
    given = found.get("source_currency")
    if isinstance(given, str) and not inquiry.knows("quotes.default_source_currency"):
        inquiry.answer("quotes.default_source_currency", given.lower(), *replies)
    amount_form(inquiry, found, *replies)
    length = _between(found, "created_at", "expires_at")
    if length is not None:
        inquiry.answer("quotes.lifetime", round(length.total_seconds()), *replies)


def amount_form(
    inquiry: Inquiry, found: Mapping[str, Any], *replies: ServiceReply, why: str = ""
) -> None:
    """Read from the first amount whether amounts are text or numbers."""
    amount = found.get("source_amount")
    if amount is not None and not inquiry.knows("amounts.answers"):
        form = "text" if isinstance(amount, str) else "number"
        inquiry.answer("amounts.answers", form, *replies, why=why)


def _order(inquiry: Inquiry, group: str, **more: Any) -> dict[str, Any]:
    """The terms of a payout to the MX individual."""
    account = objects.account_id_of(inquiry, "on_ramp MX", "MX")
    whole = {"financial_account": {"id": account}}
    by_id = group == "quotes" and inquiry.value("quotes.account_form") == "id"
    body: dict[str, Any] = {
        **({"financial_account_id": account} if by_id else whole),
        "payout_method": inquiry.value("rails.MX")[0],
        "destination_currency": objects.currency(inquiry, "MXN"),
        "source_amount": objects.sent_amount(inquiry, "10.00"),
    }
    default = inquiry.value("quotes.default_source_currency")
    if group == "quotes" and default == NONE:
        body["source_currency"] = objects.currency(inquiry, "USD")
    if group == "quotes" and default == "usdc":
        body["source_network"] = _network(inquiry)
    return inquiry.sent(group, {**body, **more})


def _network(inquiry: Inquiry) -> str:
    names = inquiry.service.detail_names("MX", codes.CRYPTO_WALLET)
    return str(names.read(objects.wallet_details(inquiry))["network"])


def _between(found: Mapping[str, Any], first: str, last: str) -> timedelta | None:
    try:
        begun, ended = (timestamps.from_text(str(found.get(name))) for name in (first, last))
    except ValueError:
        return None
    return ended - begun


def _transfers(inquiry: Inquiry) -> None:
    """Send a transfer, repeat it with other bytes, and reuse its key and its quote."""
    requests, path = inquiry.requests, inquiry.path("create_transfer")
    verified(inquiry, "MX")
    body = {**_paid(inquiry), **inquiry.sent("transfers", {"client_reference_id": f"{PREFIX}-1"})}
    key = requests.new_key()
    transfer = objects.made_once(inquiry, "transfer", lambda: requests.write(path, body, key))
    inquiry.answer("success_codes.transfers", transfer.status, *transfer.replies)
    if transfer.reply is None:
        raise NotAskedError("the key of the transfer belongs to an earlier run")
    amount_form(inquiry, transfer.object, transfer.reply)
    again = requests.write(path, dict(reversed(body.items())), key)
    word = "json" if again.went_well else "bytes"
    if again.went_well or again.status == 409:
        inquiry.answer("idempotency.compare", word, again)
    elsewhere = requests.refused(inquiry.path("create_conversion_account"), {}, key)
    inquiry.answer("idempotency.scope", "account" if elsewhere.status == 409 else "path", elsewhere)
    if len(body) < 4:
        used = requests.refused(path, body, requests.new_key())
        inquiry.answer("error_codes.state", used.status, used)


def _paid(inquiry: Inquiry) -> dict[str, Any]:
    """The body of a transfer: a quote, or terms."""
    quote = inquiry.made.get("quote")
    if quote and inquiry.knows("transfers.fields.quote_id"):
        return inquiry.sent("transfers", {"quote_id": quote["object"]["id"]})
    return _order(inquiry, "transfers", source_currency=objects.currency(inquiry, "USD"))


def funding(inquiry: Inquiry) -> None:
    """Create a stablecoin transfer that awaits its deposit: deadline, network and details."""
    if "deposit" not in inquiry.value("transfers.source_types"):
        raise NotAskedError("the service has no transfers that wait for a deposit")
    verified(inquiry, "MX")
    path, requests = inquiry.path("create_transfer"), inquiry.requests
    body = _order(
        inquiry,
        "transfers",
        source_currency=objects.currency(inquiry, "USDC"),
        source_type="deposit",
        client_reference_id=f"{PREFIX}-2",
    )
    bare = requests.write(path, body, requests.new_key())
    key, name = "transfers.default_network", str(inquiry.value("transfers.fields.source_network"))
    network, reply = _network(inquiry), bare
    if not bare.went_well:
        named = [word for word in codes.NETWORKS if word in bare.words and word != network]
        if name in bare.missing() or bare.about(name):
            inquiry.answer(key, named[0] if named and not bare.missing() else NONE, bare)
        elif named:
            inquiry.answer(key, named[0], bare)
        whole = {**body, name: network}
        reply = requests.write(path, whole, requests.new_key())
    if not reply.went_well:
        raise NotAskedError(f"no transfer that waits could be made: {reply.status} {reply.words}")
    inquiry.made["transfer that waits for a deposit"] = {"object": {}, "status": reply.status}
    held = reply.object.get("deposit_instructions") or {}
    inquiry.instructions.append(held)
    if bare.went_well and isinstance(held, dict) and held.get("payment_methods"):
        inquiry.answer(key, str(held["payment_methods"][0]), bare)
    length = _between(
        {**held, "created_at": reply.object.get("created_at")}, "created_at", "deadline"
    )
    if length is not None:
        inquiry.answer("transfers.deadline_hours", round(length.total_seconds() / 3600), reply)


QUESTIONS = (
    Question(
        WRITES,
        conversion_accounts,
        "conversion_accounts.at_once",
        "conversion_accounts.default_destination_currency",
    ),
    Question(WRITES, stored_statuses, "idempotency.stored"),
    Question(
        WRITES,
        deposits,
        "success_codes.sandbox_deposits",
        "sandbox_deposits.fields.created_at",
        "sandbox_deposits.missing_sender",
    ),
    Question(
        WRITES,
        quotes,
        "success_codes.quotes",
        "quotes.lifetime",
        "quotes.default_source_currency",
        *keys_of("quotes.fields."),
    ),
    Question(
        WRITES,
        _transfers,
        "success_codes.transfers",
        *("idempotency.compare", "idempotency.scope", "error_codes.state", "amounts.answers"),
    ),
    Question(WRITES, funding, "transfers.deadline_hours", "transfers.default_network"),
)
