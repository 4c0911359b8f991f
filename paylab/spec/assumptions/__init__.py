"""The open points of the spec and what paylab assumes: `get(id)`, `ALL`, `SCENARIOS`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...errors.module_names import raise_unknown_name
from .assumption import SCENARIOS, Assumption, Scenario
from .reference import get, markdown

if TYPE_CHECKING:
    ALL: tuple[Assumption, ...]
else:

    def __getattr__(name: str) -> Any:
        """Read the rows of the reference at the first use of `ALL`."""
        if name != "ALL":
            raise_unknown_name(__name__, name, __all__)
        from .reference import assumption_rows

        return assumption_rows()


__all__ = ["ALL", "SCENARIOS", "Assumption", "Scenario", "get", "markdown"]


def __dir__() -> list[str]:
    return sorted(__all__)
