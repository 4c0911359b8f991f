"""New names of fields: a service misses one field where paylab sends another one."""

from __future__ import annotations

import re
from collections.abc import Mapping
from difflib import SequenceMatcher
from itertools import product

from ..spec.json_path import last_name
from ..spec.service.key import SettingKey
from .refused_request import MISSING, Guesses, RefusedField, RefusedRequest


def rename_all_at_once(request: RefusedRequest) -> Guesses:
    """Yield one guess that renames every unknown field of the body to a missing one.

    For example, `source_amount` and `quote_id` are unknown, and `amount` and `quotation` are
    missing: after one rename alone, the service still refuses the other field.
    """
    setting_by_name = request.body.name_settings
    missing_paths = [
        refused_field.path
        for refused_field in request.fields
        if refused_field.kind == MISSING and refused_field.path
    ]
    # Of `source.amount` and `source.currency` a service may say only that `source_amount` is gone.
    nested_names = {path.replace(".", "_") for path in missing_paths} & {*request.body.values}
    renamed_names = [
        our_name for our_name in setting_by_name if our_name in request.unknown_names | nested_names
    ]
    # A single pair is a guess of `rename_field`.
    are_several_pairs = len(renamed_names) == len(missing_paths) and len(renamed_names) >= 2
    if not are_several_pairs or not request.unknown_names:
        return
    pairs_most_alike_first = sorted(
        product(renamed_names, missing_paths),
        key=lambda pair: _measure_likeness(setting_by_name, *pair),
        reverse=True,
    )
    path_by_name: dict[str, str] = {}
    for our_name, path in pairs_most_alike_first:
        if our_name not in path_by_name and path not in path_by_name.values():
            path_by_name[our_name] = path
    yield {setting_by_name[our_name].name: path for our_name, path in path_by_name.items()}


def rename_field(request: RefusedRequest, field: RefusedField) -> Guesses:
    """Yield guesses that a missing field is the new name of a sent one, the most alike first.

    Such as `{"quotes.fields.payout_method": "rail"}` if `rail` is missing and payout_method is
    unknown. A reference may also become an object with the id: `recipient.id` for `recipient_id`.
    """
    setting_by_name = field.sent.name_settings
    candidate_names = [
        our_name
        for our_name in setting_by_name
        if _may_be_renamed(request, field, setting=setting_by_name[our_name], our_name=our_name)
    ]
    candidate_names.sort(
        key=lambda our_name: _measure_likeness(setting_by_name, our_name, field.path), reverse=True
    )
    for our_name in candidate_names:
        yield {setting_by_name[our_name].name: field.place}
        if our_name.endswith("_id") and not field.path.endswith("id"):
            yield {setting_by_name[our_name].name: f"{field.place}.id"}


def _may_be_renamed(
    request: RefusedRequest, field: RefusedField, setting: SettingKey, our_name: str
) -> bool:
    """Whether a missing field may be the new name of the sent field `our_name`.

    It may if the service does not know our name, if public descriptions of such services have the
    new one, or if both refer to the same object.
    """
    sent_references = [
        reference_field
        for reference_field in request.operation.references
        if reference_field.name in field.sent.values
    ]
    sent_names = {
        *field.sent.values,
        *(sent_reference.id_name for sent_reference in sent_references),
    }
    sent_path = str(request.service.value(setting.name))
    if our_name not in sent_names or sent_path == field.place:
        return False
    is_unknown = bool({our_name, our_name.removesuffix("_id")} & request.unknown_names)
    is_public = field.path in setting.others or last_name(field.path) in setting.others
    is_reference = our_name.endswith("_id") and not field.sent.is_details
    return is_unknown or is_public or (is_reference and _is_same_object(field.path, sent_path))


def _is_same_object(path: str, sent_path: str) -> bool:
    """Whether a path refers to the object whose id was sent at `sent_path`.

    `beneficiary.account` and `account.key` refer to the object of `account.id`.
    """
    sent_object = _name_object(sent_path)
    noun = _split_name(_name_object(path))[-1].lower()
    return noun == _split_name(sent_object)[-1].lower() or path.startswith(f"{sent_object}.")


def _name_object(path: str) -> str:
    """Name the object of a reference: `recipient` for `recipient_id` and for `recipient.id`."""
    return path.removesuffix(".id").removesuffix("_id")


def _split_name(name: str) -> list[str]:
    """Split a name into words: `source.fromAmount` into source, from and Amount."""
    return re.split(r"[._-]|(?<=[a-z])(?=[A-Z])", name)


def _measure_likeness(
    setting_by_name: Mapping[str, SettingKey], our_name: str, path: str
) -> tuple[bool, float]:
    """Measure how alike our name and a path are; a greater result is more alike.

    First counts whether public descriptions have the path as another name, then the number of
    common words plus the share of equal letters.
    """
    is_public = path in setting_by_name[our_name].others
    common_words = {*_split_name(our_name)} & {*_split_name(path)}
    return is_public, len(common_words) + SequenceMatcher(None, our_name, path).ratio()
