"""How far a person's verification has come."""

from __future__ import annotations

from typing import Any

from ...status import INDIVIDUAL
from ..page import Row
from .live import Live


class StatusLine(Live):
    """An individual's machine, live."""

    machine = INDIVIDUAL
    moving = ("pending", "under_review")
    title = "Verification"

    def facts_of(self, found: Any) -> list[Row]:
        """Who it is, and why the status is what it is."""
        details = [detail for detail in found.status_details or [] if hasattr(detail, "code")]
        return [
            ("Person", f"{found.given_name or ''} {found.family_name or ''}".strip()),
            *((str(detail.code or "detail"), str(detail.message or "")) for detail in details),
        ]
