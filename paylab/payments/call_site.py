"""Where an order is made: the running notebook cell, or the place in a script."""

from __future__ import annotations

import ast
import linecache
import os
import re
import sys
import sysconfig
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from types import FrameType
from typing import Any

PACKAGE = f"{Path(__file__).parent.parent}{os.sep}"
LIBRARIES = tuple(
    sysconfig.get_path(name) + os.sep
    for name in ("stdlib", "platstdlib", "purelib", "platlib", "scripts")
)
MOST_DIGITS = 3
_QUOTED = re.compile(r"""(['"]+).*?(?:\1|$)""")
_WORD = re.compile(r"[\w-]+")
_CELL = re.compile(r"<ipython-input-|[/\\]ipykernel_\d+[/\\]")


_SUBJECT: ContextVar[str] = ContextVar("subject", default="")


@contextmanager
def concerning(subject: str) -> Iterator[None]:
    """Orders made in this block are about `subject`; another subject makes another site."""
    token = _SUBJECT.set(subject)
    try:
        yield
    finally:
        _SUBJECT.reset(token)


@dataclass(frozen=True)
class Site:
    """A place in somebody's code.

    `name` and `source` identify it (a cell by its id and by what it does), `run` tells one
    execution from the next, `place` is for people. `cell` is whether it is run again by hand.
    """

    name: str
    source: str
    run: str
    place: str
    cell: bool


def here() -> Site | None:
    """The running site; None at a prompt or in a button, where every call is a new order."""
    site, subject = _site(), _SUBJECT.get()
    if site is None or not subject:
        return site
    return replace(site, name=f"{site.name} {subject}", source=f"{site.source} {subject}")


def by_hand() -> Site:
    """Use one site for every order made in this block."""
    name = f"by hand {_SUBJECT.get()}".strip()
    return Site(name, name, "", "a button or a prompt", cell=False)


def _site() -> Site | None:
    frames = list(_frames(sys._getframe(2)))
    shell = _shell()
    if shell is not None:
        return _cell(frames, shell) or _program(frames, shell)
    return None if hasattr(sys, "ps1") else _script(frames)


def _frames(frame: FrameType | None) -> Iterator[FrameType]:
    """The frames outside paylab, innermost first."""
    while frame is not None:
        if not frame.f_code.co_filename.startswith(PACKAGE):
            yield frame
        frame = frame.f_back


def _shell() -> Any:
    """IPython's shell, or None; IPython is not imported for this."""
    module = sys.modules.get("IPython")
    return module.get_ipython() if module is not None else None


def _cell(frames: list[FrameType], shell: Any) -> Site | None:
    cells = _cells(frames) or _cells(_beside())
    text = "".join(linecache.getlines(cells[-1])) if cells else _asked(shell)
    if not cells and not text:
        return None
    source, known = _digest(_steps(text) or cells[-1]), _cell_id(shell)
    name = f"cell {known}" if known else source
    first = next(iter(text.strip().splitlines()), "a cell")
    run = f"{id(shell)}:{_execution(shell)}"
    return Site(name, source, run, _without_values(first), cell=True)


def _steps(text: str) -> str:
    """The text of a cell without comments, layout and `try`."""
    try:
        return ast.unparse(_Untried().visit(ast.parse(text)))
    except (SyntaxError, ValueError, RecursionError):  # magics, or not Python at all
        lines = (line.partition("#")[0].rstrip() for line in text.splitlines())
        return "\n".join(filter(None, lines))


class _Untried(ast.NodeTransformer):
    """Replaces each `try` by its body."""

    def visit_Try(self, node: ast.Try) -> list[ast.stmt]:
        """Return the body, with any nested `try` replaced as well."""
        bodies = ast.Module([*node.body, *node.orelse, *node.finalbody], [])
        self.generic_visit(bodies)
        return bodies.body


def _without_values(line: str) -> str:
    """A line of code without string literals and without words that may be account numbers."""
    return _WORD.sub(_unnumbered, _QUOTED.sub('"…"', line))


def _unnumbered(word: re.Match[str]) -> str:
    return "…" if sum(map(str.isdigit, word[0])) > MOST_DIGITS else word[0]


def _cells(frames: Iterable[FrameType]) -> list[str]:
    files = (frame.f_code.co_filename for frame in frames)
    return [name for name in files if _CELL.search(name)]


def _beside() -> Iterator[FrameType]:
    """The frames of the main thread, whose cell may be waiting for a thread pool."""
    main = threading.main_thread()
    found = main is not threading.current_thread() and sys._current_frames().get(main.ident or 0)
    return _frames(found or None)


def _asked(shell: Any) -> str:
    """The text of the cell that waits for this thread; None for a button."""
    with suppress(Exception):  # as below
        parent = shell.get_parent()
        thread = threading.current_thread() is not threading.main_thread()
        if thread and parent["header"]["msg_type"] == "execute_request":
            return str(parent["content"]["code"])
    return ""


def _cell_id(shell: Any) -> str | None:
    """The id of the cell in its notebook, if the front end sends it."""
    with suppress(Exception):  # what the shell has here differs by version and front end
        return str(shell.get_parent()["metadata"]["cellId"])
    return None


def _execution(shell: Any) -> str:
    """One execution of a cell: the id of its message, else the execution count."""
    with suppress(Exception):
        return str(shell.get_parent()["header"]["msg_id"])
    return str(shell.execution_count)


def _program(frames: list[FrameType], shell: Any) -> Site | None:
    """The place in a script that IPython runs; None in a kernel, where a button calls."""
    own = [frame for frame in frames if not _is_library(frame.f_code.co_filename)]
    in_file = any(os.path.isfile(frame.f_code.co_filename) for frame in own)
    return _script(own) if in_file and not hasattr(shell, "kernel") else None


def _script(frames: list[FrameType]) -> Site:
    """The nearest function of the program itself; libraries are skipped.

    The line is not used, because it moves with every edit above it. Two calls in one function
    by their turn.
    """
    codes = (frame.f_code for frame in frames)
    nearest = next((code for code in codes if not _is_library(code.co_filename)), None)
    function = nearest.co_qualname if nearest else "a thread"
    file = nearest.co_filename if nearest else getattr(sys.modules["__main__"], "__file__", None)
    if file and not file.startswith("<"):  # "<string>" is no file
        file = os.path.realpath(file)
    name = _digest(f"{file}:{function}")
    return Site(name, name, "this process", f"{Path(file or '').name}:{function}", cell=False)


def _is_library(file: str) -> bool:
    return file.startswith(("<frozen", *LIBRARIES))


def _digest(text: str) -> str:
    return sha256(text.encode(errors="replace")).hexdigest()
