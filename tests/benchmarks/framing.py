"""Time one way to read or write a list of transfers, in a separate process.

Run as `framing.py WAY ARGUMENT...`. It prints JSON: the seconds, the processor seconds, the
growth of memory and the peak memory in megabytes, and the number of rows, which the tests check.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from datetime import datetime
from decimal import Decimal
from functools import partial
from hashlib import sha256
from itertools import cycle, islice, repeat
from pathlib import Path
from time import perf_counter, process_time
from urllib.parse import quote

WAYS = {}
TOLD = {}  # figures that a way reports itself


def way(function):
    """Register a function as a way that can be timed, by its name."""
    WAYS[function.__name__] = function
    return function


def main(name, *given):
    """Time a way, after a warm-up with a small input."""
    begin = WAYS[name](*given)
    before, began, worked = memory("VmRSS"), perf_counter(), process_time()
    Path("/proc/self/clear_refs").write_text("5")
    rows = begin()
    seconds, worked = perf_counter() - began, process_time() - worked
    peak = memory("VmHWM")  # ru_maxrss would include the parent's
    grown = max(0.0, peak - before)
    found = {"seconds": seconds, "cpu": worked, "grown": grown, "peak": peak, "rows": rows}
    print(json.dumps(found | TOLD))


def memory(key):
    """A memory figure of this process in megabytes."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(key)) / 1024


def bodies(url):
    """Read pages with plain httpx, one after another; the cursor is cut from the end of each."""
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
    """Read the pages and discard them: the lower limit for every other way."""
    list(bodies(small))
    return lambda: sum(1 for _ in bodies(url)) * 100


@way
def paylab_frame(small, url):
    """`lab.transfers.frame()`."""
    lab(small).transfers.frame()
    return lambda: len(lab(url).transfers.frame())


@way
def arrow_text(small, url):
    """Read the pages with Arrow's JSON reader into columns of text."""
    read = arrow_reader()

    def whole():
        return sum(table.num_rows for table in map(read, batches(bodies(url))))

    list(map(read, batches(bodies(small))))
    return whole


@way
def decimal_frame(small, url):
    """A typical hand-written version: json, a DataFrame, and Decimals and datetimes as cells."""
    decimals_of(small)
    return lambda: len(decimals_of(url))


@way
def pydantic_frame(small, url):
    """A pydantic model for each row, converted to a frame."""
    models_of(small)
    return lambda: len(models_of(url))


@way
def ready_text_csv(rows, *, sync=False):
    """Write text columns that are already in memory with pyarrow."""
    import pyarrow.csv as pcsv

    parts = [decoded(some) for some in (ready_pages(), ready_pages() * 10)]
    times = int(rows) // parts[1].num_rows
    pcsv.write_csv(parts[0], FOLDER / "small.csv")

    def write():
        with open(FOLDER / "ready.csv", "wb") as sink:
            with pcsv.CSVWriter(sink, parts[1].schema) as writer:
                for _ in range(times):
                    writer.write_table(parts[1])
            sink.flush()
            if sync:
                os.fsync(sink.fileno())
        return times * parts[1].num_rows

    return write


@way
def ready_text_on_disk(rows):
    """`ready_text_csv` with an fsync, because an export ends when the file is on disk."""
    return ready_text_csv(rows, sync=True)


@way
def paylab_ready_csv(rows):
    """The last step of an export in paylab, from the same text columns."""
    from paylab.frames.columns import TRANSFERS
    from paylab.frames.file_writers import FileRows, find_writer

    part = decoded(ready_pages() * 10)
    rows_of_file = FileRows(TRANSFERS)
    path, write = FOLDER / "written.csv", find_writer("written.csv", rows_of_file)
    small = rows_of_file.read_from(lambda: iter([part.slice(0, 1000)]), None)
    write(small, FOLDER / "small.csv")
    times = int(rows) // part.num_rows

    def export():
        write(rows_of_file.read_from(lambda: repeat(part, times), None), path)
        return times * part.num_rows

    return export


@way
def arrow_csv(rows):
    """Arrow's JSON reader and CSV writer in one thread, without checks, lists or cursors."""
    import pyarrow.csv as pcsv

    read = arrow_reader()
    first = read(ready_pages())

    def export():
        count = 0
        with pcsv.CSVWriter(FOLDER / "plain.csv", first.schema) as writer:
            for table in map(read, batches(other_pages(int(rows)))):
                writer.write_table(table)
                count += table.num_rows
        return count

    return export


def batches(pages):
    """Group pages into lists of 24."""
    found = iter(pages)
    return iter(lambda: list(islice(found, 24)), [])


def arrow_reader():
    """A function that reads pages into a flat table of text, with the schema of sample pages."""
    import pyarrow as pa
    import pyarrow.json as pj

    def text(kind):
        if not pa.types.is_struct(kind):
            return pa.string()
        fields = [field for field in kind if not pa.types.is_list(field.type)]
        return pa.struct([(field.name, text(field.type)) for field in fields])

    def read(pages):
        raw = b"\n".join(pages)
        size = pj.ReadOptions(block_size=len(raw) + 1, use_threads=False)
        rows = pj.read_json(pa.BufferReader(raw), size, options)["data"].combine_chunks().flatten()
        return pa.Table.from_struct_array(rows).flatten().flatten()

    sample = pj.read_json(pa.BufferReader(b"\n".join(ready_pages()))).schema
    row = text(sample.field("data").type.value_type)
    known = pa.schema([("data", pa.list_(row))])
    options = pj.ParseOptions(explicit_schema=known, unexpected_field_behavior="ignore")
    return read


@way
def paylab_csv(rows):
    """`frames.export` from the bytes of the pages to a CSV file."""
    from paylab import frames

    frames.export(ready_pages(), FOLDER / "small.csv")
    return lambda: frames.export(other_pages(int(rows)), FOLDER / "exported.csv").rows


@way
def polars_summary(rows):
    """Counts, sums, quantiles and reasons by day, corridor and currencies, in polars."""
    import polars as pl

    table = pl.from_arrow(typed_rows(int(rows)))

    def summary():
        day, amounts = pl.col("created_at").dt.date().alias("day"), pl.col(*SUMMED)
        corridor = pl.concat_str(*CURRENCIES[:2], separator="-").alias("corridor")
        took = [pl.col("completed_in").quantile(q, "linear").alias(str(q)) for q in QUANTILES]
        counts = [(pl.col("status") == word).sum().alias(word) for word in ("completed", "failed")]
        upper = [pl.col(name).str.to_uppercase() for name in CURRENCIES]
        groups = table.group_by(day, corridor, *upper)
        found = groups.agg(pl.len().alias("rows"), *counts, amounts.sum(), *took)
        why = table.filter(pl.col("failure_reason").is_not_null())
        reasons = why.group_by(day, corridor, *upper, "failure_reason").agg(pl.len())
        assert reasons.height >= 0
        return found["rows"].sum()

    summary()
    return summary


@way
def paylab_summary(rows):
    """`frames.summarize` by day and corridor."""
    from paylab import frames

    table = typed_rows(int(rows))
    frames.summarize(table.slice(0, 1000), by=["day", "corridor"])
    return lambda: int(frames.summarize(table, by=["day", "corridor"])["rows"].sum())


def plain_sql(files, threads):
    """The counts, sums and quantiles in plain SQL over Parquet."""
    import duckdb

    sums = ", ".join(f"sum({name})" for name in SUMMED)
    with duckdb.connect() as connection:
        connection.execute(f"set threads = {threads}")
        return connection.sql(f"""
            select count(*), created_at::date as day,
                source_currency || '-' || destination_currency as corridor,
                {", ".join(CURRENCIES)}, {sums}, quantile_cont(completed_in, {list(QUANTILES)}),
                count(*) filter (status = 'completed'), count(*) filter (status = 'failed')
            from read_parquet('{files}', hive_partitioning = false) group by all""").fetchall()


@way
def duckdb_folder(folder):
    """Plain SQL in DuckDB over a folder of Parquet, in two threads."""
    import duckdb

    duckdb.sql("select 1").fetchall()
    return lambda: sum(row[0] for row in plain_sql(f"{folder}/*/*.parquet", 2))


@way
def paylab_folder(folder):
    """`Dataset.summarize` over the same folder."""
    import pandas as pd

    from paylab import frames

    frames.summarize(pd.DataFrame({"status": ["completed"]}))
    return lambda: counted(frames.Dataset(folder).summarize(by=["day", "corridor"]))


@way
def duckdb_dask(folder):
    """Plain SQL over the file of each day, by two Dask workers."""
    client, files = two_workers(), sorted(map(str, Path(folder).rglob("*.parquet")))
    client.run(plain_sql, files[0], 1)

    def mapped():
        found = client.gather(client.map(plain_sql, files, threads=1, pure=False))
        return sum(row[0] for rows in found for row in rows)

    return watched(client, mapped)


@way
def paylab_dask(folder):
    """`Dataset.summarize` by two Dask workers."""
    from paylab import frames

    client, data = two_workers(), frames.Dataset(folder)
    client.run(frames.summarize, min(map(str, Path(folder).rglob("*.parquet"))))
    summary = partial(data.summarize, by=["day", "corridor"], cluster=client)
    return watched(client, lambda: counted(summary()))


def watched(client, work):
    """A function that runs the work and reports the processor time and memory of the workers."""

    def watching():
        before = sum(client.run(process_time).values()) + process_time()
        found = work()
        TOLD["cpu"] = sum(client.run(process_time).values()) + process_time() - before
        TOLD["peak"] = max(client.run(memory, "VmHWM").values())
        return found

    return watching


def counted(summary):
    """The number of rows in a summary. A digest of the summary is reported too."""
    TOLD["digest"] = sha256(summary.to_csv().encode()).hexdigest()
    return int(summary["rows"].sum())


def two_workers():
    """A client of two Dask workers of one thread each."""
    from distributed import Client, LocalCluster

    options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": None}
    return Client(LocalCluster(**options, processes=True))


def ready_pages():
    """10,000 transfers as pages."""
    import listing

    return [body for _, body in listing.pages(10_000)]


def other_pages(rows):
    """Pages of 100 rows with an id each, made one by one from those of `ready_pages`."""
    ready = ready_pages()
    for number, page in enumerate(islice(cycle(ready), rows // 100)):
        yield page.replace(b'"id":"tr_', b'"id":"tr_%d_' % (number // len(ready)))


def decoded(pages):
    """Pages as a table of text."""
    from paylab.frames.columns import TRANSFERS
    from paylab.frames.decode import Decoder

    return Decoder(TRANSFERS).decode(pages).table.combine_chunks()


def typed_rows(rows):
    """A table of `rows` transfers with exact types: 10,000 transfers, repeated."""
    import pyarrow as pa

    from paylab.frames.columns import TRANSFERS
    from paylab.frames.parquet_types import convert_types

    small = convert_types(decoded(ready_pages()), TRANSFERS)
    return pa.concat_tables([small] * (rows // small.num_rows)).combine_chunks()


def lab(url):
    """A lab that is connected to a loopback address."""
    import paylab

    return paylab.connect(base_url=url, api_key="benchmark", secret_key="0" * 32)


def decimals_of(url):
    """A frame from rows as dicts, with types set column by column."""
    import pandas as pd

    rows = [row for body in bodies(url) for row in json.loads(body)["data"]]
    frame = pd.DataFrame(rows)
    for name in AMOUNTS:
        frame[name] = frame[name].map(Decimal)
    for name in ("created_at", "updated_at"):
        frame[name] = pd.to_datetime(frame[name], utc=True)
    return frame


def models_of(url):
    """A frame from rows as pydantic models."""
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
SUMMED = ("source_amount", "destination_amount", "total_fee", "total_tax")
CURRENCIES = ("source_currency", "destination_currency", "fee_currency", "tax_currency")
QUANTILES = (0.5, 0.9, 0.95, 0.99)
FOLDER = Path(os.environ.get("PAYLAB_BENCHMARKS", tempfile.gettempdir()))
TEXTS = (
    *("id", "client_reference_id", "source_currency", "destination_currency", "recipient_id"),
    *("financial_account_id", "payout_method", "status", "fee_currency", "tax_currency"),
)
OPTIONAL = ("completed_in", "failure_reason", "settlement_reference_id")

if __name__ == "__main__":
    main(*sys.argv[1:])
