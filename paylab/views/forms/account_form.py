"""A financial account of a recipient: registered, or with its details replaced."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ipywidgets import HTML

from ... import codes, corridors
from ...errors import Problem
from ...models import FinancialAccount
from ...rules import accounts
from ..page import Row, escape
from .account_parts import TYPES, AccountFields, label
from .code import call
from .form import Form

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


__all__ = ["TYPES", "AccountForm"]
