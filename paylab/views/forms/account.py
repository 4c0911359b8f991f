"""Forms for financial accounts: bank accounts, digital wallets and crypto wallets."""

from __future__ import annotations

from collections.abc import Callable

from ...corridors import account_types, countries, examples
from ...corridors.country_names import NAMES
from ...errors.base import Problem
from ...rules import accounts
from ...spec import codes
from ...spec.models import FinancialAccount
from ...spec.service.service import Service
from ...spec.text import JsonMapping, JsonObject
from ..html import Row, escape
from .account_fields import LONG_DETAILS, NO_ACCOUNT, AccountFields, detail_label
from .code import write_call
from .field import COMBO, TEXT, FormField, assumed_values_hint
from .field_access import set_known_fields
from .form import Form
from .nodes import Button, Html, side_by_side

WALLET_NOTE = "A crypto wallet cannot be edited: this registers another one and keeps the old one."


class AccountForm(Form):
    """Register an account with `create(type, details)`, by the rules of its owner's country.

    With `account` and `update(id, details)` the form replaces the details of that account. A
    crypto wallet cannot be edited: the form then registers another one.
    """

    action = "Register this account"

    def __init__(  # noqa: PLR0913 - what it does, and what it starts from
        self,
        create: Callable[[str, JsonMapping], FinancialAccount],
        country: str,
        *,
        account: FinancialAccount | None = None,
        update: Callable[[str, JsonMapping], FinancialAccount] | None = None,
        owner: str = "",
        example: JsonMapping | None = None,
        service: Service | None = None,
    ) -> None:
        """Make the form, filled in with `account` or the `example`."""
        self._create = create
        self._update = update
        self._owner_id = owner
        self._service = service
        self.country = country
        is_wallet = account is not None and account.type == codes.CRYPTO_WALLET
        # The service cannot edit a wallet, so that the form creates another one.
        self._edited_account = None if is_wallet else account
        self.title = f"A new account: {NAMES.get(country, country)}"
        if is_wallet:
            self.title = "A new crypto wallet"
            self.action = "Register this wallet"
        elif account:
            self.title = f"Replace the details of {account.id}"
            self.action = "Replace the details"
        self.account_fields = AccountFields(country, service=service)
        self.wallet_note = Html(escape(WALLET_NOTE) if is_wallet else "", style="hint")
        super().__init__(self.account_fields, [self.wallet_note, self.account_fields])
        self.helper_nodes = [self.account_fields.scanner]
        with self.filling():
            if account is not None:
                details = {} if is_wallet else account.details or {}
                self.account_fields.fill(str(account.type), details)
                self.account_fields.type.disabled = True
            elif example:
                self.account_fields.fill(example["type"], example["details"])

    def values(self) -> JsonObject:
        """The account to send."""
        return self.account_fields.values()

    def _find_problems(self, values: JsonObject) -> list[Problem]:
        """Problems of the type and the details, by the rules of the country."""
        return accounts.check_entry(values, self.country, service=self._service)

    def _find_warnings(self, values: JsonObject) -> list[Problem]:
        """Wrong check digits, and addresses that look mistyped."""
        account_type = values.get("type")
        details = values.get("details")
        return accounts.find_warnings(self.country, account_type, details, service=self._service)

    def _send(self, values: JsonObject) -> FinancialAccount:
        """Replace the details of the account that is edited, or register another one."""
        if self._edited_account and self._update:
            return self._update(self._edited_account.id, values["details"])
        account: FinancialAccount = self._create(values["type"], values["details"])
        return account

    def _write_code(self, values: JsonObject) -> str:
        """The equivalent call, to `update` or `create`."""
        details = values.get("details", {})
        if self._edited_account:
            function_name = "lab.financial_accounts.update"
            return write_call(function_name, self._edited_account.id, details, assign_to="account")
        function_name = "lab.financial_accounts.create"
        account_type = values.get("type", "")
        return write_call(function_name, self._owner_id, account_type, details, assign_to="account")

    def result_rows(self, result: FinancialAccount) -> list[Row]:
        """The account's id and details."""
        account_rows = [("Account", result.id), ("Type", str(result.type))]
        for detail_name, detail_value in (result.details or {}).items():
            account_rows.append((detail_label(str(detail_name)), str(detail_value)))
        return account_rows

    def _adjust_inputs(self) -> None:
        """Show the inputs of the chosen type of account."""
        self.account_fields.adjust(self.country)


class WalletForm(Form):
    """Register a wallet with `create(details)`; `individual_id` appears in the generated code."""

    title = "Wallet"
    action = "Register this wallet"
    sent_title = "The wallet is registered"

    def __init__(
        self,
        create: Callable[[JsonMapping], FinancialAccount],
        *,
        individual_id: str = "",
        example: bool = False,
        service: Service | None = None,
    ) -> None:
        """Make an input for each detail of a wallet, and fill them in for an example."""
        self._create = create
        self._owner_id = individual_id
        self._service = service
        wallet_facts = countries.of(service).account(None, codes.CRYPTO_WALLET) or NO_ACCOUNT
        # The network decides the format of the address, and is chosen first.
        detail_fields = sorted(wallet_facts.fields, key=lambda field: not field.form.choices)
        self.example_button = Button("Fill with an example", self._fill_example)
        self.helper_nodes = [self.example_button]
        detail_inputs = [_make_wallet_field(detail_field) for detail_field in detail_fields]
        super().__init__(detail_inputs, [self.example_button, side_by_side(detail_inputs)])
        if example:
            self._fill_example()

    def _fill_example(self) -> None:
        """Fill in a wallet that belongs to nobody."""
        set_known_fields(self, examples.wallet(self._service))

    def field_of(self, problem: Problem) -> FormField | None:
        """The field of a problem; the service names it within `details`."""
        return self.fields.get(problem.field.removeprefix("details."))

    def _find_problems(self, values: JsonObject) -> list[Problem]:
        """Problems of the details of a wallet, which are the same in every country."""
        return accounts.check_details(
            None, account_type=codes.CRYPTO_WALLET, details=values, path="", service=self._service
        )

    def _find_warnings(self, values: JsonObject) -> list[Problem]:
        """An address of another network, or with a wrong checksum."""
        return accounts.find_warnings(
            None, account_type=codes.CRYPTO_WALLET, details=values, path="", service=self._service
        )

    def _send(self, values: JsonObject) -> FinancialAccount:
        """Register the wallet."""
        wallet: FinancialAccount = self._create(values)
        return wallet

    def _write_code(self, values: JsonObject) -> str:
        """The equivalent call, with the details as one argument."""
        function_name = "lab.financial_accounts.create"
        return write_call(
            function_name, self._owner_id, codes.CRYPTO_WALLET, values, assign_to="wallet"
        )

    def result_rows(self, result: FinancialAccount) -> list[Row]:
        """The wallet's id, network and address."""
        details = result.details or {}
        return [
            ("Wallet", result.id),
            ("Network", details.get("network", "")),
            ("Address", details.get("address", "")),
        ]


def _make_wallet_field(detail_field: account_types.DetailField) -> FormField:
    """Make a field of a wallet; if its list of values is assumed, you can type another value."""
    known_values = detail_field.form.choices
    input_type = COMBO if known_values else TEXT
    wallet_field = FormField(detail_field.name, detail_label(detail_field.name), input_type)
    wallet_field.is_long = detail_field.name in LONG_DETAILS
    wallet_field.hint = assumed_values_hint(known_values)
    options = [(known_value.capitalize(), known_value) for known_value in known_values]
    wallet_field.set_options(options, preselect=bool(known_values))
    wallet_field.set_required(detail_field.required, assumed=detail_field.source != "spec")
    return wallet_field
