"""Steps of a notebook: a step that the service does not offer is skipped.

After a skipped step or a failed cell, the names that it would have set hold a placeholder. Any
use raises a StepError that names the cell to run again, instead of a NameError.
"""

from __future__ import annotations

import ast
import dis
import sys
from collections.abc import Iterable, Iterator, MutableMapping
from dataclasses import dataclass
from types import CodeType, TracebackType
from typing import Any, NoReturn

from ..errors import APIStatusError, MissingOperationError, PaylabError, StepError
from .displays import running_shell

ABSENT = frozenset({403, 404, 405, 410, 501})
"""Status codes of an operation that a service does not have or does not allow."""

STORES = ("STORE_NAME", "STORE_GLOBAL")


@dataclass(frozen=True)
class Cause:
    """The step or cell without results, and the reason."""

    step: str
    reason: str


class Missing:
    """A placeholder of a missing result; any use raises StepError."""

    def __init__(self, name: str, cause: Cause) -> None:
        self.__dict__.update(_name=name, _cause=cause)

    def __repr__(self) -> str:
        return f"<{self._name} is missing: it needs {self._cause.step}>"

    def __getattr__(self, name: str) -> NoReturn:
        if name.startswith(("__", "_repr_", "_ipython_", "_render_")):
            raise AttributeError(name)  # attributes that Python and IPython look up on any object
        self._refuse()

    def _refuse(self, *_: object, **__: object) -> NoReturn:
        cause = self.__dict__["_cause"]
        error = StepError(
            f"{self.__dict__['_name']} is missing: it needs {cause.step}, which {cause.reason}"
        )
        error.cause = cause
        raise error

    __getitem__ = __iter__ = __len__ = __call__ = __bool__ = __str__ = __format__ = _refuse
    __contains__ = __enter__ = __exit__ = __fspath__ = __float__ = __int__ = __add__ = __sub__ = (
        _refuse
    )
    __mul__ = __truediv__ = __radd__ = __lt__ = __le__ = __gt__ = __ge__ = _refuse


class Step:
    """A `with` block that is skipped, with a message, if the service does not offer it."""

    def __init__(self, title: str) -> None:
        self.title = title

    def __enter__(self) -> None:
        """Run the block."""

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> bool:
        if isinstance(error, StepError):
            cause, words = error.cause, [f"{self.title}: skipped. {error}"]
        elif isinstance(error, MissingOperationError) or (
            isinstance(error, APIStatusError) and error.status in ABSENT
        ):
            cause = Cause(f"the step {self.title!r}", "this service does not offer")
            words = [
                f"{self.title}: not available in this service; the notebook continues",
                *(f"  {line}" for line in error.card()),
            ]
        else:
            return False
        print("\n".join(words))  # noqa: T201 - a cell says what it left out
        frame = sys._getframe(1)
        if frame.f_locals is frame.f_globals:  # in a cell, not in a function
            put_missing(frame.f_globals, _assigned(frame.f_code), cause)
        return True


def put_missing(names: MutableMapping[str, Any], missing: Iterable[str], cause: Cause) -> None:
    """Set names without a value to placeholders."""
    for name in missing:
        if name not in names or isinstance(names[name], Missing):
            names[name] = Missing(name, cause)


def watch_cells() -> None:
    """After each failed cell of a running IPython, set the names that it did not assign."""
    shell = running_shell()
    if shell is not None and _after_cell not in shell.events.callbacks["post_run_cell"]:
        shell.events.register("post_run_cell", _after_cell)


def _after_cell(result: Any) -> None:
    error = result.error_in_exec
    if not isinstance(error, BaseException) or not _is_ours(error):
        return
    place = f"cell {result.execution_count}" if result.execution_count else "an earlier cell"
    words = f"{type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}"
    cause = getattr(error, "cause", None) or Cause(place, f"ended with {words.rstrip(': ')}")
    shell = running_shell()
    source = shell.transform_cell(result.info.raw_cell)
    code = compile(source, "<cell>", "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
    put_missing(shell.user_ns, _assigned(code), cause)


def _is_ours(error: BaseException) -> bool:
    """Whether an error was raised by paylab."""
    frame = error.__traceback__
    while frame is not None:
        if str(frame.tb_frame.f_globals.get("__name__")).partition(".")[0] == "paylab":
            return True
        frame = frame.tb_next
    return isinstance(error, PaylabError)


def _assigned(code: CodeType) -> Iterator[str]:
    """The names that a compiled cell assigns, without those inside functions."""
    for instruction in dis.get_instructions(code):
        if instruction.opname in STORES:
            yield str(instruction.argval)
