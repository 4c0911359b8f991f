"""The frame a batch ends with: a row a payout, in the order of the file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from .. import frames
from .outcome import Outcome
from .rows import REFERENCE, Row

if TYPE_CHECKING:
    import pandas as pd


def frame(
    rows: Sequence[Row], outcomes: Mapping[int, Outcome], journal: Path | None
) -> pd.DataFrame:
    """The transfers as `lab.transfers.frame()` has them, with `row`, `outcome` and `error`.

    `attrs` says how many ended how, and where the journal is.
    """
    found = [outcomes[row.number] for row in rows]
    raw = [
        {**one.transfer, REFERENCE: row.get(REFERENCE)}
        for row, one in zip(rows, found, strict=True)
    ]
    result = frames.transfers([{"data": raw, "has_next_page": False}])
    result.insert(0, "row", [row.number for row in rows])
    result.insert(1, "outcome", [one.word for one in found])
    result.insert(2, "error", [one.error for one in found])
    counts = Counter(one.word for one in found)
    result.attrs = {"outcomes": dict(counts), "journal": None if journal is None else str(journal)}
    return result
