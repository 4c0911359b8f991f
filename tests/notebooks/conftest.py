"""Notebooks that run in the test process."""

from __future__ import annotations

import re
from pathlib import Path

import nbformat
import pytest
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output

import paylab

FOLDER = Path(__file__).parent.parent.parent / "notebooks"
ABSENT = {403, 404, 405, 410, 501}


def is_missing(error):
    """Whether an error says that the service has no such operation."""
    return isinstance(error, paylab.MissingOperationError) or (
        isinstance(error, paylab.APIStatusError) and error.status in ABSENT
    )


@pytest.fixture
def new_shell(tmp_path, monkeypatch):
    """Makes a shell as a kernel has it, with a folder of its own."""

    def made():
        InteractiveShell.clear_instance()
        shell = InteractiveShell.instance(colors="nocolor", cache_size=0)
        shell.history_manager.enabled = False  # no thread that outlives the shell
        shell.kernel = None  # what tells a notebook from a terminal
        return shell

    monkeypatch.chdir(tmp_path)
    # For lessons that run pytest: plugins of other tests would double the time of its start.
    others = ("anyio", "hypothesispytest", "nbval", "schemathesis")
    monkeypatch.setenv("PYTEST_ADDOPTS", " ".join(f"-p no:{name}" for name in others))
    yield made
    InteractiveShell.clear_instance()


@pytest.fixture
def run(new_shell, monkeypatch):
    """Run the code cells of a notebook in this process; an error is a failure."""

    def execute(name, server):
        for variable, value in server.environment.items():
            monkeypatch.setenv(variable, value)
        (path,) = FOLDER.glob(f"{name}_*.ipynb")
        return list(lesson(new_shell(), nbformat.read(path, 4).cells))

    def lesson(shell, cells):
        """What the cells show; a missing operation leads to the section that the text names."""
        section, wanted = "", None
        for cell in cells:
            if cell.cell_type == "markdown":
                named = re.search(r"go on with section (\d+)", cell.source.replace("\n", " "))
                section = named[1] if named else section
                headings = re.findall(r"^## (\d+)\.", cell.source, re.MULTILINE)
                wanted = None if wanted in headings else wanted
            elif wanted is None:
                source = cell.source.replace("PRACTICE = True", "PRACTICE = False")
                with capture_output() as shown:
                    result = shell.run_cell(source, store_history=True)
                yield shown.stdout
                yield from (str(output.data.get("text/plain")) for output in shown.outputs)
                if (error := result.error_in_exec) is not None:
                    assert is_missing(error), f"{source}\n{error!r}"
                    assert section, f"no section to go on with after {source}"
                    yield f"{error}; on with section {section}"
                    wanted = section
        assert wanted is None, f"there is no section {wanted} after {error!r}"

    return execute
