"""The ledger's file: its path, its permissions, and the errors when it cannot be used."""

from __future__ import annotations

import sqlite3
import stat

import pytest
from platformdirs import user_data_path

import paylab
from paylab.errors import ConfigError
from paylab.payments.ledger_store import Entry, LedgerStore, ledger_path
from paylab.views.calls import ledger_table

ORDER = Entry(0, "s", "/v1/transfers", "cell a", "source", "pay()", "digest", "{}", "key", "2026")


def test_written_before_it_is_sent(tmp_path):
    """Another connection sees an entry as soon as it is added; every write is synced to disk."""
    store = LedgerStore(tmp_path / "deep" / "ledger.sqlite3")
    made = store.add(ORDER)
    with sqlite3.connect(tmp_path / "deep" / "ledger.sqlite3") as other:
        assert other.execute("SELECT id, key, state FROM entries").fetchall() == [
            (made.id, "key", "open")
        ]
    assert store._opened.execute("PRAGMA synchronous").fetchone() == (3,)


def test_only_its_owner_reads_it(tmp_path):
    """Only the owner of the file can read and write it."""
    LedgerStore(tmp_path / "ledger.sqlite3").close()
    assert stat.S_IMODE((tmp_path / "ledger.sqlite3").stat().st_mode) == 0o600


@pytest.mark.parametrize("spoil", ["garbage", "folder", "below a file"])
def test_a_file_that_cannot_be_used(tmp_path, spoil):
    """An unusable path raises ConfigError, which names PAYLAB_LEDGER; its file is not changed."""
    path = tmp_path / "ledger.sqlite3"
    if spoil == "folder":
        path.mkdir()
    else:
        path.write_bytes(b"not a database" * 100)
    asked = path / "x.sqlite3" if spoil == "below a file" else path
    with pytest.raises(ConfigError, match=r"PAYLAB_LEDGER to another file"):
        LedgerStore(asked)
    assert [*tmp_path.rglob("*")] == [path]
    assert spoil == "folder" or path.read_bytes() == b"not a database" * 100


@pytest.mark.parametrize(
    ("given", "variable", "shown"),
    [
        (None, None, "in memory"),
        (None, "none", None),
        ("none", None, None),
        ("none", "a.sqlite3", None),
        (None, "", "in memory"),
        (None, "a.sqlite3", "a.sqlite3"),
        ("b.sqlite3", None, "b.sqlite3"),
        ("b.sqlite3", "a.sqlite3", "b.sqlite3"),
        ("b.sqlite3", "none", "b.sqlite3"),
    ],
)
def test_where_it_is(tmp_path, monkeypatch, given, variable, shown):
    """`ledger=` overrides PAYLAB_LEDGER; the default for an embedded simulator is in memory."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("PAYLAB_LEDGER", raising=False)
    if variable is not None:
        monkeypatch.setenv("PAYLAB_LEDGER", variable)
    ledger = paylab.connect(ledger=given).ledger
    assert getattr(ledger, "path", None) == shown
    assert {file.name for file in tmp_path.iterdir()} == {shown} - {None, "in memory"}


def test_the_usual_place():
    """The default path is in the user's data directory."""
    assert ledger_path().name == "ledger.sqlite3"
    assert user_data_path("paylab", appauthor=False) in ledger_path().parents


def test_no_file_before_it_is_needed(tmp_path):
    """Reading a list creates no ledger file."""
    lab = paylab.connect(ledger=tmp_path / "ledger.sqlite3")
    lab.transfers.list(limit=1).first()
    assert not [*tmp_path.iterdir()]


def test_shown_as_a_table(tmp_path):
    """The table of an empty ledger shows the path of its file."""
    lab = paylab.connect(ledger=tmp_path / "ledger.sqlite3")
    shown = ledger_table(lab.ledger)
    assert str(tmp_path) in shown
    assert "no entries" in shown
    assert len(lab.ledger) == 0
