"""A form: inputs with validation, one button, and the equivalent Python code."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from threading import RLock
from typing import Any

import traitlets

from ...errors.base import ChoiceError, PaylabError, Problem, RuleError
from .. import html
from ..html import Row
from .checked import CONFIRM, NOT_SENT, FormCheck, message_of, was_refused
from .field import ASSUMPTION, TICK, FormField, is_assumed
from .view import Button, Code, FormPage, Group, Heading, Html, Inputs, Node, side_by_side

DOUBLE_CLICK_SECONDS = 0.6
"""Seconds after an attempt during which clicks are ignored, as part of a double click."""


class Form(traitlets.HasTraits, FormPage):
    """The base of all forms; `result` is the response, None before, and observable.

    A form defines the values to send (`values`), their problems (`_judge`, `_warn`), the function
    that sends them (`_create`) and the equivalent code (`_script`).
    """

    result = traitlets.Any(None, allow_none=True)
    _create: Callable[..., Any]
    _script: Callable[[dict[str, Any]], str]

    title = "A form"
    action = "Send"
    sent_title = "Sent"
    repeatable = False  # whether sending it twice creates nothing twice
    again_text = "Start over"
    tools: Sequence[Node] = ()  # inputs' helpers, such as "Fill with an example": hidden once sent

    def __init__(self, fields: Iterable[FormField], parts: Sequence[Node] | None = None) -> None:
        super().__init__()
        self.fields = {field.name: field for field in fields}
        self.attended = self.clicked = self._silent = False
        self._quiet_until = 0.0
        self._code_sent = ""
        self.sent = ""
        self._sent_by = ""
        self._inputs_sent: dict[str, Any] = {}
        self._unanswered: dict[str, Any] | None = None
        self._one_at_a_time = RLock()
        self.button = Button(self.action, self.click, "primary")
        self.anyway = Button("Send anyway", partial(self.click, anyway=True), "warning")
        self.again = Button(self.again_text, self.restart)
        self.anyway.visible = self.again.visible = False
        self.heading = Heading(self.title)
        self.message = Html(live=True)
        self.listing = Code()
        self.inputs = list(parts or [side_by_side(self.fields.values())])
        self.below: list[Node] = []
        self._actions = Group([self.button, self.again, self.anyway], "actions")
        self._frame = Inputs([], self.button)
        for field in self.fields.values():
            field.on_change = self.changed
            field.on_leave = self.check
        self.changed()
        self._first = {name: field.entered for name, field in self.fields.items()}

    def nodes(self) -> Sequence[Node]:
        """The heading, the inputs, the buttons, the message and the code."""
        is_open = self.result is None
        for tool in self.tools:
            tool.visible = is_open
        ends = [self._actions, self.message] if is_open else [self.message, self._actions]
        self._frame.children = [*self.inputs, *ends, self.listing]
        return [self.heading, self._frame, *self.below]

    def values(self) -> dict[str, Any]:
        """The values to send, as JSON, without blank ones."""
        return {name: value for name, value in self._inputs().items() if value not in ("", None)}

    def _judge(self, values: dict[str, Any]) -> list[Problem]:
        """Problems of the values."""
        return []

    def _warn(self, values: dict[str, Any]) -> list[Problem]:
        """Warnings: values that look mistyped but can be sent."""
        return []

    def _send(self, values: dict[str, Any]) -> Any:
        """Send the values and return the response; None when `finish` is called later."""
        return self._create(**values)

    def code(self) -> str:
        """The equivalent Python code, for the current values or those that were sent."""
        return self._code_sent or self._script(self.values())

    def outcome(self, result: Any) -> Sequence[Row]:
        """The response as rows of label and text."""
        return [("Result", str(getattr(result, "id", result)))]

    def _adjust(self) -> None:
        """Show the inputs that the current values need."""

    def _speak(self) -> None:
        """Apply the arguments that are for a form submitted in code, such as `consent=True`."""

    def _forget(self) -> None:
        """Clear values that must not stay on the page after sending."""

    @property
    def begun(self) -> bool:
        """Whether something was sent: a new form must not replace this one."""
        return self.result is not None

    def submit(self, *, anyway: bool = False) -> Any:
        """Send the form and return the response; if it was sent before, return that response.

        Raises RuleError for problems by the spec, and for assumptions and typos unless `anyway`;
        ChoiceError when the values changed after sending; errors of the service as usual.

        >>> lab.forms.onboarding("MX", example=True, consent=True).submit().status
        'action_required'
        """
        with self._one_at_a_time:
            if self.result is None:
                self._speak()
                self._sent_by = self.sender()
            return self._submit(anyway)

    def _submit(self, anyway: bool) -> Any:
        if self.result is not None:
            if self._inputs() != self._inputs_sent:
                raise ChoiceError(
                    "not sent: this form was already sent with other values",
                    "Read `result` for the response, or call restart() first to send again.",
                )
            return self.result
        checked = self.check(everything=True)
        if checked.stated:
            raise RuleError(checked.stated)
        if (doubts := [*self._lost(checked.values), *checked.doubts]) and not anyway:
            self.anyway.visible = True
            message = f"{NOT_SENT} Correct what is marked, or press “{self.anyway.text}”."
            self._alert(message, doubts)
            raise RuleError([_marked(doubt) for doubt in doubts], hint=CONFIRM)
        self._sending(checked.values)
        return self.result

    def _lost(self, values: dict[str, Any]) -> list[Problem]:
        """Warn that an attempt with other values got no answer: sending may make a second order."""
        if self._unanswered in (None, values):
            return []
        return [Problem("", "the previous attempt, with other values, may have been carried out")]

    def _inputs(self) -> dict[str, Any]:
        return {name: field.value for name, field in self.fields.items()}

    def restart(self) -> None:
        """Begin an empty form that can be sent; nothing is sent by this.

        >>> lab.forms.wallet(person, example=True).restart()
        """
        self.result = None
        self._code_sent = ""
        self._unanswered = None
        self.message.html = self.sent = ""
        self._lock(False)
        with self.filling():
            self._clear()
        self.redraw(self.heading)
        self.keep()

    def _clear(self) -> None:
        """Set every field to the value that it had before anything was filled in."""
        for name, value in self._first.items():
            self.fields[name].reset(value)

    def check(self, *, everything: bool = False) -> FormCheck:
        """Evaluate values and rules once, and show the problems at each field.

        Fields that were not edited yet show problems only if `everything` is true.
        """
        values = self.values()
        checked = FormCheck(values, self._judge(values), self._warn(values))
        for field in self.fields.values():
            is_judged = everything or field.judged
            field.say(
                self._of(field, checked.problems) if is_judged else [],
                self._of(field, checked.warnings) if is_judged else [],
            )
        self.listing.text = self._code_sent or self._script(values)
        if NOT_SENT in self.message.html and not (checked.stated or checked.doubts):
            self.message.html = ""
        self.redraw()
        return checked

    def rows(self) -> Sequence[Row]:
        """The rows saved in the notebook: the result, or that nothing was sent."""
        if self.result is None:
            labels = [field.label for field in self.fields.values() if field.visible]
            return [("Fields", ", ".join(labels)), ("Sent", "not yet")]
        return self.outcome(self.result)

    def saved(self) -> str:
        """The form as static HTML: its inputs, and its button or its response."""
        frame, *other_nodes = self.nodes()[1:]
        if self.result is None:
            return "".join(node.static() for node in [frame, *other_nodes])
        inputs = "".join(node.static() for node in self.inputs if node.visible)
        return f"{inputs}<p>✓ {self._sent_by or 'Sent.'}</p>{html.table(self.outcome(self.result))}"

    def field_of(self, problem: Problem) -> FormField | None:
        """The field at which a problem is shown."""
        name = problem.field
        while name and name not in self.fields:
            name = name.rpartition(".")[0]
        return self.fields.get(name)

    @contextmanager
    def filling(self) -> Iterator[None]:
        """Change several fields, and check them once at the end."""
        self._silent = True
        try:
            yield
        finally:
            self._silent = False
            self.changed()

    def fill_in(self, values: Mapping[str, Any]) -> None:
        """Set the fields that have a value, and check them once at the end."""
        with self.filling():
            for name, value in values.items():
                if name in self.fields:
                    self.fields[name].put(value)

    def changed(self, field: FormField | None = None) -> None:
        """Check again: a field was changed, so the next click is a new attempt."""
        if self.button.disabled or self._silent:
            return
        self._quiet_until = 0.0
        self.anyway.visible = False
        self._adjust()
        self.check()

    def click(self, *, anyway: bool = False) -> None:
        """Handle a click: submit once, and show errors in the form."""
        if self.result is not None or time.monotonic() < self._quiet_until:
            return
        self.attended = self.clicked = True
        self._sent_by = ""
        try:
            with self._one_at_a_time:
                self._submit(anyway)
        except Exception as error:
            if not (isinstance(error, RuleError) and error.hint == CONFIRM):
                self.show_error(error)
            if not isinstance(error, PaylabError):
                raise
            visible_fields = (field for field in self.fields.values() if field.visible)
            self.redraw(
                next(
                    (field for field in visible_fields if field.errors or field.warnings),
                    self.message,
                )
            )
        finally:
            self.attended = False
            self._quiet_until = time.monotonic() + DOUBLE_CLICK_SECONDS
            self.keep()

    def show_error(self, error: Exception) -> None:
        """Show an error at its fields and below the button."""
        problems = list(getattr(error, "problems", ()))
        for field in self.fields.values():
            if of_field := self._of(field, problems):
                field.say(of_field)
        self._alert(message_of(error), problems)
        self.redraw()

    def _sending(self, values: dict[str, Any]) -> None:
        self.button.disabled = True
        self.button.text = "Sending…"
        self.message.html = ""
        self.anyway.visible = False
        self.redraw()
        try:
            result = self._send(values)
        except BaseException as error:
            self._lock(False)
            if not self.repeatable and not was_refused(error):
                self._unanswered = values
            self.redraw()
            raise
        if result is not None:
            self.finish(result)

    def finish(self, result: Any) -> None:
        """Store the response as `result`, and show it with the sent values."""
        self._code_sent = self.code()
        self.sent = html.table(self._sent_rows())
        self._lock(True)
        self._forget()
        self._inputs_sent = self._inputs()
        for field in self.fields.values():
            field.say([])
        self.tell(self.sent_title, self.outcome(result))
        self.result = result
        self.redraw(self.message)
        self.keep()

    def _sent_rows(self) -> list[Row]:
        """The sent values as rows; document numbers are masked."""
        visible_fields = [
            candidate
            for candidate in self.fields.values()
            if candidate.visible and candidate.input != TICK
        ]
        return [(field.label, field.shown()) for field in visible_fields if field.shown()]

    def tell(self, headline: str, rows: Sequence[Row]) -> None:
        """Show the outcome below the inputs, and who sent them unless it was a click."""
        headline_html = f'<p class="paylab-good"><strong>✓ {html.escape(headline)}</strong></p>'
        by = f'<p class="paylab-hint">{self._sent_by}</p>' if self._sent_by else ""
        self.message.html = headline_html + by + (html.table(rows) if rows else "")

    def _alert(self, text: str, problems: Iterable[Problem]) -> None:
        """Show a message, and the problems of no field."""
        lines = [text, *(str(problem) for problem in problems if self.field_of(problem) is None)]
        lines_html = "".join(f'<p class="paylab-error">{html.escape(line)}</p>' for line in lines)
        self.message.html = lines_html

    def _lock(self, locked: bool) -> None:
        self.button.disabled = locked
        self.button.text = self.action
        self.button.visible = not locked
        self.again.visible = locked
        for field in self.fields.values():
            field.lock(locked)

    def _of(self, field: FormField, problems: Sequence[Problem]) -> list[Problem]:
        return [problem for problem in problems if self.field_of(problem) is field]


def _marked(problem: Problem) -> Problem:
    """The problem of an exception: it says when it comes from an assumption."""
    if not (problem.field and is_assumed(problem)):
        return problem
    return Problem(problem.field, problem.message + ASSUMPTION, problem.source)
