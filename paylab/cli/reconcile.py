"""Compare the payments of the service with your books.

Books are a CSV, .xlsx, .parquet or .jsonl file, or with --database a query. Rows are matched by id,
else by reference; every column that both have is compared. If books have no transfer, or no
conversion, that list is not compared, and the first line says so. The exit status is 1 when there
is a problem.
"""

from __future__ import annotations

import argparse
import json
from functools import partial
from typing import TYPE_CHECKING

from ..client.settings import refuse_unknown_variables
from ..errors.extras import require_extra
from ..lab.lab import connect
from ..spec.text import show_json
from .terminal import announce, count, ignore_closed_pipe, say, terminal_width, wrap_lines

if TYPE_CHECKING:
    from ..webhooks.payment_problems import PaymentProblem
    from ..webhooks.report import Reconciliation

EXAMPLE = "paylab reconcile may.csv --column amount=Betrag --tz Europe/Berlin"
PROBLEMS_SHOWN = 20  # problems that are printed one by one
SPARE_COLUMNS = ("side", "id", "column", "currency", "difference", "row")
"""The columns of problems that a narrow terminal does without, the first one first."""


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
            type=partial(_read_pair, metavar=metavar),
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


def _read_pair(pair_text: str, metavar: str) -> tuple[str, str]:
    """The two sides of an option such as `reference=Invoice`; `metavar` is its form."""
    pair_name, equals_sign, pair_value = pair_text.partition("=")
    if not equals_sign:
        raise argparse.ArgumentTypeError(f"{pair_text[:40]!r} has no =: write {metavar}")
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
        say(show_json(_report_json(reconciliation)) if as_json else _report_text(reconciliation))
    return 0 if reconciliation else 1


def _report_text(reconciliation: Reconciliation) -> str:
    """The report and the first problems, as wide as the terminal at most."""
    width = terminal_width()
    report_text = wrap_lines(reconciliation.report(), width)
    if not reconciliation.problems:
        return report_text
    table_text, hidden_names = _write_table(reconciliation, width)
    rest_texts = []
    if len(reconciliation) > PROBLEMS_SHOWN:
        rest_texts.append(count(len(reconciliation) - PROBLEMS_SHOWN, "more problem"))
    if hidden_names:
        rest_texts.append(f"the columns {', '.join(hidden_names)}")
    rest_lines = [f"--json also prints {', and '.join(rest_texts)}"] if rest_texts else []
    return "\n".join([report_text, "", table_text, *rest_lines])


def _write_table(reconciliation: Reconciliation, width: int) -> tuple[str, list[str]]:
    """The first problems as a table, and the columns that are left out to fit the width.

    The table has no empty columns.
    """
    first_problems = reconciliation.problems[:PROBLEMS_SHOWN]
    problem_cells = reconciliation.frame().head(PROBLEMS_SHOWN).astype(object)
    problem_cells["difference"] = [_write_difference(problem) for problem in first_problems]
    table_cells = problem_cells.drop(columns=["family", "time_difference"])
    shown_cells = table_cells.loc[:, table_cells.notna().any()].fillna("")
    spare_names = [column_name for column_name in SPARE_COLUMNS if column_name in shown_cells]
    for hidden_count in range(len(spare_names) + 1):
        hidden_names = spare_names[:hidden_count]
        table_text = shown_cells.drop(columns=hidden_names).to_string(index=False)
        if len(table_text.partition("\n")[0]) <= width:
            return table_text, hidden_names
    return shown_cells.to_string(index=False, line_width=width), []


def _write_difference(problem: PaymentProblem) -> str | None:
    """The difference of amounts, or that of times such as "+2 h"; None if there is none."""
    from ..views.durations import short_duration
    from ..webhooks.payment_problems import write_digits  # loads pandas

    if problem.time_difference is None:
        return write_digits(problem.difference)
    seconds = problem.time_difference.total_seconds()
    return f"{'-' if seconds < 0 else '+'}{short_duration(abs(seconds))}"


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
