"""How a secret is hidden: a mark in its place, a type that reveals it, frames without it.

A notebook with `%xmode Verbose`, and other tools that print tracebacks with variables, would show
the keys and signed headers in the frames of an interrupt. Errors other than interrupts keep all
their frames.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, ParamSpec, Self, TypeVar

from ..errors.base import ConfigError

P = ParamSpec("P")
T = TypeVar("T")

HIDDEN = "***"
"""The mark in place of a secret."""


class Secret:
    """A secret: prints as `***`, is not pickled, and is read with `reveal()`."""

    __slots__ = ("__text",)

    def __init__(self, text: str | None = None) -> None:
        self.__text = text

    @classmethod
    def of(cls, value: str | Secret) -> Secret:
        """The value as a Secret.

        >>> type(lab.settings.api_key).of("k")
        ***
        """
        return value if isinstance(value, Secret) else cls(value)

    def reveal(self) -> str:
        """The text of the secret; ConfigError after unpickling: a pickle has no text.

        >>> len(lab.settings.secret_key.reveal()) > 20
        True
        """
        if self.__text is None:
            raise ConfigError("the secret is missing: secrets are not pickled; connect again")
        return self.__text

    def __repr__(self) -> str:
        """The mark in place of the text."""
        return HIDDEN

    __str__ = __repr__

    def __format__(self, spec: str, /) -> str:
        """The mark in place of the text, in an f-string too."""
        return HIDDEN

    def __reduce__(self) -> tuple[type[Secret], tuple[()]]:
        """Pickle a secret without its text."""
        return type(self), ()

    def __copy__(self) -> Self:
        """The same secret."""
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        """The same secret."""
        return self


def hide_frames(function: Callable[P, T]) -> Callable[P, T]:
    """Raise an interrupt of a function without its frames, whose locals may be secret."""

    @wraps(function)
    def wrapper(*args: P.args, **kwargs: P.kwargs) -> T:
        """Call the function; its errors keep their frames, which show where it failed."""
        try:
            return function(*args, **kwargs)
        except Exception:
            raise
        except BaseException as interrupt:
            del args, kwargs  # the traceback keeps this frame, so its locals go
            raise interrupt.with_traceback(None) from None

    return wrapper
