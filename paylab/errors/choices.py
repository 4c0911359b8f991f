"""What is said of a value that is not one of a closed set of words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from .suggestions import find_misspelt_word, find_suggestion
from .text import plain

SEVERAL_CHOICES = "must be one of"
"""How the rule of a field with several choices begins."""
NOT = ", not "
"""What stands between the rule of a field and the value that breaks it."""
_DIGIT = re.compile("[0-9]")
_DIGITS_MAX = 4
"""The digits of a value that is repeated in a message."""
_CHARACTERS_MAX = 40
_START_LENGTH = 2
_SHORT_LENGTH_MAX = 5
"""The letters that short words have in common, and how long such a word is at most."""


def choice_message(choices: Sequence[str], scope: str = "") -> str:
    """Write the rule for a value: `must be mxn`, `must be one of mxn, php`, `must be mxn in MX`."""
    rule_text = "must be" if len(choices) == 1 else SEVERAL_CHOICES
    scope_text = f" {scope}" if scope else ""
    return f"{rule_text} {', '.join(choices)}{scope_text}"


def describe_wrong_choice(choices: Sequence[str], value: object, scope: str = "") -> str:
    """Describe a wrong value: `must be one of mxn, php, not mxm; is mxn meant?`.

    That is the rule, the value and the nearest choice. A value that may be the number of an account
    or a document is not repeated.
    """
    rule_text = choice_message(choices, scope)
    if isinstance(value, Mapping | list | tuple):
        return rule_text
    value_text = shorten_value(value)
    if len(_DIGIT.findall(value_text)) > _DIGITS_MAX:
        return rule_text
    return f"{rule_text}{NOT}{value_text}{suggest_choice(choices, value)}"


def shorten_value(value: object) -> str:
    """Write a wrong value as a message repeats it: printable, and at most 40 characters.

    A text with a space at an end is quoted, since without it the text may be right.

    >>> shorten_value("spei ")
    "'spei ' (with a space at its end)"
    """
    value_text = plain(str(value), _CHARACTERS_MAX) or repr(value)
    space_text = describe_outer_space(value)
    return f"{plain(repr(value), _CHARACTERS_MAX)} ({space_text})" if space_text else value_text


def describe_outer_space(value: object) -> str:
    """Say where a text has a space or a line end around it; "" for a blank or any other value."""
    if not isinstance(value, str) or not value.strip() or value == value.strip():
        return ""
    outer_space = value.replace(value.strip(), "")
    kind_text = "a line end" if outer_space.strip(" \t") else "a space"
    if value == value.lstrip():
        return f"with {kind_text} at its end"
    place_text = "at its start" if value == value.rstrip() else "around it"
    return f"with {kind_text} {place_text}"


def suggest_choice(choices: Sequence[str], value: object) -> str:
    """Suggest the choice that is nearest to a value: `; is mxn meant?`; "" if none is near."""
    if not isinstance(value, str) or len(value) > _CHARACTERS_MAX:
        return ""
    suggestion = find_choice(value, choices)
    return f"; is {suggestion} meant?" if suggestion else ""


def find_choice(value: str, choices: Sequence[str]) -> str | None:
    """The choice that a wrong value means, or several joined by "or"; None if none is near.

    >>> find_choice("transfer.paid", ["transfer.failed", "transfer.completed"])
    'transfer.completed'
    """
    if "." in value and all("." in choice for choice in choices):
        return _find_dotted_choice(value, choices)
    return (
        find_suggestion(value, choices)
        or find_misspelt_word(value, choices)
        or _find_same_start(value, choices)
    )


def _find_dotted_choice(value: str, choices: Iterable[str]) -> str | None:
    """The choice with the owner and the word that a value means; None if one is not clear.

    The letters of the whole say too little: transfer.paid is not transfer.failed.
    """
    owner, _, word = value.casefold().rpartition(".")
    choices_by_owner: dict[str, dict[str, str]] = {}
    for choice in choices:
        known_owner, _, known_word = choice.rpartition(".")
        # Owners of other services are known in the plural, such as payouts.
        choices_by_owner.setdefault(f"{known_owner}s", {})[known_word] = choice
    right_owner = find_suggestion(f"{owner}s", choices_by_owner) or ""
    choice_by_word = choices_by_owner.get(right_owner, {})
    return choice_by_word.get(find_suggestion(word, choice_by_word) or "")


def _find_same_start(value: str, choices: Sequence[str]) -> str | None:
    """The only choice that begins as a short word does: "spei" for "spay"; None if there are more.

    The spelling of a short word says little: two letters of "spay" are wrong.
    """
    folded_value = value.casefold()
    similar_choices = [
        choice
        for choice in choices
        if choice.casefold().startswith(folded_value[:_START_LENGTH])
        and abs(len(choice) - len(value)) <= 1
    ]
    is_short_word = _START_LENGTH < len(value) <= _SHORT_LENGTH_MAX
    return similar_choices[0] if is_short_word and len(similar_choices) == 1 else None
