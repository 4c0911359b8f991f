"""A probe of the service that a lab is connected to."""

from __future__ import annotations

from urllib.parse import urlsplit

from ..client.sender import Sender
from ..loopback import is_loopback
from ..probe.probe import probe as ask
from ..probe.report import Report
from .place import Place

PACE = 0.2
"""Seconds between two requests, unless the service is on this machine."""


def probe(client: Sender, place: Place, *, write: bool, budget: int) -> Report:
    """Ask the service what the specification leaves open, at a pace that is no burden."""
    here = is_loopback(urlsplit(client.settings.base_url).hostname or "")
    return ask(
        client,
        service=client.service,
        write=write,
        sandbox=here or place.kind != "other",
        budget=budget,
        pace=0.0 if here else PACE,
    )
