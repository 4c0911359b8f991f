"""What a list that fetches its pages is asked for: membership, values of fields, and what only
the whole list can tell, as errors that say what to write.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Generic, NoReturn, TypeVar

from ..errors.base import ArgumentError, OptionError, Problem
from ..errors.cards import AbsentAttributeError
from ..errors.suggestions import find_suggestion
from .money import read_amount
from .text import plain
from .timestamps import from_text

K = TypeVar("K")
P = TypeVar("P")
_COLLECTIONS = (list, tuple, set, frozenset)


class PageIterator(Generic[P]):
    """The pages of a list, one after another."""

    def __init__(self, pages: Iterator[P]) -> None:
        """Read the pages from an iterator."""
        self._pages = pages

    def __iter__(self) -> Iterator[P]:
        return self

    def __next__(self) -> P:
        return next(self._pages)

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> NoReturn:
            if name.startswith("_"):  # Python and IPython look up such names on any object
                raise AttributeError(name)
            raise AttributeError(f"pages have no {name!r}: {_READING_PAGES}")

        def __getitem__(self, _index: object) -> NoReturn:
            raise TypeError(f"pages have no indexes: {_READING_PAGES}")


_READING_PAGES = (
    "next(pages) is the first, with data, has_next_page and cursor; list(pages) has all"
)


_RESULTS_OF_A_LIST = ("frame", "export")
"""What a lab makes of a whole list: `lab.transfers.frame()`."""


def refuse_frame_names(pager: object, list_name: str, name: str) -> None:
    """AttributeError if a name that a list lacks asks for a frame or a file: the lab has these."""
    if find_suggestion(name, dir(pager)) is None:
        suggested_call = find_suggestion(name, _RESULTS_OF_A_LIST)
        if suggested_call in _RESULTS_OF_A_LIST:
            raise AbsentAttributeError(
                f"Pager has no attribute {name!r}: use lab.{list_name}.{suggested_call}()"
            )


def check_condition(wanted: object) -> None:
    """ArgumentError for a condition that is not a function of an item."""
    if not callable(wanted):
        message = f"select takes a function of an item, not {plain(repr(wanted), 60)}"
        raise ArgumentError(f"{message}: filter(name=value) compares fields", "wanted")


def contains(listed_items: Iterable[object], wanted: object) -> bool:
    """Whether a list has an item, or one with this id."""
    if isinstance(wanted, str):
        return any(getattr(item, "id", None) == wanted for item in listed_items)
    return any(item == wanted for item in listed_items)


def has_values(item: object, fields: Mapping[str, object]) -> bool:
    """Whether the fields of an item have these values; several values for a field mean any.

    An amount or a time may be given as text. OptionError for text that is neither.
    """
    return all(
        _is_equal(_read_field(item, field_name), wanted_value, field_name)
        for field_name, wanted_value in fields.items()
    )


def _read_field(item: Any, field_name: str) -> object:
    """A field of an item, also one that is called like a method, such as `items`."""
    return item[field_name] if hasattr(item, "keys") else getattr(item, field_name)


def _is_equal(value: object, wanted: object, field_name: str) -> bool:
    """Whether the value of a field is the wanted one, or one of several."""
    if isinstance(wanted, _COLLECTIONS) and not isinstance(value, _COLLECTIONS):
        return any(_is_equal(value, possible_value, field_name) for possible_value in wanted)
    if isinstance(value, Decimal) and isinstance(wanted, str):
        amount = read_amount(wanted)
        if amount is None:
            raise OptionError([Problem(field_name, 'must be an amount, like "10.50"')])
        return value == amount
    if isinstance(value, datetime) and isinstance(wanted, str):
        try:
            return value == from_text(wanted)
        except ValueError as error:
            raise OptionError([Problem(field_name, str(error))]) from None
    return value == wanted


def with_list_refusals(class_: type[K]) -> type[K]:
    """Give a list errors for what needs the whole of it, or one iterator.

    They are set here, because in the class they would hide the mistake from mypy.
    """
    untyped_class: Any = class_
    untyped_class.__len__ = _refuse_length
    untyped_class.__bool__ = _refuse_truth
    untyped_class.__next__ = _refuse_next
    untyped_class.__eq__ = _compare_pagers
    untyped_class.__hash__ = object.__hash__
    untyped_class.__add__ = untyped_class.__radd__ = _refuse_sum
    return class_


def _refuse_length(_list: object) -> NoReturn:
    """Refuse `len(pager)`: it would fetch all pages."""
    raise TypeError("only the whole list has a length: len(pager.to_list()) fetches all of it")


def _refuse_truth(_list: object) -> NoReturn:
    """Refuse `bool(pager)`: it would fetch a page."""
    raise TypeError("only a read list tells whether it is empty: .first() is None")


def _refuse_next(_list: object) -> NoReturn:
    """Refuse `next(pager)`: every iteration starts at the first page."""
    raise TypeError("a list is no iterator: .first() is its first item, iter() its iterator")


def _compare_pagers(pager: object, other: object) -> bool:
    """Whether both are the same pager; TypeError for `pager == [...]`."""
    if isinstance(other, _COLLECTIONS):
        raise TypeError("only the whole list can be compared: .to_list() == [...]")
    return pager is other


def _refuse_sum(_list: object, _other: object) -> NoReturn:
    """Refuse `pager + other`: a sum would have to fetch all pages."""
    raise TypeError("lists are joined when they are read: [*first, *second] fetches both")
