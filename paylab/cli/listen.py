"""Receive events in the terminal, and forward them to your own handler.

A webhook subscription is created at the start and deleted at the end. With --forward-to, the
service gets your handler's response, and delivers an event again if it was not 2xx.
"""

from __future__ import annotations

import argparse
from functools import partial

from ..errors.base import ConfigError
from ..errors.choices import describe_wrong_choice
from ..lab.lab import connect
from ..lab.place import is_local
from ..runtime import require_sockets
from ..spec import codes
from ..spec.text import plain, show_json
from ..webhooks.arrival import CELL_CHARACTERS_MAX, Arrival, as_json, event_cells
from ..webhooks.receiver import UNANSWERED
from .log_lines import log_without_blocking
from .terminal import announce, count, port, say, stop_event, warn_user

EXAMPLE = "paylab listen --forward-to http://127.0.0.1:8000/hook"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    parser.add_argument("--forward-to", metavar="URL", help="post each event to your handler")
    parser.add_argument(
        "--events", metavar="A,B", type=_read_event_types, help="types (default: all)"
    )
    parser.add_argument("--port", type=port, default=0, help="port to listen on (0: a free one)")
    parser.add_argument("--url", help="public URL of the port, for a service on another machine")
    parser.add_argument("--data", metavar="PATH", help="append events to this file, one per line")
    parser.add_argument("--json", action="store_true", help="print a JSON line for each event")


def run(options: argparse.Namespace) -> int:
    """Print the events that arrive until Ctrl-C or SIGTERM, then unsubscribe."""
    require_sockets("paylab listen")
    lab = connect()
    if lab.is_embedded:
        raise ConfigError(
            "no service is configured: start `paylab simulator` and export the lines that it"
            " prints, or set PAYLAB_BASE_URL and its keys"
        )
    if not (options.url or is_local(lab.settings)):
        raise ConfigError(
            "the service cannot reach this machine: give --port PORT, and --url with the https"
            " address of a tunnel to that port"
        )
    announce(lab.place)
    stopped_event = stop_event()
    log_without_blocking()
    with lab.inbox(
        options.events or codes.EVENT_TYPES,
        forward_to=options.forward_to,
        path=options.data,
        port=options.port,
        url=options.url,
    ) as inbox:
        inbox.on_arrival(partial(_print_arrival, target=options.forward_to, in_json=options.json))
        warn_user(f"Listening on {inbox.url}. Stop it with Ctrl-C.")
        while not stopped_event.wait(1):
            pass
        warn_user(f"{count(len(inbox), 'event')}.")
    return 0


def _print_arrival(arrival: Arrival, *, target: str | None, in_json: bool) -> None:
    """Print a received event on a line, with its order, its repetitions and the answer to it.

    `target` is the URL of the handler that it was sent on to.
    """
    if in_json:
        say(show_json(as_json(arrival)))
        return
    repetition_text = f"  (delivery {arrival.deliveries})" if arrival.deliveries > 1 else ""
    answer_text = "" if arrival.answered is None else f"  -> {arrival.answered}"
    if arrival.answered == UNANSWERED:
        target_text = plain(str(target), CELL_CHARACTERS_MAX)
        answer_text = f"  -> {target_text} cannot be reached; answered 502 to the service"
    event_text = "  ".join(event_cells(arrival))
    order_text = "" if arrival.order == "in order" else f"  {arrival.order}"
    remarks_text = f"{order_text}{repetition_text}{answer_text}"
    say(f"{arrival.last_at:%H:%M:%S}  {event_text}{remarks_text}")


def _read_event_types(types_text: str) -> tuple[str, ...]:
    """Event types separated by commas; ArgumentTypeError lists the known ones."""
    event_types = tuple(
        event_type.strip() for event_type in types_text.split(",") if event_type.strip()
    )
    for event_type in event_types or ("",):
        if event_type not in codes.EVENT_TYPES:
            message = describe_wrong_choice(codes.EVENT_TYPES, event_type)
            raise argparse.ArgumentTypeError(message)
    return event_types
