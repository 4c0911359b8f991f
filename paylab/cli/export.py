"""Write transfers or conversions to a file, or to standard output as CSV.

Amounts in CSV are the text that the service sent. A Parquet file has DECIMAL amounts.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from ..client.settings import refuse_unknown_variables
from ..errors.base import ConfigError
from ..lab.lab import connect
from ..spec import timestamps
from ..spec.text import show_json
from ..storage.addresses import is_url
from .filters import add_filters, read_filter_options
from .terminal import announce, count, in_range, say

EXAMPLE = "paylab export transfers --to failed.csv --since 2026-05-01 --status failed"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    parser.add_argument(
        "what",
        metavar="LIST",
        choices=["transfers", "conversions"],
        help="transfers or conversions",
    )
    parser.add_argument(
        "--to",
        metavar="FILE.csv[.gz]|.jsonl[.gz]|.parquet|.xlsx|DIR/|-",
        help="where to: a file by its extension, a folder of daily Parquet files, each also at "
        "a URL, or - for stdout (CSV)",
    )
    parser.add_argument("--columns", metavar="NAMES", help="only these, separated by commas")
    add_filters(parser)
    parser.add_argument(
        "--scale", type=in_range(0), metavar="N", help="decimals of amounts in Parquet (default: 6)"
    )
    parser.add_argument(
        "--excel-safe", action="store_true", help="escape cells a spreadsheet would execute"
    )
    parser.add_argument(
        "--resume",
        action=argparse.BooleanOptionalAction,
        help="continue an interrupted export: always, or never (default: within an hour)",
    )
    parser.add_argument("--json", action="store_true", help="print the result as JSON")


def run(options: argparse.Namespace) -> int:
    """Export, with a line of progress on a terminal."""
    if options.to is None:
        raise ConfigError("write --to FILE, as in --to transfers.csv, or --to - for stdout")
    filter_by_name = read_filter_options(options, options.what)
    is_piped = options.to == "-"
    if is_piped and options.json:
        raise ConfigError("--json cannot be used with --to -, which prints the rows")
    refuse_unknown_variables()
    lab = connect()
    announce(lab.place)
    export_result = getattr(lab, options.what).export(
        options.to,
        progress=sys.stderr.isatty(),
        excel_safe=options.excel_safe,
        scale=options.scale,
        resume=options.resume,
        columns=options.columns,
        **filter_by_name,
    )
    if not is_piped:
        _print_files(export_result, options)
    return 0


def _print_files(export_result: Any, options: argparse.Namespace) -> None:
    """Print the files, and whether part of them is from an interrupted run."""
    from ..frames import sidecars

    oldest_time_text = timestamps.to_text(export_result.oldest_page_at)
    path = Path(export_result.path)
    sidecar_path = sidecars.find_sidecar_path(path)
    has_sidecar = not is_url(export_result.path) and sidecar_path.exists()
    if options.json:
        fact_by_name = {
            "path": str(export_result.path),
            "rows": export_result.rows,
            "pages": export_result.pages,
            "resumed": export_result.resumed,
            "oldest_page_at": oldest_time_text,
        }
        if has_sidecar:
            fact_by_name["columns"] = str(sidecar_path)
        say(show_json(fact_by_name))
        return
    columns_text = (
        f"; {path.with_name(sidecar_path.name)} describes its columns" if has_sidecar else ""
    )
    rows_text = count(export_result.rows, options.what.removesuffix("s"))
    say(f"{rows_text} in {export_result.path}{columns_text}")
    if export_result.resumed:
        say(
            f"resumed: an interrupted export fetched {export_result.resumed} of them from "
            f"{oldest_time_text} on; what changed since may be missing (--no-resume starts again)"
        )
