"""Bringing about an event of one's own resource, by the legal moves that lead to it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ..corridors import examples
from ..errors import ConfigError, NotFoundError, SimulatorError
from ..spec import codes
from ..spec.status import Machine
from ..webhooks.event import FAMILIES, Event
from .inbox import current

if TYPE_CHECKING:
    from ..simulator.panel import Panel
    from .lab import Lab

TARGETS: Mapping[str, str] = {
    "transfer.funded": "started",
    "transfer.payout_initiated": "started",
    "transfer.completed": "completed",
    "transfer.failed": "failed",
    "transfer.expired": "expired",
    "conversion.payout_initiated": "started",
    "conversion.completed": "completed",
    "conversion.failed": "failed",
}
"""The status in which an event leaves its resource; the others are there from the start."""

ONWARD: Mapping[str, str] = {
    "action_required": "pending",
    "pending": "active",
    "under_review": "active",
}
"""Where an individual is moved when no status is named."""

BY_ITSELF = "transfer.payout_initiated"
"""An event without a move: it follows funding one step later."""

CLABE = "999999000000000002"
"""An account at a bank that does not exist."""

PATIENCE = 30
"""Seconds, on the simulator's clock, that a step which happens by itself is waited for."""


def trigger(
    lab: Lab, event_type: str, resource_id: str | None = None, *, to: str | None = None
) -> list[Event]:
    """Bring an event about; gives the events of its resource since, that one among them.

    Without an id a new resource is made for it; the id of a conversion account stands for a new
    deposit into it. `to` names an individual's new status. What no legal move leads to is a
    SimulatorError that says which moves are legal.
    """
    panel = _panel(lab, event_type)
    family = event_type.partition(".")[0]
    row = current(lab.client, family, resource_id) if resource_id else None
    if row is None or not resource_id:
        made = _make(lab, panel, event_type, resource_id)
        return _since(lab, panel, event_type, made, 0)
    before = len(panel.events(resource_id))
    for state in _way(panel, event_type, row, to):
        panel.move(resource_id, state)
    return _since(lab, panel, event_type, resource_id, before)


def _panel(lab: Lab, event_type: str) -> Panel:
    if event_type not in codes.EVENT_TYPES:
        raise ConfigError(f"{event_type[:60]!a} must be one of {', '.join(codes.EVENT_TYPES)}")
    if lab.simulator is None:
        raise ConfigError("only a simulator can be made to send events")
    return lab.simulator


def _way(panel: Panel, event_type: str, row: Mapping[str, Any], to: str | None) -> list[str]:
    """The states to move through; none for an event that is on its way by itself."""
    machine = FAMILIES[event_type.partition(".")[0]][1]
    status = str(row.get("status"))
    if event_type == "individual.status_changed":
        wanted = to or ONWARD.get(status)
    else:
        wanted = TARGETS.get(event_type)
    if event_type == BY_ITSELF and status == wanted and not _happened(panel, event_type, row):
        return []
    way = _path(machine, status, wanted)
    if not way:
        legal = ", ".join(machine.onward(status)) or "none, the state is final"
        raise SimulatorError(
            f"{row.get('id')} is {status}, from where {event_type} cannot happen; "
            f"legal moves: {legal}"
        )
    return way


def _path(machine: Machine, start: str, end: str | None) -> list[str]:
    """The fewest states to go through; empty when nothing leads there, or one is there."""
    ways: dict[str, list[str]] = {start: []}
    waiting = [start]
    while waiting and end not in ways:
        state = waiting.pop(0)
        new = [following for following in machine.onward(state) if following not in ways]
        ways.update({following: [*ways[state], following] for following in new})
        waiting += new
    return ways.get(str(end), [])


def _happened(panel: Panel, event_type: str, row: Mapping[str, Any]) -> bool:
    return any(event.type == event_type for event in panel.events(str(row.get("id"))))


def _since(lab: Lab, panel: Panel, event_type: str, resource_id: str, before: int) -> list[Event]:
    """The events since, once the one wanted is among them."""
    for _ in range(PATIENCE):
        events = panel.events(resource_id)[before:]
        if any(event.type == event_type for event in events):
            return events
        lab.sleep(1.0)
    raise SimulatorError(f"{event_type} of {resource_id} did not come within {PATIENCE} s")


def _make(lab: Lab, panel: Panel, event_type: str, account_id: str | None) -> str:
    """A new resource, on its way to the event by itself; its id."""
    family = event_type.partition(".")[0]
    if family == "conversion":
        account = account_id or _conversion_account(lab, panel)
        return _conversion(lab, account, fails=event_type == "conversion.failed")
    if account_id:
        raise NotFoundError(404, f"{family} not found")
    return _transfer(lab, event_type) if family == "transfer" else _individual(lab, panel)


def _individual(lab: Lab, panel: Panel) -> str:
    fields = examples.individual("MX", consent_at=lab.clock())
    person = lab.individuals.create(**fields)
    panel.move(person.id, "pending")
    return person.id


def _conversion_account(lab: Lab, panel: Panel) -> str:
    person = _individual(lab, panel)
    lab.individuals.wait(person, until="active")
    wallet = lab.financial_accounts.create(person, "crypto_wallet", examples.wallet(lab.service))
    return lab.conversion_accounts.create(person, wallet.id, "mxn", new=True).id


def _conversion(lab: Lab, account_id: str, *, fails: bool) -> str:
    account = lab.conversion_accounts.get(account_id)
    currency = str(account.source_currency)
    sender = "Scenario Failed" if fails else None
    lab.sandbox.deposit(account_id, codes.DEPOSIT_CAPS[currency.lower()], currency, sender)
    newest = (one for one in lab.conversions.list() if one.conversion_account_id == account_id)
    return next(newest).id


def _transfer(lab: Lab, event_type: str) -> str:
    fields = examples.individual("MX", consent_at=lab.clock(), product="global_payouts")
    person = lab.individuals.create(**fields)
    details = {**examples.account("MX", lab.service)["details"], "clabe": CLABE}
    account = lab.financial_accounts.create(person.id, "bank_account", details)
    word = {"transfer.failed": "failed", "transfer.expired": "expired"}.get(event_type)
    reference = f"scenario:{word}" if word else "trigger"
    return lab.transfers.create(
        account,
        source_amount="100.00",
        source_currency="usd",
        destination_currency="mxn",
        payout_method=lab.service.payout_methods("MX")[0],
        client_reference_id=reference,
        new=True,  # run again it is another transfer, to another account
    ).id
