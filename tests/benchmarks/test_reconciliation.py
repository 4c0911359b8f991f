"""The benchmark of a reconciliation, compared with a bare merge of the same frames."""

from __future__ import annotations

import pandas as pd

from paylab import frames
from paylab.webhooks.reconciliation import reconcile

ROWS = 100_000
MOST = 3  # the limit as a multiple of the time of the merge
BOOKED = ["id", "source_amount", "source_currency", "destination_amount", "total_fee", "status"]


def transfers():
    """Transfers of a service, each with an amount and a time of its own."""
    for number in range(ROWS):
        yield {
            "id": f"tr_{number:08d}",
            "client_reference_id": f"inv-{number}",
            "source_amount": f"{number % 9973}.{number % 100:02d}",
            "source_currency": "USD",
            "destination_amount": f"{number % 99_731}.{number % 100:02d}",
            "destination_currency": "MXN",
            "total_fee": "1.25",
            "fee_currency": "USD",
            "status": "completed" if number % 10 else "failed",
            "created_at": f"2026-05-{1 + number % 28:02d}T10:{number % 60:02d}:05.123Z",
        }


def test_100_000_rows_against_100_000(compare):
    """A reconciliation takes at most 3 times as long as a merge, with and without differences."""
    listed = frames.transfers([{"data": list(transfers()), "has_next_page": False}])
    books = listed[[*BOOKED, "created_at"]].sample(frac=1, random_state=1, ignore_index=True)
    books = books.astype({"id": "str", "source_currency": "str", "status": "str"})
    wrong = books.copy()
    wrong.loc[::100, "status"] = "paid"
    wrong.loc[50::100, "id"] = [f"none-{number}" for number in range(ROWS // 100)]
    texts = pd.DataFrame({name: books[name].astype("str") for name in books})
    results = {}

    def reconciled(name, own):
        results[name] = reconcile({"transfer": listed}, own)

    figures = compare(
        f"reconciling {ROWS:,} rows",
        {
            "merge": lambda: listed.merge(books, on="id"),
            "paylab": lambda: reconciled("paylab", books),
            "paylab_differences": lambda: reconciled("paylab_differences", wrong),
            "paylab_texts": lambda: reconciled("paylab_texts", texts),
        },
        loops=1,
        goal=f"{MOST} x the time of the merge",
    )
    assert results["paylab"]
    assert results["paylab_texts"]
    kinds = results["paylab_differences"].summary().set_index("kind")["problems"]
    assert kinds.to_dict() == dict.fromkeys(
        ("missing_in_service", "missing_in_books", "status"), ROWS // 100
    )
    assert max(figure["ratio"] for figure in figures.values()) <= MOST
