"""A world in a file: SQLite, one transaction a request, so that what was answered survives."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

from ..errors import SimulatorError
from ..files import create_private
from .world import KINDS, World

MARK = 0x7061796C
"""Written into the file, so that no other program's database is taken for ours."""

VERSION = 1
"""The layout of the file; files without a number have this one too."""

SCHEMA = f"""
PRAGMA journal_mode = WAL;
BEGIN;
PRAGMA application_id = {MARK};
PRAGMA user_version = {VERSION};
CREATE TABLE rows (kind TEXT, id TEXT, body TEXT, PRIMARY KEY (kind, id));
CREATE TABLE facts (name TEXT PRIMARY KEY, body TEXT);
COMMIT;
"""
PUT_ROW = """
INSERT INTO rows VALUES (?, ?, ?) ON CONFLICT (kind, id) DO UPDATE SET body = excluded.body
"""  # a row that changed keeps its place in the order of creation


class Storage:
    """The file behind a world. One simulator at a time: the file is locked while it is open."""

    def __init__(self, path: Path) -> None:
        self._path = path
        try:
            create_private(path)  # document numbers are in it
            self._db = sqlite3.connect(path, timeout=0.5, check_same_thread=False)
            self._db.isolation_level = None
            self._db.execute("PRAGMA locking_mode = EXCLUSIVE")
            self._prepare()
        except (sqlite3.Error, OSError) as error:
            raise self._unusable(error) from None

    def load(self, world: World) -> bool:
        """Fill the world from the file; False when the file is new."""
        try:
            facts = {name: json.loads(body) for name, body in self._all("SELECT * FROM facts")}
            if not facts:
                return False
            tables: dict[str, list[object]] = {kind: [] for kind in KINDS}
            for kind, body in self._all("SELECT kind, body FROM rows ORDER BY rowid"):
                tables[kind].append(json.loads(body))
            world.load({**facts, "tables": tables})
            world.key_seed = facts["key_seed"]
        except (sqlite3.Error, ValueError, KeyError, TypeError, AttributeError) as error:
            self.close()
            raise self._unusable(error) from None
        world.dirty.clear()
        return True

    def save(self, world: World) -> None:
        """Write everything that changed, all or nothing; SimulatorError when it cannot be."""
        changed = [
            (kind, row_id, world.tables[kind].rows.get(row_id)) for kind, row_id in world.dirty
        ]
        kept = [(kind, row_id, json.dumps(row)) for kind, row_id, row in changed if row is not None]
        gone = [(kind, row_id) for kind, row_id, row in changed if row is None]
        facts = {
            "seed": world.seed,
            "key_seed": world.key_seed,  # a snapshot may bring another seed, never other keys
            "clock": world.clock.saved(),
            "counters": world.counters,
        }
        try:
            with self._db:
                self._db.execute("BEGIN IMMEDIATE")
                self._db.executemany("DELETE FROM rows WHERE kind = ? AND id = ?", gone)
                self._db.executemany(PUT_ROW, kept)
                texts = [(name, json.dumps(value)) for name, value in facts.items()]
                self._db.executemany("INSERT OR REPLACE INTO facts VALUES (?, ?)", texts)
        except sqlite3.Error as error:
            raise SimulatorError(f"{self._path} cannot be written: {error}") from None
        world.dirty.clear()

    def close(self) -> None:
        """Let go of the file."""
        self._db.close()

    def _all(self, query: str) -> sqlite3.Cursor:
        return self._db.execute(query)

    def _prepare(self) -> None:
        """Lay out a new file, and take hold of it; leave another program's alone."""
        [mark] = self._all("PRAGMA application_id").fetchone()
        [tables] = self._all("SELECT count(*) FROM sqlite_master").fetchone()
        if not tables:
            self._db.executescript(SCHEMA)
        elif mark != MARK:
            raise sqlite3.DatabaseError("it is a database of another program")
        [version] = self._all("PRAGMA user_version").fetchone()
        if version > VERSION:
            text = f"its format is {version}, this version of paylab reads {VERSION}"
            raise sqlite3.DatabaseError(text)
        self._db.executescript("BEGIN IMMEDIATE; COMMIT")

    def _unusable(self, error: Exception) -> SimulatorError:
        reason = str(error)
        if "locked" in reason:
            reason = "another simulator is using it"
        return SimulatorError(f"{self._path} cannot be used for the simulator's data: {reason}")
