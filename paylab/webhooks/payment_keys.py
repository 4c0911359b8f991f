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

    `payments` holds the index of the payment, -1 for none, and `is_matched_by_reference` whether
    the row was matched by the reference of the payment.
    """

    payments: Indexes
    is_matched_by_reference: NDArray[np.bool_]


def match_rows(
    ids: pa.Array, references: pa.Array, payment_ids: pa.Array, payment_references: pa.Array
) -> Matches:
    """Match each row by its id; if no payment has it, by its reference.

    Each is looked up among the ids and the references of the payments, as it is written and then
    without regard to case.
    """
    payments = np.full(len(ids), NO_PAYMENT, dtype=np.int64)
    is_matched_by_reference = np.zeros(len(ids), dtype=bool)
    for row_keys in (ids, references):
        for normalize in (_keep_case, _fold_case):
            for payment_keys in (payment_ids, payment_references):
                matched_rows = _match_remaining(payments, row_keys, payment_keys, normalize)
                is_matched_by_reference[matched_rows] = payment_keys is payment_references
    return Matches(payments, is_matched_by_reference)


def _keep_case(key_texts: pa.Array) -> pa.Array:
    return key_texts


def _fold_case(key_texts: pa.Array) -> pa.Array:
    """Return texts in lower case and in one Unicode form."""
    return pc.utf8_lower(pc.utf8_normalize(key_texts, "NFC"))


def _match_remaining(
    payments: Indexes,
    row_keys: pa.Array,
    payment_keys: pa.Array,
    normalize: Callable[[pa.Array], pa.Array],
) -> Indexes:
    """Set the payments of rows that have none yet; return these rows."""
    unmatched_rows = np.flatnonzero(payments == NO_PAYMENT)
    has_row_keys = row_keys.null_count < len(row_keys)
    has_payment_keys = payment_keys.null_count < len(payment_keys)
    if not len(unmatched_rows) or not has_row_keys or not has_payment_keys:
        return unmatched_rows
    if len(unmatched_rows) < len(row_keys):
        row_keys = row_keys.take(pa.array(unmatched_rows))
    payment_indexes = pc.index_in(
        normalize(row_keys), value_set=normalize(payment_keys), skip_nulls=True
    )
    payments[unmatched_rows] = np.asarray(payment_indexes.fill_null(NO_PAYMENT), dtype=np.int64)
    return unmatched_rows


def repeated_references(matches: Matches, references: pa.Array) -> dict[int, list[int]]:
    """Find payments without a row whose reference matched rows to another payment.

    The keys are the indexes of the payments with rows.
    """
    payments = matches.payments
    row_counts = np.bincount(payments[payments >= 0], minlength=len(references))
    payments_without_row = np.flatnonzero(row_counts == 0)
    payments_with_rows = np.unique(payments[(payments >= 0) & matches.is_matched_by_reference])
    if not len(payments_without_row) or not len(payments_with_rows):
        return {}
    folded_references = _fold_case(references)
    positions = pc.index_in(
        folded_references.take(pa.array(payments_without_row)),
        value_set=folded_references.take(pa.array(payments_with_rows)),
        skip_nulls=True,
    )
    payments_by_first: dict[int, list[int]] = {}
    for payment_without_row, position in zip(
        payments_without_row.tolist(), positions.to_pylist(), strict=True
    ):
        if position is not None:  # None: no payment with rows has this reference
            payment_with_rows = int(payments_with_rows[position])
            payments_by_first.setdefault(payment_with_rows, []).append(payment_without_row)
    return payments_by_first
