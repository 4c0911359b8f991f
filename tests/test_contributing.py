"""The files that CONTRIBUTING.md and the README name exist, and have what they are named for."""

import re
import shlex
from pathlib import Path

import pytest

from paylab.spec.service.keys import setting_keys

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


def test_it_has_at_most_165_lines():
    """It has at most 165 lines."""
    assert len(CONTRIBUTING.splitlines()) <= 165


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
    assert [name for name in names if name not in setting_keys()] == []


def test_the_commands_name_files_that_pytest_can_run():
    """Each pytest command names folders or files of the tests."""
    lines = re.findall(r"^ +\.venv/bin/pytest (.*?)(?: #.*)?$", CONTRIBUTING, re.MULTILINE)
    given = [word for line in lines for word in shlex.split(line) if "/" in word]
    assert len(lines) >= 5
    assert [path for path in given if not (ROOT / path).exists()] == []
