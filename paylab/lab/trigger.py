"""Trigger an event of a resource, by the legal moves that lead to it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from ..client.identifiers import check_identifier, describe_other_kind
from ..corridors import examples
from ..corridors.on_ramps import need_on_ramp
from ..errors.api import NotFoundError
from ..errors.base import ConfigError, OptionError, Problem, SimulatorError
from ..errors.choices import describe_wrong_choice
from ..spec import codes
from ..spec.status import TRANSFER
from ..spec.text import plain
from ..webhooks.event import EVENT_TYPES_BY_STATUS, FAMILIES, Event
from .inbox import read_current

if TYPE_CHECKING:
    from ..simulator.controls import Controls
    from .lab import Lab

PAYOUT_INITIATED = "transfer.payout_initiated"
"""The event that follows the funding of a transfer without a change of status."""

TARGETS: Mapping[str, str] = {
    **{
        event: status
        for events in EVENT_TYPES_BY_STATUS.values()
        for status, event in events.items()
        if not event.endswith(".created")
    },
    PAYOUT_INITIATED: "started",
}
"""The status of the resource after an event; other events need no move."""

NEXT_STATUSES: Mapping[str, str] = {
    "action_required": "pending",
    "pending": "active",
    "under_review": "active",
}
"""The default status to move an individual to, by its status."""

STATUS_CHANGED = "individual.status_changed"
"""The event whose new status can be chosen."""

COUNTRY = "MX"
"""The country of individuals that are created for an event."""

EVENT_WAIT_SECONDS = 30
"""Maximum seconds, on the simulator's clock, to wait for an automatic step."""


def trigger(
    lab: Lab, event_type: str, resource: object = None, *, to: str | None = None
) -> list[Event]:
    """Trigger an event; return the new events of its resource, including that one.

    Without a resource or its id a new one is created; with a conversion account, a deposit.
    `to` is the status of an individual, new or not. Raises SimulatorError with the legal moves
    if no legal move leads to the event.
    """
    if event_type not in codes.EVENT_TYPES:
        message = describe_wrong_choice(codes.EVENT_TYPES, event_type)
        raise OptionError([Problem("event_type", message)])
    controls = lab.simulator
    if controls is None:
        raise ConfigError("only a simulator can trigger events: unset PAYLAB_BASE_URL")
    if to is not None and event_type != STATUS_CHANGED:
        message = f"is for {STATUS_CHANGED}, not for {event_type}"
        raise OptionError([Problem("to", message)])
    if to and to not in codes.INDIVIDUAL_STATUSES:
        message = describe_wrong_choice(codes.INDIVIDUAL_STATUSES, to)
        raise OptionError([Problem("to", message)])
    resource_id = None if resource is None else check_identifier(resource, "resource_id")
    event_family = event_type.partition(".")[0]
    sent_row = read_current(lab.client, event_family, resource_id) if resource_id else None
    if resource_id and sent_row is not None:
        event_count = len(lab.events(resource_id))
        _move_resource(controls, event_type, resource=sent_row, to=to)
        return _wait_for_events(lab, event_type, resource_id, event_count)
    # An id of no resource of this family may be the conversion account to pay into.
    new_resource_id = _create_resource(lab, controls, event_type, resource_id, to)
    return _wait_for_events(lab, event_type, new_resource_id, known_count=0)


def _move_resource(
    controls: Controls, event_type: str, resource: Mapping[str, object], to: str | None
) -> None:
    """Move a resource through the statuses that lead to an event.

    Nothing is moved for an event that follows by itself. `to` is the new status of an individual.
    SimulatorError names the legal moves if none of them leads to the event.
    """
    _, status_machine = FAMILIES[event_type.partition(".")[0]]
    resource_id = str(resource.get("id"))
    status = str(resource.get("status"))
    target_status = TARGETS.get(event_type)
    if event_type == STATUS_CHANGED:
        target_status = to or NEXT_STATUSES.get(status)
    if _follows_by_itself(controls, event_type, resource_id, status):
        return
    next_statuses = status_machine.path(status, target_status or "")
    if not next_statuses:
        legal_moves_text = ", ".join(status_machine.onward(status)) or "none, this status is final"
        raise SimulatorError(
            f"{resource_id} is {status}: {event_type} is not possible;"
            f" legal moves: {legal_moves_text}"
        )
    for next_status in next_statuses:
        controls.move(resource_id, next_status)


def _follows_by_itself(controls: Controls, event_type: str, resource_id: str, status: str) -> bool:
    """Whether the simulator sends an event without a move.

    It does so once for each funded transfer: its payout is initiated one step after funding.
    """
    is_of_funded_transfer = event_type == PAYOUT_INITIATED and status == TARGETS[event_type]
    if not is_of_funded_transfer:
        return False
    earlier_event_types = {event.type for event in controls.events(resource_id)}
    return event_type not in earlier_event_types


def _wait_for_events(lab: Lab, event_type: str, resource_id: str, known_count: int) -> list[Event]:
    """Wait for an event of a resource; return its events after the first `known_count`."""
    for _ in range(EVENT_WAIT_SECONDS):
        new_events = lab.events(resource_id)[known_count:]
        if any(event.type == event_type for event in new_events):
            return new_events
        lab.sleep(1.0)
    raise SimulatorError(
        f"{event_type} of {resource_id} did not occur within {EVENT_WAIT_SECONDS} s"
    )


def _create_resource(
    lab: Lab, controls: Controls, event_type: str, account_id: str | None, to: str | None
) -> str:
    """Create a resource that an event will be about; return its id.

    `account_id` is the conversion account to pay a deposit into; None for a new one.
    NotFoundError if it is given for an event that is not of a conversion.
    """
    event_family = event_type.partition(".")[0]
    if event_family == "conversion":
        return _pay_deposit(lab, controls, account_id, must_fail=event_type == "conversion.failed")
    if account_id:
        raise _not_found_error(account_id, event_family)
    if event_family == "transfer":
        return _create_transfer(lab, event_type)
    return _create_individual(lab, controls, to)


def _not_found_error(object_id: str, kind: str) -> NotFoundError:
    """The error for an id that no object of a kind has."""
    message = f"no {kind} has the id {plain(object_id, 60)}"
    hint = describe_other_kind(object_id, kind) or f"look in lab.{kind}s.list()"
    return NotFoundError(404, message, hint=hint)


def _create_individual(lab: Lab, controls: Controls, to: str | None = None) -> str:
    """Create an individual and move it to a status, by default to the next one; return its id."""
    individual_fields = examples.individual(COUNTRY, consent_at=lab.clock())
    person = lab.individuals.create(**individual_fields)
    _move_resource(controls, event_type=STATUS_CHANGED, resource=person.raw, to=to)
    return person.id


def _pay_deposit(lab: Lab, controls: Controls, account_id: str | None, *, must_fail: bool) -> str:
    """Pay a deposit into a conversion account, by default a new one; return its conversion's id.

    With `must_fail` the sender has the name by which a simulator fails the conversion.
    """
    if account_id is None:
        person_id = _create_individual(lab, controls)
        lab.individuals.wait(person_id, until="active")
        wallet_details = examples.wallet(lab.service)
        currency = need_on_ramp(country=COUNTRY).currency
        wallet = lab.financial_accounts.create(person_id, codes.CRYPTO_WALLET, wallet_details)
        account_id = lab.conversion_accounts.create(person_id, wallet.id, currency, new=True).id
    try:
        account = lab.conversion_accounts.get(account_id)
    except NotFoundError:
        raise _not_found_error(account_id, "conversion") from None
    on_ramp = need_on_ramp(currency=str(account.source_currency))
    sender_name = "Scenario Failed" if must_fail else None
    lab.sandbox.deposit(account_id, on_ramp.cap, on_ramp.currency, sender_name)
    conversion = lab.client.conversions.newest(account_id)
    if conversion is None:
        raise _not_found_error(account_id, "conversion")
    return conversion.id


def _create_transfer(lab: Lab, event_type: str) -> str:
    """Create a payout that ends with an event; return its id."""
    recipient_fields = examples.individual("MX", consent_at=lab.clock(), product="global_payouts")
    person = lab.individuals.create(**recipient_fields)
    account_details = examples.account("MX", lab.service)["details"]
    account = lab.financial_accounts.create(person.id, "bank_account", account_details)
    final_status = TARGETS.get(event_type)
    must_fail = TRANSFER.is_final(final_status) and final_status != "completed"
    # The beginning of a reference decides the outcome of a payout; the account makes it unique.
    reference_prefix = f"scenario:{final_status}" if must_fail else "trigger"
    return lab.transfers.create(
        account,
        source_amount="100.00",
        source_currency="usd",
        destination_currency="mxn",
        payout_method=lab.service.payout_methods("MX")[0],
        client_reference_id=f"{reference_prefix}:{account.id}",
    ).id
