"""An assumption of paylab as a card."""

from __future__ import annotations

import re

from ..spec.assumptions import Assumption
from ..spec.assumptions.reference import key_names
from .html import card, column, escape, table_of_html
from .style import CODE_STYLE, MUTED

CODE_PATTERN = re.compile(r"`([^`]+)`")
"""Code in a text, as Markdown writes it."""


def assumption_card(assumption: Assumption) -> str:
    """One assumption as a card: its question, what is assumed, its origin and its keys."""
    return card(column(table_of_html([_assumption_row(assumption)])))


def _assumption_row(assumption: Assumption) -> tuple[str, str]:
    """The id of an assumption, and as HTML its question, what is assumed, and its keys."""
    question_html = _text_html(assumption.question)
    keys_html = ", ".join(_code_html(key_name) for key_name in key_names(assumption))
    html_parts = [
        f'<div style="font-weight:600">{question_html}</div>' if question_html else "",
        f"<div>{_text_html(assumption.assumed)}</div>",
        f'<div style="{MUTED}">Origin: {escape(assumption.origin)}'
        + (f" &ensp;Keys: {keys_html}" if keys_html else "")
        + "</div>",
    ]
    return assumption.id, "".join(html_parts)


def _text_html(text: str) -> str:
    """A text as HTML, with its code as code."""
    text_pieces = CODE_PATTERN.split(text)
    return "".join(
        _code_html(text_piece) if index % 2 else escape(text_piece)
        for index, text_piece in enumerate(text_pieces)
    )


def _code_html(code: str) -> str:
    """Code as HTML, which may be broken."""
    return f'<code style="{CODE_STYLE};white-space:normal">{escape(code)}</code>'
