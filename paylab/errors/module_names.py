"""Unknown names of modules, and modules that are used as a function or a collection."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from functools import partial
from types import ModuleType
from typing import NoReturn

from .cards import LateAttributeError, MisuseError
from .habits import find_our_name
from .names import refuse_item
from .refusals import kind_name, list_names
from .suggestions import find_suggestion


def raise_unknown_name(module: str, name: str, known: Iterable[str]) -> NoReturn:
    """The `__getattr__` of a module: AttributeError with the name to use instead, or all names."""
    raise LateAttributeError(partial(_describe_unknown_name, module, name, sorted(known)))


def _describe_unknown_name(module: str, name: str, known_names: Sequence[str]) -> str:
    """The message for an unknown name of a module: what to use instead, or all names."""
    message = f"module {kind_name(sys.modules[module])!r} has no attribute {name!r}"
    if name.startswith("_"):  # Python and IPython look up such names on any module
        return message
    suggestion = _find_in_lab(module, name) or find_suggestion(name, known_names)
    return f"{message}: " + (f"use {suggestion}" if suggestion else list_names(known_names))


def _find_in_lab(module: str, name: str) -> str | None:
    """Where a name is that the package lacks, such as `connect().transfers`, or an exception."""
    package = sys.modules[module]
    lab_class = getattr(package, "Lab", None)
    if lab_class is None:
        return None
    if name == "Error":  # `paylab.error`, as in other SDKs, is the module of errors
        return f"{module}.PaylabError"
    if name.endswith(("Error", "Warning")) and hasattr(package.errors, name):
        return f"{module}.errors.{name}"
    return f"connect().{name}" if hasattr(lab_class, name) else None


class PublicModule(ModuleType):
    """A module whose unknown names and items are errors that name the known ones."""

    def __getattr__(self, name: str) -> NoReturn:
        """AttributeError with the name to use instead of an unknown one, or all names."""
        known_names = [known_name for known_name in dir(self) if not known_name.startswith("_")]
        raise_unknown_name(self.__name__, name, known_names)

    def __getitem__(self, key: object) -> NoReturn:
        """TypeError with the names of the module, which has no items."""
        refuse_item(self, key)

    def __call__(self, *_args: object, **_named: object) -> NoReturn:
        """TypeError with the function to call instead, such as `connect`, or all names."""
        package_name, _, module_name = kind_name(self).partition(".")
        function_name = find_our_name(module_name, {*dir(sys.modules[package_name])})
        advice = f"use {package_name}.{function_name}()" if function_name else list_names(dir(self))
        raise MisuseError(f"{self!r} is not a function: {advice}")

    def __repr__(self) -> str:
        """The public name of the module and the first line of its docstring."""
        summary_line = str(self.__doc__).partition("\n")[0].rstrip(".")
        return f"<{kind_name(self)}: {summary_line}>"
