"""Exports contain the text that was sent, and are written completely or not at all."""

from __future__ import annotations

import csv
import json
import os
import re
import sys
import tracemalloc
from decimal import Decimal
from types import ModuleType

import pandas as pd
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest
from IPython.core.formatters import PlainTextFormatter

from paylab import frames
from paylab.errors import (
    ConfigError,
    ExactnessError,
    MissingExtraError,
    RuleError,
)
from paylab.frames.columns import CONVERSIONS, TRANSFERS
from paylab.frames.parquet_days import write_days
from paylab.frames.parquet_types import convert_types, parquet_schema
from paylab.frames.results import SyncResult
from paylab.frames.text_table import text_table

DESTINATIONS = ["t.csv", "t.parquet", "t/"]
AMOUNTS = ["10.25", "10.250000", "0", "0E-18", "1e3", "9" * 90, "junk", "", None, "-0.00", "+5"]


def read_back(path):
    """The rows of an export in any format."""
    if path.suffix == ".csv":
        with path.open(newline="", encoding="utf-8") as lines:
            return list(csv.DictReader(lines))
    return ds.dataset(path, partitioning="hive").to_table().to_pylist()


def test_amounts_in_a_csv_are_the_text_that_was_sent(paged, transfer, tmp_path):
    """Amounts in a CSV are exactly the text that the service sent, in the same order."""
    rows = [
        transfer | {"source_amount": amount, "id": f"tr_{at}"} for at, amount in enumerate(AMOUNTS)
    ]
    frames.export(paged(rows), tmp_path / "t.csv")
    written = read_back(tmp_path / "t.csv")
    assert [row["id"] for row in written] == [row["id"] for row in rows]
    assert [row["source_amount"] or "" for row in written] == [amount or "" for amount in AMOUNTS]


@pytest.mark.parametrize("to", DESTINATIONS)
def test_an_export_returns_its_path_and_counts_and_reports_progress_after_each_page(
    paged, transfer, tmp_path, to
):
    """An export returns its path and counts, and reports progress after each page."""
    seen = []
    done = frames.export(
        paged([transfer] * 5), f"{tmp_path}/{to}", progress=lambda *count: seen.append(count)
    )
    assert done == frames.Export(tmp_path / to, rows=5, pages=3)
    assert seen == [(2, 1), (4, 2), (5, 3)]


@pytest.mark.parametrize("to", DESTINATIONS)
@pytest.mark.parametrize("before", [True, False])
def test_pages_that_break_off_leave_the_old_export(paged, broken, transfer, tmp_path, to, before):
    """If the pages break off, the old export stays as it was and no other file is left."""
    if before:
        frames.export(paged([transfer] * 3), f"{tmp_path}/{to}")
    with pytest.raises(ConnectionError):
        frames.export(broken(paged([transfer] * 6000, 1000)), f"{tmp_path}/{to}")
    assert [path.name for path in tmp_path.iterdir()] == ([to.strip("/")] if before else [])
    assert not before or len(read_back(tmp_path / to)) == 3


@pytest.mark.parametrize("to", DESTINATIONS)
def test_a_second_export_replaces_the_first(paged, transfer, tmp_path, to):
    """A second export replaces the first."""
    for count in (5, 2):
        frames.export(paged([transfer] * count), f"{tmp_path}/{to}")
        assert len(read_back(tmp_path / to)) == count
    assert len(list(tmp_path.iterdir())) == 1


@pytest.mark.parametrize("to", DESTINATIONS)
@pytest.mark.parametrize("kind", ["transfers", "conversions"])
def test_an_export_of_no_pages_has_no_rows(tmp_path, to, kind):
    """An export of no pages has no rows."""
    assert frames.export([], f"{tmp_path}/{to}", kind).rows == 0
    assert read_back(tmp_path / to) == []


@pytest.mark.parametrize("schema", [TRANSFERS, CONVERSIONS])
def test_an_empty_csv_has_a_header_with_all_columns_which_ends_with_a_newline(tmp_path, schema):
    """An empty CSV has a header with all columns, which ends with a newline."""
    path = frames.export([], tmp_path / "t.csv", schema.name).path
    assert path.read_text() == ",".join(f'"{name}"' for name in schema.names) + "\n"


def test_an_exported_csv_reads_back_as_the_frame_of_the_same_pages(paged, transfer, tmp_path):
    """An exported CSV reads back as the frame of the same pages."""
    pages = paged([transfer, transfer | {"client_reference_id": 'a "b",\n},{"cursor":"x"}'}])
    path = frames.export(pages, tmp_path / "t.csv").path
    assert frames.read_csv(path).equals(frames.transfers(pages))


def test_a_parquet_file_has_decimals_times_in_utc_and_text(paged, transfer, tmp_path):
    """Amounts are decimals, times are in UTC, seconds are integers, words and ids are text."""
    path = frames.export(paged([transfer]), tmp_path / "t.parquet").path
    schema = pq.read_schema(path)
    assert schema.field("source_amount").type == pa.decimal128(24, 6)
    assert schema.field("exchange_rate").type == pa.decimal128(13, 8)
    assert schema.field("completed_in").type == pa.int64()
    assert schema.field("created_at").type == pa.timestamp("us", tz="UTC")
    assert schema.field("status").type == pa.string()
    assert schema.field("deposit_instructions_clabe").type == pa.string()


def test_a_folder_has_one_file_per_day_of_creation(paged, transfer, tmp_path):
    """A folder has one file per day of creation in UTC, and one for rows without a time."""
    stamps = ["2026-01-31T23:59:59.999Z", "2026-01-31T20:30:00-05:00", None]
    frames.export(paged([transfer | {"created_at": stamp} for stamp in stamps]), f"{tmp_path}/t/")
    files = sorted(
        path.relative_to(tmp_path / "t").as_posix() for path in tmp_path.rglob("*.parquet")
    )
    assert files == [
        "created_day=2026-01-31/part-0.parquet",
        "created_day=2026-02-01/part-0.parquet",
        "created_day=__HIVE_DEFAULT_PARTITION__/part-0.parquet",
    ]


def test_a_day_that_comes_back_after_its_file_was_closed_has_two_files(transfer, tmp_path):
    """More days than files may be open at once, twice: no row is lost."""
    stamps = [f"2026-01-{day:02d}T00:00:00Z" for day in range(1, 13)] * 2
    tables = (text_table([transfer | {"created_at": stamp}], TRANSFERS) for stamp in stamps)
    write_days(
        (convert_types(table, TRANSFERS) for table in tables), tmp_path, parquet_schema(TRANSFERS)
    )
    assert list(tmp_path.rglob("part-1.parquet"))
    assert len(read_back(tmp_path)) == len(stamps)


@pytest.mark.parametrize("to", ["t.xls", "t", "t.txt.gz", ""])
def test_an_unknown_file_extension_is_refused_before_a_page_is_fetched(tmp_path, to):
    """An unknown file extension is refused before a page is fetched."""
    pages = iter([{"data": []}])
    with pytest.raises(ConfigError, match=r"must end in \.csv, .*\.parquet, \.xlsx or /, or be -"):
        frames.export(pages, f"{tmp_path}/x{to}")
    assert next(pages)


def test_a_workbook_without_its_library_is_refused(paged, transfer, tmp_path, monkeypatch):
    """Without openpyxl, a workbook is refused before a page is fetched, and a CSV is written."""
    monkeypatch.setitem(sys.modules, "openpyxl", ModuleType("openpyxl"))
    pages = iter(paged([transfer]))
    with pytest.raises(MissingExtraError, match="openpyxl"):
        frames.export(pages, tmp_path / "t.xlsx")
    assert frames.export(pages, tmp_path / "t.csv").rows == 1


@pytest.mark.parametrize(
    "foreign", ["notes.txt", "created_day=2026-01-31/mine.csv", "a/b/part-0.parquet"]
)
def test_a_folder_with_a_file_of_somebody_else_is_refused(paged, transfer, tmp_path, foreign):
    """A folder with a file that is not from an export is refused and not changed."""
    file = tmp_path / "t" / foreign
    file.parent.mkdir(parents=True)
    file.write_text("mine")
    with pytest.raises(ConfigError, match=foreign):
        frames.export(paged([transfer]), tmp_path / "t")
    assert file.read_text() == "mine"
    assert [path.name for path in tmp_path.iterdir()] == ["t"]


def test_folder_named_like_a_file(tmp_path):
    """A folder does not replace a file of the same name."""
    (tmp_path / "t").write_text("mine")
    with pytest.raises(ConfigError, match="a file has that name"):
        frames.export([], f"{tmp_path}/t/")
    assert (tmp_path / "t").read_text() == "mine"


def test_what_is_no_file_is_not_replaced(paged, transfer, tmp_path):
    """A link to a pipe is refused, and the pipe stays."""
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "t.csv").symlink_to(tmp_path / "pipe")
    with pytest.raises(ConfigError, match="not a regular file"):
        frames.export(paged([transfer]), tmp_path / "t.csv")
    assert (tmp_path / "pipe").is_fifo()


def test_foreign_file_that_comes_meanwhile(paged, transfer, tmp_path):
    """A file that is put into the folder during the export is not lost."""

    def pages():
        (tmp_path / "t").mkdir()
        (tmp_path / "t" / "notes.txt").write_text("mine")
        yield from paged([transfer])

    with pytest.raises(ConfigError, match=r"notes\.txt"):
        frames.export(pages(), f"{tmp_path}/t/")
    assert (tmp_path / "t" / "notes.txt").read_text() == "mine"


def test_a_symbolic_link_is_kept_and_the_file_it_points_to_is_replaced(paged, transfer, tmp_path):
    """A symbolic link is kept, and the file it points to is replaced."""
    (tmp_path / "real.csv").write_text("old")
    (tmp_path / "t.csv").symlink_to("real.csv")
    frames.export(paged([transfer]), tmp_path / "t.csv")
    assert (tmp_path / "t.csv").is_symlink()
    assert len(read_back(tmp_path / "real.csv")) == 1


def test_an_amount_that_is_a_float_is_refused(paged, transfer, tmp_path):
    """An amount that is a float is refused, because the text that was sent is not known."""
    with pytest.raises(ExactnessError, match=r"total_fee, row 0: 0\.1 is a float"):
        frames.export(paged([transfer | {"total_fee": 0.1}]), tmp_path / "t.csv")


@pytest.fixture
def peak(transfer, tmp_path):
    """A function that returns the peak memory of an export of `count` pages."""

    def measure(count, to):
        rows = [transfer | {"id": f"tr_{number}"} for number in range(100)]
        page = json.dumps({"data": rows, "has_next_page": False, "cursor": None}).encode()
        pages = (page.replace(b'"tr_', b'"tr_%d_' % number) for number in range(count))
        tracemalloc.start()
        frames.export(pages, f"{tmp_path}/{to}")
        most = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return most

    return measure


@pytest.mark.parametrize("to", DESTINATIONS)
def test_an_export_does_not_keep_its_pages_in_memory(peak, to):
    """Exporting 100 more pages, 15 MB, needs less than 6 MB more memory: pages are not kept."""
    assert peak(150, to) < peak(50, to) + 6_000_000


@pytest.mark.parametrize("name", ["t.csv", "t.parquet"])
def test_a_private_sidecar_stays_private(paged, transfer, tmp_path, name):
    """A second export keeps the mode 0600 of the file and of its sidecar."""
    page = json.dumps(paged([transfer])[0]).encode()
    path, sidecar = tmp_path / name, tmp_path / f"{name}.columns.json"
    for _ in range(2):
        frames.export_list(lambda _: page, path, "transfers")
        modes = [each.stat().st_mode & 0o777 for each in (path, sidecar)]
        path.chmod(0o600)
        sidecar.chmod(0o600)
    assert modes == [0o600, 0o600]


@pytest.mark.parametrize(
    ("asked", "kept"),
    [
        ({"status": "failed"}, ["b"]),
        ({"status": "failed,expired"}, ["b", "c"]),
        ({"status": ["failed", "expired"], "since": "2026-02-01"}, ["c"]),
        ({"since": "2026-02-01T00:00:00Z"}, ["c", "d"]),
    ],
)
@pytest.mark.parametrize("to", ["t.csv", "t.parquet"])
def test_since_and_status_select_rows_for_a_list_and_for_pages(
    paged, transfer, tmp_path, asked, kept, to
):
    """`since` and `status` select rows, for a list and for pages."""
    facts = {"a": ("started", 1), "b": ("failed", 1), "c": ("expired", 2), "d": ("started", 3)}
    rows = [
        transfer | {"id": name, "status": word, "created_at": f"2026-02-0{day}T00:00:00Z"}
        if day > 1
        else transfer | {"id": name, "status": word}
        for name, (word, day) in facts.items()
    ]
    page = json.dumps(paged(rows, 9)[0]).encode()
    for write in (
        lambda: frames.export([page], tmp_path / to, **asked),
        lambda: frames.export_list(lambda _: page, tmp_path / to, **asked),
    ):
        assert write().rows == len(kept)
        assert [row["id"] for row in read_back(tmp_path / to)] == kept


@pytest.mark.parametrize(
    ("status", "words"),
    [
        ("completd", "'completd' is no status of transfers: is 'completed' meant?"),
        (["failed", "Expired"], "is 'expired' meant?"),
        ("zzz", "known are pending, awaiting_funds"),
    ],
)
def test_an_unknown_status_is_an_error_that_names_the_nearest(
    paged, transfer, tmp_path, status, words
):
    """An unknown status is an error that names the nearest, and no file is written."""
    page = json.dumps(paged([transfer])[0]).encode()
    for ask in (
        lambda: frames.export([page], tmp_path / "t.csv", status=status).rows,
        lambda: frames.export_list(lambda _: page, tmp_path / "t.csv", status=status).rows,
        lambda: len(frames.transfers([page], status=status)),
    ):
        with pytest.raises(RuleError, match=re.escape(words)):
            ask()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("status", ["", " ", ",", [], [""]])
def test_an_empty_status_is_refused_and_nothing_is_written(paged, transfer, tmp_path, status):
    """An empty status is refused, and nothing is written."""
    with pytest.raises(RuleError, match="status: is empty"):
        frames.export(paged([transfer]), tmp_path / "t.csv", status=status)
    assert not [*tmp_path.iterdir()]


def test_standard_output_has_the_rows_as_csv_and_nothing_else(paged, transfer, capfdbinary):
    """Standard output has the rows as CSV and nothing else."""
    page = json.dumps(paged([transfer])[0]).encode()
    assert frames.export_list(lambda _: page, "-").rows == 1
    header, row = capfdbinary.readouterr().out.decode().splitlines()
    assert header.startswith('"id","client_reference_id"')
    assert row.startswith('"tr_1","0042","10.25"')


def test_in_a_workbook_amounts_are_numbers_ids_are_text_and_times_are_dates(
    paged, transfer, tmp_path
):
    """In a workbook, amounts are numbers, ids are text, and times are dates."""
    frames.export(paged([transfer]), tmp_path / "t.xlsx")
    found = pd.read_excel(tmp_path / "t.xlsx", dtype={"client_reference_id": str}).iloc[0]
    assert (found["source_amount"], found["client_reference_id"]) == (10.25, "0042")
    assert found["created_at"] == pd.Timestamp("2026-01-31 09:30:00.123")


@pytest.mark.parametrize("text", ["12.5", "9" * 18 + "0", "1" * 20])
def test_seconds_that_no_integer_holds(transfer, tmp_path, text):
    """For Parquet, seconds that are not whole or too many raise an error with their row."""
    with pytest.raises(ExactnessError, match=r"completed_in, row 0: .* does not fit int64"):
        frames.export([{"data": [transfer | {"completed_in": text}]}], tmp_path / "t.parquet")


def test_an_amount_that_no_decimal_holds(paged, transfer, tmp_path):
    """For Parquet, an amount that is too long is an error; CSV and workbooks have its text."""
    rows = [transfer, transfer | {"source_amount": "9" * 30, "id": "tr_2"}]
    for to in ("t.parquet", "t/"):
        words = (
            r"source_amount, row 1: '9+' does not fit DECIMAL\(38, 18\): "
            r'write scale=\{"source_amount": 2\}; a CSV file keeps it as text'
        )
        with pytest.raises(ExactnessError, match=words):
            frames.export(paged(rows), f"{tmp_path}/{to}")
        assert not [*tmp_path.iterdir()]
    frames.export(paged(rows), tmp_path / "t.xlsx")
    read_rows = frames.read_excel(tmp_path / "t.xlsx")
    assert read_rows["source_amount"].tolist() == [Decimal("10.25"), Decimal("9" * 30)]
    far_apart = [transfer | {"source_amount": "0." + "1" * 18}, rows[1]]
    assert frames.export(paged(far_apart), tmp_path / "t.xlsx").rows == 2
    assert frames.export(paged(rows), tmp_path / "t.csv").rows == 2
    with (tmp_path / "t.csv").open(newline="") as file:
        assert [row["source_amount"] for row in csv.DictReader(file)] == ["10.25", "9" * 30]


def test_what_was_written_is_immutable(mutable):
    """Results and settings are immutable; readers and what they read into are not."""
    assert mutable("frames") == {"PacedSource", "Selection", "State", "Sync", "Tally", "Worker"}


@pytest.mark.parametrize(
    ("result", "shown"),
    [
        (frames.Export("a.csv", rows=6, pages=1), "a.csv: 6 rows from 1 page"),
        (
            frames.Export("s3://a/b.csv", rows=1200, pages=12, resumed=100),
            "s3://a/b.csv: 1,200 rows from 12 pages, 100 of them fetched before",
        ),
        (
            SyncResult(new=131, updated=0, pages=2),
            "131 new rows, 0 changed, 0 removed; 2 pages read",
        ),
    ],
)
def test_a_notebook_shows_a_result_as_a_sentence(result, shown):
    formatter = PlainTextFormatter()
    assert formatter(result) == shown
