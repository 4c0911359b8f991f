"""The result of a reconciliation: lines, totals per currency, and a short report."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import datetime
from decimal import Context, Decimal, Inexact, InvalidOperation, localcontext
from os import PathLike
from typing import TYPE_CHECKING, Any

from ..spec import codes
from ..spec.text import printable
from .arrivals import Arrivals
from .event import Event, read_event
from .event_file import read_events
from .reconciliation import (
    EVENTS,
    LIST,
    REFERENCES,
    ReconciledLine,
    Statement,
    compare_sides,
    of_events,
    of_list,
    references,
)

if TYPE_CHECKING:
    import pandas as pd


SHOWN = 20


class Reconciliation:
    """The lines of a reconciliation, its totals per currency, and a short report."""

    def __init__(
        self, lines: list[ReconciledLine], sides: tuple[str, ...], notes: Iterable[str] = ()
    ) -> None:
        self.lines, self.sides, self.notes = lines, sides, list(notes)
        self.place = ""

    @property
    def problems(self) -> list[ReconciledLine]:
        """The lines with problems."""
        return [line for line in self.lines if line.problems]

    def __bool__(self) -> bool:
        """True when there are no problems."""
        return not self.problems

    def frame(self, *, problems: bool = False) -> pd.DataFrame:
        """A row per resource, or only those with problems: each side's status and amount.

        >>> len(lab.reconcile().frame()) > 100
        True
        """
        import pandas as pd

        lines = self.problems if problems else self.lines
        names = ("currency", "reference", "created_at")
        data: dict[str, Any] = {"kind": [line.family for line in lines]}
        data["id"] = pd.Series([line.id for line in lines], dtype="str")
        data |= {name: [line.first(name) for line in lines] for name in names}
        for side in self.sides:
            entries = [line.sides.get(side, Statement()) for line in lines]
            data[f"status_{side}"] = [entry.status for entry in entries]
            data[f"amount_{side}"] = _exact([entry.amount for entry in entries])
        data["problem"] = ["; ".join(line.problems) for line in lines]
        frame = pd.DataFrame(data)
        words = [name for name in frame if name in ("kind", "currency") or "status" in str(name)]
        frame["created_at"] = pd.to_datetime(frame["created_at"], utc=True)
        return frame.astype(dict.fromkeys(words, "category"))

    def totals(self) -> pd.DataFrame:
        """Per kind and currency: the count and the sum of each side.

        >>> lab.reconcile().totals().empty
        False
        """
        import pandas as pd

        groups = sorted({(line.family, str(line.first("currency"))) for line in self.lines})
        frame = pd.DataFrame(groups, columns=["kind", "currency"])
        for side in self.sides:
            sums = [self._sum(side, *group) for group in groups]
            frame[f"count_{side}"] = [count for count, _ in sums]
            frame[f"amount_{side}"] = _exact([total for _, total in sums])
        return frame

    def _sum(self, side: str, family: str, currency: str) -> tuple[int, Decimal]:
        entries = [
            line.sides[side]
            for line in self.lines
            if side in line.sides
            and (line.family, str(line.first("currency"))) == (family, currency)
        ]
        amounts = [entry.amount for entry in entries if entry.amount is not None]
        with localcontext(Context(prec=1_000, traps=[Inexact, InvalidOperation])):
            return len(entries), sum(amounts, Decimal(0))

    def report(self) -> str:
        """A summary in a few lines.

        >>> lab.reconcile().report()[:10]
        'Reconciled'
        """
        kinds = Counter(line.family for line in self.lines)
        counts = " and ".join(_counted(*kind) for kind in sorted(kinds.items(), reverse=True))
        wrong = len(self.problems)
        verdict = f"{wrong} with a problem" if wrong else "everything agrees"
        head = f"Reconciled {counts or 'nothing'} by {', '.join(self.sides)}: {verdict}"
        counted = Counter(
            problem.partition(":")[0] for line in self.lines for problem in line.problems
        )
        lines = [f"  {count} x {problem}" for problem, count in sorted(counted.items())]
        notes = (f"  {note}" for note in self.notes)
        return "\n".join(map(printable, [head, *lines, *notes, *self._sums()]))

    def _sums(self) -> Iterator[str]:
        for row in self.totals().to_dict("records"):
            sums = (f"{side} {row[f'amount_{side}']:f}" for side in self.sides)
            yield f"  {row['kind']} {row['currency']}: {', '.join(sums)}"

    def __repr__(self) -> str:
        return self.report()


def _exact(amounts: Iterable[Decimal | None]) -> pd.Series:
    """A column of exact amounts."""
    import pandas as pd

    from ..frames.decimal_array import DecimalArray

    return pd.Series(DecimalArray._from_sequence(list(amounts)))


def _counted(noun: str, count: int) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"


EventSource = Arrivals | str | PathLike[str] | Iterable[Event | Mapping[str, Any] | str | bytes]
"""An inbox, a file of events as `inbox.save` writes it, or events."""


def reconcile(
    lists: Mapping[str, Any],
    source: EventSource | None,
    books: str | PathLike[str] | pd.DataFrame | None,
    simulated: Callable[[], list[Event]] | None = None,
) -> Reconciliation:
    """Read the lists and compare them with the events and your own books.

    Without events, those of a simulator are used, from `simulated`.
    """
    own = None if books is None else references(books)
    events, since = _read_events(source, simulated)
    listed = {
        row_id: entry
        for family, resource in lists.items()
        for row_id, entry in of_list(family, _rows(resource)).items()
    }
    lines = compare_sides(listed, None if events is None else of_events(events), own, since)
    there = {LIST: True, EVENTS: events is not None, REFERENCES: own is not None}
    notes = [f"events are expected from {since:%Y-%m-%d %H:%M:%S} UTC on"] if since else []
    return Reconciliation(lines, tuple(side for side in there if there[side]), notes)


def _read_events(
    source: EventSource | None, simulated: Callable[[], list[Event]] | None
) -> tuple[Iterable[Event] | None, datetime | None]:
    """The events, and the time from which they should be complete."""
    if isinstance(source, Arrivals):
        return (arrival.event for arrival in source), source.since
    if isinstance(source, str | PathLike):
        found = read_events(source)
        return found.events, found.since
    if source is not None:
        return _events(source), None
    if simulated is None:
        return None, None
    events = simulated()
    times = [event.updated_at for event in events if event.updated_at]
    return events, min(times, default=None)


def _events(source: object) -> list[Event]:
    if not isinstance(source, Iterable) or isinstance(source, Mapping | bytes):
        raise TypeError(
            "events are an inbox, a file with a JSON object a line, or a list of events, not a "
            f"{type(source).__name__}"
        )
    return [_event(number, each) for number, each in enumerate(source, 1)]


def _event(number: int, value: object) -> Event:
    if isinstance(value, Event):
        return value
    if not isinstance(value, Mapping | str | bytes):
        raise TypeError(f"event {number} is of type {type(value).__name__}, not an event")
    return read_event(value)


def _rows(resource: object) -> Iterable[dict[str, object]]:
    pager = resource.list(codes.PAGE_MAX)  # type: ignore[attr-defined] # transfers, conversions
    return (row for page in pager.raw_pages() for row in page.data)
