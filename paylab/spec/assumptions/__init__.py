"""The open points of the spec and what paylab assumes: `get(id)`, `ALL`, `SCENARIOS`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .assumption import SCENARIOS, Assumption, Scenario
from .reference import get, markdown

if TYPE_CHECKING:
    ALL: tuple[Assumption, ...]
else:

    def __getattr__(name: str) -> Any:
        if name == "ALL":
            from .reference import assumption_rows

            return assumption_rows()
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


__all__ = ["ALL", "SCENARIOS", "Assumption", "Scenario", "get", "markdown"]
