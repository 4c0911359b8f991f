"""Show the requests that a simulator or a proxy received, each with its verdict and status.

A line has the time on the simulator's clock, method, path, status, and what a layer found: a wrong
signature, a broken rule, a replay, a fault, an unknown field. Keys and documents are never shown.
With --har, a file has what was sent and what the client received, with events, deliveries and
controls; --raw writes the bodies as they came into it, which only you can read then.
"""

from __future__ import annotations

import argparse
from functools import partial

from ..errors.base import ConfigError
from ..files import path_of
from ..journal.har import write_har
from ..lab.lab import connect
from .journals import ServedJournal, find_journal
from .request_lines import show_request, yield_new_requests
from .terminal import announce, follow, in_range, warn_user

EXAMPLE = "paylab requests --follow"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    parser.add_argument(
        "--follow", action="store_true", help="show each request as it arrives, until Ctrl-C"
    )
    parser.add_argument(
        "--last", type=in_range(0, 10_000), default=20, help="number of earlier requests"
    )
    parser.add_argument("--refused", action="store_true", help="only requests that got an error")
    parser.add_argument("--json", action="store_true", help="print a JSON line for each request")
    parser.add_argument("--har", metavar="FILE", help="write all to a HAR file instead")
    parser.add_argument("--raw", action="store_true", help="with --har: the bodies as they came")


def run(options: argparse.Namespace) -> int:
    """Show the last requests, and those that follow if asked."""
    if options.raw and not options.har:
        raise ConfigError("--raw needs --har FILE")
    with connect() as lab:
        journal = find_journal(lab)
        if journal is None:
            raise ConfigError(
                "no simulator or proxy is configured: start `paylab simulator` or `paylab proxy`"
                " and export the lines that it prints"
            )
        announce(lab.place)
        if options.har:
            _write_har(journal, lab.settings.base_url, options)
            return 0
        return _show_requests(journal, options)


def _write_har(journal: ServedJournal, base_url: str, options: argparse.Namespace) -> None:
    """Write all records to a HAR file, and say whether it is redacted."""
    path = write_har(journal.journal(raw=options.raw), base_url, path_of(options.har))
    content_text = "with all bodies as they came: keep it private" if options.raw else "redacted"
    warn_user(f"paylab: wrote {path}, {content_text}; only you can read it (mode 0600)")


def _show_requests(journal: ServedJournal, options: argparse.Namespace) -> int:
    """Show the last requests, and with --follow those that come."""
    show_line = partial(show_request, as_json=options.json, refused=options.refused)
    requests = list(journal.requests)
    wanted_requests = requests
    if options.refused:
        wanted_requests = [request for request in requests if request.is_refused]
    hidden_count = max(0, len(wanted_requests) - options.last)
    for request in wanted_requests[hidden_count:]:
        show_line(request)
    if options.follow:
        return follow(partial(yield_new_requests, journal.requests, requests), show_line, "request")
    if not wanted_requests:
        warn_user("No requests yet.")
    return 0
