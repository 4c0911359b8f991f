"""A form: inputs that check themselves, one button, and the code that does the same.

A form is handed functions, so a lambda tests it. Its button and its `submit()` do the same,
but for one thing: what is wrong is raised in code, and shown beside its field on a click.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from typing import Any

import traitlets
from ipywidgets import HTML, Box, Button, ToggleButton, VBox

from ...errors import APIStatusError, PaylabError, Problem, RuleError
from .. import page
from ..page import Row
from .field import Field, show
from .shown import Shown
from .styling import FORM, GRID, head

QUIET = 0.6
"""Seconds after an attempt in which a click counts as the second half of a double click."""


class Result(traitlets.Any):
    """A value that is there once the form was sent; reading it before sends the form."""

    def get(self, obj: Any, cls: Any = None) -> Any:
        """What came back."""
        found = super().get(obj, cls)
        return obj.unattended() if found is None else found


class Form(traitlets.HasTraits, Shown):
    """What all forms have in common; `result` can be observed."""

    result = Result(None, allow_none=True)

    title = "A form"
    action = "Send"
    sent_title = "Sent"

    def __init__(self, fields: Iterable[Field], parts: Sequence[Any] | None = None) -> None:
        super().__init__()
        self.fields = {field.name: field for field in fields}
        self.attended, self._quiet_until = False, 0.0
        self.clicked = False
        self._code_sent = ""
        self.message = HTML()
        self.button = Button(description=self.action, button_style="primary")
        self.again = Button(description="Start over")
        self.folder = ToggleButton(description="Show the code", value=False)
        self.listing = HTML()
        self.view = self._assemble(parts or [grid(self.fields.values())])
        self._wire()
        self.check()

    def values(self) -> dict[str, Any]:
        """What would be sent, as JSON; what was left blank is left out."""
        found = {name: field.value for name, field in self.fields.items()}
        return {name: value for name, value in found.items() if value not in ("", None)}

    def problems(self) -> list[Problem]:
        """What is wrong with the values."""
        return []

    def warnings(self) -> list[Problem]:
        """What looks mistyped, and can be sent."""
        return []

    def send(self) -> Any:
        """Send the values and return what came back; None when `finish` follows later."""
        raise AssertionError(f"{type(self).__name__} says what it sends")

    def code(self) -> str:
        """The Python that does the same; once sent, the same as was sent."""
        return self._code_sent or self.script()

    def script(self) -> str:
        """The Python that does what the form would do now."""
        raise AssertionError(f"{type(self).__name__} says what its code is")

    def outcome(self, result: Any) -> Sequence[Row]:
        """What came back, in rows to read."""
        return [("Result", str(getattr(result, "id", result)))]

    def speak(self) -> None:
        """Do what the cell's author asked to be done when nobody clicks."""

    def forget(self) -> None:
        """Empty what must not stay in the page once it was sent."""

    @property
    def sent(self) -> Any:
        """What came back, or None while nothing was sent; looking at it sends nothing."""
        return self._trait_values.get("result")

    def submit(self) -> Any:
        """Send the form once and return what came back, then and ever after.

        Raises RuleError for what the spec refuses, and whatever the service answers.
        """
        if self.sent is not None:
            return self.sent
        self.check(everything=True)
        stated = [problem for problem in self.problems() if problem.source == "spec"]
        if stated:
            raise RuleError(stated)
        self._sending()
        return self.sent

    def unattended(self) -> Any:
        """Submit a form that nobody clicked, as the cell's author asked."""
        self.speak()
        return self.submit()

    def restart(self) -> None:
        """Be ready to be sent anew; what was sent stays sent."""
        self.result, self._code_sent = None, ""
        self._lock(False)
        self.message.value = ""
        self.check()

    def check(self, *, everything: bool = False) -> None:
        """Say what is wrong beside each field, of fields nobody touched only when asked."""
        stated = [problem for problem in self.problems() if problem.source == "spec"]
        self._spread(stated, [*self._assumed(), *self.warnings()], everything)
        self._list_code()

    def _assumed(self) -> list[Problem]:
        return [_doubtful(problem) for problem in self.problems() if problem.source != "spec"]

    def rows(self) -> Sequence[Row]:
        """What stays behind: the result, or that there is none."""
        if self.sent is None:
            asked = [field.label for field in self.fields.values() if field.visible]
            return [("Asks for", ", ".join(asked)), ("Sent", "not yet")]
        return self.outcome(self.sent)

    def field_of(self, problem: Problem) -> Field | None:
        """The field a problem belongs beside."""
        name = problem.field
        while name and name not in self.fields:
            name = name.rpartition(".")[0]
        return self.fields.get(name)

    def _assemble(self, parts: Sequence[Any]) -> Any:
        actions = Box([self.button, self.again, self.folder])
        actions.add_class("paylab-actions")
        view = VBox([HTML(head(self.title)), *parts, actions, self.message, self.listing])
        view.add_class(FORM)
        show(self.again, False)
        show(self.listing, False)
        return view

    def _wire(self) -> None:
        for field in self.fields.values():
            field.widget.observe(lambda _: self.changed(), "value")
        self.button.on_click(lambda _: self.click())
        self.again.on_click(lambda _: self.restart())
        self.folder.observe(lambda _: self._fold(), "value")

    def changed(self) -> None:
        """Check again: somebody typed, so the next click is a new attempt."""
        if not self.button.disabled:
            self._quiet_until = 0.0
            self.check()

    def click(self) -> None:
        """What the button does: submit once, with what is wrong shown in the form."""
        if self.sent is not None or time.monotonic() < self._quiet_until:
            return
        self.attended = self.clicked = True
        try:
            self.submit()
        except Exception as error:
            self.show_error(error)
            if not isinstance(error, PaylabError):
                raise
        finally:
            self.attended, self._quiet_until = False, time.monotonic() + QUIET
            self.keep()

    def show_error(self, error: Exception) -> None:
        """Put an error into the form: beside its fields, and as a whole below the button."""
        problems = list(getattr(error, "problems", ()))
        self._spread(problems, [*self._assumed(), *self.warnings()], everything=True)
        lost = [problem for problem in problems if self.field_of(problem) is None]
        self.message.value = _alert(_told(error), lost)

    def _sending(self) -> None:
        self.button.disabled, self.button.description = True, "Sending…"
        self.message.value = ""
        try:
            result = self.send()
        except BaseException:
            self._lock(False)
            raise
        if result is not None:
            self.finish(result)

    def finish(self, result: Any) -> None:
        """Take what came back as the form's result, and close the form."""
        self._code_sent = self.code()
        self.forget()
        self._lock(True)
        for field in self.fields.values():
            field.say([], [])
        self.tell(self.sent_title, self.outcome(result))
        self.result = result

    def tell(self, headline: str, rows: Sequence[Row]) -> None:
        """Say how it went, below the button."""
        head = f'<div class="paylab-part paylab-good" role="status">✓ {page.escape(headline)}</div>'
        self.message.value = head + page.table(rows)

    def _lock(self, locked: bool) -> None:
        self.button.disabled, self.button.description = locked, self.action
        show(self.again, locked)
        for field in self.fields.values():
            field.widget.disabled = locked

    def _spread(
        self, problems: Sequence[Problem], warnings: Sequence[Problem], everything: bool
    ) -> None:
        for field in self.fields.values():
            heard = everything or field.touched
            field.say(self._of(field, problems) if heard else [], self._of(field, warnings))

    def _of(self, field: Field, problems: Sequence[Problem]) -> list[Problem]:
        return [problem for problem in problems if self.field_of(problem) is field]

    def _fold(self) -> None:
        self.folder.description = "Hide the code" if self.folder.value else "Show the code"
        show(self.listing, self.folder.value)

    def _list_code(self) -> None:
        self.listing.value = f"<pre>{page.lines(self.code().splitlines())}</pre>"


def grid(fields: Iterable[Field]) -> Any:
    """Fields side by side where there is room."""
    box = Box([field.view for field in fields])
    box.add_class(GRID)
    return box


def part(title: str) -> Any:
    """The heading of a part of a form."""
    return HTML(f'<div class="paylab-part" role="heading">{page.escape(title)}</div>')


def _doubtful(problem: Problem) -> Problem:
    message = f"{problem.message}, we assume; it can be sent all the same"
    return Problem(problem.field, message, problem.source)


def _told(error: Exception) -> str:
    if isinstance(error, RuleError):
        return "Not sent: look at what is marked above."
    text = f"Refused: {error}" if isinstance(error, APIStatusError) else f"Failed: {error}"
    hint = getattr(error, "hint", None)
    return f"{text}. {hint}" if hint else text


def _alert(text: str, problems: Iterable[Problem]) -> str:
    lines = [text, *map(str, problems)]
    shown = "".join(f'<div class="paylab-error">{page.escape(line)}</div>' for line in lines)
    return f'<div role="alert">{shown}</div>'


__all__ = ["Form", "Result", "grid", "part"]
