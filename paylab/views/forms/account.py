"""Forms for financial accounts: bank accounts, digital wallets and crypto wallets."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from ...corridors import account_types, countries, examples
from ...corridors.account_types import Account, Format
from ...corridors.corridor import NAMES
from ...corridors.on_ramps import ON_RAMPS
from ...errors.base import PaylabError, Problem
from ...rules import accounts
from ...spec import codes
from ...spec.models import FinancialAccount
from ...spec.service.service import Service
from ..html import Row, escape
from ..qr import QRText, scan
from .code import call
from .field import COMBO, SELECT, TEXT, FormField, open_list
from .file import FilePicker
from .form import Form
from .view import Button, Group, Html, side_by_side

TYPES = {
    codes.PIX: "PIX key",
    codes.BANK_ACCOUNT: "Bank account",
    codes.DIGITAL_WALLET: "E-wallet",
    codes.UPI: "UPI",
    codes.PH_QR_CODE: "QR Ph code",
    codes.CRYPTO_WALLET: "Crypto wallet",
}
LATER = ("Add later", "")
SCANNED = account_types.PH_QR.fields[0].name
NOTHING = Account("", (), "")


class AccountFields(Group):
    """A type and its details, named `type` and `details.clabe` below a prefix."""

    def __init__(
        self,
        country: str,
        *,
        prefix: str = "",
        later: bool = False,
        service: Service | None = None,
    ) -> None:
        self.prefix = prefix
        self._later = later
        self._countries = countries.of(service)
        self.type = FormField(f"{prefix}type", "Account", SELECT, options=[LATER])
        all_accounts = (
            account for corridor in self._countries.all for account in corridor.accounts
        )
        field_by_name = {field.name: field for account in all_accounts for field in account.fields}
        self.details = {
            name: FormField(
                f"{prefix}details.{name}", label(name), COMBO if field.form.choices else TEXT
            )
            for name, field in field_by_name.items()
        }
        self.upload = FilePicker("Scan a picture of the code", "image/*", self._scan)
        self.upload.hint = "with a picture of the code, or drop or paste the picture here"
        self.tools = Group([self.upload])
        super().__init__([side_by_side([self.type, *self.details.values()]), self.tools])
        self.adjust(country)

    def __iter__(self) -> Iterator[FormField]:
        return iter([self.type, *self.details.values()])

    @property
    def account(self) -> Account:
        """The facts of the chosen account type in this country."""
        return self._countries.account(self._country, self.type.value) or NOTHING

    def entry(self) -> dict[str, Any]:
        """The `type` and `details` to send; empty when the account is added later."""
        if not self.type.value:
            return {}
        names = [field.name for field in self.account.fields]
        values = {name: self.details[name].value for name in names}
        details = {name: value for name, value in values.items() if value not in ("", None)}
        return {"type": self.type.value, "details": details}

    def fill(self, kind: str, details: Mapping[str, Any]) -> None:
        """Fill in the type and details, and check them."""
        self.type.put(kind)
        self.adjust(self._country)
        for name, value in details.items():
            if name in self.details:
                self.details[name].put(value)
        self.adjust(self._country)

    def adjust(self, country: str) -> None:
        """Show only the inputs that this country and account type need."""
        self._country = country
        corridor = self._countries.get(country)
        kinds = [(TYPES[kind], kind) for kind in (corridor.account_types if corridor else ())]
        self.type.offer([*([LATER] if self._later else []), *kinds])
        self.type.require(not self._later)
        field_by_name = {field.name: field for field in self.account.fields}
        for name, field in self.details.items():
            field.visible = name in field_by_name
        for name, detail_field in field_by_name.items():
            self._ask(name, detail_field)
        self.upload.visible = SCANNED in field_by_name

    def _ask(self, name: str, asked: account_types.DetailField) -> None:
        field = self.details[name]
        form = asked.form_in(
            {detail_name: self.details[detail_name].value for detail_name in self.details}
        )
        if form.choices:
            is_open = form.source != "spec"
            field.input = COMBO if is_open else SELECT
            field.offer([(word, word) for word in form.choices], self._country)
            field.hint = open_list(form.choices) if is_open else ""
        else:
            field.hint = _payee(field.value) if name == SCANNED else field_hint(form)
        field.normal = normaliser(form)
        field.require(asked.required, assumed=asked.source != "spec")

    def _scan(self, name: str, data: bytes) -> None:
        field = self.details[SCANNED]
        try:
            field.value = scan(data)
            self.upload.errors = []
        except PaylabError as error:
            self.upload.errors = [f"No code was read from {name}: {error}"]
        field.on_leave()


def normaliser(form: Format | None) -> Callable[[str], str]:
    """A function that strips typed text and, where required, makes it upper case."""
    if form is None or not form.capitals:
        return str.strip
    return lambda text: "".join(text.upper().split())


def field_hint(form: Format) -> str:
    """The format of an input, and whether check digits are verified."""
    algorithm = accounts.ALGORITHMS.get(form.check_digit)
    checked = f"the check digits of the {algorithm.name} are verified" if algorithm else ""
    requirement = form.message.removeprefix("must be ").removeprefix("exactly ")
    parts = [part for part in (requirement, form.note or checked) if part]
    return ". ".join(part[:1].upper() + part[1:] for part in parts) + "." * bool(parts)


def _payee(payload: str) -> str:
    """The payee of a pasted or scanned code."""
    rows = QRText(payload).rows()[:3] if payload else []
    facts = "; ".join(f"{label}: {text}" for label, text in rows)
    return facts or "Paste the text of the code, or scan a picture of it."


def label(name: str) -> str:
    """The label of a field."""
    words = {on_ramp.detail: on_ramp.label for on_ramp in ON_RAMPS}
    words |= {"iban": "IBAN", "bic": "BIC", "upi_id": "UPI id"}
    words |= {"pix_key": "PIX key", "pix_key_type": "Kind of PIX key"}
    return words.get(name) or name.replace("_", " ").capitalize()


FIXED = "A crypto wallet cannot be edited: this registers another one and keeps the old one."


class AccountForm(Form):
    """Register an account with `create(type, details)`, by the rules of its owner's country.

    With `account` and `update(id, details)` the form replaces the details of that account. A
    crypto wallet cannot be edited: the form then registers another one.
    """

    action = "Register this account"

    def __init__(  # noqa: PLR0913 - what it does, and what it starts from
        self,
        create: Callable[[str, Any], FinancialAccount],
        country: str,
        *,
        account: FinancialAccount | None = None,
        update: Callable[[str, Any], FinancialAccount] | None = None,
        owner: str = "",
        example: Any = None,
        service: Service | None = None,
    ) -> None:
        self._register = create
        self._update = update
        self._owner = owner
        self._service = service
        self.country = country
        is_wallet = account is not None and account.type == codes.CRYPTO_WALLET
        self._replaced = None if is_wallet else account
        self.title = f"A new account: {NAMES.get(country, country)}"
        if is_wallet:
            self.title = "A new crypto wallet"
            self.action = "Register this wallet"
        elif account:
            self.title = f"Replace the details of {account.id}"
            self.action = "Replace the details"
        self.parts = AccountFields(country, service=service)
        self.note = Html(escape(FIXED) if is_wallet else "", style="hint")
        super().__init__(self.parts, [self.note, self.parts])
        self.tools = [self.parts.tools]
        with self.filling():
            if account is not None:
                self.parts.fill(str(account.type), {} if is_wallet else account.details or {})
                self.parts.type.disabled = True
            elif example:
                self.parts.fill(example["type"], example["details"])

    def values(self) -> dict[str, Any]:
        """The account to send."""
        return self.parts.entry()

    def _judge(self, values: dict[str, Any]) -> list[Problem]:
        return accounts.check_entry(values, self.country, service=self._service)

    def _warn(self, values: dict[str, Any]) -> list[Problem]:
        """Wrong check digits, and addresses that look mistyped."""
        kind = values.get("type")
        details = values.get("details")
        return accounts.warn(self.country, kind, details, service=self._service)

    def _send(self, values: dict[str, Any]) -> FinancialAccount:
        if self._replaced and self._update:
            return self._update(self._replaced.id, values["details"])
        return self._register(values["type"], values["details"])

    def _script(self, values: dict[str, Any]) -> str:
        if self._replaced:
            new_details = values.get("details", {})
            return call(
                "lab.financial_accounts.update", {}, self._replaced.id, new_details, to="account"
            )
        call_arguments = self._owner, values.get("type", ""), values.get("details", {})
        return call("lab.financial_accounts.create", {}, *call_arguments, to="account")

    def outcome(self, result: FinancialAccount) -> list[Row]:
        """The account's id and details."""
        details = result.details or {}
        detail_rows = [(label(str(name)), str(value)) for name, value in details.items()]
        return [("Account", result.id), ("Type", str(result.type)), *detail_rows]

    def _adjust(self) -> None:
        self.parts.adjust(self.country)


class WalletForm(Form):
    """Register a wallet with `create(details)`; `individual_id` appears in the generated code."""

    title = "Wallet"
    action = "Register this wallet"
    sent_title = "The wallet is registered"

    def __init__(
        self,
        create: Callable[[Mapping[str, Any]], FinancialAccount],
        *,
        individual_id: str = "",
        example: bool = False,
        service: Service | None = None,
    ) -> None:
        self._register = create
        self._owner = individual_id
        self._service = service
        account = countries.of(service).account(None, codes.CRYPTO_WALLET) or NOTHING
        detail_fields = sorted(
            account.fields, key=lambda detail_field: not detail_field.form.choices
        )
        self.filler = Button("Fill with an example", self.fill)
        self.tools = [self.filler]
        fields = [_wallet_field(detail_field) for detail_field in detail_fields]
        super().__init__(fields, [self.filler, side_by_side(fields)])
        if example:
            self.fill()

    def fill(self) -> None:
        """Fill in a wallet that belongs to nobody."""
        self.fill_in(examples.wallet(self._service))

    def _judge(self, values: dict[str, Any]) -> list[Problem]:
        return accounts.check_details(None, codes.CRYPTO_WALLET, values, "", self._service)

    def _warn(self, values: dict[str, Any]) -> list[Problem]:
        """An address of another network, or with a wrong checksum."""
        return accounts.warn(None, codes.CRYPTO_WALLET, values, "", self._service)

    def _send(self, values: dict[str, Any]) -> FinancialAccount:
        return self._register(values)

    def _script(self, values: dict[str, Any]) -> str:
        arguments = self._owner, codes.CRYPTO_WALLET, values
        return call("lab.financial_accounts.create", {}, *arguments, to="wallet")

    def outcome(self, result: FinancialAccount) -> list[Row]:
        """The wallet's id and address."""
        details = result.details or {}
        rows = [("Wallet", result.id), ("Network", details.get("network", ""))]
        return [*rows, ("Address", details.get("address", ""))]


def _wallet_field(asked: account_types.DetailField) -> FormField:
    """A field of a wallet; if its list of values is assumed, you can type another value."""
    choices = [(word.capitalize(), word) for word in asked.form.choices]
    field = FormField(asked.name, label(asked.name), COMBO if choices else TEXT)
    field.hint = open_list(asked.form.choices)
    field.offer(choices, preselect=bool(choices))
    field.require(asked.required, assumed=asked.source != "spec")
    return field
