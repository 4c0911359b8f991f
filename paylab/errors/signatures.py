"""Calls with more arguments without a name than the signature of a function takes."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from inspect import Parameter
from typing import Any, Unpack, get_args, get_origin

from .annotations import evaluate_annotation
from .call_names import call_name
from .cards import MisuseError
from .habits import find_our_name

_POSITIONAL_KINDS = (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD)


def refuse_positional_arguments(
    function: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any]
) -> None:
    """Raise TypeError for too many positional arguments; it lists the arguments with a name.

    >>> lab.inbox().wait("transfer.completed", 60)
    Traceback (most recent call last):
    TypeError: Inbox.wait() takes only event_type without a name: it takes timeout=, every=, \
conditions (name=value)
    """
    parameters = [*inspect.signature(function).parameters.values()]
    if any(parameter.kind == Parameter.VAR_POSITIONAL for parameter in parameters):
        return
    positional_parameters = [
        parameter for parameter in parameters if parameter.kind in _POSITIONAL_KINDS
    ]
    if len(args) <= len(positional_parameters):
        return
    positional_names = [
        parameter.name for parameter in positional_parameters if parameter.name != "self"
    ]
    keyword_texts: list[str] = []
    for parameter in parameters:
        if parameter not in positional_parameters and parameter.name not in kwargs:
            keyword_texts += _write_option_names(parameter, function)
    limit_text = f"only {' and '.join(positional_names)}" if positional_names else "no argument"
    if positional_names or keyword_texts:
        limit_text += " without a name"
    if keyword_texts:
        hint_text = f"it takes {', '.join(keyword_texts)}"
    else:  # such as `pager.first(5)`
        several_items = find_our_name(f"{function.__name__}_items", {*dir(args[0])})
        hint_text = f"use {several_items}" if several_items else "write it without"
    # Python's own TypeError, which is being handled, says less.
    raise MisuseError(f"{call_name(function)}() takes {limit_text}: {hint_text}") from None


def _write_option_names(parameter: Parameter, function: Callable[..., Any]) -> list[str]:
    """The name of a parameter as in a call, `timeout=`.

    Those of `**options` are the keys of its TypedDict; without one it is the name without =.
    """
    if parameter.kind != Parameter.VAR_KEYWORD:
        return [f"{parameter.name}="]
    annotation = evaluate_annotation(parameter.annotation, inspect.unwrap(function).__module__)
    if get_origin(annotation) is not Unpack:
        return [f"{parameter.name} (name=value)"]
    (options_type,) = get_args(annotation)
    return [f"{option_name}=" for option_name in options_type.__annotations__]
