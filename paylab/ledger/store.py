"""The entries of the ledger in SQLite: each is on the disk before anything is sent."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from threading import Lock

from platformdirs import user_data_path

from ..errors import ConfigError
from ..files import create_private

OPEN, ANSWERED, REFUSED, GIVEN_UP = "open", "answered", "refused", "given up"
"""Written and perhaps sent; carried out; not carried out; nobody will ever know."""

_COLUMNS = (
    *("id", "service", "path", "name", "source", "place", "digest", "body", "key", "made"),
    *("state", "status", "resource_id", "times", "deliberate"),
)
_SCHEMA = """
CREATE TABLE IF NOT EXISTS entries (
    id INTEGER PRIMARY KEY, service TEXT NOT NULL, path TEXT NOT NULL, name TEXT NOT NULL,
    source TEXT NOT NULL, place TEXT NOT NULL, digest TEXT NOT NULL, body TEXT NOT NULL,
    key TEXT NOT NULL, made TEXT NOT NULL, state TEXT NOT NULL, status INTEGER,
    resource_id TEXT NOT NULL, times INTEGER NOT NULL, deliberate INTEGER NOT NULL
);
CREATE INDEX IF NOT EXISTS by_site ON entries (service, path, name);
CREATE INDEX IF NOT EXISTS by_source ON entries (service, path, source);
"""


@dataclass(frozen=True)
class Entry:
    """One order: where it was made, its body's hash, its key, and how it ended."""

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


class Store:
    """A table of entries, in a file or in memory."""

    def __init__(self, path: Path | None) -> None:
        self.path = path
        self._lock = Lock()
        self._connection = _connect(path)

    def add(self, entry: Entry) -> Entry:
        """Write an entry; it is on the disk when this returns."""
        values = [getattr(entry, column) for column in _COLUMNS[1:]]
        marks = ", ".join("?" * len(values))
        sql = f"INSERT INTO entries ({', '.join(_COLUMNS[1:])}) VALUES ({marks})"  # noqa: S608
        with self._lock, self._connection:
            number = self._connection.execute(sql, values).lastrowid
        return Entry(int(number or 0), *values)

    def change(self, number: int, **values: object) -> None:
        """Change columns of an entry."""
        sets = ", ".join(f"{column} = ?" for column in values)
        sql = f"UPDATE entries SET {sets} WHERE id = ?"  # noqa: S608 - our own column names
        with self._lock, self._connection:
            self._connection.execute(sql, [*values.values(), number])

    def at(self, service: str, path: str, name: str, source: str) -> list[Entry]:
        """The entries of a site, oldest first."""
        where = "service = ? AND path = ? AND (name = ? OR source = ?)"
        return self._read(f"WHERE {where} ORDER BY id", (service, path, name, source))

    def latest(self, service: str, count: int) -> list[Entry]:
        """The newest entries of a service, newest first."""
        return self._read("WHERE service = ? ORDER BY id DESC LIMIT ?", (service, count))

    def _read(self, rest: str, values: Iterable[object]) -> list[Entry]:
        sql = f"SELECT {', '.join(_COLUMNS)} FROM entries {rest}"  # noqa: S608 - our own words
        with self._lock:
            return [Entry(*row) for row in self._connection.execute(sql, tuple(values))]

    def close(self) -> None:
        """Let go of the file."""
        self._connection.close()


def default_path() -> Path:
    """Where the ledger lives on this system."""
    return user_data_path("paylab", appauthor=False) / "ledger.sqlite3"


def open_store(path: Path | None) -> Store:
    """The ledger's file, made if it is not there; ConfigError when it cannot be used."""
    try:
        return Store(path)
    except (OSError, sqlite3.Error) as error:
        reason = "name another with PAYLAB_LEDGER, or `none` to do without"
        raise ConfigError(f"the ledger {path} cannot be used: {error}; {reason}") from None


def _connect(path: Path | None) -> sqlite3.Connection:
    if path is not None:
        path.parent.mkdir(parents=True, exist_ok=True)
        create_private(path)  # only its owner need read what was paid to whom
    connection = sqlite3.connect(path or ":memory:", timeout=30, check_same_thread=False)
    connection.execute("PRAGMA synchronous = EXTRA")
    connection.executescript(_SCHEMA)
    return connection
