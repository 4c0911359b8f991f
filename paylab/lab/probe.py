"""Probe the service of a lab."""

from __future__ import annotations

from dataclasses import replace
from os import PathLike

from ..client.har import read_har
from ..client.sender import Sender
from ..files import path_of
from ..probe import record
from ..probe.probe import probe as ask
from ..probe.probe import recorded
from ..probe.report import Report, existing_service
from .place import Place, is_local

PACE = 0.2
"""Seconds between two requests, unless the service is on this machine."""


def probe(  # noqa: PLR0913 - the options of `Lab.probe`
    client: Sender,
    place: Place,
    *,
    write: bool,
    budget: int,
    to: str | PathLike[str] | None,
    calls: str | PathLike[str] | None,
) -> Report:
    """Check the assumptions against the service, with a pause between requests.

    With `calls`, a HAR file, nothing is sent: the report uses the recorded calls. A file `to` that
    is not a service.toml is refused before the first request.
    """
    target = None if to is None else path_of(to)
    if target is not None:
        existing_service(target)
    here = is_local(client.settings)
    if calls is not None:
        report = recorded(read_har(path_of(calls)).calls, client, client.service)
    else:
        report = ask(
            client,
            service=client.service,
            write=write,
            sandbox=here or place.kind != "other",
            budget=budget,
            pace=0.0 if here else PACE,
            kept=record.record_path(target) if target else None,
            local=here,
        )
    aside = report.save(target) if target is not None else None
    if target is None or aside is None:
        return report
    remark = f"the old {target.name} is kept as {aside.name}; values without an answer are in both"
    return replace(report, remarks=(*report.remarks, remark))
