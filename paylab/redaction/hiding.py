"""How a secret is hidden: a mark in its place, a type that reveals it, frames without it.

A notebook with `%xmode Verbose`, and other tools that print tracebacks with variables, would show
the keys and signed headers in the frames of an interrupt. Errors other than interrupts keep all
their frames.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, Protocol, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

HIDDEN = "***"
"""The mark in place of a secret."""


class Revealing(Protocol):
    """A secret whose text is read with `reveal()`."""

    def reveal(self) -> str:
        """The text."""


def hide_frames(function: Callable[P, T]) -> Callable[P, T]:
    """The function; an interrupt inside it is raised without the frames of the function."""

    @wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> T:
        try:
            return function(*args, **kwargs)
        except Exception:
            raise
        except BaseException as interrupt:
            del args, kwargs  # this frame stays
            raise interrupt.with_traceback(None) from None

    return call
