"""The envelope of a list in a body of unknown shape: where its rows, flag and cursor are."""

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
    """Yield the settings of a list that a body contradicts, with the values that fit the body.

    `{"items": [...], "page": {"has_more": true}}` gives `("items", "items")` and `("more",
    "page.has_more")`. `more` is "none" if the body has no flag and nothing in it may lead to
    another page. A body without rows contradicts nothing.
    """
    if isinstance(body, list):
        if not list_form.is_array:
            yield "items", NONE
        return
    value_by_path = dict(walk_values(body, ENVELOPE_DEPTH))
    rows_paths = [path for path, path_value in value_by_path.items() if _are_rows(path_value)]
    items_path = _choose_path(list_form.items, rows_paths)
    if not items_path:
        return
    if items_path != list_form.items:
        yield "items", items_path
    # A stated path that the body has is not contradicted, whatever else looks like a flag.
    flag_path = _find_flag_path(value_by_path, list_form)
    if flag_path and list_form.more not in (flag_path, *value_by_path):
        yield "more", flag_path
    cursor_path = _find_cursor_path(value_by_path, list_form)
    if cursor_path and list_form.cursor not in (cursor_path, *value_by_path):
        yield "cursor", cursor_path


def _find_flag_path(value_by_path: JsonMapping, list_form: ListForm) -> str:
    """The path of the flag that says whether another page follows.

    It is "none" if the body has no flag, and nothing that may lead to another page. It is "" if the
    body has no flag, and something that may lead there.
    """
    boolean_paths = [
        path for path, path_value in value_by_path.items() if isinstance(path_value, bool)
    ]
    flag_paths = [path for path in boolean_paths if MORE_NAME.search(last_name(path))]
    if flag_paths:
        return _choose_path(list_form.more, flag_paths)
    paths_with_value = [
        path for path, path_value in value_by_path.items() if _has_plain_value(path_value)
    ]
    has_further_page_key = any(
        FURTHER_PAGE_NAME.search(last_name(path)) for path in paths_with_value
    )
    cursor_path = _find_cursor_path(value_by_path, list_form)
    has_cursor = bool(cursor_path and value_by_path[cursor_path])
    return "" if has_further_page_key or has_cursor else NONE


def _find_cursor_path(value_by_path: JsonMapping, list_form: ListForm) -> str:
    """The path of the cursor of the next page; "" if there is none."""
    possible_paths = [
        path for path, path_value in value_by_path.items() if _may_be_cursor(path_value)
    ]
    cursor_paths = [path for path in possible_paths if CURSOR_NAME.search(last_name(path))]
    return _choose_path(list_form.cursor, cursor_paths)


def walk_values(
    json_value: JsonValue, depth: int = 2, path_prefix: str = ""
) -> Iterator[tuple[str, JsonValue]]:
    """Yield every value of an object and of the objects inside it, with its dotted path.

    `{"page": {"next": "c1"}}` gives `page` and `page.next`. The object itself is the first of
    `depth` levels.
    """
    if not depth or not isinstance(json_value, dict):
        return
    for member_name, member in json_value.items():
        yield f"{path_prefix}{member_name}", member
        yield from walk_values(member, depth - 1, f"{path_prefix}{member_name}.")


def find_object_path(body: JsonValue, names: Collection[str]) -> str:
    """The dotted path of the only object inside a body that has an id and another of `names`.

    If "id" is not among the names, any of them is enough. The path is "" if there is no such object
    or more than one, and if the body has an id itself.
    """
    if not isinstance(body, dict) or body.get("id"):
        return ""
    object_paths = [
        path
        for path, path_value in walk_values(body, ENVELOPE_DEPTH)
        if _has_fields(path_value, names)
    ]
    # Of an object and another one inside it, the outer one counts.
    outer_paths = [
        path
        for path in object_paths
        if not any(path.startswith(f"{outer_path}.") for outer_path in object_paths)
    ]
    return outer_paths[0] if len(outer_paths) == 1 else ""


def _has_fields(json_value: JsonValue, field_names: Collection[str]) -> bool:
    """Whether a value is an object with one of these fields.

    If "id" is one of them, an object needs an id and another one: any object may have an id.
    """
    if not isinstance(json_value, dict):
        return False
    present_names = json_value.keys() & {*field_names}
    if "id" not in field_names:
        return bool(present_names)
    return len(present_names) >= 2 and _is_id(json_value.get("id"))


def _is_id(json_value: object) -> bool:
    """Whether a value can be an id: a number, or a text that is not blank."""
    is_number = isinstance(json_value, int) and not isinstance(json_value, bool)
    return is_number or (isinstance(json_value, str) and bool(json_value.strip()))


def _choose_path(assumed_path: str, found_paths: list[str]) -> str:
    """The assumed path if it was found, or the first path; "" if none was found."""
    if assumed_path in found_paths:
        return assumed_path
    return found_paths[0] if found_paths else ""


def _has_plain_value(json_value: object) -> bool:
    """Whether a value is neither empty nor an object."""
    return bool(json_value) and not isinstance(json_value, dict)


def _are_rows(json_value: object) -> bool:
    """Whether a value is a list of objects only; an empty list is one."""
    return isinstance(json_value, list) and all(isinstance(row, dict) for row in json_value)


def _may_be_cursor(json_value: object) -> bool:
    """Whether a value can be sent as a cursor; a link to the next page cannot."""
    return json_value is None or (isinstance(json_value, str) and not LINK_START.match(json_value))
