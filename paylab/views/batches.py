"""A batch of payouts as cards: what a check found, and what became of each row."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from .html import card, collapsible_block, column, grid, heading, notice, verdict
from .tones import ATTENTION, BAD, GOOD, ToneText

OUTCOME_TONES = {
    "created": GOOD,
    "replayed": GOOD,
    "already paid": GOOD,
    "failed before": BAD,
    "conflict": BAD,
    "refused": BAD,
    "unknown": ATTENTION,
    "unsent": ATTENTION,
}
PROBLEM_COLUMNS = ("Row", "Outcome", "Reason", "client_reference_id")
ROW_COLUMNS = ("Row", "Outcome", "client_reference_id", "status", "id", "Source", "Destination")


def plan_card(plan: Any) -> str:
    """The numbers of a checked batch, a `payments.plan.Plan`, and its problems row by row."""
    card_parts = [heading("Batch, not sent"), verdict(str(plan), is_good=not plan.problems)]
    if plan.problems:
        problem_rows = [(problem.row, problem.field, problem.message) for problem in plan.problems]
        card_parts.append(grid(("Row", "Field", "Problem"), problem_rows))
    if plan.ignored:
        card_parts.append(notice(f"Columns that are not sent: {', '.join(plan.ignored)}"))
    return card(column(*card_parts))


def results_card(results: Any) -> str:
    """The outcomes of a batch, from its `BatchResults`, and why rows were not paid."""
    from .frames import frame_table  # needs pandas, which results have

    rows = results.astype("string").fillna("").to_dict("records")
    problem_rows = [
        (row["row"], _outcome(row), row["error"], row["client_reference_id"])
        for row in rows
        if row["error"]
    ]
    is_good = all(OUTCOME_TONES[outcome] == GOOD for outcome in results.attrs["outcomes"])
    card_parts = [
        heading("Batch", results.attrs["service"]),
        verdict(results.outcome_line(), is_good=is_good),
    ]
    if problem_rows:
        card_parts.append(grid(PROBLEM_COLUMNS, problem_rows))
    if len(problem_rows) < len(rows):
        paid_rows = [tuple(_paid_cells(row)) for row in rows if not row["error"]]
        card_parts.append(grid(ROW_COLUMNS, paid_rows))
    card_parts.append(collapsible_block("All columns", frame_table(results)))
    return card(column(*card_parts))


def _paid_cells(row: Mapping[Any, str]) -> Iterator[object]:
    """The cells of a row that was paid."""
    yield row["row"]
    yield _outcome(row)
    for column_name in ("client_reference_id", "status", "id"):
        yield row[column_name]
    for side in ("source", "destination"):
        yield f"{row[f'{side}_amount']} {row[f'{side}_currency']}".strip()


def _outcome(row: Mapping[Any, str]) -> ToneText:
    """The outcome of a row with its dot."""
    return ToneText(row["outcome"], OUTCOME_TONES[row["outcome"]])
