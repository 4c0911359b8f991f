"""Walk through a service, and write what it does differently as a service.toml."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from .. import files
from ..lab.lab import connect
from ..probe.report import PROVEN, Report
from ..probe.run import PLAN
from ..probe.search import BUDGET
from .terminal import announce, confirm, count, ignore_closed_pipe, in_range, say, warn_user

EXAMPLE = "paylab probe --to service.toml"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    parser.add_argument("--write", action="store_true", help=_WRITE)
    parser.add_argument("--sandbox", action="store_true", help=_SANDBOX)
    parser.add_argument(
        "--yes", action="store_true", help="do not ask before --write creates objects"
    )
    parser.add_argument("--to", default="service.toml", metavar="FILE", help=_TO)
    parser.add_argument("--html", metavar="FILE", help="also write the report as one HTML page")
    parser.add_argument("--har", metavar="FILE", help="also write the calls, without personal data")
    parser.add_argument("--from", dest="calls", metavar="CALLS.har", help=_FROM)
    parser.add_argument("--json", action="store_true", help="print the report as JSON")
    parser.add_argument(
        "--budget", type=in_range(1), default=BUDGET, metavar="N", help=_BUDGET_HELP
    )


def run(options: argparse.Namespace) -> int:
    """Probe and report; return 1 if the walk could not begin, or if only lists worked."""
    for file_name in filter(None, (options.html, options.har)):
        files.require_writable(Path(file_name))
    with connect() as lab:
        announce(lab.place)
        if options.write and not options.calls:
            warn_user("\n  ".join(["paylab: --write creates these objects:", *PLAN]))
            confirm(lab.place, "create them", yes=options.yes)
        report = lab.probe(
            write=options.write,
            sandbox=options.sandbox,
            budget=options.budget,
            to=Path(options.to),
            calls=options.calls,
        )
    if report.complete:
        _write_files(report, options)
    with ignore_closed_pipe():
        if options.json:
            say(json.dumps(report.to_dict(), default=str))
        else:
            _show_report(report, Path(options.to))
            if report.complete and not options.write and not options.calls:
                say(_ONLY_READ)
    return 0 if report.complete and report.works else 1


def _write_files(report: Report, options: argparse.Namespace) -> None:
    """Write the page and the calls, if their files were named."""
    if options.html:
        from ..views.probe import report_page

        with files.replace(Path(options.html)) as page_file:
            page_file.write(report_page(report).encode())
    if options.har:
        report.har(Path(options.har))


def _show_report(report: Report, to: Path) -> None:
    """Print how far the walk came, then what differs and what to ask."""
    if report.hopeless:
        warn_user(f"paylab: {report.summary}")
        return
    say(report.summary)
    if report_text := report.table():
        say(report_text)
    proven_count = len(report.where(PROVEN))
    difference_text = count(proven_count, "proven difference")
    use_text = " from the defaults"
    if proven_count:
        use_text = f": export PAYLAB_SERVICE={to} uses it"
    blanks_text = "; fill in the marked values, and probe again" if report.blanks else ""
    say(f"{to} has {difference_text}{use_text}{blanks_text}")


_ONLY_READ = (
    "not reached: what needs an object, since only lists were read. --write creates synthetic"
    " objects in a sandbox and reaches the rest"
)
_WRITE = "also create synthetic objects in a sandbox, listed before the start"
_SANDBOX = "say that you know that the service is a sandbox, if --write asks for it"
_FROM = "send nothing: use the calls in a HAR file"
_TO = (
    "the service.toml to write (default: service.toml); what was set by hand in an existing one"
    " stays, unless a request proved another value"
)
_BUDGET_HELP = (
    f"maximum number of requests (default: {BUDGET}; a walk needs about 60, or 100 with --write)"
)
