"""Forms for a conversion account and for a sandbox deposit into it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from decimal import Decimal
from typing import Any

from ...errors.base import Problem, RuleError
from ...rules import deposits, wallet_addresses
from ...spec import codes
from ...spec.models import ConversionAccount, Deposit, FinancialAccount
from ...spec.resource import creation_time
from ...spec.service.service import Service
from ...spec.status import CONVERSION_ACCOUNT
from ...spec.text import JsonObject
from .. import html
from ..html import Row
from .code import write_call
from .field import RADIO, SELECT, FormField, make_amount_field
from .form import Form
from .nodes import Html, side_by_side
from .order import OrderForm
from .refresher import Refresher
from .timeline import Timeline


class ConversionAccountForm(OrderForm):
    """Open a conversion account with `create(wallet_id, currency, **options)`.

    The newest wallet is preselected, unless `wallet` is the id of another one. While the account
    is pending, a clicked form polls `read(id)` on the event loop; `submit()` in code blocks in
    `wait(id)`. The account is created only once. `status_note` is shown above the inputs.
    `refresh_options` are those of `Refresher`.
    """

    title = "Conversion account"
    action = "Open the account"
    sent_title = "The account is open"
    again_text = "Open another account"
    repeated_title = "The account is open: it existed already, and nothing new was created"
    another_note = (
        "Nothing is sent yet. “Open the account” now opens one more account in addition to {}, "
        "even for the same wallet and currency."
    )

    def __init__(  # noqa: PLR0913 - what it does, what it chooses from, how it waits
        self,
        create: Callable[..., ConversionAccount],
        wait: Callable[[str], ConversionAccount],
        read: Callable[[str], ConversionAccount],
        wallets: Sequence[FinancialAccount],
        currency: str,
        *,
        individual_id: str = "",
        status_note: str = "",
        wallet: str | None = None,
        service: Service | None = None,
        **refresh_options: Any,
    ) -> None:
        """Make the form; RuleError if no wallet has the id `wallet`."""
        self._create = create
        self._wait = wait
        self._read = read
        self._owner_id = individual_id
        self._account: ConversionAccount | None = None
        self._was_found = False
        self._timeline = Timeline(CONVERSION_ACCOUNT)
        self._service = service
        self.refresher = Refresher(
            self._read_account,
            self._show_account,
            _is_opened,
            on_error=self.show_error,
            **refresh_options,
        )
        self._wallets = {account.id: account for account in newest_first(wallets)}
        fields = self._make_fields(currency, wallet)
        note_html = f'<p class="paylab-warning">{html.escape(status_note)}</p>'
        super().__init__(fields, [Html(note_html if status_note else ""), side_by_side(fields)])

    def _make_fields(self, currency: str, wallet_id: str | None) -> list[FormField]:
        """Make the inputs; RuleError if the person has no wallet with this id."""
        wallet_options = [
            (_wallet_label(wallet), wallet_option_id)
            for wallet_option_id, wallet in self._wallets.items()
        ]
        wallet_field = FormField(
            "payout_account", "Wallet to pay out to", SELECT, options=wallet_options
        )
        if wallet_id is not None:
            self._raise_if_no_wallet(wallet_id)
            wallet_field.set_value(wallet_id)
        currency_field = FormField(
            "source_currency",
            "Currency of the deposits",
            SELECT,
            options=[(currency.upper(), currency)],
        )
        wallet_field.set_required(True)
        currency_field.set_required(True)
        return [wallet_field, currency_field, *self._make_service_fields()]

    def _make_service_fields(self) -> list[FormField]:
        """Make the inputs of fields that some services require: a reference and the coin."""
        required_names = self._service.conversion_accounts.required if self._service else ()
        reference_field = FormField("client_reference_id", "Your reference")
        reference_field.set_required(reference_field.name in required_names)
        if reference_field.name in required_names:
            reference_field.set_value(f"onramp-{self._owner_id[-8:]}")
        if "destination_currency" not in required_names:
            return [reference_field]
        coin_options = [(stablecoin, stablecoin) for stablecoin in codes.STABLECOINS]
        coin_field = FormField("destination_currency", "Paid out in", SELECT, options=coin_options)
        coin_field.set_required(True)
        return [reference_field, coin_field]

    def _raise_if_no_wallet(self, wallet_id: str) -> None:
        """RuleError for an id that none of the person's wallets has."""
        if wallet_id not in self._wallets:
            wallet_ids_text = ", ".join(self._wallets)
            message = f"{wallet_id} is not a wallet of this person: choose one of {wallet_ids_text}"
            raise RuleError([Problem("wallet", message)])

    def _find_problems(self, values: JsonObject) -> list[Problem]:
        """Problems of the account; a form without a person is checked as if it had one."""
        if self._owner_id and not self._wallets:
            message = "is missing: register one with lab.forms.wallet(person)"
            return [Problem("payout_account", message)]
        account_body = {"individual_id": self._owner_id or "-", **values}
        account_body["payout_account"] = {"id": values.get("payout_account")}
        return deposits.check_account(account_body, service=self._service)

    def _find_warnings(self, values: JsonObject) -> list[Problem]:
        """Warn when the address of the chosen wallet looks mistyped."""
        wallet = self._wallets.get(str(values.get("payout_account")))
        wallet_details = (wallet.details if wallet else None) or {}
        return wallet_addresses.find_address_warnings(
            wallet_details.get("network"), wallet_details.get("address"), "payout_account"
        )

    @property
    def is_started(self) -> bool:
        """Whether an account was created, even if it is still pending."""
        return self._account is not None

    def _send(self, values: JsonObject) -> ConversionAccount | None:
        """Open the account once, then wait for it; return None to poll it after a click."""
        if self._account is None:
            self._account = self._create_account(values)
            self._was_found = self._account.replayed
        if _is_opened(self._account):
            return self._account
        self._show_account(self._account)
        if self.in_click and self.refresher.start():
            return None
        self.refresher.stop()
        self._account = self._wait(self._account.id)
        return self._account

    def _was_made_before(self, result: object) -> bool:
        """Whether the account was found in the list, even if it was still pending then."""
        return self._was_found

    def _create_account(self, values: JsonObject) -> ConversionAccount:
        """Open an account for the chosen wallet and currency."""
        call_arguments = {**values, **self.order_options}
        wallet_id = call_arguments.pop("payout_account")  # the account to pay out to is a wallet
        currency = call_arguments.pop("source_currency")
        account: ConversionAccount = self._create(wallet_id, currency, **call_arguments)
        return account

    def _write_code(self, values: JsonObject) -> str:
        """The equivalent call, with a wait after a 202."""
        call_options = {**values, **self.order_options}
        wallet_id = call_options.pop("payout_account", "")
        currency = call_options.pop("source_currency", "")
        creation_code = write_call(
            "lab.conversion_accounts.create",
            self._owner_id,
            wallet_id,
            currency,
            keywords=call_options,
            assign_to="account",
        )
        return f"{creation_code}\naccount = lab.conversion_accounts.wait(account.id)"

    def result_rows(self, result: ConversionAccount) -> list[Row]:
        """The account's id, its status and its currencies."""
        source_currency = (result.source_currency or "").upper()
        return [
            ("Account", result.id),
            ("Status", str(result.status)),
            ("Converts", f"{source_currency} to {result.destination_currency or ''}"),
        ]

    def _forget_result(self) -> None:
        """Forget the account that was opened, and unlock the inputs."""
        self._account = None
        self._timeline = Timeline(CONVERSION_ACCOUNT)
        super()._forget_result()

    def show_result(self, headline: str, rows: Sequence[Row]) -> None:
        """Show the result, and the states of the account."""
        super().show_result(headline, rows)
        if self._account:
            self._timeline.add(str(self._account.status), {})
        self.controls.message.html += self._timeline.html()

    def _read_account(self) -> ConversionAccount:
        """Read the account that this form created."""
        return self._read(self._account.id if self._account else "")

    def _show_account(self, account: ConversionAccount) -> None:
        """Show a pending account; finish the form when the account is open."""
        self._account = account
        if self.result is not None:
            return
        if not _is_opened(account):
            self.controls.send_button.text = "Provisioning…"
            self._timeline.add(account.status, {})
            self.controls.message.html = self._timeline.html()
            self.redraw()
        elif self.refresher.is_running:
            self.finish(account)


def newest_first(wallets: Iterable[FinancialAccount]) -> list[FinancialAccount]:
    """Wallets by time of creation; for equal or unknown times, the last in the list first."""
    return sorted(wallets, key=creation_time)[::-1]


def _is_opened(account: ConversionAccount) -> bool:
    """Whether the wait for an account is over: it is not pending any more."""
    return account.status in codes.OPENED


def _wallet_label(wallet: FinancialAccount) -> str:
    """The shortened address of a wallet and its network."""
    wallet_details = wallet.details or {}
    address_text = str(wallet_details.get("address", ""))
    if len(address_text) > 12:
        address_text = f"{address_text[:6]}…{address_text[-4:]}"
    return f"{address_text} on {wallet_details.get('network', 'an unknown network')}"


DEFAULT_AMOUNT = Decimal(10)
"""The amount that a form suggests in a currency whose cap is not known."""

PERSON_NAME = "own"
OTHER_NAME = "another"
NO_NAME = "missing"
SENDER_LABELS = {
    PERSON_NAME: "The person's own name",
    OTHER_NAME: "Another name",
    NO_NAME: "No name: the deposit is held for review",
}


class DepositForm(Form):
    """Make a sandbox deposit with `send(amount, currency, sender_name)`, of at most `cap` if known.

    `sender_name` is None for the person's own name, and empty for no name.
    """

    title = "Sandbox deposit"
    action = "Simulate this payment (sandbox)"
    sent_title = "The deposit was accepted"
    again_text = "Pay another deposit"

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
        self._account_id = account_id
        super().__init__(self._make_fields())

    def _make_fields(self) -> list[FormField]:
        """Make the inputs: the amount, whose name the deposit has, and another name."""
        currency_code = self.currency.upper()
        suggested_amount = str(self.cap or DEFAULT_AMOUNT)
        amount_field = make_amount_field(f"Amount in {currency_code}", suggested_amount)
        if self.cap:
            amount_field.hint = f"At most {self.cap} {currency_code}."
        sender_options = [
            (sender_label, sender_value) for sender_value, sender_label in SENDER_LABELS.items()
        ]
        sender_field = FormField("sender", "Sender", RADIO, options=sender_options)
        name_field = FormField("sender_name", "Name of the sender")
        amount_field.set_required(True)
        name_field.set_required(True)
        return [amount_field, sender_field, name_field]

    def values(self) -> JsonObject:
        """The deposit to send."""
        input_values = super().values()
        sender_value = input_values.pop("sender")
        typed_name = input_values.pop("sender_name", None)
        deposit_values = {**input_values, "currency": self.currency}
        if sender_value == OTHER_NAME:
            deposit_values["sender_name"] = typed_name
        elif sender_value == NO_NAME:
            deposit_values["sender_name"] = ""
        return deposit_values

    def _find_problems(self, values: JsonObject) -> list[Problem]:
        """Problems by the spec and by assumptions, and a missing name of another sender."""
        deposit_body = {"conversion_account_id": "-", **values}
        problems = deposits.check(deposit_body, self.currency, self._service)
        if values.get("sender_name", "") is None:
            problems.append(Problem("sender_name", "is required"))
        return problems

    def _write_code(self, values: JsonObject) -> str:
        """The equivalent call: account, amount and currency, and the sender's name if given."""
        call_options = dict(values)
        amount_text = call_options.pop("amount", "")
        currency = call_options.pop("currency")
        return write_call(
            "lab.sandbox.deposit",
            self._account_id,
            amount_text,
            currency,
            keywords=call_options,
            assign_to="deposit",
        )

    def result_rows(self, result: Deposit) -> list[Row]:
        """The deposit's id and amount."""
        return [("Deposit", result.id), ("Amount", f"{result.amount} {result.currency or ''}")]

    def _adjust_inputs(self) -> None:
        """Ask for a name only if the sender is another person."""
        is_other_name = self.fields["sender"].value == OTHER_NAME
        self.fields["sender_name"].visible = is_other_name
