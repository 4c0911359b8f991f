"""A conversion account: where a person pays in, and the wallet that is paid out to."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Sequence
from datetime import datetime
from typing import Any

from ipywidgets import Dropdown, Text

from ...errors import Problem
from ...models import ConversionAccount, FinancialAccount
from ...rules import addresses, deposits
from ...status import CONVERSION_ACCOUNT
from ..page import Row
from .code import call
from .field import Field
from .form import Form
from .machine_line import line
from .watch import Look, Watch, in_thread

PENDING = "pending"


class ConversionAccountForm(Form):
    """Opens a conversion account with `create(wallet_id, currency, **more)`.

    The newest wallet is preselected. While the account is pending, a click shows it being
    provisioned and asks `look(id)` again on the kernel's loop; in code, `wait(id)` waits for it.
    Nothing is ever created twice.
    """

    title = "Conversion account"
    action = "Open the account"
    sent_title = "The account is open"

    def __init__(  # noqa: PLR0913 - what it does, what it chooses from, how it waits
        self,
        create: Callable[..., ConversionAccount],
        wait: Callable[[str], ConversionAccount],
        look: Callable[[str], ConversionAccount],
        wallets: Sequence[FinancialAccount],
        currency: str,
        *,
        individual_id: str = "",
        pass_time: Callable[[float], None] = lambda _: None,
        run: Callable[[Look], Awaitable[Any]] = in_thread,
    ) -> None:
        self._create, self._wait, self._owner = create, wait, individual_id
        self._account: ConversionAccount | None = None
        self.watch = Watch(
            lambda: look(self._pending_id),
            self._see,
            _settled,
            fail=self.show_error,
            pass_time=pass_time,
            run=run,
        )
        self._wallets = {wallet.id: wallet for wallet in newest_first(wallets)}
        named = [(_named(wallet), id_) for id_, wallet in self._wallets.items()]
        paid = Dropdown(options=[(currency.upper(), currency)])
        super().__init__(
            [
                Field("payout_account", "Wallet to pay out to", Dropdown(options=named)),
                Field("source_currency", "Paid in", paid),
                Field("client_reference_id", "Your reference (optional)", Text()),
            ]
        )

    def problems(self) -> list[Problem]:
        """What the spec and our assumptions find wrong."""
        values = self.values()
        body = {"individual_id": self._owner or "-", **values}
        body["payout_account"] = {"id": values.get("payout_account")}
        return deposits.check_account(body)

    def warnings(self) -> list[Problem]:
        """A chosen wallet whose address looks mistyped: what is paid out to it is lost."""
        chosen = self._wallets.get(self.fields["payout_account"].value)
        details = (chosen.details if chosen else None) or {}
        return addresses.warn(details.get("network"), details.get("address"), "payout_account")

    @property
    def begun(self) -> bool:
        """Whether an account was created, even if it is still pending."""
        return self._account is not None

    def send(self) -> ConversionAccount | None:
        """Open the account, once; then wait for it, or watch it where a person looks on."""
        if self._account is None:
            values = self.values()
            wallet, currency = values.pop("payout_account"), values.pop("source_currency")
            self._account = self._create(wallet, currency, **values)
        if _settled(self._account):
            return self._account
        self._see(self._account)
        if self.attended and self.watch.start():
            return None
        self.watch.stop()
        return self._wait(self._account.id)

    def script(self) -> str:
        """The call, and the waiting that a 202 asks for."""
        values = self.values()
        wallet, currency = values.pop("payout_account", ""), values.pop("source_currency", "")
        arguments = self._owner, wallet, currency
        made = call("lab.conversion_accounts.create", values, *arguments, to="account")
        return f"{made}\naccount = lab.conversion_accounts.wait(account.id)"

    def outcome(self, result: ConversionAccount) -> list[Row]:
        """Which account it is."""
        paid = (result.source_currency or "").upper()
        rows = [("Account", result.id), ("Status", str(result.status))]
        return [*rows, ("Converts", f"{paid} to {result.destination_currency or ''}")]

    def restart(self) -> None:
        """Open another one."""
        self._account = None
        super().restart()

    @property
    def _pending_id(self) -> str:
        return self._account.id if self._account else ""

    def _see(self, account: ConversionAccount) -> None:
        self._account = account
        if self.result is None and not _settled(account):
            self.button.description = "Provisioning…"
            self.message.value = line(CONVERSION_ACCOUNT, account.status)
        elif self.result is None and self.watch.running:
            self.finish(account)
            self.keep()


def newest_first(wallets: Iterable[FinancialAccount]) -> list[FinancialAccount]:
    """Wallets by their time of creation; of equal or unknown times, the last in the list first."""
    return sorted(wallets, key=_created)[::-1]


def _created(wallet: FinancialAccount) -> float:
    return wallet.created_at.timestamp() if isinstance(wallet.created_at, datetime) else 0.0


def _settled(account: ConversionAccount) -> bool:
    return account.status != PENDING


def _named(wallet: FinancialAccount) -> str:
    details = wallet.details or {}
    address = str(details.get("address", ""))
    short = f"{address[:6]}…{address[-4:]}" if len(address) > 12 else address
    return f"{short} on {details.get('network', 'an unknown network')}"
