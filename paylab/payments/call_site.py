"""Where an order is made: the running notebook cell, or the place in a script."""

from __future__ import annotations

import ast
import gc
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
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from types import FrameType
from typing import Any

from .. import forks

PACKAGE = f"{Path(__file__).parent.parent}{os.sep}"
LIBRARIES = (
    "<frozen",
    *(
        sysconfig.get_path(name) + os.sep
        for name in ("stdlib", "platstdlib", "purelib", "platlib", "scripts")
    ),
)
MOST_DIGITS = 3
_QUOTED = re.compile(r"""(['"]+).*?(?:\1|$)""")
_WORD = re.compile(r"[\w-]+")
_CELL = re.compile(r"<ipython-input-|[/\\]ipykernel_\d+[/\\]")


_COLLECTION = threading.Lock()
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

    `name` and `source` identify it (a cell by its id and its code), `run` identifies one execution,
    `place` is text for messages. `cell` is whether you run it again by hand.
    """

    name: str
    source: str
    run: str
    place: str
    cell: bool


forks.register(Site, lock=_COLLECTION)


def here() -> Site | None:
    """The running site; None at a prompt or in a button, where every call is a new order."""
    frames, subject = list(_frames(sys._getframe(1))), _SUBJECT.get()
    module = sys.modules.get("IPython")  # which is not imported for this
    shell = module.get_ipython() if module is not None else None
    if shell is not None:
        site = _cell(frames, shell) or _program(frames, shell)
    else:
        site = None if hasattr(sys, "ps1") else _script(frames)
    if site is None or not subject:
        return site
    return replace(site, name=f"{site.name} {subject}", source=f"{site.source} {subject}")


def by_hand() -> Site:
    """Use one site for every order made in this block."""
    name = f"by hand {_SUBJECT.get()}".strip()
    return Site(name, name, "", "a button or a prompt", cell=False)


def _frames(frame: FrameType | None) -> Iterator[FrameType]:
    """The frames outside paylab, innermost first."""
    while frame is not None:
        if not frame.f_code.co_filename.startswith(PACKAGE):
            yield frame
        frame = frame.f_back


def _cell(frames: list[FrameType], shell: Any) -> Site | None:
    cells = _cells(frames) or _cells(_beside())
    text = "".join(linecache.getlines(cells[-1])) if cells else _asked(shell)
    if not cells and not text:
        return None
    (source, shown), (known, run) = _described(text, cells[-1] if cells else ""), _execution(shell)
    return Site(f"cell {known}" if known else source, source, run, shown, cell=True)


@lru_cache(maxsize=64)
def _described(text: str, file: str) -> tuple[str, str]:
    """The digest of what a cell does, and its first line for people."""
    first = next(iter(text.strip().splitlines()), "a cell")
    return _digest(cell_steps(text) or file), without_values(first)


def cell_steps(text: str) -> str:
    """The text of a cell without comments, layout and `try`."""
    try:
        with _uncollected():
            tree = ast.parse(text)
        return ast.unparse(_Untried().visit(tree))
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


def without_values(line: str) -> str:
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
    if main is threading.current_thread():
        return _frames(None)
    with _uncollected():
        return _frames(sys._current_frames().get(main.ident or 0))


@contextmanager
def _uncollected() -> Iterator[None]:
    """Collect no garbage in this block: a finalizer would let other threads run.

    CPython 3.11 then deadlocks in `_current_frames`, and its parser raises a SystemError.
    """
    with _COLLECTION:
        collects = gc.isenabled()
        gc.disable()
        try:
            yield
        finally:
            if collects:
                gc.enable()


def _asked(shell: Any) -> str:
    """The text of the cell that waits for this thread; None for a button."""
    with suppress(Exception):  # as below
        parent = shell.get_parent()
        thread = threading.current_thread() is not threading.main_thread()
        if thread and parent["header"]["msg_type"] == "execute_request":
            return str(parent["content"]["code"])
    return ""


def _execution(shell: Any) -> tuple[str | None, str]:
    """The cell's id in its notebook, if the front end sends it, and one execution of it.

    What tells executions apart is the id of the message, else the execution count.
    """
    known, run = None, str(shell.execution_count)
    with suppress(Exception):  # these attributes differ by version and front end
        run = str(shell.get_parent()["header"]["msg_id"])
    with suppress(Exception):
        known = str(shell.get_parent()["metadata"]["cellId"])
    return known, f"{id(shell)}:{run}"


def _program(frames: list[FrameType], shell: Any) -> Site | None:
    """The place in a script that IPython runs; None in a kernel, where a button calls."""
    own = [frame for frame in frames if not frame.f_code.co_filename.startswith(LIBRARIES)]
    in_file = any(os.path.isfile(frame.f_code.co_filename) for frame in own)
    return _script(own) if in_file and not hasattr(shell, "kernel") else None


def _script(frames: list[FrameType]) -> Site:
    """The nearest function of the program itself; libraries are skipped.

    The line number is not used, because it changes with every edit above. Two calls in one
    function are identified by their order.
    """
    codes = (frame.f_code for frame in frames)
    nearest = next((code for code in codes if not code.co_filename.startswith(LIBRARIES)), None)
    function = nearest.co_qualname if nearest else "a thread"
    file = nearest.co_filename if nearest else getattr(sys.modules["__main__"], "__file__", None)
    return _place(file, function)


@lru_cache(maxsize=256)
def _place(file: str | None, function: str) -> Site:
    if file and not file.startswith("<"):  # "<string>" is not a file
        file = os.path.realpath(file)
    name = _digest(f"{file}:{function}")
    return Site(name, name, "this process", f"{Path(file or '').name}:{function}", cell=False)


def _digest(text: str) -> str:
    return sha256(text.encode(errors="replace")).hexdigest()
