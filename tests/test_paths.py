"""Every function that takes a path, with a path that it cannot use: an error that names it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import paylab
from paylab.errors import PaylabError
from paylab.simulator.simulator import Simulator
from paylab.views import charts, qr

READ = {
    "create_many": lambda lab, path: lab.transfers.create_many(path),
    "check_many": lambda lab, path: lab.transfers.check_many(path),
    "reconcile": lambda lab, path: lab.reconcile(path),
    "events": lambda lab, path: lab.reconcile(events=path),
    "read_csv": lambda _, path: paylab.read_csv(path),
    "read_excel": lambda _, path: paylab.frames.read_excel(path),
    "read_jsonl": lambda _, path: paylab.frames.read_jsonl(path),
    "read_parquet": lambda _, path: paylab.read_parquet(path),
    "replay": lambda _, path: paylab.connect(replay=path),
    "service": lambda _, path: paylab.connect(service=path),
    "Service.load": lambda _, path: paylab.Service.load(path),
    "load": lambda lab, path: lab.simulator.load(path),
    "probe": lambda lab, path: lab.probe(calls=path),
    "scan": lambda _, path: qr.scan(path),
}
WRITTEN = {
    "results": lambda lab, path: lab.transfers.create_many([], to=path),
    "export": lambda lab, path: lab.transfers.export(path),
    "to_csv": lambda lab, path: lab.transfers.frame().paylab.to_csv(path),
    "to_excel": lambda lab, path: lab.transfers.frame().paylab.to_excel(path),
    "to_database": lambda lab, path: lab.transfers.frame().paylab.to_database(path, "t"),
    "chart": lambda lab, path: charts.volume(lab.transfers.frame()).save(path),
    "har": lambda lab, path: lab.calls.har(path),
    "record": lambda lab, path: lab.record(path),
    "data": lambda _, path: Simulator(data=path),
    "save": lambda lab, path: lab.simulator.save(path),
    "inbox": lambda lab, path: lab.inbox(path=path),
    "inbox.save": lambda lab, path: lab.inbox().save(path),
    "dataset": lambda lab, path: paylab.frames.Dataset(path).sync(lab.transfers),
}
NAMES = {
    "a folder": "folder.csv",
    "nothing": "absent",
    "no folder": "absent/file.csv",
    "a file as a folder": "latin.csv/file.csv",
    "another encoding": "latin.csv",
    "no content of a file": "/proc/self/mem",
    "too long": "a" * 300,
    "a NUL": "a\0b",
    "half a character": "a\ud800",
    "a user": "~nobody/file.csv",
}


@pytest.fixture(scope="module")
def simulator():
    """One simulator: no call changes it."""
    return Simulator()


@pytest.fixture(name="lab")
def new_lab(simulator):
    """A lab of its own on it."""
    return paylab.connect(simulator=simulator)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with a folder and a file in Latin-1."""
    monkeypatch.chdir(tmp_path)
    Path("folder.csv").mkdir()
    Path("folder.csv/other").write_bytes(b"x")
    Path("latin.csv").write_bytes("id;\u00e9\n".encode("latin-1"))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", NAMES.values(), ids=NAMES)
@pytest.mark.parametrize("act", READ.values(), ids=READ)
def test_a_file_that_cannot_be_read(folder, lab, act, name):
    """The error is of the tree, and a folder is named."""
    if act is READ["reconcile"] and name == "latin.csv":
        pytest.skip("books may be in another encoding")
    with pytest.raises(PaylabError) as error:
        act(lab, name)
    assert len(str(error.value)) > 20
    assert name != "folder.csv" or name in str(error.value)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", ["folder.csv", "latin.csv/file.csv", "a" * 300, "a\0b", "a\ud800"])
@pytest.mark.parametrize("act", WRITTEN.values(), ids=WRITTEN)
def test_a_file_that_cannot_be_written(folder, lab, act, name):
    """The error is of the tree, and nothing is left beside the file."""
    before = sorted(os.listdir())
    if act is WRITTEN["dataset"] and name == "folder.csv":
        pytest.skip("a dataset is a folder")
    with pytest.raises(PaylabError) as error:
        act(lab, name)
    assert len(str(error.value)) > 20
    assert sorted(os.listdir()) == before
