"""A quote: over which rail, in which currency, and which of the three amounts is given."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ipywidgets import Dropdown, Text, VBox

from ... import codes
from ...errors import Problem
from ...models import Quote
from ...rules import transfers
from ..page import Row
from ..terms import quote_rows
from .code import call
from .field import Field
from .form import Form

GIVEN = {
    "source_amount": "I send exactly this, fees included",
    "destination_amount": "They get exactly this",
    "net_source_amount": "Exactly this is exchanged, fees come on top",
}


class QuoteForm(Form):
    """Asks for a quote with `create(**fields)`; `routes` are (label, fields) to choose from.

    `accounts` are the recipient's, to say beforehand that an off-ramp will be refused; `card`
    makes what is shown once there is a quote and somebody clicked.
    """

    title = "Quote"
    action = "Get a quote"
    sent_title = "Here is the quote"
    repeatable = True
    function, variable = "lab.quotes.create", "quote"
    rule = staticmethod(transfers.check_quote)

    def __init__(  # noqa: PLR0913 - what it does, and what it starts from
        self,
        create: Callable[..., Any],
        routes: Sequence[tuple[str, dict[str, Any]]],
        *,
        accounts: Sequence[Any] = (),
        amount: str = "100",
        source: str = codes.SOURCE_CURRENCIES[0],
        card: Callable[[Any], Any] | None = None,
    ) -> None:
        self._create, self._routes, self._card = create, routes, card
        self._accounts = [getattr(account, "raw", account) for account in accounts]
        self.below = VBox()
        super().__init__(self._fields(amount, source))
        self.view.children = (*self.view.children, self.below)
        self._follow()

    def _fields(self, amount: str, source: str) -> list[Field]:
        sources = codes.SOURCE_CURRENCIES
        labels = [(text, at) for at, (text, _) in enumerate(self._routes)]
        given = [(text, name) for name, text in GIVEN.items()]
        return [
            Field("payout_method", "To", Dropdown(options=labels)),
            Field("source_currency", "From", Dropdown(options=sources, value=source)),
            Field("source_network", "Network", Dropdown(options=codes.NETWORKS)),
            Field("given", "The amount", Dropdown(options=given)),
            Field("amount", "Amount", Text(value=amount)),
        ]

    def values(self) -> dict[str, Any]:
        """The request as it would be sent."""
        found = super().values()
        route = self._routes[found.pop("payout_method")][1] if self._routes else {}
        given, amount = found.pop("given"), found.pop("amount", None)
        if not codes.is_stablecoin(found["source_currency"]):
            found.pop("source_network", None)
        return {**route, **found, **({} if amount is None else {given: amount})}

    def problems(self) -> list[Problem]:
        """What the spec and our assumptions find wrong."""
        return self.rule(self._body())

    def warnings(self) -> list[Problem]:
        """That the transfer will be refused for want of a wallet."""
        values = self.values()
        if "source_network" not in values or not self._accounts:
            return []
        return transfers.check_wallet(self._accounts, values["source_network"])

    def field_of(self, problem: Problem) -> Field | None:
        """The three amounts share an input."""
        return self.fields["amount"] if problem.field in GIVEN else super().field_of(problem)

    def send(self) -> Any:
        """Ask for the quote."""
        return self._create(**self.values())

    def finish(self, result: Any) -> None:
        """Show the quote below, ready to be sent, to whoever clicked."""
        super().finish(result)
        if self._card and self.attended:
            self.tell(self.sent_title, [])  # the card says the rest
            self.below.children = [self._card(result).view]

    def script(self) -> str:
        """The call that does the same."""
        values = self.values()
        account = values.pop("financial_account", "")
        return call(self.function, values, account, to=self.variable)

    def outcome(self, result: Quote) -> Sequence[Row]:
        """What is sent, what it costs, what they get."""
        return quote_rows(result)

    def changed(self) -> None:
        """Ask for a network where the source is a stablecoin."""
        if not self.button.disabled:
            self._follow()
        super().changed()

    def _body(self) -> dict[str, Any]:
        values = self.values()
        account = values.pop("financial_account", None)
        return {**values, "financial_account": {"id": account}} if account else values

    def _follow(self) -> None:
        stable = codes.is_stablecoin(self.fields["source_currency"].value)
        self.fields["source_network"].show(stable)
