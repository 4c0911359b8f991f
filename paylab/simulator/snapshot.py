"""The checks of a snapshot before it is loaded: fields, references and planned steps."""

from __future__ import annotations

import json
import re
from base64 import b64decode
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from ..errors import Problem
from ..spec import codes, timestamps
from ..spec.status import MACHINES
from . import faults
from .table import Row
from .transitions import STEPS
from .world import END, KINDS, SNAPSHOT_VERSION, World, other_service

MOST_TOLD = 20
"""Maximum problems in one response."""

_ID = re.compile(r"[!-~](?:[ -~]{0,510}[!-~])?")
_INSTANT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", re.ASCII)
_DIGEST = re.compile(r"[0-9a-f]{64}")
_MOST = 2**53

Test = Callable[[Any], bool]
Check = tuple[str, Test]
"""The requirement of a field, in words and as a test."""


def _one_of(words: object) -> Check:
    known = tuple(words)  # type: ignore[arg-type, var-annotated] # any iterable of text
    return f"one of {', '.join(known)}", lambda value: isinstance(value, str) and value in known


def _whole(low: int, high: int = _MOST) -> Check:
    wanted = f"a whole number from {low} to {high}"
    return wanted, lambda value: type(value) is int and low <= value <= high


def _or_null(check: Check) -> Check:
    words, test = check
    return f"{words}, or null", lambda value: value is None or test(value)


def _list_of(check: Check) -> Check:
    words, test = check
    return f"a list, each {words}", lambda value: isinstance(value, list) and all(map(test, value))


def _text(words: str, reads: Callable[[str], bool]) -> Check:
    """A text for which `reads` is true and does not fail."""

    def test(value: Any) -> bool:
        try:
            return isinstance(value, str) and reads(value)
        except (ValueError, RecursionError):
            return False

    return words, test


def _is_instant(text: str) -> bool:
    return bool(_INSTANT.fullmatch(text)) and timestamps.from_text(text) <= END


def _is_number(value: Any) -> bool:
    return type(value) in (int, float) and abs(value) <= _MOST


def _is_detail(value: Any) -> bool:
    return isinstance(value, dict) and all(
        isinstance(value.get(name), str) for name in ("code", "message")
    )


def _are_instructions(value: Any) -> bool:
    known = isinstance(value, dict) and value.get("type") in codes.DEPOSIT_INSTRUCTION_TYPES
    return known and isinstance(value.get("details"), dict)


_TEXT: Check = _text("text", lambda _: True)
_OBJECT: Check = ("an object", lambda value: isinstance(value, dict))
_FLAG: Check = ("true or false", lambda value: isinstance(value, bool))
_NUMBER: Check = ("a number", _is_number)
_WHEN: Check = _text("a time like 2026-01-31T09:30:00.123Z", _is_instant)
_IS_ID: Check = _text("an id", lambda text: bool(_ID.fullmatch(text)))
_DETAILS: Check = _list_of(("with a code and a message", _is_detail))
_BY_SIDE: Check = (
    "objects by side",
    lambda value: isinstance(value, dict) and all(map(_OBJECT[1], value.values())),
)
_INSTRUCTIONS: Check = ("an object with a known type and with details", _are_instructions)
_CURRENCY: Check = _one_of(dict.fromkeys((*codes.SOURCE_CURRENCIES, *codes.DESTINATION_CURRENCIES)))
_EVENT: Check = _one_of(codes.EVENT_TYPES)


def _all(check: Check, *names: str) -> dict[str, Check]:
    return dict.fromkeys(names, check)


_STAMPS = _all(_WHEN, "created_at", "updated_at")
_PRICE = {
    **_all(_TEXT, "source_amount", "destination_amount", "exchange_rate", "total_fee"),
    **_all(_TEXT, "total_tax", "net_source_amount", "payout_method"),
    **_all(_CURRENCY, "source_currency", "destination_currency", "fee_currency", "tax_currency"),
}

FIELDS: Mapping[str, Mapping[str, Check]] = {
    "individuals": {
        **_STAMPS,
        **_all(_TEXT, "given_name", "family_name", "country"),
        **_all(_or_null(_TEXT), "email?", "phone?", "date_of_birth?", "idv_consent_recorded_at?"),
        "address": _OBJECT,
        "status": _one_of(MACHINES["individuals"].states),
        "product_types": _list_of(_one_of(codes.PRODUCTS)),
        "document": _or_null(_OBJECT),
        "status_details": _or_null(_DETAILS),
        "_.accounts": _list_of(_IS_ID),
        "_.images": _BY_SIDE,
        "_.specimens?": _OBJECT,
    },
    "financial_accounts": {
        **_STAMPS,
        "type": _one_of(codes.ACCOUNT_TYPES),
        "details": _OBJECT,
        "_.owner": _IS_ID,
    },
    "quotes": {
        **_PRICE,
        **_all(_WHEN, "created_at", "expires_at"),
        **_all(_IS_ID, "recipient_id", "financial_account_id"),
        "derived_source_amount": _FLAG,
        "source_network": _or_null(_TEXT),
        "_.used": _FLAG,
    },
    "transfers": {
        **_PRICE,
        **_STAMPS,
        **_all(_IS_ID, "recipient_id", "financial_account_id"),
        "status": _one_of(MACHINES["transfers"].states),
        **_all(_or_null(_TEXT), "client_reference_id", "completed_in", "failure_reason"),
        "settlement_reference_id": _or_null(_TEXT),
        "deposit_instructions?": _INSTRUCTIONS,
        "_.product": _one_of(codes.PRODUCTS),
        "_.source_type": _TEXT,
        "_.outcome": _or_null(_TEXT),
        "_.started_at?": _WHEN,
    },
    "conversion_accounts": {
        **_STAMPS,
        "individual_id": _IS_ID,
        "source_currency": _one_of(codes.DEPOSIT_CAPS),
        "destination_currency": _one_of(codes.STABLECOINS),
        "status": _one_of(MACHINES["conversion_accounts"].states),
        "client_reference_id?": _TEXT,
        "deposit_instructions?": _INSTRUCTIONS,
        "_.payout_account_id": _IS_ID,
    },
    "deposits": {
        "created_at": _WHEN,
        "conversion_account_id": _IS_ID,
        "currency": _CURRENCY,
        **_all(_TEXT, "amount", "sender_name"),
        "_": _OBJECT,
    },
    "conversions": {
        **_STAMPS,
        **_all(_IS_ID, "conversion_account_id", "individual_id"),
        "status": _one_of(MACHINES["conversions"].states),
        **_all(_TEXT, "deposit.amount", "payout.amount", "total_fee", "exchange_rate"),
        **_all(_CURRENCY, "deposit.currency", "payout.currency", "fee_currency"),
        "deposit.received_at": _WHEN,
        "payout.payout_account_id": _IS_ID,
        "payout.tx_hash": _or_null(_TEXT),
        **_all(_or_null(_WHEN), "payout.initiated_at", "payout.completed_at"),
        "_.network": _TEXT,
    },
    "webhook_subscriptions": {
        **_STAMPS,
        "url": _TEXT,
        "event_types": _list_of(_EVENT),
        "is_active": _FLAG,
        "_": _OBJECT,
    },
    "events": {
        **_all(_WHEN, "created_at", "at"),
        **_all(_EVENT, "event_type", "body.event_type"),
        "resource_id": _TEXT,
        "body.event_payload": _OBJECT,
    },
    "images": {},
    "outbox": {
        **_all(_WHEN, "created_at", "due"),
        **_all(_TEXT, "url", "lane", "resource_id"),
        "subscription_id": _IS_ID,
        "event_type": _EVENT,
        "body": _text("JSON text of an object", lambda text: isinstance(json.loads(text), dict)),
        "attempt": _whole(1),
        "rank": _NUMBER,
    },
    "deliveries": {
        **_all(_WHEN, "created_at", "at"),
        **_all(_TEXT, "resource_id", "url"),
        "event_type": _EVENT,
        "body": _OBJECT,
        "attempt": _whole(1),
        "status": _or_null(_whole(100, 999)),
        "error": _or_null(_TEXT),
    },
    "faults": _all(_whole(0), "left", "drawn"),
    "idempotency": {
        "digest": _text("64 hex digits", lambda text: bool(_DIGEST.fullmatch(text))),
        "status": _whole(200, 299),
        "until": _WHEN,
        "body": _text("Base64", lambda text: b64decode(text, validate=True) is not None),
    },
    "timers": {"due": _WHEN, "kind": _one_of(MACHINES), "step": _TEXT},
}
"""The fields of each table's rows; `a.b` is inside `a`, and `?` marks an optional field."""

REFERENCES: Mapping[str, Mapping[str, str]] = {
    "individuals": {"_.accounts": "financial_accounts"},
    "financial_accounts": {"_.owner": "individuals"},
    "quotes": {"recipient_id": "individuals", "financial_account_id": "financial_accounts"},
    "transfers": {"recipient_id": "individuals", "financial_account_id": "financial_accounts"},
    "conversion_accounts": {
        "individual_id": "individuals",
        "_.payout_account_id": "financial_accounts",
    },
    "conversions": {"conversion_account_id": "conversion_accounts"},
    "outbox": {"subscription_id": "webhook_subscriptions"},
}
"""Fields that refer to rows of another table."""

_EARLY = {("transfers", "started"): "initiate", ("individuals", "pending"): "decide"}
"""Planned steps that are not moves."""


def snapshot_problems(dump: Row) -> list[Problem]:
    """The problems of a snapshot, at most `MOST_TOLD`; nothing is changed."""
    # References are checked only if all rows are valid.
    found = [*_outside(dump)] or [*_fields(dump["tables"])] or [*_relations(dump["tables"])]
    return [Problem(field, text, "control") for field, text in found[:MOST_TOLD]]


def version_problem(dump: Row) -> str | None:
    """Why this version cannot read a snapshot; None if it can."""
    if "paylab_snapshot" not in dump:
        return "this is not a snapshot of a simulator: it has no paylab_snapshot"
    version = dump["paylab_snapshot"]
    if type(version) is int and version == SNAPSHOT_VERSION:
        return None
    return (
        f"the snapshot has the format {str(version)[:20]!a}, this version of paylab reads "
        f"{SNAPSHOT_VERSION}: load it with the version that saved it"
    )


def service_problem(dump: Row, world: World) -> str | None:
    """Why a snapshot does not fit the service of this simulator."""
    theirs = dump.get("service") or {}
    if not isinstance(theirs, dict):
        return "service: must be an object with the settings that differ"
    keys = world.other_settings(theirs)
    return f"the snapshot was made with another service: {other_service(keys)}" if keys else None


Found = Iterator[tuple[str, str]]


def _outside(dump: Row) -> Found:
    clock, counters, tables = (dump.get(name) for name in ("clock", "counters", "tables"))
    if type(dump.get("seed")) is not int:
        yield "seed", "must be a whole number"
    yield from _misfits("clock", clock, _CLOCK)
    if isinstance(clock, dict) and clock.get("since") is None and clock.get("frozen") is False:
        yield "clock.since", "must be a number: the clock is running"
    if not isinstance(counters, dict) or not all(map(_whole(0)[1], counters.values())):
        yield "counters", "must be whole numbers by name"
    if not isinstance(tables, dict):
        yield "tables", "must be an object"
        return
    yield from ((f"tables.{name}", "is not known") for name in tables.keys() - KINDS.keys())
    for kind in KINDS:
        if not isinstance(tables.get(kind, []), list):
            yield f"tables.{kind}", "must be a list"


_CLOCK: Mapping[str, Check] = {
    "base": _WHEN,
    "since": _or_null(_NUMBER),
    "frozen": _FLAG,
    "speed": ("a number above 0", lambda value: _is_number(value) and value > 0),
}


def _fields(tables: Mapping[str, list[Any]]) -> Found:
    for kind in KINDS:
        seen: set[str] = set()
        for at, row in enumerate(tables.get(kind, [])):
            place = f"tables.{kind}.{at}"
            yield from _misfits(place, row, {"id": _IS_ID, **FIELDS[kind]})
            if isinstance(row, dict) and isinstance(row.get("id"), str):
                if row["id"] in seen:
                    yield f"{place}.id", "is a duplicate"
                seen.add(row["id"])
                yield from _details(kind, place, row)


def _misfits(place: str, value: Any, checks: Mapping[str, Check]) -> Found:
    if not isinstance(value, dict):
        yield place, "must be an object"
        return
    for name, (words, test) in checks.items():
        field = name.removesuffix("?")
        is_there, found = _look(value, field)
        if not is_there and not name.endswith("?"):
            yield f"{place}.{field}", "is missing"
        elif is_there and not test(found):
            yield f"{place}.{field}", f"must be {words}"


def _look(row: Row, field: str) -> tuple[bool, Any]:
    value: Any = row
    for name in field.split("."):
        if not isinstance(value, dict) or name not in value:
            return False, None
        value = value[name]
    return True, value


def _details(kind: str, place: str, row: Row) -> Found:
    """Checks between fields of one row."""
    if kind == "faults":
        asked = {name: row[name] for name in (*faults.DEFAULTS, "kind") if name in row}
        lost = faults.DEFAULTS.keys() - row.keys()
        yield from ((f"{place}.{name}", "is missing") for name in sorted(lost))
        yield from ((f"{place}.{each.field}", each.message) for each in faults.check_fault(asked))
        for name in ("status", "times", "probability", "seed", "seconds"):
            if row.get(name, 0) is None:
                yield f"{place}.{name}", "must be a number"
    if kind == "financial_accounts" and row.get("type") == "crypto_wallet":
        yield from _misfits(place, row, {"details.network": _TEXT})
    if kind == "transfers" and row.get("status") in ("started", "under_review"):
        yield from _misfits(place, row, {"_.started_at": _WHEN})


def _relations(tables: Mapping[str, list[Row]]) -> Found:
    rows = {kind: {row["id"]: row for row in tables.get(kind, [])} for kind in KINDS}
    for kind, fields in REFERENCES.items():
        for at, row in enumerate(tables.get(kind, [])):
            for field, other in fields.items():
                named = _look(row, field)[1]
                ids = named if isinstance(named, list) else [named]
                if not rows[other].keys() >= set(ids):
                    yield f"tables.{kind}.{at}.{field}", f"is not among {other}"
    for at, row in enumerate(tables.get("conversion_accounts", [])):
        wallet = rows["financial_accounts"].get(row["_"]["payout_account_id"])
        if wallet and wallet["type"] != "crypto_wallet":
            yield f"tables.conversion_accounts.{at}._.payout_account_id", "is not a crypto_wallet"
    for at, timer in enumerate(tables.get("timers", [])):
        yield from _step(f"tables.timers.{at}", timer, rows[timer["kind"]])


def _step(place: str, timer: Row, rows: Mapping[str, Row]) -> Found:
    kind, step, row = timer["kind"], timer["step"], rows.get(timer["id"])
    if row is None:
        yield f"{place}.id", f"is not among {kind}"
    elif step not in STEPS[kind] or not (
        step in MACHINES[kind].legal(row["status"]) or _EARLY.get((kind, row["status"])) == step
    ):
        yield f"{place}.step", f"{step[:40]!a} is no step from {row['status']}"
