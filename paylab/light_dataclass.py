"""Frozen dataclasses that are light to import.

`dataclasses.dataclass` compiles up to seven functions for each class, which takes most of the time
of importing many small classes. Light dataclasses share functions that read their fields. For type
checkers, `dataclasses.fields`, `replace`, `pickle` and pydantic they are frozen dataclasses.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import MISSING, Field, FrozenInstanceError, dataclass, fields
from functools import cache
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

if TYPE_CHECKING:
    from dataclasses import dataclass as light_dataclass
    from inspect import Signature

__all__ = ["light_dataclass"]

T = TypeVar("T")


if not TYPE_CHECKING:

    def light_dataclass(*, frozen: bool, kw_only: bool = False) -> Callable[[type[T]], type[T]]:
        """Make a frozen dataclass of a class whose bases are none.

        `frozen` is True. It is written at each class, since type checkers read it there.
        """
        if not frozen:
            raise TypeError("a light dataclass is frozen")

        def decorate(kind: type[T]) -> type[T]:
            made = dataclass(init=False, repr=False, eq=False, kw_only=kw_only)(kind)
            made.__dataclass_params__.frozen = True  # a frozen dataclass can extend it
            for name, function in _SHARED.items():
                if name not in vars(made):
                    setattr(made, name, function)
            return made

        return decorate


@cache
def _fields(kind: Any) -> Mapping[str, Field[Any]]:
    """The fields of a class by name."""
    return {field.name: field for field in fields(kind)}


def _default(field: Field[Any]) -> Any:
    """The default of a field; MISSING without one."""
    return field.default if field.default_factory is MISSING else field.default_factory()


def _initialize(record: Any, /, *positional: Any, **named: Any) -> None:
    kind: Any = type(record)
    arguments = dict(zip(kind.__match_args__, positional, strict=False)) | named
    known = _fields(kind)
    values = {
        name: arguments[name] if name in arguments else _default(field)
        for name, field in known.items()
    }
    is_missing = any(value is MISSING for value in values.values())
    is_repeated = len(arguments) < len(positional) + len(named)
    if is_missing or is_repeated or not arguments.keys() <= known.keys():
        _signature(kind).bind(*positional, **named)  # TypeError that names the argument
    vars(record).update(values)


def _compared(record: Any) -> list[Any]:
    """The values by which a record is equal to another."""
    kind: Any = type(record)
    return [getattr(record, name) for name, field in _fields(kind).items() if field.compare]


def _is_equal(record: object, other: object) -> bool:
    return type(other) is type(record) and _compared(record) == _compared(other)


def _hash(record: object) -> int:
    return hash((type(record), *_compared(record)))


def _text(record: object) -> str:
    kind: Any = type(record)
    values = ", ".join(f"{name}={getattr(record, name)!r}" for name in _fields(kind))
    return f"{kind.__qualname__}({values})"


def _refuse_to_set(_record: object, name: str, _value: object) -> NoReturn:
    raise FrozenInstanceError(f"cannot assign to field {name!r}")


def _refuse_to_delete(_record: object, name: str) -> NoReturn:
    raise FrozenInstanceError(f"cannot delete field {name!r}")


class _LazySignature:
    """The signature of a class, which editors show; made when it is read."""

    def __get__(self, _record: object, kind: Any) -> Signature | None:
        return _signature(kind) if kind.__init__ is _initialize else None


def _signature(kind: Any) -> Signature:
    from inspect import Parameter, Signature  # only for editors and wrong arguments

    parameters = []
    for name, field in _fields(kind).items():
        default = _default(field)
        parameters.append(
            Parameter(
                name,
                Parameter.KEYWORD_ONLY if field.kw_only else Parameter.POSITIONAL_OR_KEYWORD,
                default=Parameter.empty if default is MISSING else default,
                annotation=field.type,
            )
        )
    return Signature(parameters)


_SHARED: Mapping[str, Any] = {
    "__init__": _initialize,
    "__eq__": _is_equal,
    "__hash__": _hash,
    "__repr__": _text,
    "__setattr__": _refuse_to_set,
    "__delattr__": _refuse_to_delete,
    "__signature__": _LazySignature(),
}
