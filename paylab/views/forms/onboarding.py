"""Forms that create an individual: onboarding, and a payout recipient with an account."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from typing import Any

from ...corridors import countries, examples
from ...corridors.account_types import DOCUMENT_NUMBERS
from ...corridors.corridor import Corridor
from ...corridors.country_names import NAMES
from ...corridors.on_ramps import of_country, unknown_on_ramp
from ...corridors.phone_numbers import phone_sample
from ...errors.base import Problem, RuleError
from ...rules import individuals
from ...spec import codes
from ...spec.json_path import set_value_at
from ...spec.models import FinancialAccount, Individual
from ...spec.service.service import Service
from ...spec.text import JsonObject
from .. import html
from ..html import Row
from . import person
from .account_fields import AccountFields, make_normaliser
from .code import Expression, literal, write_call
from .country_example import CountryExample
from .field import FormField
from .field_access import set_known_fields
from .form import Form
from .nodes import Button, Html, Node, form_section, side_by_side
from .person import CONSENT_FIELD, MISSING_CONSENT, Consent

DOCUMENT_NUMBER = "document.number"
NUMBER_NOT_STATED = "Fill it in if you have it: the specification requires only the document."
_utc_now = partial(datetime.now, UTC)


class OnboardingForm(Form):
    """Create an individual with `create(**fields)`.

    `example` fills in a fictitious person. `consent=True` records consent when you call
    `submit()` in code, and when the button of a stepper runs the example; when you click through
    the form, tick the box yourself. With `on_ramp_only`, it is the first step of an on-ramp and
    needs a country whose on-ramp is known.
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
        clock: Callable[[], datetime] = _utc_now,
        service: Service | None = None,
    ) -> None:
        """Make the form of a country, whose user can choose another one."""
        self._service = service
        self._on_ramp_only = on_ramp_only
        self._create = create
        self._has_code_consent = person.check_consent(consent)
        self._is_ticked_by_code = False
        self._example = CountryExample(self._set_example, self.filling)
        self._clock = clock
        self.title = f"{self.subject}: {NAMES.get(country, country)}"
        self.consent = Consent(clock)
        self.requirements = Html(style="hint")
        self.example_button = Button("Fill with an example", self._fill_example)
        self.helper_nodes = [self.example_button]
        fields = self._make_fields(country, product)
        super().__init__(fields, self._make_sections({field.name: field for field in fields}))
        if example:
            self._fill_example()

    def _make_fields(self, country: str, product: str) -> list[FormField]:
        """Make the inputs of an individual, with the consent at the end."""
        fields = person.make_fields(country, product)
        if self._on_ramp_only:
            product_field, country_field, *_ = fields
            product_field.set_options([(person.PRODUCT_LABELS[product], product)])
            country_field.set_options(
                [option for option in country_field.options if of_country(option[1])]
            )
        return [*fields, self.consent]

    def _make_sections(self, fields: Mapping[str, FormField]) -> list[Node]:
        """Make the form from top to bottom: the product and country first, the consent last."""

        def form_row(field_names: Sequence[str]) -> Node:
            """The inputs with these names, side by side."""
            return side_by_side([fields[field_name] for field_name in field_names])

        return [
            form_row(person.PRODUCT_FIELD_NAMES),
            self.requirements,
            self.example_button,
            form_section("Person", form_row(person.PERSON_FIELD_NAMES)),
            form_section("Address", form_row(person.ADDRESS_FIELD_NAMES)),
            form_section("Document", form_row(person.DOCUMENT_FIELD_NAMES)),
            self.consent,
        ]

    @property
    def corridor(self) -> Corridor:
        """The facts of the chosen country."""
        return countries.of(self._service).get(self.fields["country"].value) or Corridor("")

    def values(self) -> JsonObject:
        """The individual to send, with nested objects: "address.city" is in its address."""
        input_values = super().values()
        input_values["product_types"] = [input_values["product_types"]]
        input_values["address.country"] = input_values["country"]
        if "document.type" not in input_values:
            input_values.pop(DOCUMENT_NUMBER, None)  # no document was chosen
        individual_body: JsonObject = {}
        for field_name, field_value in input_values.items():
            set_value_at(individual_body, field_name, field_value)
        return individual_body

    def _find_problems(self, values: JsonObject) -> list[Problem]:
        """Problems of the individual; in an on-ramp, also a country that code sets and has none."""
        problems = individuals.check(values, self._service)
        country_code = self.fields["country"].value
        if self._on_ramp_only and of_country(country_code) is None:
            problems.append(Problem("country", unknown_on_ramp(country_code)))
        return problems

    def field_of(self, problem: Problem) -> FormField | None:
        """The field at which a problem is shown; that of a missing document at its type."""
        if problem.field == "document":
            return self.fields["document.type"]
        return super().field_of(problem)

    def _submit(self, anyway: bool) -> Any:
        """Submit the form; the error for a missing consent says how to give it."""
        try:
            return super()._submit(anyway)
        except RuleError as error:
            if CONSENT_FIELD in [problem.field for problem in error.problems]:
                error.hint = MISSING_CONSENT
            if self._is_ticked_by_code:  # nothing was sent, and a click needs a tick of the user
                self._is_ticked_by_code = False
                self.consent.reset(False)
                self.redraw()
            raise

    def _find_warnings(self, values: JsonObject) -> list[Problem]:
        """Values that look mistyped, or that no real person has."""
        warnings = individuals.find_warnings(values, self._service)
        if self._on_ramp_only:  # an unknown on-ramp is an error here, see `_find_problems`
            warnings = [warning for warning in warnings if warning.field != "country"]
        return [*warnings, *individuals.find_implausible(values, self._clock())]

    def _write_code(self, values: JsonObject) -> str:
        """The equivalent call; it asks for the document number instead of containing it."""
        field_values = dict(values)
        document_values = field_values.get("document", {})
        if "number" in document_values:
            question_text = person.document_label(str(document_values.get("type"))) + " number: "
            number_expression = Expression(f"input({literal(question_text)})")
            field_values["document"] = {**document_values, "number": number_expression}
        if CONSENT_FIELD in field_values:
            field_values[CONSENT_FIELD] = Expression("lab.clock()")
        return write_call("lab.individuals.create", keywords=field_values, assign_to="person")

    def result_rows(self, result: Individual) -> list[Row]:
        """The individual's id, and the status at its creation with what was needed then."""
        person_rows = [("Person", str(result.id)), ("Status at creation", str(result.status))]
        detail_codes = [detail.code or "" for detail in result.status_details or []]
        if detail_codes:
            person_rows.append(("Needed then", ", ".join(detail_codes)))
        return person_rows

    def _fill_example(self) -> None:
        """Fill in the example of the country."""
        self._example.fill(self._example_fields, self.fields["country"].value)

    @property
    def _example_fields(self) -> list[FormField]:
        """The fields that an example can set."""
        other_names = (*person.PRODUCT_FIELD_NAMES, CONSENT_FIELD)
        return [field for name, field in self.fields.items() if name not in other_names]

    def _set_example(self) -> None:
        """Set the fields of a fictitious person, without the consent."""
        set_known_fields(self, person.example_values(examples.person(self.fields["country"].value)))

    @property
    def run_hint(self) -> str:  # type: ignore[override]
        """To tick the box of the consent, unless it is ticked or code has the consent."""
        has_consent = self._has_code_consent or self.consent.recorded_at
        return "" if has_consent else "Tick the box of the consent first."

    def apply_code_options(self) -> None:
        """Record the consent of `consent=True`."""
        if self._has_code_consent and not self.consent.recorded_at:
            self.consent.value = True
            self._is_ticked_by_code = True

    def _clear_private_inputs(self) -> None:
        """Remove the document number from the page."""
        self.fields[DOCUMENT_NUMBER].set_value("")

    def _adjust_inputs(self) -> None:
        """Mark the fields that the country, the product and the service require."""
        country_code = str(self.fields["country"].value)
        if country_code in NAMES:
            self._example.follow(self._example_fields, country_code)
        self.title = self.heading.text = f"{self.subject}: {NAMES.get(country_code, country_code)}"
        product_type = self.fields["product_types"].value
        corridor_required_names = self.corridor.required_for([product_type])
        required_names = {
            *individuals.always_required_fields(self._service),
            *corridor_required_names,
            *individuals.additional_fields(self._product_values(), self._service),
        }
        for field_name, field in self.fields.items():
            if not field_name.startswith(("document.", *person.PRODUCT_FIELD_NAMES)):
                is_required = field_name in required_names
                is_assumed = is_required and field_name not in corridor_required_names
                field.set_required(is_required, assumed=is_assumed)
        is_ramp = product_type != codes.GLOBAL_PAYOUTS
        self.fields["family_name"].hint = person.FAMILY_NAME_HINT if is_ramp else ""
        self._adjust_email(is_advised=is_ramp and "email" not in required_names)
        self._adjust_phone(phone_sample(country_code))
        self._adjust_document(is_required="document" in corridor_required_names)
        requirements_text = person.requirement_sentences(self.corridor, product_type)
        self.requirements.html = html.escape(requirements_text)

    def _adjust_email(self, *, is_advised: bool) -> None:
        """Advise an e-mail address, or say nothing about it."""
        email_field = self.fields["email"]
        email_field.hint = "May be needed for on-ramps and off-ramps." if is_advised else ""
        if is_advised:
            email_field.set_advised()

    def _adjust_phone(self, sample_phone: str) -> None:
        """Show a phone number of the country as an example; `sample_phone` is empty for none."""
        phone_field = self.fields["phone"]
        phone_field.placeholder = sample_phone
        sample_hint = f"With the country code, as in {sample_phone}."
        phone_field.hint = sample_hint if sample_phone else ""

    def _product_values(self) -> JsonObject:
        """The country and the product, as in the individual to send."""
        return {
            "country": self.fields["country"].value,
            "product_types": [self.fields["product_types"].value],
        }

    def _adjust_document(self, *, is_required: bool) -> None:
        """Offer the documents of the country, and ask for the number of the chosen one."""
        type_field = self.fields["document.type"]
        type_field.set_options(person.document_options(self.corridor, is_required=is_required))
        type_field.set_required(is_required)
        document_type = type_field.value
        number_field = self.fields[DOCUMENT_NUMBER]
        number_field.label = "Document number"
        if document_type:
            number_field.label = person.document_label(document_type)
        number_field.hint = person.document_number_hint(document_type)
        if is_required:
            number_field.hint = f"{number_field.hint} {NUMBER_NOT_STATED}".lstrip()
            number_field.set_advised()
        else:
            number_field.set_required(False)
        number_field.normalise = make_normaliser(DOCUMENT_NUMBERS.get(document_type))
        number_field.visible = bool(document_type)


ACCOUNTS_FIELD = "financial_accounts"
ACCOUNT_PREFIX = f"{ACCOUNTS_FIELD}.0."


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
        self.account = AccountFields(
            country, prefix=ACCOUNT_PREFIX, may_add_later=True, service=service
        )
        super().__init__(create, country, product, service=service, **options)
        self.helper_nodes = [*self.helper_nodes, self.account.scanner]

    def values(self) -> JsonObject:
        """The individual with its account, to send."""
        individual_values = super().values()
        individual_values.pop(ACCOUNTS_FIELD, None)
        account_values = self.account.values()
        if not account_values:
            return individual_values
        return {**individual_values, ACCOUNTS_FIELD: [account_values]}

    def _set_example(self) -> None:
        """Set the fields of a fictitious recipient, with an account if payouts are documented."""
        if not any(account_facts.example for account_facts in self.corridor.accounts):
            super()._set_example()
            return
        country_code = self.fields["country"].value
        example_body = examples.recipient(country_code, self._service)
        account_body = example_body.pop(ACCOUNTS_FIELD)[0]
        with self.filling():
            self.account.adjust(country_code)  # its types may be those of another country
            self.account.fill(account_body["type"], account_body["details"])
            set_known_fields(self, person.example_values(example_body))

    def result_rows(self, result: Individual) -> list[Row]:
        """The individual and the account that receives payouts."""
        person_rows = super().result_rows(result)
        account_rows = [
            ("Account", f"{account.id} ({account.type})")
            for account in result.financial_accounts or []
            if isinstance(account, FinancialAccount)
        ]
        later_text = "to be added later" if self.corridor.rails else person.NO_PAYOUTS
        return [*person_rows, *(account_rows or [("Account", later_text)])]

    def _adjust_inputs(self) -> None:
        """Show the inputs that the country needs, those of its accounts included."""
        super()._adjust_inputs()
        self.account.adjust(self.fields["country"].value)

    def _make_fields(self, country: str, product: str) -> list[FormField]:
        """Make the inputs of an individual, and those of the account."""
        return [*super()._make_fields(country, product), *self.account]

    def _make_sections(self, fields: Mapping[str, FormField]) -> list[Node]:
        """The form from top to bottom, with the account at the end."""
        account_section = form_section("Account that receives payouts", self.account)
        return [*super()._make_sections(fields), account_section]
