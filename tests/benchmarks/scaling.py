"""Write a dataset of 30 days with only the columns that a summary reads.

Run as `scaling.py FOLDER ROWS`; it writes one file per day, with the types that `Dataset` writes.
"""

from __future__ import annotations

import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

DAYS = 30
FIRST = datetime(2025, 10, 1, tzinfo=UTC)
EXACT = pa.decimal128(24, 6)
CENTS = pa.decimal128(18, 2)
WORDS = {
    "source_currency": ["USD", "USDC"],
    "destination_currency": ["MXN", "BRL", "PHP", "COP", "EUR"],
    "fee_currency": ["USD"],
    "tax_currency": ["USD"],
    "status": ["completed", "completed", "completed", "failed"],
    "payout_method": ["spei", "pix"],
    "failure_reason": [None, None, None, None, None, None, "account closed"],
}


def rows(random, day, count):
    """The transfers of one day."""
    began = np.datetime64(FIRST.replace(tzinfo=None) + timedelta(days=day), "us")
    moments = began + random.integers(0, 86_400_000, count).astype("timedelta64[ms]")
    words = {name: words_of(random, choice, count) for name, choice in WORDS.items()}
    amounts = {
        "source_amount": cents(random.integers(100, 10**9, count)),
        "destination_amount": cents(random.integers(100, 10**10, count)),
        "total_fee": cents(random.integers(25, 10**6, count)),
        "total_tax": cents(random.integers(0, 10**5, count)),
    }
    took = pa.array(random.integers(2, 172_800, count))
    created = pa.array(moments).cast(pa.timestamp("us", tz="UTC"))
    return pa.table({**words, **amounts, "completed_in": took, "created_at": created})


def words_of(random, choice, count):
    """A column of `count` random words from a choice."""
    codes = pa.array(random.integers(0, len(choice), count).astype("int32"))
    return pa.DictionaryArray.from_arrays(codes, pa.array(choice)).cast(pa.string())


def cents(values):
    """Integer cents as exact decimal amounts."""
    halves = np.zeros((len(values), 2), "<i8")
    halves[:, 0] = values
    whole = pa.Array.from_buffers(CENTS, len(values), [None, pa.py_buffer(halves)])
    return whole.cast(EXACT)


def main(folder, count):
    """Write one file for each day."""
    random = np.random.default_rng(1)
    for day in range(DAYS):
        place = Path(folder) / f"created_day={(FIRST + timedelta(days=day)).date()}"
        place.mkdir(parents=True)
        table = rows(random, day, count // DAYS + (day < count % DAYS))
        pq.write_table(table, place / "part-0.parquet", compression="zstd")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
