"""Show the requests that a simulator received, each with its verdict and status.

A line has the time on the simulator's clock, method, path, status, and what a layer found: a wrong
signature, a broken rule, a replay, a fault, an unknown field. Keys and documents are never shown.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from functools import partial
from threading import Event

from ..errors.base import ConfigError
from ..lab.lab import connect
from ..simulator.requests import JournalRequest, Requests
from ..spec.text import printable
from .terminal import follow, in_range, say, status_colour, warn_user

EXAMPLE = "paylab requests --follow"
CHECK_SECONDS = 0.5
LINE_LENGTH_MAX = 200
"""Maximum characters of a line."""


def arguments(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    parser.add_argument(
        "--follow", action="store_true", help="show each request as it arrives, until Ctrl-C"
    )
    parser.add_argument(
        "--last", type=in_range(0, 10_000), default=20, help="number of earlier requests"
    )
    parser.add_argument("--refused", action="store_true", help="only requests that got an error")
    parser.add_argument("--json", action="store_true", help="print a JSON line for each request")


def run(options: argparse.Namespace) -> int:
    """Show the last requests, and those that follow if asked."""
    with connect() as lab:
        if lab.is_embedded or lab.simulator is None:
            raise ConfigError(
                "no simulator is configured: start `paylab simulator` and export the lines that it"
                " prints"
            )
        show = partial(_show, as_json=options.json, refused=options.refused)
        requests = list(lab.simulator.requests)
        shown_requests = (
            [request for request in requests if request.is_refused] if options.refused else requests
        )
        for request in shown_requests[
            len(shown_requests) - min(options.last, len(shown_requests)) :
        ]:
            show(request)
        if options.follow:
            return follow(partial(_after, lab.simulator.requests, requests), show, "request")
        if not shown_requests:
            warn_user("No requests yet.")
    return 0


def _after(
    requests: Requests, seen: list[JournalRequest], stopped: Event
) -> Iterator[JournalRequest]:
    """The requests after those that were seen, of which the last is kept."""
    for request in requests.after(seen[-1].number if seen else 0):
        seen[:] = [request]
        yield request
    stopped.wait(CHECK_SECONDS)


def _show(request: JournalRequest, *, as_json: bool, refused: bool) -> bool:
    """Show a request, unless only refused ones are wanted; return whether it was shown."""
    if refused and not request.is_refused:
        return False
    if as_json:
        say(json.dumps(dict(request.row)))
        return True
    outcome = f"{request.at:%H:%M:%S}  {request.method} {request.path} -> {request.status}"
    line = printable(f"{outcome}  {request.verdict}")
    say(
        line if len(line) <= LINE_LENGTH_MAX else f"{line[:LINE_LENGTH_MAX]}...",
        status_colour(request.status),
    )
    return True
