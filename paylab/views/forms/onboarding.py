"""Forms that create an individual: onboarding, and a payout recipient with an account."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from typing import Any

from ...corridors import countries, examples
from ...corridors.account_types import DOCUMENT_NUMBERS
from ...corridors.corridor import NAMES, Corridor
from ...corridors.on_ramps import of_country, unknown_on_ramp
from ...errors.base import Problem
from ...rules import individuals
from ...spec import codes
from ...spec.json_path import put_inside
from ...spec.models import FinancialAccount, Individual
from ...spec.service.service import Service
from .. import html
from ..html import Row
from . import person
from .account import AccountFields, normaliser
from .code import Expression, call
from .field import FormField
from .form import Form
from .person import NAME as CONSENT
from .person import Consent
from .view import Button, Html, Node, form_part, side_by_side

NUMBER = "document.number"
_utcnow = partial(datetime.now, UTC)


class OnboardingForm(Form):
    """Create an individual with `create(**fields)`.

    `example` fills in a fictitious person. `consent=True` records consent when you call
    `submit()` in code; when you click through the form, tick the box yourself. With
    `on_ramp_only`, it is the first step of an on-ramp and needs a country whose on-ramp is known.
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
        on_ramp_only: bool = False,
        clock: Callable[[], datetime] = _utcnow,
        service: Service | None = None,
    ) -> None:
        self._service = service
        self._on_ramp_only = on_ramp_only
        self._create = create
        self._consenting = consent
        self._clock = clock
        self.title = f"{self.subject}: {NAMES.get(country, country)}"
        self.consent = Consent(clock, in_code=consent)
        self.reason = Html(style="hint")
        self.filler = Button("Fill with an example", self.fill)
        self.tools = [self.filler]
        fields = self._fields(country, product)
        super().__init__(fields, self._parts({field.name: field for field in fields}))
        if example:
            self.fill()

    def _fields(self, country: str, product: str) -> list[FormField]:
        fields = [*person.fields(country, product), self.consent]
        if self._on_ramp_only:
            fields[0].offer([(person.PRODUCTS[product], product)])
        return fields

    def _parts(self, fields: Mapping[str, FormField]) -> list[Node]:
        def of(names: Sequence[str]) -> Node:
            return side_by_side([fields[name] for name in names])

        return [
            of(person.WORK),
            self.reason,
            self.filler,
            form_part("Person", of(person.PERSON)),
            form_part("Address", of(person.ADDRESS)),
            form_part("Document", of(person.DOCUMENT)),
            self.consent,
        ]

    @property
    def corridor(self) -> Corridor:
        """The facts of the chosen country."""
        return countries.of(self._service).get(self.fields["country"].value) or Corridor("")

    def values(self) -> dict[str, Any]:
        """The individual to send."""
        inputs = super().values()
        inputs |= {"product_types": [inputs["product_types"]], "address.country": inputs["country"]}
        if "document.type" not in inputs:
            inputs.pop(NUMBER, None)
        body: dict[str, Any] = {}
        for name, value in inputs.items():
            put_inside(body, name, value)
        return body

    def _judge(self, values: dict[str, Any]) -> list[Problem]:
        problems = individuals.check(values, self._service)
        country = self.fields["country"].value
        if self._on_ramp_only and of_country(country) is None:
            problems.append(Problem("country", unknown_on_ramp(country)))
        return problems

    def _warn(self, values: dict[str, Any]) -> list[Problem]:
        today = self._clock().date()
        warnings = individuals.warn(values, self._service)
        if self._on_ramp_only:  # an error there
            warnings = [warning for warning in warnings if warning.field != "country"]
        return [*warnings, *individuals.warn_implausible(values, today)]

    def _script(self, values: dict[str, Any]) -> str:
        """The equivalent call; it asks for the document number instead of containing it."""
        fields = dict(values)
        if "number" in (document := fields.get("document", {})):
            document_label = person.document_name(str(document.get("type")))
            number = Expression(f"input({document_label + ' number: '!r})")
            fields["document"] = {**document, "number": number}
        if CONSENT in fields:
            fields[CONSENT] = Expression("lab.clock()")
        return call("lab.individuals.create", fields, to="person")

    def outcome(self, result: Individual) -> list[Row]:
        """The individual's id and status, and the next step."""
        codes_needed = [detail.code or "" for detail in result.status_details or []]
        rows = [("Person", str(result.id)), ("Status", str(result.status))]
        return [*rows, ("Still needed", ", ".join(codes_needed))] if codes_needed else rows

    def fill(self) -> None:
        """Fill in a fictitious person, without the consent."""
        self.fill_in(person.example_fields(examples.person(self.fields["country"].value)))

    def _speak(self) -> None:
        """Record the consent of `consent=True`, unless the form was clicked."""
        if self._consenting and not self.clicked and not self.consent.recorded_at:
            self.consent.value = True

    def _forget(self) -> None:
        self.fields[NUMBER].put("")

    def _adjust(self) -> None:
        product = self.fields["product_types"].value
        stated = self.corridor.required_for([product])
        about = {"country": self.fields["country"].value, "product_types": [product]}
        ramp_fields = individuals.required(about, self._service)
        required_fields = {*individuals.base(self._service), *stated, *ramp_fields}
        for name, field in self.fields.items():
            if not name.startswith(("document.", *person.WORK)):
                is_required = name in required_fields
                field.require(is_required, assumed=is_required and name not in stated)
        self._adjust_document("document" in stated)
        self.reason.html = html.escape(person.why(self.corridor, product))

    def _adjust_document(self, needed: bool) -> None:
        kind = self.fields["document.type"]
        number = self.fields[NUMBER]
        kind.offer(person.document_types(self.corridor, needed))
        kind.require(needed)
        form = DOCUMENT_NUMBERS.get(kind.value)
        number.label = person.document_name(kind.value) if kind.value else "Document number"
        number.hint = person.number_hint(kind.value)
        number.normal = normaliser(form)
        number.visible = bool(kind.value)
        number.require(False, assumed=True)


LIST = "financial_accounts"
PREFIX = f"{LIST}.0."


class RecipientForm(OnboardingForm):
    """Create an individual with a financial account, or without one."""

    subject = "Recipient"
    action = "Create this recipient"
    sent_title = "The recipient is created"

    def __init__(
        self,
        create: Callable[..., Individual],
        country: str = "MX",
        product: str = codes.GLOBAL_PAYOUTS,
        *,
        service: Service | None = None,
        **options: Any,
    ) -> None:
        self.account = AccountFields(country, prefix=PREFIX, later=True, service=service)
        super().__init__(create, country, product, service=service, **options)
        self.tools = [*self.tools, self.account.tools]

    def values(self) -> dict[str, Any]:
        """The individual with its account, to send."""
        fields = super().values()
        fields.pop(LIST, None)
        entry = self.account.entry()
        return {**fields, LIST: [entry]} if entry else fields

    def fill(self) -> None:
        """Fill in a fictitious recipient, with an account where payouts are documented."""
        if not any(account.example for account in self.corridor.accounts):
            super().fill()
            return
        example = examples.recipient(self.fields["country"].value, self._service)
        entry = example.pop(LIST)[0]
        with self.filling():
            self.account.fill(entry["type"], entry["details"])
            self.fill_in(person.example_fields(example))

    def outcome(self, result: Individual) -> list[Row]:
        """The individual and the account that receives payouts."""
        accounts_held = [
            account
            for account in result.financial_accounts or []
            if isinstance(account, FinancialAccount)
        ]
        account_rows = [("Account", f"{account.id}, {account.type}") for account in accounts_held]
        return [*super().outcome(result), *(account_rows or [("Account", "to be added later")])]

    def _adjust(self) -> None:
        super()._adjust()
        self.account.adjust(self.fields["country"].value)

    def _fields(self, country: str, product: str) -> list[FormField]:
        return [*super()._fields(country, product), *self.account]

    def _parts(self, fields: Mapping[str, FormField]) -> list[Node]:
        return [*super()._parts(fields), form_part("Account that receives payouts", self.account)]
