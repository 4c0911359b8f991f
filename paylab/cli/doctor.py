"""Check the settings, the connection, this machine's clock and the installed packages.

One signed GET is sent. The exit status is 1 if a check fails.
"""

from __future__ import annotations

import argparse
import json
import platform
from collections.abc import Iterator
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, version
from typing import NamedTuple

from .. import __version__
from ..errors.base import PaylabError, in_page
from ..errors.extras import EXTRAS, missing_packages
from ..lab.lab import Lab, connect
from ..spec.text import printable
from ..spec.timestamps import from_http
from .terminal import say

EXAMPLE = "paylab doctor"
PACKAGES = ("httpx", "pydantic", "pandas", "pyarrow", "jupyterlab", "ipywidgets")
"""Packages whose version is shown if they are installed."""


class Check(NamedTuple):
    """One line of the report."""

    what: str
    good: bool
    text: str


def arguments(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    parser.add_argument("--json", action="store_true", help="print the report as JSON")


def run(options: argparse.Namespace) -> int:
    """Print the report; return 1 if a check fails."""
    findings = list(examine())
    if options.json:
        say(json.dumps([finding._asdict() for finding in findings]))
    else:
        for finding_name, good, finding_text in findings:
            finding_line = f"{'ok ' if good else 'BAD'}  {finding_name:<14}{finding_text}"
            say(printable(finding_line), "green" if good else "red")
    return 0 if all(finding.good for finding in findings) else 1


def examine() -> Iterator[Check]:
    """Run all checks, from the packages to the service."""
    yield Check("paylab", True, __version__)
    yield Check("python", True, f"{platform.python_version()} on {platform.system()}")
    for package_name in PACKAGES:
        with suppress(PackageNotFoundError):
            yield Check(package_name, True, version(package_name))
    yield Check("extras", True, _check_extras())
    try:
        lab = connect(max_retries=0)
    except PaylabError as error:
        yield Check("settings", False, str(error))
        return
    yield Check("place", True, f"{lab.place}: {lab.place.notice}")
    for package_name, setting_value, origin in lab.sources():
        yield Check(package_name, True, f"{setting_value} ({origin})")
    yield from _check_service(lab)


def _check_extras() -> str:
    """The extras that are installed, and how to install the others."""
    missing_extras = [extra for extra in EXTRAS if missing_packages(extra)]
    installed = ", ".join(extra for extra in EXTRAS if extra not in missing_extras) or "none"
    command = "a page cannot have" if in_page() else "pip install 'paylab[NAME]' adds"
    advice = f"; {command} {', '.join(missing_extras)}" if missing_extras else ""
    return f"{installed}{advice}"


def _check_service(lab: Lab) -> Iterator[Check]:
    try:
        lab.transfers.list(limit=1).first()
        yield Check("service", True, "answers, and accepts the signature")
    except PaylabError as error:
        yield Check("service", False, str(error))
    yield from _check_clock(lab)


def _check_clock(lab: Lab) -> Iterator[Check]:
    """Check the difference between the service's Date header and this machine's clock."""
    date_header = lab.calls[-1].response_headers.get("date") if lab.calls else None
    if date_header is None:
        return
    date = from_http(date_header)
    if date is None:
        yield Check(
            "clock", False, f"the service's Date header cannot be read: {date_header[:40]!r}"
        )
        return
    ahead = (date - lab.calls[-1].when).total_seconds()
    tolerance = lab.service.signing.tolerance
    side = "ahead of" if ahead > 0 else "behind"
    apart = f"{abs(ahead):.0f} s {side}" if abs(ahead) >= 1 else "the same as"
    clock_text = f"the service's clock is {apart} this machine's; {tolerance} s are allowed"
    yield Check("clock", abs(ahead) < tolerance, clock_text)
