"""What a notebook saves of a form or an inbox, hidden while the live one is shown."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import anywidget
from IPython.display import display

from ..html import notice

WIDGET = "application/vnd.jupyter.widget-view+json"
STATIC_CLASS = "paylab-static"
SAVED_LINE = notice("Saved output: it becomes live when its cell has run.")
"""The first line of what a notebook shows in place of a form, until its cell runs."""

# A live view hides its static text by its own style sheet. Without a kernel, the static text hides
# the notice that the widget was not found: only that notice is a direct child of its output.
STYLE_SHEET = f"""<style>
.jp-OutputArea:has(.{STATIC_CLASS}) .jp-OutputArea-child:has(> .jupyter-widgets) {{display:none}}
</style>"""


def static_html(content: str) -> str:
    """HTML that a saved notebook shows, hidden while the live widget is shown."""
    return f'{STYLE_SHEET}<div class="{STATIC_CLASS}">{content}</div>'


def display_with_static(widget: anywidget.AnyWidget, static: Mapping[str, str]) -> Any:
    """Display a widget and its static text as two outputs; return the handle of the text.

    If the widget is not found, Jupyter shows no other part of the same output.
    """
    display({WIDGET: widget_reference(widget)}, raw=True)  # type: ignore[no-untyped-call]
    return display(static, raw=True, display_id=True)  # type: ignore[no-untyped-call]


def widget_reference(widget: anywidget.AnyWidget) -> Any:
    """The part of a widget that a notebook contains: its id."""
    mime_bundle = anywidget.AnyWidget._repr_mimebundle_(widget)
    data_by_mime_type = mime_bundle[0] if isinstance(mime_bundle, tuple) else mime_bundle
    return (data_by_mime_type or {})[WIDGET]
