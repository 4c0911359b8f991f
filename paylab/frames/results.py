"""What an export or a sync did: its numbers, shown in a notebook as a sentence."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from ..errors.names import with_name_suggestions
from ..spec.text import printable


def _show_text(result: object, printer: Any, _is_cycle: bool) -> None:
    """Show an object as its text; IPython calls it as `_repr_pretty_` of the class."""
    printer.text(printable(str(result)))


@with_name_suggestions
@dataclass(frozen=True)
class Export:
    """The result of an export: path or URL, and numbers of rows and pages.

    `resumed` rows are from an interrupted run; `oldest_page_at` is the time of the first page.
    """

    path: Path | str
    rows: int
    pages: int
    resumed: int = 0
    oldest_page_at: datetime | None = None

    _repr_pretty_ = _show_text

    def __str__(self) -> str:
        """The path, the numbers of rows and pages, and what an interrupted run had fetched."""
        resumed_text = f", {self.resumed} of them fetched before" if self.resumed else ""
        row_text = _count(self.rows, "row")
        return f"{self.path}: {row_text} from {_count(self.pages, 'page')}{resumed_text}"


@dataclass(frozen=True)
class SyncResult:
    """The numbers of rows that a sync has added, changed and removed, and of pages read."""

    new: int
    updated: int
    pages: int
    removed: int = 0

    _repr_pretty_ = _show_text

    def __str__(self) -> str:
        """The numbers of rows and pages."""
        row_text = f"{_count(self.new, 'new row')}, {self.updated} changed, {self.removed} removed"
        return f"{row_text}; {_count(self.pages, 'page')} read"


def _count(number: int, noun: str) -> str:
    """A number and its noun, in the plural unless it is 1."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
