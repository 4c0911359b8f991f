"""Notes changes by the owner of a world in its journal: clock, faults, objects, names of tests."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from ..journal.record import Note
from .messages import RefusedError, Reply, Request
from .world import World

CONTROL_NAMES: Mapping[str, str] = {
    "control.clock": "clock_moved",
    "control.add_fault": "fault_armed",
    "control.remove_fault": "fault_removed",
    "control.clear_faults": "faults_cleared",
    "control.move_object": "object_moved",
    "control.pay_in": "paid_in",
    "control.seed": "objects_seeded",
    "control.add_person": "person_added",
    "control.add_account": "account_added",
    "control.send_event": "event_sent",
    "control.deliver": "deliveries_changed",
    "control.write_snapshot": "state_loaded",
    "control.reset": "world_reset",
    "control.name_test": "test_named",
}
"""What a control is called in the journal; an operation of the owner has its own name."""

BODY_BYTES_MAX = 4096
"""Maximum bytes of a body that is noted; a snapshot is longer."""


def begin_control(world: World, request: Request) -> Note | None:
    """Add a note for a request that changes something, before its effects are noted.

    None for a request that only reads.
    """
    if request.method == "GET":
        return None
    return world.journal.add_note("control", world.now(), control="")


def end_control(
    world: World, note: Note, operation_name: str, request: Request, reply: Reply
) -> None:
    """Complete the note of a control with its name, its status, the object and the body."""
    control_facts: dict[str, Any] = {
        "control": CONTROL_NAMES.get(operation_name, operation_name.removeprefix("control.")),
        "status": reply.status,
        "object": request.path.rpartition("/")[2],
    }
    if 0 < len(request.body) <= BODY_BYTES_MAX and reply.status < 400:
        with suppress(RefusedError):  # some controls take no body, whatever is sent
            control_facts["body"] = request.json()
    if operation_name == "control.add_fault" and reply.status < 400:
        control_facts["object"] = json.loads(reply.body)["id"]
    if operation_name == "control.reset":  # the journal is empty now
        note = world.journal.add_note("control", world.now())
    note.facts.update(control_facts)
