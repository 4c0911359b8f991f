"""The committed notebooks are clean, and give the same result again and over HTTP."""

import json
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
WALKS = [path for path in NOTEBOOKS if path.stem.endswith("onramp")]


def outputs(shell, path):
    """What the code cells of a notebook show, numbered from 1, apart from widgets."""
    shell.execution_count = 1
    for cell in nbformat.read(path, 4).cells:
        if cell.cell_type == "code":
            with capture_output() as shown:
                result = shell.run_cell(cell.source, store_history=True)
            assert result.success or "raises-exception" in cell.metadata.get("tags", ()), (
                cell.source
            )
            yield shown.stdout
            yield shown.stderr
            yield from (
                each.data for each in shown.outputs if "widget" not in json.dumps(each.data)
            )


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_the_file_is_clean(path):
    """It was run from top to bottom, and contains no widget state and no machine path."""
    notebook = nbformat.read(path, 4)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert [cell.execution_count for cell in code] == list(range(1, len(code) + 1))
    assert "widgets" not in notebook.metadata
    text = path.read_text()
    assert not [word for word in ("/home/", "/root/", "/work/", "/tmp/", "sk_") if word in text]


def test_each_lesson_leads_to_the_next():
    """The lines "Next" lead from the first notebook through all others to the reference."""
    way = [NOTEBOOKS[0].stem]
    while way[-1] != "80_reference":
        last = nbformat.read(FOLDER / f"{way[-1]}.ipynb", 4).cells[-1].source
        [name] = re.findall(r"^Next: `(\w+)`", last, re.MULTILINE)
        assert name not in way
        way.append(name)
    assert sorted(way) == [path.stem for path in NOTEBOOKS]


def test_the_backend_is_short():
    """Apart from the class that signs, the backend to copy has at most 60 lines."""
    cells = [cell.source for cell in nbformat.read(FOLDER / "55_your_backend.ipynb", 4).cells]
    parts = [source for source in cells if source.startswith("# backend\n")]
    assert "class SignatureAuth" in parts[0]
    assert 30 < sum(bool(line) for part in parts[1:] for line in part.splitlines()[1:]) <= 60


# The lesson on tests starts pytest six times in each run.
SLOW = pytest.param(FOLDER / "90_your_tests.ipynb", marks=pytest.mark.whole_table)
TWICE = [SLOW if path in SLOW.values else path for path in NOTEBOOKS]


@pytest.mark.parametrize("path", TWICE, ids=lambda path: path.stem)
def test_a_second_run_gives_the_same(path, new_shell):
    """Running all cells twice in one shell gives the same outputs."""
    shell = new_shell()
    once = list(outputs(shell, path))
    assert any(once)
    assert list(outputs(shell, path)) == once


def test_the_measured_figures_are_those_of_the_results():
    """The notebook shows the figures of the file that the benchmarks write."""
    program = FOLDER.parent / "tests" / "benchmarks" / "reference.py"
    assert subprocess.run([sys.executable, program, "--check"], check=False).returncode == 0


@pytest.mark.parametrize("path", WALKS, ids=lambda path: path.stem)
def test_a_walk_also_drives_a_simulator_behind_a_url(path, new_shell, monkeypatch):
    """With the environment set, the same notebook talks to that simulator over HTTP."""
    with Server(Simulator(frozen=False, speed=20)) as server:
        monkeypatch.setenv("PAYLAB_BASE_URL", server.base_url)
        monkeypatch.setenv("PAYLAB_API_KEY", server.simulator.api_key)
        monkeypatch.setenv("PAYLAB_SECRET_KEY", server.simulator.secret_key)
        assert list(outputs(new_shell(), path))
        assert len(server.simulator.world.tables["conversions"]) == 1
