"""Compare the payments of the service with your books.

Books are a CSV, .xlsx, .parquet or .jsonl file, or with --database a query. Rows are matched by id,
else by reference; every column that both have is compared. If books have no transfer, or no
conversion, that list is not compared, and the first line says so. The exit status is 1 when there
is a problem.
"""

from __future__ import annotations

import argparse
import json
from typing import TYPE_CHECKING

from ..client.settings import refuse_unknown_variables
from ..errors.extras import require_extra
from ..lab.lab import connect
from .terminal import announce, ignore_closed_pipe, say

if TYPE_CHECKING:
    from ..webhooks.report import Reconciliation

EXAMPLE = "paylab reconcile may.csv --column amount=Betrag --tz Europe/Berlin"
PROBLEMS_SHOWN = 20  # problems that are printed one by one


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    parser.add_argument("books", metavar="BOOKS", help="a file, or with --database a query")
    parser.add_argument("--database", metavar="URL", help="where to run the query")
    parser.add_argument("--sheet", metavar="NAME", help="of a workbook (default: the first)")
    parser.add_argument("--events", metavar="FILE", help="compare the events of an inbox too")
    for option_name, metavar, help_text in PAIRS:
        parser.add_argument(
            f"--{option_name}",
            action="append",
            default=None,
            metavar=metavar,
            type=_read_pair,
            help=help_text,
        )
    parser.add_argument("--window", metavar="TIME", help="tolerance of dates, such as '1 day'")
    parser.add_argument("--tz", default="UTC", metavar="ZONE", help="time zone of the books")
    parser.add_argument("--since", metavar="TIME", help="payments since then must be in the books")
    parser.add_argument("--until", metavar="TIME", help="payments before then must be in the books")
    parser.add_argument("--delimiter", metavar="MARK", help="between cells (default: found)")
    parser.add_argument(
        "--decimal",
        choices=[".", ","],
        metavar="MARK",
        help="decimal mark, . or , (default: found)",
    )
    parser.add_argument("--date-format", metavar="FORM", help="such as %%d.%%m.%%Y")
    parser.add_argument("--json", action="store_true", help="print the result as JSON")


PAIRS = (
    ("column", "MEANING=NAME", "your name of a column, such as reference=Invoice; repeatable"),
    ("status", "WORD=STATUS", "your word of a status, such as settled=completed; repeatable"),
    ("tolerance", "CURRENCY=AMOUNT", "of amounts, such as USD=0.01, or =0.01 for all; repeatable"),
)


def _read_pair(pair_text: str) -> tuple[str, str]:
    """The two sides of an option such as `reference=Invoice`."""
    pair_name, equals_sign, pair_value = pair_text.partition("=")
    if not equals_sign:
        raise argparse.ArgumentTypeError(f"{pair_text[:40]!r} has no =")
    return pair_name, pair_value


def run(options: argparse.Namespace) -> int:
    """Reconcile; print the report and the first problems."""
    require_extra("frames")
    refuse_unknown_variables()
    lab = connect()
    announce(lab.place)
    reconciliation = lab.reconcile(
        options.books,
        events=options.events,
        columns=dict(options.column or ()),
        status_map=dict(options.status or ()),
        tolerance=dict(options.tolerance or ()),
        window=options.window,
        tz=options.tz,
        since=options.since,
        until=options.until,
        delimiter=options.delimiter,
        decimal=options.decimal,
        date_format=options.date_format,
        sheet=options.sheet,
        database=options.database,
    )
    as_json = options.json
    with ignore_closed_pipe():
        say(json.dumps(_report_json(reconciliation)) if as_json else _report_text(reconciliation))
    return 0 if reconciliation else 1


def _report_text(reconciliation: Reconciliation) -> str:
    """The report, and a table of the first problems without columns that are empty."""
    report_lines = [reconciliation.report()]
    if not reconciliation.problems:
        return report_lines[0]
    problem_frame = reconciliation.frame()
    first_problems = problem_frame.head(PROBLEMS_SHOWN).astype(object)
    filled_columns = first_problems.loc[:, first_problems.notna().any()]
    shown_columns = filled_columns.drop(columns="family", errors="ignore")
    report_lines += ["", shown_columns.fillna("").to_string(index=False)]
    if len(problem_frame) > PROBLEMS_SHOWN:
        report_lines.append(f"{len(problem_frame) - PROBLEMS_SHOWN} more; --json prints all")
    return "\n".join(report_lines)


def _report_json(reconciliation: Reconciliation) -> dict[str, object]:
    """The result as JSON: amounts and times as text."""
    return {
        "agrees": bool(reconciliation),
        "sides": list(reconciliation.sides),
        "compared": reconciliation.compared,
        "not_compared": reconciliation.not_compared,
        "notes": list(reconciliation.notes),
        "summary": json.loads(reconciliation.summary().to_json(orient="records")),
        "problems": [problem.as_json() for problem in reconciliation.problems],
    }
