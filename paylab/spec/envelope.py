"""The envelope of a list in a body of unknown shape: its rows, its flag and its cursor."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from typing import Any

from .json_path import last_name
from .service.lists import ListForm
from .service.value_types import NONE

DEPTH = 3
MORE = re.compile(r"more|next|has_?(?:page|another)|continue", re.IGNORECASE)
CURSOR = re.compile(r"cursor|next|token|after|continu", re.IGNORECASE)
FURTHER = re.compile(r"more|next|cursor|page|total|offset|link|token|after|continu", re.IGNORECASE)
"""Names of keys that a list with further pages may have."""
LINK = re.compile(r"https?:|/|\?")


def envelope_differences(body: object, form: ListForm) -> Iterator[tuple[str, str]]:
    """The settings of a list that a body contradicts, with their values in it.

    Keys are dotted where they are nested. `more` is "none" if the body has no flag and nothing in
    it may lead to another page. A body without rows contradicts nothing.
    """
    if isinstance(body, list):
        yield from [] if form.is_array else [("items", NONE)]
        return
    values = dict(leaves(body, DEPTH))
    items = _preferred(form.items, [name for name, value in values.items() if _are_rows(value)])
    if not items:
        return
    other_values = {
        name: value for name, value in values.items() if not name.startswith(f"{items}.")
    }
    flags = [name for name, value in other_values.items() if isinstance(value, bool)]
    more_name = _preferred(form.more, [name for name in flags if MORE.search(last_name(name))])
    texts = [name for name, value in other_values.items() if _may_be_cursor(value)]
    cursor = _preferred(form.cursor, [name for name in texts if CURSOR.search(last_name(name))])
    leads = (name for name, value in other_values.items() if _is_value(value))
    hints = [name for name in leads if FURTHER.search(last_name(name))]
    if not more_name and not hints and not (cursor and values[cursor]):
        more_name = NONE
    for setting, value in {"items": items, "more": more_name, "cursor": cursor}.items():
        assumed = getattr(form, setting)
        # The rows are not under a key that has an object, such as {"data": {"list": [...]}}.
        is_free = setting == "items" or assumed not in values
        if value and value != assumed and is_free:
            yield setting, value


def leaves(body: object, depth: int = 2, at: str = "") -> Iterator[tuple[str, Any]]:
    """The values of an object and of the objects inside it, by dotted names."""
    for name, value in body.items() if isinstance(body, dict) and depth else ():
        yield f"{at}{name}", value
        yield from leaves(value, depth - 1, f"{at}{name}.")


def object_place(body: object, names: Collection[str]) -> str:
    """The place of the single nested object with an id and another of these fields, else "".

    Objects without an id are found by any of the names.
    """
    if not isinstance(body, dict) or body.get("id"):
        return ""
    fewest = 2 if "id" in names else 1
    places = {
        place: value
        for place, value in leaves(body, DEPTH)
        if isinstance(value, dict) and len(value.keys() & {*names}) >= fewest
        if "id" not in names or _is_id(value.get("id"))
    }
    outer = [
        place
        for place in places
        if not any(place.startswith(f"{outer_place}.") for outer_place in places)
    ]
    return outer[0] if len(outer) == 1 else ""


def _is_id(value: object) -> bool:
    is_number = isinstance(value, int) and not isinstance(value, bool)
    return is_number or (isinstance(value, str) and bool(value.strip()))


def _preferred(assumed: str, found: list[str]) -> str:
    return assumed if assumed in found else next(iter(found), "")


def _is_value(value: object) -> bool:
    return bool(value) and not isinstance(value, dict)


def _are_rows(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(row, dict) for row in value)


def _may_be_cursor(value: object) -> bool:
    """Whether a value can be sent as a cursor; a link to the next page cannot."""
    return value is None or (isinstance(value, str) and not LINK.match(value))
