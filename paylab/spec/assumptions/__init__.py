"""The open points of the spec, what paylab assumes about each, and what to ask the provider.

`paylab.assumptions` shows the table, `get("details.mx")` one row of it. `ALL` has all rows, and
`SCENARIOS` the special values of the simulator.
"""

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


def _repr_mimebundle_(include: object = None, exclude: object = None) -> dict[str, str]:
    """Show this module as the table of assumptions in a notebook."""
    from .assumption_table import write_html_table, write_text_table

    return {"text/html": write_html_table(), "text/plain": write_text_table()}


__all__ = ["ALL", "SCENARIOS", "Assumption", "Scenario", "get", "markdown"]


def __dir__() -> list[str]:
    return sorted(__all__)
