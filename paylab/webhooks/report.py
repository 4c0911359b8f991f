"""A reconciliation: its frame, its totals per currency, and a report."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from os import PathLike

from ..errors.extras import explained
from ..frames.frame import ExactFrame
from ..spec.text import printable
from .books import of_books
from .event_file import FoundEvents
from .reconciliation import EVENTS, LIST, REFERENCES, merge, of_events, of_lists

with explained():
    import pandas as pd


def reconcile(
    lists: Mapping[str, pd.DataFrame],
    found: FoundEvents | None,
    books: pd.DataFrame | str | PathLike[str] | None = None,
    columns: Mapping[str, str] | None = None,
    place: str = "",
) -> Reconciliation:
    """Compare frames of transfers and conversions with events and with your own books.

    `columns` names those of your books; `place` names the service.
    """
    reported = None if found is None else of_events(found.events)
    own = None if books is None else of_books(books, columns)
    since, notes = (found.since, found.notes) if found else (None, ())
    if since:
        notes = (*notes, f"events are expected from {since:%Y-%m-%d %H:%M:%S} UTC on")
    sides = {LIST: lists, EVENTS: reported, REFERENCES: own}
    there = [name for name, side in sides.items() if side is not None]
    return Reconciliation(merge(of_lists(lists), reported, own, since), there, notes, place)


class Reconciliation:
    """The compared payments, the totals per currency, and a short report."""

    def __init__(
        self, merged: pd.DataFrame, sides: Sequence[str], notes: Iterable[str] = (), place: str = ""
    ) -> None:
        self._merged, self.sides, self.notes, self.place = merged, tuple(sides), list(notes), place

    def __bool__(self) -> bool:
        """True when there are no problems."""
        return not self._merged["problem"].any()

    def frame(self, *, problems: bool = False) -> pd.DataFrame:
        """A row per payment, or only those with problems: each side's status and amount.

        >>> len(lab.reconcile().frame()) > 100
        True
        """
        facts = [f"{fact}_{side}" for side in self.sides for fact in ("status", "amount")]
        found = self._merged[
            ["kind", "id", "currency", "reference", "created_at", *facts, "problem"]
        ]
        if problems:
            found = found[found["problem"] != ""].reset_index(drop=True)
        words = [name for name in found if name in ("kind", "currency") or "status" in str(name)]
        return ExactFrame(found.astype({**dict.fromkeys(words, "category"), "id": "str"}))

    def totals(self) -> pd.DataFrame:
        """Per kind and currency: the count and the sum of each side.

        >>> lab.reconcile().totals().empty
        False
        """
        groups = self._merged.fillna({"currency": ""}).groupby(["kind", "currency"])
        measures = {}
        for side in self.sides:
            measures[f"count_{side}"] = (f"rows_{side}", "count")
            measures[f"amount_{side}"] = (f"amount_{side}", "sum")
        return ExactFrame(groups.agg(**measures).reset_index())

    def report(self) -> str:
        """A summary in a few lines.

        >>> lab.reconcile().report()[:10]
        'Reconciled'
        """
        problems = [row.split("; ") for row in self._merged["problem"] if row]
        kinds = sorted(Counter(self._merged["kind"]).items(), reverse=True)
        counts = " and ".join(f"{count} {kind}{'' if count == 1 else 's'}" for kind, count in kinds)
        verdict = f"{len(problems)} with a problem" if problems else "everything agrees"
        head = f"Reconciled {counts or 'nothing'} by {', '.join(self.sides)}: {verdict}"
        counted = Counter(problem.partition(":")[0] for row in problems for problem in row)
        lines = [f"  {count} x {problem}" for problem, count in sorted(counted.items())]
        notes = (f"  {note}" for note in self.notes)
        sums = [
            f"  {row['kind']} {row['currency']}: "
            + ", ".join(f"{side} {row[f'amount_{side}']:f}" for side in self.sides)
            for row in self.totals().to_dict("records")
        ]
        return "\n".join(map(printable, [head, *lines, *notes, *sums]))

    def __repr__(self) -> str:
        return self.report()
