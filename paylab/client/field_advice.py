"""Advises on the fields that a service names in a refusal, by the specification."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from ..corridors import countries
from ..errors.choices import choice_message
from ..rules.detail_names import CountryAccount, find_account, unknown_detail_names
from ..rules.expected import ExpectedField, expected_field, similar_fields
from ..spec.complaints import Complaint
from ..spec.json_path import last_name, value_at
from ..spec.operations.operation import Operation
from ..spec.service.service import Service
from ..spec.service.setting import SPEC
from ..spec.text import JsonMapping, plain
from ..spec.translation import Translation
from .refusal_kinds import DEPTH_MAX

FIELDS_MAX = 3
CREDENTIALS = re.compile(
    r"secret|client.?id|api.?key|token|password|signature|credential", re.IGNORECASE
)
"""Names of fields that never belong into a body of a signed request."""
SAYS_THE_RULE = re.compile(
    r"\b(must|should|one of|expected|allowed|at least|at most|between)\b", re.IGNORECASE
)
"""Words with which a service says its own rule: ours would repeat or contradict it."""


@dataclass(frozen=True)
class AdviceText:
    """Advice, and the assumption that the call certainly rests on, if there is one."""

    text: str | None = None
    assumption: str | None = None


class FieldAdvisor:
    """Finds what to change in the body of one refused request."""

    def __init__(self, operation: Operation, body: JsonMapping, service: Service) -> None:
        """Advise on a body in our names, which was sent for an operation."""
        self._operation = operation
        self._body = body
        self._service = service
        self._country: object = body.get("country")
        """The only country whose account has the fields that the service names."""

    def advice(self, complaints: Sequence[Complaint]) -> AdviceText | None:
        """Advise how to change the fields that complaints name; None if they name none."""
        field_complaints = self._translate_fields(complaints)
        missing_details = [
            last_name(complaint.field)
            for complaint in field_complaints
            if complaint.is_missing and complaint.field.startswith("details.")
        ]
        # The missing details may show the country, which the body of an account does not name.
        country_account = find_account(self._body.get("type"), missing_details, self._service)
        if country_account is not None and country_account.country:
            self._country = country_account.country
        advices = list(self._advise_by_field(field_complaints[:FIELDS_MAX]))
        other_missing_fields = self._list_missing_fields(field_complaints[FIELDS_MAX:])
        if other_missing_fields:
            advices.append(AdviceText(f"add also {', '.join(other_missing_fields)}"))
        if country_account is not None:
            advices += self._advise_on_details(country_account)
        if not advices:
            return None
        advice_texts = dict.fromkeys(advice.text for advice in advices if advice.text)
        assumptions = [advice.assumption for advice in advices if advice.assumption]
        first_assumption = assumptions[0] if assumptions else None
        return AdviceText("; ".join(advice_texts) or None, first_assumption)

    def _translate_fields(self, complaints: Sequence[Complaint]) -> list[Complaint]:
        """The complaints that name a field, with the field in our names."""
        to_our_name = partial(
            Translation(self._service).translate_field, self._operation.name, self._body
        )
        return [
            complaint._replace(field=to_our_name(complaint.field))
            for complaint in complaints
            if complaint.field
        ]

    def _advise_by_field(self, complaints: Sequence[Complaint]) -> Iterator[AdviceText]:
        """Yield the advice on each field, and last on all fields that the specification lacks."""
        sent_texts = {*_find_texts(self._body)}
        missing_fields = list[str]()
        for complaint in complaints:
            field = self._find_expected_field(complaint.field)
            if field is not None:
                yield self._advise_on_known_field(field, complaint)
            elif complaint.field in sent_texts or CREDENTIALS.search(complaint.field):
                continue  # it is a value that was sent, or a field that no signed request has
            elif complaint.is_missing:
                moved_advice = self._advise_on_moved_field(complaint.field)
                if moved_advice is not None:
                    yield moved_advice
                elif self._find_expected_field(last_name(complaint.field)) is None:
                    missing_fields.append(complaint.field)
            elif complaint.is_unknown:
                shown_field = plain(complaint.field, 60)
                advice_text = f"leave {shown_field} out of the call: this service does not know it"
                yield AdviceText(advice_text)
        if missing_fields:
            yield AdviceText(_describe_absent_fields(self._operation, missing_fields))

    def _list_missing_fields(self, complaints: Sequence[Complaint]) -> list[str]:
        """List the fields that complaints call missing, if the specification has them."""
        missing_fields = []
        for complaint in complaints:
            field = self._find_expected_field(complaint.field) if complaint.is_missing else None
            if field is None:
                continue
            # A field that was sent is not missing, whatever the service says.
            if value_at(self._body, field.path) is None:
                missing_fields.append(field.path)
        return missing_fields

    def _advise_on_details(self, account: CountryAccount) -> Iterator[AdviceText]:
        """Yield which fields an account has, if others were sent in place of the missing ones."""
        details = self._body.get("details")
        if not isinstance(details, Mapping):
            return
        unknown_names = unknown_detail_names(details, account.account)
        if unknown_names:
            unknown_names_text = " or ".join(plain(name, 60) for name in unknown_names[:FIELDS_MAX])
            yield AdviceText(f"{account.describe()}, and no {unknown_names_text}")

    def _find_expected_field(self, field_path: str) -> ExpectedField | None:
        """The field of the specification with this path in the body; None if it has none."""
        body = {**self._body, "country": self._country} if self._country else self._body
        return expected_field(self._operation.name, field_path, body, self._service)

    def _advise_on_moved_field(self, field_path: str) -> AdviceText | None:
        """Advice on a nested field that the specification has at the top of the body.

        None if it does not have it there, or if that field was sent.
        """
        field_name = last_name(field_path)
        is_at_top = self._find_expected_field(field_name) is not None
        if not is_at_top or value_at(self._body, field_name) is not None:
            return None
        return AdviceText(
            f"the service names {plain(field_path, 60)}; the specification has {field_name} at the "
            "top, which was not sent: add it, or ask your provider"
        )

    def _advise_on_known_field(self, field: ExpectedField, complaint: Complaint) -> AdviceText:
        """The advice on a field of the specification; empty if there is nothing to add."""
        assumption = None if field.source == SPEC else field.source
        sent_value = value_at(self._body, field.path)
        complaint_text = complaint.words.lower()
        # Words that quote what was sent call the value unknown, not the field.
        quotes_value = isinstance(sent_value, str) and sent_value.lower() in complaint_text
        if complaint.is_unknown and not quotes_value:
            return self._advise_on_unknown_field(field, assumption)
        if complaint.is_missing and sent_value is None:
            # The payout methods of a currency say more than all that the spec has.
            rule = self._rule_of_currency(field.path) or field.rule
            rule_text = f": it {rule}" if rule else ""
            return AdviceText(f"add {field.path} to the call{rule_text}", assumption)
        if complaint.is_missing and sent_value:
            return AdviceText()  # no rule of ours says why it counts as missing
        broken_rule_text = field.broken_rule(sent_value)
        if not broken_rule_text or SAYS_THE_RULE.search(complaint_text):
            return AdviceText()
        return AdviceText(f"{field.path} {broken_rule_text}")

    def _rule_of_currency(self, field_path: str) -> str:
        """The payout methods of the destination currency as a rule; "" for another field."""
        currency = self._body.get("destination_currency")
        if field_path != "payout_method" or not isinstance(currency, str):
            return ""
        payout_methods = {
            method: None
            for corridor in countries.of(self._service).all
            if corridor.currency == currency.upper()
            for method in corridor.payout_methods
        }
        return choice_message([*payout_methods]) if payout_methods else ""

    @staticmethod
    def _advise_on_unknown_field(field: ExpectedField, assumption: str | None) -> AdviceText:
        """The advice to leave out a field that the service does not know, unless it is required."""
        if field.required:
            return AdviceText()
        advice_text = f"this service does not know {field.path}: leave it out or ask your provider"
        return AdviceText(advice_text, assumption)


def _find_texts(body: object, depth: int = DEPTH_MAX) -> Iterator[str]:
    """The texts in a body, at any depth up to a limit."""
    if isinstance(body, str):
        yield body
    if not isinstance(body, dict | list) or not depth:
        return
    for member in body.values() if isinstance(body, dict) else body:
        yield from _find_texts(member, depth - 1)


def _describe_absent_fields(operation: Operation, field_names: Sequence[str]) -> str:
    """Advise on missing fields that the specification does not have."""
    noun = "field" if len(field_names) == 1 else "fields"
    fields_text = f"{noun} {', '.join(plain(field_name, 60) for field_name in field_names)}"
    similar_names = dict.fromkeys(
        similar_name
        for field_name in field_names
        for similar_name in similar_fields(operation, field_name)
    )
    if similar_names:
        return (
            f"the specification has no {fields_text} here, but {', '.join(similar_names)}: "
            "compare it with your provider's documentation"
        )
    is_inside = any("." in field_name for field_name in field_names)
    # `extra` would have to have the object around a nested field.
    extra_advice = "" if is_inside else ", and send it with extra={...}"
    return (
        f"the specification has no {fields_text} here: ask your provider what to send{extra_advice}"
    )
