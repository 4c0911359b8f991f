"""A probe of the service that a lab is connected to, and what its answers drift from."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from urllib.parse import urlsplit

from ..client.sender import Sender
from ..loopback import is_loopback
from ..probe import record
from ..probe.drift import Drift
from ..probe.drift import drift as find_drift
from ..probe.probe import probe as ask
from ..probe.probe import recorded
from ..probe.report import Report
from ..webhooks.inbox import Inbox
from .place import Place

PACE = 0.2
"""Seconds between two requests, unless the service is on this machine."""


def probe(  # noqa: PLR0913 - the options of `Lab.probe`
    client: Sender,
    place: Place,
    *,
    write: bool,
    budget: int,
    to: Path | None,
    calls: Path | None,
) -> Report:
    """Ask the service what the specification leaves open, at a pace that is no burden.

    With `calls`, a HAR file, nothing is asked: the report says what the recorded calls show.
    """
    here = is_loopback(urlsplit(client.settings.base_url).hostname or "")
    if calls is not None:
        report = recorded(record.read_har(calls), client, client.service)
    else:
        report = ask(
            client,
            service=client.service,
            write=write,
            sandbox=here or place.kind != "other",
            budget=budget,
            pace=0.0 if here else PACE,
            kept=record.beside(to) if to else None,
            local=here,
        )
    if to is not None:
        report.write(to)
    return report


def drift(client: Sender, inboxes: Iterable[Inbox]) -> Drift:
    """What the calls that are kept, and the events that arrived, have beyond the settings."""
    events = [(arrival.event.type, None) for inbox in inboxes for arrival in inbox]
    return find_drift(client.calls, client.service, events)
