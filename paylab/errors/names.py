"""Names that do not exist here, and which name is probably meant.

The AttributeError of a class with `@with_name_suggestions` says what to use instead.
"""

from __future__ import annotations

import sys
from collections.abc import Collection, Iterable, Mapping, Set
from functools import partial
from typing import Any, NoReturn, TypeVar

from .base import UnknownNameError
from .cards import LateAttributeError, MisuseError
from .habits import find_our_name, fold_name, read_habits, split_words
from .refusals import kind_name, list_names, refuse_foreign_uses, refuse_new_attributes
from .text import plain

SIMILARITY_MIN = 0.8
"""The minimum similarity of a suggested name, by difflib."""
LOW_SIMILARITY_MIN = 0.5
"""The minimum similarity where several names are suggested, of which one may be meant."""
CLOSE_NAMES_MAX = 3
NEAREST_NAMES_MAX = 5
"""The maximum number of names that are suggested by their spelling, and of all suggested names."""
NAME_LENGTH_MAX = 60
"""The characters of a wrong name that are compared."""


def find_nearest_name(
    name: str, known: Iterable[str], similarity_min: float = SIMILARITY_MIN
) -> str | None:
    """The known name most similar to a name, ignoring case and underscores; None if none is.

    With a `similarity_min` of 1 only the same name is found. Below it, a name of the same letters
    in another order is found too, since two swapped letters put a short name below the minimum.

    >>> names.find_nearest_name("exchangeRate", ["exchange_rate", "total_fee"])
    'exchange_rate'
    """
    from difflib import get_close_matches  # only for a wrong name

    name_by_folded = {fold_name(known_name): known_name for known_name in sorted(known)}
    folded_name = fold_name(name)
    folded_matches = get_close_matches(folded_name, name_by_folded, 1, similarity_min)
    if not folded_matches and similarity_min < 1:
        letters = sorted(folded_name)
        folded_matches = [
            folded_candidate
            for folded_candidate in name_by_folded
            if sorted(folded_candidate) == letters
        ]
    return name_by_folded[folded_matches[0]] if folded_matches else None


def find_nearest_names(name: str, known: Collection[str]) -> tuple[str, ...]:
    """Find up to `NEAREST_NAMES_MAX` names near to a wrong one: by spelling, then a shared word."""
    from difflib import get_close_matches  # only for a wrong name

    compared_name = name[:NAME_LENGTH_MAX]
    close_names = get_close_matches(
        compared_name, known, n=CLOSE_NAMES_MAX, cutoff=LOW_SIMILARITY_MIN
    )
    name_words = {*name.lower().split("_")}
    names_with_word = [known_name for known_name in known if name_words & {*known_name.split("_")}]
    unique_names = dict.fromkeys([*close_names, *names_with_word])
    return tuple(unique_names)[:NEAREST_NAMES_MAX]


def unknown_name_error(kind: str, name: object, known: Mapping[str, object]) -> UnknownNameError:
    """The error for a name of some kind that is not known, with the nearest names or all."""
    return UnknownNameError(
        kind, str(name), nearest=find_nearest_names(str(name), known), known=known
    )


def find_suggestion(name: str, known: Iterable[str], noun: str = "") -> str | None:
    """What to use instead of an unknown name: a synonym, a similar name, or names that contain it.

    `noun` is what the owner of the names is about, which a guess may repeat, as in `get_transfer`.
    None if there is no such name.

    >>> names.find_suggestion("retrieve", ["create", "get", "list"])
    'get'
    >>> names.find_suggestion("amount", ["source_amount", "status", "destination_amount"])
    'source_amount or destination_amount'
    """
    known_names = set(known)
    name = name.removesuffix("_async")  # paylab has no calls to await
    if name in known_names:
        return name
    name_in_other_case = find_nearest_name(name, known_names, similarity_min=1.0)
    if name_in_other_case:
        return name_in_other_case
    our_name = find_our_name(name, known_names)
    if our_name:
        return our_name
    # A name of another SDK is no misspelling of one that is here.
    is_of_other_sdk = fold_name(name) in read_habits()
    nearest_name = None if is_of_other_sdk else find_nearest_name(name, known_names)
    return (
        nearest_name
        or _find_longer_names(name, known)
        or _find_shorter_name(name, known_names, noun)
        or _find_same_stem(name, known_names)
    )


_LONGER_NAMES_MAX = 3


def _find_longer_names(name: str, known_names: Iterable[str]) -> str | None:
    """The known names with all words of a guess, such as `source_amount` for `amount`.

    They are joined by commas and "or". None if there are none, or more than `_LONGER_NAMES_MAX`.
    """
    name_words = {*split_words(name)}
    if says_little(name):
        return None
    longer_names = [
        candidate for candidate in known_names if name_words <= {*split_words(candidate)}
    ]
    if not 1 <= len(longer_names) <= _LONGER_NAMES_MAX:
        return None
    *first_names, last_name = longer_names
    return f"{', '.join(first_names)} or {last_name}" if first_names else last_name


def find_misspelt_word(name: str, known_names: Iterable[str]) -> str | None:
    """The known names with a word that a guess misspells, as `_find_longer_names` writes them.

    >>> names.find_misspelt_word("amout", ["source_amount", "status", "destination_amount"])
    'source_amount or destination_amount'
    """
    known_words = {word for known_name in known_names for word in split_words(known_name)}
    right_words = [find_nearest_name(word, known_words) or word for word in split_words(name)]
    return _find_longer_names("_".join(right_words), known_names)


_GENERAL_WORDS = frozenset({"id", "at", "by", "is", "to", "get", "set", "of", "on", "type", "name"})
"""Words that say too little about what is meant."""


def says_little(name: str) -> bool:
    """Whether a name has only words that many names have, such as `type`."""
    return {*split_words(name)} <= _GENERAL_WORDS


def _find_shorter_name(name: str, known_names: Set[str], noun: str) -> str | None:
    """The known verb in a guess with its owner's noun: `get` for `get_transfer`; else None."""
    noun_words = split_words(noun)
    owner_words = {*noun_words, *(word.removesuffix("s") for word in noun_words)}
    guess_words = split_words(name)
    verbs = [word for word in guess_words if word not in {*owner_words, *_FILLERS}]
    has_noun = len(verbs) < len(guess_words)
    if len(verbs) != 1 or not has_noun:
        return None
    return verbs[0] if verbs[0] in known_names else find_our_name(verbs[0], known_names)


_STEM_LENGTH = 6
"""The letters that two forms of a word share at least, such as `summary` and `summarize`."""


def _find_same_stem(name: str, known_names: Set[str]) -> str | None:
    """The only known name with the stem of a guess, such as `summarize` for `summary`; else None.

    A guess of several words has no stem.
    """
    stem = name[:_STEM_LENGTH].lower()
    if len(stem) < _STEM_LENGTH or len(split_words(name)) > 1:
        return None
    same_stem_names = [known_name for known_name in known_names if known_name.startswith(stem)]
    if len(same_stem_names) != 1 or "_" in same_stem_names[0]:  # several words say something else
        return None
    return same_stem_names[0]


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
        if guessed_word not in _FILLERS:
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


_FILLERS = ("all", "an", "by", "for", "of", "the", "to")
"""Words of a name that tell nothing."""


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
