"""Which account of a refused request a field of details belongs to."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from typing import Any, NamedTuple

from ..spec.json_path import last_name
from ..spec.operations.operation import Operation
from ..spec.service.accounts import AccountDetails
from ..spec.translation import Translation

_BESIDE_DETAILS = frozenset({"details", "type", "individual_id"})
"""Fields of an account beside those in its details."""


class SentAccount(NamedTuple):
    """An account of a request: the settings of its details, and the details that were sent."""

    settings: AccountDetails
    details: Mapping[str, Any]


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
        account = self.find_account(field_name)
        return account is not None and bool(
            {field_name, *self._unknown_names} & {*account.settings.fields}
        )

    def find_account(self, field_path: str) -> SentAccount | None:
        """The account that a field belongs to; None if that is not known."""
        index_match = re.match(r"financial_accounts\.(\d+)", field_path)
        accounts = list(self._find_accounts(int(index_match[1]) if index_match else None))
        # A path without an index belongs to the only account that has such a field.
        if len(accounts) != 1:
            field_name = last_name(field_path)
            accounts = [account for account in accounts if field_name in account.settings.fields]
        return accounts[0] if len(accounts) == 1 else None

    def _find_accounts(self, account_index: int | None) -> Iterator[SentAccount]:
        """The sent accounts whose settings are known: that with an index, or all for None."""
        accounts = self._body.get("financial_accounts", [self._body])
        if not isinstance(accounts, list):
            return
        if account_index is not None:
            accounts = accounts[account_index : account_index + 1]
        for account in accounts:
            details = account.get("details") if isinstance(account, Mapping) else None
            if isinstance(details, Mapping):
                country = self._body.get("country")
                settings = self._translation.find_account_settings(
                    country, account.get("type"), details
                )
                if settings is not None:
                    yield SentAccount(settings, details)
