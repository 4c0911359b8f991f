"""Forms that create an individual: onboarding, and a payout recipient with an account."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from ipywidgets import HTML, Button

from ... import corridors
from ...corridors import Corridor, examples
from ...errors import Problem
from ...rules import individuals
from ...spec import codes
from ...spec.models import FinancialAccount, Individual
from .. import html
from ..html import Row
from . import person
from .account import AccountFields
from .field import Expression, call
from .form import Form, form_part, grid
from .person import NAME as CONSENT
from .person import Consent

NUMBER = "document.number"


def utcnow() -> datetime:
    """The wall clock, aware."""
    return datetime.now(UTC)


class OnboardingForm(Form):
    """Creates an individual with `create(**fields)`.

    `example` fills in a person who does not exist. `consent=True` records consent when
    `submit()` is called and nobody clicked; it never ticks the box of a person who clicks.
    """

    subject = "Onboarding"
    action = "Create this person"
    sent_title = "The person is created"

    def __init__(  # noqa: PLR0913 - what it does, and where it starts
        self,
        create: Callable[..., Individual],
        country: str = "MX",
        product: str = codes.ON_RAMP_PRODUCT,
        *,
        example: bool = False,
        consent: bool = False,
        clock: Callable[[], datetime] = utcnow,
    ) -> None:
        self._create, self._consenting, self._clock = create, consent, clock
        self.title = f"{self.subject}: {corridors.NAMES.get(country, country)}"
        self.consent = Consent(clock)
        self.reason = HTML()
        self.filler = Button(description="Fill with an example")
        self.filler.on_click(lambda _: self.fill())
        fields = [*person.fields(country, product), self.consent]
        super().__init__(fields, self._parts({field.name: field for field in fields}))
        self._follow_country()
        if example:
            self.fill()

    def _parts(self, fields: Mapping[str, Any]) -> list[Any]:
        def of(names: Sequence[str]) -> Any:
            return grid([fields[name] for name in names])

        return [
            of(person.WORK),
            self.reason,
            self.filler,
            *(form_part("Person"), of(person.PERSON)),
            *(form_part("Address"), of(person.ADDRESS)),
            *(form_part("Document"), of(person.DOCUMENT)),
            self.consent.view,
        ]

    @property
    def corridor(self) -> Corridor:
        """The facts of the chosen country."""
        return corridors.get(self.fields["country"].value) or Corridor("")

    def values(self) -> dict[str, Any]:
        """The individual as it would be sent."""
        found = super().values()
        found |= {"product_types": [found["product_types"]], "address.country": found["country"]}
        if "document.type" not in found:
            found.pop(NUMBER, None)
        return person.person_body(found)

    def problems(self) -> list[Problem]:
        """What the spec and our assumptions find wrong."""
        return individuals.check(self.values())

    def warnings(self) -> list[Problem]:
        """What looks mistyped."""
        values = self.values()
        return [
            *individuals.warn(values),
            *individuals.warn_implausible(values, self._clock().date()),
        ]

    def send(self) -> Individual:
        """Create the individual."""
        return self._create(**self.values())

    def script(self) -> str:
        """The call; a document number is asked for where it runs, and not written down."""
        fields = self.values()
        document = fields.get("document", {})
        if "number" in document:
            asked = person.document_name(str(document.get("type")))
            document["number"] = Expression(f"input({asked + ' number: '!r})")
        if CONSENT in fields:
            fields[CONSENT] = Expression("lab.clock()")
        return call("lab.individuals.create", fields, to="person")

    def outcome(self, result: Individual) -> list[Row]:
        """Who was created and what comes next."""
        asked = [detail.code or "" for detail in result.status_details or []]
        rows = [("Person", str(result.id)), ("Status", str(result.status))]
        return [*rows, ("Asked for", ", ".join(asked))] if asked else rows

    def fill(self) -> None:
        """Fill in a person who does not exist; consent is theirs to give."""
        country = self.fields["country"].value
        example = examples.PEOPLE.get(country)
        if example is None:
            self.message.value = html.warning(f"There is no example of {self.corridor.name}.")
            return
        for name, value in person.flat_values(example).items():
            if name in self.fields and name != "country":
                self.fields[name].widget.value = value

    def speak(self) -> None:
        """Record the consent of `consent=True`, unless somebody clicked."""
        if self._consenting and not self.clicked and not self.consent.recorded_at:
            self.consent.give()

    def forget(self) -> None:
        """The document's number leaves the page once it was sent."""
        self.fields[NUMBER].widget.value = ""

    def restart(self) -> None:
        """Start over: consent is to be given anew."""
        super().restart()
        self.consent.withdraw()

    def changed(self) -> None:
        """Follow the country, then check."""
        if not self.button.disabled:
            self._follow_country()
            super().changed()

    def _follow_country(self) -> None:
        product = self.fields["product_types"].value
        needed = {*individuals.base(), *self.corridor.required_for([product])}
        for name, field in self.fields.items():
            if not name.startswith(("address.", "document.")):
                field.require(name in needed)
        self._follow_document("document" in needed)
        self.reason.value = f'<div class="paylab-hint">{html.escape(self._why())}</div>'

    def _follow_document(self, needed: bool) -> None:
        kind, number = self.fields["document.type"], self.fields[NUMBER]
        options = person.document_types(self.corridor, needed)
        if list(kind.widget.options) != options:
            kind.widget.options = options
        number.label = person.document_name(kind.value) if kind.value else "Document number"
        number.hint = person.number_hint(kind.value)
        number.require(True)
        number.show(bool(kind.value))

    def _why(self) -> str:
        return person.why(self.corridor, self.fields["product_types"].value)


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
        example = examples.recipient(country)
        entry = example.pop(LIST)[0]
        for name, value in person.flat_values(example).items():
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
        return [*parts, form_part("Account to be paid on"), self.account.view]

    def _adopt(self) -> None:
        """Take the account's fields among the form's own."""
        for field in self.account:
            self.fields[field.name] = field
            field.widget.observe(lambda _: self.changed(), "value")
        self.check()
