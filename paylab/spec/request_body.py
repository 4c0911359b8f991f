"""The body of a request as a service reads it: in our names, with the problems of its form.

A service may have other field names, name an account by its id alone, take amounts as numbers,
or refuse unknown fields. Rules see only our names; problems are told in the service's names.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from dataclasses import field as dataclass_field
from decimal import Decimal
from typing import Any

from ..errors.base import Problem
from ..errors.suggestions import find_nearest_name
from .field_names import make_account_names
from .json_path import join_path
from .operations.field import AMOUNT, CURRENCY, OBJECT, Field
from .operations.operation import Operation
from .operations.records import OPERATIONS
from .renames import SAME_NAMES, Names
from .service.service import Service
from .text import CASE_CHANGES, JsonMapping, JsonObject, JsonValue

_COMPOUND_NAME = re.compile(r"[a-z]+(?:_[a-z]+)+")


@dataclass
class RequestBody:
    """A body in our names; `form_problems` are the problems of its form, in the service's names.

    `names_by_path` has the names in each object of the body, by dotted path ("" is the body).
    `moved_paths` has the service's path of each reference that it has at another path than we do.
    `unknown_fields` are the fields that the service does not know, refused or ignored, and
    deprecated fields, each with the field that is probably meant.
    """

    service: Service
    fields: dict[str, Any] = dataclass_field(default_factory=dict)
    names_by_path: dict[str, Names] = dataclass_field(default_factory=dict)
    form_problems: list[Problem] = dataclass_field(default_factory=list)
    moved_paths: dict[str, str] = dataclass_field(default_factory=dict)
    unknown_fields: list[Problem] = dataclass_field(default_factory=list)

    def rename(
        self,
        value: JsonValue,
        known_names: Collection[str],
        names: Names = SAME_NAMES,
        path: str = "",
    ) -> JsonValue:
        """Rename the fields of an object to our names, and note the fields that are not known.

        `known_names` are our names of the fields that it may have, `names` are the service's names
        for them, and `path` is the dotted path of the object in the body. A value that is no
        object is unchanged.
        """
        if not isinstance(value, dict):
            return value
        self.names_by_path[path] = names
        their_known_names = [
            names.their_names.get(known_name, known_name) for known_name in known_names
        ]
        fields, other_fields = names.split_nested(value)
        for sent_name, field_value in other_fields.items():
            our_name = names.our_names.get(sent_name, sent_name)
            # The service has another name for this field, and does not know ours.
            is_only_ours = our_name == sent_name and sent_name in names.their_names
            if is_only_ours or our_name not in known_names:
                self._note_unknown(path, sent_name, their_known_names)
            if not is_only_ours:
                fields[our_name] = field_value
        return fields

    def rename_nested(self, field: Field) -> None:
        """Rename what is inside a field of the body, an object or a list of objects."""
        if field.name not in self.fields:
            return
        object_or_list = self.fields[field.name]
        # Empty for a list of words, and for details, which `rename_listed_details` renames.
        inner_names = field.inner_names()
        if field.kind == OBJECT:
            self.fields[field.name] = self.rename(object_or_list, inner_names, path=field.name)
        elif inner_names and isinstance(object_or_list, list):
            self.fields[field.name] = [
                self.rename(item, inner_names, path=join_path(field.name, index))
                for index, item in enumerate(object_or_list)
            ]

    def rename_details(
        self, country: object, account_type: object, details: JsonValue, path: str
    ) -> JsonValue:
        """Rename the details of an account; unchanged for a type that its country does not have."""
        account_settings = (
            self.service.account(country, account_type) if isinstance(country, str) else None
        )
        if account_settings is None:
            return details
        known_names = (*account_settings.fields, *account_settings.required)
        return self.rename(details, known_names, make_account_names(account_settings), path)

    def rename_listed_details(self) -> None:
        """Rename the details of the accounts in the body of a new individual."""
        country = self.fields.get("country")
        accounts = self.fields.get("financial_accounts")
        if not isinstance(accounts, list):
            return
        for index, account in enumerate(accounts):
            if isinstance(account, dict) and "details" in account:
                path = f"financial_accounts.{index}.details"
                details = account["details"]
                account["details"] = self.rename_details(
                    country, account_type=account.get("type"), details=details, path=path
                )

    def read_reference(self, field: Field, id_path: str) -> None:
        """Rename a reference, and note as unknown one in a form that the service does not accept.

        The forms are an object, `{"financial_account": {"id": "fa_1"}}`, and the id alone,
        `{"financial_account_id": "fa_1"}`. `id_path` is where the service has the id.
        """
        if id_path != field.default_id_path:
            self._read_moved_reference(field)
            return
        if field.name in self.fields:
            self.fields[field.name] = self.rename(self.fields[field.name], ("id",), path=field.name)
        if field.id_name not in self.fields:
            return
        their_id_name = self.their_path(field.id_name)
        if not field.accepts("id"):
            self._note_unknown("", their_id_name)
            del self.fields[field.id_name]
        elif field.has_deprecated_id:
            message = f"is a deprecated spelling: is {self.their_path(field.name)}.id meant?"
            self.unknown_fields.append(Problem(their_id_name, message, "request.unknown"))

    def _read_moved_reference(self, field: Field) -> None:
        """Read a reference whose id the service has at another path, as an object in `fields`.

        `rename` has made our `payout_account_id` of the id, such as `wallet_id`. Here it becomes
        `{"payout_account": {"id": "fa_1"}}`.
        """
        if field.name in self.fields and not field.accepts("object"):
            self._note_unknown("", field.name)
            del self.fields[field.name]
        elif field.name in self.fields:
            self.fields[field.name] = self.rename(self.fields[field.name], ("id",), path=field.name)
        if self.fields.get(field.id_name) is not None and field.name not in self.fields:
            self.fields[field.name] = {"id": self.fields.pop(field.id_name)}
        their_id_name = self.their_path(field.id_name)
        self.moved_paths = dict.fromkeys((field.name, f"{field.name}.id"), their_id_name)

    def read_constants(
        self, value: JsonObject, constants: JsonMapping, path: str = ""
    ) -> JsonObject:
        """Copy an object without its constant fields; each one that is missing is a problem."""
        remaining_fields = dict(value)
        for constant_name, constant in constants.items():
            constant_path = join_path(path, constant_name)
            sent_value = remaining_fields.pop(constant_name, None)
            if sent_value is None:
                problem = Problem(constant_path, "is required", "request.extra")
                self.form_problems.append(problem)
            elif isinstance(constant, Mapping) and isinstance(sent_value, dict):
                inner_fields = self.read_constants(sent_value, constant, constant_path)
                if inner_fields:
                    remaining_fields[constant_name] = inner_fields
        return remaining_fields

    def read_amounts(self, names: Iterable[str]) -> None:
        """Turn amounts into text, as the rules want them, if the service wants JSON numbers.

        Add a problem for an amount that is not a number.
        """
        if self.service.amounts.requests != "number":
            return
        for amount_name in names:
            amount = self.fields.get(amount_name)
            is_number = isinstance(amount, int | float) and not isinstance(amount, bool)
            if is_number:
                # A number of a body keeps its text, which has every digit.
                number_text = getattr(amount, "text", str(amount))
                self.fields[amount_name] = format(Decimal(number_text), "f")
            elif amount is not None:
                message = "must be a JSON number, like 10.50"
                self._add_problem(amount_name, message, "amount.form")

    def check_currencies(self, names: Iterable[str]) -> None:
        """Note a problem for each currency that is not in the letter case of the service."""
        letter_case = self.service.currencies.case
        for currency_field in names:
            currency = self.fields.get(currency_field)
            if isinstance(currency, str) and currency != CASE_CHANGES[letter_case](currency):
                self._add_problem(currency_field, f"must be in {letter_case} case", "currency.case")

    def their_path(self, our_path: str) -> str:
        """Translate the dotted path of a field from our names to the service's."""
        if our_path in self.moved_paths:
            return self.moved_paths[our_path]
        object_path = ""  # in our names, of the object that has the next key
        translated_path = ""
        for our_key in our_path.split("."):
            object_names = self.names_by_path.get(object_path, SAME_NAMES)
            translated_path = join_path(
                translated_path, object_names.their_names.get(our_key, our_key)
            )
            object_path = join_path(object_path, our_key)
        return translated_path

    def problems(self, rule_problems: Iterable[Problem]) -> list[Problem]:
        """Join the problems of the form and those of rules, in the service's names.

        A field with a problem of its form has no second problem by a rule.
        """
        form_problem_fields = {problem.field for problem in self.form_problems}
        problems = list(self.form_problems)
        for problem in rule_problems:
            field_path = self.their_path(problem.field)
            if field_path not in form_problem_fields:
                problems.append(
                    Problem(field_path, self._rename_fields_in(problem.message), problem.source)
                )
        return problems

    def _rename_fields_in(self, message: str) -> str:
        """Replace the field names of ours in a message by the service's; keep all other words."""
        their_name_by_ours: dict[str, str] = {}
        for object_names in self.names_by_path.values():
            their_name_by_ours |= object_names.their_names

        def rename_word(name_match: re.Match[str]) -> str:
            """Our name of a field becomes the service's; any other word is unchanged."""
            our_name = name_match[0]
            return their_name_by_ours.get(our_name, our_name)

        return _COMPOUND_NAME.sub(rename_word, message)

    def _note_unknown(
        self, path: str, unknown_name: str, known_names: Collection[str] = ()
    ) -> None:
        """Note a field that the service does not know; it is a problem if the service refuses it.

        `path` is that of the object with the field, `known_names` are possible spellings.
        """
        nearest_name = find_nearest_name(unknown_name, known_names)
        message = f"is not known: is {nearest_name} meant?" if nearest_name else "is not known"
        field_path = join_path(path, unknown_name)
        self.unknown_fields.append(Problem(field_path, message, "request.unknown"))
        if self.service.requests.unknown_fields == "refuse":
            self.form_problems.append(Problem(field_path, "is not known", "request.unknown"))

    def _add_problem(self, field_name: str, message: str, rule_source: str) -> None:
        """Note a problem of a field, which is given by our name."""
        self.form_problems.append(Problem(self.their_path(field_name), message, rule_source))


def read_request(service: Service, operation: str, sent_body: JsonObject) -> RequestBody:
    """Read the body of an operation in our names.

    Details of an account stay as they are where the body does not name the country.
    """
    operation_record = OPERATIONS[operation]
    body = RequestBody(service)
    names = operation_record.request_names(service)
    fields_without_constants = body.read_constants(
        sent_body, _find_constants(operation_record, names, service)
    )
    body.fields = body.rename(fields_without_constants, operation_record.by_name, names)
    for field in operation_record.fields:
        body.rename_nested(field)
    body.rename_listed_details()
    for reference in operation_record.references:
        body.read_reference(reference, operation_record.id_path(reference, service))
    body.read_amounts(operation_record.field_names_of_kind(AMOUNT))
    body.check_currencies(operation_record.field_names_of_kind(CURRENCY))
    return body


def _find_constants(operation: Operation, names: Names, service: Service) -> dict[str, Any]:
    """The constant fields that a service requires, except those that the operation has anyway."""
    their_known_names = {
        names.their_names.get(our_name, our_name) for our_name in operation.by_name
    }
    constant_by_name: Mapping[str, object] = service.extra.get(operation.name, {})
    return {
        constant_name: constant
        for constant_name, constant in constant_by_name.items()
        if constant_name not in their_known_names
    }
