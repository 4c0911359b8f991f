"""Open small SQLite files that are marked with their kind and version."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from .files import create_private


@dataclass(frozen=True)
class Layout:
    """The tables of one kind of file; `mark` is the application_id of files of this kind."""

    mark: int
    version: int
    tables: Sequence[str]


def open_file(path: Path, *, timeout: float = 5.0) -> sqlite3.Connection:
    """Open a private file; threads may share the connection.

    Statements are committed automatically, except between BEGIN and COMMIT.
    """
    create_private(path)
    return sqlite3.connect(path, timeout=timeout, isolation_level=None, check_same_thread=False)


def prepare(connection: sqlite3.Connection, layout: Layout) -> None:
    """Create the tables of a new file.

    Raises sqlite3.DatabaseError for a file of another program or version, which is not changed.
    Two processes may do this at the same time.
    """
    connection.execute("BEGIN")  # read both marks at the same time
    has_layout = _has_layout(connection, layout)
    connection.execute("COMMIT")
    if has_layout:
        return
    connection.execute("BEGIN IMMEDIATE")  # another process may create the tables meanwhile
    try:
        if not _has_layout(connection, layout):
            first_row = connection.execute("SELECT 1 FROM sqlite_master").fetchone()
            if first_row:
                raise sqlite3.DatabaseError("it is a database of another program")
            for table_statement in layout.tables:
                connection.execute(table_statement)
            connection.execute(f"PRAGMA application_id = {layout.mark}")
            connection.execute(f"PRAGMA user_version = {layout.version}")
        connection.execute("COMMIT")
    except BaseException:
        connection.rollback()
        raise


def _has_layout(connection: sqlite3.Connection, layout: Layout) -> bool:
    """Whether the file has this layout; False for a new file, sqlite3.DatabaseError for others."""
    (file_mark,) = connection.execute("PRAGMA application_id").fetchone()
    (file_version,) = connection.execute("PRAGMA user_version").fetchone()
    if file_mark == layout.mark and file_version not in (0, layout.version):
        raise sqlite3.DatabaseError(
            f"its format is {file_version}, this version of paylab reads {layout.version}"
        )
    is_new = file_mark == 0 and file_version == 0
    if file_mark != layout.mark and not is_new:
        raise sqlite3.DatabaseError("it is a database of another program")
    return bool(file_mark and file_version)
