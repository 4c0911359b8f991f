"""Misspell every access to a setting in the package, and see whether mypy notices each.

Run as a program it misspells all of them, one in each copy of a line, in as few runs of mypy as
there are accesses in the line with the most: `python tests/together/misspelt_settings.py`.
"""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import NamedTuple

import paylab
from paylab.spec.service.tree import ServiceSettings

ROOT = Path(paylab.__file__).parent
GROUPS = {each.name for each in fields(ServiceSettings)} - {"extra"}


class Access(NamedTuple):
    """A place in the package that reads a setting or a group of settings by its name."""

    path: Path
    line: int
    column: int
    name: str


def setting_names() -> set[str]:
    """The names of all groups and settings."""
    names = set(GROUPS)
    waiting = [ServiceSettings()]
    while waiting:
        group = waiting.pop()
        for each in fields(group):
            names.add(each.name)
            value = getattr(group, each.name)
            waiting += [value] if is_dataclass(value) else []
    return names


def accesses() -> Iterator[Access]:
    """Every setting and group that a module reads by its name, in the order of the files."""
    known = setting_names()
    for path in sorted(ROOT.rglob("*.py")):
        if path.parent == ROOT / "spec" / "service":
            continue  # the tree itself, its loader and its reference
        tree = ast.parse(path.read_text(encoding="utf-8"))
        held = local_names(tree)
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute) and node.attr in known and is_held(node.value, held):
                line = node.end_lineno or 0
                yield Access(path, line, (node.end_col_offset or 0) - len(node.attr), node.attr)


def local_names(tree: ast.Module) -> set[str]:
    """The names in a module that hold settings: annotated, or assigned from a group."""
    held = {"service"}
    for node in ast.walk(tree):
        if isinstance(node, ast.arg) and node.annotation is not None:
            is_settings = re.search(
                r"\b(?:Service|\w+Settings|AccountDetails)\b", ast.unparse(node.annotation)
            )
            held |= (
                {node.arg}
                if is_settings and "Callable" not in ast.unparse(node.annotation)
                else set()
            )
        elif isinstance(node, ast.Assign) and len(node.targets) == 1:
            target = node.targets[0]
            if isinstance(target, ast.Name) and is_group(node.value):
                held.add(target.id)
    return held


def is_group(node: ast.expr) -> bool:
    """Whether an expression is a group of the settings of a service."""
    return (
        isinstance(node, ast.Attribute) and node.attr in GROUPS and is_held(node.value, {"service"})
    )


def is_held(node: ast.expr, held: set[str]) -> bool:
    """Whether an expression is a service, or a group of settings."""
    if isinstance(node, ast.Name):
        return node.id in held
    if isinstance(node, ast.Attribute):
        is_service = node.attr in ("service", "_service")
        return is_service or (node.attr in GROUPS and is_held(node.value, held))
    return False


def rounds(found: list[Access]) -> list[list[Access]]:
    """The accesses in rounds: at most one of each line, and groups apart from settings.

    After an error the type of an expression is not known, so it hides errors that follow from it.
    """
    groups = [access for access in found if access.name in GROUPS]
    return [*_apart(groups), *_apart([access for access in found if access.name not in GROUPS])]


def _apart(found: list[Access]) -> list[list[Access]]:
    by_line = defaultdict(list)
    for access in found:
        by_line[access.path, access.line].append(access)
    most = max(map(len, by_line.values()), default=0)
    return [[listed[at] for listed in by_line.values() if at < len(listed)] for at in range(most)]


def unnoticed(misspelt: list[Access], folder: Path) -> list[Access]:
    """The accesses for which a copy of the package with all of them misspelt has no error."""
    copy = folder / "paylab"
    subprocess.run(["cp", "-r", str(ROOT), str(copy)], check=True)
    for access in sorted(misspelt, key=lambda each: -each.column):
        path = copy / access.path.relative_to(ROOT)
        lines = path.read_text(encoding="utf-8").split("\n")
        line = lines[access.line - 1].encode()
        end = access.column + len(access.name)
        lines[access.line - 1] = (line[:end] + b"x" + line[end:]).decode()
        path.write_text("\n".join(lines), encoding="utf-8")
    # The settings are the package's own: without the types of libraries it is checked in seconds.
    options = ["--strict", "--show-error-end", "--no-site-packages", "--cache-dir", os.devnull]
    command = [sys.executable, "-m", "mypy", *options, "paylab"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    wrong = set()
    for path, line, message in re.findall(
        r"^(\S+?):(\d+):\S* error: (.*)$", done.stdout, re.MULTILINE
    ):
        wrong |= {(path, int(line), name) for name in re.findall(r'"(\w+)x"', message)}
    subprocess.run(["rm", "-rf", str(copy)], check=True)
    return [
        access
        for access in misspelt
        if (str(Path("paylab") / access.path.relative_to(ROOT)), access.line, access.name)
        not in wrong
    ]


def sample() -> list[Access]:
    """The last access of each module, which one run of mypy checks together."""
    return [*{access.path: access for access in accesses()}.values()]


def check() -> tuple[int, list[Access]]:
    """The number of misspelt accesses, and those that mypy did not notice."""
    found = [*accesses()]
    missed: list[Access] = []
    with tempfile.TemporaryDirectory() as folder:
        for misspelt in rounds(found):
            missed += unnoticed(misspelt, Path(folder))
    return len(found), missed


if __name__ == "__main__":
    count, missed = check()
    for access in missed:
        print(f"{access.path}:{access.line}: {access.name}")
    print(f"{count} accesses misspelt, {len(missed)} not noticed")
    sys.exit(bool(missed))
