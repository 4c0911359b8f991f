"""Tells what a 409 is about: an order or key that was used before, or something else."""

from __future__ import annotations

import re

from ..errors.api import ConflictError

KEY_WORDS = re.compile(
    r"idempot|\b(another|other|different|mismatch\w*|same) (body|payload|request|param\w*|order)\b"
    r"|\bin.progress\b|\bconcurrent|\bbeing processed\b|\balready (processed|submitted|received)\b",
    re.IGNORECASE,
)
"""Words about a key, or about another request of the same order."""


def is_order_conflict(error: ConflictError) -> bool:
    """Whether a 409 says that an order or its key was used before, or gives no reason.

    A 409 about anything else, such as the balance, is an ordinary refusal.
    """
    from ..client.refusal_kinds import DUPLICATE, kind_of  # only a refusal needs them
    from ..spec.error_words import is_phrase

    text = error.text.strip()
    if is_phrase(text) or " " not in text:
        return True
    if KEY_WORDS.search(text):
        return True
    return kind_of(error.status, text, error.body) is DUPLICATE
