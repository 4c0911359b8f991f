"""A form: inputs with validation, one button, and the equivalent Python code."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from threading import RLock
from typing import Any, Self

import traitlets

from ...errors.arguments import explain_arguments
from ...errors.base import PaylabError, Problem
from ...spec.text import JsonMapping, JsonObject
from .. import html
from ..html import Row
from .controls import SENT_BY_CODE, SENT_EARLIER, FormControls
from .field import FormField
from .field_access import find_first_marked, refuse_example, set_fields, with_field_access
from .form_check import (
    FormCheck,
    UnansweredAttempt,
    changed_values_error,
    error_message,
    find_field,
    group_by_field,
    is_unconfirmed,
    mark_fields,
    sent_rows,
    unconfirmed_error,
)
from .nodes import Heading, Node, side_by_side
from .problem_sentences import with_labels
from .view import FormPage


@with_field_access
class Form(traitlets.HasTraits, FormPage):
    """The base of all forms; `result` is the response, or None before, and can be observed.

    A form defines the values to send (`values`), their problems (`_find_problems`,
    `_find_warnings`), the function that sends them (`_create`) and the equivalent code
    (`_write_code`).
    """

    USER_NAMES: tuple[str, ...] = (
        *("check", "click", "code", "field_of", "fill", "observe"),
        *("restart", "result", "rows", "submit", "title", "unobserve", "values"),
    )

    result = traitlets.Any(None, allow_none=True)
    _create: Callable[..., Any]
    _write_code: Callable[[JsonObject], str]

    title = "A form"
    action = "Send"
    sent_title = "Sent"
    repeatable = False
    """Whether sending the form twice creates nothing twice."""
    again_text = "Start over"
    again_name = "restart"
    """The method of the button `again_text` of a form that was sent."""
    run_hint = ""
    """What a user has to do before the button that runs an example; empty for nothing."""
    helper_nodes: Sequence[Node] = ()
    """Helpers of the inputs, such as "Fill with an example"; they are hidden once sent."""

    def __init__(self, fields: Iterable[FormField], parts: Sequence[Node] | None = None) -> None:
        super().__init__()
        self.fields = {field.name: field for field in fields}
        self.in_click = False
        self._is_filling = False
        self._code_sent = ""
        self.sent_html = ""
        self._sender_sentence = ""
        self._inputs_sent: JsonObject = {}
        self._unanswered = UnansweredAttempt()
        self._lock = RLock()
        begin_again = getattr(self, self.again_name)
        self.controls = FormControls(self.action, self.again_text, self.click, begin_again)
        self.heading = Heading(self.title)
        self.inputs = list(parts or [side_by_side(self.fields.values())])
        self.nodes_below: list[Node] = []
        for field in self.fields.values():
            field.connect(self.handle_change, self.check, self.labels)
        self.handle_change()
        self._initial_values = {name: field.raw_value for name, field in self.fields.items()}

    def nodes(self) -> Sequence[Node]:
        """The heading, the inputs, the buttons, the message and the code."""
        for node in self.helper_nodes:
            node.visible = self.result is None
        frame_node = self.controls.frame(self.inputs, is_sent=self.result is not None)
        return [self.heading, frame_node, *self.nodes_below]

    def values(self) -> JsonObject:
        """The values to send, as JSON, without blank ones."""
        inputs = self._input_values()
        return {name: value for name, value in inputs.items() if value not in ("", None)}

    def _find_problems(self, values: JsonObject) -> list[Problem]:
        """Problems of the values."""
        return []

    def _find_warnings(self, values: JsonObject) -> list[Problem]:
        """Warnings: values that look mistyped but can be sent."""
        return []

    def _send(self, values: JsonObject) -> Any:
        """Send the values and return the response; None when `finish` is called later."""
        return self._create(**values)

    def code(self) -> str:
        """The equivalent Python code, for the current values or those that were sent."""
        return self._code_sent or self._write_code(self.values())

    def result_rows(self, result: Any) -> Sequence[Row]:
        """The response as rows of label and text."""
        return [("Result", str(getattr(result, "id", result)))]

    def _adjust_inputs(self) -> None:
        """Show the inputs that the current values need."""

    def apply_code_options(self) -> None:
        """Apply the arguments that a click on its button does not, such as `consent=True`."""

    def _clear_private_inputs(self) -> None:
        """Clear values that must not stay on the page after sending."""

    @property
    def is_started(self) -> bool:
        """Whether something was sent: a new form must not replace this one."""
        return self.result is not None

    @explain_arguments
    def submit(self, *, anyway: bool = False) -> Any:
        """Send the form and return the response; if it was sent before, return that response.

        Raises RuleError for problems by the spec, and for assumptions and typos unless `anyway`;
        ChoiceError when the values changed after sending; errors of the service as usual.

        >>> lab.forms.onboarding("MX", example=True, consent=True).submit().status
        'action_required'
        """
        with self._lock:
            if self.result is None:
                self.apply_code_options()
                self._sender_sentence = SENT_BY_CODE
            return self._submit(anyway)

    def _submit(self, anyway: bool) -> Any:
        """Check and send the values, or return the earlier result; `anyway` confirms doubts."""
        if self.result is not None:
            if self._input_values() != self._inputs_sent:
                raise changed_values_error(self.again_name)
            return self.result
        form_check = self.check(everything=True)
        form_check.refuse_by_spec()
        doubts = [*self._unanswered.find_doubts(form_check.values), *form_check.doubts]
        if doubts and not anyway:
            self._show_failure(self.controls.ask_to_confirm(), doubts)
            raise unconfirmed_error(doubts)
        self._send_and_finish(form_check.values)
        return self.result

    def _input_values(self) -> JsonObject:
        """The values of all inputs by field name, with blank ones."""
        return {field_name: field.value for field_name, field in self.fields.items()}

    def restart(self) -> None:
        """Begin an empty form that can be sent; nothing is sent by this.

        >>> lab.forms.wallet(person, example=True).restart()
        """
        self._forget_result()
        with self.filling():
            for field_name, initial_value in self._initial_values.items():
                self.fields[field_name].reset(initial_value)
        self.redraw(self.heading)
        self.update_saved()

    def _forget_result(self) -> None:
        """Forget what was sent and its result, and unlock the inputs."""
        self.result = None
        self._code_sent = ""
        self._unanswered = UnansweredAttempt()
        self._opened = None
        self.controls.message.html = ""
        self.sent_html = ""
        self._set_locked(False)

    def check(self, *, everything: bool = False) -> FormCheck:
        """Evaluate values and rules once, and show the problems at each field.

        Fields that were not edited yet show problems only if `everything` is true.
        """
        form_check = self._evaluate()
        form_check.show_at(self.fields.values(), self.field_of, everything=everything)
        self.controls.code.text = self._code_sent or self._write_code(form_check.values)
        self.redraw()
        return form_check

    def _evaluate(self) -> FormCheck:
        """The current values with their problems and warnings."""
        values = self.values()
        return FormCheck(values, self._find_problems(values), self._find_warnings(values))

    def rows(self) -> Sequence[Row]:
        """The rows saved in the notebook: the result, or that nothing was sent."""
        if self.result is None:
            label_texts = [field.label for field in self.fields.values() if field.visible]
            return [("Fields", ", ".join(label_texts)), ("Sent", "not yet")]
        return self.result_rows(self.result)

    def saved_html(self) -> str:
        """The form as static HTML: its inputs, and its button or its response."""
        _, frame_node, *nodes_below = self.nodes()
        if self.result is None:
            return "".join(node.static() for node in [frame_node, *nodes_below])
        inputs_html = "".join(node.static() for node in self.inputs if node.visible)
        result_html = html.table(self.result_rows(self.result))
        return f"{inputs_html}<p>✓ {self._sender_sentence or 'Sent.'}</p>{result_html}"

    def field_of(self, problem: Problem) -> FormField | None:
        """The field at which a problem is shown; None if no field has its name or a parent's."""
        return find_field(self.fields, problem.field)

    @contextmanager
    def filling(self) -> Iterator[None]:
        """Change several fields, and check them once at the end."""
        self._is_filling = True
        try:
            yield
        finally:
            self._is_filling = False
            self.handle_change()

    @explain_arguments
    def fill(self, values: JsonMapping | None = None, /, **fields: Any) -> Self:
        """Set fields by their names, or without any fill in an example; return the form.

        >>> lab.forms.onboarding("MX").fill(given_name="Ana").values()["given_name"]
        'Ana'
        """
        if values or fields:
            set_fields(self, {**(values or {}), **fields})
        else:
            self._fill_example()
        return self

    def _fill_example(self) -> None:
        """Fill in an example; ArgumentError for a form that has none."""
        refuse_example(self)

    def handle_change(self, field: FormField | None = None) -> None:
        """Check again: a field was changed, so the next click is a new attempt."""
        if self.controls.send_button.disabled or self._is_filling:
            return  # the form cannot be sent, or `filling` checks it at its end
        self.controls.forget_attempt()
        self._adjust_inputs()
        self.check()

    def click(self, *, anyway: bool = False) -> None:
        """Handle a click: submit once, and show errors in the form. A fault is raised, too."""
        if self.result is not None or self.controls.is_second_click():
            return
        self.in_click = True
        self._sender_sentence = ""
        try:
            with self._lock:
                self._submit(anyway)
        except Exception as error:
            if not is_unconfirmed(error):  # else `_submit` shows the doubts already
                self.show_error(error)
            if not isinstance(error, PaylabError):  # a fault of paylab: its traceback is needed
                raise
            self.redraw(find_first_marked(self.fields) or self.controls.message)
        finally:
            self.in_click = False
            self.controls.end_attempt()
            self.update_saved()

    def show_error(self, error: Exception) -> None:
        """Show an error at its fields and below the button."""
        problems = list(getattr(error, "problems", ()))
        mark_fields(problems, self.field_of)
        anyway_text = self.controls.anyway_button.text if self._evaluate().doubts else ""
        self._show_failure(error_message(error, self.fields.values(), anyway_text), problems)
        self.redraw()

    def _show_failure(self, message: str, problems: Iterable[Problem]) -> None:
        """Show a message below the button, with the problems that no field shows."""
        lines = [message, *map(str, group_by_field(problems, self.field_of).get(None, []))]
        self.controls.show_failure(with_labels(line, self.labels()) for line in lines)

    def labels(self) -> dict[str, str]:
        """The labels of the visible inputs, by the names that messages about a call have."""
        return {name: field.label for name, field in self.fields.items() if field.visible}

    def _send_and_finish(self, values: JsonObject) -> None:
        """Send the values and show the response; note an attempt whose outcome is not known."""
        self.controls.show_sending()
        self.redraw()
        try:
            response = self._send(values)
        except BaseException as error:
            self._set_locked(False)
            if not self.repeatable:
                self._unanswered.note(error, values)
            self.redraw()
            raise
        if response is not None:  # else it comes later, and `finish` is called then
            self.finish(response)

    def finish(self, result: Any) -> None:
        """Store the response as `result` and show it, with the sent values as read-only inputs."""
        self._code_sent = self.code()
        self.sent_html = html.table(self._sent_rows())
        self._set_locked(True)
        self._clear_private_inputs()  # after the code and the rows, which are made from the inputs
        self._inputs_sent = self._input_values()
        for field in self.fields.values():
            field.show_problems([])
        self.show_result(self.sent_title, self.result_rows(result))
        self.result = result  # observers see a form that shows its result
        self.redraw(self.controls.message)
        self.update_saved()

    def _sent_rows(self) -> list[Row]:
        """The sent values as rows; document numbers are masked."""
        return sent_rows(self.fields.values())

    def show_again(self) -> None:
        """Say that the form was sent earlier, when another cell shows it again."""
        if self.result is not None:
            self._sender_sentence = SENT_EARLIER
            self.show_result(self.sent_title, self.result_rows(self.result))

    def show_result(self, headline: str, rows: Sequence[Row]) -> None:
        """Show the result below the inputs, and who sent them unless it was a click."""
        self.controls.show_result(headline, self._sender_sentence, rows)

    def _set_locked(self, is_locked: bool) -> None:
        """Make the inputs read-only once they were sent, or editable again."""
        self.controls.lock(is_locked)
        for field in self.fields.values():
            field.lock(is_locked)
