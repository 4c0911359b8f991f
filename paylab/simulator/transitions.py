"""Transitions of rows: moves on request and steps that are due.

The moves of each kind are in its module, as functions of (world, row, reason) by trigger; this
module looks them up.
"""

from __future__ import annotations

from collections.abc import Mapping

from ..spec.status import MACHINES, IllegalMove
from . import individuals, on_ramp, transfers
from .messages import Refused
from .table import Row
from .world import Step, World

STEPS: Mapping[str, Mapping[str, Step]] = {
    "individuals": individuals.STEPS,
    "transfers": transfers.STEPS,
    "conversions": on_ramp.CONVERSION_STEPS,
    "conversion_accounts": on_ramp.PROVISIONING_STEPS,
}


def settle(world: World) -> None:
    """Carry out every step that is due, in order, each at its own time."""
    for timer in world.due_steps():
        row = world.tables[timer["kind"]].rows[timer["id"]]
        STEPS[timer["kind"]][timer["step"]](world, row, "")


def move(world: World, kind: str, row: Row, to: str, reason: str) -> None:
    """Move an object to a state; a 422 lists the legal moves."""
    try:
        trigger = MACHINES[kind].toward(row["status"], to)
    except IllegalMove as error:
        raise Refused(422, str(error), legal=list(error.legal)) from None
    STEPS[kind][trigger](world, row, reason)


def find_object(world: World, row_id: str) -> tuple[str, Row]:
    """An object with a status, and its kind."""
    for kind in MACHINES:
        row = world.find(kind, row_id)
        if row is not None:
            return kind, row
    raise Refused(404, "object not found")
