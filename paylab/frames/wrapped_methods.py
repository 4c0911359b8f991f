"""Methods and indexers of pandas with others around them, as our columns and frames have them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeAlias

Method: TypeAlias = Callable[..., Any]
"""A method of pandas, whose arguments and result are those of pandas."""
INDEXER_NAMES = ("loc", "at", "iloc", "iat")


def wrap_methods(
    class_: Any, method_names: Iterable[str], wrap: Callable[[Method], Method]
) -> None:
    """Replace each method of a class by the one that `wrap` makes of it."""
    for method_name in method_names:
        setattr(class_, method_name, wrap(getattr(class_, method_name)))


def wrap_indexers(class_: Any, wrap: Callable[[Any], Mapping[str, Method]]) -> None:
    """Give the indexers of a class of columns or frames other methods.

    `wrap` gets the class of an indexer and returns its new methods by name.
    """
    for indexer_name in INDEXER_NAMES:
        setattr(class_, indexer_name, _wrap_indexer(getattr(class_, indexer_name), wrap))


def _wrap_indexer(indexer: property, wrap: Callable[[Any], Mapping[str, Method]]) -> property:
    """An indexer of pandas as a property, whose class has the methods that `wrap` returns.

    That is a subclass of the indexer's class, made at the first access.
    """
    subclass_by_class: dict[type, type] = {}

    def get_indexer(owner: object) -> object:
        """The indexer of a column or frame."""
        pandas_indexer: Any = indexer.__get__(owner)
        class_ = type(pandas_indexer)
        if class_ not in subclass_by_class:
            subclass_by_class[class_] = type(class_.__name__, (class_,), dict(wrap(class_)))
        return subclass_by_class[class_](pandas_indexer.name, owner)

    return property(get_indexer, doc=indexer.__doc__)
