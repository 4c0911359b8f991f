"""The package as a whole: what importing it costs, who may import whom, what it offers."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import paylab

ROOT = Path(paylab.__file__).parent
HEAVY = ("pandas", "pyarrow", "ipywidgets", "IPython", "PIL", "qrcode", "uvicorn", "duckdb")
CONTACT = ("client", "simulator", "frames", "views", "inbox", "ledger")
MEETING = (
    "__init__",
    "__main__",
    "__pycache__",
    "batches",
    "cli",
    "comparing",
    "formed",
    "formed_payouts",
    "lab",
    "listed",
    "listening",
    "pulling",
    "py",
    "reconciliation",
    "seeing",
    "seen",
    "triggering",
    "watching",
)
MEANING = sorted({path.stem for path in ROOT.iterdir()} - {*CONTACT, *MEETING})
DISPLAY = {"ipywidgets", "IPython", "qrcode", "PIL", "anywidget"}


def imports(path: Path) -> set[tuple[str, str]]:
    """The (library or "paylab", part) pairs a module imports, wherever in it they stand."""
    found = set()
    package = ("paylab", *path.relative_to(ROOT).with_suffix("").parts)
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {(each.name.split(".")[0], "") for each in node.names}
        elif isinstance(node, ast.ImportFrom) and not node.level:
            found.add((str(node.module).split(".")[0], ""))
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level]
            names = [*base, *(node.module or "").split(".")] if node.module else [*base]
            heads = [names[1]] if len(names) > 1 else [each.name for each in node.names]
            found |= {("paylab", head) for head in heads}
    return found


def modules(part: str) -> list[Path]:
    """The files of a part: a folder's, or the one."""
    folder = ROOT / part
    return sorted(folder.rglob("*.py")) if folder.is_dir() else [ROOT / f"{part}.py"]


def test_importing_paylab_loads_nothing_heavy():
    """pandas and its like wait until they are used."""
    code = f"import sys, paylab; print([name for name in {HEAVY} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("part", MEANING)
def test_meaning_imports_only_meaning(part):
    """What the service means knows no client, simulator, frame or view."""
    found = {name for path in modules(part) for home, name in imports(path) if home == "paylab"}
    assert found <= {*MEANING, ""}


@pytest.mark.parametrize("part", MEANING)
def test_meaning_touches_no_world(part):
    """No network, no randomness, no widgets among the imports of meaning."""
    libraries = {home for path in modules(part) for home, _ in imports(path)}
    world = {"httpx", "socket", "random", "secrets", "time", "asyncio", "pandas", "pyarrow"}
    assert not libraries & (world | DISPLAY)


@pytest.mark.parametrize("part", CONTACT)
def test_folders_that_touch_the_world_do_not_meet(part):
    """Client, simulator, frames and views import meaning and themselves."""
    found = {name for path in modules(part) for home, name in imports(path) if home == "paylab"}
    assert found <= {*MEANING, part, ""}


def test_only_views_import_what_draws():
    """Widgets and drawing stay in one folder."""
    others = [path for path in ROOT.rglob("*.py") if path.relative_to(ROOT).parts[0] != "views"]
    assert not [path for path in others if {home for home, _ in imports(path)} & DISPLAY]


def test_the_public_list_is_sorted_and_there():
    """Every name offered exists, and stands where one looks for it."""
    assert paylab.__all__ == sorted(paylab.__all__)
    assert all(hasattr(paylab, name) for name in (*paylab.__all__, *paylab.LATE))
