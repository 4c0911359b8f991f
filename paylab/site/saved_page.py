"""A lesson as a page that runs nothing: its text, its code and its saved outputs.

The page of a notebook shows it until the notebook itself can run.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from html import escape
from pathlib import Path

from ..errors.extras import extra_imports
from ..spec.text import JsonMapping
from .page import JsonObject

TEMPLATE = Path(__file__).with_name("saved_page.html")
OPENING = Path(__file__).with_name("opening.html")
OPENING_SCRIPT = Path(__file__).with_name("opening.js")
"""What shows the saved page in the page of its notebook, and what replaces it."""

MIME_TYPES = ("text/html", "text/markdown", "image/svg+xml", "image/png", "text/plain")
"""What a page can show of an output, the preferred one first."""

CHART = "application/vnd.vegalite.v5+json"
CHART_SCALE = 1.5
"""Pixels of a chart's picture for a pixel of a page, as `PNG_SCALE` of the views says."""

HANDLER = re.compile(r"""\son\w+=(?:"[^"]*"|'[^']*')""")
"""A script of a button in an output, which the page would not run."""


def saved_page(name: str, notebook: JsonMapping) -> str:
    """The HTML of a notebook, whose texts are whole, as those of a lesson for a page are."""
    cells = "\n".join(map(_cell_html, notebook["cells"]))
    page = TEMPLATE.read_text(encoding="utf-8")
    return page.replace("<!-- name -->", escape(name)).replace("<!-- cells -->", cells)


def show_saved(page: str, lesson_files: Iterable[str]) -> str:
    """A page of JupyterLite that shows the saved page of its lesson first."""
    opening = OPENING.read_text(encoding="utf-8")
    opening = opening.replace("<!-- lessons -->", escape(" ".join(lesson_files)))
    opening = opening.replace("<!-- script -->", OPENING_SCRIPT.read_text(encoding="utf-8"))
    page = page.replace("<html>", '<html lang="en">', 1)
    return re.sub(r"<body[^>]*>", lambda body: f"{body[0]}\n{opening}", page, count=1)


def _cell_html(cell: JsonMapping) -> str:
    if cell["cell_type"] != "code":
        text = f'<div class="jp-MarkdownOutput">{_markdown_html(cell["source"])}</div>'
        return f'<div class="jp-Cell">{_row_html(text)}</div>'
    prompt = f"[{cell['execution_count'] or ' '}]:"
    code = f'<pre class="jp-Editor">{"".join(_highlight(cell["source"]))}</pre>'
    outputs = "".join(_output_html(output, prompt) for output in cell["outputs"])
    area = outputs and f'<div class="jp-OutputArea">{outputs}</div>'
    return f'<div class="jp-Cell">{_row_html(code, prompt)}{area}</div>'


def _row_html(content: str, prompt: str = "") -> str:
    """A part of a cell beside its prompt."""
    return f'<div class="row"><div class="jp-Prompt">{escape(prompt)}</div>{content}</div>'


def _output_html(output: JsonObject, prompt: str) -> str:
    """An output as JupyterLab shows it, beside its prompt if it is the result of its cell."""
    if output["output_type"] == "stream":
        return _row_html(_text_html(output["text"]))
    if output["output_type"] == "error":
        return _row_html(_text_html("\n".join(output["traceback"]), "jp-Error"))
    if output["output_type"] == "execute_result":
        return _row_html(_data_html(output["data"], "jp-Result"), prompt)
    return _row_html(_data_html(output["data"]))


def _data_html(data: JsonMapping, text_kind: str = "") -> str:
    """The first form of an output that a page can show; empty if there is none."""
    mime_type = next((mime_type for mime_type in MIME_TYPES if mime_type in data), "")
    content = data.get(mime_type, "")
    if mime_type == "text/html":
        return f'<div class="jp-Rendered">{HANDLER.sub(" disabled", content)}</div>'
    if mime_type == "text/markdown":
        return _markdown_html(content)
    if mime_type == "text/plain":
        return _text_html(content, text_kind)
    if mime_type == "image/png":
        scale = CHART_SCALE if CHART in data else 1
        image = f"data:image/png;base64,{escape(content.strip())} {scale}x"
        return f'<div><img alt="{escape(data["text/plain"])}" srcset="{image}"></div>'
    return f"<div>{content}</div>"


def _text_html(text: str, kind: str = "") -> str:
    return f'<pre class="jp-Text {kind}">{escape(text)}</pre>'


def _markdown_html(text: str) -> str:
    with extra_imports():
        import mistune
    html = mistune.create_markdown(plugins=["strikethrough", "table", "url"])(text)
    return f'<div class="jp-Rendered jp-Markdown">{html}</div>'


def _highlight(code: str) -> Iterator[str]:
    """Code with the colours of JupyterLab's editor."""
    with extra_imports():
        from pygments.lexers.python import PythonLexer
        from pygments.token import Comment, Keyword, Name, Number, Operator, String
    is_attribute = False
    for token, text in PythonLexer(stripnl=False, ensurenl=False).get_tokens(code):
        kinds = {Comment: "comment", Keyword: "keyword", Number: "number", String: "string"}
        kinds |= {Name.Builtin: "builtin", Name.Class: "def", Name.Function: "def"}
        kind = next((kinds[parent] for parent in token.split() if parent in kinds), "")
        if token is Operator.Word:
            kind = "keyword"
        elif token is Operator and text != ".":
            kind = "operator"
        elif token is Name and is_attribute:
            kind = "property"
        is_attribute = text == "."
        yield f'<span class="{kind}">{escape(text)}</span>' if kind else escape(text)
