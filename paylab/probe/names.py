"""Names: of settings and their values, of the settings of a list, and how alike two are."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from difflib import SequenceMatcher

from ..spec.json_path import last_name
from ..spec.service.key import Value
from ..spec.service.keys import setting_keys
from ..spec.service.lists import ListForm
from ..spec.service.service import Service
from ..spec.service.value_types import NONE

Guess = Mapping[str, Value]
"""Settings with which a refused request may succeed: values by keys, tried together."""
Guesses = Iterator[Guess]
"""Guesses, the most likely first."""


def find_list_key(form: ListForm, setting: str) -> str:
    """The key of a list's setting: `lists.transfers.more`, or `lists.order` of all lists."""
    own_key = f"lists.{form.name}.{setting}"
    return own_key if own_key in setting_keys() else f"lists.{setting}"


def suggest_cursor_names(form: ListForm, service: Service) -> Guesses:
    """Other names of the parameter with the cursor: often as the answer names it."""
    cursor_key = find_list_key(form, "cursor_parameter")
    told_as = service.value(cursor_key.removesuffix("_parameter")) or service.value("lists.cursor")
    for parameter_name in (last_name(str(told_as)), *setting_keys()[cursor_key].others):
        if parameter_name != NONE:
            yield {cursor_key: parameter_name}


def split_name(name: str) -> list[str]:
    """The words of a name: of `source.fromAmount` they are source, from and Amount."""
    return re.split(r"[._-]|(?<=[a-z])(?=[A-Z])", name)


def find_noun(name: str) -> str:
    """The last word of a name: `account` of `destination.bankAccount`."""
    return split_name(name)[-1].lower()


def measure_likeness(our_name: str, their_name: str) -> float:
    """How alike two names are: their common words, and the ratio of the same letters."""
    common_words = {*split_name(our_name)} & {*split_name(their_name)}
    return len(common_words) + SequenceMatcher(None, our_name, their_name).ratio()


def sort_by_likeness(our_names: Iterable[str], their_name: str) -> list[str]:
    """Our names, those that are most like another one first."""
    return sorted(our_names, key=lambda name: measure_likeness(name, their_name), reverse=True)
