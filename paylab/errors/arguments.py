"""Arguments that a public function cannot use: an error that names the argument and what it takes.

A call that succeeds is not checked. When it fails with an error of Python or of a library, the
arguments are compared with the annotations; an argument that does not fit is what the error names.
If all of them fit, the error stays as it is: it is one of a function of the user, or a fault here.
"""

from __future__ import annotations

import ast
import builtins
import errno
import inspect
import math
import os
import re
import sys
import typing
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from decimal import Decimal
from functools import wraps
from importlib import import_module
from types import MappingProxyType, ModuleType, UnionType
from typing import Any, Literal, NoReturn, TypeGuard, TypeVar, Union, get_args, get_origin

T = TypeVar("T")
RAW = (TypeError, ValueError, AttributeError, LookupError, ArithmeticError, OSError, RuntimeError)
"""What Python and libraries raise for a value that they cannot use."""

WORDS: Mapping[Any, str] = MappingProxyType(
    {
        str: "text",
        bytes: "bytes",
        int: "a whole number",
        float: "a number",
        bool: "True or False",
        Decimal: "a Decimal",
        type(None): "None",
        os.PathLike: "a path",
        Mapping: "a dict",
        dict: "a dict",
        Sequence: "a list",
        Iterable: "a list",
        Collection: "a list",
        Callable: "a function",
    }
)
_ADVICE = {
    errno.ENOENT: "check its name and the folder you are in",
    errno.EISDIR: "name a file",
    errno.EACCES: "change its permissions, or name another file",
    errno.EPERM: "change its permissions, or name another file",
    errno.ENOSPC: "free some space, or name another place",
}
_SURROGATE = re.compile("[\ud800-\udfff]")
_SECRET = re.compile("secret|key|token|password", re.IGNORECASE)
_CALLED = ("__init__", "__call__")


def explain_arguments(target: T) -> T:
    """A public function, or a class and its public methods, with errors that name an argument."""
    if not isinstance(target, type):
        return typing.cast("T", _explained(typing.cast("Callable[..., Any]", target)))
    for name, member in list(vars(target).items()):
        if name.startswith("_") and name not in _CALLED:
            continue
        if isinstance(member, classmethod | staticmethod):
            setattr(target, name, type(member)(_explained(member.__func__)))
        elif inspect.isfunction(member) and not hasattr(member, "__wrapped__"):
            setattr(target, name, _explained(member))
    return target


def _explained(function: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        try:
            return function(*args, **kwargs)
        except RAW as error:
            raise_explained(function, args, kwargs, error)

    return call


def raise_explained(
    function: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any], error: Exception
) -> NoReturn:
    """Raise the error of a call: of the tree if an argument explains it, else as it is."""
    from .base import PaylabError  # here, since nearly every module imports this one

    trace = error.__traceback__
    if isinstance(error, PaylabError) or trace is None or trace.tb_next is None:
        raise error  # without a frame of the function its signature was not met
    try:
        explanation = _explanation(function, args, kwargs, error)
    except Exception:
        explanation = None
    if explanation is None:
        raise error
    raise explanation from error


def _explanation(
    function: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any], error: Exception
) -> Exception | None:
    from .base import ArgumentError

    bound = inspect.signature(function).bind(*args, **kwargs)
    for name, value, annotation in _annotated(function, bound):
        reason = _misfit(name, value, annotation)
        if reason:
            return ArgumentError(f"{function.__qualname__}(): {name} {reason}", name)
        if _is_about_file(error) and "a path" in _parts(annotation):
            return _unusable(error.filename or value, error)
    return _unusable(error.filename, error) if _is_about_file(error) and error.filename else None


def _is_about_file(error: Exception) -> TypeGuard[OSError]:
    """Whether an error is that of a file, not of a connection."""
    is_network = isinstance(error, ConnectionError | TimeoutError)
    return isinstance(error, OSError) and error.errno is not None and not is_network


def _unusable(path: object, error: OSError) -> Exception:
    from .base import ConfigError
    from .text import plain

    reason = (error.strerror or str(error)).partition(". Detail")[0].lower()
    advice = _ADVICE.get(error.errno or 0, "name another file")
    return ConfigError(f"{plain(str(path), 200)} cannot be used: {plain(reason, 200)}; {advice}")


def _annotated(
    function: Callable[..., Any], bound: inspect.BoundArguments
) -> Iterable[tuple[str, Any, Any]]:
    """The name, value and type of each argument of a call."""
    for name, value in bound.arguments.items():
        parameter = bound.signature.parameters[name]
        written = parameter.annotation  # of an option it is a ForwardRef with its module
        annotation = getattr(written, "__forward_arg__", written)
        home = getattr(written, "__forward_module__", None) or function.__module__
        names = _Names(sys.modules[home])
        while isinstance(annotation, str):  # an alias may be text, too
            annotation = eval(annotation, {}, names)  # noqa: S307 - an annotation of ours
        if annotation is parameter.empty or name == "self":
            continue
        if parameter.kind == parameter.VAR_KEYWORD:
            continue
        values = value if parameter.kind == parameter.VAR_POSITIONAL else (value,)
        for item in values:
            if item is not parameter.default:
                yield name, item, annotation


class _Names(dict[str, Any]):
    """The names of a module, those included that are imported for annotations only."""

    def __init__(self, module: ModuleType) -> None:
        super().__init__(vars(builtins) | vars(module))
        self._modules = [module]

    def __missing__(self, name: str) -> Any:
        for module in self._modules:
            if name in vars(module):
                return vars(module)[name]
            for node in ast.walk(ast.parse(inspect.getsource(module))):
                for alias in getattr(node, "names", ()) if _is_import(node) else ():
                    if (alias.asname or alias.name) == name:
                        return self._imported(node, alias.name, module)
        return Any

    def _imported(self, node: ast.AST, name: str, module: ModuleType) -> Any:
        if isinstance(node, ast.ImportFrom):
            home = import_module("." * node.level + (node.module or ""), module.__package__)
            self._modules.append(home)  # an alias in it may be text with names of its own
            return getattr(home, name, Any)
        return import_module(name)


def _is_import(node: ast.AST) -> bool:
    return isinstance(node, ast.Import | ast.ImportFrom)


def _misfit(name: str, value: Any, annotation: Any) -> str:
    """Why a value cannot be used; empty if it fits its annotation."""
    from .text import plain

    if not has_type(value, annotation):
        shown = f"of type {type(value).__name__}"
        if value is None or (isinstance(value, str | int | float) and not _SECRET.search(name)):
            shown = plain(repr(value), 60)
        return f"must be {type_in_words(annotation)}, not {shown}"
    if isinstance(value, str) and _SURROGATE.search(value):
        return "has an unpaired surrogate, which cannot be written or sent: remove it"
    if isinstance(value, float) and not math.isfinite(value):
        return f"must be a finite number, not {value}"
    return ""


def has_type(value: Any, annotation: Any) -> bool:
    """Whether a value has the type of an annotation, as far as it can be seen without reading it.

    >>> arguments.has_type(["a", 1], list[str])
    False
    """
    kind = get_origin(annotation) or annotation
    inner = get_args(annotation)
    if kind in (Union, UnionType):
        return any(has_type(value, part) for part in inner)
    if kind is Literal:
        return value in inner
    if kind in _CHECKS:
        return _CHECKS[kind](value)
    if not isinstance(kind, type):
        return True
    if getattr(kind, "_is_protocol", False):
        return all(hasattr(value, name) for name in vars(kind) if not name.startswith("_"))
    return isinstance(value, Mapping if typing.is_typeddict(kind) else kind) and _items_fit(
        value, inner
    )


_CHECKS: Mapping[Any, Callable[[Any], bool]] = {
    None: lambda value: value is None,
    int: lambda value: hasattr(type(value), "__index__"),
    float: lambda value: hasattr(type(value), "__float__"),
    Callable: callable,
}


def _items_fit(value: Any, inner: tuple[Any, ...]) -> bool:
    """Whether the items of a collection have the types between its brackets."""
    kinds = [part for part in inner if part is not Ellipsis]
    is_kept = isinstance(value, Mapping | list | set | frozenset | tuple | str | bytes)
    is_row = is_kept and (len(kinds) == 1 or (isinstance(value, Mapping) and len(kinds) == 2))
    return not is_row or all(has_type(item, kinds[0]) for item in value)


def type_in_words(annotation: Any) -> str:
    """The type of an annotation in words.

    >>> arguments.type_in_words(str | int | None)
    'text, a whole number or None'
    """
    words = list(dict.fromkeys(_parts(annotation)))
    return " or ".join(filter(None, [", ".join(words[:-1]), words[-1]]))


def _parts(annotation: Any) -> Iterable[str]:
    origin = get_origin(annotation)
    inner = get_args(annotation)
    if origin in (Union, UnionType):
        for part in inner:
            yield from _parts(part)
    elif origin is Literal:
        yield from map(repr, inner)
    else:
        kind = origin or annotation
        yield WORDS.get(kind) or f"a {getattr(kind, '__name__', kind)}"
