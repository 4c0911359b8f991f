"""The checks of a snapshot before it is loaded: format, fields, references and planned steps."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from ..errors.base import Problem
from ..spec.codes import CRYPTO_WALLET
from ..spec.status import MACHINES
from .row_fields import Count, Number, Time
from .rows import Tables, TimerRow
from .table import Row
from .world import SNAPSHOT_VERSION, World


class ClockState(BaseModel):
    """The clock of a snapshot; one that runs has the real time at which it started."""

    model_config = ConfigDict(strict=True)

    base: Time
    since: Number | None
    frozen: bool
    speed: Annotated[Number, Field(gt=0)]

    @model_validator(mode="after")
    def _runs_since(self) -> ClockState:
        if self.since is None and not self.frozen:
            raise ValueError("since must be a number: the clock is running")
        return self


class Snapshot(BaseModel):
    """The state of a world."""

    model_config = ConfigDict(strict=True)

    seed: int
    clock: ClockState
    counters: dict[Any, Count]
    tables: Tables


REFERENCES: Mapping[str, Mapping[str, str]] = {
    "individuals": {"accounts": "financial_accounts"},
    "financial_accounts": {"owner": "individuals"},
    "quotes": {"recipient_id": "individuals", "financial_account_id": "financial_accounts"},
    "transfers": {"recipient_id": "individuals", "financial_account_id": "financial_accounts"},
    "conversion_accounts": {
        "individual_id": "individuals",
        "payout_account_id": "financial_accounts",
    },
    "conversions": {"conversion_account_id": "conversion_accounts"},
    "outbox": {"subscription_id": "webhook_subscriptions"},
}
"""Fields that refer to rows of another table."""

_EARLY = {
    ("transfers", "awaiting_funds"): "pay",
    ("transfers", "started"): "initiate",
    ("individuals", "pending"): "decide",
}
"""Planned steps that are not moves."""


def load_problem(dump: Row, world: World) -> str | None:
    """Why this version, or this world, cannot read a snapshot; None if it can."""
    if "paylab_snapshot" not in dump:
        return "this is not a snapshot of a simulator: it has no paylab_snapshot"
    version = dump["paylab_snapshot"]
    made_with = dump.get("service") or {}
    if type(version) is not int or version != SNAPSHOT_VERSION:
        return (
            f"the snapshot has the format {str(version)[:20]!a}, this version of paylab reads "
            f"{SNAPSHOT_VERSION}: load it with the version that saved it"
        )
    if not isinstance(made_with, dict):
        return "service: must be an object with the settings that differ"
    problem = world.service_problem(made_with)
    return problem and f"the snapshot was {problem}"


def snapshot_problems(dump: Row) -> list[Problem]:
    """The first twenty problems of a snapshot; nothing is changed."""
    try:
        tables = Snapshot.model_validate(dump).tables
    except ValidationError as error:
        located = (
            (".".join(map(str, error_facts["loc"])), error_facts["msg"])
            for error_facts in error.errors()
        )
        mistakes = [(field, text.removeprefix("Value error, ")) for field, text in located]
    else:
        mistakes = [*_relations({kind: getattr(tables, kind) for kind in Tables.model_fields})]
    return [Problem(field, text, "control") for field, text in mistakes[:20]]


def _relations(tables: Mapping[str, list[Any]]) -> Iterator[tuple[str, str]]:
    """Duplicate ids, references to rows that are missing, and steps that cannot be carried out."""
    rows = {kind: {row.id: row for row in rows_of_kind} for kind, rows_of_kind in tables.items()}
    for kind, rows_of_kind in tables.items():
        if len(rows[kind]) < len(rows_of_kind):
            yield f"tables.{kind}", "has a duplicate id"
        for field, referenced_kind in REFERENCES.get(kind, {}).items():
            for at, row in enumerate(rows_of_kind):
                referenced = getattr(row, field)
                if not rows[referenced_kind].keys() >= set(
                    referenced if isinstance(referenced, list) else [referenced]
                ):
                    place = f"tables.{kind}.{at}.{field}"
                    yield place, f"is not among {referenced_kind}"
    wallets = {row.id for row in rows["financial_accounts"].values() if row.type == CRYPTO_WALLET}
    for at, row in enumerate(tables["conversion_accounts"]):
        if row.payout_account_id not in wallets:
            yield f"tables.conversion_accounts.{at}.payout_account_id", "is not a crypto_wallet"
    for at, timer in enumerate(tables["timers"]):
        yield from _step(f"tables.timers.{at}", timer, rows[timer.kind])


def _step(place: str, timer: TimerRow, rows: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    kind = timer.kind
    step = timer.step
    row = rows.get(timer.id)
    if row is None:
        yield f"{place}.id", f"is not among {kind}"
    elif step not in MACHINES[kind].legal(row.status) and _EARLY.get((kind, row.status)) != step:
        yield f"{place}.step", f"{step[:40]!a} is no step from {row.status}"
