"""Probe the service of a lab, and find drift between its answers and the settings."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlsplit

from ..client.sender import Sender
from ..loopback import is_loopback
from ..probe import record
from ..probe.drift import Drift, find_drift
from ..probe.probe import probe as ask
from ..probe.probe import recorded
from ..probe.report import Report, existing_service
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
    """Check the assumptions against the service, with a pause between requests.

    With `calls`, a HAR file, nothing is sent: the report uses the recorded calls. A file `to` that
    is not a service.toml is refused before the first request.
    """
    if to is not None:
        existing_service(to)
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
            kept=record.record_path(to) if to else None,
            local=here,
        )
    aside = report.save(to) if to is not None else None
    if to is None or aside is None:
        return report
    remark = f"the old {to.name} is kept as {aside.name}; values without an answer are in both"
    return replace(report, remarks=(*report.remarks, remark))


def drift(client: Sender, inboxes: Iterable[Inbox]) -> Drift:
    """Differences between the settings and the kept calls and received events."""
    events = [(arrival.event.type, None) for inbox in inboxes for arrival in inbox]
    return find_drift(client.calls, client.service, events)
