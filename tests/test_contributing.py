"""The files that CONTRIBUTING.md and the README name exist, and the map agrees with the tree."""

import ast
import re
import shlex
from itertools import pairwise
from pathlib import Path

import pytest

from paylab.spec import assumptions

ROOT = Path(__file__).parent.parent
PAGES = (".github/CONTRIBUTING.md", "README.md")
CONTRIBUTING = (ROOT / PAGES[0]).read_text()
NAMED = re.compile(r"(?<![\w/.-])(?:\.?[\w-]+/)+[\w.-]*|\b(?:README\.md|pyproject\.toml)")
OWN = ("paylab", "tests", "notebooks", ".ci", ".github")
"""The folders of the repository; other paths are examples of a user's."""


def named(text):
    """The paths of a page that begin with a folder of the repository."""
    found = {path.rstrip(".") for path in NAMED.findall(text)}
    return sorted(path for path in found if path.partition("/")[0] in OWN or "/" not in path)


@pytest.mark.parametrize("page", PAGES)
def test_every_named_file_is_there(page):
    """Each file and folder that a page names is in the tree."""
    paths = named((ROOT / page).read_text())
    assert paths
    assert [path for path in paths if not (ROOT / path).exists() and "NN_" not in path] == []


def test_it_is_two_pages():
    """It has at most 130 lines."""
    assert len(CONTRIBUTING.splitlines()) <= 130


def closed(pairs):
    """The pairs, and those that follow from them: what a chapter imports directly or indirectly."""
    below = {high: {low for other, low in pairs if other == high} for high, _ in pairs}
    while new := {(a, d) for a, b in pairs for d in below.get(b, ())} - pairs:
        pairs = pairs | new
    return pairs


def arrows():
    """The pairs (chapter, chapter that it imports) of the map, with those that follow from them."""
    lines = [line for line in CONTRIBUTING.splitlines() if line.startswith("    ") and "←" in line]
    chains = [chain for line in lines for chain in re.split(r" {3,}", line.strip())]
    pairs = set()
    for chain in chains:
        steps = [re.findall(r"\w+", step) for step in chain.split("←")]
        for lower, upper in pairwise(steps):
            pairs |= {(high, low) for high in upper for low in lower}
    return closed(pairs)


def imported():
    """The pairs of the package: each chapter with each one that a module of it imports."""
    for path in sorted((ROOT / "paylab").glob("*/**/*.py")):
        chapter = path.relative_to(ROOT / "paylab").parts[0]
        for node in ast.walk(ast.parse(path.read_text())):
            depth = len(path.relative_to(ROOT / "paylab").parts)
            if isinstance(node, ast.ImportFrom) and node.level == depth:
                names = [node.module] if node.module else [each.name for each in node.names]
                yield from ((chapter, name.partition(".")[0]) for name in names)


def test_the_arrows_are_those_of_the_imports():
    """The map shows every import between chapters, and no arrow without one."""
    drawn = arrows()
    chapters = {name for pair in drawn for name in pair}
    pairs = {(one, other) for one, other in imported() if other in chapters and one != other}
    assert drawn == closed(pairs)


def test_the_map_has_every_chapter():
    """The map has one row for each folder of the package, and no other."""
    rows = re.findall(r"^\| `(\w+)` \|", CONTRIBUTING, re.MULTILINE)
    packages = {path.parent.name for path in (ROOT / "paylab").glob("*/__init__.py")}
    assert sorted(rows) == sorted(packages)


@pytest.mark.parametrize(
    ("name", "path"), re.findall(r"`(_?[A-Za-z_]+)` (?:in|of) `(paylab/[\w/.]+)`", CONTRIBUTING)
)
def test_a_named_part_is_in_its_file(name, path):
    """A table or function that is named with its file is in that file."""
    assert re.search(rf"\b{name}\b", (ROOT / path).read_text())


@pytest.mark.parametrize(
    ("path", "names"),
    re.findall(r"^\d\. `(paylab/[\w/.]+)`: ([^\n]*`[^\n]*)$", CONTRIBUTING, re.MULTILINE),
)
def test_a_step_names_what_its_file_has(path, names):
    """A step names only tables and keys that are in its file."""
    text = (ROOT / path).read_text()
    words = [word for word in re.findall(r"`([\w.{}]+)`", names) if "/" not in word]
    assert [word for word in words if word not in text] == []


def test_a_named_setting_is_a_key():
    """A setting that is named as `service.group.name` is a key of the assumptions."""
    names = re.findall(r"`service\.(\w+\.\w+)`", CONTRIBUTING)
    assert names
    assert [name for name in names if name not in assumptions.KEYS] == []


def test_the_commands_name_files_that_pytest_can_run():
    """Each pytest command names folders or files of the tests."""
    lines = re.findall(r"^ +\.venv/bin/pytest (.*?)(?: #.*)?$", CONTRIBUTING, re.MULTILINE)
    given = [word for line in lines for word in shlex.split(line) if "/" in word]
    assert len(lines) >= 5
    assert [path for path in given if not (ROOT / path).exists()] == []
