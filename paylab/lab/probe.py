"""Probe the service of a lab."""

from __future__ import annotations

from os import PathLike
from pathlib import Path

from ..client.client import Client
from ..client.har import read_har
from ..probe.probe import probe as walk
from ..probe.probe import recorded
from ..probe.report import Report, existing_service
from .place import is_local

PACE = 0.2
"""Seconds between two requests, unless the service is on this machine."""


def probe_service(
    client: Client,
    *,
    write: bool,
    budget: int,
    to: str | PathLike[str] | None,
    calls: str | PathLike[str] | None,
) -> Report:
    """Walk through the service, with a pause between requests, and write what was proven.

    With `calls`, a HAR file, nothing is sent: the report uses the recorded calls. A file `to` that
    is not a service.toml is refused before the first request. Nothing is written if the walk
    could not begin.
    """
    target = None if to is None else Path(to)
    if target is not None:
        existing_service(target)
    if calls is not None:
        report = recorded(read_har(Path(calls)).calls, client.service)
    else:
        pace = 0.0 if is_local(client.settings) else PACE
        report = walk(client, write=write, budget=budget, pace=pace)
    if target is not None and not report.hopeless:
        report.write(target)
    return report
