"""The steps of each scenario: what is created at a simulator so that an outcome happens."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import datetime
from typing import TYPE_CHECKING, Any, Protocol

from ..corridors import examples
from ..corridors.on_ramps import need_on_ramp
from ..errors.base import WaitTimeoutError
from ..light_dataclass import light_dataclass
from ..spec import codes
from ..spec.models import ConversionAccount, Individual, Transfer

if TYPE_CHECKING:
    from ..client.call_log import CallLog
    from ..client.resources.conversions import ConversionAccounts, Conversions
    from ..client.resources.individuals import FinancialAccounts, Individuals
    from ..client.resources.sandbox import Sandbox
    from ..client.resources.transfers import Transfers
    from ..simulator.controls import Controls
    from ..spec.service.service import Service
    from ..webhooks.event import Event
    from ..webhooks.inbox import Inbox

COUNTRY = "MX"
"""The country of the people that are created."""

WAIT_SECONDS = 60.0
"""Longest wait for an outcome, on the simulator's clock."""

HELD_SECONDS = 3.0
"""Longest wait for the conversion of a deposit; one that is held for review never completes."""


VERIFICATION_ENDS = ("active", "action_required", "rejected", "under_review")
"""The statuses in which a verification ends or waits for somebody."""


@light_dataclass(frozen=True)
class HistoryStep:
    """Something that happened to an object: when, what, and the status afterwards."""

    at: datetime | None
    what: str
    status: str = ""


class ScenarioClient(Protocol):
    """The part of a client that a scenario uses."""

    calls: CallLog
    service: Service
    clock: Callable[[], datetime]
    sleep: Callable[[float], None]

    @property
    def individuals(self) -> Individuals:
        """Individuals."""

    @property
    def financial_accounts(self) -> FinancialAccounts:
        """Their accounts."""

    @property
    def conversion_accounts(self) -> ConversionAccounts:
        """Accounts for deposits."""

    @property
    def conversions(self) -> Conversions:
        """Conversions of deposits."""

    @property
    def sandbox(self) -> Sandbox:
        """Simulated deposits."""

    @property
    def transfers(self) -> Transfers:
        """Payouts."""


@light_dataclass(frozen=True)
class ScenarioParts:
    """The tools of a scenario: a client of a simulator, its controls, its events, and an inbox."""

    client: ScenarioClient
    controls: Controls
    events: Callable[[str], list[Event]]
    open_inbox: Callable[[str], Inbox]


@light_dataclass(frozen=True)
class ScenarioOutcome:
    """The last state of the object that a scenario created, and the steps on its way."""

    resource: Any
    way: tuple[HistoryStep, ...]


def run_individual(parts: ScenarioParts, family_name: str) -> ScenarioOutcome:
    """Verify an individual with a family name that decides the outcome.

    "Verification Image Blurry Then Passes" has an outcome for each of two verifications.
    """
    individual_fields = examples.individual(COUNTRY, consent_at=parts.client.clock())
    person = parts.client.individuals.create(**{**individual_fields, "family_name": family_name})
    created_step = HistoryStep(person.created_at, "created: images are needed", str(person.status))
    for _ in family_name.lower().split(" then "):  # an outcome for each verification
        parts.controls.move(person.id, "pending")  # the move that an upload of images makes
        person = parts.client.individuals.wait(
            person.id, until=VERIFICATION_ENDS, timeout=WAIT_SECONDS
        )
    return ScenarioOutcome(person, (created_step, *_list_event_steps(parts, person.id)))


def run_deposit(parts: ScenarioParts, sender_name: str) -> ScenarioOutcome:
    """Pay a deposit with a sender name that decides the outcome."""
    person = _create_active_person(parts)
    account = _create_conversion_account(parts, person)
    account = parts.client.conversion_accounts.wait(account)
    currency = str(account.source_currency)
    deposit_amount = need_on_ramp(currency=currency).cap
    parts.client.sandbox.deposit(account.id, deposit_amount, currency, sender_name)
    with suppress(WaitTimeoutError):  # a deposit that is held for review makes no final conversion
        parts.client.conversions.wait(conversion_account_id=account.id, timeout=HELD_SECONDS)
    conversion = parts.client.conversions.newest(account.id)
    conversion_id = "" if conversion is None else conversion.id
    return ScenarioOutcome(conversion, _list_event_steps(parts, conversion_id))


def run_transfer(parts: ScenarioParts, reference: str) -> ScenarioOutcome:
    """Send a payout with a reference that decides the outcome."""
    transfer = _pay_new_recipient(parts, reference)
    expected_status = reference.rpartition(":")[2]  # `failed` of `scenario:failed`
    transfer = parts.client.transfers.wait(transfer.id, until=expected_status, timeout=WAIT_SECONDS)
    steps = _list_event_steps(parts, transfer.id)
    if steps and steps[-1].status != transfer.status:  # the last change of status sends no event
        silent_step = HistoryStep(
            transfer.updated_at, "no event is sent: a GET shows it", str(transfer.status)
        )
        steps = (*steps, silent_step)
    return ScenarioOutcome(transfer, steps)


def run_slow_account(parts: ScenarioParts, reference: str) -> ScenarioOutcome:
    """Open a conversion account with a reference that makes provisioning slow."""
    person = _create_active_person(parts)
    account = _create_conversion_account(parts, person, reference)
    open_account = parts.client.conversion_accounts.wait(account, timeout=WAIT_SECONDS)
    steps = (
        HistoryStep(account.created_at, "the POST answers 202", str(account.status)),
        HistoryStep(
            open_account.updated_at, "a GET has deposit instructions", str(open_account.status)
        ),
    )
    return ScenarioOutcome(open_account, steps)


def run_lost_answer(parts: ScenarioParts, _value: str) -> ScenarioOutcome:
    """Send a payout whose first answer is lost: it is sent again with the same key.

    No value of a field causes this: the scenario sets a fault of the simulator.
    """
    account_id = _create_recipient_account(parts)
    newest_call_number = parts.client.calls[-1].number if parts.client.calls else 0
    with parts.controls.faults.on("transfers.create", "drop_after", times=1):
        transfer = _create_payout(parts, account_id)
    steps = [
        HistoryStep(call.when, f"POST, attempt {call.attempt}: {call.outcome()}")
        for call in parts.client.calls.where(method="POST")
        if call.number > newest_call_number and call.idempotency_key  # not the call of a control
    ]
    steps.append(HistoryStep(transfer.created_at, "one payout in the list", str(transfer.status)))
    return ScenarioOutcome(transfer, tuple(steps))


def run_duplicate_event(parts: ScenarioParts, _value: str) -> ScenarioOutcome:
    """Receive the last event of a payout twice, in an inbox that is closed afterwards.

    No value of a field causes this: the scenario sets a fault of the simulator.
    """
    with parts.open_inbox("transfer.completed") as inbox:
        with parts.controls.faults.on("transfer.completed", "event_duplicate"):
            transfer = _pay_new_recipient(parts, reference="")
            transfer = parts.client.transfers.wait(transfer.id)
            inbox.wait(id=transfer.id)
        parts.client.sleep(1.0)  # the second delivery comes after the first one
        arrivals = list(inbox.where(id=transfer.id))
    inbox_steps = [
        HistoryStep(
            arrival.at,
            f"{arrival.type} delivered {arrival.deliveries} times, kept once",
            str(arrival.status),
        )
        for arrival in arrivals
    ]
    return ScenarioOutcome(transfer, (*_list_event_steps(parts, transfer.id), *inbox_steps))


RUNNERS: Mapping[str, Callable[[ScenarioParts, str], ScenarioOutcome]] = {
    "individual": run_individual,
    "deposit": run_deposit,
    "transfer": run_transfer,
    "conversion account": run_slow_account,
    "call": run_lost_answer,
    "event": run_duplicate_event,
}
"""What runs a scenario, by the object that its value belongs to."""


def _list_event_steps(parts: ScenarioParts, resource_id: str) -> tuple[HistoryStep, ...]:
    """The events of an object, as the simulator recorded them."""
    return tuple(
        HistoryStep(event.updated_at, event.type, str(event.status or ""))
        for event in parts.events(resource_id)
    )


def _create_active_person(parts: ScenarioParts) -> Individual:
    """Create an individual of an on-ramp, and wait until it is verified."""
    person = parts.client.individuals.create(
        **examples.individual(COUNTRY, consent_at=parts.client.clock())
    )
    parts.controls.move(person.id, "pending")
    return parts.client.individuals.wait(person.id, until="active")


def _create_conversion_account(
    parts: ScenarioParts, person: Individual, reference: str | None = None
) -> ConversionAccount:
    """Register a wallet and open a conversion account for it."""
    wallet = parts.client.financial_accounts.create(
        person, codes.CRYPTO_WALLET, examples.wallet(parts.client.service)
    )
    currency = need_on_ramp(country=COUNTRY).currency
    return parts.client.conversion_accounts.create(
        person, wallet.id, currency, client_reference_id=reference, new=True
    )


def _create_recipient_account(parts: ScenarioParts) -> str:
    """Create a recipient of payouts; return the id of its account."""
    person = parts.client.individuals.create(**examples.recipient(COUNTRY, parts.client.service))
    account_fields = examples.account(COUNTRY, parts.client.service)
    return parts.client.financial_accounts.create(person.id, **account_fields).id


def _pay_new_recipient(parts: ScenarioParts, reference: str) -> Transfer:
    """Send a payout to a new recipient; each one is a payment of its own."""
    return _create_payout(parts, _create_recipient_account(parts), reference or None)


def _create_payout(parts: ScenarioParts, account_id: str, reference: str | None = None) -> Transfer:
    """Create a payout of 10.00 USD to an account; with `new`, so that each run pays again."""
    return parts.client.transfers.create(
        account_id,
        source_amount="10.00",
        source_currency="USD",
        destination_currency="MXN",
        payout_method=parts.client.service.payout_methods(COUNTRY)[0],
        client_reference_id=reference,
        new=True,
    )
