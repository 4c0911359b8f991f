"""Calls with more arguments without a name than the signature of a function takes."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from inspect import Parameter
from typing import Any, Unpack, get_args, get_origin

from .annotations import evaluate_annotation
from .cards import MisuseError

_UNNAMED_KINDS = (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD)


def refuse_unnamed_arguments(
    function: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any]
) -> None:
    """Raise TypeError for too many arguments without a name; it names those that are to be named.

    >>> lab.inbox().wait("transfer.completed", 60)
    Traceback (most recent call last):
    TypeError: Inbox.wait() takes only event_type without a name: it takes timeout=, every=, \
conditions
    """
    parameters = [*inspect.signature(function).parameters.values()]
    if any(parameter.kind == Parameter.VAR_POSITIONAL for parameter in parameters):
        return
    unnamed_parameters = [parameter for parameter in parameters if parameter.kind in _UNNAMED_KINDS]
    if len(args) <= len(unnamed_parameters):
        return
    unnamed_names = [parameter.name for parameter in unnamed_parameters if parameter.name != "self"]
    limit_text = "no argument"
    if unnamed_names:
        limit_text = f"only {' and '.join(unnamed_names)}"
    option_names = [
        option_name
        for parameter in parameters
        if parameter not in unnamed_parameters and parameter.name not in kwargs
        for option_name in _write_option_names(parameter, function)
    ]
    hint_text = "write it without"
    if option_names:
        hint_text = f"it takes {', '.join(option_names)}"
    raise MisuseError(
        f"{call_name(function)}() takes {limit_text} without a name: {hint_text}"
    ) from None


def call_name(function: Callable[..., Any]) -> str:
    """The name that a call writes: the name of the class for its `__init__`."""
    return function.__qualname__.removesuffix(".__init__")


def _write_option_names(parameter: Parameter, function: Callable[..., Any]) -> list[str]:
    """The name of a parameter as in a call, `timeout=`.

    Those of `**options` are the keys of its TypedDict; without one it is the name without =.
    """
    if parameter.kind != Parameter.VAR_KEYWORD:
        return [f"{parameter.name}="]
    annotation = evaluate_annotation(parameter.annotation, inspect.unwrap(function).__module__)
    if get_origin(annotation) is not Unpack:
        return [parameter.name]
    (options_type,) = get_args(annotation)
    return [f"{option_name}=" for option_name in options_type.__annotations__]
