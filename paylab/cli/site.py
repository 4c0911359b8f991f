"""Build static files with which the notebooks run in a browser, with nothing installed.

The files work under any path of any static host, and on this machine with
`python3 -m http.server --directory DIR`. The packages are downloaded once, as pinned; Python itself
(Pyodide) is copied from --pyodide, or loaded by the pages from its public address.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

from ..errors.base import ConfigError
from ..errors.extras import require_extra
from .terminal import say

EXAMPLE = "paylab site --out site"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    parser.add_argument("--out", metavar="DIR", help="the folder of the site")
    parser.add_argument(
        "--notebooks",
        nargs="+",
        default=[],
        metavar="NAME",
        help="names of lessons, or the start of their names (default: all that run in a page)",
    )
    parser.add_argument(
        "--pyodide",
        metavar="DIR",
        help="copy the runtime from this folder (default: pages load it from its public address)",
    )
    parser.add_argument(
        "--url",
        default="",
        metavar="PATH",
        help="the path of the site on its host, such as /demo/ (default: any path)",
    )


def run(options: argparse.Namespace) -> int:
    """Build the site and print what was built."""
    from ..site.build import SiteOptions, build_site
    from ..site.lessons import choose_lessons
    from ..site.runtime_files import RuntimeFiles

    if options.out is None:
        raise ConfigError("write --out DIR, as in --out site: the folder of the site")
    started_at = time.monotonic()
    require_extra("site")
    lesson_paths = choose_lessons(options.notebooks)
    runtime_folder = None if options.pyodide is None else Path(options.pyodide).expanduser()
    runtime_files = RuntimeFiles(runtime_folder)
    site_folder = Path(options.out).expanduser().resolve()
    site_options = SiteOptions(lesson_paths, runtime_files, _site_path(options.url))
    build_site(site_folder, site_options)
    file_sizes = [path.stat().st_size for path in site_folder.rglob("*") if path.is_file()]
    megabytes = sum(file_sizes) / 1_000_000
    runtime_place_text = f"loaded from {runtime_files.address}"
    if runtime_folder is not None:
        runtime_place_text = f"from {runtime_folder}"
    seconds = time.monotonic() - started_at
    say(f"{options.out}: {len(lesson_paths)} lessons, {megabytes:.0f} MB, in {seconds:.0f} s")
    say(f"Python in the pages is {runtime_place_text}.")
    if runtime_folder is not None and not site_options.is_quick:
        say("Node is not installed: pages take a few seconds longer to start.")
    say(f"Try it: python3 -m http.server --directory {options.out}")
    return 0


def _site_path(path: str) -> str:
    """The path of the site on its host, with a slash at both ends; empty for any path."""
    if not path:
        return ""
    # Not printable: browsers drop tabs and line breaks.
    has_odd_characters = set(path) & set("?#\\\"'<> ") or not path.isprintable()
    is_host_path = path.startswith("/") and not path.startswith("//")  # // begins a host
    if not is_host_path or has_odd_characters:
        raise ConfigError(f"--url {path!r} must be a path such as /demo/")
    return f"{path.rstrip('/')}/"
