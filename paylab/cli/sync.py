"""Keep a folder of Parquet files, one per day, up to date with the service.

The first run fetches everything; later runs fetch new rows, rows that were not final, and those
of the 48 hours before the newest known row. Query the folder with DuckDB:
select sum(source_amount) from 'DIR/*/*.parquet'
"""

from __future__ import annotations

import argparse
import sys

from ..client.settings import refuse_unknown_variables
from ..lab.lab import connect
from ..lab.lists import report_progress
from ..spec.text import show_json
from .terminal import announce, count, in_range, say

EXAMPLE = "paylab sync transfers transfers/"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    parser.add_argument(
        "what",
        metavar="LIST",
        choices=["transfers", "conversions"],
        help="transfers or conversions",
    )
    parser.add_argument("folder", metavar="DIR/", help="a folder, or an fsspec URL such as s3://")
    parser.add_argument(
        "--overlap", default="48h", metavar="TIME", help="how far to read back, such as 36h or 7D"
    )
    parser.add_argument(
        "--full",
        action="store_true",
        help="read all rows again, and remove those that the service does not list",
    )
    parser.add_argument(
        "--scale",
        type=in_range(0),
        metavar="N",
        help="decimals of amounts in a new folder (default: 6)",
    )
    parser.add_argument("--json", action="store_true", help="print the result as JSON")


def run(options: argparse.Namespace) -> int:
    """Sync, and print the numbers of new and changed rows."""
    from ..frames.dataset import Dataset

    refuse_unknown_variables()
    lab = connect()
    announce(lab.place)
    list_source = getattr(lab, options.what)
    with report_progress(sys.stderr.isatty(), options.what) as progress:
        sync_result = Dataset(options.folder, scale=options.scale).sync(
            list_source, progress, overlap=options.overlap, full=options.full
        )
    if options.json:
        fact_by_name = {
            "folder": options.folder,
            "new": sync_result.new,
            "updated": sync_result.updated,
        }
        fact_by_name |= {"removed": sync_result.removed, "pages": sync_result.pages}
        say(show_json(fact_by_name))
        return 0
    summary_texts = [f"{sync_result.new} new {options.what}", f"{sync_result.updated} changed"]
    if options.full:
        summary_texts.append(f"{sync_result.removed} removed")
    summary_texts.append(f"{count(sync_result.pages, 'page')} read")
    say(f"{options.folder}: {', '.join(summary_texts)}")
    return 0
