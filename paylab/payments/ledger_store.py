"""The order ledger's file: its orders, the terms of quotes, and the file of an earlier version."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import astuple, dataclass, fields
from pathlib import Path
from typing import Any

from platformdirs import user_data_path

from .. import sqlite
from ..client.base_url import address
from ..errors.base import LedgerError
from ..locks import HeldLock, Locks
from ..rules.transfers import AMOUNTS as CURRENCY_OF
from ..spec import timestamps
from .identity import Values, identity, reference_of, values

OPEN, ANSWERED, REFUSED = "no answer", "answered", "refused"
"""States: written and possibly sent; carried out; refused or not sent."""


@dataclass(frozen=True)
class Entry:
    """One order: what identifies it, its key, its state, and what was asked for.

    `body` are the bytes of the first attempt, which are removed when the order is answered.
    """

    id: int
    address: str
    account: str
    path: str
    identity: str
    reference: str
    key: str
    is_new: int
    state: str
    made: str
    body: bytes | None
    status: int | None
    payment: str
    amount: str
    payee: str
    label: str


_TABLES = (
    """CREATE TABLE orders (
        id INTEGER PRIMARY KEY AUTOINCREMENT, address TEXT NOT NULL, account TEXT NOT NULL,
        path TEXT NOT NULL, identity TEXT NOT NULL, reference TEXT NOT NULL, key TEXT NOT NULL,
        is_new INTEGER NOT NULL, state TEXT NOT NULL, made TEXT NOT NULL, body BLOB,
        status INTEGER, payment TEXT NOT NULL, amount TEXT NOT NULL, payee TEXT NOT NULL,
        label TEXT NOT NULL
    )""",
    "CREATE TABLE quotes (address TEXT NOT NULL, id TEXT NOT NULL, terms TEXT NOT NULL,"
    " PRIMARY KEY (address, id))",
    "CREATE INDEX by_identity ON orders (address, identity)",
    "CREATE INDEX by_reference ON orders (address, reference)",
    "CREATE INDEX by_key ON orders (address, key)",
)
_INSERT = f"INSERT INTO orders VALUES ({', '.join('?' * len(fields(Entry)))})"  # noqa: S608
_EARLIER = "service, path, body, key, made, state, resource_id, status, deliberate"
_STATES = {"open": OPEN, "answered": ANSWERED, "refused": REFUSED}


def _upgrade(connection: sqlite3.Connection) -> Sequence[str] | None:
    """Move the orders of an earlier version to the new tables; None for another program's file."""
    try:
        old = connection.execute(f"SELECT {_EARLIER} FROM entries ORDER BY id").fetchall()  # noqa: S608
    except sqlite3.OperationalError as error:
        if "no such" in str(error):
            return None
        raise
    for statement in ("DROP TABLE entries", *_TABLES):  # with its indexes, whose names are used
        connection.execute(statement)
    for service, path, body, key, made, state, payment, status, is_new in old:
        base_url, _, account = str(service).partition(" ")
        # The orders of an embedded simulator have three words, and ended with its process.
        if state not in _STATES or " " in account:
            continue
        if not all(isinstance(text, str) for text in (service, path, body, key, made, payment)):
            raise ValueError("an order of the earlier version cannot be read")
        asked, known = json.loads(body), _STATES[state]
        row = (
            *(None, address(base_url), account, path, identity(asked), reference_of(asked), key),
            *(is_new, known, made, None if known == ANSWERED else body.encode(), status, payment),
            *order_summary(asked),
        )
        connection.execute(_INSERT, row)
    return []


LAYOUT = sqlite.Layout(0x7061796F, 2, _TABLES, _upgrade, frozenset({1}))
ELSEWHERE = "set PAYLAB_LEDGER to another file, or to `none` for no ledger"
DAMAGED = (
    "it may know payments that were made: restore it from a backup, or check the list of payments "
    f"before you move it away; or {ELSEWHERE}"
)


def order_summary(asked: Values) -> tuple[str, str, str]:
    """What was asked, for display: the amount with its currency, the account, the reference."""
    known = values(asked)
    name = next((each for each in CURRENCY_OF if each in known), "")
    currency = known.get(CURRENCY_OF.get(name, "source_currency"), "")
    account = known.get("financial_account") or known.get("payout_account")
    payee = account or known.get("quote_id") or ""
    amount = f"{asked.get(name, '')} {currency}".strip()
    return amount, str(payee), str(known.get("client_reference_id") or "")


class LedgerStore:
    """The tables of the ledger, in a file or in memory, and the locks beside it."""

    def __init__(self, path: Path | None, busy: float = 30.0) -> None:
        self.path = path
        self.file = sqlite.Store(path, LAYOUT, self._unusable, busy)
        real = path and path.resolve()  # a link to the file has the same locks
        self._locks = Locks(real and real.with_name(f"{real.name}.locks"))
        self.transaction, self.close = self.file.transaction, self.file.close

    def take(self, key: str, timeout: float = 0) -> HeldLock | None:
        """The lock of an order; None while another holder waits for its answer."""
        try:
            return self._locks.take(key, timeout)
        except OSError as error:
            raise self._unusable(error) from None

    def add(self, *row: Any) -> Entry:
        """Store an order; on disk when this, or the surrounding transaction, returns."""
        return Entry(int(self.file.execute(_INSERT, (None, *row)).lastrowid or 0), *row)

    def change(self, number: int, where: str = "1", **changes: object) -> None:
        """Change columns of an order if it still has the values of `where`."""
        sets = ", ".join(f"{column} = ?" for column in changes)
        sql = f"UPDATE orders SET {sets} WHERE id = ? AND {where}"  # noqa: S608 - our own words
        self.file.execute(sql, [*changes.values(), number])

    def find(self, most: int = -1, **same: str) -> list[Entry]:
        """The orders with these values, newest first."""
        where = " AND ".join(f"{column} = ?" for column in same)
        sql = f"SELECT * FROM orders WHERE {where} ORDER BY id DESC LIMIT ?"  # noqa: S608
        return [self._read(row) for row in self.file.rows(sql, [*same.values(), most])]

    def note_quote(self, place: str, quote: str, terms: Values) -> None:
        """Store the terms of a quote."""
        row = place, quote, json.dumps({**terms}, default=str)
        self.file.execute("INSERT OR REPLACE INTO quotes VALUES (?, ?, ?)", row)

    def terms(self, place: str, quote: object) -> Values | None:
        """The terms of a quote; None if it was not made with this ledger."""
        sql = "SELECT terms FROM quotes WHERE address = ? AND id = ?"
        for (text,) in self.file.rows(sql, [place, str(quote)]):
            with suppress(ValueError, TypeError):
                if isinstance(terms := json.loads(text), dict):
                    return terms
            raise self._unusable(sqlite.damage(f"the terms of {quote} cannot be read"))
        return None

    def _read(self, row: tuple[Any, ...]) -> Entry:
        """An order of the file; LedgerError when a value cannot be one of ours."""
        entry = Entry(*row)
        texts = [*astuple(entry)[1:7], entry.payment, entry.amount, entry.payee, entry.label]
        body = isinstance(entry.body, bytes) or (entry.state == ANSWERED and entry.body is None)
        known = entry.state in (OPEN, ANSWERED, REFUSED) and timestamps.read(entry.made)
        if not (all(isinstance(text, str) for text in texts) and body and known):
            raise self._unusable(sqlite.damage(f"order {entry.id} cannot be read"))
        return entry

    def _unusable(self, error: Exception) -> LedgerError:
        """The error that names the file and what to do."""
        where = f"the ledger {self.path or 'in memory'}"
        if sqlite.is_damage(error):
            return LedgerError(f"{where} is damaged: {error}; {DAMAGED}")
        return LedgerError(f"{where} cannot be used: {error}; {ELSEWHERE}")


def ledger_path() -> Path:
    """The default path of the ledger on this system."""
    return user_data_path("paylab", appauthor=False) / "ledger.sqlite3"
