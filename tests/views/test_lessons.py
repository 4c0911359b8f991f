"""Forms, cards, statuses, tables and charts look as in the lessons, whose outputs are stored."""

from __future__ import annotations

import ast
import json
from pathlib import Path

import pytest

import paylab
from paylab.client.call import Call
from paylab.lab import displays
from paylab.views import charts
from paylab.views.chart_style import MIME, Chart
from paylab.views.forms.live import LiveStatus
from paylab.views.forms.view import FormPage

LESSONS = Path(__file__).parents[2] / "notebooks"


def cells(name):
    """The source and the stored outputs of each code cell."""
    (path,) = LESSONS.glob(f"{name}_*.ipynb")
    for cell in json.loads(path.read_text("utf-8"))["cells"]:
        if cell["cell_type"] == "code":
            yield "".join(cell["source"]), [each.get("data", {}) for each in cell["outputs"]]


def run(source, names):
    """Run a cell; return the value of its last expression, if it ends with one."""
    *body, last = ast.parse(source).body
    if not isinstance(last, ast.Expr):
        body.append(last)
    exec(compile(ast.Module(body, []), "cell", "exec"), names)
    if isinstance(last, ast.Expr):
        return eval(compile(ast.Expression(last.value), "cell", "eval"), names)
    return None


def html(value):
    """The HTML of a value, as a notebook stores it."""
    if isinstance(value, FormPage):
        return value.static_bundle()["text/html"]
    if hasattr(value, "_repr_mimebundle_"):
        return value._repr_mimebundle_()["text/html"]
    return displays.show(value)


@pytest.mark.parametrize("name", ["00", "10", "40", "45"])
def test_a_lesson_looks_as_stored(name, tmp_path, monkeypatch):
    """Each value that a cell shows has the stored HTML, or the stored drawing, at the end."""
    monkeypatch.chdir(tmp_path)
    names, shown = {}, []
    for source, outputs in cells(name):
        value = run(source, names)
        visible = [data for data in outputs if "text/html" in data or MIME in data]
        if isinstance(value, FormPage | Chart):
            shown += [(value, data) for data in visible]
        elif value is not None and not isinstance(value, Call):  # its number counts those of a page
            assert [html(value) for _ in visible] == [
                "".join(data["text/html"]) for data in visible
            ]
        for status in [one for one, _ in shown if isinstance(one, LiveStatus)]:
            status._refresh_after_cell()  # as after each cell of a notebook
    for value, data in shown:
        if isinstance(value, Chart):
            assert value.spec == data[MIME]
        else:
            assert html(value) == "".join(data["text/html"])


def test_times_to_completion_are_drawn_as_stored():
    """The chart of the lesson on transfers, whose other cells take longer, is the stored one."""
    [stored] = [data[MIME] for _, outputs in cells("30") for data in outputs if MIME in data]
    assert charts.completion(paylab.connect().transfers.frame()).spec == stored
