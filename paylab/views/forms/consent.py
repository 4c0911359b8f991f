"""Consent to identity verification: an act of a person, with its time."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from ipywidgets import Checkbox

from ... import instants
from .field import Field

NAME = "idv_consent_recorded_at"
ASKED = "The person agrees to identity verification"


class Consent(Field):
    """A box that nothing but a person, or the author of a cell, ticks; its value is the time."""

    def __init__(self, clock: Callable[[], datetime]) -> None:
        self._clock, self.recorded_at = clock, ""
        super().__init__(NAME, ASKED, Checkbox(value=False, indent=False))
        self.widget.observe(self._note_time, "value")

    @property
    def value(self) -> str:
        """When consent was given, as ISO 8601 text in UTC; empty while it was not."""
        return self.recorded_at

    def require(self, needed: bool) -> None:
        """Consent is asked for or not; it is never half wanted."""
        self.show(needed)

    def give(self) -> None:
        """Tick the box."""
        self.widget.value = True

    def withdraw(self) -> None:
        """Clear the box."""
        self.widget.value = False

    def _note_time(self, change: dict[str, bool]) -> None:
        self.recorded_at = instants.to_text(self._clock()) if change["new"] else ""
        self.hint = f"Consent recorded at {self.recorded_at}" if self.recorded_at else ""
