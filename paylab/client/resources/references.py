"""References to an account: by id, by the account itself, or as the service writes them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...errors import Problem
from ...models import FinancialAccount
from .. import nested, wire

Account = FinancialAccount | str | Mapping[str, Any]

# An account as the service shows it is as good as its id.
KNOWN = frozenset({*FinancialAccount.model_fields, "individual_id"})


def reference(account: Account | None, field: str = "financial_account") -> dict[str, Any] | None:
    """The `{"id": ...}` that stands for an account; None stays None."""
    if account is None:
        return None
    if isinstance(account, Mapping):
        wire.refuse(nested.unknown(account, KNOWN, field))
    if isinstance(account, Mapping) and account.get("id") is None:
        wire.refuse([Problem(f"{field}.id", "is required")])
    return {"id": wire.identifier(account, f"{field}.id")}


def identifier(value: object, field: str) -> str | None:
    """The id that a value or a result stands for; None stays None."""
    return None if value is None else wire.identifier(value, field)
