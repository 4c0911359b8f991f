"""The frame of a batch's results, whose text begins with what became of the batch."""

from __future__ import annotations

from collections.abc import Iterator

from ..errors.extras import extra_imports
from ..errors.text import printable_lines
from .outcome import CREATED, MADE, REPLAYED, UNKNOWN, UNSENT

with extra_imports():
    from ..frames.exact_frame import ExactFrame

SHOWN_PROBLEMS_MAX = 10
"""The text of the results names at most this many problems; the column `error` has all."""


class BatchResults(ExactFrame):
    """A row per payout; what is selected from it is a plain `ExactFrame`.

    `attrs` holds the number of rows per outcome, and the name of the service.
    """

    def __repr__(self) -> str:
        all_problem_lines = list(self.problem_texts())
        shown_problem_lines = all_problem_lines[:SHOWN_PROBLEMS_MAX]
        if len(all_problem_lines) > SHOWN_PROBLEMS_MAX:
            shown_problem_lines.append(
                f"{len(all_problem_lines) - SHOWN_PROBLEMS_MAX} more in the column error"
            )
        lines = [self.outcome_line(), *shown_problem_lines, "", super().__repr__()]
        return printable_lines("\n".join(lines))

    def outcome_line(self) -> str:
        """The number of rows per outcome, those that were paid first."""
        count_by_outcome: dict[str, int] = self.attrs["outcomes"]
        outcome_words = sorted(count_by_outcome, key=lambda outcome_word: outcome_word not in MADE)
        count_texts = [
            f"{count_by_outcome[outcome_word]} {outcome_word}" for outcome_word in outcome_words
        ]
        counts_text = ", ".join(count_texts) or "no payouts"
        if MADE.issuperset(outcome_words) or {CREATED, REPLAYED, UNKNOWN} & {*outcome_words}:
            return counts_text
        return f"{counts_text}: nothing new was paid"

    def problem_texts(self) -> Iterator[str]:
        """A text for each row that was not paid; rows that were not sent are counted by reason."""
        rows_with_error = self[self["error"].notna()]
        unsent_mask = rows_with_error["outcome"] == UNSENT
        for result_row in rows_with_error[~unsent_mask].itertuples():
            yield f"row {result_row.row}, {result_row.outcome}: {result_row.error}"
        for reason, unsent_rows in rows_with_error[unsent_mask].groupby("error"):
            row_count = len(unsent_rows)
            yield f"{row_count} row{'' if row_count == 1 else 's'} unsent: {reason}"
