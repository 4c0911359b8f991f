"""The options of a function, which stand in a TypedDict, as if they were its parameters."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import wraps
from inspect import Parameter, Signature, signature
from types import MappingProxyType
from typing import ForwardRef, ParamSpec, TypeVar

from .annotations import WrittenAnnotation, write_annotations
from .arguments import UNCHECKED_ERRORS, raise_with_explanation, refuse_unknown_parameters

P = ParamSpec("P")
A = TypeVar("A")

Refuse = Callable[[Callable[..., object], Iterable[str]], None]
"""Raises TypeError for those of the names that a function does not take."""


def show_options(
    *groups: type,
    defaults: Mapping[str, object] = MappingProxyType({}),
    refuse_unknown: Refuse = refuse_unknown_parameters,
) -> Callable[[Callable[P, A]], Callable[P, A]]:
    """Decorate a function with `**options`, whose names and types are keys of TypedDicts.

    Its signature shows each option, with its default or None. A call with another name is a
    TypeError, and the error for an argument of a wrong type names the argument.
    """

    def decorate(function: Callable[P, A]) -> Callable[P, A]:
        """Wrap a function that has `**options`."""
        write_annotations(function)
        options = _make_option_parameters(groups, defaults)
        full_signature = _replace_options(signature(function), options)

        @wraps(function)
        def wrapper(*args: P.args, **kwargs: P.kwargs) -> A:
            """Call the function; refuse unknown names, and explain its errors."""
            if not kwargs.keys() <= full_signature.parameters.keys():
                refuse_unknown(wrapper, kwargs)
            try:
                return function(*args, **kwargs)
            except UNCHECKED_ERRORS as error:
                raise_with_explanation(wrapper, args, kwargs, error)

        wrapper.__signature__ = full_signature  # type: ignore[attr-defined] # what inspect and IDEs look for
        return wrapper

    return decorate


def _replace_options(own_signature: Signature, options: Iterable[Parameter]) -> Signature:
    """A signature with a parameter for each option in place of its `**options`."""
    parameters = [
        parameter
        for parameter in own_signature.parameters.values()
        if parameter.kind != Parameter.VAR_KEYWORD
    ]
    return own_signature.replace(parameters=[*parameters, *options])


def _make_option_parameters(
    groups: Collection[type], defaults: Mapping[str, object]
) -> Iterator[Parameter]:
    """Make a keyword-only parameter for each key of the TypedDicts."""
    for option_class in groups:
        for option_name, annotation in option_class.__annotations__.items():
            yield Parameter(
                option_name,
                Parameter.KEYWORD_ONLY,
                default=defaults.get(option_name),
                annotation=_write_annotation(annotation, option_class.__module__),
            )


def _write_annotation(annotation: ForwardRef, class_module: str) -> WrittenAnnotation:
    """The text of an annotation in a TypedDict, with the module whose names it uses.

    An inherited option has the module of the TypedDict that defines it, if Python stores one.
    """
    module_name = annotation.__forward_module__ or class_module
    return WrittenAnnotation(annotation.__forward_arg__, module_name)
