"""Make the simulator send an event, for your own resource or a new one.

The resource goes through the legal states that lead to the event. All events on the way are
printed: those of the resource, and those of its individual.
"""

from __future__ import annotations

import argparse

from ..lab.lab import connect
from ..spec import codes, timestamps
from ..spec.text import show_json
from ..webhooks.arrival import event_cells
from .terminal import announce, say, warn_of_short_life

EXAMPLE = "paylab trigger transfer.completed"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    types_text = f"one of {', '.join(codes.EVENT_TYPES)}"
    parser.add_argument("event", choices=codes.EVENT_TYPES, metavar="EVENT", help=types_text)
    parser.add_argument("--id", metavar="RESOURCE", help="the resource (default: a new one)")
    parser.add_argument(
        "--to",
        choices=codes.INDIVIDUAL_STATUSES,
        metavar="STATUS",
        help=f"an individual's new status, one of {', '.join(codes.INDIVIDUAL_STATUSES)} "
        "(default: the next one)",
    )
    parser.add_argument("--json", action="store_true", help="print a JSON line for each event")


def run(options: argparse.Namespace) -> int:
    """Trigger the event, and print all events of the resource and its individual."""
    lab = connect()
    announce(lab.place)
    warn_of_short_life(lab.place, "and has no subscribers")
    event_count = len(lab.events())
    triggered_events = lab.trigger(options.event, options.id, to=options.to or "")
    related_ids = {event.id for event in triggered_events}
    for event in triggered_events:
        related_ids.add(str(event.payload.get("individual_id")))
        related_ids.add(str(event.payload.get("recipient_id")))
    for event in lab.events()[event_count:]:
        if event.id not in related_ids:
            continue
        if options.json:
            event_object = {"event_type": event.type, "event_payload": dict(event.payload)}
            say(show_json(event_object))
        else:
            updated_at_text = timestamps.to_text(event.updated_at) if event.updated_at else "-"
            say("  ".join([updated_at_text, *event_cells(event)]))
    return 0
