"""Which object or path of a call a service does not know."""

from __future__ import annotations

import re
from collections.abc import Mapping

from ..errors.names import find_nearest_name
from ..spec.operations.operation import Operation
from ..spec.operations.records import OPERATIONS
from ..spec.operations.routes import make_routes
from ..spec.service.tree import ServiceSettings
from ..spec.text import plain

PATH_ID = "the id"
"""What advice calls the id in the path of a request."""
OTHER_NOUNS = {
    "individual": ("customer", "recipient", "beneficiary"),
    "payout_account": ("wallet",),
    "transfer": ("payout", "payment"),
    "webhook_subscription": ("webhook", "webhook endpoint", "subscription"),
}
"""What services call the objects of this one, beside our names."""
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


def absent_ids(
    text: str, operation: Operation | None, ids: list[str], *, has_own: bool
) -> list[str]:
    """The ids whose objects a text calls absent; "the id" is that of the path."""
    own_noun = _noun_of(operation)
    nouns_by_id_name = {id_name: _nouns_for(id_name.removesuffix("_id")) for id_name in ids}
    if has_own:
        nouns_by_id_name = {PATH_ID: (*_nouns_for(own_noun), *ANY_OBJECT), **nouns_by_id_name}
    return [id_name for id_name, id_nouns in nouns_by_id_name.items() if _is_absent(text, id_nouns)]


def advise_to_check_ids(operation: Operation, names: list[str]) -> str:
    """The advice to check the ids of a call, of which the service does not know one.

    `names` are their fields, or `PATH_ID` for the id in the path, which is the first one.
    """
    resource = operation.resource
    is_listed = names[0] == PATH_ID and f"{resource}.list" in OPERATIONS
    look_advice = f"; look in lab.{resource}.list()" if is_listed else ""
    if names == [PATH_ID]:
        absence_text = f"no {_noun_of(operation).replace('_', ' ')} has this id"
    else:
        absence_text = "the service does not know " + ("it" if len(names) == 1 else "one of them")
    return (
        f"check {' and '.join(names)}: {absence_text}, or it belongs to another account or "
        f"environment{look_advice}"
    )


def _noun_of(operation: Operation | None) -> str:
    """The noun of the resource of an operation."""
    return operation.resource.removesuffix("s") if operation else "object"


def _nouns_for(object_name: str) -> tuple[str, ...]:
    """The words for an object: our name of it, and others."""
    return (object_name, *OTHER_NOUNS.get(object_name, ()))


def _is_absent(refusal_text: str, nouns: tuple[str, ...]) -> bool:
    """Whether a text says of one of these nouns that there is none."""
    noun_pattern = rf"\b({'|'.join(nouns)})".replace("_", "[ _]?")
    patterns = (
        f"{noun_pattern}{_NAMED}{_AFTER}",
        rf"{_BEFORE}{noun_pattern}([ _]id)?\b",
        rf"\bunknown {noun_pattern}([ _]id)?({_ID})?[.!]?$",
    )
    return any(re.search(pattern, refusal_text, re.IGNORECASE) for pattern in patterns)


def describe_unknown_path(service: ServiceSettings, method: str, target: str) -> str:
    """That no operation has this path, and the path of the same depth that is probably meant."""
    path = target.partition("?")[0]
    templates = {
        route.template: route.operation
        for route in make_routes(service)
        if route.method == method and route.template.count("/") == path.count("/")
    }
    near_path = find_nearest_name(path, templates, _NEAR_PATH)
    hint = f"is {near_path} meant?" if near_path else "paylab openapi prints those that it has"
    return f"the specification has no {method} {plain(path, 80)}: {hint}"


def find_id_names(body: object) -> list[str]:
    """The names of the ids of other objects in a body."""
    if not isinstance(body, Mapping):
        return []
    field_names = [
        field_name
        for field_name in body
        if field_name != "client_reference_id" and body[field_name] is not None
    ]
    object_names = [
        field_name
        for field_name in field_names
        if isinstance(body[field_name], Mapping) and "id" in body[field_name]
    ]
    return [
        field_name
        for field_name in field_names
        if field_name.endswith("_id") or field_name in object_names
    ]
