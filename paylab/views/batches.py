"""A batch of payouts as cards: what a check found, and what became of each row."""

from __future__ import annotations

from collections.abc import Mapping
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
RESULT_COLUMNS = (
    "Row", "Outcome", "Source", "Destination", "client_reference_id", "id", "status",
)  # fmt: skip
AMOUNT_COLUMNS = (2, 3)
"""The positions of the amounts in `RESULT_COLUMNS`."""


def plan_card(plan: Any) -> str:
    """The numbers of a checked batch, a `payments.plan.Plan`, and its problems row by row."""
    html_parts = [heading("Batch, not sent"), verdict(str(plan), is_good=not plan.problems)]
    if plan.problems:
        problem_rows = [(problem.row, problem.field, problem.message) for problem in plan.problems]
        html_parts.append(grid(("Row", "Field", "Problem"), problem_rows))
    if plan.ignored:
        html_parts.append(notice(f"Columns that are not sent: {', '.join(plan.ignored)}"))
    return card(column(*html_parts))


def results_card(results: Any) -> str:
    """The outcomes of a batch, from its `BatchResults`, and why rows were not paid."""
    from .frames import frame_table  # needs pandas, which results have

    all_rows = results.astype("string").fillna("").to_dict("records")
    problem_rows = [_problem_cells(row) for row in all_rows if row["error"]]
    good_rows = [_result_cells(row) for row in all_rows if not row["error"]]
    is_good = all(OUTCOME_TONES[outcome] == GOOD for outcome in results.attrs["outcomes"])
    html_parts = [
        heading("Batch", results.attrs["service"]),
        verdict(results.outcome_line(), is_good=is_good),
    ]
    if problem_rows:
        html_parts.append(grid(PROBLEM_COLUMNS, problem_rows))
    if good_rows:
        html_parts.append(grid(RESULT_COLUMNS, good_rows, number_columns=AMOUNT_COLUMNS))
    html_parts.append(collapsible_block("All columns", frame_table(results)))
    return card(column(*html_parts))


def _problem_cells(row: Mapping[Any, str]) -> tuple[object, ...]:
    """The cells of a row with an error, one for each of `PROBLEM_COLUMNS`."""
    return row["row"], _outcome(row), row["error"], row["client_reference_id"]


def _result_cells(row: Mapping[Any, str]) -> tuple[object, ...]:
    """The cells of a row without an error, one for each of `RESULT_COLUMNS`."""
    return (
        row["row"],
        _outcome(row),
        f"{row['source_amount']} {row['source_currency']}".strip(),
        f"{row['destination_amount']} {row['destination_currency']}".strip(),
        row["client_reference_id"],
        row["id"],
        row["status"],
    )


def _outcome(row: Mapping[Any, str]) -> ToneText:
    """The outcome of a row with its dot."""
    return ToneText(row["outcome"], OUTCOME_TONES[row["outcome"]])
