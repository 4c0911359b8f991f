"""Onboarding: a person with everything that their country and product ask for."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from ipywidgets import HTML, Button

from ... import codes, corridors, examples
from ...corridors import Corridor
from ...errors import Problem
from ...models import Individual
from ...rules import individuals, plausible
from .. import page
from ..page import Row
from . import person_fields as person
from .code import Expression, call
from .consent import NAME as CONSENT
from .consent import Consent
from .form import Form, grid, part

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
            *(part("Person"), of(person.PERSON)),
            *(part("Address"), of(person.ADDRESS)),
            *(part("Document"), of(person.DOCUMENT)),
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
        return person.body(found)

    def problems(self) -> list[Problem]:
        """What the spec and our assumptions find wrong."""
        return individuals.check(self.values())

    def warnings(self) -> list[Problem]:
        """What looks mistyped."""
        values = self.values()
        return [*individuals.warn(values), *plausible.warn(values, self._clock().date())]

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
            self.message.value = page.warning(f"There is no example of {self.corridor.name}.")
            return
        for name, value in person.flat(example).items():
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
        needed = {*individuals.BASE, *self.corridor.required_for([product])}
        for name, field in self.fields.items():
            if not name.startswith(("address.", "document.")):
                field.require(name in needed)
        self._follow_document("document" in needed)
        self.reason.value = f'<div class="paylab-hint">{page.escape(self._why())}</div>'

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
