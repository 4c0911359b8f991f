"""The labels of a form in place of the names of fields in messages about a call."""

from __future__ import annotations

import re
from collections.abc import Mapping


def with_labels(text: str, labels: Mapping[str, str]) -> str:
    """The text with labels in place of the names of fields, which are the keys of `labels`.

    The first mention of a field has its name in brackets. A name that is a plain word, such as
    `email`, stays, because it may be one; so does a name in code, such as `amount_kind=...`.

    >>> with_labels("payout_method: is required", {"payout_method": "To"})
    '“To” (payout_method): is required'
    """
    field_names = sorted((name for name in labels if _is_technical(name)), key=len, reverse=True)
    if not field_names:
        return text
    names_pattern = "|".join(map(re.escape, field_names))
    mentioned_names: set[str] = set()

    def describe(match: re.Match[str]) -> str:
        """The label of a field, and at its first mention also its name."""
        field_name = match[0]
        is_first = field_name not in mentioned_names
        mentioned_names.add(field_name)
        return f"“{labels[field_name]}”" + (f" ({field_name})" if is_first else "")

    return re.sub(rf"(?<![\w.\"'“])(?:{names_pattern})(?![\w=(\"'”]|\.\w)", describe, text)


def _is_technical(field_name: str) -> bool:
    """Whether a name cannot be a word of a sentence."""
    return "_" in field_name or "." in field_name
