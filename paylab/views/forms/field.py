"""An input of a form, with its hint and the problems of its value."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

from ...errors.base import Problem
from ...spec.money import strip_commas
from ...spec.text import JsonObject, JsonValue
from ..html import escape
from ..style import MUTED
from .message import InputOrder, Message
from .nodes import Node
from .problem_sentences import ASSUMED, REQUIRED, problem_sentence, with_labels

OPTIONAL = "Optional"
ADVISED = "Recommended"
TEXT = "text"
COMBO = "combo"
SELECT = "select"
RADIO = "radio"
TICK = "tick"
CHOICE_INPUTS = (SELECT, RADIO)
"""The inputs whose value is one of their options."""
SAVED_STYLE = "overflow-wrap:anywhere"
"""The style of a saved value: without a border, it does not look like an input."""
_HINT_VALUES_MAX = 8
_NARROW_VALUE_MAX = 32
"""Characters that a field beside others can show."""

Options = Sequence[tuple[str, JsonValue]]
"""The labels and values to choose from."""


def assumed_values_hint(values: Sequence[str]) -> str:
    """The hint of an input whose list of values is only assumed; empty without values."""
    if not values:
        return ""
    listed_values_text = ", ".join(values[:_HINT_VALUES_MAX])
    if len(values) > _HINT_VALUES_MAX:
        listed_values_text += ", …"
    return f"Assumed: {listed_values_text}. You can type another value."


class FormField(Node):
    """An input with the field name that problems use; `hint` is shown while it has no problem.

    `input` is one of text, combo (a list that accepts other values), select, radio, tick.
    Problems are shown after the field lost focus, was filled in by code, or was sent. A
    `private` value is masked after sending; a `lazy` field reports a change when it loses focus.
    A text with `is_long`, of which every character counts, has a row of its own.
    """

    kind = "field"
    attributes = ("input", "label", "placeholder", "lazy", "hint", "errors", "warnings", "disabled")

    def __init__(  # noqa: PLR0913 - its name, its value, its texts
        self,
        name: str,
        label: str,
        input: str = TEXT,  # noqa: A002
        *,
        value: JsonValue = None,
        options: Options = (),
        hint: str = "",
        placeholder: str = "",
    ) -> None:
        """Start with the value, or without one: unticked, or as empty text."""
        super().__init__()
        self.name = name
        self.label = label
        self.hint = hint
        self.input = input
        self.placeholder = placeholder
        self.private = False
        self.lazy = False
        self.options: list[tuple[str, JsonValue]] = []
        # The label and the value of each option, for the browser. Only a combo needs the value:
        # the browser writes it into the input; of any other it sends the index of the option.
        self._option_rows: list[list[str]] = []
        self._has_long_option = False
        empty_value: JsonValue = False if input == TICK else ""
        self._value: JsonValue = empty_value if value is None else value
        self.normalise: Callable[[str], str] = str.strip
        self.is_long = False
        self.required: bool | None = None
        self._is_advised = False
        self.assumed = False
        self.disabled = False
        self.touched = bool(value)
        self.is_typed = False
        self._masked_text = ""
        self.errors: list[str] = []
        self.warnings: list[str] = []
        self.on_change: Callable[[FormField], object] = lambda _: None
        self.on_leave: Callable[[], object] = lambda: None
        self.find_labels: Callable[[], Mapping[str, str]] = dict
        self._input_order = InputOrder()
        if options:
            self.set_options(options, preselect=input in CHOICE_INPUTS and value is None)

    def connect(
        self,
        on_change: Callable[[FormField], object],
        on_leave: Callable[[], object],
        find_labels: Callable[[], Mapping[str, str]],
    ) -> None:
        """Connect it to its form, whose labels are shown in place of names of fields."""
        self.on_change = on_change
        self.on_leave = on_leave
        self.find_labels = find_labels

    @property
    def value(self) -> JsonValue:
        """The value of the input; text is normalised for the service."""
        return self._normal_value()

    @value.setter
    def value(self, value: JsonValue) -> None:
        """Set the value from code, and show its problems."""
        if self.set_value(value):
            self.on_change(self)

    def _normal_value(self) -> JsonValue:
        """The value as the service wants it: a text without outer spaces; any other unchanged."""
        return self.normalise(self._value) if isinstance(self._value, str) else self._value

    def set_value(self, value: JsonValue) -> bool:
        """Set the value without calling `on_change`; return whether it changed."""
        self.touched = self.touched or value not in ("", None)
        self.is_typed = False
        return self.store(value)

    @property
    def raw_value(self) -> JsonValue:
        """The value as it was typed or set."""
        return self._value

    def reset(self, value: JsonValue) -> None:
        """Set a value as if nobody had edited the input, so that no problems are shown."""
        self.set_value(value)
        self.touched = False

    @property
    def snapshot(self) -> tuple[JsonValue, bool, bool]:
        """The value, whether its problems are shown, and whether a browser sent it."""
        return self._value, self.touched, self.is_typed

    def restore(self, snapshot: tuple[JsonValue, bool, bool]) -> None:
        """Go back to an earlier state."""
        value, self.touched, self.is_typed = snapshot
        self.store(value)

    def store(self, value: JsonValue) -> bool:
        """Store a value, and nothing else; return whether it changed."""
        is_changed = value != self._value
        self._value = value
        return bool(is_changed)

    def set_options(
        self, options: Options, preferred_value: JsonValue = None, *, preselect: bool = True
    ) -> None:
        """Set the options, and keep the chosen value if it is one of them or was typed.

        Else choose `preferred_value`, or the first option, unless `preselect` is false.
        """
        self.options = list(options)
        # Made here once, since a form sends all of its fields to the browser after each keystroke.
        # A combo box shows the value of an option beside its label.
        self._option_rows = [
            [option_label, str(option_value) if self.input == COMBO else ""]
            for option_label, option_value in self.options
        ]
        self._has_long_option = any(
            len(option_label) > _NARROW_VALUE_MAX for option_label, _ in self.options
        )
        option_values = [option_value for _, option_value in options]
        is_typed_value = self.takes_any_text and bool(self._value)
        if self._value in option_values or is_typed_value or not preselect:
            return
        if preferred_value in option_values:
            self.set_value(preferred_value)
        else:
            self.set_value(option_values[0] if option_values else "")

    def set_required(self, required: bool | None, *, assumed: bool = False) -> None:
        """Mark it as required, optional, or with None neither.

        `assumed` is whether this is an assumption, because the spec does not say it.
        """
        self.required = required
        self.assumed = assumed
        self._is_advised = False

    def set_advised(self) -> None:
        """Mark it as recommended: a person may lack it, and a service may ask for it."""
        self.set_required(None)
        self._is_advised = True

    def show_problems(self, problems: Iterable[Problem], warnings: Iterable[Problem] = ()) -> None:
        """Show errors and warnings below the input, or the hint if there are none."""
        self.errors = list(map(self._describe_problem, problems))
        self.warnings = list(map(self._describe_problem, warnings))

    def _describe_problem(self, problem: Problem) -> str:
        """A problem as a sentence, with the labels of the fields that it names."""
        message = with_labels(problem.message, self.find_labels())
        return problem_sentence(replace(problem, message=message), self)

    @property
    def takes_any_text(self) -> bool:
        """Whether values that are not listed can be typed."""
        return self.input == COMBO

    @property
    def shows_problems(self) -> bool:
        """Whether problems are shown: after it lost focus or a choice was made."""
        return self.touched or (self.input in CHOICE_INPUTS and self._value not in ("", None))

    def display_text(self) -> str:
        """The value as shown after sending; a private value is masked."""
        if self.input in CHOICE_INPUTS:
            option_index = self._option_index()
            return "" if option_index < 0 else self.options[option_index][0]
        value_text = str(self.value)
        return _masked_text(value_text) if self.private else value_text

    def lock(self, is_locked: bool) -> None:
        """Make the input read-only once it was sent; a private value is then shown masked."""
        self.disabled = is_locked
        self._masked_text = self.display_text() if is_locked and self.private else ""

    def static(self) -> str:
        """The label and the value; what was typed in the browser is not saved in a notebook."""
        if self.input == TICK:
            tick_sign = "☑" if self.raw_value else "☐"
            return f"<p>{tick_sign} {escape(self.label)}</p>"
        value_text = self._masked_text or self.display_text()
        if self.is_typed:
            value_text = "(typed, not saved)"
        label_html = f'<div style="{MUTED};font-size:13px">{escape(self.label)}</div>'
        value_html = f'<div style="{SAVED_STYLE}">{escape(value_text) or "-"}</div>'
        style_text = "min-width:0;grid-column:1/-1" if self._is_wide() else "min-width:0"
        return f'<div style="{style_text}">{label_html}{value_html}</div>'

    def _is_wide(self) -> bool:
        """Whether it needs a row of its own: for a long choice or text, or a long value sent."""
        if self.is_long:
            return True
        if self.input == SELECT:
            return self._has_long_option
        is_long = len(str(self._value)) > _NARROW_VALUE_MAX
        return self.disabled and self.input != RADIO and is_long

    def props(self) -> JsonObject:
        """The input, its label, its mark and the text below."""
        is_choice = self.input in CHOICE_INPUTS
        return {
            **super().props(),
            "value": self._option_index() if is_choice else self._masked_text or self._value,
            "options": self._option_rows,
            "required": bool(self.required),
            "wide": self._is_wide(),
            "long": self.is_long,
            "mark": self._requirement_mark(),
            "hint": "" if self.disabled and self.input != TICK else self.hint,
            "heard": self._input_order.last_number_by_page,
        }

    def receive(self, message: Message, buffers: Sequence[bytes]) -> None:
        """Handle a message of the browser: a typed or chosen value, or the loss of focus."""
        if self.disabled:
            return
        action_name = message.get("kind")
        if action_name == "input":
            with self._input_order.lock:
                if self._input_order.take_if_newer(message):
                    self._receive_value(message.get("value"))
        elif action_name == "leave":
            self._receive_leave()

    def _receive_leave(self) -> None:
        """Normalise and check the value after the input lost focus."""
        is_checked_already = self.touched and self._value == self.value
        if is_checked_already:
            return
        self.touched = True
        self._value = self.value
        if self.lazy:
            self.on_change(self)
        self.on_leave()

    def _receive_value(self, browser_value: JsonValue) -> None:
        """Store the value of the browser, and report the change unless the field is lazy."""
        new_value = self._read_browser_value(browser_value)
        self.is_typed = self.input in (TEXT, COMBO)
        is_marked = bool(self.errors or self.warnings)
        if not self.is_typed:
            self.touched = True
        elif not is_marked:
            # Typed text is checked when the input loses focus, or while it is wrong.
            self.touched = False
        if self.store(new_value) and not self.lazy:
            self.on_change(self)

    def _read_browser_value(self, browser_value: JsonValue) -> JsonValue:
        """The value for what the browser sent; the current one if that has a wrong type.

        The browser sends the index of an option, or the state of a box, or text.
        """
        if self.input == TICK:
            return bool(browser_value)
        if self.input in CHOICE_INPUTS:
            is_option = type(browser_value) is int and 0 <= browser_value < len(self.options)
            return self.options[browser_value][1] if is_option else self._value
        return browser_value if isinstance(browser_value, str) else self._value

    def _option_index(self) -> int:
        """The index of the chosen option; -1 if none is chosen."""
        option_values = [option_value for _, option_value in self.options]
        return option_values.index(self._value) if self._value in option_values else -1

    def _requirement_mark(self) -> str:
        """The words beside the label, such as "Required, assumed"; "" once the form was sent."""
        if self.disabled:
            return ""
        mark_texts = []
        if self.required is not None:
            mark_texts.append(REQUIRED if self.required else OPTIONAL)
        if self._is_advised:
            mark_texts.append(ADVISED)
        if self.assumed:
            mark_texts.append(ASSUMED)
        return ", ".join(mark_texts)


def make_amount_field(label: str, amount: str) -> FormField:
    """Make the input of an amount, which also takes one as cards show it, such as "1,000.00"."""
    amount_field = FormField("amount", label, value=amount)
    amount_field.normalise = lambda amount_text: strip_commas(amount_text.strip())
    return amount_field


def _masked_text(value_text: str) -> str:
    """The text as dots; the last two characters of a longer one stay."""
    if len(value_text) <= 4:
        return "•" * len(value_text)
    return "•" * (len(value_text) - 2) + value_text[-2:]
