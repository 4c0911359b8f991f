"""The simulator's controls in Python: `lab.simulator`, for a simulator here or behind a URL."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from decimal import Decimal
from functools import partial
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors.arguments import explain_arguments
from ..errors.base import UnknownNameError
from ..errors.names import find_nearest_names
from ..files import path_of
from ..spec import timestamps
from ..spec.service.service import Service
from ..spec.text import JsonObject, JsonValue
from .clock_panel import ClockPanel
from .deliveries import Deliveries
from .fault_kinds import KINDS, TIMES_MAX
from .fault_targets import fault_target
from .requests import Requests
from .scenarios import Scenarios

if TYPE_CHECKING:
    from ..webhooks.event import Event

UNNAMED_URL = "http://simulator"
"""The base address in a HAR file of a simulator without one."""

Ask = Callable[..., Any]
"""Sends a signed request: (method, path, json=None) -> the decoded answer."""


@explain_arguments
class Controls:
    """The control API of a simulator: clock, faults, requests, deliveries, seeding, snapshots.

    Each part has a help of its own: `clock` moves the time (`help(lab.simulator.clock)`), `faults`
    makes calls fail, `requests` are those that were received, `deliveries` are webhook events, and
    `scenarios` are the special references.
    """

    def __init__(self, ask: Ask, service: Service | None = None) -> None:
        self._ask = ask
        service = service or Service()
        self.clock = ClockPanel(ask)
        self.faults = FaultControls(ask, service)
        self.requests = Requests(self._read_journal)
        self.deliveries = Deliveries(ask)
        self.scenarios = Scenarios(lambda: list(ask("GET", "/_simulator/scenarios")), service)

    def _read_journal(self, after: int = 0) -> JsonObject:
        return _with_floats(self._ask("GET", "/_simulator/requests", params={"after": after}))

    def journal(self, after: int = 0, *, raw: bool = False) -> list[JsonObject]:
        """Requests, deliveries, events and controls as JSON, in one sequence.

        `after` is the last sequence number that you know. With `raw`, requests also have both
        bodies as they came, in Base64.

        >>> lab.simulator.journal()[0]["sequence"]
        1
        """
        params = {"after": after, "raw": int(raw)}
        answer = _with_floats(self._ask("GET", "/_simulator/journal", params=params))
        return list(answer["records"])

    def har(self, path: str | PathLike[str], base_url: str = "", *, raw: bool = False) -> Path:
        """Write the journal to a HAR file: what was sent, and what the client received.

        It has no keys and no personal data, but the length and hash of each body. With `raw`,
        bodies are as they came: only its owner can read the file.

        >>> lab.simulator.har("requests.har").name
        'requests.har'
        """
        from ..journal.har import write_har

        return write_har(self.journal(raw=raw), base_url or UNNAMED_URL, path_of(path))

    def name_test(self, name: str, expects: str = "") -> None:
        """Name the test of all that follows, and the refusal that it expects, such as "409".

        >>> lab.simulator.name_test("a conflict", expects="409")
        """
        self._ask("POST", "/_simulator/test", json={"name": name, "expects": expects})

    def summary(self) -> JsonObject:
        """Clock, counts and seed.

        >>> lab.simulator.summary()["clock"]["frozen"]
        True
        """
        return dict(self._ask("GET", "/_simulator"))

    def __repr__(self) -> str:
        return "<simulator controls: clock, faults, requests, deliveries, scenarios; summary()>"

    def move(self, object_id: str, to: str, reason: str = "") -> JsonObject:
        """Move an object to a state; an illegal move names the legal ones.

        >>> lab.simulator.move(draft.id, "pending")["status"]
        'pending'
        """
        body = {"to": to, "reason": reason}
        return dict(self._ask("POST", f"/_simulator/objects/{object_id}", json=body))

    def history(self, object_id: str) -> list[tuple[str, datetime]] | None:
        """Each status that an object has had, with the time when it began; None if not known.

        >>> lab.simulator.history(draft.id)[0][0]
        'action_required'
        """
        rows = self._ask("GET", f"/_simulator/objects/{object_id}")["history"]
        if rows is None:
            return None
        return [(row["status"], timestamps.from_text(row["at"])) for row in rows]

    def seed(self, *, individuals: int = 0, transfers: int = 0, conversions: int = 0) -> JsonObject:
        """Add finished transfers and conversions of the past; returns the summary.

        `individuals` are active, with an account each, and receive the transfers; by default
        there are as many as the transfers need, up to six.

        >>> lab.simulator.seed(transfers=10)["counts"]["transfers"]
        140
        """
        body = {"individuals": individuals, "transfers": transfers, "conversions": conversions}
        return dict(self._ask("POST", "/_simulator/seed", json=body))

    def pay_in(self, amount: str | Decimal, currency: str = "USD") -> Decimal:
        """Pay into the account, in USD or USDC, and return the balance.

        The first payment of a currency, also of "0.00", gives it a balance: from then on a
        prefunded transfer takes its source amount from it, and awaits funds while it is too low.
        Transfers that wait are funded, the oldest first. Without a balance all are funded.

        >>> lab.simulator.pay_in("250.00", "USDC")
        Decimal('250.000000')
        """
        text = format(amount, "f") if isinstance(amount, Decimal) else amount
        body = {"amount": text, "currency": currency}
        answer = self._ask("POST", "/_simulator/balances", json=body)
        return Decimal(answer[currency.upper()])

    def funds(self) -> list[JsonObject]:
        """The currencies with a balance: available, reserved and awaited amounts, as text.

        >>> lab.simulator.funds()
        []
        """
        return list(self._ask("GET", "/_simulator/funds"))

    def reset(self) -> None:
        """Delete all objects and reset the clock to its start.

        >>> lab.simulator.reset()
        """
        self._ask("POST", "/_simulator/reset", json={})

    def snapshot(self) -> JsonObject:
        """The whole state as one JSON object, without keys.

        >>> state = lab.simulator.snapshot()
        """
        return _with_floats(self._ask("GET", "/_simulator/snapshot"))

    def restore(self, snapshot: JsonObject) -> None:
        """Replace the state by a snapshot.

        >>> lab.simulator.restore(lab.simulator.snapshot())
        """
        self._ask("PUT", "/_simulator/snapshot", json=snapshot)

    def save(self, path: str | PathLike[str], *, keep_personal: bool = False) -> Path:
        """Write the whole state to a file, without keys or document numbers.

        Names, contacts, birth dates, addresses and account numbers are left out unless
        `keep_personal` is set.

        >>> lab.simulator.save("bug.json").name
        'bug.json'
        """
        from .storage import write_file

        target = path_of(path)
        target.parent.mkdir(parents=True, exist_ok=True)
        write_file(self.snapshot(), target, keep_personal=keep_personal)
        return target

    def load(self, path: str | PathLike[str]) -> None:
        """Replace the state by a file that `save` wrote.

        >>> lab.simulator.load(lab.simulator.save("bug.json"))
        """
        from .storage import read_file

        self.restore(read_file(path_of(path)))

    def events(self, resource_id: str | None = None) -> list[Event]:
        """Every event so far, or those of one resource, oldest first.

        >>> lab.simulator.events(conversion.id)
        []
        """
        from ..webhooks.event import read_event

        rows = self._ask("GET", "/_simulator/events")
        if resource_id is not None:
            rows = [row for row in rows if row["resource_id"] == resource_id]
        return [read_event(row["body"]) for row in rows]


@explain_arguments
class FaultControls:
    """The planned faults; each kind is also a method: `faults.drop_after(times=2)`."""

    def __init__(self, ask: Ask, service: Service) -> None:
        self._ask = ask
        self._service = service

    def add(self, kind: str, **details: object) -> JsonObject:
        """Add a fault for the next matching call or event.

        `details`: operation, method, path (with *), event_type, times, every, probability and seed,
        and by kind status, retry_after, seconds. `kinds()` lists the kinds.

        >>> lab.simulator.faults.add("status", status=503, times=1)["kind"]
        'status'
        """
        if not isinstance(kind, str) or kind not in KINDS:
            raise UnknownNameError("fault", kind, find_nearest_names(str(kind), KINDS))
        return _with_floats(self._ask("POST", "/_simulator/faults", json={"kind": kind, **details}))

    @contextmanager
    def on(self, name: str, kind: str = "custom", **details: object) -> Iterator[JsonObject]:
        """Apply a fault to an operation or an event type in a `with` block.

        An operation is named like "transfers.create" or "POST /v1/transfers". Without a kind,
        `status`, `headers` and `body` (JSON, or text) answer in place of the service; without a
        status the request is carried out. `delay` and `slow` are seconds until the answer starts,
        and that its body takes; `cut_after` bytes are sent of it. `content_type` replaces that of
        the answer. `times` is for the next so many calls, `every` for each so many-th one, and
        `probability` with `seed` for a share. `kinds()` lists the other kinds.

        >>> with lab.simulator.faults.on("transfers.list", status=418, body={"error": "tea"}):
        ...     pass
        >>> with lab.simulator.faults.on("POST /v1/transfers", "refuse", every=3):
        ...     pass
        >>> with lab.simulator.faults.on("transfer.completed", "event_duplicate"):
        ...     pass
        """
        target = fault_target(name, kind, self._service)
        fault = self.add(kind, **{"times": TIMES_MAX, **target, **details})
        try:
            yield fault
        finally:
            self._ask("DELETE", f"/_simulator/faults/{fault['id']}")

    def __getattr__(self, kind: str) -> Callable[..., JsonObject]:
        if kind.startswith("_"):
            raise AttributeError(kind)
        if kind not in KINDS:
            raise UnknownNameError("fault", kind, find_nearest_names(kind, KINDS))
        return partial(self.add, kind)

    def __dir__(self) -> list[str]:
        return sorted({*KINDS, "add", "clear", "list", "on"})

    def list(self) -> list[JsonObject]:
        """The active faults, and how often each will apply.

        >>> lab.simulator.faults.list()
        []
        """
        return [_with_floats(fault) for fault in self._ask("GET", "/_simulator/faults")]

    def clear(self) -> None:
        """Remove all faults.

        >>> lab.simulator.faults.clear()
        """
        self._ask("DELETE", "/_simulator/faults")

    def kinds(self) -> Sequence[tuple[str, str]]:
        """Every kind of fault, and what the service does then.

        >>> lab.simulator.faults.kinds()[0][0]
        'status'
        """
        return tuple(KINDS.items())

    def __repr__(self) -> str:
        return f"<faults: {', '.join(KINDS)}; list() gets the active ones>"


def _with_floats(answer: JsonValue) -> JsonObject:
    """An answer with fractions as JSON numbers."""
    return dict(json.loads(json.dumps(answer, default=float)))
