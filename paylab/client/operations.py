"""Operations: the options that every call takes, and how an unknown parameter is refused."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from difflib import get_close_matches
from functools import wraps
from inspect import Parameter, signature
from typing import Any, ParamSpec, TypedDict, TypeVar
from uuid import UUID

P = ParamSpec("P")
R = TypeVar("R")

# How alike two names are when one is probably meant by the other, by difflib.
SIMILAR = 0.6


class Options(TypedDict, total=False):
    """What every call takes besides its fields, and what is never part of a body.

    `timeout` is how many seconds the service may take to connect, read or write; `headers` are
    sent as well and are not signed.
    """

    idempotency_key: str | UUID | None
    timeout: float | None
    headers: Mapping[str, str] | None


def takes(*groups: Any) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Refuse unknown parameters with a TypeError that names the likely one.

    `groups` are the TypedDicts behind `**options`; the signature shows their keys one by one.
    """

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        own = [p for p in signature(function).parameters.values() if p.kind != p.VAR_KEYWORD]
        options = [
            Parameter(name, Parameter.KEYWORD_ONLY, default=None, annotation=kind)
            for group in groups
            for name, kind in group.__annotations__.items()
        ]
        known = {p.name for p in (*own, *options)}

        @wraps(function)
        def call(*args: P.args, **kwargs: P.kwargs) -> R:
            if not kwargs.keys() <= known:
                raise TypeError(_unknown(function.__qualname__, kwargs.keys() - known, known))
            return function(*args, **kwargs)

        shown = signature(function).replace(parameters=[*own, *options])
        call.__signature__ = shown  # type: ignore[attr-defined] # what inspect and IDEs look for
        return call

    return decorate


def nearest(name: str, known: Iterable[str], similar: float = SIMILAR) -> str | None:
    """The known name that is probably meant, whatever its case and underscores."""
    plain = {_folded(each): each for each in sorted(known)}
    near = get_close_matches(_folded(name), plain, 1, similar)
    return plain[near[0]] if near else None


def _folded(name: str) -> str:
    return name.replace("_", "").replace("-", "").lower()


def _unknown(operation: str, names: Iterable[str], known: Iterable[str]) -> str:
    name = min(names)
    like = nearest(name, {*known} - {"self"})
    meant = f" (is {like!r} meant?)" if like else ""
    way = f"; extra={{{name!r}: ...}} sends an unknown body field" if "extra" in known else ""
    return f"{operation}() has no parameter {name!r}{meant}; nothing was sent{way}"
