"""The assumptions of paylab as a card: an area is a line, which opens on click."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import groupby
from operator import attrgetter

from ..spec.assumptions import ALL, SCENARIOS, Assumption, markdown
from ..spec.assumptions.reference import key_names
from .html import card, collapsible_block, column, escape, grid, heading, plural, table_of_html
from .style import CODE_STYLE, MUTED

CODE_PATTERN = re.compile(r"`([^`]+)`")
"""Code in a text, as Markdown writes it."""

INTRODUCTION = (
    "Where the specification is silent, paylab assumes an answer; set its keys to change it. The "
    "origin is spec (it answers the question after all), public (a description of this kind of "
    "service says so) or chosen by paylab."
)


@dataclass(frozen=True)
class ReferenceCard:
    """A card for a notebook; as text it is Markdown."""

    title: str
    blocks: Sequence[str] = field(repr=False)
    text: str = field(repr=False)

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        """The card for Jupyter, by MIME type."""
        introduction_html = f'<div style="{MUTED}">{escape(INTRODUCTION)}</div>'
        card_html = card(column(heading(self.title), introduction_html, *self.blocks))
        return {"text/html": card_html, "text/plain": self.text}


def assumptions() -> ReferenceCard:
    """All assumptions by area, and the simulated outcomes.

    >>> from paylab.views import reference
    >>> reference.assumptions()
    ReferenceCard(title='...')
    """
    html_blocks = []
    for area_name, area_group in groupby(ALL, attrgetter("area")):
        area_assumptions = list(area_group)
        table_html = table_of_html(map(_assumption_row, area_assumptions))
        html_blocks.append(
            collapsible_block(area_name, table_html, plural(len(area_assumptions), "row"))
        )
    outcome_rows = [
        (scenario.where, scenario.value or "an empty text", scenario.outcome.replace("`", ""))
        for scenario in SCENARIOS
    ]
    grid_html = grid(("Where", "Value", "Outcome"), outcome_rows, row_max=len(outcome_rows))
    html_blocks.append(
        collapsible_block("Simulated outcomes", grid_html, plural(len(outcome_rows), "row"))
    )
    return ReferenceCard(plural(len(ALL), "assumption"), html_blocks, markdown())


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
