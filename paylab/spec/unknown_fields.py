"""The error for an attribute that a resource does not have, with what to use instead."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NoReturn

from ..errors import suggestions
from ..errors.cards import AbsentAttributeError
from ..errors.habits import split_words
from ..errors.refusals import list_names
from .operations.records import OPERATIONS
from .resource import Resource
from .row_filter import FIELDS

_DEPTH_MAX = 2
_METHODS = ("raw", "to_dict", "to_json")


def raise_unknown_field(resource: Resource, name: str) -> NoReturn:
    """Raise AttributeError that names the field or the call that is meant, or else all fields."""
    message = f"{type(resource).__name__} has no attribute {name!r}"
    raise AbsentAttributeError(f"{message}: {describe_unknown_name(resource, name)}")


def describe_unknown_name(resource: Resource, name: object) -> str:
    """Say which field or call is meant by a wrong name, or else list all fields."""
    if not isinstance(name, str):
        return list_names(resource.keys())
    model_name = type(resource).__name__
    field_names = [*type(resource).model_fields, *(resource.model_extra or ())]
    own_field_name = suggestions.find_suggestion(name, [*field_names, *_METHODS], model_name)
    nested_paths = find_nested_fields(resource, name)
    # `address.city` says more than the similar `address`, which has it.
    is_inside = any(nested_path.startswith(f"{own_field_name}.") for nested_path in nested_paths)
    field_suggestion = None if is_inside else own_field_name
    suggestion_text = (
        _find_exact_call(name, model_name)
        or field_suggestion
        or " or ".join(nested_paths)
        or _find_nearest_call(name, model_name)
    )
    if suggestion_text:
        return f"use {suggestion_text}"
    if model_name == "Deposit" and name == "status":
        return "use lab.status(deposit): it follows the conversion"
    chapters = _list_chapters(model_name)
    call_hint_text = f"; lab.{chapters[0]} has the calls" if chapters else ""
    return f"{list_names(field_names)}{call_hint_text}"


def find_nested_fields(resource_or_object: object, name: str, depth: int = _DEPTH_MAX) -> list[str]:
    """Find the places in the parts of a resource that have a field, as written in code.

    >>> find_nested_fields(person, "city")
    ['address.city']
    """
    if not depth or suggestions.says_little(name):
        return []
    field_paths = []
    for part_name, part in _list_parts(resource_or_object):
        if isinstance(part, Mapping) and name in part:
            field_paths.append(f"{part_name}[{name!r}]")
        elif name in part:
            field_paths.append(f"{part_name}.{name}")
        else:
            inner_paths = find_nested_fields(part, name, depth - 1)
            field_paths += [f"{part_name}.{inner_path}" for inner_path in inner_paths]
    return field_paths


def _list_parts(
    resource_or_object: object,
) -> Iterator[tuple[str, Resource | Mapping[object, object]]]:
    """Yield the fields of a resource that are objects themselves, with their names.

    Nothing for an object that is no resource.
    """
    if isinstance(resource_or_object, Resource):
        for field_name, field_value in resource_or_object:
            if isinstance(field_value, Resource | Mapping):
                yield field_name, field_value


def _list_chapters(model_name: str) -> list[str]:
    """The parts of a lab whose operations return a model: ["transfers"] for "Transfer"."""
    operations = [operation for operation in OPERATIONS.values() if operation.answer == model_name]
    return list(dict.fromkeys(operation.resource for operation in operations))


def _find_nearest_call(name: str, model_name: str) -> str | None:
    """The call that is meant by an attribute of a model of this kind; None if none is near.

    First the list of the part of a lab that has this name: `individual.transfers` means
    `lab.transfers.list(individual_id=...)`. Then a call of the model's own part with a similar
    name.
    """
    if name in {operation.resource for operation in OPERATIONS.values()}:
        id_name = _make_id_name(model_name)
        has_id_filter = id_name in FIELDS.get(name, {})
        return f"lab.{name}.list({id_name}=...)" if has_id_filter else f"lab.{name}"
    for chapter in _list_chapters(model_name):
        call_name = suggestions.find_suggestion(name, _list_call_names(chapter))
        if call_name:
            return _write_nearest_call(call_name, chapter, model_name)
    return None


def _write_nearest_call(call_name: str, chapter: str, model_name: str) -> str | None:
    """A call that was found for a model, as code; None if it cannot be meant."""
    if call_name == "create":  # the object is there already: what is created from it?
        return _find_only_call_with_id(model_name)
    # The suggestion for a habit of other SDKs is a whole call.
    return call_name if call_name.startswith("lab.") else f"lab.{chapter}.{call_name}"


def _find_only_call_with_id(model_name: str) -> str | None:
    """The only call that has a field with the id of a kind of object."""
    own_id_name = _make_id_name(model_name)
    operation_names = [
        operation_name
        for operation_name, operation in OPERATIONS.items()
        if any(field.name == own_id_name for field in operation.fields)
    ]
    if len(operation_names) != 1:
        return None
    return f"lab.{operation_names[0]}({own_id_name}=...)"


def _find_exact_call(name: str, model_name: str) -> str | None:
    """The call of a lab with exactly this name, such as `lab.transfers.wait`; None if none has."""
    chapters = [*_list_chapters(model_name), "sandbox"]
    return next(
        (f"lab.{chapter}.{name}" for chapter in chapters if name in _list_call_names(chapter)), None
    )


def _list_call_names(chapter: str) -> list[str]:
    """The names of the calls of a part of a lab, such as "create" and "get"."""
    operation_names = [
        operation_name for operation_name in OPERATIONS if operation_name.startswith(f"{chapter}.")
    ]
    verbs = [operation_name.removeprefix(f"{chapter}.") for operation_name in operation_names]
    return [*verbs, "wait"] if "get" in verbs else verbs  # `wait` gets an object again and again


def _make_id_name(model_name: str) -> str:
    """The name of a field with the id of a model: `conversion_account_id`."""
    model_words = split_words(model_name)
    return "_".join([*model_words, "id"])
