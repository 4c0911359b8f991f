"""Datasets: what a sync fetches and changes, and the same summary locally and on a cluster."""

from __future__ import annotations

import json
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from decimal import Context, Decimal, localcontext
from io import BytesIO
from random import Random

import httpx
import pandas as pd
import pytest
from synced_lists import List, rows

import paylab
from paylab import frames
from paylab.client.settings import Settings
from paylab.errors import (
    APIResponseError,
    ConfigError,
    ExactnessError,
    RepeatWarning,
    RuleError,
)
from paylab.simulator.simulator import Simulator


def read(folder):
    """All rows of a dataset's folder, indexed by id; no id is repeated."""
    # By its path, pandas opens a file twice.
    contents = [BytesIO(file.read_bytes()) for file in sorted(folder.rglob("*.parquet"))]
    frame = pd.concat(map(pd.read_parquet, contents))
    assert frame["id"].is_unique
    return frame.set_index("id")


def test_a_second_sync_fetches_only_new_and_open_rows(tmp_path):
    """The first sync fetches all rows, the next only new rows and rows that are not final."""
    source = List(rows(95))
    source.rows[3]["status"] = "started"
    dataset = frames.Dataset(f"{tmp_path}/d")
    assert dataset.sync(source).new == 95
    source.asked.clear()
    source.rows[3] = source.rows[3] | {"status": "completed"}
    source.rows.insert(0, rows(1)[0] | {"id": "tr_new", "created_at": "2026-01-29T00:00:00.000Z"})
    done = dataset.sync(source, overlap="1h")
    assert (done.new, done.updated) == (1, 1)
    assert len(source.asked) == 1
    found = read(tmp_path / "d")
    assert len(found) == 96
    assert found["status"]["tr_00003"] == "completed"


def test_an_old_open_row_is_asked_for_alone(tmp_path):
    """An old open row is fetched by its id, not by reading all pages back to it."""
    source = List(rows(400))
    source.rows[-1]["status"] = "awaiting_funds"
    dataset = frames.Dataset(f"{tmp_path}/d")
    dataset.sync(source)
    source.asked.clear()
    source.rows[-1] = source.rows[-1] | {"status": "expired"}
    assert dataset.sync(source, overlap="1h").updated == 1
    assert source.rows[-1]["id"] in source.asked
    assert len(source.asked) <= 3


@pytest.mark.parametrize(
    ("age", "how", "found"),
    [
        (47, {}, True),
        (49, {}, False),
        (49, {"overlap": "50h"}, True),
        (47, {"overlap": timedelta(hours=46)}, False),
        (24 * 300, {"overlap": "9D"}, False),
        (24 * 300, {"full": True}, True),
        (24 * 300, {"overlap": "99999D"}, True),
        (1, {"overlap": "0s", "full": True}, True),
        (1, {"overlap": "0s"}, False),
    ],
)
def test_late_rows_and_final_rows_that_change(tmp_path, age, how, found):
    """A sync finds late rows and changes of final rows within the overlap, or with `full`."""
    newest, now = rows(1)[0], datetime(2026, 1, 28, 23, tzinfo=UTC)
    times = [f"{now - timedelta(hours=hours):%FT%TZ}" for hours in (0, *[age] * 2, 24 * 400)]
    made = [newest | {"id": f"tr_{at}", "created_at": text} for at, text in enumerate(times)]
    filler = [made[3] | {"id": f"old_{number}"} for number in range(40)]
    source, dataset = List([*made[:2], *filler]), frames.Dataset(f"{tmp_path}/d")
    source.rows[1]["status"] = "completed"
    dataset.sync(source)
    source.rows[1:2] = [made[1] | {"status": "failed"}, made[2]]
    done = dataset.sync(source, **how)
    assert (done.new, done.updated) == (int(found), int(found))


@pytest.mark.parametrize("overlap", ["48", 48, "-1h", "soon", "", None, "NaT", b"1h"])
def test_an_overlap_that_is_no_duration(tmp_path, overlap):
    """An overlap without a unit, or below zero, is refused before anything is read."""
    source = List(rows(5))
    with pytest.raises(RuleError, match="is not a duration of zero or more"):
        frames.Dataset(f"{tmp_path}/d").sync(source, overlap=overlap)
    assert not source.asked


@pytest.mark.parametrize(
    ("place", "newer", "order"),
    [
        (0, True, "newest_first"),
        (34, False, "newest_first"),
        (0, False, "unknown"),
        (20, True, "unknown"),
    ],
)
@pytest.mark.filterwarnings("ignore::paylab.frames.OrderWarning")
def test_a_repeated_row_is_stored_once(tmp_path, place, newer, order):
    """The newest version of a row stays, wherever the other one is, with one warning."""
    source, dataset = List(rows(35), order=order), frames.Dataset(f"{tmp_path}/d")
    late, early = (
        source.rows[20] | {"status": status, "updated_at": f"2026-02-0{day}T00:00:00Z"}
        for day, status in ((2, "completed"), (1, "awaiting_funds"))
    )
    source.rows[20] = early if newer else late
    source.rows.insert(place, late if newer else early)
    with pytest.warns(RepeatWarning, match="repeats a row") as told:
        done = dataset.sync(source, full=True)
    assert (len(told), done.new) == (1, 35)
    assert read(tmp_path / "d")["status"][late["id"]] == "completed"
    assert late["id"] not in json.loads((tmp_path / "d.sync.json").read_text())["open"]


def answering(body):
    """A list of 150 rows, the last of which is open; each single object is read from `body`."""
    settings = Settings("https://api.example.com", "key", "secret")
    answer = httpx.MockTransport(lambda _: httpx.Response(200, json=body))
    source = List(rows(150))
    source.rows[-1]["status"] = "started"
    source.one = paylab.Lab(settings, transport=answer).transfers.pull().one
    return source


@pytest.mark.parametrize("wrapped", [False, True])
def test_an_open_row_is_read_with_or_without_an_envelope(tmp_path, wrapped):
    """A single object is read with all its digits, with or without a `data` envelope."""
    source, dataset = answering({}), frames.Dataset(f"{tmp_path}/d")
    last = source.rows[-1] | {"status": "completed", "source_amount": "1.230000000000000001"}
    source.one = answering({"data": last} if wrapped else last).one
    dataset.sync(source)
    assert dataset.sync(source).updated == 1
    found = read(tmp_path / "d")
    assert len(found) == 150
    assert found["status"][last["id"]] == "completed"
    assert str(found["source_amount"][last["id"]]).rstrip("0") == last["source_amount"]


def test_an_open_row_without_an_id_is_an_error(tmp_path):
    """A single object without an id raises APIResponseError and adds no row."""
    source, dataset = answering({}), frames.Dataset(f"{tmp_path}/d")
    dataset.sync(source)
    for body in ({}, {"data": {}}, {"status": "completed"}, []):
        source.one = answering(body).one
        with pytest.raises(APIResponseError, match="must be an object with an id"):
            dataset.sync(source)
    assert len(read(tmp_path / "d")) == 150


def test_the_folder_of_one_service_refuses_another_service(tmp_path):
    """The folder of one service refuses another service."""
    dataset = frames.Dataset(f"{tmp_path}/d")
    dataset.sync(List(rows(5)))
    with pytest.raises(ConfigError, match="name another folder"):
        dataset.sync(List(rows(5), url="https://other"))


def test_the_folder_of_one_account_refuses_another_also_after_an_interrupted_first_sync(
    tmp_path,
):
    """The folder of one account refuses another, also after an interrupted first sync."""
    dataset, source = frames.Dataset(f"{tmp_path}/d"), List(rows(600))
    fetch = source.fetch
    source.fetch = lambda cursor: b"{" if cursor == "500" else fetch(cursor)
    with pytest.raises(APIResponseError):
        dataset.sync(source)
    with pytest.raises(ConfigError, match="another account of https://one; name another folder"):
        dataset.sync(List(rows(5), account="two"))
    source.fetch = fetch
    dataset.sync(source)
    assert len(read(tmp_path / "d")) == 600


def test_a_folder_of_an_older_version_is_adopted(tmp_path):
    """If the state has no account, the folder takes the account of the next sync."""
    dataset = frames.Dataset(f"{tmp_path}/d")
    dataset.sync(List(rows(5)))
    file = tmp_path / "d.sync.json"
    state = json.loads(file.read_text())
    state.pop("account")
    file.write_text(json.dumps(state))
    assert dataset.sync(List(rows(5), account="two")).new == 0
    with pytest.raises(ConfigError, match="another account"):
        dataset.sync(List(rows(5)))


def test_each_seed_is_an_account(tmp_path):
    """Simulators with one seed are the same account; another seed is another account."""
    dataset = frames.Dataset(f"{tmp_path}/d")
    labs = [paylab.connect(simulator=Simulator(seed=seed, transfers=9)) for seed in (7, 7, 8)]
    assert [dataset.sync(lab.transfers).new for lab in labs[:2]] == [9, 0]
    with pytest.raises(ConfigError, match="another account"):
        dataset.sync(labs[2].transfers)


def test_an_interrupted_sync_leaves_whole_days_and_the_next_sync_adds_the_missing_rows(
    tmp_path,
):
    """An interrupted sync leaves whole days, and the next sync adds the missing rows."""
    source = List(rows(600, days=20))
    fetch = source.fetch

    def cut(cursor):
        if cursor == "500":
            raise ConnectionError("cut")
        return fetch(cursor)

    source.fetch = cut
    dataset = frames.Dataset(f"{tmp_path}/d")
    with pytest.raises(ConnectionError):
        dataset.sync(source)
    kept = read(tmp_path / "d")
    days = set(kept["created_at"].dt.strftime("%Y-%m-%d"))
    assert len(days) > 3
    assert set(kept.index) == {row["id"] for row in source.rows if row["created_at"][:10] in days}
    source.fetch = fetch
    assert dataset.sync(source).new == 600 - len(kept)
    assert set(read(tmp_path / "d").index) == {row["id"] for row in source.rows}


def test_a_row_on_two_pages_of_a_growing_list_is_stored_once(tmp_path):
    """A row that is on two pages, because the list grew, is stored once."""
    source = List(rows(35))
    fetch = source.fetch

    def grows(cursor):
        if cursor == "10":
            source.rows.insert(0, rows(1)[0] | {"id": "new", "created_at": "2026-01-29T00:00:00Z"})
        return fetch(cursor)

    source.fetch = grows
    frames.Dataset(f"{tmp_path}/d").sync(source)
    assert len(read(tmp_path / "d")) == 35


def test_what_a_killed_sync_left_is_removed(tmp_path):
    """A sync removes the incomplete files of a killed sync."""
    dataset, source = frames.Dataset(f"{tmp_path}/d"), List(rows(5))
    dataset.sync(source)
    day = next((tmp_path / "d").rglob("*.parquet")).parent
    (day / ".part-0.parquet.0123456789ab.part").write_text("half")
    dataset.sync(source)
    assert [file.name for file in day.iterdir()] == ["part-0.parquet"]


def test_a_row_of_the_future_hides_no_later_one(tmp_path):
    """A row dated in the future does not prevent later syncs from finding new rows."""
    made = rows(30)
    far = made[0] | {"id": "far", "created_at": "2099-01-01T00:00:00Z"}
    source = List([far, *made[5:]])
    source.origin = lambda: {"base_url": "https://one", "fetched_at": "2026-01-28T10:00:00.000Z"}
    dataset = frames.Dataset(f"{tmp_path}/d")
    dataset.sync(source)
    late = [row | {"created_at": f"2026-01-29T0{at}:00:00Z"} for at, row in enumerate(made[:5])]
    source.rows = [far, *late[::-1], *made[5:]]
    assert dataset.sync(source).new == 5


def test_a_reader_during_a_sync_sees_every_row_once(tmp_path):
    """A reader during a sync sees every row once."""
    source, dataset, counts = List(rows(60, days=3)), frames.Dataset(f"{tmp_path}/d"), []
    dataset.sync(source)
    stop, begun = threading.Event(), threading.Semaphore(0)

    def watch():
        while not stop.is_set():
            begun.release()
            counts.append(len(read(tmp_path / "d")))

    def sync():
        for number in range(5):
            begun.acquire(timeout=30)  # every sync has a reader of its own
            source.rows[30]["status"] = "started"
            created = f"2026-01-29T0{number}:00:00Z"
            source.rows.insert(0, rows(1)[0] | {"id": f"new_{number}", "created_at": created})
            dataset.sync(source)

    with ThreadPoolExecutor(1) as threads:
        reader = threads.submit(watch)
        try:
            sync()
        finally:
            stop.set()
    reader.result()
    assert len(counts) >= 5
    assert counts == sorted(counts)
    assert set(counts) <= set(range(60, 66))


def test_a_reader_keeps_the_file_that_it_opened(tmp_path):
    """A sync replaces a file: a reader that opened it before the sync reads the old rows."""
    source, dataset = List(rows(60)), frames.Dataset(f"{tmp_path}/d")
    dataset.sync(source)
    newest = max((tmp_path / "d").rglob("*.parquet"))
    before = newest.read_bytes()
    source.rows.insert(0, rows(1)[0] | {"id": "new", "created_at": "2026-01-28T23:30:00Z"})
    with newest.open("rb") as opened:
        assert dataset.sync(source).new == 1
        assert newest.read_bytes() != before
        assert opened.read() == before


def test_a_second_sync_of_the_same_folder_at_the_same_time_is_refused(tmp_path):
    """A second sync of the same folder at the same time is refused."""
    dataset, source = frames.Dataset(f"{tmp_path}/d"), List(rows(5))
    source.origin = lambda: {"base_url": "https://one", "then": frames.Dataset}
    fetch = source.fetch

    def meanwhile(cursor):
        with pytest.raises(ConfigError, match="in use"):
            frames.Dataset(f"{tmp_path}/d").sync(List(rows(5)))
        return fetch(cursor)

    source.fetch = meanwhile
    assert dataset.sync(source).new == 5


def test_a_dataset_in_memory_has_the_same_summary_as_a_frame():
    """A dataset in the memory filesystem of fsspec has the same summary as a frame."""
    made = rows(20, days=2)
    dataset = frames.Dataset("memory://datasets/one")
    assert dataset.sync(List(made)).new == 20
    assert dataset.sync(List(made)).new == 0
    expected = frames.summarize(frames.transfers([{"data": made}]), by=["day", "status"])
    pd.testing.assert_frame_equal(dataset.summarize(by=["day", "status"]), expected)


def test_a_file_address_is_a_local_folder(tmp_path):
    """A `file://` address is a local folder."""
    dataset = frames.Dataset(f"file://{tmp_path}/d")
    assert dataset.sync(List(rows(50))).new == 50
    assert dataset.summarize()["rows"].sum() == 50


def test_an_amount_too_long_for_a_dataset_is_refused(tmp_path):
    """An amount with 21 digits before the point is refused, and nothing is written."""
    source = List([rows(1)[0] | {"source_amount": "1" + "0" * 20}])
    with pytest.raises(ExactnessError, match=r"source_amount, row 0: '1.*does not fit"):
        frames.Dataset(f"{tmp_path}/d").sync(source)
    assert not list(tmp_path.rglob("*.parquet"))


def test_an_address_that_needs_another_package(monkeypatch):
    """The error names the missing package."""
    monkeypatch.setitem(sys.modules, "s3fs", None)
    with pytest.raises(ConfigError, match=r"s3:// cannot be used: .*s3fs"):
        frames.Dataset("s3://bucket/days")


@pytest.mark.parametrize("address", ["", " "])
def test_an_empty_address_is_refused_and_does_not_mean_the_current_folder(
    address, tmp_path, monkeypatch
):
    """An empty address is refused and does not mean the current folder."""
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ConfigError, match="the address is empty"):
        frames.Dataset(address)


def test_a_dataset_without_rows_has_an_empty_summary(tmp_path):
    """A dataset that was never synced is empty, with a warning; `dask` raises ConfigError."""
    dataset = frames.Dataset(f"{tmp_path}/d")
    assert len(dataset.summarize(by="day")) == 0
    with pytest.warns(paylab.errors.PaylabWarning, match=r"/d'\) is empty: check the folder"):
        assert len(dataset.frame()) == 0
    with pytest.raises(ConfigError, match="sync it first"):
        dataset.dask()


@pytest.fixture(name="cluster", scope="module")
def two_processes():
    """A Dask cluster of two worker processes."""
    import dask
    from distributed import Client, LocalCluster

    # Workers of a fork server import the libraries once.
    started = {"distributed.worker.multiprocessing-method": "forkserver"}
    options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": None}
    with dask.config.set(started), LocalCluster(**options) as local, Client(local) as client:
        yield client


def test_sums_on_two_processes_are_exact(cluster, tmp_path):
    """Sums of 34-digit amounts over days and processes equal the sums of Decimal."""
    made = rows(100, Random(11), digits=34, days=4)
    dataset = frames.Dataset(f"{tmp_path}/d")
    dataset.sync(List(made))
    for where in (cluster, cluster.scheduler.address):
        found = dataset.summarize(by=["status"], cluster=where)
        pd.testing.assert_frame_equal(found, dataset.summarize(by=["status"]))
    sums = {}
    with localcontext(Context(prec=200)):
        for row in made:
            key = row["status"], row["source_currency"]
            sums[key] = sums.get(key, Decimal(0)) + Decimal(row["source_amount"])
    keys = zip(found["status"], found["source_currency"], strict=True)
    assert dict(zip(keys, found["source_amount"], strict=True)) == sums
    assert max(len(row["source_amount"].lstrip("-")) for row in made) == 35

    lazy = dataset.dask()
    amounts = lazy["source_amount"]
    with localcontext(Context(prec=200)):
        total = sum(sums.values(), Decimal(0))
        assert amounts.sum().compute() == total
        assert (amounts * 2).sum().compute() == 2 * total
        assert lazy[["source_amount"]].sum().compute().tolist() == [total]
    assert amounts.max().compute() == max(Decimal(row["source_amount"]) for row in made)
    assert not isinstance(amounts.mean().compute(), float)
    with pytest.raises(TypeError, match="Cannot interpret 'decimal'"):  # notebook 80 says so
        amounts.quantile(0.5).compute()
    by_status = lazy.groupby("status")["source_amount"].sum().compute()
    with localcontext(Context(prec=200)):
        for word, value in by_status.items():
            assert value == sum((sums[key] for key in sums if key[0] == word), Decimal(0))


class Inline:
    """A cluster in this process that notes its tasks."""

    def __init__(self):
        self.asked = []

    def map(self, work, items, *, pure, **options):
        """Do the work on each item at once."""
        assert not pure  # the files change
        self.asked.append(work.__name__)
        return [work(item, **options) for item in items]

    def gather(self, results):
        """The results as they are."""
        return results


@pytest.mark.parametrize(
    ("by", "tz", "asked"),
    [
        (["status", "day"], "UTC", ["summarize_partition_at_once"]),
        ("day", "Asia/Manila", ["summarize_partition_in_parts"]),
        ("week", "UTC", ["summarize_partition_in_parts"]),
    ],
)
def test_a_summary_has_the_same_numbers_on_a_cluster(tmp_path, by, tz, asked):
    """A summary by day needs no times of single rows, unless the rows of a day are in two files."""
    dataset = frames.Dataset(f"{tmp_path}/d")
    dataset.sync(List(rows(30, days=2)))
    inline = Inline()
    there = dataset.summarize(by=by, cluster=inline, tz=tz)
    pd.testing.assert_frame_equal(there, dataset.summarize(by=by, tz=tz))
    assert (len(there) > 1, inline.asked) == (True, asked)
    newest = max((tmp_path / "d").rglob("*.parquet"))
    (newest.parent / "part-1.parquet").write_bytes(newest.read_bytes())
    doubled = dataset.summarize(by=by, cluster=inline, tz=tz)
    pd.testing.assert_frame_equal(doubled, dataset.summarize(by=by, tz=tz))
    assert doubled["rows"].sum() == 30 + frames.read_parquet(newest).shape[0]
    assert inline.asked[len(asked) :] == [
        *(["summarize_partition_at_once"] * (asked != ["summarize_partition_in_parts"])),
        "summarize_partition_in_parts",
    ]


def test_a_cluster_that_has_no_folder():
    """At an address that DuckDB cannot read, each file is summarised in parts."""
    dataset, inline = frames.Dataset("memory://datasets/inline"), Inline()
    dataset.sync(List(rows(20, days=2)))
    found = dataset.summarize(by="day", cluster=inline)
    pd.testing.assert_frame_equal(found, dataset.summarize(by="day"))
    assert inline.asked == ["summarize_partition_at_once", "summarize_partition_in_parts"]
    assert len(frames.Dataset("memory://datasets/none").summarize("day", Inline())) == 0


def account(name):
    """The transfers of an account, created where the task runs."""
    return List(rows({"one": 30, "two": 12}[name]), url=f"https://{name}")


def test_each_account_is_synced_once_into_its_own_folder(tmp_path):
    """Each account is synced once into its own folder; an invalid name is refused."""
    found = frames.collect_accounts(
        ["one", "two", "one"], into=f"{tmp_path}", per_second=50, source=account
    )
    assert {name: done.new for name, done in found.items()} == {"one": 30, "two": 12}
    assert len(read(tmp_path / "one")) == 30
    for name in ("../x", "a\\b", ".", "..", ""):
        with pytest.raises(RuleError, match="cannot name a folder"):
            frames.collect_accounts([name], into=f"{tmp_path}", source=account)


def test_accounts_are_synced_as_tasks_of_a_cluster(cluster, tmp_path):
    """The accounts are synced as tasks of a cluster."""
    found = frames.collect_accounts(
        ["a", "b"], into=f"{tmp_path}", cluster=cluster, source=lambda _: embedded()
    )
    assert {done.new for done in found.values()} == {130}


def embedded():
    """The transfers of a simulator in the worker."""
    return paylab.connect().transfers


def test_paced_waits_0_2_seconds_between_requests():
    """`Paced` waits 0.2 seconds between requests."""
    from paylab.frames.dataset import PacedSource

    now, slept = [0.0], []

    def sleep(seconds):
        slept.append(seconds)
        now[0] += seconds

    paced = PacedSource(List(rows(30)), 0.2, lambda: now[0], sleep)
    for cursor in (None, "10", "20"):
        paced.fetch(cursor)
    assert sum(slept) == pytest.approx(0.4)
