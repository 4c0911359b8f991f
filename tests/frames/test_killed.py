"""Exports killed at any moment and started again hold every row once."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from subprocess import PIPE, run

import pytest

from paylab import frames
from paylab.errors import BadRequestError, ConfigError

HARNESS = Path(__file__).with_name("killing.py")


def test_some_kills(tmp_path):
    """A CSV, a Parquet file and a folder; nothing lost, doubled, or left behind."""
    command = [sys.executable, str(HARNESS), "5", "20", str(tmp_path)]
    found = json.loads(run(command, stdout=PIPE, text=True, check=True).stdout)
    assert found["kills"] >= 5
    assert found["wrong"] == []


@pytest.fixture(name="service")
def pages_of_five(transfer):
    """Fifteen rows in pages of five; `asked` holds the cursors that were used."""
    rows = [transfer | {"id": f"tr_{number:02d}"} for number in range(15)]
    return Service(rows)


class Service:
    """A list whose cursors can expire and whose pages can break off."""

    def __init__(self, rows):
        self.rows, self.asked, self.expired, self.broken = rows, [], False, ()

    def __call__(self, cursor):
        """A page, or what goes wrong."""
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
        """As after a restart."""
        self.asked, self.broken = [], ()
        for name, value in change.items():
            setattr(self, name, value)
        return self


def ids(path):
    """The ids of an exported CSV."""
    return frames.read_csv(path)["id"].tolist()


def test_goes_on(service, tmp_path, monkeypatch):
    """What is on disk is not fetched again."""
    monkeypatch.setattr("paylab.frames.pages.FEW", 1)
    service.broken = (3,)
    with pytest.raises(ConnectionError):
        frames.export_list(service, tmp_path / "t.csv")
    assert not (tmp_path / "t.csv").exists()
    done = frames.export_list(service.again(), tmp_path / "t.csv")
    assert done.resumed > 0
    assert service.asked[0] is not None
    assert ids(tmp_path / "t.csv") == [f"tr_{number:02d}" for number in range(15)]


def test_expired_cursor(service, tmp_path, monkeypatch):
    """A cursor that expired starts the walk again; rows known by their id are not doubled."""
    monkeypatch.setattr("paylab.frames.pages.FEW", 1)
    service.broken = (3,)
    with pytest.raises(ConnectionError):
        frames.export_list(service, tmp_path / "t.csv")
    newer = service.rows[0] | {"id": "tr_new"}
    done = frames.export_list(
        service.again(expired=True, rows=[newer, *service.rows]), tmp_path / "t.csv"
    )
    assert service.asked[1] is None
    assert sorted(ids(tmp_path / "t.csv")) == [f"tr_{n:02d}" for n in range(15)] + ["tr_new"]
    assert done.rows == 16


def test_a_bad_request_of_its_own(service, tmp_path):
    """A refusal of the very first page is not taken for an expired cursor."""

    def refuse(_):
        raise BadRequestError(400, "no")

    with pytest.raises(BadRequestError):
        frames.export_list(refuse, tmp_path / "t.csv")


def test_another_list_is_another_export(service, tmp_path):
    """A draft of another filter or service is not continued."""
    service.broken = (3,)
    with pytest.raises(ConnectionError):
        frames.export_list(service, tmp_path / "t.csv", origin={"base_url": "https://one"})
    done = frames.export_list(
        service.again(), tmp_path / "t.csv", origin={"base_url": "https://other"}
    )
    assert (done.rows, done.resumed) == (15, 0)


def test_stopped(service, tmp_path):
    """A stop keeps what was fetched, and says how to go on."""
    with pytest.raises(ConfigError, match="the same call goes on"):
        frames.export_list(service, tmp_path / "t.csv", progress=lambda *_: False)
    assert frames.export_list(service.again(), tmp_path / "t.csv").rows == 15


def test_sidecar(service, tmp_path):
    """Beside the file stands what its columns are and where it came from."""
    frames.export_list(service, tmp_path / "t.csv", origin={"base_url": "https://one"})
    said = json.loads((tmp_path / "t.csv.columns.json").read_text())
    assert (said["base_url"], said["rows"], said["kind"]) == ("https://one", 15, "transfers")
    assert {"name", "kind", "field", "meaning"} <= said["columns"][0].keys()
