"""The envelope of a list in a body of unknown shape: its rows, its flag and its cursor."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from .json_path import last_name
from .service.lists import ListForm
from .service.value_types import NONE
from .text import JsonMapping, JsonValue

ENVELOPE_DEPTH = 3
MORE_NAME = re.compile(r"more|next|has_?(?:page|another)|continue", re.IGNORECASE)
CURSOR_NAME = re.compile(r"cursor|next|token|after|continu", re.IGNORECASE)
FURTHER_PAGE_NAME = re.compile(
    r"more|next|cursor|page|total|offset|link|token|after|continu", re.IGNORECASE
)
"""Names of keys that a list with further pages may have."""
LINK_START = re.compile(r"https?:|/|\?")


def find_envelope_differences(body: object, list_form: ListForm) -> Iterator[tuple[str, str]]:
    """The settings of a list that a body contradicts, with their values in it.

    Keys are dotted where they are nested. `more` is "none" if the body has no flag and nothing in
    it may lead to another page. A body without rows contradicts nothing.
    """
    if isinstance(body, list):
        yield from [] if list_form.is_array else [("items", NONE)]
        return
    value_by_path = dict(walk_values(body, ENVELOPE_DEPTH))
    items_path = _choose_name(
        list_form.items,
        [found_name for found_name, value in value_by_path.items() if _are_rows(value)],
    )
    if not items_path:
        return
    # The rows are not under a key that has an object, such as {"data": {"list": [...]}}.
    if items_path != list_form.items:
        yield "items", items_path
    outside = {
        found_name: value
        for found_name, value in value_by_path.items()
        if not found_name.startswith(f"{items_path}.")
    }
    for setting, found_name in (
        ("more", _find_more(outside, list_form)),
        ("cursor", _find_cursor(outside, list_form)),
    ):
        assumed_name = getattr(list_form, setting)
        if found_name and found_name != assumed_name and assumed_name not in value_by_path:
            yield setting, found_name


def _find_more(value_by_path: JsonMapping, list_form: ListForm) -> str:
    """The name of the flag that says whether another page follows; "" if it is not clear.

    "none" if there is no flag, and nothing that may lead to another page.
    """
    flags = [name for name, value in value_by_path.items() if isinstance(value, bool)]
    flags = [name for name in flags if MORE_NAME.search(last_name(name))]
    if flags:
        return _choose_name(list_form.more, flags)
    filled_names = [name for name, value in value_by_path.items() if _has_plain_value(value)]
    has_hint = any(FURTHER_PAGE_NAME.search(last_name(name)) for name in filled_names)
    cursor = _find_cursor(value_by_path, list_form)
    has_cursor = bool(cursor and value_by_path[cursor])
    return "" if has_hint or has_cursor else NONE


def _find_cursor(value_by_path: JsonMapping, list_form: ListForm) -> str:
    """The name of the cursor of the next page; "" if there is none."""
    cursor_names = [
        cursor_path for cursor_path, value in value_by_path.items() if _may_be_cursor(value)
    ]
    cursor_names = [
        cursor_path for cursor_path in cursor_names if CURSOR_NAME.search(last_name(cursor_path))
    ]
    return _choose_name(list_form.cursor, cursor_names)


def walk_values(
    body: JsonValue, depth: int = 2, prefix: str = ""
) -> Iterator[tuple[str, JsonValue]]:
    """The values of an object and of the objects inside it, by dotted names."""
    if not depth or not isinstance(body, dict):
        return
    for member_name, member in body.items():
        yield f"{prefix}{member_name}", member
        yield from walk_values(member, depth - 1, f"{prefix}{member_name}.")


def find_object_path(body: JsonValue, names: Collection[str]) -> str:
    """The path of the single nested object that has an id and another of these fields.

    Objects without an id are found by any of the names. "" if there is none, or more than one.
    """
    if not isinstance(body, dict) or body.get("id"):
        return ""
    value_by_path = dict(walk_values(body, ENVELOPE_DEPTH))
    paths = [path for path, value in value_by_path.items() if _is_object_with(value, names)]
    outer_paths = [
        path for path in paths if not any(path.startswith(f"{outer}.") for outer in paths)
    ]
    return outer_paths[0] if len(outer_paths) == 1 else ""


def _is_object_with(json_value: JsonValue, field_names: Collection[str]) -> bool:
    """Whether a value is an object with one of these fields; besides its id, if "id" is one."""
    if not isinstance(json_value, dict):
        return False
    shared_names = json_value.keys() & {*field_names}
    if "id" not in field_names:
        return bool(shared_names)
    return len(shared_names) >= 2 and _is_id(json_value.get("id"))


def _is_id(json_value: object) -> bool:
    is_number = isinstance(json_value, int) and not isinstance(json_value, bool)
    return is_number or (isinstance(json_value, str) and bool(json_value.strip()))


def _choose_name(assumed_name: str, candidate_names: list[str]) -> str:
    """The assumed name if it is one of the names, or the first name; "" if there is none."""
    if assumed_name in candidate_names:
        return assumed_name
    return candidate_names[0] if candidate_names else ""


def _has_plain_value(json_value: object) -> bool:
    return bool(json_value) and not isinstance(json_value, dict)


def _are_rows(json_value: object) -> bool:
    return isinstance(json_value, list) and all(isinstance(row, dict) for row in json_value)


def _may_be_cursor(json_value: object) -> bool:
    """Whether a value can be sent as a cursor; a link to the next page cannot."""
    return json_value is None or (isinstance(json_value, str) and not LINK_START.match(json_value))
