"""New names of fields: a service misses one field where paylab sends another one."""

from __future__ import annotations

import re
from itertools import product

from ..spec.json_path import last_name
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
    if sent.is_details and sent.has(field):
        return
    sent_names = {*sent.values}
    if not sent.is_details:
        references = request.operation.references
        sent_names |= {each.id_name for each in references if each.name in sent.values}
    new_names = {field.path, last_name(field.path)}
    public_names = [name for name in settings if new_names & {*settings[name].others}]
    unknown_names = [
        name for name in settings if {name, name.removesuffix("_id")} & request.unknown_names
    ]
    old_names = dict.fromkeys([*public_names, *sort_by_likeness(unknown_names, field.path)])
    for name in [name for name in old_names if name in sent_names][:RENAMES_MAX]:
        yield {settings[name].name: last_name(field.path) if sent.is_details else field.path}
        if name.endswith("_id") and not field.path.endswith("id"):
            yield {settings[name].name: f"{field.path}.id"}


def rename_required_field(request: RefusedRequest, field: RefusedField) -> Guesses:
    """The required fields that were sent, as a missing one: first those that are most like it.

    Of a body, only the single one that shares a word with it. If the service needs the old name as
    well, it says after the rename that this one is missing, and the rename is not kept.
    """
    sent = request.find_object(field)
    if sent.has(field) or (not sent.is_details and request.knows(field)):
        return
    new_path = field.name if sent.is_details else field.path
    names = [name for name in sent.required if name in sent.values and name in sent.name_settings]
    if not sent.is_details:
        names = [name for name in names if {*split_name(name)} & {*split_name(new_path)}]
        names = names if len(names) == 1 else []
    for name in sort_by_likeness(names, new_path)[:RENAMES_MAX]:
        yield {sent.name_settings[name].name: new_path}


def move_reference(request: RefusedRequest, field: RefusedField) -> Guesses:
    """Other forms of a reference, which is an id or an object with the id.

    If `recipient` is missing, it and `recipient.id` instead of `recipient_id`; if "recipient must
    be a string", it instead of `recipient.id`.
    """
    refused_object = _name_object(field.path)
    for name, key in request.body.name_settings.items():
        id_path = str(request.service.value(key.name))
        sent_object = _name_object(id_path)
        if not name.endswith("_id") or (field.kind == MISSING and field.path == id_path):
            continue  # a service that misses what was sent needs another reference as well
        is_same = find_noun(refused_object) == find_noun(sent_object)
        is_same = is_same or refused_object == _name_object(name)
        new_paths: tuple[str, ...] = ()
        if field.kind != MISSING:
            if is_same and FORM.search(field.words):
                new_paths = (sent_object, f"{id_path}.id", f"{sent_object}.id")
        elif is_same and (field.path.endswith("id") or field.path == refused_object):
            new_paths = (field.path, f"{field.path}.id")
        elif field.path.startswith(f"{sent_object}."):  # `payee.key` for `payee.id`
            new_paths = (field.path,)
        yield from ({key.name: new_path} for new_path in new_paths)


def _name_object(path: str) -> str:
    """The object that a reference names: `recipient` of `recipient_id` and of `recipient.id`."""
    return path.removesuffix(".id").removesuffix("_id")
