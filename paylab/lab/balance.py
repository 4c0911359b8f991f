"""The prefunded money of the account: `lab.balance()`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from decimal import Decimal
from typing import TYPE_CHECKING, Any, overload

from ..client.client import Client
from ..errors.arguments import explain_arguments
from ..errors.base import ConfigError, MissingOperationError, PaylabError, UnknownItemError
from ..errors.extras import bundle_or_text, display_or_text
from ..errors.names import with_name_suggestions
from ..errors.text import plain, printable_lines

if TYPE_CHECKING:
    from ..simulator.controls import Controls
    from ..spec.models import Balance
    from ..views.balance import BalancePage

UNKNOWN_BALANCE = (
    "not known: the specification has no operation that reads it, and this service names none; the "
    "dashboard of the service shows the balance"
)
NOT_SIMULATED = (
    "only a simulator can be topped up: send USD by wire or USDC on the Base network, as your "
    "dashboard says"
)


def amounts_text(balance: Balance) -> str:
    """The amounts of one currency that are known, in words."""
    amount_by_label = {
        "available": balance.available,
        "reserved for payouts": balance.reserved,
        "awaited by payouts": balance.awaiting_funds,
    }
    return ", ".join(
        f"{amount} {amount_label}"
        for amount_label, amount in amount_by_label.items()
        if amount is not None
    )


@explain_arguments
class Funds:
    """Reads the balance of an account: of a simulator by its controls, else by its operation."""

    def __init__(self, client: Client, find_controls: Callable[[], Controls | None]) -> None:
        self._client = client
        self._find_controls = find_controls

    @overload
    def balance(self, currency: None = None) -> AccountBalance: ...

    @overload
    def balance(self, currency: str) -> Balance: ...

    def balance(self, currency: str | None = None) -> AccountBalance | Balance:
        """The prefunded money of the account: available, reserved, and awaited by payouts.

        With a `currency`, the amounts of that one.

        A notebook shows it as a card, in a simulator with a form that tops it up. A service needs
        an operation for it, which the specification does not have (assumption `balance.read`):
        without one, the balance is shown as not known.

        >>> lab.balance().top_up("250.00", "USD")["USD"].available
        Amount('250.00')
        """
        controls = self._find_controls()
        pay_in = None if controls is None else controls.pay_in
        account_balance = AccountBalance(self._read_balances, pay_in, self._client.place)
        return account_balance if currency is None else account_balance[currency]

    def find_simulated(self, currency: str) -> Balance | None:
        """The balance of a simulator in a currency; None without one, and for a real service.

        The service is sent no request.
        """
        from ..spec.models import Balance

        with suppress(PaylabError):  # another process may have stopped the simulator
            controls = self._find_controls()
            for balance_fields in [] if controls is None else controls.funds():
                if balance_fields["currency"] == currency.upper():
                    return Balance.model_validate(balance_fields)
        return None

    def _read_balances(self) -> Sequence[Balance] | None:
        """The balance of each currency; None for a service without an operation that reads it.

        A simulator without the operation shows it by its controls.
        """
        from ..spec.models import BalanceList

        try:
            return self._client.balances.get().balances or []
        except MissingOperationError:
            controls = self._find_controls()  # a simulator knows its balance all the same
        if controls is None:
            return None
        balance_list = BalanceList.model_validate({"balances": controls.funds()})
        return balance_list.balances or []


@with_name_suggestions
@explain_arguments
class AccountBalance:
    """The balance of an account by currency, as it was read; `refresh` reads it again.

    `balance["USD"]` has the amounts `available`, `reserved` and `awaiting_funds`. A simulator has
    no balance until the first top-up: until then it funds every payout. `is_known` is whether the
    service has an operation that reads the balance.
    """

    def __init__(
        self,
        read: Callable[[], Sequence[Balance] | None],
        pay_in: Callable[[str | int | Decimal, str], Decimal] | None,
        describe_place: Callable[[], str],
    ) -> None:
        """Read the balance; `pay_in` is None for a service that is no simulator.

        `describe_place` returns the name of the service, to show with the amounts.
        """
        self._read = read
        self._pay_in = pay_in
        self._describe_place = describe_place
        self.refresh()

    @property
    def currencies(self) -> list[str]:
        """The currencies that have a balance."""
        return [str(balance.currency or "").upper() for balance in self._balances]

    def refresh(self) -> AccountBalance:
        """Read the balance again.

        >>> lab.balance().refresh().currencies
        []
        """
        balances = self._read()
        self.is_known = balances is not None
        self._balances = tuple(balances or ())
        return self

    def top_up(self, amount: str | int | Decimal, currency: str = "USD") -> AccountBalance:
        """Pay into the account of a simulator, in USD or USDC; payouts that wait are funded.

        ConfigError for any other service.

        >>> lab.balance().top_up("20.00")["USD"].available
        Amount('20.00')
        """
        if self._pay_in is None:
            raise ConfigError(NOT_SIMULATED)
        self._pay_in(amount, currency)
        return self.refresh()

    def __getitem__(self, currency: str) -> Balance:
        """The balance in a currency; UnknownItemError names the currencies that there are."""
        for known_currency, balance in zip(self.currencies, self._balances, strict=True):
            if isinstance(currency, str) and known_currency == currency.upper():
                return balance
        if not self.is_known:
            raise UnknownItemError(f"the balance is {UNKNOWN_BALANCE}")
        top_up_text = 'none yet: lab.balance().top_up("50.00", "USD") sets the first'
        no_currency_text = "none" if self._pay_in is None else top_up_text
        known_currencies_text = ", ".join(self.currencies) or no_currency_text
        currency_text = plain(repr(currency), 40)
        raise UnknownItemError(
            f"there is no balance in {currency_text}: the account has {known_currencies_text}"
        )

    def __iter__(self) -> Iterator[Balance]:
        """The balance of each currency."""
        return iter(self._balances)

    def __len__(self) -> int:
        """The number of currencies."""
        return len(self._balances)

    def __contains__(self, currency: object) -> bool:
        """Whether the account has a balance in a currency, in any case."""
        return isinstance(currency, str) and currency.upper() in self.currencies

    def __repr__(self) -> str:
        """The amounts of each currency, or that there are none."""
        balance_lines = [
            f"  {balance.currency}: {amounts_text(balance)}" for balance in self._balances
        ]
        if not balance_lines:
            balance_lines = ["  no balance is set" if self.is_known else f"  {UNKNOWN_BALANCE}"]
        return printable_lines("\n".join([f"Balance  [{self._describe_place()}]", *balance_lines]))

    def _make_page(self) -> BalancePage:
        """Make the card of the balance as it was read, with a form to top it up in a simulator."""
        from ..views.balance import BalancePage

        top_up_action = None if self._pay_in is None else self.top_up
        page = BalancePage(self._balances, top_up_action, is_known=self.is_known)
        page.show_service_name(self._describe_place())
        return page

    def _repr_mimebundle_(self, **_: object) -> Any:
        """The card for Jupyter, by MIME type."""
        return bundle_or_text(self._make_page, repr(self))

    def _ipython_display_(self) -> None:
        """Show the card in a notebook."""
        display_or_text(self._make_page)
