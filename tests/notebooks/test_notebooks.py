"""The committed notebooks are clean, and give results over HTTP too."""

import re
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from IPython.utils.capture import capture_output

from paylab.simulator.server import Server
from paylab.simulator.simulator import Simulator

FOLDER = Path(__file__).parent.parent.parent / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_the_file_is_clean(path):
    """It was run from top to bottom, and contains no widget state and no machine path.

    No line of code is wider than the editor of JupyterLab on a page of 700 px.
    """
    notebook = nbformat.read(path, 4)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert [cell.execution_count for cell in code] == list(range(1, len(code) + 1))
    assert not [line for cell in code for line in cell.source.splitlines() if len(line) > 70]
    assert "widgets" not in notebook.metadata
    text = path.read_text()
    assert "widget-view" not in text  # "model not found" in a browser until the cell is run
    assert not [word for word in ("/home/", "/root/", "/work/", "/tmp/", "sk_") if word in text]


def test_each_lesson_leads_to_the_next():
    """The lines "Next" lead from the first notebook through all others to the reference."""
    way = [NOTEBOOKS[0].stem]
    while way[-1] != "80_reference":
        last = nbformat.read(FOLDER / f"{way[-1]}.ipynb", 4).cells[-1].source
        [name] = re.findall(r"^Next: \[(\w+)\]\(\1\.ipynb\)", last, re.MULTILINE)
        assert name not in way
        way.append(name)
    assert sorted(way) == [path.stem for path in NOTEBOOKS]


def test_the_backend_is_short():
    """Apart from the class that signs, the backend to copy has at most 70 lines."""
    cells = [cell.source for cell in nbformat.read(FOLDER / "55_your_backend.ipynb", 4).cells]
    parts = [source for source in cells if source.startswith("# backend\n")]
    assert "class SignatureAuth" in parts[0]
    assert 30 < sum(bool(line) for part in parts[1:] for line in part.splitlines()[1:]) <= 70


def test_the_measured_figures_are_those_of_the_results():
    """The notebook shows the figures of the file that the benchmarks write."""
    program = FOLDER.parent / "tests" / "benchmarks" / "reference.py"
    assert subprocess.run([sys.executable, program, "--check"], check=False).returncode == 0


def test_a_walk_also_drives_a_simulator_behind_a_url(new_shell, monkeypatch):
    """With the environment set, the same notebook talks to that simulator over HTTP."""
    with Server(Simulator(frozen=False, speed=20)) as server:
        for name in ("base_url", "api_key", "secret_key"):
            monkeypatch.setenv(f"PAYLAB_{name.upper()}", getattr(server, name))
        shell = new_shell()
        for cell in nbformat.read(FOLDER / "20_ph_onramp.ipynb", 4).cells:
            if cell.cell_type == "code":
                with capture_output():
                    assert shell.run_cell(cell.source).success, cell.source
        assert len(server.simulator.world.tables["conversions"]) == 1
