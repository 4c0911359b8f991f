"""Forms for a quote and for a transfer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any

import traitlets
from ipywidgets import HTML, Button, Dropdown, Text, VBox

from ...errors import PaylabError, Problem
from ...rules import transfers
from ...spec import codes
from ...spec.models import Quote, Transfer
from .. import html
from ..html import Row
from .field import FormField, call, show
from .form import Form
from .live import Refresher, at_once
from .status import left, quote_rows, transfer_rows

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

    def _fields(self, amount: str, source: str) -> list[FormField]:
        sources = codes.SOURCE_CURRENCIES
        labels = [(text, at) for at, (text, _) in enumerate(self._routes)]
        given = [(text, name) for name, text in GIVEN.items()]
        return [
            FormField("payout_method", "To", Dropdown(options=labels)),
            FormField("source_currency", "From", Dropdown(options=sources, value=source)),
            FormField("source_network", "Network", Dropdown(options=codes.NETWORKS)),
            FormField("given", "The amount", Dropdown(options=given)),
            FormField("amount", "Amount", Text(value=amount)),
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

    def field_of(self, problem: Problem) -> FormField | None:
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


FUNDING = [("From the prefunded balance", "prefunded"), ("By a deposit of stablecoin", "deposit")]


def _reference() -> FormField:
    return FormField("client_reference_id", "Your reference", Text(), "At most 64 characters.")


def _funding() -> FormField:
    return FormField("source_type", "Paid for", Dropdown(options=FUNDING))


class TransferForm(QuoteForm):
    """Creates a transfer directly with `create(**fields)`, at the rate of the moment."""

    title = "Transfer without a quote"
    action = "Send this"
    sent_title = "The transfer is created"
    repeatable = False
    function, variable = "lab.transfers.create", "transfer"
    rule = staticmethod(transfers.check)

    def _fields(self, amount: str, source: str) -> list[FormField]:
        return [*super()._fields(amount, source), _funding(), _reference()]

    def outcome(self, result: Transfer) -> Sequence[Row]:  # type: ignore[override]
        """How it stands."""
        return transfer_rows(result)

    def _follow(self) -> None:
        super()._follow()
        stable = codes.is_stablecoin(self.fields["source_currency"].value)
        self.fields["source_type"].show(stable)
        if not stable:
            self.fields["source_type"].widget.value = "prefunded"


class QuoteCard(Form):
    """A quote with its lock counting down; its button makes it a transfer with `send(**fields)`.

    `again()` asks for the same quote afresh, `clock` is the service's. On a clock that stands
    still nothing counts down until somebody lets time pass.
    """

    quote = traitlets.Any(None, allow_none=True)

    title = "Quote"
    action = "Send this payout"
    sent_title = "The transfer is created"

    def __init__(  # noqa: PLR0913 - what it shows, what it does, how time passes
        self,
        quote: Quote,
        send: Callable[..., Transfer],
        again: Callable[[], Quote],
        clock: Callable[[], datetime],
        *,
        accounts: Sequence[Any] = (),
        stands_still: bool = False,
        pass_time: Callable[[float], object] = lambda _: None,
    ) -> None:
        self._send, self._again, self._clock = send, again, clock
        self._accounts = [getattr(account, "raw", account) for account in accounts]
        self.facts, self.lock_line, self.caution = HTML(), HTML(), HTML()
        self.fresh = Button(description="Get a fresh quote")
        self.tick = Button(description="Let time pass")
        self.set_trait("quote", quote)
        parts = [self.facts, self.lock_line, self.caution, self.tick, self.fresh]
        fields = [_reference(), *([_funding()] if codes.is_stablecoin(self._source) else [])]
        super().__init__(fields, [*parts, *(field.view for field in fields)])
        self._wire_buttons(stands_still)
        self.watch = self._watching(clock, pass_time)
        self.show_quote()
        if not stands_still:
            self.watch.start()

    @property
    def _source(self) -> str:
        return str(self.quote.source_currency or "")

    def values(self) -> dict[str, Any]:
        """What is sent beside the quote's own terms."""
        found = super().values()
        if found.get("source_type") == "prefunded":
            found.pop("source_type")
        return {"quote_id": self.quote.id, **found}

    def problems(self) -> list[Problem]:
        """What is wrong with the reference."""
        return transfers.check(self.values())

    def refusal(self) -> list[Problem]:
        """Why the service will refuse the transfer, if that can be told."""
        if not codes.is_stablecoin(self._source) or not self._accounts:
            return []
        return transfers.check_wallet(self._accounts, self.quote.source_network)

    def send(self) -> Transfer:
        """Make the quote a transfer."""
        return self._send(**self.values())

    def script(self) -> str:
        """The call that does the same."""
        return call("lab.transfers.create", self.values(), to="transfer")

    def outcome(self, result: Transfer) -> Sequence[Row]:
        """How the transfer stands."""
        return transfer_rows(result)

    def rows(self) -> Sequence[Row]:
        """What stays behind: the quote, or the transfer it became."""
        warned = [("Will be refused", problem.message) for problem in self.refusal()]
        return self.outcome(self.result) if self.result else [*quote_rows(self.quote), *warned]

    def renew(self) -> None:
        """Ask for the same quote afresh and show that."""
        try:
            self.quote = self._again()
        except PaylabError as error:
            self.show_error(error)
            return
        self.message.value = ""
        self.show_quote()
        self.keep()

    def show_quote(self) -> None:
        """Show the quote's terms, its lock, and what stands in its way."""
        self.facts.value = html.table(quote_rows(self.quote))
        self.caution.value = "".join(
            html.warning(f"Will be refused: {problem.message}") for problem in self.refusal()
        )
        self.tell_time(self._clock())
        self.check()

    def tell_time(self, now: datetime) -> None:
        """Show how long the lock still holds."""
        text, expired = left(self.quote, now)
        self.lock_line.value = html.warning(text) if expired else _line(text)
        self.fresh.button_style = "primary" if expired else ""

    def _is_over(self, now: datetime) -> bool:
        return self.result is not None or left(self.quote, now)[1]

    def _watching(
        self, clock: Callable[[], datetime], pass_time: Callable[[float], object]
    ) -> Refresher:
        return Refresher(
            clock,
            self.tell_time,
            self._is_over,
            fail=lambda _: None,
            pass_time=_void(pass_time),
            run=at_once,
        )

    def _wire_buttons(self, stands_still: bool) -> None:
        self.fresh.on_click(lambda _: self.renew())
        self.tick.on_click(lambda _: self.watch.start())
        show(self.tick, stands_still)


def _void(pass_time: Callable[[float], object]) -> Callable[[float], None]:
    def passing(seconds: float) -> None:
        pass_time(seconds)

    return passing


def _line(text: str) -> str:
    return f'<div class="paylab-good" role="timer">{html.escape(text)}</div>'
