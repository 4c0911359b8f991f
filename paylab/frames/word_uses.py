"""Words that no row of a column has: a warning names the one that is meant."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain
from typing import Any

import pandas as pd

from ..errors.base import PaylabWarning, warn_caller
from ..errors.suggestions import find_nearest_name
from ..errors.text import plain
from ..spec.status import MACHINES

STATUSES = {*chain.from_iterable(machine.states for machine in MACHINES.values())}
"""All statuses of the spec, of any kind of object."""


class UnknownWordWarning(PaylabWarning):
    """A column was compared with a word that no row has."""


def warn_of_unknown_words(column: pd.Series[Any], words: Iterable[object]) -> None:
    """Warn of a word that no row has, if it differs from one in its case only.

    In a column `status` also of a misspelt status. Another word may be one that no row has yet.
    """
    if not isinstance(column.dtype, pd.CategoricalDtype):
        return
    present_words = {str(word) for word in column.dtype.categories}
    for word in words:
        if not isinstance(word, str) or word in present_words:
            continue
        meant_word = find_nearest_name(word, present_words, similarity_min=1.0)
        if column.name == "status" and word not in STATUSES:
            meant_word = meant_word or find_nearest_name(word, STATUSES | present_words)
        if meant_word:
            message = f"no row of {column.name} is {plain(word, 60)!r}: is {meant_word!r} meant?"
            warn_caller(message, UnknownWordWarning)
