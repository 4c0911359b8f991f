"""Files are replaced as a whole, keep their mode, and are created private where needed."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

import paylab
from paylab import files, frames
from paylab.client import profiles
from paylab.errors import ConfigError
from paylab.frames.parquet_days import could_be_exported
from paylab.storage import folders


def mode(path):
    """The permissions of a file."""
    return stat.S_IMODE(path.stat().st_mode)


@pytest.fixture(autouse=True)
def open_umask():
    """A umask with which new files are readable by everybody."""
    before = os.umask(0o022)
    yield
    os.umask(before)


@pytest.mark.parametrize(
    ("before", "private", "after"),
    [(None, False, 0o644), (0o640, False, 0o640), (None, True, 0o600), (0o644, True, 0o600)],
)
def test_a_replaced_file_keeps_its_mode(tmp_path, before, private, after):
    """A replaced file keeps its mode; a private file is private from the moment it is created."""
    path = tmp_path / "a"
    if before is not None:
        path.write_text("old")
        path.chmod(before)
    with files.replace(path, private=private) as sink:
        sink.write(b"new")
        assert mode(next(tmp_path.glob(".a.*.part"))) in (0o600, after)
    assert (mode(path), path.read_text()) == (after, "new")


def test_an_inner_folder_keeps_its_mode(tmp_path):
    """An inner folder keeps its mode; a new one gets a mode that is no more open."""
    folder = tmp_path / "t"
    (folder / "day=1").mkdir(parents=True)
    (folder / "day=1" / "a.parquet").touch()
    (folder / "day=1").chmod(0o700)
    with folders.replace_folder(folder, lambda _: True) as draft:
        for day in ("day=1", "day=2"):
            (draft / day).mkdir(mode=0o755)
            (draft / day / "a.parquet").touch()
    assert [mode(entry) for entry in sorted(folder.iterdir())] == [0o700, 0o700]


def test_a_replaced_folder_and_its_files_keep_their_modes(tmp_path):
    """Folder and files keep their modes; a new file gets a mode that is no more open."""
    folder = tmp_path / "t"
    (folder / "created_day=2026-01-01").mkdir(parents=True)
    old = folder / "created_day=2026-01-01/part-0.parquet"
    old.write_text("old")
    old.chmod(0o640)
    folder.chmod(0o750)
    with folders.replace_folder(folder, could_be_exported) as draft:
        assert mode(draft) == 0o700
        for day in ("created_day=2026-01-01", "created_day=2026-01-02"):
            (draft / day).mkdir()
            (draft / day / "part-0.parquet").write_text("new")
    assert mode(folder) == 0o750
    assert [mode(file) for file in sorted(folder.rglob("*.parquet"))] == [0o640, 0o640]
    assert old.read_text() == "new"


@pytest.mark.parametrize("exchange", [True, False])
def test_a_replaced_folder_leaves_nothing_behind(tmp_path, exchange, monkeypatch):
    """No temporary folder is left, also on systems that cannot swap two names."""
    if not exchange:
        # As on other systems than Linux.
        monkeypatch.setattr(folders, "_exchange_names", lambda *_: False)
    for text in ("old", "new"):
        with folders.replace_folder(tmp_path / "t", lambda _: True) as draft:
            (draft / "a").write_text(text)
    assert (tmp_path / "t/a").read_text() == "new"
    assert [entry.name for entry in tmp_path.iterdir()] == ["t"]


def save_calls(lab, path):
    """Save the calls as HAR."""
    lab.individuals.list().first()
    lab.calls.har(path)


def save_events(_lab, path):
    """Save the events of an inbox."""
    from paylab.webhooks.arrivals import Arrivals
    from paylab.webhooks.event_log import EventLog

    Arrivals(EventLog()).save(path)


def save_world(lab, path):
    """Save the simulator's state."""
    lab.simulator.save(path)


def save_code(_lab, path):
    """Save a picture of a QR code."""
    from paylab.views.qr import QR

    QR("text").save(path)


def save_frame(lab, path):
    """Save a frame as CSV."""
    frames.to_csv(lab.transfers.frame(limit=1), path)


SAVES = [(save_calls, True), (save_events, True), (save_world, True), (save_code, False)]


def save_journal(lab, path):
    """Save the journal of a simulator as HAR."""
    from paylab.journal.har import write_har

    write_har(lab.simulator.journal(), "http://localhost", path)


def save_report(_lab, path):
    """Save the rows of a report of readiness."""
    from paylab.readiness.files import write_report

    write_report({}, path)


@pytest.mark.parametrize(
    "save", [*(save for save, _ in SAVES), save_frame, save_journal, save_report]
)
def test_a_file_in_a_missing_folder_is_refused(tmp_path, save):
    """No folder is made for a file: the name of the folder may be misspelt."""
    with pytest.raises(ConfigError, match="there is no folder"):
        save(paylab.connect(), tmp_path / "nowhere" / "a.svg")
    assert [*tmp_path.iterdir()] == []


@pytest.mark.parametrize(("save", "private"), [*SAVES, (save_frame, False)])
def test_no_planted_link_is_followed(tmp_path, save, private):
    """A symbolic link planted at a guessable draft name is not followed."""
    path, victim = tmp_path / "a.svg", tmp_path / "victim"
    victim.write_text("mine")
    for name in ("a.svg.part", ".a.svg.part"):
        (tmp_path / name).symlink_to(victim)
    save(paylab.connect(), path)
    assert victim.read_text() == "mine"
    assert path.is_file()
    assert mode(path) == (0o600 if private else 0o644)


def test_links_stay_links_and_others_are_refused(tmp_path):
    """The target of a link is replaced and the link stays; a link to no file is refused."""
    (tmp_path / "planted").symlink_to(tmp_path / "elsewhere")
    refused = pytest.raises(ConfigError, match="elsewhere, which does not exist")
    with refused, files.replace(tmp_path / "planted") as sink:
        sink.write(b"new")
    assert not (tmp_path / "elsewhere").exists()
    (tmp_path / "real").write_text("old")
    (tmp_path / "link").symlink_to("real")
    with files.replace(tmp_path / "link") as sink:
        sink.write(b"new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_text() == "new"


def not_regular(folder):
    """A pipe, an endless device, a folder and a loop of links, by name."""
    os.mkfifo(folder / "pipe.csv")
    (folder / "loop.csv").symlink_to(folder / "loop.csv")
    return {"pipe": folder / "pipe.csv", "device": "/dev/zero", "folder": folder} | {
        "loop": folder / "loop.csv"
    }


@pytest.mark.parametrize("kind", ["pipe", "device", "folder", "loop"])
@pytest.mark.parametrize(
    "read",
    [
        lambda path: paylab.connect(replay=path).transfers.list().first(),
        lambda path: paylab.connect(service=path),
        lambda path: paylab.connect().probe(calls=path),
        lambda path: paylab.connect().transfers.create_many(str(path)),
        lambda path: paylab.connect().calls.har(str(path)),
        lambda path: profiles.load(Path(path), None, {}),
        paylab.read_csv,
    ],
    ids=["replay", "service", "probe", "payouts", "har", "profiles", "csv"],
)
def test_only_regular_files_are_read_and_written(tmp_path, read, kind):
    """Anything else is refused at once: a pipe may never end, a device fills the memory."""
    with pytest.raises(ConfigError):
        read(not_regular(tmp_path)[kind])


def test_profiles_have_a_limit(tmp_path):
    """A file that could fill the memory is refused."""
    path = tmp_path / "profiles.toml"
    path.write_text("#" * (profiles.PROFILES_SIZE_MAX + 1))
    with pytest.raises(ConfigError, match="has more than 1048576 bytes"):
        profiles.load(path, None, {})
