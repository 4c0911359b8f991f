"""One table of country facts: where money can go, over which rail, and what each country asks.

`paylab.corridors` shows the table, `find(...)` a part of it, `get("MX")` all facts of a country.
`of(service)` gives the facts under other assumptions.
"""

from __future__ import annotations

import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any

from ..spec import codes
from ..spec.service import Service
from .account_types import Account
from .countries import NAMES as NAMES
from .countries import RAMP_FIELDS as RAMP_FIELDS
from .countries import SETTLEMENTS as SETTLEMENTS
from .countries import Corridor as Corridor
from .countries import Corridors as Corridors
from .countries import Countries as Countries
from .countries import Rail as Rail
from .countries import of as of

if TYPE_CHECKING:
    ALL: Corridors


def __getattr__(name: str) -> Any:
    if name == "ALL":
        return of().all
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def get(country: object) -> Corridor | None:
    """The facts of a country, with or without a corridor; None if no country has this code."""
    return of().get(country)


def find(  # noqa: PLR0913 - each narrows the search, and all have defaults
    *,
    country: str = "",
    currency: str = "",
    rail: str = "",
    product: str = "",
    account_type: str = "",
    service: Service | None = None,
) -> Corridors:
    """The corridors with everything asked for; what is left out does not matter."""
    return Corridors(
        corridor
        for corridor in of(service).all
        if (not country or country.upper() == corridor.country)
        and (not currency or codes.same_currency(currency, corridor.currency))
        and (not rail or rail in corridor.payout_methods)
        and (not product or product in corridor.products)
        and (not account_type or account_type in corridor.account_types)
    )


def account(country: object, kind: object) -> Account | None:
    """An account type as a country has it; with no country, one that is the same everywhere."""
    return of().account(country, kind)


def markdown() -> str:
    """The corridor table in Markdown; the SEPA countries share a row."""
    return of().all.markdown()


def _repr_mimebundle_(include: object = None, exclude: object = None) -> dict[str, str]:
    """What a notebook shows of this module: the table."""
    return of().all._repr_mimebundle_()


class _Shown(ModuleType):
    """This module, which shows its table wherever it is looked at."""

    def __repr__(self) -> str:
        return repr(of().all)


sys.modules[__name__].__class__ = _Shown
