"""Match rows with payments by id or reference: trimmed, and without regard to case."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from ..errors.extras import explained

with explained():
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc

Places = np.ndarray[Any, np.dtype[np.int64]]
NO_PLACE = -1


class Matches(NamedTuple):
    """The place of the payment of each row, -1 for none, and whether its reference led there."""

    places: Places
    by_reference: np.ndarray[Any, np.dtype[np.bool_]]


def match(
    ids: pa.Array, references: pa.Array, payment_ids: pa.Array, payment_references: pa.Array
) -> Matches:
    """Match each row by its id; if no payment has it, by its reference.

    Each is looked up among the ids and the references of the payments, as it is written and then
    without regard to case.
    """
    places = np.full(len(ids), NO_PLACE, dtype=np.int64)
    by_reference = np.zeros(len(ids), dtype=bool)
    for row_keys in (ids, references):
        for fold in (_same, _fold):
            for payment_keys in (payment_ids, payment_references):
                rows = _match_rest(places, row_keys, payment_keys, fold)
                by_reference[rows] = payment_keys is payment_references
    return Matches(places, by_reference)


def _same(texts: pa.Array) -> pa.Array:
    return texts


def _fold(texts: pa.Array) -> pa.Array:
    """Texts without case, in one Unicode form."""
    return pc.utf8_lower(pc.utf8_normalize(texts, "NFC"))


def _match_rest(
    places: Places, own: pa.Array, known: pa.Array, fold: Callable[[pa.Array], pa.Array]
) -> Places:
    """Fill the places of rows that have none yet; return these rows."""
    unmatched = np.flatnonzero(places == NO_PLACE)
    if not len(unmatched) or own.null_count == len(own) or known.null_count == len(known):
        return unmatched
    texts = own if len(unmatched) == len(own) else own.take(pa.array(unmatched))
    positions = pc.index_in(fold(texts), value_set=fold(known), skip_nulls=True)
    places[unmatched] = np.asarray(positions.fill_null(NO_PLACE), dtype=np.int64)
    return unmatched


def repeated_references(matches: Matches, references: pa.Array) -> dict[int, list[int]]:
    """The payments without a row whose reference led rows to another one, by the place of that."""
    places = matches.places
    counts = np.bincount(places[places >= 0], minlength=len(references))
    alone = np.flatnonzero(counts == 0)
    matched = np.unique(places[(places >= 0) & matches.by_reference])
    if not len(alone) or not len(matched):
        return {}
    folded = _fold(references)
    positions = pc.index_in(
        folded.take(pa.array(alone)), value_set=folded.take(pa.array(matched)), skip_nulls=True
    )
    groups: dict[int, list[int]] = {}
    for place, at in zip(alone.tolist(), positions.to_pylist(), strict=True):
        if at is not None:
            groups.setdefault(int(matched[at]), []).append(place)
    return groups
