"""Judge an integration by the requests and deliveries in a journal or in HAR files.

It is judged item by item: shown, not seen, broken or not applicable, with the calls that show it.
Nothing is sent to any service; --world reads the journal of a simulator or of a proxy. The exit
status is 1 when an item is broken, or when fewer items are shown than --fail-under says.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path

from ..errors.base import ConfigError
from ..files import path_of
from ..lab.lab import connect
from ..readiness.files import read_har_rows, read_report
from ..readiness.judgement import judge
from ..readiness.report import Readiness
from ..spec.text import JsonMapping, show_json
from .journals import find_journal
from .terminal import announce, ignore_closed_pipe, in_range, say, warn_user

EXAMPLE = "paylab ready --pytest paylab-ready.json --html ready.html"
JOURNAL_SECONDS = 600.0
"""How long a long journal may take to be read."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    source_group = parser.add_mutually_exclusive_group()
    source_group.add_argument(
        "--world",
        metavar="URL",
        help="a simulator or a proxy, by the keys of PAYLAB_API_KEY and PAYLAB_SECRET_KEY or the"
        " token of PAYLAB_CONTROL_TOKEN (default: PAYLAB_BASE_URL)",
    )
    source_group.add_argument("--har", metavar="FILE", nargs="+", help="HAR files, of any program")
    source_group.add_argument(
        "--pytest", metavar="REPORT", help="a file of `pytest --paylab-ready`"
    )
    parser.add_argument("--html", metavar="FILE", help="write the report as a page")
    parser.add_argument("--json", action="store_true", help="print the report as JSON")
    parser.add_argument(
        "--fail-under",
        metavar="ITEMS",
        type=in_range(0),
        default=0,
        help="exit with status 1 if fewer items are shown",
    )


def run(options: argparse.Namespace) -> int:
    """Judge, print the report, and write the page if asked."""
    readiness = judge(_read_rows(options))
    if not readiness.request_count:
        warn_user("paylab: there are no requests to judge", "yellow")
    if options.html:
        _write_page(readiness, path_of(options.html))
    with ignore_closed_pipe():
        say(show_json(readiness.to_json()) if options.json else _write_text(readiness))
    count_by_verdict = readiness.counts
    return 1 if count_by_verdict["broken"] or count_by_verdict["shown"] < options.fail_under else 0


_FAULTS = """
faults.on(...) is paylab_world.faults.on(...) in a test, and lab.simulator.faults.on(...) in Python.
In a shell, a fault of `paylab simulator` is, with its PAYLAB_ variables set:
  paylab post /_simulator/faults --json \\
    '{"operation": "transfers.list", "kind": "status", "status": 503, "times": 1}'"""
"""How faults that a report names are made."""


def _write_text(readiness: Readiness) -> str:
    """The report as text, with how to make the faults that it names."""
    report_text = readiness.text()
    return f"{report_text}\n{_FAULTS}" if "faults.on(" in report_text else report_text


def _read_rows(options: argparse.Namespace) -> Mapping[str, Sequence[JsonMapping]]:
    """The rows of the journals by the name of their world."""
    if options.har:
        paths = [path_of(file_name) for file_name in options.har]
        return {path.name if len(paths) > 1 else "": read_har_rows(path) for path in paths}
    if options.pytest:
        return read_report(path_of(options.pytest))
    with connect(options.world, timeout=JOURNAL_SECONDS) as lab:
        journal = find_journal(lab)
        if journal is None:
            raise ConfigError(
                "there is nothing to judge: name a simulator or a proxy with --world or"
                " PAYLAB_BASE_URL, HAR files with --har, or a report with --pytest"
            )
        announce(lab.place)
        journal_rows = journal.journal()
    _warn_of_dropped(journal_rows)
    return {"": journal_rows}


def _warn_of_dropped(journal_rows: Sequence[JsonMapping]) -> None:
    """Warn if a journal does not begin with the first call, since it dropped earlier ones."""
    request_numbers = (row["number"] for row in journal_rows if row["kind"] == "request")
    first_number = next(request_numbers, 1)
    if first_number > 1:
        warning_text = f"the journal begins with call {first_number}: earlier calls are not judged"
        warn_user(f"paylab: {warning_text}", "yellow")


def _write_page(readiness: Readiness, path: Path) -> None:
    """Write the report as a page."""
    from .. import files
    from ..views.readiness import readiness_page

    with files.replace(path) as page_file:
        page_file.write(readiness_page(readiness).encode())
    warn_user(f"paylab: wrote {path}")
