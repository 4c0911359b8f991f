"""The package as a whole: the cost of importing it, the import rules, the public names."""

import ast
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from functools import cache
from graphlib import TopologicalSorter
from itertools import pairwise
from pathlib import Path

import pytest

import paylab

ROOT = Path(paylab.__file__).parent
HEAVY = ("pandas", "pyarrow", "ipywidgets", "IPython", "PIL", "qrcode", "uvicorn", "duckdb")
DISPLAY = {"ipywidgets", "IPython", "qrcode", "PIL", "anywidget"}
CLOCKS = {"httpx", "socket", "random", "secrets", "time", "asyncio", "pandas", "pyarrow"}
LAYERS, SHORTEST, LONGEST, SHARED = 15, 40, 350, 10
DEFINITIONS = (ast.ClassDef, ast.FunctionDef)
MODULES = {
    ".".join(path.relative_to(ROOT.parent).with_suffix("").parts).removesuffix(".__init__"): path
    for path in ROOT.rglob("*.py")
}
MAP = (ROOT.parent / ".github" / "CONTRIBUTING.md").read_text()
CHAPTERS = sorted(path.name for path in ROOT.iterdir() if (path / "__init__.py").is_file())


TOP = {".ci", ".gitattributes", ".github", ".gitignore"}
TOP |= {"README.md", "notebooks", "paylab", "pyproject.toml", "tests"}
"""All that stands at the top of the repository."""


@cache
def parsed(path: Path) -> ast.Module:
    """The syntax tree of a module."""
    return ast.parse(path.read_text())


@cache
def imports(path: Path) -> set[tuple[str, str]]:
    """The (library or "paylab", chapter) pairs of all imports in a module, at any depth."""
    found = set()
    package = ("paylab", *path.relative_to(ROOT).with_suffix("").parts)
    if path.name == "__init__.py":
        package = (*package[:-1], "__init__")
    for node in ast.walk(parsed(path)):
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


@cache
def chapters_of(chapter: str) -> set[str]:
    """The other chapters that a chapter imports."""
    files = (ROOT / chapter).rglob("*.py")
    found = {name for path in files for home, name in imports(path) if home == "paylab"}
    return found & set(CHAPTERS) - {chapter}


def reached(chapter: str, below: Callable[[str], set[str]] = chapters_of) -> set[str]:
    """Every chapter that a chapter imports, directly or indirectly."""
    seen: set[str] = set()
    todo = [chapter]
    while todo:
        new = below(todo.pop()) - seen
        seen |= new
        todo += new
    return seen


@cache
def on_top(path: Path) -> list[ast.stmt]:
    """The statements of a module outside of functions, those under TYPE_CHECKING included."""
    found, todo = [], list(parsed(path).body)
    while todo:
        node = todo.pop()
        found.append(node)
        todo += node.body if isinstance(node, ast.If | ast.Try | ast.With) else []
        todo += node.orelse if isinstance(node, ast.If | ast.Try) else []
    return found


@cache
def used_by(module: str) -> set[str]:
    """The modules that a module imports at its top, except the packages that it is in."""
    path, used = MODULES[module], set()
    package = module.split(".") if path.name == "__init__.py" else module.split(".")[:-1]
    for node in on_top(path):
        if isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            home = ".".join([*base, *filter(None, [node.module])])
            names = (f"{home}.{each.name}" for each in node.names)
            used |= {name if name in MODULES else home for name in names}
    return {each for each in used & MODULES.keys() if not f"{module}.".startswith(f"{each}.")}


def drawn() -> dict[str, set[str]]:
    """The chapters of the map in CONTRIBUTING.md, each with those that its arrows lead to."""
    below: dict[str, set[str]] = {}
    for line in re.findall(r"^ {4}(.*←.*)$", MAP, re.MULTILINE):
        for chain in re.split(r" {3,}", line):
            for lower, upper in pairwise(re.findall(r"\w+", step) for step in chain.split("←")):
                for chapter in upper:
                    below.setdefault(chapter, set()).update(lower)
    return below


def test_the_map_has_the_arrows_of_the_imports():
    """The map in CONTRIBUTING.md shows every import between chapters, and no arrow without one."""
    arrows = drawn()
    assert {*arrows}.union(*arrows.values()) == {*CHAPTERS}
    leads = {each: reached(each, lambda chapter: arrows.get(chapter, set())) for each in CHAPTERS}
    assert leads == {each: reached(each) for each in CHAPTERS}


def test_the_map_has_every_chapter():
    """It has one row for each chapter, and no other."""
    rows = re.findall(r"^\| `(\w+)` \|", MAP, re.MULTILINE)
    assert sorted(rows) == CHAPTERS


LIGHT = {
    "import paylab": HEAVY,
    "lab = paylab.connect()": (
        *("httpx", "socket", "email", "html", "concurrent.futures", "difflib", "uuid"),
        *("paylab.simulator.dispatch", "paylab.signing.findings", "paylab.spec.assumptions"),
    ),
    "lab.get('/v1/transfers')": (
        *("pydantic", "sqlite3", "stdnum", "paylab.payments", "paylab.webhooks"),
        *("paylab.redaction.search", "paylab.signing.mistakes", "paylab.lab.forms"),
    ),
}
"""Statements that follow each other, and what must not be loaded after each."""


def test_what_is_heavy_is_loaded_by_its_first_use():
    """`import paylab`, a connection and a first request load only what they need."""
    code = "import sys\n"
    for statement, names in LIGHT.items():
        code += f"{statement}\nprint(*[name for name in {names} if name in sys.modules])\n"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []


def test_a_simulated_service_loads_no_lab():
    """A test that uses only the address of `paylab_world` waits for no client and no lab."""
    code = "import sys, paylab.testing.world\n"
    code += "print([name for name in ('pydantic', 'paylab.lab.lab') if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_help_of_the_command_line_loads_no_service():
    """`paylab --help` imports neither httpx nor pydantic nor the lab."""
    code = "import sys\nfrom paylab.cli.main import main\n"
    code += "try: main(['--help'])\nexcept SystemExit: pass\n"
    code += "print([name for name in ('httpx', 'pydantic', 'paylab.lab') if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


def test_the_arrows_between_chapters_make_no_circle():
    """No chapter imports itself indirectly; imports in functions and for types count."""
    assert [chapter for chapter in CHAPTERS if chapter in reached(chapter)] == []


def test_modules_form_few_layers_and_no_circle():
    """No module imports itself indirectly, and no chain of imports is longer than it was."""
    done: dict[str, int] = {}
    for module in TopologicalSorter({each: used_by(each) for each in MODULES}).static_order():
        done[module] = 1 + max((done[each] for each in used_by(module)), default=0)
    assert max(done.values()) <= LAYERS


def test_nothing_else_stands_at_the_top_of_the_repository():
    """A file that a trial run left there is not committed by mistake."""
    listed = subprocess.run(
        ["git", "ls-files"], cwd=ROOT.parent, check=False, capture_output=True, text=True
    )
    if listed.returncode:
        pytest.skip("not in a clone")
    assert {path.partition("/")[0] for path in listed.stdout.splitlines()} == TOP


def test_a_module_is_neither_a_fragment_nor_two_subjects():
    """A module has 40 lines or more, and none is longer than the longest was."""
    sizes = {each: path.read_text().count("\n") for each, path in MODULES.items()}
    whole = {each for each, path in MODULES.items() if not path.name.startswith("__")}
    assert not [each for each in whole if not SHORTEST <= sizes[each] <= LONGEST]


def test_a_name_stands_for_one_thing():
    """No more public names are defined in two modules than were, and none of a class."""
    homes, classes = Counter[str](), Counter[str]()
    for path in MODULES.values():
        defined = [node for node in on_top(path) if isinstance(node, DEFINITIONS)]
        public = {node.name: node for node in defined if not node.name.startswith("_")}
        homes.update(public.keys())
        classes.update(name for name, node in public.items() if isinstance(node, ast.ClassDef))
    assert [name for name, modules in classes.items() if modules > 1] == []
    assert sum(modules > 1 for modules in homes.values()) <= SHARED


def test_the_client_and_the_simulator_do_not_meet():
    """Client and simulator do not import each other."""
    assert "simulator" not in reached("client")
    assert "client" not in reached("simulator")


def test_views_know_no_client_and_no_simulator():
    """Views import neither the client nor the simulator; forms are given functions."""
    assert not reached("views") & {"client", "simulator", "lab", "cli"}


def test_only_the_lab_and_the_commands_import_views():
    """Only the lab and the commands import views."""
    assert {chapter for chapter in CHAPTERS if "views" in chapters_of(chapter)} <= {"lab", "cli"}


def test_what_the_service_means_touches_no_world():
    """The chapters below client and simulator use no network, clock, randomness or widgets."""
    # Not a table of the chapters: each worker would read all modules to collect it.
    chapters = reached("rules") | {"rules", "signing", "emvqr"}
    paths = [path for chapter in chapters for path in (ROOT / chapter).rglob("*.py")]
    used = {path: {home for home, _ in imports(path)} & (CLOCKS | DISPLAY) for path in paths}
    assert {path: libraries for path, libraries in used.items() if libraries} == {}


def test_only_views_import_what_draws():
    """Only views import the libraries for widgets and drawing."""
    others = [path for path in ROOT.rglob("*.py") if path.relative_to(ROOT).parts[0] != "views"]
    assert not [path for path in others if {home for home, _ in imports(path)} & DISPLAY]


def test_the_public_list_is_sorted_and_there():
    """`paylab.__all__` is sorted, and every name in it exists."""
    assert paylab.__all__ == sorted(paylab.__all__)
    assert all(hasattr(paylab, name) for name in (*paylab.__all__, *paylab.LATE))


def test_completion_offers_what_is_public():
    """`dir(paylab)` contains the public names and no internal imports."""
    assert set(dir(paylab)) == {*paylab.__all__, *paylab.LATE, "__version__"}
