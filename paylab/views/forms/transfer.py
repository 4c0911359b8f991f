"""Forms for a quote and for a transfer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from ...corridors import countries
from ...errors.base import PaylabError, Problem
from ...rules import transfers
from ...spec import codes
from ...spec.models import Quote, Transfer
from ...spec.service.service import Service
from .. import html
from ..html import Row
from .code import call
from .field import COMBO, SELECT, FormField, open_list
from .form import Form
from .live import Refresher
from .order import OrderForm
from .status import left, quote_rows, transfer_rows
from .view import Button, Group, Html, side_by_side

GIVEN = {
    "source_amount": "Amount sent, including fees",
    "destination_amount": "Amount received",
    "net_source_amount": "Amount exchanged, fees are added",
}


class QuoteForm(Form):
    """Get a quote with `create(**fields)`; `routes` are pairs (label, fields) to choose from.

    `accounts` are the recipient's, for a warning if an off-ramp will be refused; `card(quote)`
    returns the card shown below the quote after a click.
    """

    title = "Quote"
    action = "Get a quote"
    sent_title = "Here is the quote"
    repeatable = True
    function = "lab.quotes.create"
    variable = "quote"
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
        service: Service | None = None,
    ) -> None:
        self._service = service
        self._create = create
        self._routes = routes
        self._card = card
        self._accounts = [getattr(account, "raw", account) for account in accounts]
        super().__init__(self._fields(amount, source))

    def _fields(self, amount: str, source: str) -> list[FormField]:
        labels = [(text, at) for at, (text, _) in enumerate(self._routes)]
        sources = [(choice, choice) for choice in codes.SOURCE_CURRENCIES]
        amount_kinds = [(text, name) for name, text in GIVEN.items()]
        networks = countries.of(self._service).networks
        network = FormField("source_network", "Network", COMBO, hint=open_list(networks))
        network.offer([(choice, choice) for choice in networks])
        fields = [
            FormField("payout_method", "To", SELECT, options=labels),
            FormField("source_currency", "From", SELECT, value=source, options=sources),
            network,
            FormField("given", "Kind of amount", SELECT, options=amount_kinds),
            FormField("amount", "Amount", value=amount),
        ]
        network.require(True, assumed=True)
        fields[-1].require(True, assumed=True)
        return fields

    def values(self) -> dict[str, Any]:
        """The request to send."""
        inputs = super().values()
        route = self._routes[inputs.pop("payout_method")][1] if self._routes else {}
        amount_kind = inputs.pop("given")
        amount = inputs.pop("amount", None)
        if not codes.is_stablecoin(inputs["source_currency"]):
            inputs.pop("source_network", None)
        return {**route, **inputs, **({} if amount is None else {amount_kind: amount})}

    def _judge(self, values: dict[str, Any]) -> list[Problem]:
        body = dict(values)
        account = body.pop("financial_account", None)
        paid = {"financial_account": {"id": account}} if account else {}
        problems = self.rule({**body, **paid}, self._service)
        if any(values.get(name) is not None for name in GIVEN):
            return problems
        # The form has one input for the three amounts, of which the rule asks for one.
        return [
            replace(problem, message="is required") if problem.field in GIVEN else problem
            for problem in problems
        ]

    def _warn(self, values: dict[str, Any]) -> list[Problem]:
        """Warn if the transfer will be refused because a wallet is missing."""
        if "source_network" not in values or not self._accounts:
            return []
        return transfers.check_wallet(self._accounts, values["source_network"])

    def field_of(self, problem: Problem) -> FormField | None:
        """The field of a problem; the three amounts share one input."""
        return self.fields["amount"] if problem.field in GIVEN else super().field_of(problem)

    def finish(self, result: Any) -> None:
        """After a click, show the quote's card below, with its send button."""
        super().finish(result)
        if self._card and self.attended:
            self.tell(self.sent_title, [])  # the card shows the terms
            self._show_card(self._card(result))

    def restart(self) -> None:
        """Reset the form and remove the card of the previous quote."""
        self.below = []
        super().restart()

    def _script(self, values: dict[str, Any]) -> str:
        arguments = dict(values)
        return call(
            self.function, arguments, arguments.pop("financial_account", ""), to=self.variable
        )

    def outcome(self, result: Quote) -> Sequence[Row]:
        """The amounts, fees and rate."""
        return quote_rows(result)

    def _adjust(self) -> None:
        stable = codes.is_stablecoin(self.fields["source_currency"].value)
        self.fields["source_network"].visible = stable

    def _show_card(self, card: Form) -> None:
        def draw(focus: str = "") -> None:
            self.below = list(card.nodes())
            self.redraw(focus)

        card.follow(draw)
        draw(card.heading.id)


FUNDING = [("From the prefunded balance", ""), ("By a deposit of stablecoin", "deposit")]
"""The default is not sent, so that a form and a call without `source_type` are the same order."""


def _reference(service: Service | None, example: str = "") -> FormField:
    """Your reference; filled in where the service requires one."""
    settings = (service or Service()).transfers
    hint = f"At most {settings.max_reference} characters."
    field = FormField("client_reference_id", "Your reference", hint=hint)
    field.require(False)
    field.put(example if field.name in settings.required else "")
    return field


def _funding() -> FormField:
    return FormField("source_type", "Paid for", SELECT, options=FUNDING)


class TransferForm(OrderForm, QuoteForm):
    """Create a transfer directly with `create(**fields)`, at the current rate."""

    title = "Transfer without a quote"
    action = "Send this"
    sent_title = "The transfer is created"
    repeatable = False
    function = "lab.transfers.create"
    variable = "transfer"
    rule = staticmethod(transfers.check)

    def _fields(self, amount: str, source: str) -> list[FormField]:
        return [*super()._fields(amount, source), _funding(), _reference(self._service)]

    def _script(self, values: dict[str, Any]) -> str:
        return super()._script({**values, **self.more})

    def outcome(self, result: Transfer) -> Sequence[Row]:  # type: ignore[override]
        """The transfer's status and terms."""
        return transfer_rows(result)

    def _adjust(self) -> None:
        super()._adjust()
        stable = self.fields["source_network"].visible
        self.fields["source_type"].visible = stable
        if not stable:
            self.fields["source_type"].put("")


class QuoteCard(OrderForm):
    """A quote with a countdown to its expiry; its button creates a transfer with `send(**fields)`.

    `again()` requests the same quote again; `clock` is the service's clock. The countdown of a
    frozen clock moves only when you let time pass.
    """

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
        is_frozen: bool = False,
        pass_time: Callable[[float], object] = lambda _: None,
        service: Service | None = None,
    ) -> None:
        self._service = service
        self.quote = quote
        self._create = send
        self._again = again
        self._clock = clock
        self._accounts = [getattr(account, "raw", account) for account in accounts]
        self.facts = Html()
        self.lock_line = Html()
        self.caution = Html(live=True)
        self.fresh = Button("Get a fresh quote", self.renew)
        self.watch = Refresher(
            clock,
            self._tell_time,
            lambda now: self.result is not None or left(self.quote, now)[1],
            pass_time=pass_time,
            in_process=True,
        )
        self.tick = Button("Let time pass", self.watch.start)
        self.tick.visible = is_frozen
        renewal = Group([self.tick, self.fresh], "actions")
        self.tools = [self.lock_line, self.caution, renewal]
        parts = [self.facts, self.lock_line, self.caution, renewal]
        reference = _reference(service, quote.id)
        fields = [reference, *([_funding()] if codes.is_stablecoin(self._source) else [])]
        super().__init__(fields, [*parts, side_by_side(fields)])
        self._show_quote()
        if not is_frozen:
            self.watch.start()

    @property
    def _source(self) -> str:
        return str(self.quote.source_currency or "")

    def values(self) -> dict[str, Any]:
        """The fields to send in addition to the quote's terms."""
        return {"quote_id": self.quote.id, **super().values()}

    def _judge(self, values: dict[str, Any]) -> list[Problem]:
        return transfers.check(values, self._service)

    def _refusal(self) -> list[Problem]:
        """Why the service will refuse the transfer, if it is known."""
        if not codes.is_stablecoin(self._source) or not self._accounts:
            return []
        return transfers.check_wallet(self._accounts, self.quote.source_network)

    def _script(self, values: dict[str, Any]) -> str:
        return call("lab.transfers.create", {**values, **self.more}, to="transfer")

    def outcome(self, result: Transfer) -> Sequence[Row]:
        """The transfer's status, and terms that differ from the quote's, which are shown above."""
        quoted = quote_rows(self.quote)
        return [row for row in transfer_rows(result) if row not in quoted]

    def rows(self) -> Sequence[Row]:
        """The rows saved in the notebook: the quote, and its transfer."""
        warning_rows = [("Will be refused", problem.message) for problem in self._refusal()]
        further_rows = self.outcome(self.result) if self.result else warning_rows
        return [*quote_rows(self.quote), *further_rows]

    def renew(self) -> None:
        """Request the same quote again and show the new one."""
        try:
            self.quote = self._again()
        except PaylabError as error:
            self.show_error(error)
            return
        self.message.html = ""
        self._show_quote()
        self.keep()

    def _show_quote(self) -> None:
        """Show the quote's terms, its expiry, and why it would be refused."""
        self.facts.html = html.table(quote_rows(self.quote))
        self.caution.html = "".join(
            html.warning(f"Will be refused: {problem.message}") for problem in self._refusal()
        )
        self._tell_time(self._clock())
        self.check()

    def _tell_time(self, now: datetime) -> None:
        text, expired = left(self.quote, now)
        line = f'<div class="paylab-good" role="timer">{html.escape(text)}</div>'
        self.lock_line.html = html.warning(text) if expired else line
        self.fresh.style = "primary" if expired else ""
        self.redraw()
