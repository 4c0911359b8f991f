"""What lives in a notebook and can be read once it no longer does."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from IPython.display import display

from .. import page
from ..page import Row
from .styling import SHEET, STATIC

WIDGET = "application/vnd.jupyter.widget-view+json"


class Shown:
    """A widget tree in `view`, and rows of plain text that stay behind in the saved notebook.

    The two are separate outputs of a cell: a saved notebook holds no widget state, and a page
    that cannot find a widget shows nothing else of the same output.
    """

    title: str
    view: Any
    _kept: Any = None

    def rows(self) -> Sequence[Row]:
        """What can be read without a kernel: no document number, nothing secret."""
        raise AssertionError(f"{type(self).__name__} says what it shows")

    def keep(self) -> None:
        """Bring what stays behind up to date; for what a person did in front of the page."""
        if self._kept is not None:
            self._kept.update(self._static(), raw=True)

    def _static(self) -> dict[str, str]:
        told = page.heading(self.title) + page.table(self.rows())
        html = f'{SHEET}<div class="{STATIC}">{page.card(page.column(told))}</div>'
        return {"text/html": html, "text/plain": repr(self)}

    def __repr__(self) -> str:
        return page.plain(self.title, self.rows())

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, Any]:
        return {WIDGET: self.view._repr_mimebundle_()[WIDGET], **self._static()}

    def _ipython_display_(self) -> None:
        living = {WIDGET: self.view._repr_mimebundle_()[WIDGET]}
        display(living, raw=True)  # type: ignore[no-untyped-call]
        kept = display(self._static(), raw=True, display_id=True)  # type: ignore[no-untyped-call]
        self._kept = kept
