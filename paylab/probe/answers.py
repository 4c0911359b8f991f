"""What a successful answer shows by itself: names, words, statuses and types of values."""

from __future__ import annotations

from collections.abc import Mapping

from ..client.call import Call
from ..drift.answers import find_answer_differences, parse_answer
from ..spec import models
from ..spec.envelope import find_object_path
from ..spec.json_path import value_at
from ..spec.operations.records import OPERATIONS
from ..spec.service.key import Value
from ..spec.service.keys import setting_keys
from ..spec.service.lists import ListForm
from ..spec.service.objects import ITEMS
from ..spec.service.service import Service
from ..spec.service.setting import setting_key_of
from ..spec.service.value_types import NONE
from ..spec.text import JsonObject
from .field_guesses import find_list_key
from .guesses import read_page_settings
from .refused_request import Guesses


def find_contradictions(call: Call, operation_name: str, service: Service) -> Guesses:
    """Yield the settings that a successful answer contradicts, with their values in it.

    `{"amounts.answers": "number"}` if amounts are numbers, which the settings have as text.
    """
    body = parse_answer(call)
    yield from _read_fields(call, service)
    yield from _read_success_status(call, operation_name)
    if OPERATIONS[operation_name].is_list:
        yield from _read_next_page_names(body, service.list(operation_name.partition(".")[0]))
    else:
        yield from _read_envelope(operation_name, body, service)


def _read_fields(call: Call, service: Service) -> Guesses:
    """Yield the names and types of fields, and the lists of statuses and codes with new words."""
    new_words_by_key: dict[str, list[str]] = {}
    for kind, _, found_name, setting_key in find_answer_differences(call, service):
        if setting_key and kind == "type":  # such as "source_amount as number"
            yield {setting_key: found_name.rpartition(" ")[2]}
        elif setting_key and kind == "field":
            yield {setting_key: found_name}
        elif setting_key in setting_keys() and kind in ("status", "code"):
            new_words_by_key.setdefault(setting_key, []).append(found_name)
    for setting_key, new_words in new_words_by_key.items():
        words_in_force = service.value(setting_key)
        if isinstance(words_in_force, tuple):
            yield {setting_key: tuple(dict.fromkeys([*map(str, words_in_force), *new_words]))}


def _read_success_status(call: Call, operation_name: str) -> Guesses:
    """Yield the status of a success, if a setting has it.

    Nothing for a replay, whose status may differ.
    """
    if call.replayed or call.status is None:
        return
    for status in OPERATIONS[operation_name].success:
        if isinstance(status, int):  # a status of the spec, not of a setting
            continue
        setting = setting_keys()[setting_key_of(status)]
        if call.status in setting.words:
            yield {setting.name: call.status}


def _read_envelope(operation_name: str, body: object, service: Service) -> Guesses:
    """Yield the path at which the answer holds its object, unless the settings have this path."""
    operation = OPERATIONS[operation_name]
    if operation.answer not in ITEMS or not isinstance(body, dict):
        return
    object_path = find_object_path(body, getattr(models, operation.answer).model_fields)
    if object_path and object_path != operation.item_path(service):
        read_item_form = ITEMS[operation.answer]
        setting_key = setting_key_of(lambda settings: read_item_form(settings.objects).item)
        yield {setting_key: object_path}


def _read_next_page_names(body: object, list_form: ListForm) -> Guesses:
    """Yield the names of the cursor and of the flag of a page, where they differ from the settings.

    The flag says whether a next page follows. Yield no cursor for a page without a next one.
    """
    if not isinstance(body, dict):
        return
    value_by_setting = read_page_settings(body, list_form)
    cursor_key = find_list_key(list_form, "cursor")
    cursor_path = value_by_setting.get(cursor_key)
    if cursor_path and value_at(body, str(cursor_path)):
        yield {cursor_key: cursor_path}
    if list_form.more and list_form.more not in body:
        yield from _read_flag_name(body, list_form, value_by_setting)


def _read_flag_name(
    body: JsonObject, list_form: ListForm, value_by_setting: Mapping[str, Value]
) -> Guesses:
    """Yield the name of the flag of a page, which has none under the name of the settings.

    Yield NONE if the page has a cursor and no flag: the cursor alone says that a page follows.
    """
    more_key = find_list_key(list_form, "more")
    has_cursor = bool(value_at(body, str(list_form.cursor)))
    # A flag in an object, such as `page.more`, is no key of the body: the page may have it.
    may_have_flag = "." in list_form.more
    if more_key in value_by_setting:
        yield {more_key: value_by_setting[more_key]}
    elif has_cursor and not may_have_flag:
        yield {more_key: NONE}
