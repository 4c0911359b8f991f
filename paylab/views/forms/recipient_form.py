"""A recipient: a person, and the account they are paid on."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ... import codes, example_recipients
from ...models import FinancialAccount, Individual
from ..page import Row
from . import person_fields as person
from .account_parts import AccountFields
from .form import part
from .onboarding import OnboardingForm

LIST = "financial_accounts"
PREFIX = f"{LIST}.0."


class RecipientForm(OnboardingForm):
    """Creates an individual together with a financial account, or with one to be added later."""

    subject = "Recipient"
    action = "Create this recipient"
    sent_title = "The recipient is created"

    def __init__(
        self,
        create: Callable[..., Individual],
        country: str = "MX",
        product: str = codes.GLOBAL_PAYOUTS,
        *,
        example: bool = False,
        **options: Any,
    ) -> None:
        self.account = AccountFields(country, prefix=PREFIX, later=True)
        super().__init__(create, country, product, **options)
        self._adopt()
        if example:
            self.fill()

    def values(self) -> dict[str, Any]:
        """The individual with its account, as it would be sent."""
        found = super().values()
        found.pop(LIST, None)
        entry = self.account.entry()
        return {**found, LIST: [entry]} if entry else found

    def fill(self) -> None:
        """Fill in a recipient who does not exist."""
        country = self.fields["country"].value
        example = example_recipients.recipient(country)
        entry = example.pop(LIST)[0]
        for name, value in person.flat(example).items():
            if name in self.fields and name not in person.WORK:
                self.fields[name].widget.value = value
        self.account.fill(entry["type"], entry["details"])
        self.check()

    def outcome(self, result: Individual) -> list[Row]:
        """Who was created, and on which account they are paid."""
        held = [one for one in result.financial_accounts or [] if isinstance(one, FinancialAccount)]
        accounts = [("Account", f"{one.id}, {one.type}") for one in held]
        return [*super().outcome(result), *(accounts or [("Account", "to be added later")])]

    def _follow_country(self) -> None:
        """Ask what the country asks, of the account too: its fields say which are needed."""
        super()._follow_country()
        self.account.follow(self.fields["country"].value)

    def _parts(self, fields: Mapping[str, Any]) -> list[Any]:
        parts: Sequence[Any] = super()._parts(fields)
        return [*parts, part("Account to be paid on"), self.account.view]

    def _adopt(self) -> None:
        """Take the account's fields among the form's own."""
        for field in self.account:
            self.fields[field.name] = field
            field.widget.observe(lambda _: self.changed(), "value")
        self.check()
