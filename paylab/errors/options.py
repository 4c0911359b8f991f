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
    """Show the keys of the TypedDicts behind `**options` one by one, and refuse other names.

    An option without a default has None. If an argument has a wrong type, the error names it.
    """

    def decorate(function: Callable[P, A]) -> Callable[P, A]:
        write_annotations(function)
        full_signature = _with_options(signature(function), _option_parameters(groups, defaults))

        @wraps(function)
        def wrapper(*args: P.args, **kwargs: P.kwargs) -> A:
            if not kwargs.keys() <= full_signature.parameters.keys():
                refuse_unknown(wrapper, kwargs)
            try:
                return function(*args, **kwargs)
            except UNCHECKED_ERRORS as error:
                raise_with_explanation(wrapper, args, kwargs, error)

        wrapper.__signature__ = full_signature  # type: ignore[attr-defined] # what inspect and IDEs look for
        return wrapper

    return decorate


def _with_options(own_signature: Signature, options: Iterable[Parameter]) -> Signature:
    """A signature with options in place of its `**options`."""
    parameters = [p for p in own_signature.parameters.values() if p.kind != p.VAR_KEYWORD]
    return own_signature.replace(parameters=[*parameters, *options])


def _option_parameters(
    groups: Collection[type], defaults: Mapping[str, object]
) -> Iterator[Parameter]:
    """A keyword-only parameter for each key of the TypedDicts."""
    for group in groups:
        for option_name, annotation in group.__annotations__.items():
            yield Parameter(
                option_name,
                Parameter.KEYWORD_ONLY,
                default=defaults.get(option_name),
                annotation=_write_option(annotation, group.__module__),
            )


def _write_option(annotation: ForwardRef, module_name: str) -> WrittenAnnotation:
    """The annotation of an option, which a TypedDict stores with its module."""
    home = annotation.__forward_module__ or module_name
    return WrittenAnnotation(annotation.__forward_arg__, home)
