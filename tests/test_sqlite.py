"""SQLite files are opened only if they have the right kind and version; others are unchanged."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest

import paylab
from paylab.errors import PaylabError
from paylab.payments.ledger_store import LedgerStore
from paylab.simulator.simulator import Simulator

OPENERS = {
    "ledger": LedgerStore,
    "world": lambda path: Simulator(data=path),
}


@pytest.mark.parametrize("kind", OPENERS)
@pytest.mark.parametrize("other", OPENERS)
def test_a_file_of_another_kind_is_refused_and_left_alone(tmp_path, kind, other):
    """A file of another kind gives a clear error and is not changed."""
    path = tmp_path / "file.db"
    OPENERS[other](path).close()
    if kind == other:
        OPENERS[kind](path).close()
        return
    before = path.read_bytes()
    with pytest.raises(PaylabError, match="database of another program"):
        OPENERS[kind](path)
    assert path.read_bytes() == before


@pytest.mark.parametrize("kind", OPENERS)
def test_a_file_of_a_later_version_is_refused(tmp_path, kind):
    """The error names both version numbers."""
    path = tmp_path / "file.db"
    OPENERS[kind](path).close()
    with closing(sqlite3.connect(path)) as file:
        file.execute("PRAGMA user_version = 9")
    with pytest.raises(PaylabError, match=r"its format is 9, this version of paylab reads \d"):
        OPENERS[kind](path)


def test_a_lab_says_so_before_it_pays(tmp_path):
    """A lab with another kind of file as its ledger is a configuration error."""
    path = tmp_path / "world.db"
    Simulator(data=path).close()
    lab = paylab.connect(ledger=path)
    with pytest.raises(PaylabError, match="another program"):
        len(lab.ledger)
