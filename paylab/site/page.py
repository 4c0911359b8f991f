"""Cells in a page: what stops no other cell, and what is shown as it was saved.

A cell of a lesson that fails without a package that the page does not have, or after such a cell
whose names it uses, shows its saved outputs and a line that says so.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Awaitable, Callable, Mapping
from hashlib import sha256
from typing import Any, Protocol

from ..errors.extras import EXTRAS

JsonObject = dict[str, Any]
"""An object of the messages and notebooks of Jupyter, whose values are any JSON."""

Outputs = list[JsonObject]
FETCH_WORDS = ("frame", "compare", "charts", "create_many", "pandas", "read_csv", "reconcile")
"""Words of cells that use frames; the packages are fetched before the first of them."""

FRAME_PACKAGES = ("pandas", "pyarrow")
_OPTIONAL = {package for packages in EXTRAS.values() for package in packages}


class Kernel(Protocol):
    """The part of a kernel that a page uses."""

    interpreter: Any
    run: Callable[[str], Awaitable[JsonObject]]


class Cells:
    """Runs the cells of a page.

    `saved` returns the stored outputs of the lessons by the digest of a cell's code.
    `publish_error` shows an error without ending the cells after it. `fetch` loads packages of
    the runtime by their names.
    """

    def __init__(
        self,
        kernel: Kernel,
        saved: Callable[[], Awaitable[Mapping[str, Outputs]]],
        publish_error: Callable[[str, str, list[str]], object],
        fetch: Callable[[tuple[str, ...]], Awaitable[object]] | None = None,
    ) -> None:
        self._kernel: Any = kernel
        self._saved = saved
        self._publish_error = publish_error
        self._fetch = fetch
        self._run_cell = kernel.run
        self._unmade: set[str] = set()
        kernel.run = self.run
        kernel.interpreter.Completer.use_jedi = False  # its archive is half of all packages

    async def run(self, code: str) -> JsonObject:
        """Run a cell, and return its reply."""
        if self._fetch is not None and any(fetch_word in code for fetch_word in FETCH_WORDS):
            fetch = self._fetch
            self._fetch = None  # the packages are fetched once
            await fetch(FRAME_PACKAGES)
        bound_names, used_names = _find_names(code)
        namespace = self._kernel.interpreter.user_ns
        value_before_by_name = {bound_name: namespace.get(bound_name) for bound_name in bound_names}
        sys.last_value = None  # an earlier cell's
        reply = await self._run_cell(code)
        if reply["status"] != "error":
            self._unmade -= bound_names
            return reply
        reply["ename"] = type(sys.last_value).__name__  # the kernel writes "<class ...>"
        missing_part = self._find_missing_part(sys.last_value, used_names)
        if missing_part:
            outputs = (await self._saved()).get(digest(self._cell_id(), code))
            if outputs is not None:
                self._forget_unreached(value_before_by_name)
                self._show_saved(outputs, missing_part)
                return {"status": "ok", "payload": []}
        if not self._stops_on_error():
            self._publish_error(reply["ename"], reply["evalue"], list(reply["traceback"]))
            return {"status": "ok", "payload": []}
        return reply

    def _find_missing_part(self, error: BaseException | None, used_names: set[str]) -> str:
        """The part that a cell lacked; empty if it lacked none.

        It is a package, or what a cell that lacked a package makes.
        """
        if isinstance(error, ModuleNotFoundError):
            package_name = str(error.name).partition(".")[0]
            is_optional = package_name in _OPTIONAL
            return f"{package_name}, which this page does not have" if is_optional else ""
        return "the result of a cell above that was not run" if used_names & self._unmade else ""

    def _forget_unreached(self, value_before_by_name: Mapping[str, object]) -> None:
        """Remove the names that a cell did not reach, so that no later cell uses old values."""
        namespace = self._kernel.interpreter.user_ns
        for variable_name, earlier_value in value_before_by_name.items():
            if namespace.get(variable_name) is earlier_value:
                namespace.pop(variable_name, None)
        self._unmade |= value_before_by_name.keys()

    def _show_saved(self, outputs: Outputs, missing_part: str) -> None:
        """Show stored outputs, and the line that says so."""
        publisher = self._kernel.interpreter.display_pub
        publisher.clear_output()
        for output in outputs:
            if output["output_type"] == "stream":
                sys.stdout.write(output["text"])
            elif output["output_type"] == "error":
                self._publish_error(output["ename"], output["evalue"], output["traceback"])
            else:
                publisher.publish(output["data"], output.get("metadata", {}))
        sys.stdout.write(f"As saved: this cell needs {missing_part}.\n")

    def _cell_id(self) -> str:
        """The id of the cell that the page runs."""
        return str(self._part_of_message("metadata").get("cellId", ""))

    def _stops_on_error(self) -> bool:
        """Whether an error of the cell ends the cells after it: it does not with its tag."""
        return bool(self._part_of_message("content").get("stop_on_error", True))

    def _part_of_message(self, part_name: str) -> JsonObject:
        """A part of the message that asked to run the cell."""
        message = getattr(self._kernel, "_parent_header", None) or {}
        return dict(message.get(part_name, {}))


def digest(cell_id: str, code: str) -> str:
    """The key of a cell's stored outputs: a changed cell has none."""
    return sha256(f"{cell_id}\n{code.strip()}".encode()).hexdigest()


def _find_names(code: str) -> tuple[set[str], set[str]]:
    """Find the names that a cell gives values to, and the names of values that it uses."""
    bound_names: set[str] = set()
    used_names: set[str] = set()
    try:
        syntax_tree = ast.parse(code)
    except (SyntaxError, ValueError):  # a magic
        return bound_names, used_names
    for node in ast.walk(syntax_tree):
        if isinstance(node, ast.Name):
            name_set = used_names if isinstance(node.ctx, ast.Load) else bound_names
            name_set.add(node.id)
        elif isinstance(node, ast.FunctionDef | ast.ClassDef):
            bound_names.add(node.name)
        elif isinstance(node, ast.alias):
            bound_names.add((node.asname or node.name).partition(".")[0])
    return bound_names, used_names
