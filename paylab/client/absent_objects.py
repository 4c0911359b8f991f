"""Which object or path of a call a service does not know."""

from __future__ import annotations

import re
from collections.abc import Mapping
from urllib.parse import unquote

from ..errors.choices import describe_outer_space
from ..errors.habits import find_our_name
from ..errors.suggestions import find_nearest_name
from ..spec.operations.operation import Operation
from ..spec.operations.records import OPERATIONS
from ..spec.operations.routes import make_routes
from ..spec.service.tree import ServiceSettings
from ..spec.text import plain
from .identifiers import PREFIXES, describe_other_kind

PATH_ID = "the id"
"""What advice calls the id in the path of a request."""
OTHER_NOUNS = {
    "individual": ("customer", "recipient", "beneficiary"),
    "payout_account": ("wallet",),
    "transfer": ("payout", "payment"),
    "webhook_subscription": ("webhook", "webhook endpoint", "subscription"),
}
"""Other names of objects that services use, by our name."""
ANY_OBJECT = ("id", "resource", "object", "record")
"""Nouns of the object that the path names."""
_BEFORE = r"\b(no such|(cannot|could not|can't) (find|locate))( an?| the| this)? "
_ID = r":? [\"'`]?[\w/-]*[\d/_][\w/-]*[\"'`]?"
_NAMED = rf"([ _]id)?( with)?( the| this)?( given)?( id\b)?( provided| given|{_ID})?"
"""What may name the object between its noun and its verb: its id, or a word such as given."""
_AFTER = r"( was| is| could| has)? (not (be )?(found|located)|(does|did)( not|n't) exist|unknown)\b"
_ABSENCE = re.compile(rf"\w{_AFTER}|{_BEFORE}(?!field|key|param|propert)\w", re.IGNORECASE)
_NEAR_PATH = 0.7
"""The similarity from which a path is probably a misspelt one."""
UNNAMED = (
    "the service does not know what it names, or that belongs to another account or environment"
)
PATH_WORDS = re.compile(
    r"\b(rout(e|es|ing)|path|url|endpoint|page not found|cannot (get|post|delete))\b",
    re.IGNORECASE,
)


def is_about_path(text: str) -> bool:
    """Whether a text is about the path of a request."""
    return PATH_WORDS.search(text) is not None


def is_absence(text: str) -> bool:
    """Whether a text says that there is no object of some name."""
    return _ABSENCE.search(text) is not None


def find_absent_ids(
    refusal_text: str, operation: Operation | None, id_names: list[str], *, has_path_id: bool
) -> list[str]:
    """The names of the ids whose objects a refusal calls absent.

    "quote not found" is about `quote_id`, if the body has it. PATH_ID stands for the id in the
    path. The result is empty if the text calls no object absent.
    """
    nouns_by_id_name = {id_name: _list_nouns(id_name.removesuffix("_id")) for id_name in id_names}
    if has_path_id:
        path_nouns = (*_list_nouns(_name_resource(operation)), *ANY_OBJECT)
        nouns_by_id_name = {PATH_ID: path_nouns, **nouns_by_id_name}
    return [
        id_name
        for id_name, id_nouns in nouns_by_id_name.items()
        if _is_absent(refusal_text, id_nouns)
    ]


def advise_to_check_ids(operation: Operation, id_by_name: Mapping[str, object]) -> str:
    """The advice to check the ids of a call, of which the service does not know one.

    `id_by_name` has the id of each field; that in the path comes first, under `PATH_ID`. If an id
    looks like that of another kind of object, or has a space around it, the advice says that.
    """
    id_names = [*id_by_name]
    for id_name, object_id in id_by_name.items():
        object_noun = (
            _name_resource(operation) if id_name == PATH_ID else id_name.removesuffix("_id")
        )
        if other_kind_text := describe_other_kind(object_id, object_noun):
            return other_kind_text
        if space_text := describe_outer_space(object_id):
            return f"check {id_name}: {plain(repr(object_id), 80)} is written {space_text}"
    resource_name = operation.resource
    is_listed = id_names[0] == PATH_ID and f"{resource_name}.list" in OPERATIONS
    look_advice = f"; look in lab.{resource_name}.list()" if is_listed else ""
    if is_listed and resource_name == "transfers":
        look_advice += ", or with lab.transfers.find(client_reference_id=...) for a reference"
    if id_names == [PATH_ID]:
        absence_text = f"no {_name_resource(operation).replace('_', ' ')} has this id"
    elif len(id_names) == 1:
        absence_text = "the service does not know it"
    else:
        absence_text = "the service does not know one of them"
    return (
        f"check {' and '.join(id_names)}: {absence_text}, or it belongs to another account or "
        f"environment{look_advice}"
    )


def _name_resource(operation: Operation | None) -> str:
    """The noun of an operation's resource, such as `transfer`; `object` without an operation."""
    return operation.resource.removesuffix("s") if operation else "object"


def _list_nouns(object_name: str) -> tuple[str, ...]:
    """The words for an object: `transfer`, which is our name, then `payout` and `payment`."""
    return (object_name, *OTHER_NOUNS.get(object_name, ()))


def _is_absent(refusal_text: str, nouns: tuple[str, ...]) -> bool:
    """Whether a refusal says that an object of these nouns is absent: "no such wallet"."""
    noun_pattern = rf"\b({'|'.join(nouns)})".replace("_", "[ _]?")
    patterns = (
        f"{noun_pattern}{_NAMED}{_AFTER}",
        rf"{_BEFORE}{noun_pattern}([ _]id)?\b",
        rf"\bunknown {noun_pattern}([ _]id)?({_ID})?[.!]?$",
    )
    return any(re.search(pattern, refusal_text, re.IGNORECASE) for pattern in patterns)


def _find_path_of_word(path: str, templates: list[str]) -> str | None:
    """The path whose last word is our name for that of another service, or the path of an id.

    `/v1/payouts` is /v1/transfers, and `/v1/tr_1` is /v1/transfers/tr_1. None for any other.
    """
    last_word = path.rpartition("/")[2]
    path_by_word = {template.rpartition("/")[2]: template for template in templates}
    our_word = find_our_name(last_word, path_by_word.keys())
    if our_word in path_by_word:
        return path_by_word[our_word]
    for kind, id_prefix in PREFIXES.items():
        list_path = path_by_word.get(f"{kind.replace(' ', '_')}s", "")
        can_read_by_id = any(template.startswith(f"{list_path}/{{") for template in templates)
        if list_path and can_read_by_id and last_word.startswith(id_prefix):
            return f"{list_path}/{plain(last_word, 80)}"
    return None


def describe_unknown_path(service: ServiceSettings, method: str, target: str) -> str:
    """A sentence that no operation has this path, and which similar one is probably meant."""
    path = target.partition("?")[0]
    first_segment, _, path_rest = path.strip("/").partition("/")
    if path_rest.startswith(f"{first_segment}/"):  # the base path is there twice: /v1/v1/transfers
        likely_path = f"/{plain(path_rest, 80)}"
        return f"the specification has no {method} {plain(path, 80)}: is {likely_path} meant?"
    templates = [route.template for route in make_routes(service) if route.method == method]
    bare_path = path.rstrip("/")
    slash_count = bare_path.count("/")
    near_templates = [template for template in templates if template.count("/") == slash_count]
    near_path = find_nearest_name(bare_path, near_templates, _NEAR_PATH)
    if near_path is None and bare_path.startswith("/"):  # /transfers lacks only the version
        near_path = next((template for template in templates if template.endswith(bare_path)), None)
    near_path = near_path or _find_path_of_word(bare_path, templates)
    hint = f"is {near_path} meant?" if near_path else "paylab openapi prints those that it has"
    return f"the specification has no {method} {plain(path, 80)}: {hint}"


def read_id(field_value: object) -> object:
    """The id that a field of a body has, also inside an object."""
    return field_value.get("id") if isinstance(field_value, Mapping) else field_value


def names_other_kind(body: object) -> bool:
    """Whether a body refers to an object by an id that looks like that of another kind.

    >>> names_other_kind({"financial_account": {"id": "ind_1"}})
    True
    """
    if not isinstance(body, Mapping):
        return False
    return any(
        describe_other_kind(read_id(body[id_name]), id_name.removesuffix("_id"))
        for id_name in find_id_names(body)
    )


def find_path_id(template: str, path: str) -> str:
    """The id in the path of a request; "" if the template has no id, or does not fit the path."""
    template_segments = template.strip("/").split("/")
    path_segments = path.partition("?")[0].strip("/").split("/")
    if len(template_segments) != len(path_segments):
        return ""
    segment_pairs = zip(template_segments, path_segments, strict=True)
    return next(
        (
            unquote(segment)
            for template_segment, segment in segment_pairs
            if template_segment.startswith("{")
        ),
        "",
    )


def find_id_names(body: object) -> list[str]:
    """The fields of a body that refer to other objects: by an id, or by an object with one.

    >>> find_id_names({"quote_id": "qt_1", "financial_account": {"id": "fa_1"}, "amount": "5"})
    ['quote_id', 'financial_account']
    """
    if not isinstance(body, Mapping):
        return []
    id_names = []
    for field_name, field_value in body.items():
        if field_name == "client_reference_id" or field_value is None:
            continue  # the caller's own reference names no object of the service
        is_object_with_id = isinstance(field_value, Mapping) and "id" in field_value
        if field_name.endswith("_id") or is_object_with_id:
            id_names.append(field_name)
    return id_names
