"""Uses that an object is not made for: errors that say what to write instead.

Without them Python answers in words of its own, or stores an attribute that has no effect.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import FrozenInstanceError
from functools import wraps
from types import MappingProxyType, ModuleType
from typing import Any, NoReturn, TypeVar

from .call_names import owner_name
from .cards import MisuseError

K = TypeVar("K")
_COMPLETE = "_is_complete"
"""The attribute that marks an object whose `__init__` has ended: it takes no new attributes."""
PUBLIC_NAME = "_public_name"
"""The attribute of a module whose public name is not where it is stored."""


def kind_name(owner: object) -> str:
    """The name of a part of a lab, of a class or of a module: `lab.transfers`, `Transfer`."""
    if isinstance(owner, ModuleType):
        return str(vars(owner).get(PUBLIC_NAME, owner.__name__))
    return owner_name(type(owner).__name__)


def list_names(known_names: Iterable[str]) -> str:
    """Write the end of a message that lists all names."""
    return f"it has {', '.join(known_names)}"


def _refuse_length(owner: object) -> NoReturn:
    """The `__len__` of a class without a length: TypeError with what has one, or all names."""
    known_names = dir(owner)
    use_text = "use len(list().to_list())" if "list" in known_names else list_names(known_names)
    raise MisuseError(f"{kind_name(owner)} has no length: {use_text}")


def _is_true(_owner: object) -> bool:
    """The `__bool__` of a class without a length."""
    return True


def _refuse_call(owner: object, *_args: object, **_named: object) -> NoReturn:
    """The `__call__` of a class: TypeError with what to write instead."""
    raise MisuseError(f"{kind_name(owner)} is not a function: {_describe_use(owner)}")


def _describe_use(owner: object) -> str:
    """What to write instead of a call of an object."""
    known_names = dir(owner)
    if hasattr(owner, "__iter__"):
        return "use .run(...)" if "run" in known_names else "write it without ()"
    return list_names(known_names)


def _refuse_await(owner: object) -> NoReturn:
    """The `__await__` of a class: TypeError, since no call of paylab has to be awaited."""
    raise MisuseError(
        f"a call of paylab waits for its answer, so this {kind_name(owner)} is there already: "
        "write it without await"
    )


def _refuse_async_loop(owner: object) -> NoReturn:
    """The `__aiter__` of a class: TypeError that names the plain loop."""
    raise MisuseError(f"{kind_name(owner)} is read by a plain loop: write for, without async")


def _refuse_async_block(owner: object, *_error: object) -> NoReturn:
    """The `__aenter__` and `__aexit__` of a class: TypeError that says what to write."""
    raise MisuseError(f"{kind_name(owner)} has no async block: write it without async")


def _refuse_block(owner: object, *_error: object) -> NoReturn:
    """The `__enter__` and `__exit__` of a class: TypeError that says what to write."""
    raise MisuseError(f"{kind_name(owner)} has nothing to close: write it without with")


_REFUSALS: Mapping[str, Callable[..., NoReturn]] = MappingProxyType(
    {
        "__call__": _refuse_call,
        "__await__": _refuse_await,
        "__aiter__": _refuse_async_loop,
        "__aenter__": _refuse_async_block,
        "__aexit__": _refuse_async_block,
        "__enter__": _refuse_block,
        "__exit__": _refuse_block,
    }
)


def refuse_foreign_uses(class_: type[K]) -> type[K]:
    """Give a class errors for a call, `len`, `await`, `async` and `with`, unless it allows them.

    They are set here, because in the class they would hide the mistake from mypy.
    """
    for method_name, refuse in _REFUSALS.items():
        # Not by hasattr, since every class can be called itself.
        if not any(method_name in vars(base_class) for base_class in class_.__mro__):
            setattr(class_, method_name, refuse)
    untyped_class: Any = class_
    if not hasattr(class_, "__len__") and not hasattr(class_, "__bool__"):
        untyped_class.__len__ = _refuse_length
        untyped_class.__bool__ = _is_true  # without it, Python asks for the length
    return class_


class InheritedName:
    """An attribute that a class inherits from a library, and that is unknown of its objects."""

    def __get__(self, owner: object, kind: type | None = None) -> NoReturn:
        """AttributeError, after which Python asks `__getattr__` of the object for a message."""
        raise AttributeError


def refuse_new_attributes(class_: type[K]) -> type[K]:
    """Refuse settings and parts that are set after `__init__`: they would have no effect.

    A function may be replaced by another one, as a test does. A lab keeps what its caller notes
    under a name that is no setting.
    """
    untyped_class: Any = class_
    if "__setattr__" not in vars(class_):
        untyped_class.__setattr__ = set_attribute
        # A class without an `__init__` is completed by its subclasses.
        if class_.__init__ is not object.__init__:
            untyped_class.__init__ = _make_completing_init(class_, untyped_class.__init__)
    elif hasattr(class_, "__dataclass_fields__"):
        untyped_class.__setattr__ = _refuse_to_set
    return class_


def _make_completing_init(class_: type, initialize: Callable[..., None]) -> Callable[..., None]:
    """Make an `__init__` that marks its object as complete, unless a subclass goes on with it."""

    @wraps(initialize)
    def initialize_and_complete(self: object, *args: object, **kwargs: object) -> None:
        """Initialize an object, and refuse new attributes if its class is this one."""
        initialize(self, *args, **kwargs)
        if type(self) is class_:
            complete(self)

    return initialize_and_complete


def complete(owner: object) -> None:
    """Refuse new attributes of an object from now on."""
    vars(owner)[_COMPLETE] = True


def set_attribute(owner: object, name: str, value: object) -> None:
    """The `__setattr__` of a class: AttributeError for what has no effect after `__init__`."""
    is_public = not name.startswith("_")
    is_complete = _COMPLETE in vars(owner)
    if is_public and is_complete and not _is_settable(owner, name, value):
        _refuse_to_set(owner, name, value)
    object.__setattr__(owner, name, value)


def _is_settable(owner: object, name: str, value: object) -> bool:
    """Whether an attribute of a complete object can be set to a value.

    A present attribute can be replaced, as a test does, but a function only by a function. A new
    one can only be set on a lab, under a name that is no setting.
    """
    class_attribute = getattr(type(owner), name, None)
    if isinstance(class_attribute, property):
        return class_attribute.fset is not None
    is_new = name not in vars(owner) and class_attribute is None
    if is_new:
        is_lab = "settings" in dir(owner)
        return is_lab and not any(_find_parameters(owner, name))
    present_value = vars(owner).get(name, class_attribute)
    # A part that can be called, such as a callback object, has no `__get__`.
    is_function = callable(present_value) and hasattr(present_value, "__get__")
    return not is_function or (callable(value) and not _refuses_calls(value))


def _refuses_calls(value: object) -> bool:
    """Whether each call of a value is refused, as of a part of a lab."""
    value_class: Any = type(value)
    return callable(value) and value_class.__call__ is _refuse_call


def _refuse_to_set(owner: object, name: str, _value: object) -> NoReturn:
    """Raise AttributeError that names the function which takes such a value, or lists all names."""
    owner_kind = kind_name(owner)
    is_known = name in dir(owner)
    message = (
        f"{owner_kind}.{name} cannot be set" if is_known else f"{owner_kind} has no {name} to set"
    )
    dataclass_fields: Mapping[str, Any] | None = getattr(owner, "__dataclass_fields__", None)
    error_class = AttributeError if dataclass_fields is None else FrozenInstanceError
    if dataclass_fields is not None and name in dataclass_fields:
        copy_text = f"dataclasses.replace(..., {name}=...) makes another {owner_kind}"
        raise error_class(f"{message}: {copy_text}")
    call_texts = list(_find_parameters(owner, name))
    if call_texts:
        *earlier_calls, last_call = call_texts
        calls_text = last_call
        if earlier_calls:
            calls_text = f"{', '.join(earlier_calls)} or {last_call}"
        raise error_class(f"{message}: pass {name}= to {calls_text}")
    raise error_class(f"{message}: {list_names(dir(owner))}")


def _find_parameters(owner: object, name: str) -> Iterator[str]:
    """Yield the functions with a parameter of this name: `connect` for a lab, else methods."""
    package_name = __name__.partition(".")[0]
    connect = getattr(sys.modules[package_name], "connect", None)
    if connect is not None and "settings" in dir(owner):
        if _has_parameter(connect, name):
            yield f"{package_name}.connect()"
        return
    for method_name in dir(owner):
        # Not by getattr, which would make the parts of a lab and ask a service.
        method = vars(owner).get(method_name, getattr(type(owner), method_name, None))
        if callable(method) and not _refuses_calls(method) and _has_parameter(method, name):
            yield f"{method_name}()"


def _has_parameter(function: Callable[..., object], name: str) -> bool:
    """Whether a function has a parameter of this name; False for a function written in C."""
    from inspect import signature  # only for a wrong name

    try:
        return name in signature(function).parameters
    except (TypeError, ValueError):  # a function written in C
        return False
