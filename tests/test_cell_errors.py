"""The card of an error in a notebook says which line of the cell failed."""

import linecache
from collections.abc import Iterator

import pytest

import paylab

FILE_NAME = "a cell of a test"


@pytest.fixture
def run_cell() -> Iterator[object]:
    """Runs a cell as IPython does, and gives the lines that it shows of its error."""

    def run(cell: str) -> list[str]:
        linecache.cache[FILE_NAME] = (len(cell), None, cell.splitlines(keepends=True), FILE_NAME)
        names = {"__name__": "__main__", "lab": paylab.connect()}
        with pytest.raises((paylab.PaylabError, AttributeError)) as caught:
            exec(compile(cell, FILE_NAME, "exec"), names)
        return caught.value._render_traceback_()  # IPython's name

    yield run
    linecache.cache.pop(FILE_NAME, None)


@pytest.mark.parametrize(
    ("cell", "shown"),
    [
        ("x = 1\n\ny = lab.individuals.get(\n    'x')", "  Line 3: y = lab.individuals.get(…)"),
        ("def read():\n    lab.individuals.get('x')\n\nread()", "  Line 2: lab.individuals.get(…)"),
        ("x = 1\nx = {'key': lab.ready()}", "  Line 2: x = {…"),
        ("x = 1\nlab.readyy", "  Line 2: lab.readyy"),
    ],
)
def test_the_card_names_the_line_and_shows_no_argument(run_cell, cell, shown):
    assert run_cell(cell)[-2] == shown


def test_a_cell_of_one_line_needs_no_line(run_cell):
    assert not any("Line" in line for line in run_cell("lab.individuals.get('x')"))
