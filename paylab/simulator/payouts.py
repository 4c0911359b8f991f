"""The life of a transfer after it was created."""

from __future__ import annotations

from .. import instants
from ..status import TRANSFER
from . import minting
from .moving import move
from .outbox import emit
from .showing import plain
from .table import Row
from .world import World

STEP = 1.0
"""Seconds between a transfer's steps on the simulator's clock."""

DEADLINE = 24 * 3600
"""Seconds an unfunded transfer waits for its deposit. Gap `transfer.deposit`."""

EARLY_ENDS = {"expired": "expire", "cancelled": "cancel"}
"""Outcomes that a scenario reaches in place of funding."""


def start(world: World, row: Row) -> None:
    """Announce a new transfer and plan what happens to it first."""
    emit(world, "transfer.created", row["id"], plain(row))
    early = EARLY_ENDS.get(row["_"]["outcome"])
    if early is None and row["_"]["source_type"] == "deposit":
        world.later("transfers", row["id"], DEADLINE, "expire")
    else:
        world.later("transfers", row["id"], STEP, early or "fund")


def _fund(world: World, row: Row, _: str) -> None:
    row.pop("deposit_instructions", None)
    row["_"]["started_at"] = world.stamp()
    _move(world, row, "fund", "transfer.funded")
    held = row["_"]["outcome"] == "under_review"
    world.later("transfers", row["id"], STEP, "review" if held else "initiate")


def _initiate(world: World, row: Row, _: str) -> None:
    row["updated_at"] = world.stamp()
    world.put("transfers", row)
    emit(world, "transfer.payout_initiated", row["id"], plain(row))
    fails = row["_"]["outcome"] == "failed"
    world.later("transfers", row["id"], STEP, "fail" if fails else "settle")


def _settle(world: World, row: Row, _: str) -> None:
    taken = world.now() - instants.from_text(row["_"]["started_at"])
    row["completed_in"] = str(int(taken.total_seconds()))
    row["settlement_reference_id"] = minting.settlement(world.seed, row["id"])
    _move(world, row, "settle", "transfer.completed")


def _fail(world: World, row: Row, reason: str) -> None:
    row["failure_reason"] = reason or "The recipient's bank rejected the payout."
    _move(world, row, "fail", "transfer.failed")


def _expire(world: World, row: Row, _: str) -> None:
    row.pop("deposit_instructions", None)
    _move(world, row, "expire", "transfer.expired")


def _cancel(world: World, row: Row, _: str) -> None:
    row.pop("deposit_instructions", None)
    _move(world, row, "cancel", None)


def _review(world: World, row: Row, _: str) -> None:
    _move(world, row, "review", None)


def _release(world: World, row: Row, _: str) -> None:
    row["_"]["outcome"] = None
    _move(world, row, "release", None)
    world.later("transfers", row["id"], STEP, "initiate")


def _move(world: World, row: Row, trigger: str, event: str | None) -> None:
    move(world, "transfers", TRANSFER, row, trigger)
    if event:
        emit(world, event, row["id"], plain(row))


STEPS = {
    "fund": _fund,
    "initiate": _initiate,
    "settle": _settle,
    "fail": _fail,
    "expire": _expire,
    "cancel": _cancel,
    "review": _review,
    "release": _release,
}
