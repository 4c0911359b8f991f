"""Received events in an SQLite file: count, iterate, filter, show and save them.

An event survives the process once `add` returned. A file in a private temporary folder
is removed with the inbox; a file that you name stays and is continued.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
import tempfile
import weakref
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from pathlib import Path
from threading import RLock
from typing import TYPE_CHECKING, Any

from .. import sqlite
from ..errors import ConfigError
from ..files import replace
from ..spec import timestamps
from ..spec.text import printable, write_json
from .event import OWN, Event, Mark, Wrapper, read_event
from .event_order import is_stale

if TYPE_CHECKING:
    import pandas as pd


IN_ORDER, STALE = "in order", "stale"
CHUNK = 500
"""Rows per read when iterating over all."""

TABLE = """
create table arrivals (
    seq integer primary key,
    identity text not null unique,
    at text not null, last_at text not null, deliveries integer not null,
    type text not null, id text not null, status text, updated_at text, previous text,
    place text not null, body blob not null
)
"""
INDEX = "create index arrivals_of_a_resource on arrivals (id, seq)"


def _adopt(connection: sqlite3.Connection) -> tuple[str, ...] | None:
    """Upgrade a file of the first version, which has the same tables."""
    ours = sqlite.tables_of(connection) == {"arrivals", "arrivals_of_a_resource"}
    return () if ours else None


LAYOUT = sqlite.Layout(0x70617969, 1, (TABLE, INDEX), _adopt)
COLUMNS = "seq, at, last_at, deliveries, type, id, status, updated_at, place, body"


@dataclass(frozen=True)
class Arrival:
    """A received event: first and last time, number of deliveries, and whether in order.

    `answered` is the status that a handler gave this delivery, if there is a handler; `headers`,
    by lower-case name, are only known while a delivery is handled.
    """

    seq: int
    at: datetime
    last_at: datetime
    deliveries: int
    type: str
    id: str
    status: str | None
    updated_at: datetime | None
    order: str
    body: bytes = field(repr=False)
    answered: int | None = None
    wrapper: Wrapper = OWN
    headers: Mapping[str, str] = field(default_factory=dict, repr=False, compare=False)

    @cached_property
    def event(self) -> Event:
        """The event, typed."""
        return read_event(self.body, self.wrapper)

    @property
    def payload(self) -> dict[str, Any]:
        """The resource's snapshot as it was sent."""
        return dict(self.event.payload)


class EventStore:
    """Events by arrival; a repeated event only increases its count. Thread-safe.

    `rest` closes the file until it is needed again; `close` ends its use, as does dropping
    the store.
    """

    def __init__(self, data: str | Path | None = None, wrapper: Wrapper = OWN) -> None:
        self.wrapper = wrapper
        folder = None if data else tempfile.mkdtemp(prefix="paylab-inbox-")
        self.path = Path(folder, "events.db") if folder else Path(data or "")
        self._lock = RLock()
        self._connections: list[sqlite3.Connection] = []
        self.close = weakref.finalize(self, _let_go, self._connections, folder, os.getpid())
        try:
            sqlite.prepare(self._db, LAYOUT)
            self._db.execute("pragma journal_mode = wal")
        except (sqlite3.Error, OSError) as error:
            raise ConfigError(f"{self.path} cannot be an inbox: {error}") from None

    @property
    def _db(self) -> sqlite3.Connection:
        """The database connection, opened on first use."""
        with self._lock:
            if not self._connections:
                if not self.close.alive:
                    raise ConfigError(f"{self.path} was closed")
                made = sqlite.open_file(self.path)  # private: it contains payments
                self._connections.append(made)
                made.execute("pragma synchronous = normal")
            return self._connections[0]

    def rest(self) -> None:
        """Close the file until the next event is stored or read."""
        with self._lock:
            while self._connections:
                self._connections.pop().close()

    def add(self, event: Event, body: bytes, at: datetime) -> Arrival:
        """Store an event, or count another delivery of it; on disk when this returns."""
        identity = _whole("\x1f".join(part or "" for part in event.identity))
        with self._lock, self._db:
            self._db.execute("begin immediate")
            found = self._db.execute("select seq from arrivals where identity = ?", (identity,))
            known = found.fetchone()
            seq = known[0] if known else self._new(event, identity, body, at)
            if known:
                sql = "update arrivals set deliveries = deliveries + 1, last_at = ? where seq = ?"
                self._db.execute(sql, (timestamps.to_text(at), seq))
        return self.get(seq)

    def _new(self, event: Event, identity: str, body: bytes, at: datetime) -> int:
        mark, when = event.mark, timestamps.to_text(at)
        place = STALE if is_stale(mark, self._latest(event)) else IN_ORDER
        # To the microsecond: which of two events came later may depend on it.
        moment = mark.updated_at.isoformat() if mark.updated_at else None
        words = (_whole(event.type), _whole(event.id), _maybe(mark.status), moment)
        row = (identity, when, when, 1, *words, _maybe(mark.previous), place, body)
        names = "identity, at, last_at, deliveries, type, id, status, updated_at, previous"
        sql = f"insert into arrivals ({names}, place, body) values ({','.join('?' * 11)})"  # noqa: S608 - constants
        return self._db.execute(sql, row).lastrowid or 0

    def _latest(self, event: Event) -> Mark | None:
        """The last event of the resource that was in order."""
        sql = (
            "select type, status, updated_at, previous from arrivals"
            " where id = ? and place = ? and type glob ? order by seq desc limit 1"
        )
        family = f"{_whole(event.family)}.*"
        row = self._db.execute(sql, (_whole(event.id), IN_ORDER, family)).fetchone()
        return row and Mark(row[0], row[1], _moment(row[2]), row[3])

    def get(self, seq: int) -> Arrival:
        """One arrival by its number; KeyError when there is none."""
        rows = self._select("where seq = ?", (seq,))
        if not rows:
            raise KeyError(seq)
        return rows[0]

    def count(self, where: str = "", values: tuple[object, ...] = ()) -> int:
        """The number of events that match."""
        with self._lock:
            sql = f"select count(*) from arrivals {where}"  # noqa: S608 - conditions are ours
            return int(self._db.execute(sql, values).fetchone()[0])

    def newest(
        self, limit: int, where: str = "", values: tuple[object, ...] = (), *, skip: int = 0
    ) -> list[Arrival]:
        """The latest events that match, newest first."""
        return self._select(f"{where} order by seq desc limit ? offset ?", (*values, limit, skip))

    def walk(self, where: str = "", values: tuple[object, ...] = ()) -> Iterator[Arrival]:
        """All events that match, oldest first, read in chunks."""
        seq, join = 0, "and" if where else "where"
        while rows := self._select(
            f"{where} {join} seq > ? order by seq limit {CHUNK}", (*values, seq)
        ):
            yield from rows
            seq = rows[-1].seq

    def _select(self, rest: str, values: tuple[object, ...]) -> list[Arrival]:
        with self._lock:
            sql = f"select {COLUMNS} from arrivals {rest}"  # noqa: S608 - conditions are ours
            return [_arrival(row, self.wrapper) for row in self._db.execute(sql, values).fetchall()]


def _let_go(connections: list[sqlite3.Connection], folder: str | None, process: int) -> None:
    """Close the file and remove a temporary one, except in a forked child."""
    if os.getpid() != process:
        return
    while connections:
        connections.pop().close()
    if folder:
        shutil.rmtree(folder, ignore_errors=True)


def _arrival(row: tuple[Any, ...], wrapper: Wrapper) -> Arrival:
    seq, at, last_at, deliveries, kind, row_id, status, updated_at, place, body = row
    times = timestamps.from_text(at), timestamps.from_text(last_at)
    moment = _moment(updated_at)
    return Arrival(
        *(seq, *times, deliveries, kind, row_id, status, moment, place, bytes(body)),
        wrapper=wrapper,
    )


def _moment(text: str | None) -> datetime | None:
    return timestamps.from_text(text) if text else None


def _whole(text: str) -> str:
    """Escape unpaired surrogates, which JSON can hold and a file cannot."""
    return text.encode("utf-8", "backslashreplace").decode()


def _maybe(text: str | None) -> str | None:
    return None if text is None else _whole(text)


SHOWN = 10
LONGEST = 60
"""Maximum characters of a value in a row."""

CONDITIONS = {
    "type": "type glob ?",
    "id": "id = ?",
    "status": "status = ?",
    "order": "place = ?",
    "since": "at >= ?",
}


class Arrivals:
    """The events of an inbox that meet some conditions; evaluated on each use.

    `since` is the time from which all of them should be here, if it is known.
    """

    since: datetime | None = None

    def __init__(self, store: EventStore, where: str = "", values: tuple[object, ...] = ()) -> None:
        self._store, self._where, self._values = store, where, values

    def where(self, **conditions: str | datetime) -> Arrivals:
        """The events that match: type (such as `transfer.*`), id, status, order, since.

        >>> with lab.inbox() as inbox:
        ...     order = lab.transfers.create(quote_id=quote)
        ...     event = inbox.wait(id=order.id)
        ...     [each.event.type for each in inbox.where(id=order.id)]
        ['transfer.created']
        """
        unknown = conditions.keys() - CONDITIONS.keys()
        if unknown:
            known = ", ".join(CONDITIONS)
            raise TypeError(f"where() does not know {', '.join(sorted(unknown))}; it knows {known}")
        parts = [self._where.removeprefix("where ")] if self._where else []
        parts += [CONDITIONS[name] for name in conditions]
        where = f"where {' and '.join(parts)}" if parts else ""
        values = (_value(name, value) for name, value in conditions.items())
        return Arrivals(self._store, where, (*self._values, *values))

    def __len__(self) -> int:
        return self._store.count(self._where, self._values)

    def __bool__(self) -> bool:
        return len(self) > 0

    def __iter__(self) -> Iterator[Arrival]:
        return self._store.walk(self._where, self._values)

    def __getitem__(self, index: int) -> Arrival:
        """By position; the latest is -1."""
        count = len(self)
        place = index + count if index < 0 else index
        if not 0 <= place < count:
            raise IndexError(f"there are {count} events")
        return self._store.newest(1, self._where, self._values, skip=count - 1 - place)[0]

    def newest(self, limit: int = SHOWN) -> list[Arrival]:
        """The latest, newest first.

        >>> with lab.inbox() as inbox:
        ...     order = lab.transfers.create(quote_id=quote)
        ...     event = inbox.wait(id=order.id)
        ...     inbox.newest(1)[0].event == event
        True
        """
        return self._store.newest(limit, self._where, self._values)

    def frame(self) -> pd.DataFrame:
        """One row per event: time, type, resource, number of deliveries, and whether in order.

        >>> lab.inbox().frame()["type"].tolist()
        []
        """
        import pandas as pd

        names = ("at", "type", "id", "status", "updated_at", "deliveries", "order")
        rows = [tuple(getattr(each, name) for name in names) for each in self]
        frame = pd.DataFrame(rows, columns=["received_at", *names[1:]])
        times = dict.fromkeys(("received_at", "updated_at"), "datetime64[ms, UTC]")
        words = dict.fromkeys(("type", "status", "order"), "category")
        return frame.astype({**times, **words, "deliveries": "int64", "id": "str"})

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write one event per line, oldest first; each line can be read as an event again.

        >>> lab.inbox().save("events.jsonl").name
        'events.jsonl'
        """
        target = Path(path)
        with replace(target, private=True) as file:
            for arrival in self:
                file.write(f"{write_json(as_json(arrival))}\n".encode())
        return target

    def table(self, limit: int = SHOWN) -> list[tuple[str, ...]]:
        """The latest as text, newest first: time, type, resource, status, deliveries, order.

        >>> lab.inbox().table()
        []
        """
        return [cells(each) for each in self.newest(limit)]

    def __repr__(self) -> str:
        rows = [FRAME_COLUMNS, *reversed(self.table())]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        lines = ["  ".join(map(str.ljust, row, widths)).rstrip() for row in rows]
        return "\n".join([self._title(), *lines])

    def _title(self) -> str:
        count = len(self)
        more = f", the latest {SHOWN} of them" if count > SHOWN else ""
        return f"{count} event{'' if count == 1 else 's'}{more}"


FRAME_COLUMNS = ("time", "type", "resource", "status", "delivered", "order")


def cells(arrival: Arrival) -> tuple[str, ...]:
    """An arrival as the text of a row."""
    return (
        f"{arrival.at:%H:%M:%S}",
        *(cut_text(word) for word in (arrival.type, arrival.id, arrival.status or "-")),
        "once" if arrival.deliveries == 1 else f"{arrival.deliveries} times",
        arrival.order,
    )


def cut_text(text: str) -> str:
    """Text of the service on one line: escaped and cut to a safe length."""
    cut = text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"
    return printable(cut)


def as_json(arrival: Arrival) -> dict[str, Any]:
    """An arrival as one line of JSON: the event as sent, and its delivery."""
    return {
        **OWN._replace(id_field=arrival.wrapper.id_field).delivery(arrival.event),
        "received_at": timestamps.to_text(arrival.at),
        "deliveries": arrival.deliveries,
        "order": arrival.order,
    }


def _value(name: str, value: str | datetime) -> str:
    """A condition in the form of the store: times as text in the normal form."""
    if isinstance(value, str):
        return timestamps.to_text(timestamps.from_text(value)) if name == "since" else value
    if value.tzinfo is None:
        raise ValueError(f"{name} must have a time zone, such as datetime.now(UTC)")
    return timestamps.to_text(value)
