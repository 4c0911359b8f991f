"""New names of fields: a service misses one field where paylab sends another one."""

from __future__ import annotations

import re
from itertools import product

from ..spec.json_path import last_name
from ..spec.service.key import SettingKey
from .names import Guesses, find_noun, measure_likeness, sort_by_likeness, split_name
from .refused_request import MISSING, RefusedField, RefusedRequest

RENAMES_MAX = 4
FORM = re.compile(r"\b(?:a|be|expected) (?:string|text)|\bobject\b", re.IGNORECASE)
"""Words that say whether a reference is text or an object."""


def rename_all_at_once(request: RefusedRequest) -> Guesses:
    """One guess that renames every unknown field of the body to a missing one.

    For example, `source_amount` and `quote_id` are unknown, and `amount` and `quotation` are
    missing: after one rename alone, the service still refuses the other field.
    """
    settings = request.body.name_settings
    paths = [field.path for field in request.fields if field.kind == MISSING and field.path]
    nested_names = {path.replace(".", "_") for path in paths} & {*request.body.values}
    names = [name for name in settings if name in request.unknown_names | nested_names]

    def rate(pair: tuple[str, str]) -> tuple[bool, float]:
        name, path = pair
        is_sure = path.replace(".", "_") == name or path in settings[name].others
        return is_sure, measure_likeness(name, path)

    path_by_name: dict[str, str] = {}
    for name, path in sorted(product(names, paths), key=rate, reverse=True):
        is_free = name not in path_by_name and path not in path_by_name.values()
        if is_free and (rate((name, path))[0] or len(names) == len(paths)):
            path_by_name[name] = path
    # One rename alone is a guess of `rename_unknown_field`.
    if request.unknown_names and len(path_by_name) > 1:
        yield {settings[name].name: path for name, path in path_by_name.items()}


def rename_unknown_field(request: RefusedRequest, field: RefusedField) -> Guesses:
    """`{"quotes.fields.payout_method": "rail"}` if `rail` is missing, and payout_method unknown.

    A field is renamed only if its old name was refused as unknown, or if public descriptions of
    such services have the new one.
    """
    sent = request.find_object(field)
    settings = sent.name_settings
    references = [each for each in request.operation.references if each.name in sent.values]
    id_names = {reference.id_name for reference in references}
    new_names = {field.path, last_name(field.path)}
    public_names = [name for name in settings if new_names & {*settings[name].others}]
    unknown_names = [
        name for name in settings if {name, name.removesuffix("_id")} & request.unknown_names
    ]
    old_names = dict.fromkeys([*public_names, *sort_by_likeness(unknown_names, field.path)])
    sent_names = [name for name in old_names if name in {*sent.values, *id_names}]
    for name in sent_names[:RENAMES_MAX]:
        yield {settings[name].name: sent.place(field)}
        if name in id_names and not field.path.endswith("id"):
            yield {settings[name].name: f"{field.path}.id"}


def rename_required_field(request: RefusedRequest, field: RefusedField) -> Guesses:
    """The required fields that were sent, as a missing one: first those that are most like it.

    Of a body, only the single one that shares a word with it. If the service needs the old name as
    well, it says after the rename that this one is missing, and the rename is not kept.
    """
    sent = request.find_object(field)
    if sent.has(field) or (not sent.is_details and request.knows(field)):
        return
    new_name = sent.place(field)
    names = [name for name in sent.required if name in sent.values and name in sent.name_settings]
    if not sent.is_details:
        names = [name for name in names if {*split_name(name)} & {*split_name(new_name)}]
        names = names if len(names) == 1 else []
    for name in sort_by_likeness(names, new_name)[:RENAMES_MAX]:
        yield {sent.name_settings[name].name: new_name}


def move_missed_reference(request: RefusedRequest, field: RefusedField) -> Guesses:
    """A reference where a field is missing: `recipient` or `recipient.id` for `recipient_id`."""
    for name, key in _find_references(request):
        sent_path = str(request.service.value(key.name))
        if sent_path == field.path:
            continue  # a service that misses what was sent needs another reference as well
        is_reference = field.path.endswith("id") or field.path == _name_object(field.path)
        if is_reference and _is_same_object(field.path, sent_path, name):
            yield {key.name: field.path}
            yield {key.name: f"{field.path}.id"}
        elif field.path.startswith(f"{_name_object(sent_path)}."):  # `payee.key` for `payee.id`
            yield {key.name: field.path}


def move_refused_reference(request: RefusedRequest, field: RefusedField) -> Guesses:
    """An id or an object with the id, as in "recipient must be a string" after `recipient.id`."""
    for name, key in _find_references(request):
        sent_path = str(request.service.value(key.name))
        if FORM.search(field.words) and _is_same_object(field.path, sent_path, name):
            sent_object = _name_object(sent_path)
            for new_path in (sent_object, f"{sent_path}.id", f"{sent_object}.id"):
                yield {key.name: new_path}


def _find_references(request: RefusedRequest) -> list[tuple[str, SettingKey]]:
    """Our names of the ids of other objects in a body, with the settings that rename them."""
    settings = request.body.name_settings
    return [(name, key) for name, key in settings.items() if name.endswith("_id")]


def _is_same_object(path: str, sent_path: str, our_name: str) -> bool:
    """Whether a path names the object whose id was sent at `sent_path`.

    `beneficiary.account` names the one of `account.id`, and `recipient` that of `recipient_id`.
    """
    refused_object = _name_object(path)
    has_same_noun = find_noun(refused_object) == find_noun(_name_object(sent_path))
    return has_same_noun or refused_object == _name_object(our_name)


def _name_object(path: str) -> str:
    """The object that a reference names: `recipient` of `recipient_id` and of `recipient.id`."""
    return path.removesuffix(".id").removesuffix("_id")
