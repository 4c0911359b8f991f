"""Formats and document types as text."""

from __future__ import annotations

from collections.abc import Sequence

from ..spec import codes
from ..spec.tables import join_words
from .account_types import Format

ANY_TEXT = "text"
"""The description of a format that accepts any text."""


def describe_format(text_format: Format) -> str:
    """Return a format as text, such as "exactly 18 digits" or "one of checking, savings"."""
    if text_format.choices == codes.SEPA:
        return "any SEPA country"
    if len(text_format.choices) > 1:
        return f"one of {join_words(text_format.choices)}"
    if text_format.choices:
        return text_format.choices[0]
    messages = [text_format.message]
    if text_format.also:
        messages.append(text_format.also.message)
    description = "; ".join(messages).removeprefix("must be ")
    if description:
        return description
    return "an EMV QR text" if text_format.check else ANY_TEXT


def describe_format_and_note(text_format: Format) -> str:
    """Return a format as text, and its note in brackets."""
    description = describe_format(text_format)
    return f"{description} ({text_format.note})" if text_format.note else description


def describe_documents(documents: Sequence[str]) -> str:
    """Return document types as text; "any" if they are all that the spec has."""
    return "any" if documents == codes.DOCUMENT_TYPES else join_words(documents)
