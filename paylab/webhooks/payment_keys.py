"""Match rows with payments by id or reference: trimmed, and without regard to case."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from ..errors.extras import extra_imports

with extra_imports():
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc
    from numpy.typing import NDArray

Indexes = NDArray[np.int64]
NO_PAYMENT = -1


class Matches(NamedTuple):
    """The payment of each row.

    `payment_index_of_row` has the index of the payment for each row, -1 for none, and
    `by_reference_mask` whether the row was matched by the reference of the payment.
    """

    payment_index_of_row: Indexes
    by_reference_mask: NDArray[np.bool_]


def match_rows(
    ids: pa.Array, references: pa.Array, payment_ids: pa.Array, payment_references: pa.Array
) -> Matches:
    """Match each row by its id; if no payment has it, by its reference.

    Each is looked up among the ids and the references of the payments, as it is written and then
    without regard to case.
    """
    payment_index_of_row = np.full(len(ids), NO_PAYMENT, dtype=np.int64)
    by_reference_mask = np.zeros(len(ids), dtype=bool)
    for row_keys in (ids, references):
        for normalize in (_keep_case, _fold_case):
            for payment_keys in (payment_ids, payment_references):
                tried_row_indexes = _match_remaining(
                    payment_index_of_row, row_keys, payment_keys, normalize
                )
                # Only rows without a match are tried again, so a row keeps the value of its match.
                by_reference_mask[tried_row_indexes] = payment_keys is payment_references
    return Matches(payment_index_of_row, by_reference_mask)


def _keep_case(key_texts: pa.Array) -> pa.Array:
    """Return keys unchanged: the counterpart of `_fold_case`."""
    return key_texts


def _fold_case(key_texts: pa.Array) -> pa.Array:
    """Return keys in lower case and in Unicode NFC, for comparison."""
    return pc.utf8_lower(pc.utf8_normalize(key_texts, "NFC"))


def _match_remaining(
    payment_index_of_row: Indexes,
    row_keys: pa.Array,
    payment_keys: pa.Array,
    normalize: Callable[[pa.Array], pa.Array],
) -> Indexes:
    """Try to match the rows that have no payment yet, and return the indexes of these rows.

    The payment of each row with an equal key is set in `payment_index_of_row`.
    """
    unmatched_row_indexes = np.flatnonzero(payment_index_of_row == NO_PAYMENT)
    has_row_keys = row_keys.null_count < len(row_keys)
    has_payment_keys = payment_keys.null_count < len(payment_keys)
    if not len(unmatched_row_indexes) or not has_row_keys or not has_payment_keys:
        return unmatched_row_indexes
    if len(unmatched_row_indexes) < len(row_keys):  # else all: a copy would cost time
        row_keys = row_keys.take(pa.array(unmatched_row_indexes))
    found_indexes = pc.index_in(
        normalize(row_keys), value_set=normalize(payment_keys), skip_nulls=True
    )
    payment_index_of_row[unmatched_row_indexes] = np.asarray(
        found_indexes.fill_null(NO_PAYMENT), dtype=np.int64
    )
    return unmatched_row_indexes


def repeated_references(matches: Matches, references: pa.Array) -> dict[int, list[int]]:
    """Find payments without a row that have the same reference as a payment with rows.

    `references` are those of the payments. The result has the indexes of payments without a row,
    by the index of the payment that got the rows of their reference.
    """
    payment_index_of_row = matches.payment_index_of_row
    is_matched = payment_index_of_row >= 0
    row_counts = np.bincount(payment_index_of_row[is_matched], minlength=len(references))
    without_rows = np.flatnonzero(row_counts == 0)
    with_rows = np.unique(payment_index_of_row[is_matched & matches.by_reference_mask])
    if not len(without_rows) or not len(with_rows):
        return {}
    folded_references = _fold_case(references)
    positions = pc.index_in(
        folded_references.take(pa.array(without_rows)),
        value_set=folded_references.take(pa.array(with_rows)),
        skip_nulls=True,
    )
    without_by_with_rows: dict[int, list[int]] = {}
    for payment_without_rows, position in zip(
        without_rows.tolist(), positions.to_pylist(), strict=True
    ):
        if position is not None:  # None: no payment with rows has this reference
            payment_with_rows = int(with_rows[position])
            without_by_with_rows.setdefault(payment_with_rows, []).append(payment_without_rows)
    return without_by_with_rows
