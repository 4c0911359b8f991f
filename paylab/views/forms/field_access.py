"""Fields of a form that are read or set as attributes or items: an error says how to do it."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, NoReturn, TypeVar

from ...errors.base import (
    ArgumentError,
    OptionError,
    Problem,
    RuleWarning,
    UnknownNameError,
    warn_caller,
)
from ...errors.choices import describe_wrong_choice
from ...errors.habits import fold_name
from ...errors.names import raise_unknown_attribute, refuse_item, unknown_name_error
from ...errors.refusals import set_attribute
from ...errors.suggestions import find_nearest_name, find_suggestion
from ...spec.text import JsonMapping
from .field import CHOICE_INPUTS, FormField

K = TypeVar("K")


def with_field_access(class_: type[K]) -> type[K]:
    """Give a class of forms errors that say how to read and set a field.

    They are set here, because in the class they would hide unknown names from mypy.
    """
    untyped_class: Any = class_
    untyped_class.__getattr__ = _refuse_to_read
    untyped_class.__setattr__ = _set_attribute
    untyped_class.__getitem__ = _refuse_item
    untyped_class.__setitem__ = lambda form, name, _value: _refuse_item(form, name)
    return class_


def set_fields(form: Any, values: JsonMapping) -> None:
    """Set fields of a form, and check them once.

    UnknownNameError for a name that no field has; OptionError for a value that is no choice. After
    an error the form is unchanged. A form that was sent is not changed, and gives a warning.
    """
    if form.result is not None:
        message = f"this form was sent and is not changed: {form.again_name}() begins again"
        warn_caller(message, RuleWarning)
        return
    unknown_names = [field_name for field_name in values if field_name not in form.fields]
    if "consent" in unknown_names:
        raise ArgumentError("consent is no field: pass consent=True where the form is made")
    if unknown_names:
        raise _unknown_field_error(unknown_names[0], form.fields)
    snapshots = [(field, field.snapshot) for field in form.fields.values()]
    with form.filling():
        for field_name, field_value in values.items():
            form.fields[field_name].set_value(field_value)
    # Only now, since the country of a form decides about the choices of other fields.
    problems = []
    for field_name, field_value in values.items():
        field = form.fields[field_name]
        if isinstance(field_value, float):
            problems.append(Problem(field_name, "must be text or a Decimal: a float is not exact"))
        elif not _is_choice(field, field_value):
            message = describe_wrong_choice(_list_choices(field), field_value)
            problems.append(Problem(field_name, message))
    if problems:
        with form.filling():
            for field, snapshot in snapshots:
                field.restore(snapshot)
        raise OptionError(problems)


def _unknown_field_error(name: str, fields: Mapping[str, FormField]) -> UnknownNameError:
    """The error for a name that no field has: what calls suggest for it, or the nearest names.

    A label, such as CURP, names its field.
    """
    label_name = fold_name(name.replace(" ", ""))
    labelled_names = [
        field_name
        for field_name, field in fields.items()
        if fold_name(field.label.replace(" ", "")) == label_name
    ]
    if labelled_names:
        return UnknownNameError("field", name, labelled_names, fields)
    suggestion = find_suggestion(name, fields)
    if suggestion is None:
        return unknown_name_error("field", name, fields)
    return UnknownNameError("field", name, [suggestion], fields)


def _is_choice(field: FormField, value: object) -> bool:
    """Whether a value is a choice of a field; any is of a field without a closed list."""
    option_values = [option_value for _, option_value in field.options]
    return field.input not in CHOICE_INPUTS or value in option_values


def _list_choices(field: FormField) -> list[str]:
    """The choices of a field as text, without the empty one."""
    return [str(option_value) for _, option_value in field.options if option_value != ""]


def set_known_fields(form: Any, values: JsonMapping) -> None:
    """Set those fields that a form has, such as the fields of an example."""
    known_values = {name: value for name, value in values.items() if name in form.fields}
    set_fields(form, known_values)


def refuse_example(form: Any) -> NoReturn:
    """ArgumentError for a form that has no example."""
    known_names_text = ", ".join(form.fields)
    raise ArgumentError(f"this form has no example: name the fields to fill, of {known_names_text}")


def find_first_marked(fields: Mapping[str, FormField]) -> FormField | None:
    """The first visible field with an error, else with a warning; None if there is none."""
    visible_fields = [field for field in fields.values() if field.visible]
    marked_fields = [field for field in visible_fields if field.errors or field.warnings]
    return min(marked_fields, key=lambda field: not field.errors, default=None)


def _list_field_names(form: object) -> Collection[str]:
    """The names of the fields of a form; none while its `__init__` runs."""
    field_names: Collection[str] = vars(form).get("fields", ())
    return field_names


def _find_field_name(form: object, name: object) -> str | None:
    """The field name that is equal or similar to a name; None if none is."""
    return find_nearest_name(str(name), _list_field_names(form))


def _describe_access(name: str) -> str:
    """How to read and set a field, as a sentence."""
    return f"{name} is a field: values() reads all of them, fill({{{name!r}: ...}}) sets it"


def _refuse_to_read(form: object, name: str) -> NoReturn:
    """AttributeError for `form.name`; for a field, with how to read it."""
    field_name = None if name.startswith("_") else _find_field_name(form, name)
    if field_name:
        raise AttributeError(_describe_access(field_name))
    raise_unknown_attribute(form, name)


def _set_attribute(form: Any, name: str, value: object) -> None:
    """Set an attribute of a form; AttributeError for a field, with how to set it."""
    if name in _list_field_names(form) and name not in dir(type(form)):
        raise AttributeError(_describe_access(name))
    if isinstance(vars(form).get(name), FormField):
        advice_text = "fill(...) sets fields"
        if name == "consent":
            advice_text = "pass consent=True where the form is made"
        raise AttributeError(f"{name} is an input and cannot be set: {advice_text}")
    set_attribute(form, name, value)


def _refuse_item(form: object, name: object) -> NoReturn:
    """TypeError for `form["name"]`; for a field, with how to read and set it."""
    field_name = _find_field_name(form, name)
    if field_name:
        raise TypeError(_describe_access(field_name))
    refuse_item(form, name)
