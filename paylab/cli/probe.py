"""Ask a service what the specification leaves open, and write the answers as a service.toml."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from .. import files
from ..probe.report import ANSWERED, DIFFERS, HOLDS, UNCLEAR, Report
from ..probe.requests import BUDGET
from .terminal import open_lab, say, warn_user

EXAMPLE = "paylab probe --to service.toml"


def arguments(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    parser.add_argument("--to", default="service.toml", metavar="FILE", help=_TO)
    parser.add_argument("--json", action="store_true", help="print the report as JSON")
    parser.add_argument("--budget", type=_count, default=BUDGET, metavar="N", help=_BUDGET)


def run(options: argparse.Namespace) -> int:
    """Probe and report; 0 when it ran to its end, whatever it found."""
    to = Path(options.to)
    files.require_writable(to)
    with open_lab(max_retries=0) as lab:
        report = lab.probe(budget=options.budget)
    report.write(to)
    if options.json:
        say(json.dumps(report.to_dict(), default=str))
    else:
        _show(report, to)
    return 0 if report.complete else 1


def _show(report: Report, to: Path) -> None:
    for outcome in (DIFFERS, UNCLEAR, HOLDS):
        lines = report.table(outcome)
        if lines:
            say(lines)
    for remark in report.remarks:
        warn_user(f"paylab: {remark}")
    say(report.summary)
    answered = len(report.where(*ANSWERED))
    say(f"{answered} answers in {to}: use it with paylab.connect(service={str(to)!r})")


def _count(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError("must be 1 or more")
    return number


_TO = "the service.toml to write (default service.toml)"
_BUDGET = f"the most requests to send (default {BUDGET})"
