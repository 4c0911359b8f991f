"""The simulator's state: its rows, planned steps and counters."""

from __future__ import annotations

import heapq
import json
import random
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime, timedelta
from threading import RLock
from typing import Any

from ..journal.journal import Journal
from ..processes.forks import renew_after_fork
from ..spec import timestamps
from ..spec.operations.records import LISTED_RESOURCES
from ..spec.service.frozen import to_json_value
from ..spec.service.service import Service
from ..spec.status import MACHINES
from ..spec.text import JsonObject, JsonValue
from . import ids
from .clock import Clock
from .credentials import UsedNonces
from .delivery_queue import DeliveryQueue
from .table import INTERNALS, Row, Table

ID_PREFIX_BY_KIND = {
    "individuals": "ind",
    "financial_accounts": "fa",
    "quotes": "qt",
    "transfers": "tr",
    "conversion_accounts": "ca",
    "deposits": "dep",
    "conversions": "conv",
    "webhook_subscriptions": "wh",
    "events": "ev",
    "images": "img",
    "outbox": "out",
    "deliveries": "del",
    "faults": "fault",
    "idempotency": "",
    "timers": "",
    "balances": "",
    "coin_returns": "ret",
}
"""The tables, and the prefixes of their ids."""

SNAPSHOT_VERSION = 1
"""The format of a snapshot; another one is refused."""

COUNTED_KINDS = tuple(ID_PREFIX_BY_KIND)[:8]
"""The tables a summary counts: the service's resources."""


Steps = Mapping[str, Mapping[str, Callable[["World", Row, str], None]]]
"""The steps of each kind of rows by trigger, called with the reason if somebody gave one."""


class World:
    """All state of one simulated service."""

    def __init__(
        self,
        *,
        seed: int = 7,
        clock: Clock | None = None,
        production_like: bool = False,
        service: Service | None = None,
        strict: bool = False,
    ) -> None:
        """Make an empty world."""
        self.strict = strict
        self.service = service or Service()
        settings_text = json.dumps(to_json_value(self.service.diff()))
        self.changed_settings: JsonObject = json.loads(settings_text)
        self.seed = seed
        self.key_seed = seed
        self.clock = clock or Clock()
        self.production_like = production_like
        self.secrets: dict[str, str] = {}
        self.served_secrets: dict[str, str] = {}  # secrets of servers that have keys of their own
        self.nonces = UsedNonces(self.service.signing.tolerance)
        self.journal = Journal()
        self.lock = RLock()
        renew_after_fork(self, lock=self.lock)
        self.control: Any = None  # its simulator, which also delivers what becomes due
        self.tables = _make_tables(self.service)
        self.counters: dict[str, int] = {}
        self.dirty: dict[str, dict[str, None]] = {}  # ids by kind, in the order of the changes
        self.outbox = DeliveryQueue()
        self.withholds_events = False
        self._due_heap: list[tuple[str, str]] = []
        self._moment: datetime | None = None

    def service_problem(self, settings: JsonObject) -> str | None:
        """Why the state of a world with these settings does not fit this one. None if it does."""
        own_settings = self.changed_settings
        differing_names = [
            setting_name
            for setting_name in {**settings, **own_settings}
            if settings.get(setting_name) != own_settings.get(setting_name)
        ]
        if not differing_names:
            return None
        return (
            f"made with another service: {', '.join(sorted(differing_names))} differ. "
            "Start the simulator with the service.toml that it was made with"
        )

    def now(self) -> datetime:
        """The time of the step that is carried out, or of the clock if there is none."""
        return self._moment or self.clock.now()

    def stamp(self) -> str:
        """The current time as text."""
        return timestamps.to_text(self.now())

    def after(self, seconds: float) -> str:
        """A later time as text."""
        return timestamps.to_text(self.now() + timedelta(seconds=seconds))

    def new_id(self, kind: str, moment: datetime | None = None) -> str:
        """The next unused id of a kind, by default of now."""
        while True:
            count = self.counters.get(kind, 0) + 1
            self.counters[kind] = count
            row_id = ids.new_id(ID_PREFIX_BY_KIND[kind], self.seed, moment or self.now(), count)
            # The counters of a loaded snapshot may be lower than its ids.
            if row_id not in self.tables[kind].rows:
                return row_id

    def find(self, kind: str, row_id: object) -> Row | None:
        """A row by id. None when there is none."""
        if not isinstance(row_id, str):
            return None
        return self.tables[kind].rows.get(row_id)

    def put(self, kind: str, row: Row) -> Row:
        """Add a row or store a changed one, and note it as unsaved; return it."""
        self.tables[kind].put(row)
        self.dirty.setdefault(kind, {})[row["id"]] = None
        return row

    def extend(self, kind: str, rows: list[Row]) -> None:
        """Add many rows at once."""
        self.tables[kind].extend(rows)
        self.dirty.setdefault(kind, {}).update(dict.fromkeys(row["id"] for row in rows))

    def remove(self, kind: str, row_id: str) -> None:
        """Remove a row."""
        self.tables[kind].remove(row_id)
        self.dirty.setdefault(kind, {})[row_id] = None

    def create(self, kind: str, internals: JsonObject | None = None, /, **fields: JsonValue) -> Row:
        """Add a row with an id, both timestamps and the simulator's internal fields."""
        now_text = self.stamp()
        new_row = {
            "id": self.new_id(kind),
            **fields,
            "created_at": now_text,
            "updated_at": now_text,
        }
        new_row[INTERNALS] = internals or {}
        if kind in MACHINES:
            new_row[INTERNALS]["moves"] = []
        return self.put(kind, new_row)

    def schedule(self, kind: str, row_id: str, seconds: float, step: str) -> None:
        """Plan the next step of a row. A row has at most one."""
        due_text = self.after(seconds)
        self.put("timers", {"id": row_id, "due": due_text, "kind": kind, "step": step})
        heapq.heappush(self._due_heap, (due_text, row_id))

    def next_due(self) -> str | None:
        """The time of the next step. None if none is planned."""
        timer_by_id = self.tables["timers"].rows
        while self._due_heap:
            due_text, row_id = self._due_heap[0]
            if row_id in timer_by_id and timer_by_id[row_id]["due"] == due_text:
                return due_text
            heapq.heappop(self._due_heap)  # its timer was removed, or moved to another time
        return None

    def due_steps(self) -> Iterator[Row]:
        """Remove and yield the timers that are due, in order.

        While the caller handles a timer, the time of the world is the time when that timer was due.
        """
        if self.next_due() is None:
            return
        now_text = timestamps.to_text(self.clock.now())
        try:
            while True:
                due_text = self.next_due()
                if due_text is None or due_text > now_text:
                    return
                _, row_id = heapq.heappop(self._due_heap)
                timer_row = self.tables["timers"].rows[row_id]
                self.remove("timers", row_id)
                self._moment = timestamps.from_text(due_text)
                yield timer_row
        finally:
            self._moment = None

    def draw_fault(self, is_match: Callable[[Row], bool], **target: JsonValue) -> Row | None:
        """Draw for each planned fault that matches. Return the first that applies, or None.

        The journal notes the fault with `target`: the request or event to which it applies.
        """
        for fault_row in self.tables["faults"].rows.values():
            if fault_row["left"] == 0 or not is_match(fault_row):
                continue
            fault_row["drawn"] += 1
            seed_text = f"{fault_row['seed']}:{fault_row['drawn']}"
            chance = random.Random(seed_text).random()  # noqa: S311 - no secret
            is_its_turn = fault_row["drawn"] % (fault_row.get("every") or 1) == 0
            is_applied = is_its_turn and chance < fault_row["probability"]
            if is_applied:
                fault_row["left"] -= 1
            self.put("faults", fault_row)
            if is_applied:
                fault_facts = {
                    "control": "fault_fired",
                    "object": fault_row["id"],
                    "fault": fault_row["kind"],
                }
                self.journal.add_note("control", self.now(), **fault_facts, **target)
                return fault_row
        return None

    def summary(self) -> dict[str, object]:
        """Clock, counts, seed, the state of deliveries, and dropped requests if there are any."""
        summary_fields = {
            "clock": self.clock.state(),
            "counts": {table_kind: len(self.tables[table_kind]) for table_kind in COUNTED_KINDS},
            "seed": self.seed,
            "deliveries": self.delivery_state(),
        }
        if self.journal.dropped:
            summary_fields["requests"] = {"dropped": self.journal.dropped}
        return summary_fields

    def delivery_state(self) -> dict[str, object]:
        """Whether deliveries are paused, and how many events are queued."""
        return {"paused": self.outbox.is_paused, "queued": len(self.outbox)}

    def dump(self) -> JsonObject:
        """The whole state as one JSON object, without keys and secrets."""
        state: JsonObject = {
            "paylab_snapshot": SNAPSHOT_VERSION,
            "seed": self.seed,
            "clock": self.clock.dump(),
            "counters": self.counters,
            "tables": {
                table_kind: list(table.rows.values()) for table_kind, table in self.tables.items()
            },
        }
        if self.changed_settings:
            state["service"] = self.changed_settings
        return state

    def load(self, dump: JsonObject) -> None:
        """Load the state of a `dump`. Everything is built before anything is changed."""
        table_by_kind = _make_tables(self.service)
        for table_kind, table in table_by_kind.items():
            table.extend(dump["tables"].get(table_kind, []))
        due_heap = [
            (timer_row["due"], timer_row["id"])
            for timer_row in table_by_kind["timers"].rows.values()
        ]
        heapq.heapify(due_heap)
        outbox = DeliveryQueue(table_by_kind["outbox"].rows.values())
        counters = dict(dump["counters"])
        seed = dump["seed"]
        changed_ids_by_kind = {
            table_kind: dict.fromkeys((*table.rows, *self.tables[table_kind].rows))
            for table_kind, table in table_by_kind.items()
        }
        self.clock.restore(dump["clock"])
        self.seed = seed
        self.counters = counters
        self.tables = table_by_kind
        self.dirty = changed_ids_by_kind
        self.outbox = outbox
        self._due_heap = due_heap


def _make_tables(service: Service) -> dict[str, Table]:
    """Empty tables. Tables with a list have the order of the service's list."""
    table_by_kind = {table_kind: Table() for table_kind in ID_PREFIX_BY_KIND}
    for table_kind in LISTED_RESOURCES:
        table_by_kind[table_kind] = Table(service.list(table_kind).order)
    return table_by_kind


def apply_move(world: World, kind: str, row: Row, trigger: str) -> None:
    """Change the status and its time, note the one before, and cancel the planned step."""
    set_status(world, kind, row, MACHINES[kind].after(row["status"], trigger))


def set_status(world: World, kind: str, row: Row, status: str) -> None:
    """Set a status as `apply_move` does. The status may be one that no machine has."""
    now_text = world.stamp()
    moves = row[INTERNALS].get("moves")
    if moves is not None:
        moves.append([row["status"], status, now_text])
    row.update(status=status, updated_at=now_text)
    if row["id"] in world.tables["timers"].rows:
        world.remove("timers", row["id"])
    world.put(kind, row)
