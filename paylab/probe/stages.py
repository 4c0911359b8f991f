"""The stages of a run: how far each came, and the lines of a report that say so."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby

from ..errors.text import printable

ON_RAMP = " on-ramp"
PAYOUT = " payout"
"""The ends of the names of stages of one country, such as "MX payout"."""


@dataclass(frozen=True)
class Stage:
    """A stage of a run: where it stopped, and the actions that it went without."""

    name: str
    stop: str = ""
    without: tuple[str, ...] = ()

    @property
    def moves_money(self) -> bool:
        """Whether it is an on-ramp or a payout that is complete."""
        return self.name.endswith((ON_RAMP, PAYOUT)) and not self.stop

    @property
    def is_payout(self) -> bool:
        """Whether it is the payout to a country."""
        return self.name.endswith(PAYOUT)

    @property
    def end(self) -> str:
        """How far it came."""
        return "; ".join([self.stop or "complete", *self.without])

    def __str__(self) -> str:
        return printable(f"{self.name}: {self.end}")


def describe_reach(stages: Iterable[Stage]) -> Iterator[str]:
    """How far a run came: a line for each stage, and one for all payouts, which are successive.

    Such as "Lists: complete" and "Payouts: MX, PH complete; BR stops at the transfer (422 ...)".
    """
    for is_payout, successive_stages in groupby(stages, lambda stage: stage.is_payout):
        if is_payout:
            yield _describe_payouts(successive_stages)
        else:
            yield from map(str, successive_stages)


def _describe_payouts(stages: Iterable[Stage]) -> str:
    """One line for payouts, in which countries whose payouts came equally far are together."""
    countries_by_end: dict[str, list[str]] = {}
    for stage in stages:
        country = stage.name.removesuffix(PAYOUT)
        countries_by_end.setdefault(stage.end, []).append(country)
    end_texts = [
        f"{', '.join(countries)} {outcome_text}"
        for outcome_text, countries in countries_by_end.items()
    ]
    return printable(f"Payouts: {'; '.join(end_texts)}")
