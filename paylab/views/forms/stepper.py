"""Steps below one another: done, current, or locked and why."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ipywidgets import HTML, Box, VBox

from .. import page
from ..page import Row
from .styling import FORM, head

DONE, NOW, LOCKED = "done", "now", "locked"
SIGNS = {DONE: "✓", NOW: "▸", LOCKED: "○"}


@dataclass(frozen=True)
class Step:
    """A step as it stands: what it is, why it is locked, what it gave, how code does it."""

    title: str
    state: str
    why: str = ""
    gave: Sequence[Row] = ()
    code: str = ""
    body: Any = None


class Stepper:
    """The steps on the page; `show` brings them up to date."""

    def __init__(self, title: str, count: int) -> None:
        self._heads = [HTML() for _ in range(count)]
        self._bodies = [Box() for _ in range(count)]
        pairs = zip(self._heads, self._bodies, strict=True)
        self.view = VBox([HTML(head(title)), *(VBox([*pair]) for pair in pairs)])
        self.view.add_class(FORM)
        for box in self._bodies:
            box.add_class("paylab-step")

    def show(self, steps: Sequence[Step]) -> None:
        """Show the steps as they stand now."""
        for number, step in enumerate(steps):
            self._heads[number].value = _head(number + 1, step)
            children = () if step.body is None else (step.body,)
            if self._bodies[number].children != children:
                self._bodies[number].children = children


def _head(number: int, step: Step) -> str:
    current = ' aria-current="step"' if step.state == NOW else ""
    told = f"{SIGNS[step.state]} {number}. {page.escape(step.title)}"
    why = page.escape(f"{step.state}: {step.why}" if step.why else step.state)
    hint = f'<span class="paylab-hint">{why}</span>'
    line = f'<div class="paylab-part"{current}>{told} {hint}</div>'
    gave = page.table(step.gave) if step.state == DONE and step.gave else ""
    return line + gave + (_code(step.code) if step.code else "")


def _code(text: str) -> str:
    shown = f"<pre>{page.lines(text.splitlines())}</pre>"
    return page.folded("The code that does the same", shown)
