"""Forms for a conversion account and for a sandbox deposit into it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from decimal import Decimal
from typing import Any

from ...errors.base import Problem, RuleError
from ...rules import accounts, deposits
from ...spec import codes
from ...spec.models import ConversionAccount, Deposit, FinancialAccount
from ...spec.resource import created
from ...spec.service.service import Service
from ...spec.status import CONVERSION_ACCOUNT
from ..html import Row
from .code import call
from .field import RADIO, SELECT, FormField
from .form import Form
from .live import Refresher, Timeline
from .order import OrderForm


class ConversionAccountForm(OrderForm):
    """Open a conversion account with `create(wallet_id, currency, **more)`.

    The newest wallet is preselected, unless `wallet` is the id of another one. While the account
    is pending, a clicked form polls `look(id)` on the event loop; `submit()` in code blocks in
    `wait(id)`. The account is created only once. `how` are options of `Refresher`.
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
        wallet: str | None = None,
        service: Service | None = None,
        **how: Any,
    ) -> None:
        self._create = create
        self._wait = wait
        self._owner = individual_id
        self._account: ConversionAccount | None = None
        self._timeline = Timeline(CONVERSION_ACCOUNT)
        self._service = service
        self.watch = Refresher(
            lambda: look(self._account.id if self._account else ""),
            self._see,
            _settled,
            fail=self.show_error,
            **how,
        )
        self._wallets = {wallet.id: wallet for wallet in newest_first(wallets)}
        options = [(_named(wallet_option), id_) for id_, wallet_option in self._wallets.items()]
        currencies = [(currency.upper(), currency)]
        wallets_field = FormField("payout_account", "Wallet to pay out to", SELECT, options=options)
        if wallet is not None:
            if wallet not in self._wallets:
                wallet_ids = ", ".join(self._wallets)
                message = f"{wallet} is not a wallet of this person: choose one of {wallet_ids}"
                raise RuleError([Problem("wallet", message)])
            wallets_field.put(wallet)
        paid = FormField("source_currency", "Currency of the deposits", SELECT, options=currencies)
        reference = FormField("client_reference_id", "Your reference")
        required = service.conversion_accounts.required if service else ()
        if reference.name in required:
            reference.put(f"onramp-{individual_id[-8:]}")
        fields = [wallets_field, paid, reference]
        if "destination_currency" in required:
            coins = [(code, code) for code in codes.STABLECOINS]
            fields.append(FormField("destination_currency", "Paid out in", SELECT, options=coins))
        for field in fields:
            field.require(field is not reference or reference.name in required)
        super().__init__(fields)

    def _judge(self, values: dict[str, Any]) -> list[Problem]:
        body = {"individual_id": self._owner or "-", **values}
        body["payout_account"] = {"id": values.get("payout_account")}
        return deposits.check_account(body, service=self._service)

    def _warn(self, values: dict[str, Any]) -> list[Problem]:
        """Warn when the address of the chosen wallet looks mistyped."""
        chosen = self._wallets.get(str(values.get("payout_account")))
        details = (chosen.details if chosen else None) or {}
        return accounts.warn_address(
            details.get("network"), details.get("address"), "payout_account"
        )

    @property
    def begun(self) -> bool:
        """Whether an account was created, even if it is still pending."""
        return self._account is not None

    def _send(self, values: dict[str, Any]) -> ConversionAccount | None:
        """Open the account once, then wait for it, or poll it after a click."""
        if self._account is None:
            optional = dict(values)
            wallet = optional.pop("payout_account")
            currency = optional.pop("source_currency")
            self._account = self._create(wallet, currency, **optional, **self.more)
        if _settled(self._account):
            return self._account
        self._see(self._account)
        if self.attended and self.watch.start():
            return None
        self.watch.stop()
        self._account = self._wait(self._account.id)
        return self._account

    def _script(self, values: dict[str, Any]) -> str:
        """The equivalent call, with a wait after a 202."""
        optional = {**values, **self.more}
        wallet = optional.pop("payout_account", "")
        currency = optional.pop("source_currency", "")
        creation = call(
            "lab.conversion_accounts.create", optional, self._owner, wallet, currency, to="account"
        )
        return f"{creation}\naccount = lab.conversion_accounts.wait(account.id)"

    def outcome(self, result: ConversionAccount) -> list[Row]:
        """The account's id and status."""
        paid = (result.source_currency or "").upper()
        rows = [("Account", result.id), ("Status", str(result.status))]
        return [*rows, ("Converts", f"{paid} to {result.destination_currency or ''}")]

    def restart(self) -> None:
        """Reset the form to open another account."""
        self._account = None
        self._timeline = Timeline(CONVERSION_ACCOUNT)
        super().restart()

    def tell(self, headline: str, rows: Sequence[Row]) -> None:
        """Show the outcome, and the states of the account."""
        super().tell(headline, rows)
        self._timeline.add(str(self._account.status) if self._account else None, {})
        self.message.html += self._timeline.html()

    def _see(self, account: ConversionAccount) -> None:
        self._account = account
        if self.result is None and not _settled(account):
            self.button.text = "Provisioning…"
            self._timeline.add(account.status, {})
            self.message.html = self._timeline.html()
            self.redraw()
        elif self.result is None and self.watch.running:
            self.finish(account)


def newest_first(wallets: Iterable[FinancialAccount]) -> list[FinancialAccount]:
    """Wallets by time of creation; for equal or unknown times, the last in the list first."""
    return sorted(wallets, key=created)[::-1]


def _settled(account: ConversionAccount) -> bool:
    return account.status in codes.OPENED


def _named(wallet: FinancialAccount) -> str:
    details = wallet.details or {}
    address = str(details.get("address", ""))
    short = f"{address[:6]}…{address[-4:]}" if len(address) > 12 else address
    return f"{short} on {details.get('network', 'an unknown network')}"


SMALL = Decimal(10)
"""The amount that a form suggests in a currency whose cap is not known."""

OWN = "own"
ANOTHER = "another"
MISSING = "missing"
SENDERS = {
    OWN: "The person's own name",
    ANOTHER: "Another name",
    MISSING: "No name: the deposit is held for review",
}


class DepositForm(Form):
    """Make a sandbox deposit with `send(amount, currency, sender_name)`, of at most `cap` if known.

    `sender_name` is None for the person's own name, and empty for no name.
    """

    title = "Sandbox deposit"
    action = "Pay this deposit"
    sent_title = "The deposit was accepted"

    def __init__(
        self,
        send: Callable[..., Deposit],
        currency: str,
        cap: Decimal | None = None,
        *,
        account_id: str = "",
        service: Service | None = None,
    ) -> None:
        self._service = service
        self._create = send
        self.currency = currency
        self.cap = cap
        self._account = account_id
        unit = currency.upper()
        most = f"At most {cap} {unit}." if cap else ""
        choices = [(text, key) for key, text in SENDERS.items()]
        fields = [
            FormField("amount", f"Amount in {unit}", value=str(cap or SMALL), hint=most),
            FormField("sender", "Sender", RADIO, options=choices),
            FormField("sender_name", "Name of the sender"),
        ]
        for field in fields:
            field.require(True if field.name != "sender" else None)
        super().__init__(fields)

    def values(self) -> dict[str, Any]:
        """The deposit to send."""
        inputs = super().values()
        sender = inputs.pop("sender")
        name = inputs.pop("sender_name", None)
        sender_fields = {OWN: {}, ANOTHER: {"sender_name": name}, MISSING: {"sender_name": ""}}[
            sender
        ]
        return {**inputs, "currency": self.currency, **sender_fields}

    def _judge(self, values: dict[str, Any]) -> list[Problem]:
        """Problems by the spec and by assumptions, and a missing name of another sender."""
        body = {"conversion_account_id": "-", **values}
        problems = deposits.check(body, self.currency, self._service)
        if values.get("sender_name", "") is None:
            problems.append(Problem("sender_name", "is required"))
        return problems

    def _script(self, values: dict[str, Any]) -> str:
        optional = dict(values)
        amount = optional.pop("amount", "")
        currency = optional.pop("currency")
        return call("lab.sandbox.deposit", optional, self._account, amount, currency, to="deposit")

    def outcome(self, result: Deposit) -> list[Row]:
        """The deposit's id and amount."""
        return [("Deposit", result.id), ("Amount", f"{result.amount} {result.currency or ''}")]

    def _adjust(self) -> None:
        self.fields["sender_name"].visible = self.fields["sender"].value == ANOTHER
