"""SQLite files are opened only if they have the right kind and version; others are unchanged."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest

from paylab.errors import PaylabError
from paylab.simulator.simulator import Simulator


def test_a_file_of_another_program_is_refused_and_left_alone(tmp_path):
    """A file of another program gives a clear error and is not changed."""
    path = tmp_path / "file.db"
    with closing(sqlite3.connect(path)) as file:
        file.execute("CREATE TABLE notes (text TEXT)")
    before = path.read_bytes()
    with pytest.raises(PaylabError, match="database of another program"):
        Simulator(data=path)
    assert path.read_bytes() == before


def test_a_file_of_a_later_version_is_refused(tmp_path):
    """The error names both version numbers."""
    path = tmp_path / "file.db"
    Simulator(data=path).close()
    with closing(sqlite3.connect(path)) as file:
        file.execute("PRAGMA user_version = 9")
    with pytest.raises(PaylabError, match=r"its format is 9, this version of paylab reads \d"):
        Simulator(data=path)
