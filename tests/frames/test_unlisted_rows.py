"""A full sync removes what the service does not list any more, and keeps unknown fields."""

from __future__ import annotations

import json

import pytest
from synced_lists import List, rows

from paylab import frames


@pytest.fixture(params=["memory", "folder"])
def dataset(request, tmp_path):
    """A dataset with 60 rows of three days, and its list."""
    name = request.node.name.replace("[", "-").replace("]", "")
    place = f"memory://unlisted/{name}" if request.param == "memory" else f"{tmp_path}/d"
    source = List(rows(60, days=3))
    source.rows[-1]["status"] = "started"
    synced = frames.Dataset(place)
    synced.sync(source)
    return synced, source


def ids(dataset):
    """The ids of a dataset."""
    return set(dataset.frame()["id"])


@pytest.mark.parametrize("kept", [60, 59, 30, 0])
def test_a_full_sync_removes_what_is_not_listed(dataset, kept):
    """It says how many, and a day without rows has no file."""
    synced, source = dataset
    source.rows = source.rows[:kept]
    assert synced.sync(source, overlap="0s").removed == 0
    done = synced.sync(source, full=True)
    assert (done.new, done.updated, done.removed) == (0, 0, 60 - kept)
    assert ids(synced) == {row["id"] for row in source.rows}
    days = {row["created_at"][:10] for row in source.rows}
    assert len(synced.partitions()) == len(days)
    assert synced.sync(source, full=True).removed == 0


def test_a_row_that_is_removed_is_not_asked_for_again(dataset):
    """An open row that is not listed any more is forgotten."""
    synced, source = dataset
    last = source.rows.pop()
    synced.sync(source, full=True)
    source.asked.clear()
    synced.sync(source, overlap="0s")
    assert last["id"] not in source.asked


def test_a_stopped_sync_removes_nothing(dataset):
    """Rows of pages that were not read are kept."""
    synced, source = dataset
    stop = lambda rows, pages: False  # noqa: E731 - a function of one value
    assert synced.sync(source, progress=stop, full=True).removed == 0
    assert len(ids(synced)) == 60


def test_a_row_that_moved_to_another_day_is_there_once(dataset):
    """Its old version is removed from the file of the day that it had."""
    synced, source = dataset
    moved = source.rows.pop() | {"created_at": "2026-01-29T00:00:00.000Z"}
    source.rows.insert(0, moved)
    synced.sync(source, full=True)
    assert sorted(synced.frame()["id"]) == sorted(row["id"] for row in source.rows)


def test_unknown_fields_are_kept_as_json(dataset):
    """The column `extra` has them by dotted name, with the digits that were sent."""
    synced, source = dataset
    unknown = {"risk": {"score": "0.10"}, "labels": ["a"], "deposit_instructions": {"memo": "x"}}
    source.rows[0] = source.rows[0] | unknown | {"status": "failed", "fee_new": 1}
    synced.sync(source, full=True)
    frame = synced.frame().set_index("id")
    extra = json.loads(frame["extra"][source.rows[0]["id"]])
    assert extra == {
        "risk": {"score": "0.10"},
        "labels": ["a"],
        "deposit_instructions.memo": "x",
        "fee_new": 1,
    }
    assert frame["extra"].notna().sum() == 1


def test_a_frame_of_a_dataset_has_the_columns_of_the_list(dataset):
    """And `extra` if a row has an unknown field, or if you name it."""
    synced, source = dataset
    listed = frames.transfers([{"data": source.rows, "has_next_page": False}])
    assert [*synced.frame().columns] == [*listed.columns]
    assert [*synced.frame(columns=["id", "extra"]).columns] == ["id", "extra"]
    source.rows[-1]["risk"] = "low"
    synced.sync(source, full=True)
    assert [*synced.frame().columns] == [*listed.columns, "extra"]
