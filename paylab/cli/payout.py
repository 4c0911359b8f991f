"""Send the payouts of a CSV file, each row once.

Every row is checked before anything is sent. After an interruption, the same command sends the
rows that were not sent. Sending to a service that is not a simulator needs a confirmation.

Columns of the file, in any order: client_reference_id, financial_account_id, source_currency,
destination_currency, payout_method and one of source_amount, destination_amount, net_source_amount;
source_network and source_type are for stablecoins. Other columns are not sent. --template prints an
example.

Before anything is sent, the list of transfers is read for the references of the file: a payout
that was made since --lookback is not made again. A reference with other values stops the whole
file. A payout that failed is paid again with --retry-failed.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Mapping
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from ..client.settings import refuse_unknown_variables, resolve
from ..errors.base import ConfigError, RuleError
from ..errors.extras import require_extra
from ..lab.lab import Lab, connect
from ..payments.batch import check_results_path
from ..payments.identity import REFERENCE
from ..payments.outcome import CREATED, MADE, UnpaidWarning
from ..payments.plan import NOT_CHECKED, Plan, make_plan
from ..payments.recognition import LOOKBACK_AGE
from ..spec.service.service import Service
from ..spec.text import printable, show_json
from ..spec.time_arguments import read_duration
from .option_names import with_option_names
from .service import service_for
from .terminal import (
    announce,
    confirm,
    count,
    ignore_closed_pipe,
    in_range,
    say,
    warn_of_short_life,
    warn_user,
)

if TYPE_CHECKING:
    from ..payments.batch_results import BatchResults

EXAMPLE = "paylab payout payouts.csv --dry-run"
TEMPLATE = """\
client_reference_id,financial_account_id,source_amount,source_currency,destination_currency,payout_method
invoice-1001,fa_of_the_first_recipient,150.00,USD,MXN,spei
invoice-1002,fa_of_the_second_recipient,80.50,USD,PHP,instapay
"""
IDS_SHOWN_MAX = 3
"""Number of ids of new payouts that are printed."""
DEFAULTS = ("source_currency", "destination_currency", "payout_method")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    parser.add_argument(
        "file", metavar="FILE.csv", nargs="?", help="one payout per row, with a header"
    )
    parser.add_argument("--template", action="store_true", help="print an example file")
    parser.add_argument("--yes", action="store_true", help="send without asking")
    parser.add_argument("--dry-run", action="store_true", help="check every row and send nothing")
    parser.add_argument("--reference", default=REFERENCE, metavar="COLUMN", help=_REFERENCE_HELP)
    parser.add_argument("--delimiter", default=",", type=_read_delimiter, help="between cells")
    parser.add_argument(
        "--concurrency",
        type=in_range(1, CONCURRENCY_MAX),
        metavar="N",
        help="concurrent requests (default: 8)",
    )
    parser.add_argument("--to", metavar="RESULTS.csv", help="write the outcome of each row")
    parser.add_argument(
        "--no-references",
        action="store_true",
        help="accept rows without a reference, which are safe to repeat for 24 hours only",
    )
    parser.add_argument(
        "--lookback",
        default=LOOKBACK_AGE,
        type=_read_lookback,
        metavar="DURATION",
        help="how old the payments are among which the references of the file are looked for "
        "(default: 45 days): what was paid before that is paid again; none: do not look",
    )
    parser.add_argument(
        "--older",
        choices=("paid", "pay"),
        help="paid: an equal payment older than 7 days is this payout; pay: it is paid again",
    )
    parser.add_argument(
        "--retry-failed",
        action="store_true",
        help="pay again what failed, expired or was cancelled before",
    )
    for default_name in DEFAULTS:
        option_text = f"--{default_name.replace('_', '-')}"
        parser.add_argument(option_text, help="value for rows that leave it empty")
    parser.add_argument("--json", action="store_true", help="print the result as JSON")


def run(options: argparse.Namespace) -> int:
    """Check, send, and print a summary; return 1 if a row has a problem or was not paid."""
    if options.template:
        print(TEMPLATE, end="")
        return 0
    if options.file is None:
        raise ConfigError("name a CSV file of payouts; paylab payout --template prints an example")
    refuse_unknown_variables()
    value_by_option: dict[str, Any] = {"references": not options.no_references}
    for option_name in ("reference", "delimiter", *DEFAULTS):
        option_value = getattr(options, option_name)
        if option_value:
            value_by_option[option_name] = option_value
    plan = make_plan(options.file, service=_find_service(), **value_by_option)
    if options.dry_run or plan.problems:
        if options.to is not None:
            warn_user(f"paylab: {options.to} is not written, since nothing is sent")
        with ignore_closed_pipe():
            _print_plan(plan, options)
        return 1 if plan.problems else 0
    if options.to is not None:
        check_results_path(options.to, options.file)
    require_extra("frames")  # if it is missing, nothing is sent
    lab = connect()
    announce(lab.place)
    warn_of_short_life(lab.place, "and forgets what was paid")
    confirm(lab.place, f"send {count(len(plan.rows), 'payout')}", yes=options.yes)
    results = _send_payouts(lab, options, value_by_option)
    if options.to is not None:
        warn_user(f"paylab: the outcome of each row is in {options.to}")
    with ignore_closed_pipe():
        _print_results(results, as_json=options.json)
    return 0 if set(results.attrs["outcomes"]) <= MADE else 1


def _send_payouts(
    lab: Lab, options: argparse.Namespace, payout_options: Mapping[str, Any]
) -> BatchResults:
    """Send each payout of the file once; `payout_options` are those that it was checked with."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnpaidWarning)  # the results tell the unpaid rows
        return lab.transfers.create_many(
            options.file,
            lookback=options.lookback,
            older=options.older,
            retry_failed=options.retry_failed,
            to=options.to,
            concurrency=options.concurrency,
            progress=True,
            **payout_options,
        )


def _find_service() -> Service:
    """The service of the settings, by whose rules the rows are checked."""
    settings = resolve()
    return service_for(None) if settings is None else settings.service


def _print_plan(plan: Plan, options: argparse.Namespace) -> None:
    """Print a summary of the file and all problems."""
    if options.json:
        problem_rows = [vars(problem) for problem in plan.problems]
        say(show_json({"payouts": len(plan.rows), "problems": problem_rows}))
    else:
        say(plan)
        if not plan.problems:
            say(NOT_CHECKED)
        if plan.ignored:
            say(f"columns that are not sent: {printable(', '.join(plan.ignored))}")
        for problem in plan.group_problems():
            warn_user(printable(with_option_names(str(problem), options.option_by_name)))
        _suggest_defaults(plan, options.option_by_name)


def _suggest_defaults(plan: Plan, option_by_name: Mapping[str, str]) -> None:
    """Name the options that fill columns that no row has."""
    option_texts = [
        option_by_name[problem.field]
        for problem in plan.problems
        if problem.field in DEFAULTS and not problem.row
    ]
    if option_texts:
        warn_user(f"paylab: to give all rows the same value, use {', '.join(option_texts)}")


def _print_results(results: BatchResults, *, as_json: bool) -> None:
    """Print how many rows have each outcome, and each error."""
    count_by_outcome = results.attrs["outcomes"]
    say(show_json({"outcomes": count_by_outcome}) if as_json else results.outcome_line())
    if not as_json and CREATED in count_by_outcome:
        say(_describe_created(results))
    for problem_text in results.problem_texts():
        warn_user(printable(problem_text))


def _describe_created(results: BatchResults) -> str:
    """The source amounts of the new payouts by currency, and their first ids."""
    created_rows = results[results["outcome"] == CREATED]
    sum_by_currency = created_rows.groupby("source_currency", observed=True)["source_amount"].sum()
    sum_texts = [f"{amount} {currency}" for currency, amount in sum_by_currency.items()]
    id_texts = [*map(str, created_rows["id"][:IDS_SHOWN_MAX])]
    if len(created_rows) > IDS_SHOWN_MAX:
        id_texts.append("... (all with --to RESULTS.csv)")
    return f"from {', '.join(sum_texts)}: {', '.join(id_texts)}"


def _read_lookback(duration_text: str) -> timedelta | None:
    """The age of --lookback, such as "45 days"; None for "none"."""
    if duration_text.strip().lower() == "none":
        return None
    try:
        return read_duration(duration_text, "lookback")
    except RuleError as error:
        raise argparse.ArgumentTypeError(error.problems[0].message) from None


def _read_delimiter(delimiter_text: str) -> str:
    """The character of --delimiter; the word "tab" is a tab."""
    delimiter_character = "\t" if delimiter_text in ("tab", "\\t") else delimiter_text
    if len(delimiter_character) != 1 or delimiter_character in '"\r\n':
        raise argparse.ArgumentTypeError("must be one character, or tab")
    return delimiter_character


CONCURRENCY_MAX = 64
_REFERENCE_HELP = f"the column that identifies a payout (default: {REFERENCE})"
