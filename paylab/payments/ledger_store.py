"""The order ledger's file, and the messages about an order that was made before."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from threading import RLock
from typing import Any

from platformdirs import user_data_path

from .. import forks, sqlite
from ..errors import ChoiceError, LedgerError

OPEN, ANSWERED, REFUSED, GIVEN_UP = "open", "answered", "refused", "given up"
"""States: written and possibly sent; carried out; not carried out; outcome unknown."""

BUSY_SECONDS = 30.0
"""How long to wait for another process that writes to the ledger."""

_COLUMNS = (
    *("id", "service", "path", "name", "source", "place", "digest", "body", "key", "made"),
    *("state", "status", "resource_id", "times", "deliberate", "reference"),
)
_TABLE = """
CREATE TABLE entries (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    service TEXT NOT NULL, path TEXT NOT NULL, name TEXT NOT NULL,
    source TEXT NOT NULL, place TEXT NOT NULL, digest TEXT NOT NULL, body TEXT NOT NULL,
    key TEXT NOT NULL, made TEXT NOT NULL, state TEXT NOT NULL, status INTEGER,
    resource_id TEXT NOT NULL, times INTEGER NOT NULL, deliberate INTEGER NOT NULL,
    reference TEXT NOT NULL DEFAULT ''
)
"""
_INDEXES = (
    "CREATE INDEX IF NOT EXISTS by_site ON entries (service, path, name)",
    "CREATE INDEX IF NOT EXISTS by_source ON entries (service, path, source)",
    "CREATE INDEX IF NOT EXISTS by_digest ON entries (service, path, digest)",
    "CREATE INDEX IF NOT EXISTS by_reference ON entries (service, path, reference)",
    "CREATE INDEX IF NOT EXISTS by_key ON entries (service, path, key)",
)
# A ledger without a version, from an earlier paylab: its keys are still valid.
_UPGRADE = (
    "ALTER TABLE entries ADD COLUMN reference TEXT NOT NULL DEFAULT ''",
    "UPDATE entries SET reference = named(json_extract(body, '$.client_reference_id'))"
    " WHERE json_valid(body)",
)


def _adopt(connection: sqlite3.Connection) -> tuple[str, ...] | None:
    """Upgrade a ledger of the first version, which has no references; its keys stay valid."""
    ours = sqlite.tables_of(connection) <= {"entries", "by_site", "by_source"}
    if ours and sqlite.columns_of(connection, "entries") == {*_COLUMNS} - {"reference"}:
        return (*_UPGRADE, *_INDEXES)
    return None


LAYOUT = sqlite.Layout(0x7061796F, 1, (_TABLE, *_INDEXES), _adopt)
_LOCK = RLock()
"""Held while a connection is used: SQLite must be idle when the process forks."""

ELSEWHERE = "set PAYLAB_LEDGER to another file, or to `none` for no ledger"


def named(reference: object) -> str:
    """The digest under which a client_reference_id is stored; "" for none."""
    return sha256(str(reference).encode(errors="replace")).hexdigest() if reference else ""


@dataclass(frozen=True)
class Entry:
    """One order: its site, the hash of its body, its key and its outcome."""

    id: int
    service: str
    path: str
    name: str
    source: str
    place: str
    digest: str
    body: str
    key: str
    made: str
    state: str = OPEN
    status: int | None = None
    resource_id: str = ""
    times: int = 1
    deliberate: bool = False
    reference: str = ""


class LedgerStore:
    """A table of entries, in a file or in memory."""

    lock = _LOCK
    """Locks out the other threads of this process."""

    def __init__(self, path: Path | None, busy: float = BUSY_SECONDS) -> None:
        self.path, self._busy = path, busy
        self._opened: sqlite3.Connection | None = self._connect()
        forks.register(self, LedgerStore._forget)

    def _forget(self) -> None:
        """Drop the connection in a forked child, which opens its own."""
        self._opened = None

    def _connect(self) -> sqlite3.Connection:
        with self.lock:
            try:
                if self.path is not None:
                    self.path.parent.mkdir(parents=True, exist_ok=True)
                connection = sqlite.open_file(self.path, timeout=self._busy)
                try:
                    connection.execute("PRAGMA synchronous = EXTRA")
                    connection.create_function("named", 1, named)
                    sqlite.prepare(connection, LAYOUT)
                except BaseException:
                    connection.close()
                    raise
            except (OSError, sqlite3.Error) as error:
                raise self._unusable(error) from None
        return connection

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Read and write without another writer in between."""
        with self.lock:
            self._execute("BEGIN IMMEDIATE")
            try:
                yield
                self._execute("COMMIT")
            except BaseException:
                if self._opened is not None:
                    with suppress(sqlite3.Error):
                        self._opened.rollback()
                raise

    def add(self, entry: Entry) -> Entry:
        """Store an entry; on disk when this, or the surrounding transaction, returns."""
        values = [getattr(entry, column) for column in _COLUMNS[1:]]
        marks = ", ".join("?" * len(values))
        sql = f"INSERT INTO entries ({', '.join(_COLUMNS[1:])}) VALUES ({marks})"  # noqa: S608
        with self.lock:
            number = self._execute(sql, values).lastrowid
        return Entry(int(number or 0), *values)

    def change(self, number: int, where: str = "1", **values: object) -> None:
        """Change columns of an entry if it still has the values of `where`."""
        sets = ", ".join(f"{column} = ?" for column in values)
        sql = f"UPDATE entries SET {sets} WHERE id = ? AND {where}"  # noqa: S608 - our own words
        with self.lock:
            self._execute(sql, [*values.values(), number])

    def find(self, where: str, *values: object, rest: str = "ORDER BY id") -> list[Entry]:
        """The entries for which an SQL condition holds, oldest first."""
        columns = ", ".join(_COLUMNS)
        sql = f"SELECT {columns} FROM entries WHERE {where} {rest}"  # noqa: S608 - our own words
        with self.lock:
            return [Entry(*row) for row in self._execute(sql, values)]

    def _execute(self, sql: str, values: Iterable[Any] = ()) -> sqlite3.Cursor:
        try:
            if self._opened is None:
                self._opened = self._connect()
            return self._opened.execute(sql, tuple(values))
        except sqlite3.Error as error:
            raise self._unusable(error) from None

    def _unusable(self, error: Exception) -> LedgerError:
        """The error that names the file and what to do."""
        where = self.path or "in memory"
        return LedgerError(f"the ledger {where} cannot be used: {error}; {ELSEWHERE}")

    def close(self) -> None:
        """Close the file."""
        if self._opened is not None:
            self._opened.close()


forks.register(LedgerStore, lock=_LOCK)


def ledger_path() -> Path:
    """The default path of the ledger on this system."""
    return user_data_path("paylab", appauthor=False) / "ledger.sqlite3"


LOST = (
    "it may have been carried out: run it again unchanged to send the same Idempotency-Key, so "
    "that it happens once; lab.ledger shows the key"
)


def again(entry: Entry) -> str:
    """The message about an order that keeps its key."""
    if entry.state == OPEN:
        return (
            f"this was sent before ({entry.made}) without a response: sending it again with the "
            "same Idempotency-Key, so that it happens once"
        )
    return (
        f"this made {entry.resource_id} before ({entry.made}): returning that and making "
        "nothing new; new=True makes another"
    )


def edited(entry: Entry, body: str, who: str = "this cell") -> ChoiceError:
    """The error for an order that differs from the earlier one made by `who`."""
    made = entry.resource_id or "something without a response"
    change = _change(entry.body, body)
    what = f"not sent: {who} made {made} at {entry.made} with another body ({change})"
    hint = (
        "new=True sends it as another payment; "
        f"idempotency_key={entry.key!r} sends it with the earlier key, which the service "
        "refuses with 409; restore the old value to see what was made"
    )
    return ChoiceError(what, hint)


def too_late(entry: Entry) -> ChoiceError:
    """The error for an order so old that the service may have dropped its key."""
    if entry.state == OPEN:
        what = f"not sent: sent before ({entry.made}) without a response, and its key has expired"
        hint = "check the list for it; new=True sends it as another payment"
        return ChoiceError(what, hint, expired="")
    what = f"not sent: this made {entry.resource_id} at {entry.made}, and its key has expired"
    hint = f"get {entry.resource_id!r} to see it; new=True sends it as another payment"
    return ChoiceError(what, hint, expired=entry.resource_id)


def unnoted(key: str, resource_id: str, reason: str) -> LedgerError:
    """The error when the payment was made but the ledger could not be written."""
    made = resource_id or "something without an id"
    what = f"the payment was made: {made}, with Idempotency-Key {key}; but {reason}"
    hint = f"do not send it as a new payment; idempotency_key={key!r} returns it again"
    return LedgerError(what, hint, made=resource_id, key=key)


def fields_of(body: str) -> dict[str, Any] | None:
    """The fields of a stored body; None if it is not a JSON object."""
    try:
        found = json.loads(body)
    except ValueError:
        return None
    return found if isinstance(found, dict) else None


def payee(body: str) -> object:
    """The recipient's account in a body, if there is one."""
    fields = fields_of(body)
    return body if fields is None else [fields.get(name) for name in PAYEE]


PAYEE = ("financial_account", "individual_id", "payout_account")


def _change(before: str, after: str) -> str:
    """The fields that differ, each with both values."""
    old, new = fields_of(before), fields_of(after)
    if old is None or new is None:
        return "it differs"
    names = [name for name in {**old, **new} if old.get(name) != new.get(name)]
    changes = [f"{name}: {old.get(name)} -> {new.get(name)}" for name in names]
    return ", ".join(changes) or "it differs"
