"""Which account of a refused request a field of details belongs to."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from typing import Any

from ..spec.json_path import last_name
from ..spec.operations.operation import Operation
from ..spec.service.accounts import AccountDetails
from ..spec.translation import Translation

AccountForm = tuple[AccountDetails, Mapping[str, Any]]
"""The settings of the details of an account, and the details that were sent."""

_BESIDE_DETAILS = frozenset({"details", "type", "individual_id"})
"""Fields of an account beside those in its details."""


class SentAccounts:
    """The accounts in the body of a request; `unknown_names` are the fields that were refused."""

    def __init__(
        self,
        operation: Operation,
        body: Mapping[str, Any],
        translation: Translation,
        unknown_names: Collection[str],
    ) -> None:
        self._operation = operation
        self._body = body
        self._translation = translation
        self._unknown_names = unknown_names

    def has_field(self, field_path: str) -> bool:
        """Whether a field is one of an account's details."""
        *parents, field_name = field_path.split(".")
        if field_name in _BESIDE_DETAILS:
            return False
        if "details" in parents or "financial_accounts" in parents:
            return True
        is_account = self._operation.resource == "financial_accounts"
        return is_account and not parents and self._has_bare_field(field_name)

    def _has_bare_field(self, field_name: str) -> bool:
        """Whether the service tells a field of the details by its name alone."""
        account = self.find_form(field_name)
        return account is not None and bool(
            {field_name, *self._unknown_names} & {*account[0].fields}
        )

    def find_form(self, field_path: str) -> AccountForm | None:
        """The form and the details of the account that a field belongs to; None if not known."""
        number = re.match(r"financial_accounts\.(\d+)", field_path)
        forms = list(self._find_forms(int(number[1]) if number else None))
        # Without a number, the only account that has such a field.
        if len(forms) != 1:
            field_name = last_name(field_path)
            forms = [(form, details) for form, details in forms if field_name in form.fields]
        return forms[0] if len(forms) == 1 else None

    def _find_forms(self, number: int | None) -> Iterator[AccountForm]:
        """The accounts whose form is known: that with a number from 0, or all for None."""
        accounts = self._body.get("financial_accounts", [self._body])
        if not isinstance(accounts, list):
            return
        for account in accounts if number is None else accounts[number : number + 1]:
            details = account.get("details") if isinstance(account, Mapping) else None
            if isinstance(details, Mapping):
                country = self._body.get("country")
                form = self._translation.account(country, account.get("type"), details)
                if form is not None:
                    yield form, details
