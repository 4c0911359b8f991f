"""The fields of a form, and the Python code that does the same as a form."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from ipywidgets import HTML, VBox

from ...errors import Problem
from .. import html
from ..html import BORDER, MONO, MUTED, PANEL, badge, escape

_ERROR = "color:var(--jp-error-color1, #d32f2f)"
_WARN = "color:var(--jp-warn-color0, #b26a00)"
_GOOD = "color:var(--jp-success-color1, #2e7d32)"

FORM = "paylab-form"
GRID = "paylab-grid"
STATIC = "paylab-static"

# Labels stand above their inputs, so that nothing is cut off however narrow the page.
SHEET = f"""<style>
.{FORM} {{box-sizing:border-box;max-width:880px;width:100%;margin:4px 0;padding:16px;
  border:{BORDER};border-radius:8px;overflow:visible;font-size:14px;line-height:1.45;
  color:var(--jp-ui-font-color1, inherit)}}
.{FORM} .{FORM} {{border:0;padding:0;margin:0}}
.{FORM} .{GRID} {{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,240px),1fr));
  gap:4px 20px;width:100%;overflow:visible;align-items:start}}
.{FORM} .widget-inline-hbox {{flex-direction:column;align-items:stretch;height:auto;width:auto;
  margin:2px 0;overflow:visible}}
.{FORM} .widget-inline-hbox .widget-label {{width:auto;max-width:none;text-align:left;height:auto;
  line-height:1.4;white-space:normal;overflow:visible;margin:0 0 2px}}
.{FORM} .widget-inline-hbox input[type=text],.{FORM} .widget-inline-hbox select {{flex:none;
  width:100%;height:30px;box-sizing:border-box}}
.{FORM} .widget-inline-hbox input[type=text] {{padding:4px 8px}}
.{FORM} .widget-inline-hbox.widget-checkbox {{flex-direction:row;margin:8px 0 2px}}
.{FORM} .widget-checkbox input {{flex:none;width:auto;margin-right:8px}}
.{FORM} .widget-checkbox,.{FORM} .widget-radio,.{FORM} .widget-radio-box,
.{FORM} .widget-radio-box label
  {{width:auto;height:auto;overflow:visible}}
.{FORM} .widget-checkbox .widget-label-basic {{height:auto;white-space:normal;overflow:visible;
  align-items:flex-start;line-height:1.4}}
.{FORM} .widget-radio-box label {{display:flex;flex-flow:row-reverse;justify-content:flex-end;
  align-items:flex-start;gap:8px;white-space:normal;line-height:1.5;margin:2px 0}}
.{FORM} .widget-radio-box input {{flex:none;float:none;height:auto;margin:4px 0 0}}
.{FORM} .widget-html,.{FORM} .widget-html-content {{width:auto;height:auto;overflow:visible;
  line-height:1.45;white-space:normal;overflow-wrap:anywhere;font-size:inherit}}
.{FORM} .widget-html {{margin:0}}
.{FORM} .widget-html-content {{flex:1 1 100%;min-width:0}}
.{FORM} .widget-button,.{FORM} .widget-toggle-button,
.{FORM} .widget-upload {{width:auto;min-width:0;max-width:100%;
  height:auto;min-height:32px;white-space:normal;overflow:visible;padding:4px 14px;
  line-height:1.4}}
.{FORM} > .widget-button {{align-self:flex-start;margin:4px 0}}
.{FORM} .widget-button:focus-visible,.{FORM} .widget-toggle-button:focus-visible,
.{FORM} input:focus-visible,.{FORM} select:focus-visible
  {{outline:2px solid var(--jp-brand-color1, #1976d2);outline-offset:1px}}
.{FORM} .widget-box {{overflow:visible}}
.{FORM} .paylab-actions {{display:flex;flex-flow:row wrap;gap:4px;margin:8px 0 0}}
.{FORM} .paylab-error {{{_ERROR};font-size:13px}}
.{FORM} .paylab-warning {{{_WARN};font-size:13px}}
.{FORM} .paylab-hint {{{MUTED};font-size:12px}}
.{FORM} .paylab-good {{{_GOOD}}}
.{FORM} .paylab-head {{font-size:16px;font-weight:600;margin:0 0 8px}}
.{FORM} .paylab-step .paylab-head {{display:none}}
.{FORM} .paylab-part .paylab-hint {{font-weight:400;margin-left:4px}}
.{FORM} .paylab-part {{font-weight:600;margin:12px 0 2px}}
.{FORM} pre {{{MONO};{PANEL};font-size:12px;line-height:1.5;margin:6px 0 0;padding:8px 10px;
  overflow-x:auto;white-space:pre}}
.{FORM} .paylab-states {{display:flex;flex-wrap:wrap;gap:6px;margin:6px 0;padding:0;
  list-style:none}}
.{FORM} .paylab-states li {{border:{BORDER};border-radius:12px;padding:1px 10px;
  font-size:13px;{MUTED}}}
.{FORM} .paylab-states li[aria-current] {{color:#fff;background:#1565c0;
  border-color:#1565c0;font-weight:600}}
.jp-OutputArea:has(.{FORM}) .{STATIC} {{display:none}}
.jp-OutputArea:has(.{STATIC}) .jp-OutputArea-child:has(> .jupyter-widgets) {{display:none}}
</style>"""
# The last two rules: what is kept for readers hides behind the living form, and once the
# form is gone, the notice that it is gone hides behind what was kept: it alone makes an
# output itself a widget, where a living one stands inside its output.


def stylesheet(title: str, where: str = "") -> str:
    """The style sheet, and the line a form begins with; `where` names the service."""
    head = f"{escape(title)} {badge(where)}".rstrip()
    return f'{SHEET}<div class="paylab-head" role="heading">{head}</div>'


OPTIONAL = " (optional)"
SIGNS = {"error": "✗ ", "warning": "⚠ ", "hint": ""}


class FormField:
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
    return f'<div class="paylab-{kind}" role="status">{SIGNS[kind]}{html.escape(text)}</div>'


WIDTH = 88
INDENT = "    "


class Expression(str):
    """Text that stands in code as it is: a name or a call, no literal."""

    __slots__ = ()


def call(function: str, arguments: Mapping[str, object], *positional: object, to: str = "") -> str:
    """`to = function(positional, name=value)`, over several lines where one is too long."""
    given = [literal(value) for value in positional]
    given += [f"{name}={literal(value)}" for name, value in arguments.items()]
    begin = f"{to} = {function}" if to else function
    line = f"{begin}({', '.join(given)})"
    if len(line) <= WIDTH:
        return line
    broken = [literal(value, broken=True) for value in positional]
    broken += [f"{name}={literal(value, broken=True)}" for name, value in arguments.items()]
    return "\n".join([f"{begin}(", *(f"{INDENT}{argument}," for argument in broken), ")"])


def literal(value: object, *, broken: bool = False) -> str:
    """A value as Python source; broken, a long object has an entry a line."""
    if isinstance(value, Expression) or not isinstance(value, str | Mapping | list):
        return str(value) if isinstance(value, Expression) else repr(value)
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, list):
        return f"[{', '.join(map(literal, value))}]"
    entries = [f"{literal(key)}: {literal(one)}" for key, one in value.items()]
    line = f"{{{', '.join(entries)}}}"
    if not broken or len(line) <= WIDTH - 2 * len(INDENT):
        return line
    return "\n".join(["{", *(f"{INDENT * 2}{entry}," for entry in entries), f"{INDENT}}}"])


# Function and result; the id it is given is the person's, or the conversion account's.
CALLS = {
    "person": ("lab.individuals.get", "person"),
    "images": ("lab.individuals.images", "images"),
    "verification": ("lab.individuals.wait", "person"),
    "account": ("lab.conversion_accounts.get", "account"),
}
WALLET = 'wallet = next(one for one in person.financial_accounts if one.type == "crypto_wallet")'


def looking_up(step: str, of: str | None) -> str:
    """The call for a step; empty as long as there is nothing to ask about."""
    if of is None:
        return ""
    if step in CALLS:
        function, to = CALLS[step]
        return call(function, {}, of, to=to)
    if step == "wallet":
        return WALLET
    waited = call("lab.conversions.wait", {"conversion_account_id": of}, to="conversion")
    return waited if step == "conversion" else f"{waited}\ndeposit = conversion.deposit"
