"""The state on disk: a file that survives a crash, and a snapshot that can be shared."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

from .. import sqlite
from ..errors.base import ConfigError, SimulatorError
from ..files import replace
from ..redaction.personal import find_personal_names, hide_personal_data, hide_url_secrets
from ..redaction.redaction import Redaction
from ..spec.service.service import Service
from ..spec.text import JsonObject
from .world import ID_PREFIX_BY_KIND, World

_WHOLE_FLOAT = re.compile(r"(?<=\d)\.0\b")


def checksum(dump: JsonObject) -> str:
    """A checksum that ignores white space and the order of keys.

    Whole floats count as integers: some programs write 1.0 as 1.
    """
    dump_text = json.dumps(dump, sort_keys=True)
    return sha256(_WHOLE_FLOAT.sub("", dump_text).encode()).hexdigest()


def write_file(snapshot: JsonObject, path: Path, *, keep_personal: bool = False) -> None:
    """Write a snapshot without document numbers, personal data and the secrets in webhook URLs."""
    shared_dump = {
        member_name: member_value
        for member_name, member_value in snapshot.items()
        if member_name != "checksum"
    }
    personal_names = find_personal_names(Service(shared_dump.get("service", {})).diff())
    shared_dump = hide_url_secrets(Redaction([], personal_names).json(shared_dump))
    if not keep_personal:
        shared_dump = hide_personal_data(shared_dump, personal_names)
    file_text = json.dumps(
        {**shared_dump, "checksum": checksum(shared_dump)}, indent=1, ensure_ascii=False
    )
    with replace(path, private=True) as private_file:
        private_file.write(f"{file_text}\n".encode())


def read_file(path: Path) -> JsonObject:
    """Read a snapshot from a file. SimulatorError if it is not one."""
    try:
        snapshot = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        reason = (error.strerror if isinstance(error, OSError) else None) or str(error)
        raise SimulatorError(f"{path} cannot be read as a saved world: {reason}") from None
    if not isinstance(snapshot, dict) or "paylab_snapshot" not in snapshot:
        raise SimulatorError(f"{path} is not a saved world: save one with lab.simulator.save(path)")
    return snapshot


TABLES = (
    "CREATE TABLE rows (kind TEXT, id TEXT, body TEXT, PRIMARY KEY (kind, id))",
    "CREATE TABLE facts (name TEXT PRIMARY KEY, body TEXT)",
)


LAYOUT = sqlite.Layout(0x7061796C, 1, TABLES)
ROWS_PER_BATCH = 1_000
"""Rows that are parsed together: they share the text of their keys."""

PUT_ROW = """
INSERT INTO rows VALUES (?, ?, ?) ON CONFLICT (kind, id) DO UPDATE SET body = excluded.body
"""  # a changed row keeps its position


class UnusableFileError(SimulatorError, ConfigError):
    """A file that cannot hold the data of a simulator."""


class WorldStorage:
    """The file of a world, locked while a simulator uses it."""

    def __init__(self, path: Path) -> None:
        """Open the file and lock it; UnusableFileError if that is not possible."""
        self._path = path
        try:
            # Only its owner may read the file, which contains document numbers.
            self._db = sqlite.open_file(path, timeout=0.5)
        except (sqlite3.Error, OSError) as error:
            raise self._make_unusable_error(error) from None
        try:
            self._db.execute("PRAGMA locking_mode = EXCLUSIVE")
            sqlite.prepare(self._db, LAYOUT)
            self._db.execute("PRAGMA journal_mode = WAL")
            self._db.executescript("BEGIN IMMEDIATE; COMMIT")  # locks the file
        except sqlite3.Error as error:
            self.close()
            raise self._make_unusable_error(error) from None

    def load(self, world: World) -> bool:
        """Load the world from the file. False when the file is new."""
        try:
            fact_rows = self._db.execute("SELECT * FROM facts")
            fact_by_name = {fact_name: json.loads(fact_text) for fact_name, fact_text in fact_rows}
            if not fact_by_name:
                return False
            problem_text = world.service_problem(fact_by_name.get("service", {}))
            if problem_text is not None:
                self.close()
                raise SimulatorError(f"{self._path} was {problem_text}, or use another file")
            world.load({**fact_by_name, "tables": self._read_tables()})
            world.key_seed = fact_by_name["key_seed"]
        except (sqlite3.Error, ValueError, KeyError, TypeError, AttributeError) as error:
            self.close()
            raise self._make_unusable_error(error) from None
        world.dirty.clear()
        return True

    def _read_tables(self) -> dict[str, list[object]]:
        """The rows of each kind, in the order of storage."""
        rows_by_kind: dict[str, list[object]] = {row_kind: [] for row_kind in ID_PREFIX_BY_KIND}
        stored_rows = self._db.execute("SELECT kind, body FROM rows ORDER BY rowid")
        while row_batch := stored_rows.fetchmany(ROWS_PER_BATCH):
            # Many rows are parsed faster as one JSON list than one by one.
            rows_text = ",".join(row_text for _, row_text in row_batch)
            table_rows = json.loads(f"[{rows_text}]")
            for (row_kind, _), table_row in zip(row_batch, table_rows, strict=True):
                rows_by_kind[row_kind].append(table_row)
        return rows_by_kind

    def save(self, world: World) -> None:
        """Write all changes in one transaction. SimulatorError when that fails."""
        fact_by_name = {
            "seed": world.seed,
            "key_seed": world.key_seed,  # a snapshot may have another seed, but no keys
            "clock": world.clock.dump(),
            "counters": world.counters,
            "service": world.changed_settings,
        }
        try:
            with self._db:
                self._db.execute("BEGIN IMMEDIATE")
                self._db.executemany(
                    "DELETE FROM rows WHERE kind = ? AND id = ?", _list_removed_rows(world)
                )
                self._db.executemany(PUT_ROW, _write_changed_rows(world))
                fact_rows = [
                    (fact_name, json.dumps(fact_value))
                    for fact_name, fact_value in fact_by_name.items()
                ]
                self._db.executemany("INSERT OR REPLACE INTO facts VALUES (?, ?)", fact_rows)
        except sqlite3.Error as error:
            raise SimulatorError(f"{self._path} cannot be written: {error}") from None
        world.dirty.clear()

    def close(self) -> None:
        """Release the file."""
        self._db.close()

    def _make_unusable_error(self, error: Exception) -> UnusableFileError:
        """The error for a file that cannot be used, such as one of another simulator."""
        reason_text = "another simulator is using it" if "locked" in str(error) else str(error)
        return UnusableFileError(
            f"{self._path} cannot be used for the simulator's data: {reason_text}"
        )


def _list_removed_rows(world: World) -> Iterator[tuple[str, str]]:
    """The kind and id of each row that the world does not have any more."""
    for table_kind, row_ids in world.dirty.items():
        row_by_id = world.tables[table_kind].rows
        for row_id in row_ids:
            if row_id not in row_by_id:
                yield table_kind, row_id


def _write_changed_rows(world: World) -> Iterator[tuple[str, str, str]]:
    """The kind, id and JSON text of each new or changed row, one at a time to save memory."""
    for table_kind, row_ids in world.dirty.items():
        row_by_id = world.tables[table_kind].rows
        for row_id in row_ids:
            if row_id in row_by_id:
                yield table_kind, row_id, json.dumps(row_by_id[row_id])
