"""An index of exact amounts: keys that are floats or text are errors, and ranges compare."""

from __future__ import annotations

import math
from typing import Any, TypeAlias

import pandas as pd
from pandas.api.types import is_object_dtype

from ..errors.base import PaylabError
from . import operands

Label: TypeAlias = Any
"""A label, or several, or what pandas makes of them."""


class AmountKeyError(PaylabError):
    """A float or text as the key of an exact amount.

    Pandas would take a KeyError or ValueError for a key that is absent.
    """


class ExactIndex(pd.Index):
    """The index that pandas makes of exact amounts; its keys are decimals and integers.

    Pandas looks keys up by hash, by which a float finds its amount only by chance. The ends of a
    range, as in `.loc[1.1:2.2]`, are compared: a float there is taken as it is printed.
    """

    _can_use_libjoin = False  # pandas' fast joins would give objects

    def get_loc(self, key: Label) -> Label:
        """The position of a key, as in pandas; AmountKeyError for a float or text."""
        self._refuse_inexact_key(key)
        return super().get_loc(key)

    def __contains__(self, key: Label) -> bool:
        self._refuse_inexact_key(key)
        return super().__contains__(key)

    def _get_engine_target(self) -> Label:
        """The amounts as objects, as pandas takes them for an index without a class of its own."""
        return self.array.astype(object)

    def _maybe_cast_listlike_indexer(self, target: Label) -> Label:
        """The keys of a list as an index; AmountKeyError for floats or text among objects.

        Floats or text only are refused where pandas asks for their common type with amounts.
        """
        untyped_super: Label = super()
        keys = untyped_super._maybe_cast_listlike_indexer(target)
        if is_object_dtype(keys.dtype) and keys.nlevels == 1:
            for index_label in keys:
                self._refuse_inexact_key(index_label)
        return keys

    def _maybe_cast_slice_bound(self, label: Label, side: str) -> Label:
        """The end of a range; a number in any form is a Decimal."""
        exact_label = operands.read_number(label)
        return label if exact_label is None else exact_label

    def insert(self, loc: int, item: Label) -> Label:
        """The index with another amount; ExactnessError for a float."""
        operands.refuse_floats([item])
        return super().insert(loc, item)

    def where(self, cond: Label, other: Label = None) -> Label:
        """The index with other amounts where a condition is false; ExactnessError for floats."""
        operands.refuse_floats([] if other is None else other)
        return super().where(cond, other)

    def putmask(self, mask: Label, value: Label) -> Label:
        """The index with other amounts where a mask is true; ExactnessError for floats."""
        operands.refuse_floats(value)
        return super().putmask(mask, value)

    def _refuse_inexact_key(self, key: Label) -> None:
        """AmountKeyError for a float, or the text of a number; a whole float is found."""
        name_prefix = "" if self.name is None else f"{self.name}: "
        if isinstance(key, str) and operands.read_number(key) is not None:
            raise AmountKeyError(
                f"{name_prefix}{key!r} is text, which is never found among exact amounts: "
                f'write Decimal("{key.strip()}")'
            )
        is_fraction = isinstance(key, float) and math.isfinite(key) and not key.is_integer()
        if is_fraction:
            raise AmountKeyError(
                f"{name_prefix}{key!r} is a float, which is found by chance among exact amounts: "
                f'write Decimal("{float(key)!r}")'
            )
