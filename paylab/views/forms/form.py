"""A form: inputs that check themselves, one button, and the code that does the same."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from threading import RLock
from typing import Any, Self

import traitlets
from IPython.display import display
from ipywidgets import HTML, Box, Button, ToggleButton, VBox

from ...errors import (
    APIStatusError,
    ChoiceError,
    ConfigError,
    PaylabError,
    Problem,
    RuleError,
    ServerError,
)
from .. import html
from .. import html as page
from ..html import Row
from .field import FORM, GRID, SHEET, STATIC, FormField, show, stylesheet

WIDGET = "application/vnd.jupyter.widget-view+json"


class Shown:
    """A widget tree in `view`, and rows of plain text that stay behind in the saved notebook.

    The two are separate outputs of a cell: a saved notebook holds no widget state, and a page
    that cannot find a widget shows nothing else of the same output.
    """

    title: str
    view: Any
    where = ""
    _kept: Any = None

    def place(self, where: str) -> None:
        """Name the service beside the title."""
        self.where = where
        self.view.children[0].value = stylesheet(self.title, where)

    def rows(self) -> Sequence[Row]:
        """What can be read without a kernel: no document number, nothing secret."""
        raise AssertionError(f"{type(self).__name__} says what it shows")

    def keep(self) -> None:
        """Bring what stays behind up to date; for what a person did in front of the page."""
        if self._kept is not None:
            self._kept.update(self._static(), raw=True)

    def _static(self) -> dict[str, str]:
        told = page.heading(self.title) + page.table(self.rows())
        shown = page.card(page.column(told), label=self.where)
        html = f'{SHEET}<div class="{STATIC}">{shown}</div>'
        return {"text/html": html, "text/plain": repr(self)}

    def __repr__(self) -> str:
        return page.plain_text(self.title, self.rows(), self.where)

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, Any]:
        return {WIDGET: self.view._repr_mimebundle_()[WIDGET], **self._static()}

    def _ipython_display_(self) -> None:
        living = {WIDGET: self.view._repr_mimebundle_()[WIDGET]}
        display(living, raw=True)  # type: ignore[no-untyped-call]
        kept = display(self._static(), raw=True, display_id=True)  # type: ignore[no-untyped-call]
        self._kept = kept


QUIET = 0.6
"""Seconds after an attempt in which a click counts as the second half of a double click."""


LIKELY_TYPO = "check-digits"
"""The source of warnings about values that are probably mistyped: these are to be confirmed."""

CONFIRM = "Correct what is marked, or send it as it is with submit(anyway=True)"


class Form(traitlets.HasTraits, Shown):
    """What all forms have in common; `result` is what came back, None before, and observable."""

    result = traitlets.Any(None, allow_none=True)

    title = "A form"
    action = "Send"
    sent_title = "Sent"
    repeatable = False  # whether sending it twice makes nothing twice

    def __init__(self, fields: Iterable[FormField], parts: Sequence[Any] | None = None) -> None:
        super().__init__()
        self.fields = {field.name: field for field in fields}
        self.attended, self._quiet_until = False, 0.0
        self.clicked = False
        self._code_sent = ""
        self._inputs_sent: dict[str, Any] = {}
        self._unanswered: dict[str, Any] | None = None
        self._one_at_a_time = RLock()
        self.message = HTML()
        self.button = Button(description=self.action, button_style="primary")
        self.anyway = Button(description="Send anyway", button_style="warning")
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
    def begun(self) -> bool:
        """Whether something was sent, so that this form must not be replaced by a new one."""
        return self.result is not None

    def submit(self, *, anyway: bool = False) -> Any:
        """Send the form and return what came back; sent before, return that and send nothing.

        Raises RuleError for what the spec refuses, for a likely mistake unless `anyway`, and
        whatever the service answers; ChoiceError when the values were changed after they were sent.
        """
        with self._one_at_a_time:
            if self.result is None:
                self.speak()
            return self._submit(anyway)

    def _submit(self, anyway: bool) -> Any:
        if self.result is not None:
            if self._inputs() != self._inputs_sent:
                raise ChoiceError(
                    "not sent: this form was sent before, with other values",
                    "Read `result` for what came back, or call restart() first to send again.",
                )
            return self.result
        self.check(everything=True)
        found = self.problems()
        if stated := [problem for problem in found if problem.source == "spec"]:
            raise RuleError(stated)
        if (doubts := [*self._lost(), *self._doubts(found)]) and not anyway:
            self._ask_to_confirm(doubts)
            raise RuleError(doubts, hint=CONFIRM)
        self._sending()
        return self.result

    def _doubts(self, found: Iterable[Problem]) -> list[Problem]:
        """What is sent only when somebody confirms it: a broken assumption, a likely typo."""
        typos = [problem for problem in self.warnings() if problem.source == LIKELY_TYPO]
        return [_marked(problem) for problem in found if problem.source != "spec"] + typos

    def _lost(self) -> list[Problem]:
        """The attempt before had other values and no answer: this one may be a second order."""
        if self._unanswered in (None, self.values()):
            return []
        return [Problem("", "the attempt before, with other values, may have been carried out")]

    def _ask_to_confirm(self, doubts: Iterable[Problem]) -> None:
        show(self.anyway, True)
        told = f"Not sent. Correct what is marked above, or click “{self.anyway.description}”."
        self.message.value = _alert(told, [one for one in doubts if self.field_of(one) is None])

    def _inputs(self) -> dict[str, Any]:
        return {name: field.widget.value for name, field in self.fields.items()}

    def __copy__(self) -> Self:
        """The form itself: two copies of one order could be sent twice."""
        return self

    def __deepcopy__(self, memo: object) -> Self:
        return self

    def restart(self) -> None:
        """Be ready to be sent anew; what was sent stays sent."""
        self.result, self._code_sent, self._unanswered = None, "", None
        self._lock(False)
        self.message.value = ""
        self.check()

    def check(self, *, everything: bool = False) -> None:
        """Say what is wrong beside each field, of fields nobody touched only when asked."""
        stated = [problem for problem in self.problems() if problem.source == "spec"]
        self._spread(stated, everything)
        self._list_code()

    def rows(self) -> Sequence[Row]:
        """What stays behind: the result, or that there is none."""
        if self.result is None:
            asked = [field.label for field in self.fields.values() if field.visible]
            return [("Asks for", ", ".join(asked)), ("Sent", "not yet")]
        return self.outcome(self.result)

    def field_of(self, problem: Problem) -> FormField | None:
        """The field a problem belongs beside."""
        name = problem.field
        while name and name not in self.fields:
            name = name.rpartition(".")[0]
        return self.fields.get(name)

    def _assemble(self, parts: Sequence[Any]) -> Any:
        actions = Box([self.button, self.again, self.folder, self.anyway])
        actions.add_class("paylab-actions")
        view = VBox([HTML(stylesheet(self.title)), *parts, actions, self.message, self.listing])
        view.add_class(FORM)
        for later in (self.again, self.anyway, self.listing):
            show(later, False)
        return view

    def _wire(self) -> None:
        for field in self.fields.values():
            field.widget.observe(lambda _: self.changed(), "value")
        self.button.on_click(lambda _: self.click())
        self.anyway.on_click(lambda _: self.click(anyway=True))
        self.again.on_click(lambda _: self.restart())
        self.folder.observe(lambda _: self._fold(), "value")

    def changed(self) -> None:
        """Check again: somebody typed, so the next click is a new attempt."""
        if not self.button.disabled:
            self._quiet_until = 0.0
            show(self.anyway, False)
            self.check()

    def click(self, *, anyway: bool = False) -> None:
        """What the buttons do: submit once, with what is wrong shown in the form."""
        if self.result is not None or time.monotonic() < self._quiet_until:
            return
        self.attended = self.clicked = True
        try:
            with self._one_at_a_time:
                self._submit(anyway)
        except Exception as error:
            if not (isinstance(error, RuleError) and error.hint == CONFIRM):
                self.show_error(error)
            if not isinstance(error, PaylabError):
                raise
        finally:
            self.attended, self._quiet_until = False, time.monotonic() + QUIET
            self.keep()

    def show_error(self, error: Exception) -> None:
        """Put an error into the form: beside its fields, and as a whole below the button."""
        problems = list(getattr(error, "problems", ()))
        self._spread(problems, everything=True)
        lost = [problem for problem in problems if self.field_of(problem) is None]
        self.message.value = _alert(_told(error), lost)

    def _sending(self) -> None:
        self.button.disabled, self.button.description = True, "Sending…"
        self.message.value = ""
        show(self.anyway, False)
        values = self.values()
        try:
            result = self.send()
        except BaseException as error:
            self._lock(False)
            if not self.repeatable and not _refused(error):
                self._unanswered = values
            raise
        if result is not None:
            self.finish(result)

    def finish(self, result: Any) -> None:
        """Take what came back as the form's result, and close the form."""
        self._code_sent = self.code()
        self.forget()
        self._inputs_sent = self._inputs()
        self._lock(True)
        for field in self.fields.values():
            field.say([], [])
        self.tell(self.sent_title, self.outcome(result))
        self.result = result

    def tell(self, headline: str, rows: Sequence[Row]) -> None:
        """Say how it went, below the button."""
        head = f'<div class="paylab-part paylab-good" role="status">✓ {html.escape(headline)}</div>'
        self.message.value = head + html.table(rows)

    def _lock(self, locked: bool) -> None:
        self.button.disabled, self.button.description = locked, self.action
        show(self.again, locked)
        for field in self.fields.values():
            field.widget.disabled = locked

    def _spread(self, problems: Sequence[Problem], everything: bool) -> None:
        assumed = [_marked(problem) for problem in self.problems() if problem.source != "spec"]
        for field in self.fields.values():
            heard = everything or field.touched
            doubted = [*(assumed if heard else []), *self.warnings()]
            field.say(self._of(field, problems) if heard else [], self._of(field, doubted))

    def _of(self, field: FormField, problems: Sequence[Problem]) -> list[Problem]:
        return [problem for problem in problems if self.field_of(problem) is field]

    def _fold(self) -> None:
        self.folder.description = "Hide the code" if self.folder.value else "Show the code"
        show(self.listing, self.folder.value)

    def _list_code(self) -> None:
        self.listing.value = f"<pre>{html.lines(self.code().splitlines())}</pre>"


def grid(fields: Iterable[FormField]) -> Any:
    """Fields side by side where there is room."""
    box = Box([field.view for field in fields])
    box.add_class(GRID)
    return box


def form_part(title: str) -> Any:
    """The heading of a part of a form."""
    return HTML(f'<div class="paylab-part" role="heading">{html.escape(title)}</div>')


def _refused(error: BaseException) -> bool:
    """Whether an error says that nothing was carried out."""
    if isinstance(error, APIStatusError):
        return not isinstance(error, ServerError)
    return isinstance(error, RuleError | ChoiceError | ConfigError)


def _marked(problem: Problem) -> Problem:
    message = f"{problem.message} (assumed: the specification does not say so)"
    return Problem(problem.field, message, problem.source)


def _told(error: Exception) -> str:
    if isinstance(error, RuleError):
        return "Not sent. Correct what is marked above."
    text = f"Refused: {error}" if isinstance(error, APIStatusError) else f"Failed: {error}"
    hint = getattr(error, "hint", None)
    return f"{text}. {hint}" if hint else text


def _alert(text: str, problems: Iterable[Problem]) -> str:
    lines = [text, *map(str, problems)]
    shown = "".join(f'<div class="paylab-error">{html.escape(line)}</div>' for line in lines)
    return f'<div role="alert">{shown}</div>'
