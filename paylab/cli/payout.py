"""Send the payouts of a CSV file, once each, whatever interrupts; the same command goes on."""

from __future__ import annotations

import argparse
import json
import sys
from typing import TYPE_CHECKING, Any

from ..batches import Plan, plan
from ..batches.outcome import MADE
from ..batches.rows import REFERENCE
from ..lab import connect

if TYPE_CHECKING:
    import pandas as pd

HELP = "send a CSV file of payouts, resumable"

DEFAULTS = ("source_currency", "destination_currency", "payout_method")


def arguments(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    parser.add_argument("file", metavar="FILE.csv", help="one payout a row, columns by name")
    parser.add_argument("--dry-run", action="store_true", help="check every row and send nothing")
    parser.add_argument("--reference", default=REFERENCE, metavar="COLUMN", help=_REFERENCE)
    parser.add_argument("--journal", metavar="FILE", help="in place of FILE.csv.journal")
    parser.add_argument("--concurrency", type=_count, metavar="N", help="requests at a time")
    parser.add_argument("--to", metavar="RESULTS.csv", help="write what came of each row")
    for name in DEFAULTS:
        option = f"--{name.replace('_', '-')}"
        parser.add_argument(option, help="for rows that leave it empty")
    parser.add_argument("--json", action="store_true", help="print the result as JSON")


def run(options: argparse.Namespace) -> int:
    """Check, send, and say how many ended how; 1 when a row has a problem or was not paid."""
    given = {name: getattr(options, name) for name in DEFAULTS}
    defaults = {name: value for name, value in given.items() if value}
    checked = plan(options.file, reference=options.reference, **defaults)
    if options.dry_run or checked.problems:
        return _report(checked, as_json=options.json)
    from .. import frames

    frame = connect().transfers.create_many(
        options.file,
        reference=options.reference,
        journal=options.journal,
        concurrency=options.concurrency,
        progress=True,
        **defaults,
    )
    if options.to:
        frames.to_csv(frame, options.to)
    return _told(frame, as_json=options.json)


def _report(checked: Plan, *, as_json: bool) -> int:
    """What the file says, and everything wrong with it."""
    if as_json:
        problems = [vars(problem) for problem in checked.problems]
        print(json.dumps({"payouts": len(checked.rows), "problems": problems}))
    else:
        print(checked)
        if checked.ignored:
            print(f"columns that were left alone: {', '.join(checked.ignored)}")
        for problem in checked.problems:
            print(problem, file=sys.stderr)
    return 1 if checked.problems else 0


def _told(frame: pd.DataFrame, *, as_json: bool) -> int:
    facts: dict[Any, Any] = frame.attrs
    if as_json:
        print(json.dumps(dict(facts)))
    else:
        print(", ".join(f"{count} {word}" for word, count in facts["outcomes"].items()))
        print(f"journal: {facts['journal']}")
    for row in frame[frame["error"].notna()].itertuples():
        print(f"row {row.row}, {row.outcome}: {row.error}", file=sys.stderr)
    return 0 if set(facts["outcomes"]) <= MADE else 1


def _count(text: str) -> int:
    number = int(text)
    if not 1 <= number <= _MOST:
        raise argparse.ArgumentTypeError(f"must be 1 to {_MOST}")
    return number


_MOST = 64
_REFERENCE = f"the column that tells payouts apart, {REFERENCE} unless said"
