"""The pages of saved outputs, which a visitor sees until a notebook runs."""

import re

import pytest

from paylab.site.lessons import choose_lessons, lesson_for_page
from paylab.site.saved_page import CHART, CHART_SCALE, saved_page, show_saved
from paylab.views import chart_program, chart_style

PIXEL = "iVBORw0KGgo="


def page_of(*outputs, source="1"):
    """The page of a notebook with one cell of code."""
    cell = {"cell_type": "code", "source": source, "execution_count": 7, "outputs": [*outputs]}
    return saved_page("a & b", {"cells": [cell]})


def result(**data):
    """The result of a cell."""
    data = {name.replace("_", "/"): content for name, content in data.items()}
    return {"output_type": "execute_result", "data": data}


@pytest.mark.parametrize("path", choose_lessons([]), ids=lambda path: path.stem)
def test_a_page_has_every_cell_with_its_code_and_no_script(path):
    """Also those without outputs; buttons that would run a script are disabled."""
    lesson = lesson_for_page(path, has_frames=False)
    page = saved_page(path.stem, lesson)
    assert page.count('class="jp-Cell"') == len(lesson["cells"])
    codes = [cell["source"] for cell in lesson["cells"] if cell["cell_type"] == "code"]
    shown = re.findall(r'<pre class="jp-Editor">(.*?)</pre>', page, re.DOTALL)
    assert [re.sub(r"<[^>]*>|\s|&[#\w]+;", "", code) for code in shown] == [
        re.sub(r"""\s|[<>&"']""", "", code) for code in codes
    ]
    assert "<script" not in page
    assert not re.search(r"<[^>]*\son\w+=", page)


def test_a_link_to_a_lesson_opens_its_page():
    """A lesson in the pages has the address of its page; one that is not there is no link."""
    [path] = choose_lessons(["40"])
    page = saved_page(path.stem, lesson_for_page(path, has_frames=True))
    assert 'href="../notebooks/index.html?path=45_offramp.ipynb" target="_top"' in page
    page = saved_page(path.stem, lesson_for_page(path, has_frames=True, stems=["40_payouts"]))
    assert "45_offramp" in page
    assert 'href="../notebooks/index.html' not in page
    [path] = choose_lessons(["50"])
    page = saved_page(path.stem, lesson_for_page(path, has_frames=True))
    assert "Next: 55_your_backend puts" in page


def test_a_table_that_scrolls_can_have_the_focus():
    """Without it, a keyboard cannot reach the columns of a table that is wider than its page."""
    cells = [
        {"cell_type": "markdown", "source": source}
        for source in ("Only words.", "| a | b |\n|---|---|\n| 1 | 2 |")
    ]
    page = saved_page("planted", {"cells": cells})
    assert page.count('<div class="jp-MarkdownOutput" tabindex="0">') == 1


@pytest.mark.parametrize(
    ("output", "html"),
    [
        ({"output_type": "stream", "text": "a < b\n"}, "a &lt; b\n</pre>"),
        ({"output_type": "error", "traceback": ["E: <b>", "why"]}, "E: &lt;b&gt;\nwhy</pre>"),
        (result(text_plain="'<i>'"), "&#x27;&lt;i&gt;&#x27;</pre>"),
        (result(text_plain="no", text_html="<i>yes</i>"), "<i>yes</i></div>"),
        (result(text_markdown="*yes* <b>"), "<em>yes</em> &lt;b&gt;</p>"),
        (
            result(text_plain="a <dot>", image_png=PIXEL),
            'alt="a &lt;dot&gt;" srcset="data:image/png',
        ),
        (result(text_html='<button onclick="f(1)">ok</button>'), "<button disabled>ok</button>"),
        (result(text_html="<a onclick='f()'>ok</a>"), "<a disabled>ok</a>"),
    ],
)
def test_an_output_is_shown_in_its_best_form_and_text_is_escaped(output, html):
    """HTML of outputs is what paylab has written; all else is text."""
    assert html in page_of(output)


def test_a_result_has_the_number_of_its_cell_and_other_outputs_have_none():
    """As in JupyterLab."""
    stream = {"output_type": "stream", "text": "x"}
    assert page_of(stream).count("[7]:") == 1
    assert page_of(result(text_plain="x")).count("[7]:") == 2
    assert page_of({"output_type": "display_data", "data": {CHART: {}}}).count("[7]:") == 1


def test_a_chart_is_as_large_as_the_live_one():
    """Its picture has more pixels than it takes in a page."""
    assert CHART == chart_style.MIME
    assert CHART_SCALE == chart_program.PNG_SCALE
    chart = {**result(text_plain="a chart", image_png=PIXEL)["data"], CHART: {}}
    page = page_of({"output_type": "execute_result", "data": chart})
    assert f'{PIXEL} {CHART_SCALE}x"' in page


def test_code_has_the_colours_of_the_editor():
    """Keywords, attributes, texts, numbers and comments; other names have none."""
    page = page_of(source='for name in lab.all("a", 1):  # why')
    parts = re.findall(r'<span class="(\w+)">([^<]*)</span>', page)
    assert parts == [
        ("keyword", "for"),
        ("keyword", "in"),
        ("property", "all"),
        ("string", "&quot;"),
        ("string", "a"),
        ("string", "&quot;"),
        ("number", "1"),
        ("comment", "# why"),
    ]


def test_a_page_of_a_notebook_knows_which_notebooks_have_saved_outputs():
    """Its body begins with them, and its language is English."""
    page = show_saved('<html>\n<body class="x">\n<p>', ["a.ipynb", "b.ipynb"])
    assert page.startswith('<html lang="en">\n<body class="x">\n')
    assert 'data-lessons="a.ipynb b.ipynb"' in page
    assert page.endswith("<p>")
    assert "// Shows the saved outputs" in page
