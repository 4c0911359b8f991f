"""The frame that a batch returns: a row per payout, with its outcome."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from ..errors.extras import explained
from ..frames.frame import transfers as transfers_frame
from ..spec.text import plain, printable
from .outcome import Outcome
from .plan import COLUMNS, REFERENCE, Plan

with explained():
    import pandas as pd


def results_frame(checked: Plan, outcomes: Mapping[int, Outcome]) -> pd.DataFrame:
    """The transfers as in `lab.transfers.frame()`, with `row`, `outcome` and `error`.

    A row without a transfer keeps its own cells, so that it can be corrected and sent again. Your
    own columns of the payouts follow, as text, but not those of earlier results. `attrs` holds the
    number of rows per outcome.
    """
    rows = checked.rows
    found = [outcomes[row.number] for row in rows]
    raw = [
        {**(one.transfer if one.is_made else row.cells), REFERENCE: row.cells.get(REFERENCE)}
        for row, one in zip(rows, found, strict=True)
    ]
    result, unreadable = _readable(raw)
    result.insert(0, "row", [row.number for row in rows])
    result.insert(1, "outcome", [one.word for one in found])
    errors = [one.error or odd for one, odd in zip(found, unreadable, strict=True)]
    result.insert(2, "error", [error and printable(error) for error in errors])
    for name in COLUMNS:
        if name not in result.columns and any(row.cells.get(name) for row in rows):
            result[name] = pd.Series([row.cells.get(name) for row in rows], result.index, "str")
    is_result = {"row", "outcome", "error"} <= {*checked.ignored}  # of an earlier batch, corrected
    for name in checked.ignored:
        if is_result and name in result.columns:
            continue
        own = [row.own.get(name) for row in rows]
        unique = f"{name} (given)" if name in result.columns else name
        result[unique] = pd.Series(own, result.index, "str")
    result.attrs = {"outcomes": dict(Counter(one.word for one in found))}
    return result


def _readable(raw: Sequence[Mapping[str, Any]]) -> tuple[pd.DataFrame, list[str | None]]:
    """The transfers as a frame, and per row the reason why it holds only the id.

    The payments are already made, so an unexpected answer must not prevent the results.
    """
    with suppress(Exception):
        return _frame(raw), [None] * len(raw)
    # The columns do not fit together, but each row can be read alone.
    rows, reasons = zip(*map(_alone, raw), strict=True)
    try:
        return _frame(rows), list(reasons)
    except Exception as error:
        reason = f"made, but its fields cannot be shown: {error}"
        return _frame([*map(_least, raw)]), [each or reason for each in reasons]


def _alone(row: Mapping[str, Any]) -> tuple[Mapping[str, Any], str | None]:
    try:
        _frame([row])
    except Exception as error:
        return _least(row), f"made, but its fields cannot be shown: {error}"
    return row, None


def _least(row: Mapping[str, Any]) -> Mapping[str, Any]:
    return {name: plain(str(row[name])) for name in ("id", REFERENCE) if name in row}


def _frame(rows: Sequence[Mapping[str, Any]]) -> pd.DataFrame:
    return transfers_frame([{"data": list(rows), "has_next_page": False}])
