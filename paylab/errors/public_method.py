"""A public method whose unknown attributes are errors: it was taken for a part of its owner.

Other SDKs write `client.events.list()` where paylab has `lab.events()`. Without this class,
Python answers that a function object has no attribute.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import update_wrapper
from inspect import Parameter, signature
from types import MethodType
from typing import Any, NoReturn

from .cards import AbsentAttributeError

_NAMES_MAX = 6
"""The parameters that an error lists."""


class PublicMethod:
    """A function of a class; an attribute that it does not have is an error that says to call it.

    >>> lab.balance.retrieve()
    Traceback (most recent call last):
    AttributeError: balance is a function and has no attribute 'retrieve': write balance(); ...
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        """Take over name, docstring and signature of the function."""
        update_wrapper(self, function)
        self._function = function

    def __get__(self, owner: object, kind: type | None = None) -> Any:
        """Bind the function to its owner, as Python does with a plain one."""
        return self if owner is None else MethodType(self, owner)

    def __call__(self, *args: object, **kwargs: object) -> Any:
        """Call the function."""
        __tracebackhide__ = True  # pytest shows the test, and the function itself
        return self._function(*args, **kwargs)

    def __getattr__(self, name: str) -> NoReturn:
        """AttributeError that says how to call the function."""
        message = f"{self.__name__} is a function and has no attribute {name!r}"
        if name.startswith("_"):  # Python and IPython look up such names
            raise AttributeError(message)
        raise AbsentAttributeError(
            f"{message}: write {self.__name__}{_describe_call(self._function)}"
        )


def _describe_call(function: Callable[..., Any]) -> str:
    """Write the arguments of a call: in brackets those that it needs, then the names of others."""
    parameters = [*signature(function).parameters.values()][1:]  # without self
    needed_names = []
    other_names = []
    for parameter in parameters:
        if parameter.kind in (Parameter.VAR_POSITIONAL, Parameter.VAR_KEYWORD):
            continue
        if parameter.default is Parameter.empty:
            is_keyword = parameter.kind == Parameter.KEYWORD_ONLY
            needed_names.append(f"{parameter.name}=..." if is_keyword else parameter.name)
        else:
            other_names.append(f"{parameter.name}=")
    shown_options = other_names[:_NAMES_MAX]
    options_text = f"; it takes {', '.join(shown_options)}" if shown_options else ""
    return f"({', '.join(needed_names)}){options_text}"
