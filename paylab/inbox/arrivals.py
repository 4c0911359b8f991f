"""Events that arrived, all of them or those that fit: to count, walk, show and save."""

from __future__ import annotations

import os
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .. import instants, jsontext
from ..files import replace
from ..printable import printable
from .store import Arrival, Store

if TYPE_CHECKING:
    import pandas as pd

SHOWN = 10
LONGEST = 60
"""Characters of a word from the service that a row shows."""

CONDITIONS = {
    "type": "type glob ?",
    "id": "id = ?",
    "status": "status = ?",
    "order": "place = ?",
    "since": "at >= ?",
}


class Arrivals:
    """Events of one inbox that fit some conditions; more may fit as more arrive."""

    def __init__(self, store: Store, where: str = "", values: tuple[object, ...] = ()) -> None:
        self._store, self._where, self._values = store, where, values

    def where(self, **conditions: str | datetime) -> Arrivals:
        """Those that fit: type (`transfer.*` takes all of them), id, status, order, since."""
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
        """The latest, newest first."""
        return self._store.newest(limit, self._where, self._values)

    def frame(self) -> pd.DataFrame:
        """A row an event: when, what, how often delivered, and whether in order."""
        import pandas as pd

        names = ("at", "type", "id", "status", "updated_at", "deliveries", "order")
        rows = [tuple(getattr(each, name) for name in names) for each in self]
        frame = pd.DataFrame(rows, columns=["received_at", *names[1:]])
        times = dict.fromkeys(("received_at", "updated_at"), "datetime64[ms, UTC]")
        words = dict.fromkeys(("type", "status", "order"), "category")
        return frame.astype({**times, **words, "deliveries": "int64", "id": "str"})

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write an event a line, oldest first; each line can be read as an event again."""
        target = Path(path)
        with replace(target, private=True) as file:
            for arrival in self:
                file.write(f"{jsontext.write(as_json(arrival))}\n".encode())
        return target

    def table(self, limit: int = SHOWN) -> list[tuple[str, ...]]:
        """The latest as text, newest first: time, type, resource, status, deliveries, order."""
        return [cells(each) for each in self.newest(limit)]

    def __repr__(self) -> str:
        rows = [COLUMNS, *reversed(self.table())]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        lines = ["  ".join(map(str.ljust, row, widths)).rstrip() for row in rows]
        return "\n".join([self._title(), *lines])

    def _title(self) -> str:
        count = len(self)
        more = f", the latest {SHOWN} of them" if count > SHOWN else ""
        return f"{count} event{'' if count == 1 else 's'}{more}"


COLUMNS = ("time", "type", "resource", "status", "delivered", "order")


def cells(arrival: Arrival) -> tuple[str, ...]:
    """An arrival as the text of a row."""
    return (
        f"{arrival.at:%H:%M:%S}",
        *(shown(word) for word in (arrival.type, arrival.id, arrival.status or "-")),
        "once" if arrival.deliveries == 1 else f"{arrival.deliveries} times",
        arrival.order,
    )


def shown(text: str) -> str:
    """Text of the service made safe for a line: the unprintable spelled out, the endless cut."""
    cut = text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"
    return printable(cut)


def as_json(arrival: Arrival) -> dict[str, Any]:
    """An arrival as a line of a file: the event as it was sent, and how it arrived."""
    return {
        "event_type": arrival.type,
        "event_payload": arrival.payload,
        "received_at": instants.to_text(arrival.at),
        "deliveries": arrival.deliveries,
        "order": arrival.order,
    }


def _value(name: str, value: str | datetime) -> str:
    """A condition as the store has it; times are compared as text of one form."""
    if isinstance(value, str):
        return instants.to_text(instants.from_text(value)) if name == "since" else value
    if value.tzinfo is None:
        raise ValueError(f"{name} must have a time zone, such as datetime.now(UTC)")
    return instants.to_text(value)
