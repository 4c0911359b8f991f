"""Translate bodies of requests and responses between our names and a service's names.

The rest of the package uses only our names, and amounts as text. The client sends bodies and
reads answers, the simulator sends answers; `request_body` reads the bodies.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from decimal import Decimal, InvalidOperation
from functools import lru_cache, partial
from typing import Any

from ..errors.base import Problem, RuleError
from .field_meanings import ANSWER_AMOUNTS
from .field_names import make_account_names, make_instruction_names, rename_instruction_details
from .json_path import join_path, last_name, step_into
from .operations.field import AMOUNT, CURRENCY
from .operations.operation import Operation
from .operations.records import NAMED, OPERATIONS, answer_names
from .renames import SAME_NAMES, Body, Convert, Names
from .service.accounts import AccountDetails
from .service.frozen import to_json_value
from .service.on_ramp import NAMES_BY_INSTRUCTION_TYPE
from .service.service import Service
from .text import CASE_CHANGES, JsonValue


class Translation:
    """The names of a service's fields in requests and responses, and the format of values."""

    def __init__(self, service: Service) -> None:
        """Translate for one service."""
        self.service = service
        self.changes_nothing = service.is_default
        """Whether all names and formats are ours, so that nothing is translated."""
        self.sends_numbers = service.amounts.requests == "number"
        """Whether amounts of requests are JSON numbers."""

    def translate_request(self, operation: str, body: Body) -> Body:
        """Write the body of a request in the service's names and formats, with constant fields."""
        if self.changes_nothing:
            return body
        operation_record = OPERATIONS[operation]
        rename_details = partial(_rename_for_service, path_prefix="details")
        request_body = self._rename_details(body, rename_details, in_service_names=False)
        self._move_ids(operation_record, request_body)
        if operation_record.is_sandbox and "{" in operation_record.path(self.service):
            request_body.pop("conversion_account_id", None)  # the path names the account
        if operation_record.names:
            formatted_body = self._format_values(operation_record, request_body)
            request_body = _rename_for_service(
                operation_record.request_names(self.service), formatted_body
            )
        return add_constants(request_body, self.service.extra.get(operation, {}))

    def renames_rows_of(self, list_name: str) -> bool:
        """Whether the rows of a list, such as "transfers", have other names than ours."""
        if self.changes_nothing:
            return False
        model_name = OPERATIONS[f"{list_name}.list"].answer
        if answer_names(model_name, self.service).their_names:
            return True
        return any(
            make_instruction_names(instructions_type, self.service).their_names
            for instructions_type in NAMES_BY_INSTRUCTION_TYPE
        )

    def _move_ids(self, operation: Operation, request_body: Body) -> None:
        """Replace references by ids, where the service has the id elsewhere than in an object.

        `{"payout_account": {"id": "fa_1"}}` becomes `{"payout_account_id": "fa_1"}`, which is
        renamed later as any other field.
        """
        for field in operation.references:
            reference_object = request_body.get(field.name)
            is_moved = operation.id_path(field, self.service) != field.default_id_path
            if is_moved and isinstance(reference_object, Mapping) and "id" in reference_object:
                del request_body[field.name]
                request_body[field.id_name] = reference_object["id"]

    def translate_answer(self, model: str, json_object: Body) -> Body:
        """Read an object of an answer in our names; `model` is the name of its model."""
        if self.changes_nothing:
            return json_object
        our_fields = answer_names(model, self.service).to_ours(json_object)
        return self._rename_details(our_fields, Names.to_ours, in_service_names=True)

    def write_answer(self, model: str, json_object: Body, country: object = None) -> Body:
        """Write an object of an answer in the service's names: the inverse of `translate_answer`.

        `country` is the country of accounts that do not state one.
        """
        if self.changes_nothing:
            return json_object
        # The names of details depend on the country and the type of each account.
        object_with_renamed_details = self._rename_details(
            json_object, Names.to_theirs, country, in_service_names=False
        )
        names_of_model = answer_names(model, self.service)
        return names_of_model.to_theirs(object_with_renamed_details)

    def translate_field(self, operation: str, body: object, field: str) -> str:
        """Translate the dotted path of a field of a request from the service's names to ours.

        `body` is the body that was sent, in our names: the type of its account decides the names
        of `details`.
        """
        if self.changes_nothing:
            return field
        names = OPERATIONS[operation].request_names(self.service)
        our_path = ""
        value_at_path = body
        for path_key in names.find_our_path(field).split("."):
            our_key = names.our_names.get(path_key, path_key)
            our_path = join_path(our_path, our_key)
            value_at_path = step_into(value_at_path, our_key)
            names = SAME_NAMES  # only the outermost fields and details have other names
            if our_key == "details" and isinstance(value_at_path, Mapping):
                names = self._find_sent_detail_names(value_at_path, body)
        return our_path

    def _find_sent_detail_names(self, details: Mapping[str, object], body: object) -> Names:
        """The names in sent details, by the type of the account that has them in `body`."""
        body_fields = body if isinstance(body, Mapping) else {}
        listed_accounts = body_fields.get("financial_accounts")
        possible_accounts = [body_fields]  # the body of a new account is the account
        if isinstance(listed_accounts, list):
            possible_accounts += listed_accounts
        account_type = None
        for account in possible_accounts:
            if isinstance(account, Mapping) and account.get("details") == details:
                account_type = account.get("type")
                break
        return self._choose_detail_names(
            body_fields.get("country"), account_type, details, in_service_names=False
        )

    def _rename_details(
        self, json_object: Body, rename: Convert, country: object = None, *, in_service_names: bool
    ) -> Body:
        """Rename the fields in the details of all accounts and deposit instructions of an object.

        `rename` is `Names.to_ours` or `Names.to_theirs`. `in_service_names` is whether the details
        have the service's names before they are renamed. `country` is the country of accounts if
        the object does not state one.
        """
        country = json_object.get("country", country)
        renamed_copy = rename_instruction_details(self.service, json_object, rename)

        def rename_in_account(account: object) -> Any:
            """Rename the details of an account inside the object."""
            if not isinstance(account, dict):
                return account
            return self._rename_details(account, rename, country, in_service_names=in_service_names)

        details = json_object.get("details")
        if isinstance(details, Mapping):
            detail_names = self._choose_detail_names(
                country, json_object.get("type"), details, in_service_names=in_service_names
            )
            renamed_copy["details"] = rename(detail_names, details)
        accounts = json_object.get("financial_accounts")
        if isinstance(accounts, list):
            renamed_copy["financial_accounts"] = list(map(rename_in_account, accounts))
        if isinstance(json_object.get("payout_account"), dict):
            renamed_copy["payout_account"] = rename_in_account(json_object["payout_account"])
        return renamed_copy

    def _choose_detail_names(
        self,
        country: object,
        account_type: object,
        details: Mapping[str, object],
        *,
        in_service_names: bool,
    ) -> Names:
        """The names in the details of an account; our own if its settings are not known."""
        account_settings = self.find_account_settings(
            country, account_type, details, in_service_names=in_service_names
        )
        return make_account_names(account_settings) if account_settings else SAME_NAMES

    def find_account_settings(
        self,
        country: object,
        account_type: object,
        details: Mapping[str, object],
        *,
        in_service_names: bool = False,
    ) -> AccountDetails | None:
        """Find the settings of an account; without a country, the ones that fit its details best.

        None if no country has the type, or if several fit equally well. `in_service_names` is
        whether the details have the service's names.
        """
        country = country or details.get("bank_account_country")  # as details in GB have
        if country is not None:
            return self.service.account(country, account_type)
        possible_settings = self.service.accounts_of(account_type)
        if not possible_settings:
            return None
        count_misfits = partial(_count_misfits, details, in_service_names=in_service_names)
        best_settings, *other_settings = sorted(possible_settings, key=count_misfits)
        if other_settings and count_misfits(other_settings[0]) == count_misfits(best_settings):
            return None  # both fit equally well
        return best_settings

    def _format_values(self, operation: Operation, body: Body) -> Body:
        """Copy a body with currencies in the service's letter case, and amounts in its format."""
        formatted_body = {}
        for field_name, field_value in body.items():
            field = operation.by_name.get(field_name)
            # A field of `extra` is a currency or an amount if its name ends so.
            field_kind = field.kind if field else field_name.rpartition("_")[2]
            formatted_body[field_name] = self._format_value(field_kind, field_value)
        return formatted_body

    def _format_value(self, field_kind: str, field_value: JsonValue) -> JsonValue:
        """Write a currency or an amount in the service's format; any other value is unchanged."""
        if field_kind == CURRENCY and isinstance(field_value, str):
            return CASE_CHANGES[self.service.currencies.case](field_value)
        if field_kind == AMOUNT and self.sends_numbers:
            return _read_number(field_value)
        return field_value


def add_constants(body: Body, constants: Mapping[str, object]) -> Body:
    """Add the constant fields that a body does not have, also inside objects that it has."""
    complete_body = dict(body)
    for constant_name, constant in constants.items():
        body_value = complete_body.get(constant_name)
        if body_value is None:
            complete_body[constant_name] = to_json_value(constant)
        elif isinstance(constant, Mapping) and isinstance(body_value, Mapping):
            complete_body[constant_name] = add_constants(dict(body_value), constant)
    return complete_body


def _rename_for_service(
    names: Names, json_object: Mapping[str, object], path_prefix: str = ""
) -> Body:
    """Rename the fields of an object to the service's names.

    RuleError for a field that the object has twice, under both names, with different values.
    `path_prefix` is the dotted path of the object, for the error.
    """
    for our_name, their_name in names.their_names.items():
        if our_name not in json_object or their_name not in json_object:
            continue
        is_other_field = their_name in names.their_names  # their name is ours for another field
        if not is_other_field and json_object[our_name] != json_object[their_name]:
            message = (
                f"is the service's name of {our_name}, which has another value: give one of them"
            )
            raise RuleError([Problem(join_path(path_prefix, their_name), message)])
    return names.to_theirs(json_object)


def _count_misfits(
    details: Mapping[str, object], settings: AccountDetails, *, in_service_names: bool
) -> tuple[int, int]:
    """Count the details that the settings do not know, and the known ones that are missing.

    Fewer of both is a better fit. `in_service_names` is whether the details have the service's
    names.
    """
    settings_names = set(settings.fields)
    if in_service_names:
        their_name_by_ours = make_account_names(settings).their_names
        settings_names = {their_name_by_ours.get(our_name, our_name) for our_name in settings_names}
    unknown_names = details.keys() - settings_names
    missing_names = settings_names - details.keys()
    return len(unknown_names), len(missing_names)


def _read_number(amount: object) -> object:
    """Turn the text of an amount into an int or a Decimal; any other value is unchanged.

    "10.50" becomes Decimal("10.50") and "10" becomes 10.
    """
    exact_number = amount
    if isinstance(amount, str):
        try:
            exact_number = Decimal(amount)
        except InvalidOperation:
            return amount
    if not isinstance(exact_number, Decimal) or not exact_number.is_finite():
        return amount
    has_decimals = "." in str(amount) or exact_number != exact_number.to_integral_value()
    return exact_number if has_decimals else int(exact_number)


def write_amounts_as_numbers(service: Service, json_bytes: bytes) -> bytes:
    """Replace amounts as text by numbers in JSON, if the service answers so (`amount.form`)."""
    if service.amounts.answers != "number":
        return json_bytes
    return _make_amount_pattern(service).sub(rb'"\1":\2', json_bytes)


@lru_cache
def _make_amount_pattern(service: Service) -> re.Pattern[bytes]:
    """The pattern of a member such as `"amount":"10.50"`, under any name of the service."""
    their_amount_names = {
        last_name(their_path)
        for model_name in NAMED
        for our_name, their_path in answer_names(model_name, service).their_names.items()
        if our_name in ANSWER_AMOUNTS
    }
    names_pattern_text = "|".join(map(re.escape, sorted({*ANSWER_AMOUNTS, *their_amount_names})))
    return re.compile(rf'"({names_pattern_text})":"(-?[0-9]+(?:\.[0-9]+)?)"'.encode())
