"""One way to read or write a list of transfers, timed in a process of its own.

Run as `framing.py WAY ARGUMENT...`; prints JSON: seconds, the megabytes that the process grew at
most while it worked, and what makes sure that all of it was there.
"""

from __future__ import annotations

import json
import sys
from datetime import datetime
from decimal import Decimal
from pathlib import Path
from resource import RUSAGE_SELF, getrusage
from time import perf_counter, process_time
from urllib.parse import quote

WAYS = {}


def way(function):
    """Something that can be timed, by its name."""
    WAYS[function.__name__] = function
    return function


def main(name, *given):
    """Time it, once it was tried on little."""
    begin = WAYS[name](*given)
    before, began, worked = memory("VmRSS"), perf_counter(), process_time()
    Path("/proc/self/clear_refs").write_text("5")
    rows = begin()
    seconds, worked = perf_counter() - began, process_time() - worked
    grown = max(0.0, memory("VmHWM") - before)
    peak = getrusage(RUSAGE_SELF).ru_maxrss / 1024
    found = {"seconds": seconds, "cpu": worked, "grown": grown, "peak": peak, "rows": rows}
    print(json.dumps(found))


def memory(key):
    """Megabytes of this process."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(key)) / 1024


def bodies(url):
    """Pages over plain httpx, one after another; the cursor is cut from the end."""
    import httpx

    cursor = ""
    with httpx.Client() as client:
        while cursor is not None:
            asked = f"&cursor={quote(cursor, safe='')}" if cursor else ""
            body = client.get(f"{url}/v1/transfers?limit=100{asked}").content
            yield body
            tail = body[-200:].rpartition(b'"cursor":')[2][:-1]
            cursor = json.loads(tail)


@way
def read_only(small, url):
    """The pages read and thrown away: the least anything can take."""
    list(bodies(small))
    return lambda: sum(1 for _ in bodies(url)) * 100


@way
def paylab_frame(small, url):
    """`lab.transfers.frame()`."""
    lab(small).transfers.frame()
    return lambda: len(lab(url).transfers.frame())


@way
def decimal_frame(small, url):
    """What people write: json, DataFrame, a Decimal and a datetime a cell."""
    decimals_of(small)
    return lambda: len(decimals_of(url))


@way
def pydantic_frame(small, url):
    """A pydantic model a row, dumped into a frame."""
    models_of(small)
    return lambda: len(models_of(url))


def lab(url):
    """paylab against an address of this machine."""
    import paylab

    return paylab.connect(base_url=url, api_key="benchmark", secret_key="0" * 32)


def decimals_of(url):
    """Rows as dicts, then typed column by column."""
    import pandas as pd

    rows = [row for body in bodies(url) for row in json.loads(body)["data"]]
    frame = pd.DataFrame(rows)
    for name in AMOUNTS:
        frame[name] = frame[name].map(Decimal)
    for name in ("created_at", "updated_at"):
        frame[name] = pd.to_datetime(frame[name], utc=True)
    return frame


def models_of(url):
    """Rows as models."""
    import pandas as pd
    from pydantic import create_model

    fields = dict.fromkeys(TEXTS, (str, ...)) | dict.fromkeys(AMOUNTS, (Decimal, ...))
    fields |= {"created_at": (datetime, ...), "updated_at": (datetime, ...)}
    fields |= dict.fromkeys(OPTIONAL, (str | None, None))
    fields["deposit_instructions"] = (dict | None, None)
    row = create_model("Row", **fields)
    page = create_model("Page", data=(list[row], ...))
    rows = [one for body in bodies(url) for one in page.model_validate_json(body).data]
    return pd.DataFrame([one.model_dump() for one in rows])


AMOUNTS = (
    *("source_amount", "destination_amount", "exchange_rate"),
    *("total_fee", "total_tax", "net_source_amount"),
)
TEXTS = (
    *("id", "client_reference_id", "source_currency", "destination_currency", "recipient_id"),
    *("financial_account_id", "payout_method", "status", "fee_currency", "tax_currency"),
)
OPTIONAL = ("completed_in", "failure_reason", "settlement_reference_id")

if __name__ == "__main__":
    main(*sys.argv[1:])
