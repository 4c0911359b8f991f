"""A ledger file of the earlier version: its unanswered orders are kept, and asked for once."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from hashlib import sha256

import pytest
from one_order import TERMS, Place

KEY = "11111111-1111-4111-8111-111111111111"
SCHEMA = """
CREATE TABLE entries (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    service TEXT NOT NULL, path TEXT NOT NULL, name TEXT NOT NULL,
    source TEXT NOT NULL, place TEXT NOT NULL, digest TEXT NOT NULL, body TEXT NOT NULL,
    key TEXT NOT NULL, made TEXT NOT NULL, state TEXT NOT NULL, status INTEGER,
    resource_id TEXT NOT NULL, times INTEGER NOT NULL, deliberate INTEGER NOT NULL,
    reference TEXT NOT NULL DEFAULT ''
);
CREATE INDEX by_site ON entries (service, path, name);
CREATE INDEX by_source ON entries (service, path, source);
CREATE INDEX by_digest ON entries (service, path, digest);
CREATE INDEX by_reference ON entries (service, path, reference);
CREATE INDEX by_key ON entries (service, path, key);
PRAGMA application_id = 1885436271;
PRAGMA user_version = 1;
"""

DIGESTS = {
    None: "25a7dba229c99843ee4c6f7e04c9081724c3682565af627bcfbae02d4902c50c",
    "a": "72f3cc5de5c3fae70bc051d745341917a74b749c0e0f9ed0e4b5e78bf046e74e",
}
"""What the earlier version wrote for these orders, by their reference."""


def earlier_ledger(place, body):
    """A ledger as the earlier version wrote it, with one order whose answer was lost."""
    text = json.dumps(body, separators=(",", ":"))
    account = sha256(place.keys[0].encode())
    reference = body.get("client_reference_id")
    row = {
        "service": f"https://pay.example {account.hexdigest()[:16]}",
        "path": "/v1/transfers",
        "name": "n" * 64,
        "source": "s" * 64,
        "place": "pay.py:main",
        "digest": DIGESTS[reference],
        "body": text,
        "key": KEY,
        "made": "2026-01-15T12:00:00.000Z",
        "state": "open",
        "resource_id": "",
        "times": 1,
        "deliberate": 0,
        "reference": sha256(reference.encode()).hexdigest() if reference else "",
    }
    marks = ", ".join(f":{name}" for name in row)
    with closing(sqlite3.connect(place.folder / "ledger.sqlite3")) as ledger:
        ledger.executescript(SCHEMA)
        ledger.execute(f"INSERT INTO entries ({', '.join(row)}) VALUES ({marks})", row)
        ledger.commit()


@pytest.mark.parametrize("fields", [{}, {"client_reference_id": "a"}])
@pytest.mark.parametrize("carried_out", [False, True])
@pytest.mark.parametrize("hours", [0, 25])
def test_a_lost_order_of_the_earlier_version(tmp_path, fields, carried_out, hours):
    """An order that the earlier version lost is paid once, now or a day later."""
    place = Place(tmp_path)
    account = {"financial_account": {"id": place.people[0].id}}
    body = {**account, **TERMS, "source_amount": "50", **fields}
    if carried_out:
        place.observer.request("POST", "/v1/transfers", json=body, idempotency_key=KEY)
    earlier_ledger(place, body)
    place.simulator.advance(hours * 3600)
    paid = place.lab().pay(source_amount="50.00", **fields)
    assert paid.replayed is carried_out
    assert hours or place.lab().pay(**fields).id == paid.id
    assert len(place.transfers) == 1
