"""One page of a list: its items, whether another page follows, and the cursor of that one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Generic, TypeVar, overload

from ..errors.names import with_name_suggestions
from ..light_dataclass import light_dataclass
from .json_path import value_at
from .service.lists import ListForm
from .service.value_types import NONE
from .text import JsonObject, JsonValue, plain

T = TypeVar("T")


@with_name_suggestions
@light_dataclass(frozen=True)
class Page(Generic[T]):
    """One page of a list, and the cursor of the next one if there is one.

    It is iterated over its items, as a list is; a page without items is false.

    >>> [transfer.status for transfer in next(lab.transfers.list(limit=2).pages())]
    ['completed', 'completed']
    """

    data: list[T]
    has_next_page: bool = False
    cursor: str | None = None

    def __iter__(self) -> Iterator[T]:
        return iter(self.data)

    def __len__(self) -> int:
        return len(self.data)

    @overload
    def __getitem__(self, at: int) -> T: ...
    @overload
    def __getitem__(self, at: slice) -> list[T]: ...
    def __getitem__(self, at: int | slice) -> T | list[T]:
        """The item at an index, or the items of a slice."""
        check_index(at)
        return self.data[at]


RawPage = Page[dict[str, Any]]

SPEC_ENVELOPE = ("data", "has_next_page", "cursor")
"""The keys of a page as the spec shows them: rows, whether there is another page, its cursor."""


def read_page(body: JsonValue, list_form: ListForm | None = None, *, bare: bool = False) -> RawPage:
    """Read a page from a parsed body; ValueError if it does not have this form.

    With `bare`, or if the form says so, an array, alone or under the key of the rows, is the whole
    list. Otherwise the body must say whether another page follows.
    """
    items_key, more_key, cursor_key = _choose_page_keys(list_form)
    may_be_array = bare or (list_form is not None and list_form.is_array)
    if may_be_array and isinstance(body, list):
        return Page(_check_rows(body, items_key))
    envelope_keys = [
        envelope_key for envelope_key in (items_key, more_key, cursor_key) if envelope_key != NONE
    ]
    if not isinstance(body, dict):
        raise ValueError(f"must be a page: an object with {', '.join(envelope_keys)}")
    rows = _check_rows(value_at(body, items_key), items_key)
    has_more = value_at(body, more_key)
    cursor = value_at(body, cursor_key)
    if not isinstance(cursor, str | None) or not isinstance(has_more, bool | None):
        raise ValueError(f"has an unreadable {cursor_key} or {more_key}")
    if has_more is not None:
        # The flag decides: the last page may still have a cursor.
        return Page(rows, has_more, cursor)
    # Without the flag, a cursor means that another page follows.
    if cursor:
        return Page(rows, has_next_page=True, cursor=cursor)
    # Where an array may be the whole list, an object with nothing beside the rows is one, too.
    outer_keys = {envelope_key.partition(".")[0] for envelope_key in envelope_keys}
    is_whole_list = may_be_array and body.keys() <= outer_keys
    if is_whole_list or more_key == NONE:
        return Page(rows, has_next_page=False, cursor=cursor)
    raise ValueError(f"does not say whether another page follows: {more_key} is missing")


def _choose_page_keys(list_form: ListForm | None) -> tuple[str, str, str]:
    """The keys of the rows, the flag and the cursor; without a form, or of an array, the spec's."""
    if list_form is None or list_form.is_array:
        return SPEC_ENVELOPE
    return list_form.items, list_form.more, list_form.cursor


def _check_rows(items: JsonValue, key: str) -> list[JsonObject]:
    """Return the items under a key if they are a list of objects; else ValueError."""
    if isinstance(items, list) and all(isinstance(item, dict) for item in items):
        return items
    raise ValueError(f"must contain a list of objects as {key}")


def has_spec_envelope(list_form: ListForm) -> bool:
    """Whether the keys of a list's rows, flag and cursor are those of the spec."""
    return (list_form.items, list_form.more, list_form.cursor) == SPEC_ENVELOPE


def check_index(at: object) -> None:
    """Raise TypeError for an index that is neither a number nor a slice, such as an id."""
    if not isinstance(at, int | slice):
        message = f"a list has indexes, not {plain(repr(at), 60)}"
        raise TypeError(f"{message}: .get() of the part that returned it reads an id")
