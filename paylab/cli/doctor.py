"""Check the settings, the connection, this machine's clock and the installed packages.

One signed GET is sent. The exit status is 1 if a check fails.
"""

from __future__ import annotations

import argparse
import platform
from collections.abc import Iterator, Sequence
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, NamedTuple

from .. import __version__
from ..errors.base import PaylabError
from ..errors.extras import EXTRAS, in_page, install_command, missing_packages
from ..lab.lab import Lab, connect
from ..spec.text import printable, show_json
from ..spec.timestamps import from_http, to_text
from .option_names import with_option_names
from .terminal import ignore_closed_pipe, say

if TYPE_CHECKING:
    from ..simulator.clock_panel import ClockPanel

EXAMPLE = "paylab doctor"
PACKAGES = ("httpx", "pydantic", "pandas", "pyarrow", "jupyterlab", "ipywidgets")
"""Packages whose version is shown if they are installed."""


class Check(NamedTuple):
    """One line of the report."""

    what: str
    good: bool
    text: str


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    parser.add_argument("--json", action="store_true", help="print the report as JSON")


def run(options: argparse.Namespace) -> int:
    """Print the report; return 1 if a check fails."""
    checks = list(examine())
    with ignore_closed_pipe():
        _print_checks(checks, as_json=options.json)
    return 0 if all(check.good for check in checks) else 1


def _print_checks(checks: Sequence[Check], *, as_json: bool) -> None:
    """Print a line for each check, or all of them as JSON."""
    if as_json:
        say(show_json([check._asdict() for check in checks]))
        return
    for check in checks:
        verdict_text = "ok " if check.good else "BAD"
        check_line = f"{verdict_text}  {check.what:<14}{check.text}"
        say(printable(check_line), "green" if check.good else "red")


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
        yield Check("settings", False, with_option_names(str(error), {}))
        return
    yield Check("place", True, lab.place.notice)
    for setting_name, setting_value, origin_text in lab.sources():
        yield Check(setting_name, True, f"{setting_value} ({origin_text})")
    yield from _check_service(lab)


def _check_extras() -> str:
    """The extras that are installed, and how to install the others."""
    missing_names = [extra_name for extra_name in EXTRAS if missing_packages(extra_name)]
    installed_names = [extra_name for extra_name in EXTRAS if extra_name not in missing_names]
    installed_text = ", ".join(installed_names) or "none"
    if not missing_names:
        return installed_text
    missing_text = ", ".join(missing_names)
    if in_page():
        return f"{installed_text}; a page cannot have {missing_text}"
    return f"{installed_text}; {install_command('NAME')} adds {missing_text}"


def _check_service(lab: Lab) -> Iterator[Check]:
    """Check that the service answers one signed GET, and compare the clocks."""
    try:
        lab.transfers.list(limit=1).first()
        yield Check("service", True, "answers, and accepts the signature")
    except PaylabError as error:
        yield Check("service", False, str(error))
    yield from _check_clock(lab)


def _describe_clock(clock: ClockPanel) -> Check:
    """The time of a simulator's clock, which is always good."""
    pace_text = "frozen at" if clock.frozen else f"running at {clock.speed:g}x, now"
    return Check("clock", True, f"the simulator's clock is {pace_text} {to_text(clock.now)}")


def _check_clock(lab: Lab) -> Iterator[Check]:
    """Check the difference between the service's Date header and this machine's clock.

    A simulator may have another time on purpose.
    """
    if lab.simulator is not None:
        yield _describe_clock(lab.simulator.clock)
        return
    date_header = lab.calls[-1].response_headers.get("date") if lab.calls else None
    if date_header is None:
        return
    service_time = from_http(date_header)
    if service_time is None:
        yield Check(
            "clock", False, f"the service's Date header cannot be read: {date_header[:40]!r}"
        )
        return
    seconds_ahead = (service_time - lab.calls[-1].when).total_seconds()
    tolerance_seconds = lab.service.signing.tolerance
    difference_text = "the same as"
    if abs(seconds_ahead) >= 1:
        direction_text = "ahead of" if seconds_ahead > 0 else "behind"
        difference_text = f"{abs(seconds_ahead):.0f} s {direction_text}"
    clock_text = (
        f"the service's clock is {difference_text} this machine's; "
        f"{tolerance_seconds} s are allowed"
    )
    yield Check("clock", abs(seconds_ahead) < tolerance_seconds, clock_text)
