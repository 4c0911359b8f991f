"""Open small SQLite files that are marked with their kind and version."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from threading import RLock
from typing import Any

from . import forks
from .files import create_private


@dataclass(frozen=True)
class Layout:
    """The tables of one kind of file.

    `mark` is the application_id of files of this kind. `adopt` returns the upgrade of a file with
    tables that an earlier paylab may have made: without mark or version, or of one of the versions
    in `earlier`; None for a file of another program.
    """

    mark: int
    version: int
    tables: Sequence[str]
    adopt: Callable[[sqlite3.Connection], Sequence[str] | None] = lambda _: None
    earlier: frozenset[int] = frozenset()


def open_file(path: Path | None, *, timeout: float = 5.0) -> sqlite3.Connection:
    """Open a private file, or a database in memory; threads may share the connection.

    Statements are committed automatically, except between BEGIN and COMMIT.
    """
    if path is not None:
        create_private(path)
    return sqlite3.connect(
        path or ":memory:", timeout=timeout, isolation_level=None, check_same_thread=False
    )


def prepare(connection: sqlite3.Connection, layout: Layout) -> None:
    """Create the tables of a new file, or upgrade one of an earlier paylab.

    Raises sqlite3.DatabaseError for a file of another program or version, which is not changed.
    Two processes may do this at the same time.
    """
    connection.execute("BEGIN")  # read both marks at the same time
    ready = _is_ready(connection, layout)
    connection.execute("COMMIT")
    if ready:
        return
    connection.execute("BEGIN IMMEDIATE")
    try:
        if not _is_ready(connection, layout):
            has_tables = connection.execute("SELECT 1 FROM sqlite_master").fetchone()
            statements = layout.adopt(connection) if has_tables else layout.tables
            if statements is None:
                raise sqlite3.DatabaseError("it is a database of another program")
            for statement in statements:
                connection.execute(statement)
            connection.execute(f"PRAGMA application_id = {layout.mark}")
            connection.execute(f"PRAGMA user_version = {layout.version}")
        connection.execute("COMMIT")
    except BaseException:
        connection.rollback()
        raise


def _is_ready(connection: sqlite3.Connection, layout: Layout) -> bool:
    """Whether the file has this layout; sqlite3.DatabaseError for another one."""
    mark, version = (
        connection.execute(f"PRAGMA {name}").fetchone()[0]
        for name in ("application_id", "user_version")
    )
    if mark == layout.mark and version in layout.earlier:
        return False
    if mark == layout.mark and version not in (0, layout.version):
        raise sqlite3.DatabaseError(
            f"its format is {version}, this version of paylab reads {layout.version}"
        )
    if mark not in (0, layout.mark) or (mark == 0 and version):
        raise sqlite3.DatabaseError("it is a database of another program")
    return bool(mark and version)


class Store:
    """A file with a layout, or memory, that threads share and that a forked child opens again.

    Every write is on disk when it returns. `fail` makes the error to raise from an error of SQLite
    or of the system; `busy` are the seconds to wait for another process that writes.
    """

    lock = RLock()
    """Held while a connection is used: SQLite must be idle when the process forks."""

    def __init__(
        self, path: Path | None, layout: Layout, fail: Callable[[Exception], Exception], busy: float
    ) -> None:
        self.path, self._layout, self._fail, self._busy = path, layout, fail, busy
        self.connection: sqlite3.Connection | None = self._connect()
        forks.register(self, Store._forget)

    def _forget(self) -> None:
        self.connection = None

    def _connect(self) -> sqlite3.Connection:
        with self.lock:
            try:
                if self.path is not None:
                    self.path.parent.mkdir(parents=True, exist_ok=True)
                connection = open_file(self.path, timeout=self._busy)
                try:
                    connection.execute("PRAGMA synchronous = EXTRA")
                    connection.execute("PRAGMA secure_delete = ON")
                    prepare(connection, self._layout)
                    [found] = connection.execute("PRAGMA integrity_check(1)").fetchone()
                    if found != "ok":
                        raise damage(found)
                except BaseException:
                    connection.close()
                    raise
            except (OSError, ValueError, sqlite3.Error) as error:
                raise self._fail(error) from None
        return connection

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Read and write without another writer in between, in this process or another."""
        with self.lock:
            self.execute("BEGIN IMMEDIATE")
            try:
                yield
                self.execute("COMMIT")
            except BaseException:
                if self.connection is not None:
                    with suppress(sqlite3.Error):
                        self.connection.rollback()
                raise

    def execute(self, sql: str, given: Iterable[Any] = ()) -> sqlite3.Cursor:
        """Run a statement."""
        with self.lock:
            try:
                if self.connection is None:
                    self.connection = self._connect()
                return self.connection.execute(sql, tuple(given))
            except (sqlite3.Error, UnicodeError) as error:
                raise self._fail(error) from None

    def rows(self, sql: str, given: Iterable[Any] = ()) -> list[tuple[Any, ...]]:
        """All rows of a query."""
        with self.lock:
            try:
                return self.execute(sql, given).fetchall()
            except sqlite3.Error as error:  # of a page that is read only now
                raise self._fail(error) from None

    def close(self) -> None:
        """Close the file."""
        if self.connection is not None:
            self.connection.close()


forks.register(Store, lock=Store.lock)


def damage(what: str) -> sqlite3.DatabaseError:
    """The error of a file whose content is not as it was written."""
    error = sqlite3.DatabaseError(what)
    error.sqlite_errorcode = sqlite3.SQLITE_CORRUPT
    return error


def is_damage(error: Exception) -> bool:
    """Whether an error says that the content of a file is not as it was written."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF == sqlite3.SQLITE_CORRUPT
