"""A world in a file: SQLite, one transaction a request, so that what was answered survives."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

from ..errors import SimulatorError
from .world import KINDS, World

SCHEMA = """
PRAGMA journal_mode = WAL;
CREATE TABLE IF NOT EXISTS rows (kind TEXT, id TEXT, body TEXT, PRIMARY KEY (kind, id));
CREATE TABLE IF NOT EXISTS facts (name TEXT PRIMARY KEY, body TEXT);
"""


class Storage:
    """The file behind a world. One simulator at a time: the file is locked while it is open."""

    def __init__(self, path: Path) -> None:
        try:
            self._db = sqlite3.connect(path, check_same_thread=False, isolation_level=None)
            self._db.execute("PRAGMA locking_mode = EXCLUSIVE")
            self._db.executescript(SCHEMA)
        except sqlite3.Error as error:
            message = f"{path} cannot be used for the simulator's data: {error}"
            raise SimulatorError(message) from None

    def load(self, world: World) -> bool:
        """Fill the world from the file; False when the file is new."""
        facts = {name: json.loads(body) for name, body in self._db.execute("SELECT * FROM facts")}
        if not facts:
            return False
        tables: dict[str, list[object]] = {kind: [] for kind in KINDS}
        for kind, body in self._db.execute("SELECT kind, body FROM rows ORDER BY rowid"):
            tables[kind].append(json.loads(body))
        world.load({**facts, "tables": tables})
        world.dirty.clear()
        return True

    def save(self, world: World) -> None:
        """Write everything that changed, all or nothing."""
        changed = [
            (kind, row_id, world.tables[kind].rows.get(row_id)) for kind, row_id in world.dirty
        ]
        kept = [(kind, row_id, json.dumps(row)) for kind, row_id, row in changed if row is not None]
        gone = [(kind, row_id) for kind, row_id, row in changed if row is None]
        facts = {"seed": world.seed, "clock": world.clock.saved(), "counters": world.counters}
        with self._db:
            self._db.execute("BEGIN IMMEDIATE")
            self._db.executemany("DELETE FROM rows WHERE kind = ? AND id = ?", gone)
            self._db.executemany("INSERT OR REPLACE INTO rows VALUES (?, ?, ?)", kept)
            texts = [(name, json.dumps(value)) for name, value in facts.items()]
            self._db.executemany("INSERT OR REPLACE INTO facts VALUES (?, ?)", texts)
        world.dirty.clear()

    def close(self) -> None:
        """Let go of the file."""
        self._db.close()
