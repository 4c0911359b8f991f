"""Placeholders, words of prose and names in code, which stand where a secret could be."""

from __future__ import annotations

import re

WORD_LENGTH_MAX = 24
"""Maximum characters of a word of prose, or of a name in code; longer ones may be keys."""

_STAND_IN = re.compile(
    r"(?:an?|your|my|our|the|this|some|test|demo|example|fake|dummy|secret|share|token|api|key|paylab|id"
    r"|here|name|value|env|change|me|placeholder|x{3,}|[\W_])+",
    re.IGNORECASE,
)
_WORDS = re.compile(rf"_*[A-Za-z]{{1,{WORD_LENGTH_MAX}}}\d{{0,3}}(?:_+[A-Za-z]{{0,12}}\d{{0,3}})*")


def is_stand_in(value: str) -> bool:
    """Whether a text is a placeholder: `***`, `env:NAME`, `<SECRET>`, `$NAME`, `your-key`."""
    has_reference_prefix = value.startswith(("env:", "keyring:", "<", "[", "$", "...", "***"))
    text_without_fields = re.sub(r"\{[^{}]*\}", "", value)
    return (
        has_reference_prefix
        or not text_without_fields
        or bool(_STAND_IN.fullmatch(text_without_fields))
    )


def is_placeholder(value: str) -> bool:
    """Whether a text is a placeholder, or a short text without digits, as a word of prose."""
    is_word_of_prose = len(value) <= WORD_LENGTH_MAX and not any(map(str.isdigit, value))
    return is_word_of_prose or is_stand_in(value)


def is_word(value: str) -> bool:
    """Whether a text without quotes is a placeholder, a word, or a name in code: `os.environ`."""
    name_parts = value.split(".")
    is_dotted_name = len(name_parts) > 1 and all(
        name_part.isidentifier() and len(name_part) <= WORD_LENGTH_MAX for name_part in name_parts
    )
    return is_dotted_name or is_placeholder(value) or bool(_WORDS.fullmatch(value))
