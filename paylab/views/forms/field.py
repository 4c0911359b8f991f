"""One input with its label, and below it what is wrong with it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ipywidgets import HTML, VBox

from ...errors import Problem
from .. import page

OPTIONAL = " (optional)"
SIGNS = {"error": "✗ ", "warning": "⚠ ", "hint": ""}


class Field:
    """An input by the name that problems call it by; `hint` is shown while nothing is wrong."""

    def __init__(self, name: str, label: str, widget: Any, hint: str = "") -> None:
        self.name, self.label, self.hint = name, label, hint
        self.widget, self.touched = widget, False
        widget.description = label
        self.note = HTML()
        self.view = VBox([widget, self.note])
        self.say([], [])
        widget.observe(self._touch, "value")

    @property
    def value(self) -> Any:
        """What the input holds; text without the blanks around it."""
        value = self.widget.value
        return value.strip() if isinstance(value, str) else value

    def require(self, needed: bool) -> None:
        """Say in the label whether it can be left out."""
        self.widget.description = self.label + ("" if needed else OPTIONAL)

    def show(self, visible: bool) -> None:
        """Show the input, or take it off the page."""
        show(self.view, visible)

    @property
    def visible(self) -> bool:
        """Whether the input is on the page."""
        return bool(self.view.layout.display != "none")

    def say(self, problems: Iterable[Problem], warnings: Iterable[Problem]) -> None:
        """Put errors and warnings below the input; without any, its hint."""
        lines = [_line("error", problem.message) for problem in problems]
        lines += [_line("warning", warning.message) for warning in warnings]
        self.note.value = "".join(lines or ([_line("hint", self.hint)] if self.hint else []))

    def _touch(self, _: object) -> None:
        self.touched = True


def show(widget: Any, visible: bool) -> None:
    """Show a widget, or take it off the page, and out of reach of the keyboard."""
    widget.layout.display = None if visible else "none"


def _line(kind: str, text: str) -> str:
    return f'<div class="paylab-{kind}" role="status">{SIGNS[kind]}{page.escape(text)}</div>'
