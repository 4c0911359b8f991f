"""Values that pass the rules of the specification, and that a real service would refuse."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import datetime

from ..errors.base import Problem
from ..rules.individuals import birth_date_warning, consent_warning, email_warning
from ..rules.wallet_addresses import find_address_warnings
from ..spec import codes
from ..spec.operations.operation import Operation
from ..spec.request_body import RequestBody, read_request
from ..spec.service.service import Service
from ..spec.text import JsonObject

CHECK_SOURCE = "check-digits"

PHILIPPINE_MOBILE = re.compile(r"(?:\+?63|0)9\d{9}")

WALLET_COUNTRIES: Mapping[str, str] = {codes.CRYPTO_WALLET: "US", codes.DIGITAL_WALLET: "PH"}
"""A country in which an account of this type has the fields that it has everywhere."""


def find_implausible_values(
    service: Service, operation: Operation, request_json: JsonObject, now: datetime
) -> list[Problem]:
    """The values of a new individual or account that cannot be right, in the service's names."""
    body = read_request(service, operation.name, request_json)
    problems: list[Problem] = []
    if operation.name == "individuals.create":
        problems += _find_implausible_facts(body.fields, now)
        accounts = body.fields.get("financial_accounts")
        if not isinstance(accounts, list):
            accounts = []
        for index, account in enumerate(accounts):
            if isinstance(account, dict):
                details_path = f"financial_accounts.{index}.details"
                problems += _find_implausible_details(account, details_path)
    elif operation.name == "financial_accounts.create":
        _rename_details(body)
        problems += _find_implausible_details(body.fields, "details")
    # `body.problems` names the fields as the service does; it adds those of the form of the body.
    return [problem for problem in body.problems(problems) if problem.source == CHECK_SOURCE]


def _find_implausible_facts(fields: Mapping[str, object], now: datetime) -> Iterator[Problem]:
    """The implausible facts of an individual: e-mail address, date of birth and consent."""
    message_by_field = {
        "email": email_warning(fields.get("email")),
        "date_of_birth": birth_date_warning(fields.get("date_of_birth"), now.date()),
        "idv_consent_recorded_at": consent_warning(fields.get("idv_consent_recorded_at"), now),
    }
    for fact_name, message in message_by_field.items():
        if message:
            yield Problem(fact_name, message, CHECK_SOURCE)


def _find_implausible_details(account: Mapping[str, object], details_path: str) -> list[Problem]:
    """The problems of a crypto wallet's address, or of a digital wallet's number."""
    details = account.get("details")
    if not isinstance(details, dict):
        return []
    account_type = account.get("type")
    if account_type == codes.CRYPTO_WALLET:
        return find_address_warnings(
            details.get("network"), details.get("address"), f"{details_path}.address"
        )
    wallet_number = details.get("account_number")
    has_wallet_number = account_type == codes.DIGITAL_WALLET and isinstance(wallet_number, str)
    if has_wallet_number and not PHILIPPINE_MOBILE.fullmatch(str(wallet_number)):
        message = "does not look like the number of a wallet: a mobile number like 09171234567"
        return [Problem(f"{details_path}.account_number", message, CHECK_SOURCE)]
    return []


def _rename_details(body: RequestBody) -> None:
    """Rename the details of a wallet to our names, by any country that has such accounts.

    The body of an account does not name the country of its individual.
    """
    account_type = body.fields.get("type")
    if isinstance(account_type, str) and account_type in WALLET_COUNTRIES:
        country = WALLET_COUNTRIES[account_type]
        details = body.fields.get("details")
        body.fields["details"] = body.rename_details(country, account_type, details, "details")
