"""Constant fields of a body that the settings add: values of a service, or to be filled in."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from ..spec import codes
from ..spec.envelope import walk_values
from ..spec.json_path import last_name, set_value_at, value_at
from ..spec.service.files import FILL_IN
from ..spec.service.frozen import FrozenDict, freeze_value, to_json_value
from ..spec.service.service import Service
from .accepted_values import find_accepted_words
from .names import Guesses
from .refused_request import RefusedField, RefusedRequest

VALUES_MAX = 4
LISTED = re.compile(r"allowed|options|enum|accepted|values|choices|one_?of", re.IGNORECASE)
TRUE = re.compile(r"must be (?:true|accepted)", re.IGNORECASE)
PLACE = re.compile(r"[A-Za-z_][\w-]{0,63}(?:\.[A-Za-z_][\w-]{0,63}){0,3}")
"""A dotted place in a body."""
KNOWN_VALUES = {"sender_name": "Alex Example", "source_type": codes.SOURCE_TYPES[0]}
"""Values of optional fields that a person needs not choose."""


def add_constant_field(request: RefusedRequest, field: RefusedField) -> Guesses:
    """`{"extra": {"individuals.create": {"gender": "MALE"}}}` after "must be one of MALE, FEMALE".

    Without a known or listed value, the field is one that a person fills in.
    """
    if not _may_be_constant(request, field):
        return
    values: list[Any] = [KNOWN_VALUES[field.our_path]] if field.our_path in KNOWN_VALUES else []
    values += (
        find_listed_words(request.answered_body) or find_accepted_words(field.words)[:VALUES_MAX]
    )
    if TRUE.search(field.words):
        values.append(True)
    for value in values or [FILL_IN]:
        yield {"extra": add_constant(request.service, request.operation.name, field.path, value)}


def _may_be_constant(request: RefusedRequest, field: RefusedField) -> bool:
    """Whether a field may be a constant: it is new, and no field whose value paylab knows."""
    if request.unknown_names or not request.operation.fields or not PLACE.fullmatch(field.path):
        return False  # it is the new name of an unknown field, or not one of a JSON body
    if request.knows(field) and field.our_path not in KNOWN_VALUES:
        return False
    if any(f"_{name}".endswith(f"_{field.name}") for name in request.body.values):
        return False  # `amount` is what was sent as `source_amount`
    # Something can be added to an object, but not to text.
    top_name, _, nested_path = field.path.partition(".")
    sent_value = request.sent_body.get(top_name)
    return sent_value is None or bool(nested_path and isinstance(sent_value, Mapping))


def add_constant(service: Service, operation: str, place: str, value: object) -> FrozenDict[Any]:
    """The constant fields of a service with one more, at a dotted place of an operation."""
    extra = to_json_value(service.extra)
    set_value_at(extra.setdefault(operation, {}), place, value)
    frozen: FrozenDict[Any] = freeze_value(extra)
    return frozen


def find_blanks(extra: Mapping[str, object]) -> set[tuple[str, str]]:
    """The operations and the dotted places of constants that a user has to fill in."""
    return {
        (operation, field_path)
        for operation, constants in to_json_value(extra).items()
        for field_path, field_value in walk_values(constants, 4)
        if field_value == FILL_IN
    }


def add_blanks(service: Service, places: Iterable[tuple[str, str]]) -> dict[str, Any]:
    """The values of a file, with a mark for each constant field that a person has to choose.

    A file with a mark is refused when it is read, with a line that asks for the value.
    """
    extra = to_json_value(service.extra)
    for operation, place in places:
        if value_at(extra.get(operation), place) is None:
            set_value_at(extra.setdefault(operation, {}), place, FILL_IN)
    return {**service.declared, "extra": extra} if extra else service.declared


def find_listed_words(body: object) -> list[str]:
    """The words that a refusal lists beside its message, such as `"allowed_values": ["a", "b"]`."""
    refusal = body[0] if isinstance(body, list) and body else body
    for path, members in walk_values(refusal, 4):
        is_listed = isinstance(members, list) and LISTED.search(last_name(path))
        if is_listed and members and all(isinstance(member, str) for member in members):
            return list(members[:VALUES_MAX])
    return []
