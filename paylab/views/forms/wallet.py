"""A crypto wallet: where the stablecoin goes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ipywidgets import Dropdown, Text

from ... import codes, examples
from ...errors import Problem
from ...models import FinancialAccount
from ...rules import accounts, addresses
from ..page import Row
from .code import call
from .field import Field
from .form import Form


class WalletForm(Form):
    """Registers a wallet with `create(details)`; `individual_id` is for the code it shows."""

    title = "Wallet"
    action = "Register this wallet"
    sent_title = "The wallet is registered"

    def __init__(
        self,
        create: Callable[[Mapping[str, Any]], FinancialAccount],
        *,
        individual_id: str = "",
        example: bool = False,
    ) -> None:
        self._create, self._owner = create, individual_id
        given = examples.WALLET if example else {"address": "", "network": codes.NETWORKS[0]}
        networks = [(name.capitalize(), name) for name in codes.NETWORKS]
        super().__init__(
            [
                Field("network", "Network", Dropdown(options=networks, value=given["network"])),
                Field("address", "Address", Text(value=given["address"])),
            ]
        )

    def problems(self) -> list[Problem]:
        """What the spec and our assumptions find wrong."""
        return accounts.check_details(None, codes.CRYPTO_WALLET, self.values(), "")

    def warnings(self) -> list[Problem]:
        """An address whose checksum does not hold."""
        values = self.values()
        return addresses.warn(values.get("network"), values.get("address"))

    def send(self) -> FinancialAccount:
        """Register the wallet."""
        return self._create(self.values())

    def script(self) -> str:
        """The call that registers the same wallet."""
        arguments = self._owner, codes.CRYPTO_WALLET, self.values()
        return call("lab.financial_accounts.create", {}, *arguments, to="wallet")

    def outcome(self, result: FinancialAccount) -> list[Row]:
        """Which wallet it is."""
        details = result.details or {}
        rows = [("Wallet", result.id), ("Network", details.get("network", ""))]
        return [*rows, ("Address", details.get("address", ""))]
