"""Notebooks that run in the test process."""

from __future__ import annotations

from pathlib import Path

import nbformat
import pytest
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output

FOLDER = Path(__file__).parent.parent.parent / "notebooks"


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Run the code cells of a notebook in this process; an error is a failure."""

    def execute(name, server):
        monkeypatch.chdir(tmp_path)
        for variable, value in server.environment.items():
            monkeypatch.setenv(variable, value)
        monkeypatch.setenv("PAYLAB_LEDGER", str(tmp_path / "ledger"))
        (path,) = FOLDER.glob(f"{name}_*.ipynb")
        cells = [cell for cell in nbformat.read(path, 4).cells if cell.cell_type == "code"]
        cells[0].source = cells[0].source.replace("PRACTICE = True", "PRACTICE = False")
        InteractiveShell.clear_instance()
        shell = InteractiveShell.instance(colors="nocolor")
        shell.history_manager.enabled = False  # no thread that outlives the shell
        shell.kernel = None  # what tells a notebook from a terminal
        try:
            return [told for cell in cells for told in cell_of(shell, cell.source)]
        finally:
            InteractiveShell.clear_instance()

    def cell_of(shell, source):
        with capture_output() as shown:
            result = shell.run_cell(source, store_history=True)
        assert result.error_in_exec is None, f"{source}\n{result.error_in_exec!r}"
        yield shown.stdout
        yield from (str(output.data.get("text/plain")) for output in shown.outputs)

    return execute
