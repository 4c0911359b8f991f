"""The checks of a snapshot before it is loaded: format, fields, references and planned steps."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set
from itertools import islice
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
    """The clock of a snapshot. A running clock has the real time at which it started."""

    model_config = ConfigDict(strict=True)

    base: Time
    since: Number | None
    frozen: bool
    speed: Annotated[Number, Field(gt=0)]

    @model_validator(mode="after")
    def _runs_since(self) -> ClockState:
        """ValueError for a running clock without the time when it started."""
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

EARLY_STEPS = {
    ("transfers", "awaiting_funds"): "pay",
    ("transfers", "started"): "initiate",
    ("individuals", "pending"): "decide",
}
"""Planned steps that are not moves, by the status of their row."""

PROBLEMS_MAX = 20


def load_problem(dump: Row, world: World) -> str | None:
    """Why this version, or this world, cannot read a snapshot. None if it can."""
    if "paylab_snapshot" not in dump:
        return "this is not a snapshot of a simulator: it has no paylab_snapshot"
    format_version = dump["paylab_snapshot"]
    if type(format_version) is not int or format_version != SNAPSHOT_VERSION:
        return (
            f"the snapshot has the format {str(format_version)[:20]!a}, this version of paylab "
            f"reads {SNAPSHOT_VERSION}: load it with the version that saved it"
        )
    changed_settings = dump.get("service") or {}
    if not isinstance(changed_settings, dict):
        return "service: must be an object with the settings that differ"
    service_problem_text = world.service_problem(changed_settings)
    return None if service_problem_text is None else f"the snapshot was {service_problem_text}"


def snapshot_problems(dump: Row) -> list[Problem]:
    """The first twenty problems of a snapshot. Nothing is changed."""
    try:
        tables = Snapshot.model_validate(dump).tables
    except ValidationError as error:
        problems: list[Problem] = []
        for error_details in error.errors()[:PROBLEMS_MAX]:
            field_path = ".".join(map(str, error_details["loc"]))
            problems.append(
                _make_problem(field_path, error_details["msg"].removeprefix("Value error, "))
            )
        return problems
    rows_by_kind = {table_kind: getattr(tables, table_kind) for table_kind in Tables.model_fields}
    return [*islice(_find_broken_relations(rows_by_kind), PROBLEMS_MAX)]


def _make_problem(field: str, message: str) -> Problem:
    """A problem of a field of a snapshot."""
    return Problem(field, message, "control")


def _find_broken_relations(tables: Mapping[str, list[Any]]) -> Iterator[Problem]:
    """The problems of tables: ids that occur twice, references to missing rows, impossible steps.

    A conversion account that does not pay out to a wallet is a problem, too.
    """
    row_by_id_by_kind = {
        table_kind: {table_row.id: table_row for table_row in table_rows}
        for table_kind, table_rows in tables.items()
    }
    for table_kind, table_rows in tables.items():
        if len(row_by_id_by_kind[table_kind]) < len(table_rows):
            yield _make_problem(f"tables.{table_kind}", "has a duplicate id")
        for field_name, referenced_kind in REFERENCES.get(table_kind, {}).items():
            referenced_ids = row_by_id_by_kind[referenced_kind].keys()
            yield from _check_references(
                f"tables.{table_kind}", table_rows, field_name, referenced_kind, referenced_ids
            )
    yield from _check_payout_accounts(tables)
    for index, timer_row in enumerate(tables["timers"]):
        rows_of_kind = row_by_id_by_kind[timer_row.kind]
        yield from _check_step(f"tables.timers.{index}", timer_row, rows_of_kind)


def _check_payout_accounts(tables: Mapping[str, list[Any]]) -> Iterator[Problem]:
    """The conversion accounts that do not pay out to a wallet."""
    wallet_ids = {
        account_row.id
        for account_row in tables["financial_accounts"]
        if account_row.type == CRYPTO_WALLET
    }
    for index, account_row in enumerate(tables["conversion_accounts"]):
        if account_row.payout_account_id not in wallet_ids:
            field_path = f"tables.conversion_accounts.{index}.payout_account_id"
            yield _make_problem(field_path, "is not a crypto_wallet")


def _check_references(
    path: str, table_rows: list[Any], field: str, referenced_kind: str, referenced_ids: Set[str]
) -> Iterator[Problem]:
    """The rows whose field has an id, or a list with an id, that is not among the referenced."""
    for index, table_row in enumerate(table_rows):
        field_value = getattr(table_row, field)
        ids_in_row = field_value if isinstance(field_value, list) else [field_value]
        if not referenced_ids >= set(ids_in_row):
            yield _make_problem(f"{path}.{index}.{field}", f"is not among {referenced_kind}")


def _check_step(path: str, timer: TimerRow, row_by_id: Mapping[str, Any]) -> Iterator[Problem]:
    """A planned step must be a move from the status of its row, or an early step."""
    timer_kind = timer.kind
    step = timer.step
    timed_row = row_by_id.get(timer.id)
    if timed_row is None:
        yield _make_problem(f"{path}.id", f"is not among {timer_kind}")
        return
    is_move = step in MACHINES[timer_kind].legal(timed_row.status)
    is_early_step = EARLY_STEPS.get((timer_kind, timed_row.status)) == step
    if not is_move and not is_early_step:
        yield _make_problem(f"{path}.step", f"{step[:40]!a} is no step from {timed_row.status}")
