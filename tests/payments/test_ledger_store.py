"""The ledger's file: its path, its permissions, and the errors when it cannot be used."""

from __future__ import annotations

import sqlite3
import stat
from contextlib import suppress
from random import Random

import pytest
from platformdirs import user_data_path

import paylab
from paylab.errors import ConfigError, LedgerError
from paylab.payments.identity import identity, reference_of
from paylab.payments.ledger import Ledger
from paylab.payments.ledger_store import LedgerStore, ledger_path
from paylab.views.calls import ledger_table

ORDER = (
    *("https://a:443", "account", "/v1/transfers", "identity", "", "key", 0, "no answer"),
    *("2026-03-01T12:00:00.000Z", b"{}", None, "", "10 USD", "fa_1", "inv-1"),
)


def test_written_before_it_is_sent(tmp_path):
    """Another connection sees an order as soon as it is added; every write is synced to disk."""
    store = LedgerStore(tmp_path / "deep" / "ledger.sqlite3")
    made = store.add(*ORDER)
    with sqlite3.connect(tmp_path / "deep" / "ledger.sqlite3") as other:
        assert other.execute("SELECT id, key, state FROM orders").fetchall() == [
            (made.id, "key", "no answer")
        ]
    assert store.find(key="key") == [made]
    pragmas = {"synchronous": 3, "secure_delete": 1, "application_id": 0x7061796F}
    for name, value in (pragmas | {"user_version": 2}).items():
        assert store.file.connection.execute(f"PRAGMA {name}").fetchone() == (value,)


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


def test_a_link_has_the_locks_of_its_file(tmp_path):
    """An order that is under way through one path of the file is so through every other."""
    link = tmp_path / "home" / "mine.sqlite3"
    link.parent.mkdir()
    link.symlink_to(tmp_path / "ledger.sqlite3")
    held = LedgerStore(tmp_path / "ledger.sqlite3").take("key")
    assert LedgerStore(link).take("key") is None
    held.release()
    assert LedgerStore(link).take("key")


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
    assert "no orders" in shown
    assert len(lab.ledger) == 0


def damage(path, statement):
    """Change the file as a bad disk might."""
    with sqlite3.connect(path) as other:
        other.execute("PRAGMA ignore_check_constraints = 1")
        other.execute(statement)
    other.close()


def look(path):
    """Read an order and a quote of a file."""
    store = LedgerStore(path)
    return store.find(identity="identity"), store.terms("a", "q_1")


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE orders SET state = 'opfn'",
        "UPDATE orders SET made = '2O26'",
        "UPDATE orders SET key = x'ff'",
        "UPDATE orders SET label = CAST(x'ff' AS TEXT)",
        "UPDATE orders SET body = NULL",
        "UPDATE quotes SET terms = '{'",
    ],
)
def test_a_damaged_value_is_named(tmp_path, statement):
    """A value that cannot be one of ours is a LedgerError with the file and what to do."""
    path = tmp_path / "ledger.sqlite3"
    store = LedgerStore(path)
    store.add(*ORDER)
    store.note_quote("a", "q_1", {"source_amount": "1"})
    store.close()
    damage(path, statement)
    with pytest.raises(LedgerError, match=r"ledger\.sqlite3.*PAYLAB_LEDGER"):
        look(path)


def test_a_file_with_any_byte_flipped_is_read_or_named(tmp_path):
    """A flipped bit anywhere, or a cut file, is no error of Python, and never an unknown order."""
    path, draw = tmp_path / "ledger.sqlite3", Random(7)
    store = LedgerStore(path)
    store.add(*ORDER)
    store.close()
    whole = path.read_bytes()
    used = [at for at, byte in enumerate(whole) if byte]
    spoiled = [
        whole[:at] + bytes([whole[at] ^ 4]) + whole[at + 1 :] for at in draw.sample(used, 80)
    ]
    for content in [*spoiled, *(whole[:at] for at in (7, 99, 5000, len(whole) - 9))]:
        path.write_bytes(content)
        with suppress(LedgerError):
            assert look(path)[0]


@pytest.mark.parametrize("path", ["nul\0.sqlite3", "n" * 300])
def test_a_path_that_no_system_takes(tmp_path, path):
    """A path with NUL, or a name that is too long, is a LedgerError."""
    with pytest.raises(LedgerError, match="cannot be used"):
        LedgerStore(tmp_path / path)


FIRST = """
CREATE TABLE IF NOT EXISTS entries (
    id INTEGER PRIMARY KEY, service TEXT NOT NULL, path TEXT NOT NULL, name TEXT NOT NULL,
    source TEXT NOT NULL, place TEXT NOT NULL, digest TEXT NOT NULL, body TEXT NOT NULL,
    key TEXT NOT NULL, made TEXT NOT NULL, state TEXT NOT NULL, status INTEGER,
    resource_id TEXT NOT NULL, times INTEGER NOT NULL, deliberate INTEGER NOT NULL
);
CREATE INDEX IF NOT EXISTS by_site ON entries (service, path, name);
CREATE INDEX IF NOT EXISTS by_source ON entries (service, path, source);
"""
SECOND = """
CREATE TABLE entries (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    service TEXT NOT NULL, path TEXT NOT NULL, name TEXT NOT NULL,
    source TEXT NOT NULL, place TEXT NOT NULL, digest TEXT NOT NULL, body TEXT NOT NULL,
    key TEXT NOT NULL, made TEXT NOT NULL, state TEXT NOT NULL, status INTEGER,
    resource_id TEXT NOT NULL, times INTEGER NOT NULL, deliberate INTEGER NOT NULL,
    reference TEXT NOT NULL DEFAULT ''
);
CREATE INDEX IF NOT EXISTS by_site ON entries (service, path, name);
CREATE INDEX IF NOT EXISTS by_source ON entries (service, path, source);
CREATE INDEX IF NOT EXISTS by_digest ON entries (service, path, digest);
CREATE INDEX IF NOT EXISTS by_reference ON entries (service, path, reference);
CREATE INDEX IF NOT EXISTS by_key ON entries (service, path, key);
PRAGMA application_id = 1885436271;
PRAGMA user_version = 1;
"""
BODY = '{"financial_account":{"id":"fa_1"},"source_amount":"5.0","client_reference_id":"a"}'


@pytest.mark.parametrize("schema", [FIRST, SECOND], ids=["first", "second"])
def test_a_ledger_of_an_earlier_version_keeps_its_orders(tmp_path, schema):
    """The orders of an earlier version keep their keys; their identity comes from the body."""
    path = tmp_path / "ledger.sqlite3"
    with sqlite3.connect(path) as old:
        old.executescript(schema)
        for number, (service, state) in enumerate(
            [
                ("https://pay.example 0a", "open"),
                ("https://pay.example 0a", "answered"),
                ("https://pay.example 0a", "given up"),
                ("http://localhost 0a 7f-12", "open"),  # an embedded simulator, which is gone
            ]
        ):
            old.execute(
                "INSERT INTO entries (service, path, name, source, place, digest, body, key, made,"
                " state, resource_id, times, deliberate)"
                " VALUES (?, '/v1/transfers', '', '', '', '', ?, ?, '2026-03-01T12:00:00.000Z',"
                " ?, 'tr_1', 1, 0)",
                (service, BODY, f"key-{number}", state),
            )
    old.close()
    LedgerStore(path).close()
    same = {"financial_account_id": "fa_1", "source_amount": "5", "client_reference_id": "a"}
    kept = LedgerStore(path).find(address="https://pay.example:443", identity=identity(same))
    assert [(one.key, one.state, one.body) for one in kept] == [
        ("key-1", "answered", None),
        ("key-0", "no answer", BODY.encode()),
    ]
    assert {one.reference for one in kept} == {reference_of(same)}
    assert {(one.amount, one.payee, one.label) for one in kept} == {("5.0", "fa_1", "a")}


@pytest.mark.parametrize(("made", "shown"), [(1, "1 order>"), (2, "2 orders>"), (51, "50 orders>")])
def test_the_newest_orders_are_shown(made, shown):
    """Fifty of them, the newest first."""
    store = LedgerStore(None)
    for number in range(made):
        store.add(*ORDER[:-1], f"inv-{number}")
    ledger = Ledger(store, ORDER[0], "account", None, print)
    assert repr(ledger).partition("\n")[0] == f"<ledger in memory, {shown}"
    assert ledger.rows()[0]["reference"] == f"inv-{made - 1}"
