"""Forms for a conversion account and for a sandbox deposit into it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Sequence
from datetime import datetime
from decimal import Decimal
from typing import Any

from ipywidgets import HTML, Dropdown, RadioButtons, Text

from ...errors import Problem
from ...rules import accounts, deposits
from ...spec.models import ConversionAccount, Deposit, FinancialAccount
from ...spec.status import CONVERSION_ACCOUNT
from ..cards import deposit_card
from ..html import Row
from .field import FormField, call
from .form import Form
from .live import Look, Refresher, in_thread, line


def picture(account: object) -> HTML:
    """The card of an account's deposit instructions, as a widget."""
    card = deposit_card(getattr(account, "deposit_instructions", None) or account)
    return HTML(card._repr_mimebundle_()["text/html"])


PENDING = "pending"


class ConversionAccountForm(Form):
    """Opens a conversion account with `create(wallet_id, currency, **more)`.

    The newest wallet is preselected. While the account is pending, a click shows it being
    provisioned and asks `look(id)` again on the kernel's loop; in code, `wait(id)` waits for it.
    Nothing is ever created twice.
    """

    title = "Conversion account"
    action = "Open the account"
    sent_title = "The account is open"

    def __init__(  # noqa: PLR0913 - what it does, what it chooses from, how it waits
        self,
        create: Callable[..., ConversionAccount],
        wait: Callable[[str], ConversionAccount],
        look: Callable[[str], ConversionAccount],
        wallets: Sequence[FinancialAccount],
        currency: str,
        *,
        individual_id: str = "",
        pass_time: Callable[[float], None] = lambda _: None,
        run: Callable[[Look], Awaitable[Any]] = in_thread,
    ) -> None:
        self._create, self._wait, self._owner = create, wait, individual_id
        self._account: ConversionAccount | None = None
        self.watch = Refresher(
            lambda: look(self._pending_id),
            self._see,
            _settled,
            fail=self.show_error,
            pass_time=pass_time,
            run=run,
        )
        self._wallets = {wallet.id: wallet for wallet in newest_first(wallets)}
        named = [(_named(wallet), id_) for id_, wallet in self._wallets.items()]
        paid = Dropdown(options=[(currency.upper(), currency)])
        super().__init__(
            [
                FormField("payout_account", "Wallet to pay out to", Dropdown(options=named)),
                FormField("source_currency", "Paid in", paid),
                FormField("client_reference_id", "Your reference (optional)", Text()),
            ]
        )

    def problems(self) -> list[Problem]:
        """What the spec and our assumptions find wrong."""
        values = self.values()
        body = {"individual_id": self._owner or "-", **values}
        body["payout_account"] = {"id": values.get("payout_account")}
        return deposits.check_account(body)

    def warnings(self) -> list[Problem]:
        """A chosen wallet whose address looks mistyped: what is paid out to it is lost."""
        chosen = self._wallets.get(self.fields["payout_account"].value)
        details = (chosen.details if chosen else None) or {}
        return accounts.warn_address(
            details.get("network"), details.get("address"), "payout_account"
        )

    @property
    def begun(self) -> bool:
        """Whether an account was created, even if it is still pending."""
        return self._account is not None

    def send(self) -> ConversionAccount | None:
        """Open the account, once; then wait for it, or watch it where a person looks on."""
        if self._account is None:
            values = self.values()
            wallet, currency = values.pop("payout_account"), values.pop("source_currency")
            self._account = self._create(wallet, currency, **values)
        if _settled(self._account):
            return self._account
        self._see(self._account)
        if self.attended and self.watch.start():
            return None
        self.watch.stop()
        return self._wait(self._account.id)

    def script(self) -> str:
        """The call, and the waiting that a 202 asks for."""
        values = self.values()
        wallet, currency = values.pop("payout_account", ""), values.pop("source_currency", "")
        arguments = self._owner, wallet, currency
        made = call("lab.conversion_accounts.create", values, *arguments, to="account")
        return f"{made}\naccount = lab.conversion_accounts.wait(account.id)"

    def outcome(self, result: ConversionAccount) -> list[Row]:
        """Which account it is."""
        paid = (result.source_currency or "").upper()
        rows = [("Account", result.id), ("Status", str(result.status))]
        return [*rows, ("Converts", f"{paid} to {result.destination_currency or ''}")]

    def restart(self) -> None:
        """Open another one."""
        self._account = None
        super().restart()

    @property
    def _pending_id(self) -> str:
        return self._account.id if self._account else ""

    def _see(self, account: ConversionAccount) -> None:
        self._account = account
        if self.result is None and not _settled(account):
            self.button.description = "Provisioning…"
            self.message.value = line(CONVERSION_ACCOUNT, account.status)
        elif self.result is None and self.watch.running:
            self.finish(account)
            self.keep()


def newest_first(wallets: Iterable[FinancialAccount]) -> list[FinancialAccount]:
    """Wallets by their time of creation; of equal or unknown times, the last in the list first."""
    return sorted(wallets, key=_created)[::-1]


def _created(wallet: FinancialAccount) -> float:
    return wallet.created_at.timestamp() if isinstance(wallet.created_at, datetime) else 0.0


def _settled(account: ConversionAccount) -> bool:
    return account.status != PENDING


def _named(wallet: FinancialAccount) -> str:
    details = wallet.details or {}
    address = str(details.get("address", ""))
    short = f"{address[:6]}…{address[-4:]}" if len(address) > 12 else address
    return f"{short} on {details.get('network', 'an unknown network')}"


OWN, ANOTHER, MISSING = "own", "another", "missing"
SENDERS = {
    OWN: "The person's own name",
    ANOTHER: "Another name",
    MISSING: "No name at all: the deposit is held for review",
}


class DepositForm(Form):
    """Pays in with `send(amount, currency, sender_name)`, at most `cap` at a time.

    `sender_name` is None for the person's own name, and empty for a missing one.
    """

    title = "Sandbox deposit"
    action = "Pay this in"
    sent_title = "The deposit is on its way"

    def __init__(
        self,
        send: Callable[..., Deposit],
        currency: str,
        cap: Decimal,
        *,
        account_id: str = "",
    ) -> None:
        self._send, self.currency, self.cap, self._account = send, currency, cap, account_id
        unit = currency.upper()
        amount, limit = Text(value=str(cap)), f"At most {cap} {unit}."
        choices = [(text, key) for key, text in SENDERS.items()]
        super().__init__(
            [
                FormField("amount", f"Amount in {unit}", amount, limit),
                FormField("sender", "Who it comes from", RadioButtons(options=choices, value=OWN)),
                FormField("sender_name", "Name of the sender", Text()),
            ]
        )
        self._follow_sender()

    def values(self) -> dict[str, Any]:
        """The deposit as it would be sent."""
        found = super().values()
        sender, name = found.pop("sender"), found.pop("sender_name", None)
        named = {OWN: {}, ANOTHER: {"sender_name": name}, MISSING: {"sender_name": ""}}[sender]
        return {**found, "currency": self.currency, **named}

    def problems(self) -> list[Problem]:
        """What the spec and our assumptions find wrong, and another name that is not given."""
        values = self.values()
        found = deposits.check({"conversion_account_id": "-", **values}, self.currency)
        if values.get("sender_name", "") is None:
            found.append(Problem("sender_name", "is required: whose name should it be?"))
        return found

    def send(self) -> Deposit:
        """Pay in."""
        return self._send(**self.values())

    def script(self) -> str:
        """The call that pays in the same."""
        values = self.values()
        amount, currency = values.pop("amount", ""), values.pop("currency")
        arguments = self._account, amount, currency
        return call("lab.sandbox.deposit", values, *arguments, to="deposit")

    def outcome(self, result: Deposit) -> list[Row]:
        """What was paid in."""
        return [("Deposit", result.id), ("Amount", f"{result.amount} {result.currency or ''}")]

    def changed(self) -> None:
        """Ask for a name where another one pays."""
        self._follow_sender()
        super().changed()

    def _follow_sender(self) -> None:
        self.fields["sender_name"].show(self.fields["sender"].value == ANOTHER)
