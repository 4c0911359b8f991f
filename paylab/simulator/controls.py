"""The simulator's controls in Python: `lab.simulator`, for a simulator here or behind a URL."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from decimal import Decimal
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors.arguments import explain_arguments
from ..errors.base import ArgumentError
from ..errors.names import with_name_suggestions
from ..files import path_of
from ..spec import codes, timestamps
from ..spec.members import Members
from ..spec.service.service import Service
from ..spec.text import JsonObject
from .clock_panel import ClockPanel
from .deliveries import Deliveries
from .fault_controls import FaultControls, SendControl, with_floats
from .requests import Requests
from .scenarios import Scenarios

if TYPE_CHECKING:
    from ..readiness.report import Readiness
    from ..webhooks.event import Event
    from .rehearsal import Rehearsal

UNNAMED_URL = "http://simulator"
"""The base address in a HAR file of a simulator without one."""


@with_name_suggestions
@explain_arguments
class Controls:
    """The control API of a simulator: clock, faults, requests, deliveries, seeding, snapshots.

    Each part has a help of its own: `clock` moves the time (`help(lab.simulator.clock)`), `faults`
    makes calls fail, `requests` are those that were received, `deliveries` are webhook events, and
    `scenarios` are the special references.
    """

    def __init__(self, send_control: SendControl, service: Service | None = None) -> None:
        """Control a simulator of a service by requests that `send_control` sends."""
        self._send_control = send_control
        service = service or Service()
        self.clock = ClockPanel(send_control)
        self.faults = FaultControls(send_control, service)
        self.requests = Requests(self._read_journal, self._count_dropped)
        self.deliveries = Deliveries(send_control)
        self.scenarios = Scenarios(
            lambda: list(send_control("GET", "/_simulator/scenarios")), service
        )

    def _read_journal(self, after: int = 0) -> list[JsonObject]:
        """The requests in the journal with a higher number, oldest first."""
        journal_rows = self._send_control("GET", "/_simulator/requests", params={"after": after})
        return [with_floats(journal_row) for journal_row in journal_rows]

    def _count_dropped(self) -> int:
        """The number of older requests that the journal does not have any more."""
        return int(self.summary().get("requests", {}).get("dropped", 0))

    def journal(self, after: int = 0, *, raw: bool = False) -> list[JsonObject]:
        """Requests, deliveries, events and controls as JSON, in one sequence.

        `after` is the last sequence number that you know. With `raw`, requests also have both
        bodies as they came, in Base64.

        >>> lab.simulator.journal()[0]["sequence"]
        1
        """
        params = {"after": after, "raw": int(raw)}
        return [
            with_floats(journal_row)
            for journal_row in self._send_control("GET", "/_simulator/journal", params=params)
        ]

    def har(self, path: str | PathLike[str], base_url: str = "", *, raw: bool = False) -> Path:
        """Write the journal to a HAR file: what was sent, and what the client received.

        It has no keys and no personal data, but the length and hash of each body. With `raw`,
        bodies are as they came: only its owner can read the file.

        >>> lab.simulator.har("requests.har").name
        'requests.har'
        """
        from ..journal.har import write_har

        return write_har(self.journal(raw=raw), base_url or UNNAMED_URL, path_of(path))

    def readiness(self) -> Readiness:
        """The readiness of the integration that made the requests and deliveries so far.

        >>> lab.simulator.readiness()["questions.money"].verdict
        'question'
        """
        from ..readiness.judgement import judge

        return judge({"": self.journal()})  # journals by the name of their world; it needs none

    def rehearse(self) -> Rehearsal:
        """Play the situations that an integration has not shown yet, in a loop over its items.

        >>> for item in lab.simulator.rehearse():  # doctest: +SKIP
        ...     print(item.situation.action)
        """
        from .rehearsal import Rehearsal

        return Rehearsal(self)

    def name_test(self, name: str, expects: str = "") -> None:
        """Name the test of all that follows, and the refusal that it expects, such as "409".

        >>> lab.simulator.name_test("a conflict", expects="409")
        """
        self._send_control("POST", "/_simulator/test", json={"name": name, "expects": expects})

    def summary(self) -> JsonObject:
        """Clock, counts and seed.

        >>> lab.simulator.summary()["clock"]["frozen"]
        True
        """
        return dict(self._send_control("GET", "/_simulator"))

    def __repr__(self) -> str:
        return "<simulator controls: clock, faults, requests, deliveries, scenarios; summary()>"

    def move(
        self, object_id: object, to: codes.Status | str, reason: str = "", *, force: bool = False
    ) -> JsonObject:
        """Move an object, or that with an id, to a state; an illegal move names the legal ones.

        With `force` any status can be set, also one that the service does not have.

        >>> lab.simulator.move(draft.id, "pending")["status"]
        'pending'
        """
        body = {"to": to, "reason": reason, "force": force}
        path = f"/_simulator/objects/{_read_id(object_id, 'object_id')}"
        return Members(self._send_control("POST", path, json=body))

    def send_event(
        self, event_type: codes.EventType | str, object_id: object = "", **payload: object
    ) -> JsonObject:
        """Send any event, also of a type that is not known, to the subscriptions.

        `payload` replaces fields of the snapshot of the object, or is all of it without an object.
        An event of a type that is not known is delivered to every subscription.

        >>> lab.simulator.send_event("transfer.reversed", id="tr_1", status="reversed")["at"][:4]
        '2026'
        """
        resource_id = _read_id(object_id, "object_id")
        body = {"event_type": event_type, "resource_id": resource_id, "payload": payload}
        return Members(self._send_control("POST", "/_simulator/events", json=body))

    def history(self, object_id: object) -> list[tuple[str, datetime]] | None:
        """Each status that an object has had, with the time when it began; None if not known.

        >>> lab.simulator.history(draft.id)[0][0]
        'action_required'
        """
        path = f"/_simulator/objects/{_read_id(object_id, 'object_id')}"
        history_rows = self._send_control("GET", path)["history"]
        if history_rows is None:
            return None
        return [
            (history_row["status"], timestamps.from_text(history_row["at"]))
            for history_row in history_rows
        ]

    def seed(self, *, individuals: int = 0, transfers: int = 0, conversions: int = 0) -> JsonObject:
        """Add finished transfers and conversions of the past; returns the summary with `ids`.

        `individuals` are active, with an account each, and receive the transfers; by default
        there are as many as the transfers need, up to six.

        >>> len(lab.simulator.seed(transfers=10)["ids"]["transfers"])
        10
        """
        body = {"individuals": individuals, "transfers": transfers, "conversions": conversions}
        return Members(self._send_control("POST", "/_simulator/seed", json=body))

    def add_person(
        self,
        country: codes.Country | str = "MX",
        *,
        verified: bool = False,
        outcomes: Sequence[str] = (),
        events: bool = True,
        **fields: object,
    ) -> JsonObject:
        """Add an individual with the fields of an example, or your own, in the service's names.

        It is active if it is `verified`. `outcomes` are those of its verifications, one each.
        Without `events`, none that this causes is delivered.

        >>> lab.simulator.add_person("PH", verified=True)["status"]
        'active'
        """
        if isinstance(outcomes, str):  # whose letters would be outcomes
            raise ArgumentError(f"outcomes must be a list: [{outcomes!r:.60}]", "outcomes")
        options = {"country": country, "verified": verified, "events": events}
        body = {**options, "outcomes": [*outcomes], **fields}
        return Members(self._send_control("POST", "/_simulator/people", json=body))

    def add_account(
        self,
        individual_id: object = None,
        *,
        country: str | None = None,
        events: bool = True,
        **fields: object,
    ) -> JsonObject:
        """Add a financial account, of a new active individual if none is named.

        `fields` are `type` and `details`, by default those of an example of the country.

        >>> lab.simulator.add_account(country="BR")["type"]
        'pix'
        """
        if individual_id is not None:
            individual_id = _read_id(individual_id, "individual_id")
        options = {"individual_id": individual_id, "country": country}
        body: dict[str, object] = {
            option_name: option_value
            for option_name, option_value in options.items()
            if option_value is not None
        }
        body |= {"events": events, **fields}
        return Members(self._send_control("POST", "/_simulator/accounts", json=body))

    def pay_in(
        self, amount: str | int | Decimal, currency: codes.SourceCurrency | str = "USD"
    ) -> Decimal:
        """Pay into the account, in USD or USDC, and return the balance.

        The first payment of a currency, also of "0.00", gives it a balance: from then on a
        prefunded transfer takes its source amount from it, and awaits funds while it is too low.
        Transfers that wait are funded, the oldest first. Without a balance all are funded.

        >>> lab.simulator.pay_in("250.00", "USDC")
        Decimal('250.000000')
        """
        if isinstance(amount, float):
            raise ArgumentError("amount must be text or a Decimal: a float is not exact", "amount")
        amount_text = format(amount, "f") if isinstance(amount, Decimal) else str(amount)
        body = {"amount": amount_text, "currency": currency}
        answer = self._send_control("POST", "/_simulator/balances", json=body)
        return Decimal(answer[currency.upper()])

    def funds(self) -> list[JsonObject]:
        """The currencies with a balance: available, reserved and awaited amounts, as text.

        >>> lab.simulator.funds()
        []
        """
        return list(self._send_control("GET", "/_simulator/funds"))

    def coin_returns(self) -> list[JsonObject]:
        """The stablecoins of failed off-ramp transfers, which went back to the wallets.

        >>> lab.simulator.coin_returns()
        []
        """
        return list(self._send_control("GET", "/_simulator/returns"))

    def reset(self) -> None:
        """Delete all objects and reset the clock to its start.

        >>> lab.simulator.reset()
        """
        self._send_control("POST", "/_simulator/reset", json={})

    def snapshot(self) -> JsonObject:
        """The whole state as one JSON object, without keys.

        >>> state = lab.simulator.snapshot()
        """
        return with_floats(self._send_control("GET", "/_simulator/snapshot"))

    def restore(self, snapshot: JsonObject) -> None:
        """Replace the state by a snapshot.

        >>> lab.simulator.restore(lab.simulator.snapshot())
        """
        if not isinstance(snapshot, Mapping):
            raise ArgumentError(
                "snapshot must be what snapshot() returned; load(path) reads a file", "snapshot"
            )
        self._send_control("PUT", "/_simulator/snapshot", json=snapshot)

    def save(self, path: str | PathLike[str], *, keep_personal: bool = False) -> Path:
        """Write the whole state to a file, without keys or document numbers.

        Names, contacts, birth dates, addresses and account numbers are left out unless
        `keep_personal` is set.

        >>> lab.simulator.save("bug.json").name
        'bug.json'
        """
        from .storage import write_file

        file_path = path_of(path)
        write_file(self.snapshot(), file_path, keep_personal=keep_personal)
        return file_path

    def load(self, path: str | PathLike[str]) -> None:
        """Replace the state by a file that `save` wrote.

        >>> lab.simulator.load(lab.simulator.save("bug.json"))
        """
        from .storage import read_file

        self.restore(read_file(path_of(path)))

    def events(self, resource_id: object = None) -> list[Event]:
        """Every event so far, or those of one resource or its id, oldest first.

        >>> lab.simulator.events(conversion.id)
        []
        """
        from ..webhooks.event import read_event

        event_rows = self._send_control("GET", "/_simulator/events")
        if resource_id is not None:
            wanted_id = _read_id(resource_id, "resource_id")
            event_rows = [
                event_row for event_row in event_rows if event_row["resource_id"] == wanted_id
            ]
        return [read_event(event_row["body"]) for event_row in event_rows]


def _read_id(value: object, argument: str) -> str:
    """The id of an object that the service sent, or an id itself; ArgumentError for others."""
    object_id = value.get("id") if isinstance(value, Mapping) else getattr(value, "id", value)
    if not isinstance(object_id, str):
        raise ArgumentError(f"{argument} must be an object or its id, not {value!r:.60}", argument)
    return object_id
