"""Forms for financial accounts: bank accounts, digital wallets and crypto wallets."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from ipywidgets import HTML, Dropdown, FileUpload, Text

from ... import corridors
from ...corridors import account_types, examples
from ...corridors.account_types import Account, Format
from ...errors import PaylabError, Problem
from ...rules import accounts
from ...spec import codes
from ...spec.models import FinancialAccount
from .. import html
from ..html import Row, escape
from ..qr import read_qr, scan
from .field import FormField, call, show
from .form import Form, grid

TYPES = {
    codes.PIX: "PIX key",
    codes.BANK_ACCOUNT: "Bank account",
    codes.DIGITAL_WALLET: "E-wallet",
    codes.UPI: "UPI",
    codes.PH_QR_CODE: "QR Ph code",
    codes.CRYPTO_WALLET: "Crypto wallet",
}
LATER = ("Add later", "")
SCANNED = "qrph_payload"
NOTHING = Account("", (), "")


class AccountFields:
    """A type and its details, named `type` and `details.clabe` below a prefix."""

    def __init__(self, country: str, *, prefix: str = "", later: bool = False) -> None:
        self.prefix, self._later = prefix, later
        self.kind = FormField(f"{prefix}type", "Account", Dropdown(options=[LATER]))
        self.details = {name: _field(f"{prefix}details.{name}", name) for name in NAMES}
        self.upload = FileUpload(
            accept="image/*", description="Scan a picture of the code", layout={"width": "auto"}
        )
        self.upload.observe(lambda _: self._scan(), "value")
        self.view = grid([self.kind, *self.details.values()])
        self.view.children = (*self.view.children, self.upload)
        self.follow(country)

    def __iter__(self) -> Any:
        return iter([self.kind, *self.details.values()])

    @property
    def account(self) -> Account:
        """The chosen type as the country has it."""
        return corridors.account(self._country, self.kind.value) or NOTHING

    def entry(self) -> dict[str, Any]:
        """`type` and `details` as they would be sent; empty when the account comes later."""
        if not self.kind.value:
            return {}
        names = [field.name for field in self.account.fields]
        values = {name: self.details[name].value for name in names}
        details = {name: value for name, value in values.items() if value not in ("", None)}
        return {"type": self.kind.value, "details": details}

    def fill(self, kind: str, details: Any) -> None:
        """Put in an account's type and details."""
        self.kind.widget.value = kind
        self.follow(self._country)
        for name, value in details.items():
            if name in self.details:
                self.details[name].widget.value = value
        self.follow(self._country)

    def lock(self) -> None:
        """Keep the type as it is."""
        self.kind.widget.disabled = True

    def follow(self, country: str) -> None:
        """Ask what this country and the chosen type ask, and nothing else."""
        self._country = country
        corridor = corridors.get(country)
        kinds = [(TYPES[kind], kind) for kind in (corridor.account_types if corridor else ())]
        _choose(self.kind.widget, [*([LATER] if self._later else []), *kinds])
        asked = {field.name: field for field in self.account.fields}
        for name, field in self.details.items():
            field.show(name in asked)
        for name, one in asked.items():
            self._ask(name, one)
        show(self.upload, SCANNED in asked)

    def _ask(self, name: str, asked: account_types.DetailField) -> None:
        field = self.details[name]
        chosen = {one: self.details[one].value for one in self.details}
        form = asked.form_in(chosen)
        if form.choices:
            _choose(field.widget, [(word, word) for word in form.choices], self._country)
        field.hint = _told(field.value) if name == SCANNED else field_hint(form)
        field.require(asked.required)

    def _scan(self) -> None:
        """Read the code in a picture; the picture itself leaves the page at once."""
        if not self.upload.value:
            return
        data, field = bytes(self.upload.value[0]["content"]), self.details[SCANNED]
        self.upload.value = ()
        try:
            field.widget.value = scan(data)
        except PaylabError as error:
            field.note.value = f'<div class="paylab-error" role="status">{html.escape(error)}</div>'


def field_hint(form: Format) -> str:
    """What an input must look like, and how far that is checked."""
    algorithm = accounts.ALGORITHMS.get(form.check_digit)
    checked = f"the check digits of a {algorithm.name} are verified" if algorithm else ""
    parts = [form.message, form.also.message if form.also else "", form.note or checked]
    return ". ".join(part[:1].upper() + part[1:] for part in parts if part) + "." * any(parts)


def _told(payload: str) -> str:
    """Whom a pasted or scanned code pays."""
    rows = read_qr(payload).rows()[:3] if payload else []
    said = "; ".join(f"{label}: {text}" for label, text in rows)
    return said or "Paste the text of the code, or scan a picture of it."


def _names() -> Iterable[tuple[str, bool]]:
    for corridor in corridors.ALL:
        for account in corridor.accounts:
            for field in account.fields:
                yield field.name, bool(field.form.choices)


NAMES = dict(_names())
"""Every field of every account, and whether it is chosen from a list."""


def _field(name: str, bare: str) -> FormField:
    widget = Dropdown(options=[]) if NAMES[bare] else Text()
    return FormField(name, label(bare), widget)


def label(name: str) -> str:
    """A field's name as people read it."""
    words = {"clabe": "CLABE", "iban": "IBAN", "bic": "BIC", "upi_id": "UPI id"}
    pix = {"pix_key": "PIX key", "pix_key_type": "Kind of PIX key", SCANNED: "Text of the code"}
    return (words | pix).get(name) or name.replace("_", " ").capitalize()


def _choose(widget: Any, options: list[tuple[str, str]], wanted: str = "") -> None:
    """Offer these; what was chosen stays chosen where it can."""
    if list(widget.options) == options:
        return
    known = [value for _, value in options]
    kept = next(
        (one for one in (widget.value, wanted) if one in known), known[0] if known else None
    )
    widget.options = options
    widget.value = kept


FIXED = (
    "A crypto wallet cannot be edited: this registers a new one beside it. "
    "The old one stays where it is."
)


class AccountForm(Form):
    """Registers an account with `create(type, details)`, as its owner's country has it.

    With `account` and `update(id, details)` it replaces the details of that one; for a crypto
    wallet, which cannot be edited, it registers another.
    """

    def __init__(  # noqa: PLR0913 - what it does, and what it starts from
        self,
        create: Callable[[str, Any], FinancialAccount],
        country: str,
        *,
        account: FinancialAccount | None = None,
        update: Callable[[str, Any], FinancialAccount] | None = None,
        owner: str = "",
        example: Any = None,
    ) -> None:
        self._create, self._update, self._owner = create, update, owner
        self.country, self._account = country, account
        self.title, self.action = self._named()
        self.parts = AccountFields(country)
        self.note = HTML(_hint(FIXED) if self._is_fixed else "")
        super().__init__(self.parts, [self.note, self.parts.view])
        self._fill(example)

    @property
    def _is_fixed(self) -> bool:
        return self._account is not None and self._account.type == codes.CRYPTO_WALLET

    @property
    def _replaces(self) -> bool:
        return self._account is not None and not self._is_fixed

    def values(self) -> dict[str, Any]:
        """The account as it would be sent."""
        return self.parts.entry()

    def problems(self) -> list[Problem]:
        """What the spec and our assumptions find wrong."""
        return accounts.check_entry(self.values(), self.country)

    def warnings(self) -> list[Problem]:
        """Check digits that do not hold."""
        values = self.values()
        return accounts.warn(self.country, values.get("type"), values.get("details"))

    def send(self) -> FinancialAccount:
        """Register the account, or replace its details."""
        values = self.values()
        if self._replaces and self._account and self._update:
            return self._update(self._account.id, values["details"])
        return self._create(values["type"], values["details"])

    def script(self) -> str:
        """The call that does the same."""
        values = self.values()
        if self._replaces and self._account:
            new = values.get("details", {})
            return call("lab.financial_accounts.update", {}, self._account.id, new, to="account")
        given = self._owner, values.get("type", ""), values.get("details", {})
        return call("lab.financial_accounts.create", {}, *given, to="account")

    def outcome(self, result: FinancialAccount) -> list[Row]:
        """Which account it is and what it holds."""
        details = result.details or {}
        held = [(label(str(name)), str(value)) for name, value in details.items()]
        return [("Account", result.id), ("Type", str(result.type)), *held]

    def changed(self) -> None:
        """Ask what the chosen type asks, then check."""
        if not self.button.disabled:
            self.parts.follow(self.country)
            super().changed()

    def _named(self) -> tuple[str, str]:
        where = corridors.NAMES.get(self.country, self.country)
        if self._replaces:
            return f"Replace the details of {self._account.id}", "Replace the details"  # type: ignore[union-attr]
        if self._is_fixed:
            return "A new crypto wallet", "Register this wallet"
        return f"A new account: {where}", "Register this account"

    def _fill(self, example: Any) -> None:
        if self._account is not None:
            kind = str(self._account.type)
            self.parts.fill(kind, {} if self._is_fixed else self._account.details or {})
            self.parts.lock()
        elif example:
            self.parts.fill(example["type"], example["details"])
        self.check()


def _hint(text: str) -> str:
    return f'<div class="paylab-hint">{escape(text)}</div>'


class WalletForm(Form):
    """Registers a wallet with `create(details)`; `individual_id` is for the code it shows."""

    title = "Wallet"
    action = "Register this wallet"
    sent_title = "The wallet is registered"

    def __init__(
        self,
        create: Callable[[Mapping[str, Any]], FinancialAccount],
        *,
        individual_id: str = "",
        example: bool = False,
    ) -> None:
        self._create, self._owner = create, individual_id
        given = examples.WALLET if example else {"address": "", "network": codes.NETWORKS[0]}
        networks = [(name.capitalize(), name) for name in codes.NETWORKS]
        super().__init__(
            [
                FormField("network", "Network", Dropdown(options=networks, value=given["network"])),
                FormField("address", "Address", Text(value=given["address"])),
            ]
        )

    def problems(self) -> list[Problem]:
        """What the spec and our assumptions find wrong."""
        return accounts.check_details(None, codes.CRYPTO_WALLET, self.values(), "")

    def warnings(self) -> list[Problem]:
        """An address whose checksum does not hold."""
        values = self.values()
        return accounts.warn_address(values.get("network"), values.get("address"))

    def send(self) -> FinancialAccount:
        """Register the wallet."""
        return self._create(self.values())

    def script(self) -> str:
        """The call that registers the same wallet."""
        arguments = self._owner, codes.CRYPTO_WALLET, self.values()
        return call("lab.financial_accounts.create", {}, *arguments, to="wallet")

    def outcome(self, result: FinancialAccount) -> list[Row]:
        """Which wallet it is."""
        details = result.details or {}
        rows = [("Wallet", result.id), ("Network", details.get("network", ""))]
        return [*rows, ("Address", details.get("address", ""))]
