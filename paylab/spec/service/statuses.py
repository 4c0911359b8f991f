"""Statuses and codes that the spec does not list."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Annotated

from ...light_dataclass import light_dataclass
from .setting import Setting
from .value_types import Words, WordsLimit


@light_dataclass(frozen=True)
class StatusSettings:
    """Statuses and codes that the spec does not list."""

    conversion_accounts: Annotated[
        Words,
        WordsLimit(),
        Setting(
            "Which statuses does a conversion account have besides pending and active "
            "(drift does not report these; no wait ends at new ones)?",
            row="ca.states",
            origin="public",
            others=(("under_review", "disabled", "closed"), ()),
        ),
    ] = ("under_review", "disabled")
    individuals: Annotated[
        Words,
        WordsLimit(),
        Setting(
            "Which statuses does an individual have besides those of the interface description "
            "(drift does not report these; no wait ends at new ones)?",
            row="codes.new",
            origin="spec",
            others=(("on_hold",),),
        ),
    ] = ()
    transfers: Annotated[
        Words,
        WordsLimit(),
        Setting(
            "Which statuses does a transfer have besides those of the interface description "
            "(drift does not report these; no wait ends at new ones)?",
            row="codes.new",
            origin="spec",
            others=(("on_hold",),),
        ),
    ] = ()
    conversions: Annotated[
        Words,
        WordsLimit(),
        Setting(
            "Which statuses does a conversion have besides those of the interface description "
            "(drift does not report these; no wait ends at new ones)?",
            row="codes.new",
            origin="spec",
            others=(("on_hold",),),
        ),
    ] = ()
    detail_codes: Annotated[
        Words,
        WordsLimit(),
        Setting(
            "Which status detail codes are there besides those of the interface description?",
            row="codes.new",
            origin="spec",
            others=(("verification_liveness_failed",),),
        ),
    ] = ()


STATUSES: Mapping[str, Callable[[StatusSettings], Words]] = {
    "individuals": lambda statuses: statuses.individuals,
    "transfers": lambda statuses: statuses.transfers,
    "conversions": lambda statuses: statuses.conversions,
    "conversion_accounts": lambda statuses: statuses.conversion_accounts,
}
"""The further statuses of each resource."""
