"""The stages of a run: how far each came, and the lines of a report that say so."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby

from ..errors.text import printable


@dataclass(frozen=True)
class Stage:
    """A stage of a run: where it stopped, and the actions that it went without."""

    name: str
    stop: str = ""
    without: tuple[str, ...] = ()

    @property
    def moves_money(self) -> bool:
        """Whether it is an on-ramp or a payout that is complete."""
        return self.name.endswith((" on-ramp", " payout")) and not self.stop

    @property
    def end(self) -> str:
        """How far it came."""
        return "; ".join([self.stop or "complete", *self.without])

    def __str__(self) -> str:
        return printable(f"{self.name}: {self.end}")


def describe_reach(stages: Iterable[Stage]) -> Iterator[str]:
    """How far a run came: a line for each stage, and one for all payouts.

    Such as "Lists: complete" and "Payouts: MX, PH complete; BR stops at the transfer (422 ...)".
    """
    for is_payout, same_stages in groupby(stages, lambda stage: stage.name.endswith(" payout")):
        if not is_payout:
            yield from map(str, same_stages)
            continue
        countries_by_end: dict[str, list[str]] = {}
        for stage in same_stages:
            countries_by_end.setdefault(stage.end, []).append(stage.name.partition(" ")[0])
        yield "Payouts: " + "; ".join(
            f"{', '.join(countries)} {end}" for end, countries in countries_by_end.items()
        )
