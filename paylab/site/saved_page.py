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

LESSON_LINK = re.compile(r'href="(\w+\.ipynb)"')
"""A link to another lesson, whose page has another address than its file."""

HANDLER = re.compile(r"""\son\w+=(?:"[^"]*"|'[^']*')""")
"""A script of a button in an output, which the page would not run."""


def saved_page(name: str, notebook: JsonMapping) -> str:
    """The page of a notebook as HTML. The texts of its cells must be whole, not lists of lines."""
    cells_html = "\n".join(map(_cell_html, notebook["cells"]))
    page_html = TEMPLATE.read_text(encoding="utf-8").replace("<!-- name -->", escape(name))
    return page_html.replace("<!-- cells -->", cells_html)


def show_saved(page: str, lesson_files: Iterable[str]) -> str:
    """A page of JupyterLite that shows the saved page of its lesson first."""
    opening_html = OPENING.read_text(encoding="utf-8")
    opening_html = opening_html.replace("<!-- lessons -->", escape(" ".join(lesson_files)))
    script_text = OPENING_SCRIPT.read_text(encoding="utf-8")
    opening_html = opening_html.replace("<!-- script -->", script_text)
    page = page.replace("<html>", '<html lang="en">', 1)
    return re.sub(
        r"<body[^>]*>", lambda body_match: f"{body_match[0]}\n{opening_html}", page, count=1
    )


def _cell_html(cell: JsonMapping) -> str:
    """A cell as JupyterLab shows it: its text, or its code and the outputs below it."""
    if cell["cell_type"] != "code":
        markdown_html = _markdown_html(cell["source"])
        # A table scrolls on a narrow page: with the focus, arrow keys do it.
        focus_attribute = ' tabindex="0"' if "<table" in markdown_html else ""
        text_html = f'<div class="jp-MarkdownOutput"{focus_attribute}>{markdown_html}</div>'
        return f'<div class="jp-Cell">{_row_html(text_html)}</div>'
    prompt_text = f"[{cell['execution_count'] or ' '}]:"
    code_html = f'<pre class="jp-Editor">{"".join(_highlight(cell["source"]))}</pre>'
    outputs_html = "".join(_output_html(output, prompt_text) for output in cell["outputs"])
    area_html = f'<div class="jp-OutputArea">{outputs_html}</div>' if outputs_html else ""
    return f'<div class="jp-Cell">{_row_html(code_html, prompt_text)}{area_html}</div>'


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


def _data_html(data: JsonMapping, text_class: str = "") -> str:
    """The first form of an output that a page can show; an empty box if there is none.

    `data` has the forms by MIME type, and `text_class` is the style class of plain text.
    """
    mime_type = next((mime_type for mime_type in MIME_TYPES if mime_type in data), "")
    content = data.get(mime_type, "")
    if mime_type == "text/html":
        return f'<div class="jp-Rendered">{HANDLER.sub(" disabled", content)}</div>'
    if mime_type == "text/markdown":
        return _markdown_html(content)
    if mime_type == "text/plain":
        return _text_html(content, text_class)
    if mime_type == "image/png":
        scale = CHART_SCALE if CHART in data else 1
        image_source = f"data:image/png;base64,{escape(content.strip())} {scale}x"
        return f'<div><img alt="{escape(data["text/plain"])}" srcset="{image_source}"></div>'
    return f"<div>{content}</div>"


def _text_html(text: str, style_class: str = "") -> str:
    """Preformatted text; an error and a result have a style class of their own."""
    return f'<pre class="jp-Text {style_class}">{escape(text)}</pre>'


def _markdown_html(text: str) -> str:
    """A text in Markdown as HTML."""
    with extra_imports():
        import mistune
    markdown_html = mistune.create_markdown(plugins=["strikethrough", "table", "url"])(text)
    markdown_html = LESSON_LINK.sub(
        r'href="../notebooks/index.html?path=\1" target="_top"', str(markdown_html)
    )
    return f'<div class="jp-Rendered jp-Markdown">{markdown_html}</div>'


def _highlight(code: str) -> Iterator[str]:
    """Yield the tokens of some code as HTML, with the style classes of JupyterLab's editor."""
    with extra_imports():
        from pygments.lexers.python import PythonLexer
        from pygments.token import Comment, Keyword, Name, Number, Operator, String
    is_attribute = False
    for token, token_text in PythonLexer(stripnl=False, ensurenl=False).get_tokens(code):
        kind_by_token = {Comment: "comment", Keyword: "keyword", Number: "number", String: "string"}
        kind_by_token |= {Name.Builtin: "builtin", Name.Class: "def", Name.Function: "def"}
        token_kinds = [kind_by_token[parent] for parent in token.split() if parent in kind_by_token]
        token_kind = token_kinds[0] if token_kinds else ""
        if token is Operator.Word:
            token_kind = "keyword"
        elif token is Operator and token_text != ".":
            token_kind = "operator"
        elif token is Name and is_attribute:
            token_kind = "property"
        is_attribute = token_text == "."
        token_html = escape(token_text)
        yield f'<span class="{token_kind}">{token_html}</span>' if token_kind else token_html
