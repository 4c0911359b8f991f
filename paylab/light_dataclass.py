"""Frozen dataclasses that are light to import.

`dataclasses.dataclass` compiles up to seven functions for each class, which takes most of the time
of importing many small classes. Light dataclasses share functions that read their fields. For type
checkers, `dataclasses.fields`, `replace`, `pickle` and pydantic they are frozen dataclasses.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import MISSING, FrozenInstanceError, dataclass, fields
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn, TypeVar

if TYPE_CHECKING:
    from dataclasses import dataclass as light_dataclass
    from inspect import Signature

__all__ = ["light_dataclass"]

T = TypeVar("T")


if not TYPE_CHECKING:

    def light_dataclass(
        *,
        frozen: bool,
        eq: bool = True,
        repr: bool = True,  # noqa: A002 - as in dataclasses.dataclass
        kw_only: bool = False,
    ) -> Callable[[type[T]], type[T]]:
        """Make a frozen dataclass of a class that extends no dataclass.

        `frozen` is True. It is written at each class, since type checkers read it there. The
        others are those of `dataclasses.dataclass`.
        """
        if not frozen:
            raise TypeError("a light dataclass is frozen")
        left_out = {*(() if eq else ("__eq__", "__hash__")), *(() if repr else ("__repr__",))}

        def decorate(record_class: type[T]) -> type[T]:
            """Make a light dataclass of a class; methods that it has itself stay."""
            light_class = dataclass(init=False, repr=False, eq=False, kw_only=kw_only)(record_class)
            light_class.__dataclass_params__.frozen = True  # a frozen dataclass can extend it
            for method_name, method in _SHARED_METHODS.items():
                if method_name not in vars(light_class) and method_name not in left_out:
                    setattr(light_class, method_name, method)
            return light_class

        return decorate


@cache
def _read_defaults(record_class: Any) -> Mapping[str, Any]:
    """Read the default of each field, by its name; MISSING for a field without a default."""
    return {field.name: field.default for field in fields(record_class)}


@cache
def _read_default_factories(record_class: Any) -> Mapping[str, Callable[[], Any]]:
    """Read the functions that make the default of a field, by field."""
    return {
        field.name: field.default_factory
        for field in fields(record_class)
        if field.default_factory is not MISSING
    }


@cache
def _find_required_fields(record_class: object) -> frozenset[str]:
    """Find the names of the fields without a default, which an argument must set."""
    names_without_default = {
        field_name
        for field_name, default in _read_defaults(record_class).items()
        if default is MISSING
    }
    return frozenset(names_without_default - _read_default_factories(record_class).keys())


class _Initialization(NamedTuple):
    """What making a record reads of its class; each request makes about a dozen records."""

    defaults: Mapping[str, Any]
    factories: tuple[tuple[str, Callable[[], Any]], ...]
    required: frozenset[str]
    has_post_init: bool


@cache
def _read_initialization(record_class: Any) -> _Initialization:
    """Read what making a record needs, once for each class."""
    return _Initialization(
        _read_defaults(record_class),
        tuple(_read_default_factories(record_class).items()),
        _find_required_fields(record_class),
        hasattr(record_class, "__post_init__"),
    )


def _initialize(record: Any, /, *positional: Any, **named: Any) -> None:
    """The `__init__` of all light dataclasses: set the fields from arguments and defaults."""
    record_class: Any = type(record)
    defaults, factories, required, has_post_init = _read_initialization(record_class)
    argument_by_field = named
    if positional:
        argument_by_field = dict(zip(record_class.__match_args__, positional, strict=False)) | named
    value_by_field = {**defaults, **argument_by_field}
    has_repeated_or_surplus = len(argument_by_field) < len(positional) + len(named)
    has_unknown = len(value_by_field) > len(defaults)
    if has_repeated_or_surplus or has_unknown or not required <= argument_by_field.keys():
        # Raises TypeError, which names the argument.
        _make_signature(record_class).bind(*positional, **named)
    for field_name, factory in factories:
        if field_name not in argument_by_field:
            value_by_field[field_name] = factory()
    vars(record).update(value_by_field)
    if has_post_init:
        record.__post_init__()


@cache
def _find_compared_fields(record_class: Any) -> tuple[str, ...]:
    """Find the names of the fields by which a record is equal to another."""
    return tuple(field.name for field in fields(record_class) if field.compare)


def _read_compared_values(record: Any) -> list[Any]:
    """Read the values by which a record is equal to another."""
    record_class: Any = type(record)
    return [getattr(record, field_name) for field_name in _find_compared_fields(record_class)]


def _is_equal(record: object, other: object) -> bool:
    """The `__eq__` of all light dataclasses."""
    return type(other) is type(record) and _read_compared_values(record) == _read_compared_values(
        other
    )


def _compute_hash(record: object) -> int:
    """The `__hash__` of all light dataclasses."""
    return hash((type(record), *_read_compared_values(record)))


def _write_repr(record: object) -> str:
    """The `__repr__` of all light dataclasses: the class and its fields."""
    record_class: Any = type(record)
    shown_names = [field.name for field in fields(record_class) if field.repr]
    fields_text = ", ".join(
        f"{field_name}={getattr(record, field_name)!r}" for field_name in shown_names
    )
    return f"{record_class.__qualname__}({fields_text})"


def _refuse_to_set(record: object, name: str, _value: object) -> NoReturn:
    """The `__setattr__` of all light dataclasses: FrozenInstanceError that says what to write."""
    message = f"cannot assign to field {name!r}: a {type(record).__qualname__} does not change"
    raise FrozenInstanceError(f"{message}; dataclasses.replace(..., {name}=...) makes another")


def _refuse_to_delete(_record: object, name: str) -> NoReturn:
    """The `__delattr__` of all light dataclasses."""
    raise FrozenInstanceError(f"cannot delete field {name!r}")


def _refuse_unknown(record: object, name: str) -> NoReturn:
    """The `__getattr__` of all light dataclasses: AttributeError with the name to use instead."""
    from .errors.names import raise_unknown_attribute  # only for a wrong name

    raise_unknown_attribute(record, name)


class _LazySignature:
    """The signature of a class, which editors show; made when it is read."""

    def __get__(self, _record: object, record_class: Any) -> Signature | None:
        """The signature of the fields; None for a class with an `__init__` of its own."""
        return _make_signature(record_class) if record_class.__init__ is _initialize else None


def _make_signature(record_class: Any) -> Signature:
    """Make the signature of a class, with a parameter for each field."""
    from inspect import Parameter, Signature  # only for editors and wrong arguments

    parameters = []
    for field in fields(record_class):
        parameter_kind = (
            Parameter.KEYWORD_ONLY if field.kw_only else Parameter.POSITIONAL_OR_KEYWORD
        )
        default = (
            Parameter.empty if field.name in _find_required_fields(record_class) else field.default
        )
        if field.name in _read_default_factories(record_class):
            default = _read_default_factories(record_class)[field.name]()
        parameters.append(
            Parameter(field.name, parameter_kind, default=default, annotation=field.type)
        )
    return Signature(parameters)


_SHARED_METHODS: Mapping[str, Any] = {
    "__init__": _initialize,
    "__eq__": _is_equal,
    "__hash__": _compute_hash,
    "__repr__": _write_repr,
    "__setattr__": _refuse_to_set,
    "__delattr__": _refuse_to_delete,
    "__getattr__": _refuse_unknown,
    "__signature__": _LazySignature(),
}
