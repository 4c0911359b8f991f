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
        problems = list(self.problem_texts())
        problem_lines = problems[:SHOWN_PROBLEMS_MAX]
        if len(problems) > SHOWN_PROBLEMS_MAX:
            problem_lines.append(f"{len(problems) - SHOWN_PROBLEMS_MAX} more in the column error")
        lines = [self.outcome_line(), *problem_lines, "", super().__repr__()]
        return printable_lines("\n".join(lines))

    def outcome_line(self) -> str:
        """The number of rows per outcome, those that were paid first."""
        row_counts: dict[str, int] = self.attrs["outcomes"]
        words = sorted(row_counts, key=lambda word: word not in MADE)
        counts_text = ", ".join(f"{row_counts[word]} {word}" for word in words) or "no payouts"
        if MADE.issuperset(words) or {CREATED, REPLAYED, UNKNOWN} & {*words}:
            return counts_text
        return f"{counts_text}: nothing new was paid"

    def problem_texts(self) -> Iterator[str]:
        """A text for each row that was not paid; rows that were not sent are counted by reason."""
        rows_with_error = self[self["error"].notna()]
        is_unsent = rows_with_error["outcome"] == UNSENT
        for result_row in rows_with_error[~is_unsent].itertuples():
            yield f"row {result_row.row}, {result_row.outcome}: {result_row.error}"
        for reason, unsent_rows in rows_with_error[is_unsent].groupby("error"):
            row_count = len(unsent_rows)
            yield f"{row_count} row{'' if row_count == 1 else 's'} unsent: {reason}"
