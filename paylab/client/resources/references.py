"""References to an account: by id, by the account itself, or as the service writes them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...errors import Problem, RuleError
from ...models import FinancialAccount


def reference(account: FinancialAccount | str | Mapping[str, Any] | None) -> dict[str, Any] | None:
    """The `{"id": ...}` that stands for an account; None stays None."""
    if account is None:
        return None
    if isinstance(account, Mapping):
        return dict(account)
    id_ = account.id if isinstance(account, FinancialAccount) else account
    if not id_:
        raise RuleError([Problem("id", "must be the id of a financial account, not empty")])
    return {"id": id_}
