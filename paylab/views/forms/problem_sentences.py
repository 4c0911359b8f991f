"""The sentences at a form's fields that say what is wrong with a value."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Protocol

from ...errors.base import Problem
from ...errors.choices import NOT, SEVERAL_CHOICES, shorten_value
from ...spec.text import JsonValue

REQUIRED = "Required"
ASSUMED = "assumed"
ASSUMPTION = f" ({ASSUMED})"
"""The mark of a rule that the specification does not state."""
MISSING = "Empty: the service may refuse that."
"""The sentence at an empty field that is only assumed to be required."""
_LENGTH_RULE = re.compile(r"\b(\d+ digits|characters|hex digits)\b")
"""The messages of rules about the length of a value."""
_QUOTED_VALUE_MAX = 40


class LabelledInput(Protocol):
    """What a sentence needs of a field."""

    label: str
    private: bool

    @property
    def takes_any_text(self) -> bool:
        """Whether values that are not listed can be typed."""

    @property
    def value(self) -> JsonValue:
        """The entered value."""


def problem_sentence(problem: Problem, field: LabelledInput) -> str:
    """A problem as a sentence to show at its field.

    "must be 18 digits" of a CLABE becomes "Enter a CLABE: 18 digits." The sentence of a rule that
    is only assumed says so.
    """
    rule_text, suggestion_text = _split_suggestion(problem.message, field.value)
    assumption_mark = ASSUMPTION if is_assumed(problem) else ""
    if rule_text in ("is required", "must not be blank"):
        return MISSING if assumption_mark else REQUIRED
    if rule_text.startswith(SEVERAL_CHOICES):
        choices_text = rule_text.removeprefix(f"{SEVERAL_CHOICES} ")
        if field.takes_any_text and is_assumed(problem):
            return f"Not among the values that are assumed: {choices_text}.{suggestion_text}"
        return f"Choose one of {choices_text}{assumption_mark}.{suggestion_text}"
    if rule_text.startswith("no "):
        return f"{rule_text[:1].upper()}{rule_text[1:]}{assumption_mark}."
    if not rule_text.startswith("must be "):
        # "Amount in MXN" has a unit, as the message has.
        unit_text = f" in {rule_text.rpartition(' in ')[2]}"
        return f"{field.label.removesuffix(unit_text)} {rule_text}{assumption_mark}."
    required_text = rule_text.removeprefix("must be ").removeprefix("exactly ")
    if not required_text.startswith(("a ", "an ")):
        required_text = f"{_with_article(field.label)}: {required_text}"
    entered_text = _entered_value_sentence(rule_text, field)
    return f"Enter {required_text}{assumption_mark}.{entered_text}{suggestion_text}"


def _split_suggestion(message: str, entered_value: object) -> tuple[str, str]:
    """Split "must be one of a, b, not c; is a meant?" into its rule and " Is a meant?".

    The suggestion is "" if there is none. A message in which no value follows ", not" is returned
    as it is.
    """
    rule_text, _, text_after_not = message.partition(NOT)
    # The value may contain "; " itself: the suggestion begins after the whole value.
    text_after_value = text_after_not.removeprefix(shorten_value(entered_value))
    if text_after_value != text_after_not and text_after_value.startswith("; "):
        suggestion_text = text_after_value.removeprefix("; ")
        return rule_text, f" {suggestion_text[:1].upper()}{suggestion_text[1:]}"
    ends_with_value = not text_after_value
    # A service may name the value in a form of its own.
    ends_with_word = message.startswith("must be ") and " " not in text_after_not
    return (rule_text if ends_with_value or ends_with_word else message), ""


def _entered_value_sentence(message: str, field: LabelledInput) -> str:
    """A sentence that quotes the value, or its length; empty for an empty value."""
    entered_value = field.value
    if not isinstance(entered_value, str) or not entered_value:
        return ""
    if field.private or _LENGTH_RULE.search(message):
        return f" You entered {_count_characters(entered_value, message)}."
    if len(entered_value) > _QUOTED_VALUE_MAX:
        entered_value = entered_value[:_QUOTED_VALUE_MAX] + "…"
    return f" You entered “{entered_value}”."


def _count_characters(entered_value: str, message: str) -> str:
    """The number of characters, or for a rule about digits of digits and of others."""
    other_count = len(re.sub("[0-9]", "", entered_value))
    digit_count = len(entered_value) - other_count
    if " digits" not in message or not other_count:
        return _count_noun(len(entered_value), "character")
    return f"{_count_noun(digit_count, 'digit')} and {_count_noun(other_count, 'other character')}"


def _count_noun(count: int, noun: str) -> str:
    """A count with its noun: "1 digit", "2 digits"."""
    return f"{count} {noun}{'' if count == 1 else 's'}"


def is_assumed(problem: Problem) -> bool:
    """Whether a problem comes from an assumption and not from the spec or the service."""
    return problem.source not in ("spec", "service", "check-digits")


def with_assumption_mark(problem: Problem) -> Problem:
    """The problem of an exception: its message says when it comes from an assumption."""
    if problem.field and is_assumed(problem):
        return Problem(problem.field, problem.message + ASSUMPTION, problem.source)
    return problem


def _with_article(label: str) -> str:
    """A label in a sentence: "an account", "a PIX key"."""
    if label.startswith("Your "):
        return f"your {label.removeprefix('Your ')}"
    label_words = label if label[1:2].isupper() else label[:1].lower() + label[1:]
    article = "an" if label_words[:1].lower() in "aeio" else "a"
    return f"{article} {label_words}"


def with_labels(text: str, labels: Mapping[str, str]) -> str:
    """The text with labels in place of the names of fields, which are the keys of `labels`.

    The first mention of a field has its name in brackets. A message about an account may name only
    the end of `details.pix_key_type`. A name that is a plain word, such as `email`, stays, because
    it may be one; so does a name in code, such as `amount_kind=...`.

    >>> with_labels("payout_method: is required", {"payout_method": "To"})
    '“To” (payout_method): is required'
    """
    last_names = {name.rpartition(".")[2]: label for name, label in labels.items()}
    labels = {**last_names, **labels}
    field_names = [field_name for field_name in labels if _is_technical(field_name)]
    if not field_names:
        return text
    field_names.sort(key=len, reverse=True)  # a name may begin with a shorter one
    names_pattern = "|".join(map(re.escape, field_names))
    mentioned_names: set[str] = set()

    def describe(match: re.Match[str]) -> str:
        """The label of a field, and at its first mention also its name."""
        field_name = match[0]
        label_text = f"“{labels[field_name]}”"
        if field_name in mentioned_names:
            return label_text
        mentioned_names.add(field_name)
        return f"{label_text} ({field_name})"

    return re.sub(rf"(?<![\w.\"'“])(?:{names_pattern})(?![\w=(\"'”]|\.\w)", describe, text)


def _is_technical(field_name: str) -> bool:
    """Whether a name cannot be a word of a sentence."""
    return "_" in field_name or "." in field_name
