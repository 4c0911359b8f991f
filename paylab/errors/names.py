"""Names that do not exist here, and which name is probably meant.

The AttributeError of a class with `@with_name_suggestions` says what to use instead.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any, NoReturn, TypeVar

from .base import UnknownNameError
from .cards import LateAttributeError, MisuseError
from .habits import find_our_name, split_words
from .refusals import kind_name, list_names, refuse_foreign_uses, refuse_new_attributes
from .suggestions import FILLERS, find_nearest_names, find_suggestion
from .text import plain


def unknown_name_error(kind: str, name: object, known: Mapping[str, object]) -> UnknownNameError:
    """The error for a name of some kind that is not known, with the nearest names or all."""
    return UnknownNameError(
        kind, str(name), nearest=find_nearest_names(str(name), known), known=known
    )


def describe_unknown_parameters(
    function: str, names: Iterable[str], known: Iterable[str]
) -> tuple[str, str]:
    """The message on unknown parameters, and the first of them without a suggestion, or "".

    The message suggests names, or lists all if there is no suggestion.
    """
    known_names = list(known)
    unlike_name = ""
    name_texts = []
    has_suggestion = False
    for parameter_name in sorted(names):
        name_text = repr(parameter_name)
        suggestion = find_suggestion(parameter_name, known_names)
        if suggestion:
            has_suggestion = True
            suggestion_text = repr(suggestion) if suggestion.isidentifier() else suggestion
            name_text += f" (is {suggestion_text} meant?)"
        elif not unlike_name:
            unlike_name = parameter_name
        name_texts.append(name_text)
    known_names_text = "" if has_suggestion else f": it takes {', '.join(known_names) or 'none'}"
    return f"{function}() has no parameter {' or '.join(name_texts)}{known_names_text}", unlike_name


def raise_unknown_attribute(owner: object, name: str) -> NoReturn:
    """The `__getattr__` of a class: AttributeError with the name to use instead."""
    raise LateAttributeError(partial(_describe_unknown_attribute, owner, name))


def _describe_unknown_attribute(owner: object, name: str) -> str:
    """The message for an unknown attribute: what to use instead, or all names."""
    message = f"{kind_name(owner)} has no attribute {name!r}"
    if name.startswith("_"):  # Python and IPython look up such names on any object
        return message
    inherited_names = {*dir(BaseException)} if isinstance(owner, BaseException) else set()
    owner_names = [
        owner_name
        for owner_name in dir(owner)
        if owner_name not in inherited_names and not owner_name.startswith("_")
    ]
    is_lab = "client" in owner_names
    suggestion = _find_call_of_lab(name, owner) if is_lab else None
    if not suggestion:
        # A verb is not the state that it leads to: `replayed` is no suggestion for `replay`.
        candidate_names = {*owner_names} - {f"{name}d", f"{name}ed"}
        suggestion = find_suggestion(name, candidate_names, kind_name(owner))
    if not suggestion and is_lab:
        suggestion = _find_beside_lab(name, owner)
    advice_text = f"use {suggestion}" if suggestion else list_names(owner_names)
    return f"{message}: {advice_text}"


def _find_call_of_lab(name: str, lab: object) -> str | None:
    """The call of a part of a lab that a name describes: `transfers.create` for `create_transfer`.

    The name must have the words of the part and one more, the verb; singular and plural are equal.
    """
    calls_by_part = _list_calls(lab)
    singular_words = []
    for guessed_word in split_words(name):
        if guessed_word not in FILLERS:
            # The noun may be that of another SDK, such as payout for transfers.
            our_name = find_our_name(guessed_word, {*calls_by_part}) or guessed_word
            noun = our_name if our_name in calls_by_part else guessed_word
            singular_words.append(noun.removesuffix("s"))
    for part_name, call_names in calls_by_part.items():
        part_words = [word.removesuffix("s") for word in split_words(part_name)]
        verbs = [word for word in singular_words if word not in part_words]
        if len(verbs) == 1 and len(singular_words) == len(part_words) + 1:
            call_name = find_suggestion(verbs[0], call_names)
            if call_name:
                return f"{part_name}.{call_name}" if call_name in call_names else call_name
    return None


def _list_calls(lab: object) -> dict[str, list[str]]:
    """The names of the public functions of each part of a lab."""
    part_names = [
        part_name
        for part_name in dir(lab)
        # A property is not read, since it may ask the service.
        if not isinstance(getattr(type(lab), part_name, None), property)
    ]
    return {part_name: _list_functions(getattr(lab, part_name)) for part_name in part_names}


def _list_functions(part: object) -> list[str]:
    """The names of the public functions of an object."""
    attributes = {**vars(type(part)), **getattr(part, "__dict__", {})}
    return [
        attribute_name
        for attribute_name in dir(part)
        if callable(attributes.get(attribute_name)) and not attribute_name.startswith("_")
    ]


def _find_beside_lab(name: str, lab: object) -> str | None:
    """Find the owner of a name that a lab lacks, and write both: `client.get`, `paylab.examples`.

    The owner is the client of the lab, else the only part that has the name, else the package.
    None if none of them has it.
    """
    calls_by_part = _list_calls(lab)
    owner_names = [
        part_name for part_name, call_names in calls_by_part.items() if name in call_names
    ]
    if "client" in owner_names:
        return f"client.{name}"
    if len(owner_names) == 1:
        return f"{owner_names[0]}.{name}"
    package_name = __name__.partition(".")[0]
    return f"{package_name}.{name}" if name in dir(sys.modules[package_name]) else None


def public_names(owner: object) -> list[str]:
    """The `__dir__` of a class: its public names; of these only its `USER_NAMES`, if it has any."""
    visible_names = {
        attribute_name
        for attribute_name in object.__dir__(owner)
        if not attribute_name.startswith("_")
    }
    user_names = getattr(type(owner), "USER_NAMES", visible_names)
    return sorted(visible_names.intersection(user_names))


def list_offers(owner: object) -> str:
    """The `__repr__` of a part of a lab: its public names."""
    return f"{kind_name(owner)}: {', '.join(public_names(owner))}"


def refuse_item(owner: object, key: object) -> NoReturn:
    """The `__getitem__` of a class without items: TypeError with what reads them, or all names.

    Python calls it for a loop, too, with the key 0.
    """
    known_names = dir(owner)
    message = f"{kind_name(owner)} has no items of its own"
    suggestion = find_suggestion(key, known_names) if isinstance(key, str) else None
    if suggestion in known_names:
        raise MisuseError(f"{message}: use .{suggestion}")
    gets_items = "get" in known_names and "post" not in known_names  # a client sends GETs
    if isinstance(key, str) and gets_items:
        raise MisuseError(f"{message}: use .get({plain(key, 60)!r})")
    if gets_items and "list" in known_names:
        raise MisuseError(f"{message}: use .list(), which has them")
    raise MisuseError(f"{message}: {list_names(known_names)}")


K = TypeVar("K")


def with_name_suggestions(class_: type[K]) -> type[K]:
    """Give a class errors for unknown names, `dir` with its public names, and a repr with them.

    If the class has no items, `lab.transfers[0]` is an error that says what to write. Methods
    written in the class itself would hide mistakes from mypy. It is the outermost decorator.
    """
    untyped_class: Any = class_
    if "__getattr__" not in vars(class_):
        untyped_class.__getattr__ = raise_unknown_attribute
    if "__dir__" not in vars(class_):
        untyped_class.__dir__ = public_names
    if not hasattr(class_, "__getitem__"):
        untyped_class.__getitem__ = refuse_item
    if class_.__repr__ is object.__repr__:
        untyped_class.__repr__ = list_offers
    return refuse_new_attributes(refuse_foreign_uses(class_))
