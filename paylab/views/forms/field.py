"""The fields of a form, and the Python code that is equivalent to a form."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from ...errors.base import Problem
from ..html import BORDER, MUTED, escape
from .message import Message, whole_number
from .view import Node

REQUIRED = "Required"
OPTIONAL = "Optional"
ASSUMED = "assumed"
ASSUMPTION = " (assumed: the specification does not say so)"
TEXT = "text"
COMBO = "combo"
SELECT = "select"
RADIO = "radio"
TICK = "tick"
LISTED = (SELECT, RADIO)
_COUNTED = re.compile(r"\b(\d+ digits|characters|hex digits)\b")
BOX = f"display:block;border:{BORDER};border-radius:4px;padding:3px 8px;overflow-wrap:anywhere"
_LISTED = 8  # maximum number of values in a hint
_SHOWN = 40  # maximum length of a value quoted in an error
_NARROW = 32  # characters that a field beside others can show

Options = Sequence[tuple[str, Any]]


def open_list(words: Sequence[str]) -> str:
    """The hint of an input whose list of values is only assumed."""
    examples = ", ".join(words[:_LISTED]) + ", …" * (len(words) > _LISTED)
    return f"Assumed: {examples}. You can type another value." if words else ""


class FormField(Node):
    """An input with the field name that problems use; `hint` is shown while it has no problem.

    `input` is one of text, combo (a list that accepts other values), select, radio, tick.
    Problems are shown after the field lost focus, was filled in by code, or was sent. A
    `private` value is masked after sending; a `lazy` field reports a change when it loses focus.
    """

    kind = "field"
    attributes = ("input", "label", "placeholder", "lazy", "hint", "errors", "warnings", "disabled")

    def __init__(  # noqa: PLR0913 - what it is called, what it holds, what it says
        self,
        name: str,
        label: str,
        input: str = TEXT,  # noqa: A002
        *,
        value: Any = None,
        options: Options = (),
        hint: str = "",
        placeholder: str = "",
    ) -> None:
        super().__init__()
        self.name = name
        self.label = label
        self.hint = hint
        self.input = input
        self.placeholder = placeholder
        self.private = False
        self.lazy = False
        self.options: list[tuple[str, Any]] = []
        self._value: Any = ("" if input != TICK else False) if value is None else value
        self.normal: Callable[[str], str] = str.strip
        self.required: bool | None = None
        self.assumed = False
        self.disabled = False
        self.touched = bool(value)
        self.typed = False
        self._masked = ""
        self.errors: list[str] = []
        self.warnings: list[str] = []
        self.on_change: Callable[[FormField], object] = lambda _: None
        self.on_leave: Callable[[], object] = lambda: None
        self._heard: dict[str, int] = {}
        if options:
            self.offer(options, preselect=input in LISTED and value is None)

    @property
    def value(self) -> Any:
        """The value of the input; text is normalised for the service."""
        return self._given()

    @value.setter
    def value(self, value: Any) -> None:
        """Set the value from code, and show its problems."""
        if self.put(value):
            self.on_change(self)

    def _given(self) -> Any:
        return self.normal(self._value) if isinstance(self._value, str) else self._value

    def put(self, value: Any) -> bool:
        """Set the value without calling `on_change`; return whether it changed."""
        self.touched = self.touched or value not in ("", None)
        self.typed = False
        return self.store(value)

    @property
    def entered(self) -> Any:
        """The value as it was typed or set."""
        return self._value

    def reset(self, value: Any) -> None:
        """Set a value as if nobody had touched the input."""
        self.put(value)
        self.touched = False

    def store(self, value: Any) -> bool:
        """Store a value; return whether it changed."""
        changed = value != self._value
        self._value = value
        return bool(changed)

    def offer(self, options: Options, wanted: Any = None, *, preselect: bool = True) -> None:
        """Set the options; keep the chosen value if possible, else use `wanted` or the first."""
        self.options = list(options)
        option_values = [value for _, value in options]
        if not preselect or self._value in option_values or (self.input == COMBO and self._value):
            return
        self.put(wanted if wanted in option_values else (option_values[0] if option_values else ""))

    def require(self, needed: bool | None, *, assumed: bool = False) -> None:
        """Mark it as required, optional, or neither; `assumed` when the spec does not say so."""
        self.required = needed
        self.assumed = assumed

    def say(self, problems: Iterable[Problem], warnings: Iterable[Problem] = ()) -> None:
        """Show errors and warnings below the input, or the hint if there are none."""
        self.errors = [wording(problem, self) for problem in problems]
        self.warnings = [wording(warning, self) for warning in warnings]

    @property
    def judged(self) -> bool:
        """Whether problems are shown: after it lost focus or a choice was made."""
        return self.touched or (self.input in LISTED and self._value not in ("", None))

    def shown(self) -> str:
        """The value as shown after sending; a private value is masked."""
        if self.input in LISTED:
            return next((text for text, value in self.options if value == self._value), "")
        text = str(self.value)
        if not self.private:
            return text
        return "•" * max(len(text) - 2, 2) + text[-2:] if len(text) > 4 else "•" * len(text)

    def lock(self, locked: bool) -> None:
        """Make the input read-only once it was sent; a private value is then shown masked."""
        self.disabled = locked
        self._masked = self.shown() if locked and self.private else ""

    def static(self) -> str:
        """The label and the value; what was typed in the browser is not saved in a notebook."""
        if self.input == TICK:
            sign = "☑" if self.entered else "☐"
            return f"<p>{sign} {escape(self.label)}</p>"
        text = "(typed, not saved)" if self.typed else self._masked or self.shown()
        label_html = f'<span style="{MUTED}">{escape(self.label)}: </span>'
        # Without styles, as in a notebook that is not trusted, the value follows its label.
        box = f'<span style="{BOX}">{escape(text)}&nbsp;</span>'
        style = "min-width:0;grid-column:1/-1" if self._is_wide() else "min-width:0"
        return f'<div style="{style}">{label_html}{box}</div>'

    def _is_wide(self) -> bool:
        """Whether it needs a row of its own: for a long choice, or a long value that was sent."""
        if self.input == SELECT:
            return any(len(text) > _NARROW for text, _ in self.options)
        return self.disabled and self.input != RADIO and len(str(self._value)) > _NARROW

    def props(self) -> dict[str, Any]:
        """The input, its label, its mark and the text below."""
        return {
            **super().props(),
            "value": self._place() if self.input in LISTED else self._masked or self._value,
            "options": [
                [text, str(value) if self.input == COMBO else ""] for text, value in self.options
            ],
            "required": bool(self.required),
            "wide": self._is_wide(),
            "mark": self._mark(),
            "hint": "" if self.disabled and self.input != TICK else self.hint,
            "heard": self._heard,
        }

    def receive(self, message: Message, buffers: Sequence[bytes]) -> None:
        """Receive what was typed or chosen, and the loss of focus."""
        act = message.get("kind")
        value = message.get("value")
        if self.disabled:
            return
        if act == "input":
            self._heard[str(message.get("view"))] = whole_number(message.get("n"))
            self._take(value)
        elif act == "leave" and not (self.touched and self._value == self.value):
            self.touched = True
            self._value = self.value
            if self.lazy:
                self.on_change(self)
            self.on_leave()

    def _take(self, given: Any) -> None:
        if self.input in LISTED:
            is_option = type(given) is int and 0 <= given < len(self.options)
            value = self.options[given][1] if is_option else self._value
        elif self.input == TICK:
            value = bool(given)
        else:
            value = given if isinstance(given, str) else self._value
        typed = self.input in (TEXT, COMBO)  # checked on blur, or while wrong
        self.typed = typed
        self.touched = not typed or bool(self.touched and (self.errors or self.warnings))
        if self.store(value) and not self.lazy:
            self.on_change(self)

    def _place(self) -> int:
        values = [value for _, value in self.options]
        return values.index(self._value) if self._value in values else -1

    def _mark(self) -> str:
        if self.disabled:
            return ""
        requirement_word = {None: "", True: REQUIRED, False: OPTIONAL}[self.required]
        return ", ".join(filter(None, [requirement_word, ASSUMED if self.assumed else ""]))


def wording(problem: Problem, field: FormField) -> str:
    """A problem as a sentence to show at its field."""
    message = problem.message
    mark = ASSUMPTION if is_assumed(problem) else ""
    if message in ("is required", "must not be blank"):
        return f"{REQUIRED}{mark}"
    if message.startswith("must be one of "):
        return f"Choose one of {message.removeprefix('must be one of ')}{mark}."
    if message.startswith("no "):
        return f"{message[:1].upper()}{message[1:]}{mark}."
    if not message.startswith("must be "):
        unit = f" in {message.rpartition(' in ')[2]}"
        return f"{field.label.removesuffix(unit)} {message}{mark}."
    requirement = message.removeprefix("must be ").removeprefix("exactly ")
    object_text = (
        requirement
        if requirement.startswith(("a ", "an "))
        else f"{_article(field.label)}: {requirement}"
    )
    return f"Enter {object_text}{mark}.{_entered(message, field)}"


def _entered(message: str, field: FormField) -> str:
    value = field.value
    if not isinstance(value, str) or not value:
        return ""
    if field.private or _COUNTED.search(message):
        return f" You entered {len(value)} character{'' if len(value) == 1 else 's'}."
    return f" You entered “{value if len(value) <= _SHOWN else value[:_SHOWN] + '…'}”."


def is_assumed(problem: Problem) -> bool:
    """Whether a problem comes from an assumption and not from the spec or the service."""
    return problem.source not in ("spec", "service", "check-digits")


def _article(label: str) -> str:
    word = label if label[1:2].isupper() else label[:1].lower() + label[1:]
    vowel = word[:1].lower() in "aeio"
    return f"{'an' if vowel else 'a'} {word}"
