"""What is said of a value that is not one of a closed set of words."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from .names import find_suggestion
from .text import plain

SEVERAL_CHOICES = "must be one of"
"""How the rule of a field with several choices begins."""
NOT = ", not "
"""What stands between the rule of a field and the value that breaks it."""
_DIGIT = re.compile("[0-9]")
_DIGITS_MAX = 4
"""The digits of a value that is repeated in a message."""
_CHARACTERS_MAX = 40


def choice_message(choices: Sequence[str], scope: str = "") -> str:
    """Return `must be mxn`, `must be one of mxn, php`, or `must be mxn in MX`."""
    rule_text = "must be" if len(choices) == 1 else SEVERAL_CHOICES
    scope_text = f" {scope}" if scope else ""
    return f"{rule_text} {', '.join(choices)}{scope_text}"


def refuse_choice(choices: Sequence[str], value: object, scope: str = "") -> str:
    """Return `must be one of mxn, php, not mxm; is mxn meant?`: the rule, the value, the nearest.

    A value that may be the number of an account or a document is not repeated.
    """
    rule_text = choice_message(choices, scope)
    if isinstance(value, Mapping | list | tuple):
        return rule_text
    value_text = plain(str(value), _CHARACTERS_MAX) or repr(value)
    if len(_DIGIT.findall(value_text)) > _DIGITS_MAX:
        return rule_text
    return f"{rule_text}{NOT}{value_text}{suggest_choice(choices, value)}"


def suggest_choice(choices: Sequence[str], value: object) -> str:
    """Return `; is mxn meant?`, the choice that is nearest to a value; "" if none is near."""
    if not isinstance(value, str) or len(value) > _CHARACTERS_MAX:
        return ""
    suggestion = find_suggestion(value, choices)
    return f"; is {suggestion} meant?" if suggestion else ""
