"""The first page of a site: a card for each lesson, and what a page can and cannot do."""

from __future__ import annotations

import json
from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import NamedTuple

from ..spec.text import JsonMapping
from .lessons import LESSONS, NOT_IN_PAGE, notebooks_folder

TEMPLATE = Path(__file__).with_name("index.html")


class SiteFacts(NamedTuple):
    """The facts of a site for its first page."""

    runtime: str
    """The address of the runtime, or empty if it is part of the site."""
    has_frames: bool
    base: str = ""
    """The path of the site, if it is known."""


def index_page(lessons: Sequence[Path], facts: SiteFacts) -> str:
    """The HTML of the first page."""
    cards_html = "\n".join(_write_card(lesson_path) for lesson_path in lessons)
    other_lessons_html = "\n".join(
        f"<li><strong>{escape(_read_title(stem))}</strong> ({escape(stem)}): {escape(reason)}</li>"
        for stem, reason in NOT_IN_PAGE.items()
    )
    base_html = f'<base href="{escape(facts.base)}">' if facts.base else ""
    html_by_name = {"base": base_html, "cards": cards_html, "others": other_lessons_html}
    html_by_name |= {"runtime": _runtime_sentence(facts), "frames": _frames_sentence(facts)}
    page_html = TEMPLATE.read_text(encoding="utf-8")
    for part_name, part_html in html_by_name.items():
        page_html = page_html.replace(f"<!-- {part_name} -->", part_html)
    return page_html


def read_title(notebook: JsonMapping) -> str:
    """The heading of a notebook."""
    first_cell_text = "".join(notebook["cells"][0]["source"])
    return first_cell_text.partition("\n")[0].lstrip("# ")


def _read_title(stem: str) -> str:
    """The heading of the notebook whose file has this name, without its suffix."""
    notebook_path = notebooks_folder() / f"{stem}.ipynb"
    return read_title(json.loads(notebook_path.read_text(encoding="utf-8")))


def _write_card(notebook_path: Path) -> str:
    """The card of a lesson: its name, what it shows and how long it takes."""
    lesson = LESSONS.get(notebook_path.stem)
    details_html = ""
    if lesson is not None:
        details_html = f"<p>{escape(lesson.shows)}</p><p class=time>{lesson.minutes} minutes</p>"
    lesson_number = notebook_path.stem.partition("_")[0]
    return (
        f'<li><a href="notebooks/index.html?path={escape(notebook_path.name)}">'
        f"<span class=number>{escape(lesson_number)}</span>"
        f"<h2>{escape(_read_title(notebook_path.stem))}</h2>{details_html}</a></li>"
    )


def _runtime_sentence(facts: SiteFacts) -> str:
    """The sentence on where Python is loaded from, as HTML."""
    if not facts.runtime:
        return "Python itself (Pyodide) is part of this site: nothing is loaded from elsewhere."
    address_html = escape(facts.runtime)
    return f"Python itself (Pyodide) is loaded from {address_html}; all else is part of this site."


def _frames_sentence(facts: SiteFacts) -> str:
    """The sentence on whether cells with frames run."""
    if facts.has_frames:
        return "Frames are live: pandas and pyarrow are loaded by the first cell that uses them."
    return "This site has no pandas: cells with frames and charts show their saved outputs."
