"""Exports that are killed at any moment and started again contain every row once."""

from __future__ import annotations

import json
import os
import re
import sys
from pathlib import Path
from random import Random
from runpy import run_path
from subprocess import PIPE, run
from types import SimpleNamespace

import fsspec
import pandas as pd
import pytest
from fsspec.implementations.memory import MemoryFileSystem

import paylab
from paylab import frames
from paylab.errors import BadRequestError, ConfigError, RepeatWarning
from paylab.simulator.simulator import Simulator
from paylab.spec.timestamps import to_text

HARNESS = Path(__file__).with_name("killing.py")
STEPS = Path(__file__).with_name("stepping.py")
IDS = [f"tr_{number:03d}" for number in range(150)]


def test_killed_exports_lose_and_repeat_no_row(tmp_path):
    """Killed exports of every kind lose no row, repeat no row, and leave no hidden file."""
    command = [sys.executable, str(HARNESS), "3", "20", str(tmp_path)]
    found = json.loads(run(command, stdout=PIPE, text=True, check=True).stdout)
    assert found["kills"] >= 3
    assert min(found["targets"].values()) >= 1
    assert found["wrong"] == []


def test_killing_check_reports_the_ids_that_are_missing_repeated_or_unknown():
    """`killing.check` reports the ids that are missing, repeated or unknown."""
    check, all_ids = run_path(str(HARNESS))["check"], [f"tr_{number:05d}" for number in range(400)]
    assert check(all_ids) == []
    found = [*all_ids[1:], all_ids[7], "tr_other"]
    assert sorted(check(found)) == ["tr_00000", "tr_00007", "tr_other"]


def test_a_run_that_cannot_succeed():
    """If an export fails by itself, `killing.once` exits instead of starting it again forever."""
    failed = SimpleNamespace(exitcode=1, is_alive=lambda: False)
    failed.start = failed.join = failed.kill = lambda *_: None
    processes = SimpleNamespace(Process=lambda **_: failed)
    with pytest.raises(SystemExit, match="an export that nobody killed ended with 1"):
        run_path(str(HARNESS))["once"]("/nowhere/t.csv", Random(1), processes)


@pytest.fixture(name="service")
def pages_of_five(transfer):
    """A service with 150 rows in pages of five; the first 16 pages are one batch."""
    rows = [transfer | {"id": id_} for id_ in IDS]
    return Service(rows)


class Service:
    """A fake list whose cursors can expire and whose pages can fail; `asked` has the cursors."""

    def __init__(self, rows):
        self.rows, self.asked, self.expired, self.broken = rows, [], False, ()

    def __call__(self, cursor):
        """Return a page, or raise the error that is set."""
        self.asked.append(cursor)
        if len(self.asked) in self.broken:
            raise ConnectionError("cut")
        if self.expired and cursor is not None and len(self.asked) == 1:
            raise BadRequestError(400, "Invalid pagination token")
        start = int(cursor or 0)
        following = str(start + 5) if start + 5 < len(self.rows) else None
        page = {"data": self.rows[start : start + 5], "has_next_page": bool(following)}
        return json.dumps(page | {"cursor": following}).encode()

    def again(self, **change):
        """Forget the requests and faults, as after a restart, and set attributes."""
        self.asked, self.broken = [], ()
        for name, value in change.items():
            setattr(self, name, value)
        return self


def stop(*_):
    """A `progress` that stops the export."""
    return False


def ids(path):
    """The ids of an exported CSV."""
    return frames.read_csv(path)["id"].tolist()


def test_a_repeated_export_does_not_fetch_the_stored_pages_again(service, tmp_path):
    """A repeated export does not fetch the stored pages again."""
    service.broken = (20,)
    with pytest.raises(ConnectionError):
        frames.export_list(service, tmp_path / "t.csv")
    assert not (tmp_path / "t.csv").exists()
    done = frames.export_list(service.again(), tmp_path / "t.csv")
    assert done.resumed > 0
    assert service.asked[0] is not None
    assert ids(tmp_path / "t.csv") == IDS


@pytest.fixture(name="interrupted")
def interrupted_export(service, tmp_path):
    """The service, after an export was interrupted with the first batch of pages stored."""
    service.broken = (20,)
    with pytest.raises(ConnectionError):
        frames.export_list(service, tmp_path / "t.csv", origin={"fetched_at": at(0)})
    return service.again()


def at(minutes):
    """A time of the service's clock, in minutes after 09:00."""
    return f"2026-01-31T{9 + minutes // 60:02d}:{minutes % 60:02d}:00.000Z"


@pytest.mark.parametrize(
    ("minutes", "on_disk", "resume", "goes_on"),
    [
        (59, 0, None, True),
        (60, 0, None, False),
        (0, 59, None, True),
        (0, 61, None, False),
        (0, -61, None, False),
        (61, 61, True, True),
        (0, 0, False, False),
    ],
)
def test_a_draft_older_than_an_hour_needs_resume(
    interrupted, tmp_path, minutes, on_disk, resume, goes_on
):
    """A draft older than an hour, by the local or the service's clock, needs `resume=True`."""
    job = tmp_path / ".t.csv.export/job.json"
    os.utime(job, (job.stat().st_mtime - 60 * on_disk,) * 2)
    origin = {"fetched_at": at(minutes)}
    done = frames.export_list(interrupted, tmp_path / "t.csv", origin=origin, resume=resume)
    assert (done.resumed > 0) == goes_on
    assert to_text(done.oldest_page_at) == at(0 if goes_on else minutes)
    about = json.loads((tmp_path / "t.csv.columns.json").read_text())
    assert (about["resumed"], about["oldest_page_at"]) == (
        done.resumed,
        to_text(done.oldest_page_at),
    )
    assert ids(tmp_path / "t.csv") == IDS


@pytest.mark.parametrize("junk", [b"", b"{}", b'{"job": 1, "begun": 5}', b"[]"])
@pytest.mark.parametrize("name", ["job.json", "000000001.arrow"])
def test_an_export_with_a_damaged_draft_starts_again(interrupted, tmp_path, junk, name):
    """An export with a damaged draft starts again."""
    (tmp_path / ".t.csv.export" / name).write_bytes(junk)
    assert frames.export_list(interrupted, tmp_path / "t.csv").rows == len(IDS)


def test_a_link_in_place_of_the_draft_folder_is_refused_and_not_followed(service, tmp_path):
    """A link in place of the draft folder is refused and not followed."""
    (tmp_path / "mine").mkdir()
    (tmp_path / ".t.csv.export").symlink_to(tmp_path / "mine")
    with pytest.raises(ConfigError, match="not a folder of yours"):
        frames.export_list(service, tmp_path / "t.csv")
    assert not list((tmp_path / "mine").iterdir())


def test_a_draft_is_private(interrupted, tmp_path):
    """Only the owner can read the draft."""
    assert (tmp_path / ".t.csv.export").stat().st_mode & 0o777 == 0o700


def test_a_kill_leaves_the_old_folder_or_the_new_one(tmp_path):
    """A kill leaves the old folder or the new one, also if the service is down afterwards."""
    command = [sys.executable, str(STEPS), str(tmp_path), "2", "7"]
    found = json.loads(run(command, stdout=PIPE, text=True, check=True).stdout)
    assert min(found["kills"]) > 5
    assert found["wrong"] == []


def test_a_sidecar_never_tells_of_another_file(service, tmp_path, monkeypatch):
    """If writing the sidecar fails, the new CSV is not read with the sidecar of the old one."""
    service.rows = [row | {"client_reference_id": "'7"} for row in service.rows]
    frames.export_list(service, tmp_path / "t.csv", excel_safe=True)

    def cut(*_):
        raise OSError("cut")

    # No file that a user may have stops exactly this step.
    monkeypatch.setattr("paylab.frames.sidecars.write_sidecar", cut)
    with pytest.raises(OSError, match="cut"):
        frames.export_list(service.again(), tmp_path / "t.csv")
    assert set(frames.read_csv(tmp_path / "t.csv")["client_reference_id"]) == {"'7"}


def test_what_older_versions_left_is_removed(service, tmp_path):
    """An incomplete sidecar in a folder does not stop the next export and is removed."""
    frames.export_list(service, f"{tmp_path}/t/")
    (tmp_path / "t/._columns.json.0123456789ab.part").write_text("{")
    assert frames.export_list(service.again(), f"{tmp_path}/t/").rows == len(IDS)
    assert not list((tmp_path / "t").glob(".*"))


def test_after_an_expired_cursor_the_list_is_read_from_its_start(service, tmp_path):
    """After an expired cursor, the list is read from its start; known ids are not repeated."""
    service.broken = (20,)
    with pytest.raises(ConnectionError):
        frames.export_list(service, tmp_path / "t.csv")
    newer, told = service.rows[0] | {"id": "tr_new"}, []
    done = frames.export_list(
        service.again(expired=True, rows=[newer, *service.rows]),
        tmp_path / "t.csv",
        progress=lambda rows, pages: told.append((rows, pages)),
    )
    assert service.asked[1] is None
    assert told[-1] == (len(IDS) + 1, done.pages)  # of the second reading alone
    assert sorted(ids(tmp_path / "t.csv")) == [*IDS, "tr_new"]
    assert done.rows == len(IDS) + 1


@pytest.mark.parametrize("to", ["t.csv", "t/"])
@pytest.mark.parametrize("before", [True, False])
def test_rows_that_the_service_repeats_are_written_once(service, tmp_path, before, to):
    """The newest version of a row is written once, also when it was stored before a crash."""
    times = ["2026-02-01T00:00:00Z", "2026-02-02T00:00:00Z"]
    old, new = (service.rows[0] | {"id": "tr_x", "updated_at": at} for at in sorted(times))
    rows = [new, *service.rows, old] if before else [old, *service.rows, new]
    service.again(rows=rows).broken = (20,)
    with pytest.raises(ConnectionError):
        frames.export_list(service, f"{tmp_path}/{to}")
    with pytest.warns(RepeatWarning, match="repeats a row") as told:
        done = frames.export_list(service.again(), f"{tmp_path}/{to}")
    assert (done.rows, len(told), done.resumed > 0) == (len(IDS) + 1, 1, True)
    read = frames.read_csv if to == "t.csv" else frames.read_parquet
    found = read(tmp_path / to).set_index("id")["updated_at"]
    assert (len(found), found["tr_x"]) == (len(IDS) + 1, pd.Timestamp(times[1]))


def test_a_400_for_the_first_page_is_raised(service, tmp_path):
    """A 400 for the first page is raised; the page is not requested again."""
    asked = []

    def refuse(cursor):
        asked.append(cursor)
        raise BadRequestError(400, "no")

    with pytest.raises(BadRequestError):
        frames.export_list(refuse, tmp_path / "t.csv")
    assert asked == [None]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ({"origin": {"base_url": "https://one"}}, {"origin": {"base_url": "https://other"}}),
        ({}, {"origin": {"filter": {"product_type": "on_ramp"}}}),
        ({}, {"status": "awaiting_funds"}),
        ({"order": "newest_first"}, {"order": "newest_first", "since": "2026-01-01"}),
        ({"account": "one"}, {"account": "two"}),
        ({"account": "one"}, {}),
    ],
)
def test_another_list_is_another_export(service, tmp_path, first, second):
    """A draft of another service, filter or account is not continued, even with `resume=True`."""
    path = tmp_path / "t.csv"
    with pytest.raises(ConfigError, match=r"stopped: \d+ rows are stored"):
        frames.export_list(service, path, progress=stop, **first)
    theirs = [row | {"id": f"other_{number:03d}"} for number, row in enumerate(service.rows)]
    done = frames.export_list(service.again(rows=theirs), path, resume=True, **second)
    assert (done.rows, done.resumed) == (len(IDS), 0)
    assert ids(path) == [row["id"] for row in theirs]


def test_a_lab_exports_for_its_own_account(tmp_path):
    """Labs with different seeds share no draft; the sidecar does not contain the account."""
    path = tmp_path / "t.csv"
    labs = [paylab.connect(simulator=Simulator(seed=seed, transfers=130)) for seed in (1, 2)]
    with pytest.raises(ConfigError, match="repeat the call"):
        labs[0].transfers.export(path, progress=stop)
    assert labs[1].transfers.export(path).resumed == 0
    assert set(ids(path)) == set(labs[1].transfers.frame()["id"])
    assert labs[1].settings.identity not in Path(f"{path}.columns.json").read_text()


def test_a_stopped_export_says_to_repeat_the_call(service, tmp_path):
    """A stop by `progress` is an error that says to repeat the call, which fetches the rest."""
    rows = [service.rows[0] | {"id": f"tr_{number:03d}"} for number in range(500)]
    with pytest.raises(ConfigError, match="repeat the call") as stopped:
        frames.export_list(service.again(rows=rows), tmp_path / "t.csv", progress=stop)
    stored, before = int(re.findall(r"(\d+) rows are stored", str(stopped.value))[0]), service.asked
    assert 0 < stored < 500
    done = frames.export_list(service.again(), tmp_path / "t.csv")
    assert (done.rows, done.resumed) == (500, stored)
    assert len(before + service.asked) == 100
    assert ids(tmp_path / "t.csv") == [row["id"] for row in rows]


def test_the_sidecar_describes_the_columns_and_the_source_of_the_file(service, tmp_path):
    """The sidecar describes the columns and the source of the file."""
    frames.export_list(service, tmp_path / "t.csv", origin={"base_url": "https://one"})
    said = json.loads((tmp_path / "t.csv.columns.json").read_text())
    assert (said["base_url"], said["rows"], said["kind"]) == ("https://one", len(IDS), "transfers")
    assert {"name", "kind", "field", "meaning"} <= said["columns"][0].keys()


@pytest.fixture(name="drafts")
def url_drafts(tmp_path, monkeypatch):
    """The folder of the drafts of URLs, in a cache folder of its own."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return tmp_path / "paylab/exports"


def interrupt(service, url):
    """Interrupt an export when the first batch of pages is stored."""
    service.broken = (20,)
    with pytest.raises(ConnectionError):
        frames.export_list(service, url)
    return service.again()


@pytest.mark.parametrize("name", ["t.csv", "t.parquet", "days/"])
def test_an_export_to_a_url_goes_on_after_an_interruption(service, drafts, name):
    """The stored pages are not fetched again; when the file is written, no draft is left."""
    url = f"memory://resumed/{name}"
    done = frames.export_list(interrupt(service, url), url)
    assert done.resumed > 0
    assert service.asked[0] is not None
    read = frames.read_csv if name == "t.csv" else frames.read_parquet
    assert read(url)["id"].tolist() == IDS
    assert list(drafts.iterdir()) == []


def test_an_upload_that_failed_is_repeated_without_the_service(service, drafts):
    """The rows are kept until the file is at its URL."""
    url = "cut://uploads/t.csv"
    with pytest.raises(ConfigError, match=r"cut://uploads/t\.csv cannot be written: cut off"):
        frames.export_list(service, url)
    done = frames.export_list(service.again(), url)
    assert (service.asked, done.resumed) == ([], len(IDS))
    assert ids(url) == IDS
    assert list(drafts.iterdir()) == []


class CutFileSystem(MemoryFileSystem):
    """A file system whose first upload fails."""

    protocol = "cut"
    uploads = 0

    def put_file(self, *arguments, **options):
        """Fail once."""
        CutFileSystem.uploads += 1
        if CutFileSystem.uploads == 1:
            raise OSError("cut off")
        return super().put_file(*arguments, **options)


fsspec.register_implementation("cut", CutFileSystem)


def test_drafts_of_urls_are_private_and_removed_after_a_day(service, drafts):
    """An export to another URL removes what nobody continued; the folder's name tells nothing."""
    interrupt(service, "memory://left/secret/t.csv")
    (draft,) = drafts.iterdir()
    assert draft.stat().st_mode & 0o777 == 0o700
    assert not {"secret", "left"} & set(re.findall(r"\w+", draft.name))
    frames.export_list(service.again(), "memory://other/t.csv")
    assert list(drafts.iterdir()) == [draft]
    for file in draft.iterdir():
        os.utime(file, (file.stat().st_mtime - 25 * 3600,) * 2)
    frames.export_list(service.again(), "memory://other/t.csv")
    assert list(drafts.iterdir()) == []


def test_an_export_that_stored_no_page_leaves_no_draft(service, drafts, tmp_path):
    """After an error of the first page, or of the address, nothing is left to continue."""
    service.broken = (1,)
    for to in ("memory://none/t.csv", tmp_path / "t.csv"):
        with pytest.raises(ConnectionError):
            frames.export_list(service.again(broken=(1,)), to)
    with pytest.raises(ConfigError, match="Protocol not known"):
        frames.export_list(service, "nosuch://bucket/t.csv")
    assert list(drafts.iterdir()) == []
    assert not (tmp_path / ".t.csv.export").exists()


def test_a_cache_folder_that_cannot_be_made_is_named(service, monkeypatch):
    """The error names the folder."""
    monkeypatch.setenv("XDG_CACHE_HOME", "/proc/self/none")
    with pytest.raises(ConfigError, match=r"/proc/self/none/paylab/exports/.* cannot be made"):
        frames.export_list(service, "memory://nowhere/t.csv")
