"""Write all transfers or conversions to a file, amounts exactly as the service sent them."""

from __future__ import annotations

import argparse
import json
import sys

from ..spec import codes, timestamps
from .terminal import open_lab, say, warn_user

EXAMPLE = "paylab export transfers --to transfers.csv"


def arguments(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    parser.add_argument("what", choices=["transfers", "conversions"], help="the list")
    parser.add_argument(
        "--to",
        required=True,
        metavar="FILE.csv|FILE.parquet|DIR/",
        help="the file or folder to write",
    )
    parser.add_argument("--product-type", choices=codes.PRODUCTS, help="of transfers alone")
    parser.add_argument(
        "--excel-safe", action="store_true", help="a CSV of which no cell runs in a spreadsheet"
    )
    parser.add_argument(
        "--resume",
        action=argparse.BooleanOptionalAction,
        help="use what an interrupted export fetched: always, or never (default: for an hour)",
    )
    parser.add_argument("--json", action="store_true", help="print the result as JSON")


def run(options: argparse.Namespace) -> int:
    """Export, with a line of progress where somebody watches."""
    if options.product_type and options.what == "conversions":
        warn_user("paylab: --product-type goes with transfers")
        return 2
    lab = open_lab()
    filters = {"product_type": options.product_type} if options.what == "transfers" else {}
    done = getattr(lab, options.what).export(
        options.to,
        progress=sys.stderr.isatty(),
        excel_safe=options.excel_safe,
        resume=options.resume,
        **filters,
    )
    begun = timestamps.to_text(done.oldest_page_at)
    facts = {"path": str(done.path), "rows": done.rows, "pages": done.pages}
    facts |= {"resumed": done.resumed, "oldest_page_at": begun}
    say(json.dumps(facts) if options.json else f"{done.rows} {options.what} in {done.path}")
    if done.resumed and not options.json:
        say(
            f"resumed: an interrupted export fetched {done.resumed} of them from {begun} on; "
            "what changed since may be missing (--no-resume starts again)"
        )
    return 0
