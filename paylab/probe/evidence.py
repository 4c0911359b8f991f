"""What a successful answer shows by itself: names, words, statuses and forms of values."""

from __future__ import annotations

import re
from typing import Any

from ..client.call import Call
from ..corridors.on_ramps import ON_RAMPS
from ..spec import models
from ..spec.envelope import find_object_path
from ..spec.json_path import value_at
from ..spec.operations.records import OPERATIONS
from ..spec.service.keys import setting_keys
from ..spec.service.lists import ListForm
from ..spec.service.objects import ITEMS
from ..spec.service.service import Service
from ..spec.service.setting import setting_key_of
from ..spec.service.value_types import NONE
from .candidates import read_page_settings
from .drift import answer_differences, parse_answer
from .names import Candidates, find_list_key, find_settings_below

SHAPES = {
    **{ramp.detail_name: re.compile(ramp.pattern, re.DOTALL) for ramp in ON_RAMPS},
    "address": re.compile(r"0x[0-9a-fA-F]{40}|[1-9A-HJ-NP-Za-km-z]{32,44}"),
    "iban": re.compile(r"[A-Z]{2}\d{2}[A-Z0-9]{11,30}"),
}
"""What the value of a deposit instruction looks like, by our name."""


def find_contradictions(call: Call, operation: str, service: Service) -> Candidates:
    """The settings that a successful answer contradicts, with their values in it."""
    body = parse_answer(call)
    yield from _find_field_settings(call, service)
    yield from _find_success_status(call, operation)
    yield from _find_envelope(operation, body, service)
    if OPERATIONS[operation].is_list:
        yield from _find_more_pages_field(body, service.list(operation.partition(".")[0]))
    yield from _find_instruction_name(body, service)


def _find_field_settings(call: Call, service: Service) -> Candidates:
    """The names and types of fields, and the words that lists of statuses and codes lack."""
    words_by_key: dict[str, tuple[str, ...]] = {}
    for kind, _, name, setting_key in answer_differences(call, service):
        if not setting_key:
            continue
        if kind == "type":
            yield {setting_key: name.rpartition(" ")[2]}
        elif kind == "field":
            yield {setting_key: name}
        elif kind in ("status", "code") and setting_key in setting_keys():
            words_in_force: Any = service.value(setting_key)
            words = words_by_key.get(setting_key) or tuple(map(str, words_in_force))
            words_by_key[setting_key] = tuple(dict.fromkeys((*words, name)))
    yield from ({setting_key: words} for setting_key, words in words_by_key.items())


def _find_success_status(call: Call, operation: str) -> Candidates:
    """The status of a success that a setting has; none of a replay, whose status may be another."""
    if call.replayed:
        return
    for status in OPERATIONS[operation].success:
        setting_key = "" if isinstance(status, int) else setting_key_of(status)
        if setting_key and call.status in setting_keys()[setting_key].words:
            yield {setting_key: int(call.status or 0)}


def _find_envelope(operation: str, body: object, service: Service) -> Candidates:
    """The key under which the answer holds its object; none of a list, or if it is in force."""
    record = OPERATIONS[operation]
    if record.is_list or record.answer not in ITEMS or not isinstance(body, dict):
        return
    object_path = find_object_path(body, getattr(models, record.answer).model_fields)
    if object_path and object_path != record.item_path(service):
        yield {setting_key_of(lambda tree: ITEMS[record.answer](tree.objects).item): object_path}


def _find_more_pages_field(body: object, form: ListForm) -> Candidates:
    """The settings by which this answer says that there is a next page, with their values in it.

    None if the answer has the field that the settings name.
    """
    if not isinstance(body, dict):
        return
    page_settings = read_page_settings(body, form)
    cursor_setting_key = find_list_key(form, "cursor")
    cursor_path = page_settings.get(cursor_setting_key)
    if cursor_path and value_at(body, str(cursor_path)):
        yield {cursor_setting_key: cursor_path}
    if not form.more or form.more in body:
        return
    more_setting_key = find_list_key(form, "more")
    more_path = page_settings.get(more_setting_key)
    has_cursor = "." not in form.more and value_at(body, str(form.cursor))
    if more_path:
        yield {more_setting_key: more_path}
    elif has_cursor:  # a cursor alone says that there is a next page
        yield {more_setting_key: NONE}


def _find_instruction_name(body: object, service: Service) -> Candidates:
    """The name of a deposit instruction whose value has the form that ours has."""
    details = value_at(body, "deposit_instructions.details")
    if not isinstance(details, dict):
        return
    instruction_type = value_at(body, "deposit_instructions.type")
    for our_name, key in find_settings_below(
        f"deposit_instructions.{instruction_type}.fields."
    ).items():
        shape = SHAPES.get(our_name)
        if shape is None or service.value(key.name) in details:
            continue
        fitting_names = [name for name, text in details.items() if shape.fullmatch(str(text))]
        if len(fitting_names) == 1:
            yield {key.name: fitting_names[0]}
