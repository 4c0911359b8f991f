"""Arguments that a public function cannot use: an error that names the argument and what it takes.

A call that succeeds is not checked. When it fails with an error of Python or of a library, the
arguments are compared with the annotations; an argument that does not fit is what the error names.
If all of them fit, the error stays as it is: it is one of a function of the user, or a fault here.
"""

from __future__ import annotations

import errno
import inspect
import math
import re
import typing
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from functools import wraps
from types import UnionType
from typing import Any, Literal, NoReturn, TypeGuard, TypeVar, Union, get_args, get_origin

from .annotations import evaluate_annotation, write_annotations
from .call_names import call_name
from .cards import MisuseError
from .public_method import PublicMethod
from .signatures import refuse_positional_arguments
from .type_words import describe_type, find_literal_words

T = TypeVar("T")
UNCHECKED_ERRORS = (
    TypeError,
    ValueError,
    AttributeError,
    LookupError,
    ArithmeticError,
    OSError,
    RuntimeError,
)
"""What Python and libraries raise for a value that they cannot use."""

_FILE_ADVICE = {
    errno.ENOENT: "check its name and the folder you are in",
    errno.EISDIR: "name a file",
    errno.EACCES: "change its permissions, or name another file",
    errno.EPERM: "change its permissions, or name another file",
    errno.ENOSPC: "free some space, or name another place",
}
_SURROGATE = re.compile("[\ud800-\udfff]")
_SECRET_NAME = re.compile("secret|key|token|password", re.IGNORECASE)
_CHECKED_SPECIAL_METHODS = ("__init__", "__call__")


def explain_arguments(target: T) -> T:
    """Decorate a public function, or a class, so that errors of calls name the wrong argument.

    Of a class it decorates the public methods, `__init__` and `__call__`.
    """
    if not isinstance(target, type):
        return typing.cast("T", _explain_function(typing.cast("Callable[..., Any]", target)))
    for member_name, member in list(vars(target).items()):
        if member_name.startswith("_") and member_name not in _CHECKED_SPECIAL_METHODS:
            continue
        if isinstance(member, classmethod | staticmethod):
            setattr(target, member_name, type(member)(_explain_function(member.__func__)))
        elif inspect.isfunction(member):
            is_explained = hasattr(member, "__wrapped__")
            function = member if is_explained else _explain_function(member)
            setattr(target, member_name, PublicMethod(function))
    return target


def _explain_function(function: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap a function, so that its errors name the wrong argument."""
    write_annotations(function)

    @wraps(function)
    def wrapper(*args: object, **kwargs: object) -> Any:
        """Call the function; an error of Python names the argument that caused it."""
        __tracebackhide__ = True  # pytest shows the test, and the function itself
        try:
            return function(*args, **kwargs)
        except UNCHECKED_ERRORS as error:
            raise_with_explanation(function, args, kwargs, error)

    return wrapper


def raise_with_explanation(
    function: Callable[..., Any],
    args: Sequence[object],
    kwargs: Mapping[str, object],
    error: Exception,
) -> NoReturn:
    """Raise the error of a call again, or an error that names the argument that caused it."""
    from .base import ArgumentError, PaylabError  # here, since nearly every module imports this one

    traceback = error.__traceback__
    is_general = isinstance(error, ArgumentError) and error.is_general
    if (isinstance(error, PaylabError) and not is_general) or traceback is None:
        raise error
    has_entered_function = traceback.tb_next is not None
    if not has_entered_function:  # Python could not call it with these arguments
        refuse_unknown_parameters(function, kwargs)
        refuse_positional_arguments(function, args, kwargs)
        refuse_missing_arguments(function, args, kwargs)
        raise error
    explaining_error = None
    with suppress(Exception):  # a fault in the explanation must not hide the error
        explaining_error = _find_explanation(function, args, kwargs, error)
    if explaining_error is None:
        raise error
    # The error of a function that this one calls is replaced by one that names this one.
    raise explaining_error from (error.__cause__ if is_general else error)


def refuse_unknown_parameters(function: Callable[..., Any], names: Iterable[str]) -> None:
    """Raise TypeError if a function does not take one of the names; it names the right ones."""
    from .names import describe_unknown_parameters  # only for a wrong name

    parameters = inspect.signature(function).parameters
    takes_any = any(parameter.kind == parameter.VAR_KEYWORD for parameter in parameters.values())
    unknown_names = {*names} - {*parameters}
    if unknown_names and not takes_any:
        known_names = [parameter_name for parameter_name in parameters if parameter_name != "self"]
        message, _ = describe_unknown_parameters(call_name(function), unknown_names, known_names)
        raise MisuseError(message) from None


def refuse_missing_arguments(
    function: Callable[..., Any], args: Sequence[object], kwargs: Mapping[str, object]
) -> None:
    """Raise TypeError if a call lacks arguments; it says what each of them takes.

    >>> paylab.examples.individual(country="MX")
    Traceback (most recent call last):
    TypeError: individual() needs consent_at= (a datetime, such as lab.clock())
    """
    own_signature = inspect.signature(function)
    try:
        passed_names = own_signature.bind_partial(*args, **kwargs).arguments
    except TypeError:  # a call that is wrong in another way: its own error says so
        return
    missing_parameters = [
        parameter
        for parameter in own_signature.parameters.values()
        if parameter.default is inspect.Parameter.empty
        and parameter.kind not in (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
        and parameter.name not in passed_names
    ]
    if missing_parameters:
        needs_text = " and ".join(
            _describe_parameter(parameter, function) for parameter in missing_parameters
        )
        # Of an argument without a name, say for which parameter it was taken.
        given_names = [name for name in passed_names if name not in ("self", *kwargs)]
        given_text = f"; it was given {', '.join(given_names)}" if given_names else ""
        raise MisuseError(f"{call_name(function)}() needs {needs_text}{given_text}") from None


def _describe_parameter(parameter: inspect.Parameter, function: Callable[..., Any]) -> str:
    """Write the name of a parameter and what it takes: `currency= (text, such as 'mxn', 'php')`."""
    annotation = evaluate_annotation(parameter.annotation, inspect.unwrap(function).__module__)
    allowed_words = [repr(word) for word in find_literal_words(annotation)]
    if annotation is datetime:
        allowed_words = ["lab.clock()"]
    examples_text = f", such as {', '.join(allowed_words[:3])}" if allowed_words else ""
    return f"{parameter.name}= ({describe_type(annotation)}{examples_text})"


def _find_explanation(
    function: Callable[..., Any],
    args: Sequence[object],
    kwargs: Mapping[str, object],
    error: Exception,
) -> Exception | None:
    """Find what explains a failed call: an error that names an argument or a file.

    None if all arguments fit their annotations, and the error is not about a file.
    """
    from .base import ArgumentError

    bound_arguments = inspect.signature(function).bind(*args, **kwargs)
    for argument_name, argument, annotation in _list_annotated_arguments(function, bound_arguments):
        misfit_text = _describe_misfit(argument_name, argument, annotation)
        if misfit_text:
            message = f"{call_name(function)}(): {argument_name} {misfit_text}"
            return ArgumentError(message, argument_name, is_general=True)
        if _is_about_file(error) and "a path" in describe_type(annotation):
            return _make_file_error(error.filename or argument, error)
    if _is_about_file(error) and error.filename:
        return _make_file_error(error.filename, error)
    return None


def _is_about_file(error: Exception) -> TypeGuard[OSError]:
    """Whether an error is that of a file, not of a connection."""
    is_network = isinstance(error, ConnectionError | TimeoutError)
    return isinstance(error, OSError) and error.errno is not None and not is_network


def _make_file_error(path: object, error: OSError) -> Exception:
    """Make the ConfigError for a file that cannot be used, with the reason and what to do."""
    from .base import ConfigError
    from .text import plain

    reason = (error.strerror or str(error)).partition(". Detail")[0].lower()
    advice = _FILE_ADVICE.get(error.errno or 0, "name another file")
    return ConfigError(f"{plain(str(path), 200)} cannot be used: {plain(reason, 200)}; {advice}")


def _list_annotated_arguments(
    function: Callable[..., Any], bound_arguments: inspect.BoundArguments
) -> Iterable[tuple[str, Any, Any]]:
    """Yield the name, value and type of each argument of a call, except self and defaults."""
    for argument_name, passed_value in bound_arguments.arguments.items():
        parameter = bound_arguments.signature.parameters[argument_name]
        annotation = evaluate_annotation(parameter.annotation, function.__module__)
        if annotation is parameter.empty or argument_name == "self":
            continue
        if parameter.kind == parameter.VAR_KEYWORD:  # `refuse_unknown_parameters` checks these
            continue
        arguments_of_parameter = (
            passed_value if parameter.kind == parameter.VAR_POSITIONAL else (passed_value,)
        )
        for argument in arguments_of_parameter:
            if argument is not parameter.default:
                yield argument_name, argument, annotation


def _describe_misfit(argument_name: str, argument: object, annotation: object) -> str:
    """Say why an argument cannot be used, as `must be text, not 5`; "" if it can be used."""
    from .text import plain

    if not has_type(argument, annotation):
        value_text = f"of type {type(argument).__name__}"
        may_be_secret = _SECRET_NAME.search(argument_name) is not None
        is_shown = isinstance(argument, str | int | float) and not may_be_secret
        if argument is None or is_shown:
            value_text = plain(repr(argument), 60)
        hint_text = _suggest_number(argument_name, argument, annotation)
        return f"must be {describe_type(annotation)}, not {value_text}{hint_text}"
    if isinstance(argument, str) and _SURROGATE.search(argument):
        return "has an unpaired surrogate, which cannot be written or sent: remove it"
    if isinstance(argument, float) and not math.isfinite(argument):
        return f"must be a finite number, not {argument}"
    return ""


def _suggest_number(argument_name: str, argument: object, annotation: object) -> str:
    """Say how to write a whole number that was given as text: `: write port=8000`; else ""."""
    is_digits = isinstance(argument, str) and argument.isdecimal() and argument.isascii()
    return f": write {argument_name}={argument}" if is_digits and has_type(1, annotation) else ""


def has_type(value: object, annotation: object) -> bool:
    """Whether a value has the type of an annotation. A value that cannot be checked has it.

    >>> arguments.has_type(["a", 1], list[str])
    False
    """
    type_ = get_origin(annotation) or annotation
    type_arguments = get_args(annotation)
    if type_ in (Union, UnionType):
        return any(has_type(value, member_type) for member_type in type_arguments)
    if type_ is Literal:
        return value in type_arguments
    if type_ in _TYPE_CHECKS:
        return _TYPE_CHECKS[type_](value)
    if not isinstance(type_, type):
        return True
    if getattr(type_, "_is_protocol", False):  # a value has it if it has the members
        return all(
            hasattr(value, attribute_name)
            for attribute_name in vars(type_)
            if not attribute_name.startswith("_")
        )
    class_ = Mapping if typing.is_typeddict(type_) else type_
    return isinstance(value, class_) and _have_items_type(value, type_arguments)


_TYPE_CHECKS: Mapping[Any, Callable[[Any], bool]] = {
    None: lambda value: value is None,
    int: lambda value: hasattr(type(value), "__index__"),
    float: lambda value: hasattr(type(value), "__float__"),
    Callable: callable,
}


def _have_items_type(collection: object, type_arguments: tuple[Any, ...]) -> bool:
    """Whether the items of a collection have the types between its brackets.

    An iterator is not read, and a tuple of several types is not checked.
    """
    item_types = [type_ for type_ in type_arguments if type_ is not Ellipsis]
    if not isinstance(collection, Mapping | list | set | frozenset | tuple | str | bytes):
        return True
    has_item_type = len(item_types) == 1
    has_key_and_value_type = isinstance(collection, Mapping) and len(item_types) == 2
    if not has_item_type and not has_key_and_value_type:
        return True
    return all(has_type(item, item_types[0]) for item in collection)
