"""Deposits in the sandbox."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Unpack

from ...errors.arguments import explain_arguments
from ...errors.names import with_name_suggestions
from ...rules import deposits as rules
from ...spec import codes
from ...spec.models import ConversionAccount, Deposit
from ..identifiers import read_field
from ..parameters import build_body, raise_or_warn, strict_keywords
from ..request import Options
from .resource_session import ResourceSession


@with_name_suggestions
@explain_arguments
class Sandbox:
    """Operations of the sandbox only."""

    def __init__(self, session: ResourceSession) -> None:
        """`session` sends the requests."""
        self._session = session

    @strict_keywords(Options)
    def deposit(
        self,
        conversion_account_id: ConversionAccount | str,
        amount: Decimal | str | int,
        currency: codes.OnRampCurrency | str,
        sender_name: str | None = None,
        *,
        extra: Mapping[str, object] | None = None,
        **options: Unpack[Options],
    ) -> Deposit:
        """Simulate a fiat deposit; sender_name="" simulates a missing sender.

        A response without a body is a success; the deposit then has the sent values.

        >>> lab.sandbox.deposit(account, "10.00", "mxn").amount
        Amount('10.00')
        """
        body = build_body(
            "sandbox.deposit",
            extra,
            conversion_account_id=conversion_account_id,
            amount=amount,
            currency=currency,
            sender_name=sender_name,
        )
        account_currency = read_field(conversion_account_id, "source_currency")
        problems = rules.check(body, account_currency, self._session.service)
        account_id = str(body["conversion_account_id"])
        # Some services have the id in the path, where a placeholder may have either name.
        path_ids = {"id": account_id, "conversion_account_id": account_id}
        raise_or_warn(problems)
        response = self._session.call(
            "sandbox.deposit", body, parts=path_ids, any_answer=True, **options
        )
        return response.read_or(Deposit, body)
