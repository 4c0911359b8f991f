"""The parts of a walk: how far each came, and the lines of a report that say so."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby

from ..errors.text import printable


@dataclass(frozen=True)
class Part:
    """A part of the walk: where it stopped, and the steps that it went without."""

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


def describe_reach(parts: Iterable[Part]) -> Iterator[str]:
    """How far the walk came: a line for each part, and one for all payouts.

    Such as "Lists: complete" and "Payouts: MX, PH complete; BR stops at the transfer (422 ...)".
    """
    for is_payout, same_parts in groupby(parts, lambda part: part.name.endswith(" payout")):
        if not is_payout:
            yield from map(str, same_parts)
            continue
        countries_by_end: dict[str, list[str]] = {}
        for part in same_parts:
            countries_by_end.setdefault(part.end, []).append(part.name.partition(" ")[0])
        yield "Payouts: " + "; ".join(
            f"{', '.join(countries)} {end}" for end, countries in countries_by_end.items()
        )
