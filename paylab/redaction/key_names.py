"""The names that keys have in settings, code and files, and where they stand in a text."""

from __future__ import annotations

import re
from functools import lru_cache

from .fields import fold_case
from .placeholders import is_word
from .search import find_occurrences

KEY_NAME = re.compile(
    r"(?:\w+-){0,4}\w*(?:(?:api|secret|access|private|signing)[_-]?keys?\w*|secrets?)"
    r"|\w*(?:password|passwd|passphrase)"
    r"|(?:x-)?\w*(?:control|access|auth|refresh|bearer)[_-]?token",
    re.IGNORECASE,
)

KEY_WORDS = ("key", "secret", "passw", "passphrase", "token")
_ANY_NAME = re.compile(
    r"(?:api|secret|access|private|signing)[ _-]?key|secret|passw|passphrase"
    r"|(?:control|access|auth|refresh|bearer)[_-]?token",
    re.IGNORECASE,
)
"""What every name of a key has in it."""


_LENGTH_BEFORE = 300
_LENGTH_AFTER = 1_000
"""Characters before and after the word of a name, in which a rule for a key beside it matches."""
_NAME_LENGTH_BEFORE = 10
_NAME_LENGTH_AFTER = 12
"""Characters around the start of such a word in which its name is: "api_key" is found by "key"."""
_WHITESPACE = re.compile(r"\s")


@lru_cache(maxsize=2)
def find_named_regions(text: str) -> tuple[tuple[int, int], ...]:
    """Find the parts of a text that can have the name of a key and its value, by start and end.

    Parts do not overlap, and each ends at the end of a word. Empty without any name of a key.
    """
    folded_text = fold_case(text)
    regions = list[tuple[int, int]]()
    word_starts = [start for word in KEY_WORDS for start in find_occurrences(word, folded_text)]
    last_end = -1
    for word_start in sorted(word_starts):
        # A word whose region would end in the last one adds nothing.
        is_inside_last = min(word_start + _LENGTH_AFTER, len(text)) <= last_end
        name_start = max(0, word_start - _NAME_LENGTH_BEFORE)
        name_match = _ANY_NAME.search(text, name_start, word_start + _NAME_LENGTH_AFTER)
        is_name = name_match is not None
        if is_inside_last or not is_name:
            continue
        region_start = max(0, word_start - _LENGTH_BEFORE)
        if region_start <= last_end:  # it extends the last region
            region_start, _ = regions.pop()
        whitespace_match = _WHITESPACE.search(text, word_start + _LENGTH_AFTER)
        last_end = whitespace_match.start() if whitespace_match else len(text)
        regions.append((region_start, last_end))
    return tuple(regions)


def has_key_name(text: str) -> bool:
    """Whether a text has the name of a key."""
    return bool(find_named_regions(text))


# Bounded: a long word of many such names would be searched from each of them to its end.
BOUNDED_KEY_NAME = rf"(?:{KEY_NAME.pattern})".replace(r"\w*", r"\w{0,80}").replace(
    r"\w+-", r"\w{1,40}-"
)


def looks_like_key(text: str) -> bool:
    """Whether a text has the form of a key: 8 characters or more, with letters and digits.

    False for a date, a word and a name in code.
    """
    has_letters_and_digits = any(map(str.isdigit, text)) and any(map(str.isalpha, text))
    has_key_form = _KEY_FORM.fullmatch(text) is not None
    return has_letters_and_digits and has_key_form and not is_word(text)


_KEY_FORM = re.compile(r"(?!\d{4}-\d\d-\d\d)[A-Za-z0-9][\w.~+/=-]{7,}")
