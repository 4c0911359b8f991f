"""The country facts: payout corridors, rails, account types, documents and required fields.

`paylab.corridors` shows the table, `find(...)` a part of it, `get("MX")` all facts of a country.
`of(service)` returns the facts under other assumptions.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..errors.module_names import raise_unknown_name
from .corridor import Corridor as Corridor
from .corridor import Rail as Rail
from .corridor_table import Corridors as Corridors
from .countries import find as find
from .countries import get as get
from .countries import of as of

if TYPE_CHECKING:
    ALL: Corridors


def __getattr__(name: str) -> Corridors:
    if name != "ALL":
        raise_unknown_name(__name__, name, __all__)
    return of().all


def _repr_mimebundle_(include: object = None, exclude: object = None) -> dict[str, str]:
    """Show this module as the table of corridors in a notebook."""
    return of().all._repr_mimebundle_()


__all__ = [
    "ALL",
    "Corridor",
    "Corridors",
    "Rail",
    "examples",
    "find",
    "get",
    "of",
]


def __dir__() -> list[str]:
    return sorted(__all__)
