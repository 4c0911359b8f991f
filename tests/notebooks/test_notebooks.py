"""The committed notebooks are clean, and give the same result again and over HTTP."""

import json
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

from paylab.simulator.server import Server
from paylab.simulator.simulator import Simulator

FOLDER = Path(__file__).parent.parent.parent / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))
WALKS = [path for path in NOTEBOOKS if path.stem.endswith("onramp")]


def outputs(cells):
    """The outputs of the cells, without execution counts."""
    shown = [
        {key: value for key, value in output.items() if key in ("text", "data", "name")}
        for cell in cells
        for output in cell.get("outputs", [])
    ]
    return [each for each in shown if "widget" not in json.dumps(each)]


def run(notebook):
    """Execute the notebook in a new kernel, in the notebooks' folder."""
    place = {"metadata": {"path": str(FOLDER)}}
    client = NotebookClient(notebook, timeout=120, kernel_name="python3", resources=place)
    client.coalesce_streams = True  # how print's text is cut into messages is chance
    client.execute()
    return notebook


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_the_file_is_clean(path):
    """It was run from top to bottom, and contains no widget state and no machine path."""
    notebook = nbformat.read(path, 4)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert [cell.execution_count for cell in code] == list(range(1, len(code) + 1))
    assert "widgets" not in notebook.metadata
    text = path.read_text()
    assert not [word for word in ("/home/", "/root/", "/work/", "/tmp/", "sk_") if word in text]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_second_run_in_one_kernel_gives_the_same(path):
    """Running all cells twice in one kernel gives the same outputs."""
    once = nbformat.read(path, 4)
    twice = nbformat.read(path, 4)
    twice.cells += [cell.copy() for cell in nbformat.read(path, 4).cells]
    run(twice)
    count = len(once.cells)
    assert outputs(twice.cells[:count]) == outputs(twice.cells[count:])


def test_the_measured_figures_are_those_of_the_results():
    """The notebook shows the figures of the file that the benchmarks write."""
    program = FOLDER.parent / "tests" / "benchmarks" / "reference.py"
    assert subprocess.run([sys.executable, program, "--check"], check=False).returncode == 0


@pytest.mark.parametrize("path", WALKS, ids=lambda path: path.stem)
def test_a_walk_also_drives_a_service_behind_a_url(path, monkeypatch):
    """With the environment set, the same notebook talks to that service over HTTP."""
    with Server(Simulator(frozen=False, speed=20)) as server:
        monkeypatch.setenv("PAYLAB_BASE_URL", server.base_url)
        monkeypatch.setenv("PAYLAB_API_KEY", server.simulator.api_key)
        monkeypatch.setenv("PAYLAB_SECRET_KEY", server.simulator.secret_key)
        run(nbformat.read(path, 4))
        assert len(server.simulator.world.tables["conversions"]) == 1
