"""The outcome of a reconciliation: lines, totals per currency, a short report."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from decimal import Context, Decimal, Inexact, InvalidOperation, localcontext
from html import escape
from typing import TYPE_CHECKING, Any

from ..printable import printable
from .sides import Entry, Line

if TYPE_CHECKING:
    import pandas as pd

SHOWN = 20


class Reconciliation:
    """The lines of a reconciliation, its totals per currency, and a short report."""

    def __init__(
        self, lines: list[Line], sides: tuple[str, ...], notes: Iterable[str] = ()
    ) -> None:
        self.lines, self.sides, self.notes = lines, sides, list(notes)

    @property
    def problems(self) -> list[Line]:
        """The lines on which something is wrong."""
        return [line for line in self.lines if line.problems]

    def __bool__(self) -> bool:
        """True when everything agrees."""
        return not self.problems

    def frame(self, *, problems: bool = False) -> pd.DataFrame:
        """A row a resource, or only those with problems: each side's status and amount, exact."""
        import pandas as pd

        lines = self.problems if problems else self.lines
        names = ("currency", "reference", "created_at")
        data: dict[str, Any] = {"kind": [line.family for line in lines]}
        data["id"] = pd.Series([line.id for line in lines], dtype="str")
        data |= {name: [line.first(name) for line in lines] for name in names}
        for side in self.sides:
            said = [line.sides.get(side, Entry()) for line in lines]
            data[f"status_{side}"] = [entry.status for entry in said]
            data[f"amount_{side}"] = _exact([entry.amount for entry in said], f"amount_{side}")
        data["problem"] = ["; ".join(line.problems) for line in lines]
        frame = pd.DataFrame(data)
        words = [name for name in frame if name in ("kind", "currency") or "status" in str(name)]
        frame["created_at"] = pd.to_datetime(frame["created_at"], utc=True)
        return frame.astype(dict.fromkeys(words, "category"))

    def totals(self) -> pd.DataFrame:
        """Per kind and currency, how many resources each side has and what they add up to."""
        import pandas as pd

        groups = sorted({(line.family, str(line.first("currency"))) for line in self.lines})
        frame = pd.DataFrame(groups, columns=["kind", "currency"])
        for side in self.sides:
            sums = [self._sum(side, *group) for group in groups]
            frame[f"count_{side}"] = [count for count, _ in sums]
            frame[f"amount_{side}"] = _exact([total for _, total in sums], f"amount_{side}")
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
        """The whole in a few lines."""
        kinds = Counter(line.family for line in self.lines)
        said = " and ".join(_counted(*kind) for kind in sorted(kinds.items(), reverse=True))
        wrong = len(self.problems)
        verdict = f"{wrong} with a problem" if wrong else "everything agrees"
        head = f"Reconciled {said or 'nothing'} by {', '.join(self.sides)}: {verdict}"
        counted = Counter(_sort(problem) for line in self.lines for problem in line.problems)
        lines = [f"  {count} x {problem}" for problem, count in sorted(counted.items())]
        notes = (f"  {note}" for note in self.notes)
        return "\n".join(map(printable, [head, *lines, *notes, *self._sums()]))

    def _sums(self) -> Iterator[str]:
        for row in self.totals().to_dict("records"):
            sums = (f"{side} {row[f'amount_{side}']:f}" for side in self.sides)
            yield f"  {row['kind']} {row['currency']}: {', '.join(sums)}"

    def __repr__(self) -> str:
        return self.report()

    def _repr_html_(self) -> str:
        worst = self.frame(problems=True).head(20).to_html(index=False) if self.problems else ""
        return f"<pre>{escape(self.report())}</pre>{worst}"


def _exact(amounts: Iterable[Decimal | None], name: str) -> pd.Series:
    """A column of amounts that stays exact."""
    import pandas as pd
    import pyarrow as pa

    from ..frames import decimals

    texts = [None if amount is None else format(amount, "f") for amount in amounts]
    column = decimals.read(pa.chunked_array([pa.array(texts, pa.string())]), name)
    return pd.Series(pd.arrays.ArrowExtensionArray(column))


def _counted(noun: str, count: int) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"


def _sort(problem: str) -> str:
    """The sort of problem, without its particulars."""
    return problem.partition(":")[0]
