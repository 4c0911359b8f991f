"""One move of a row through its machine."""

from __future__ import annotations

from ..status import Machine
from .table import Row
from .world import World


def move(world: World, kind: str, machine: Machine, row: Row, trigger: str) -> None:
    """Change the status, note when, and forget the step that was ahead."""
    row["status"] = machine.after(row["status"], trigger)
    row["updated_at"] = world.stamp()
    world.cancel(row["id"])
    world.put(kind, row)
