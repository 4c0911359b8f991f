"""A deposit into a conversion account, which only the sandbox can make up."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Any

from ipywidgets import RadioButtons, Text

from ...errors import Problem
from ...models import Deposit
from ...rules import deposits
from ..page import Row
from .code import call
from .field import Field
from .form import Form

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
                Field("amount", f"Amount in {unit}", amount, limit),
                Field("sender", "Who it comes from", RadioButtons(options=choices, value=OWN)),
                Field("sender_name", "Name of the sender", Text()),
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
