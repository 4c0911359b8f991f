"""The card of a quote: its terms, a countdown to its expiry, and the button that sends it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any

from ...errors.api import APIStatusError
from ...errors.base import PaylabError, Problem
from ...rules import transfers
from ...spec import codes
from ...spec.models import FinancialAccount, Quote, Transfer
from ...spec.service.service import Service
from ...spec.text import JsonMapping, JsonObject
from .. import html
from ..html import Row
from .code import write_call
from .nodes import Button, Group, Html, side_by_side
from .order import OrderForm, make_funding_field, make_reference_field
from .refresher import Refresher
from .terms import expiry_sentence, is_expired, quote_rows, transfer_rows

RENEW = "Get a fresh quote"
RENEW_ADVICE = f"press “{RENEW}” on the card of the quote, or call renew(), and send it then"


class QuoteCard(OrderForm):
    """A quote with a countdown to its expiry; its button creates a transfer with `send(**fields)`.

    `request_quote()` requests the same quote again; `clock` is the service's clock. On a frozen
    clock, a button lets the quote expire.
    """

    USER_NAMES = (*OrderForm.USER_NAMES, "renew")

    title = "Quote"
    action = "Send this payout"
    sent_title = "The transfer is created"

    def __init__(  # noqa: PLR0913 - what it shows, what it does, how time passes
        self,
        quote: Quote,
        send: Callable[..., Transfer],
        request_quote: Callable[[], Quote],
        clock: Callable[[], datetime],
        *,
        accounts: Sequence[FinancialAccount | JsonMapping] = (),
        is_frozen: bool = False,
        pass_time: Callable[[float], object] = lambda _: None,
        service: Service | None = None,
    ) -> None:
        """Show the quote; only a frozen clock needs the button that lets the quote expire."""
        self._service = service
        self.quote = quote
        self._create = send
        self._request_quote = request_quote
        self._clock = clock
        self._accounts = [getattr(account, "raw", account) for account in accounts]
        self.quote_node = Html()
        self.expiry_node = Html()
        self.warning_node = Html(live=True)
        self.renew_button = Button(RENEW, self.renew)
        self.refresher = Refresher(clock, self._show_expiry, self._is_over, in_process=True)
        self._pass_time = pass_time
        self.expire_button = Button("Let the quote expire", self._let_expire)
        self.expire_button.visible = is_frozen
        renewal_row = Group([self.expire_button, self.renew_button], "actions")
        self.helper_nodes = [self.expiry_node, self.warning_node, renewal_row]
        fields = [make_reference_field(service, quote.id)]
        if self._has_stablecoin_source:
            fields.append(make_funding_field())
        super().__init__(fields, [self.quote_node, *self.helper_nodes, side_by_side(fields)])
        self._show_quote()
        if not is_frozen:
            self.refresher.start()

    @property
    def _has_stablecoin_source(self) -> bool:
        """Whether the quote is paid for in a stablecoin."""
        return codes.is_stablecoin(str(self.quote.source_currency or ""))

    def _is_over(self, now: datetime) -> bool:
        """Whether the countdown ends: the quote was sent, or has expired."""
        return self.result is not None or is_expired(self.quote, now)

    def values(self) -> JsonObject:
        """The fields to send in addition to the quote's terms."""
        return {"quote_id": self.quote.id, **super().values()}

    def _find_problems(self, values: JsonObject) -> list[Problem]:
        """Problems of the transfer to create."""
        return transfers.check(values, self._service)

    def _find_wallet_problems(self) -> list[Problem]:
        """Why the service will refuse the transfer; empty if no reason is known."""
        if not self._has_stablecoin_source or not self._accounts:
            return []
        return transfers.check_wallet(self._accounts, self.quote.source_network)

    def _write_code(self, values: JsonObject) -> str:
        """The call that creates the transfer."""
        keyword_arguments = {**values, **self.order_options}
        return write_call("lab.transfers.create", keywords=keyword_arguments, assign_to="transfer")

    def _send(self, values: JsonObject) -> Any:
        """Send the quote; the error for an expired one names the button that gets another."""
        try:
            return super()._send(values)
        except APIStatusError as error:
            if is_expired(self.quote, self._clock()):
                error.hint = RENEW_ADVICE
            raise

    def result_rows(self, result: Transfer) -> Sequence[Row]:
        """The transfer's status, and terms that differ from the quote's, which are shown above."""
        rows_above = quote_rows(self.quote)
        return [row for row in transfer_rows(result) if row not in rows_above]

    def rows(self) -> Sequence[Row]:
        """The rows saved in the notebook: the quote, and its transfer."""
        card_rows = quote_rows(self.quote)
        if self.result:
            return [*card_rows, *self.result_rows(self.result)]
        for problem in self._find_wallet_problems():
            card_rows.append(("Will be refused", problem.message))
        return card_rows

    def renew(self) -> None:
        """Request the same quote again and show the new one."""
        try:
            self.quote = self._request_quote()
        except PaylabError as error:
            self.show_error(error)
            return
        self.controls.message.html = ""
        self._show_quote()
        self.update_saved()

    def _show_quote(self) -> None:
        """Show the quote's terms, its expiry, and why it would be refused."""
        self.quote_node.html = html.table(quote_rows(self.quote))
        html_warnings = [
            html.warning(f"Will be refused: {problem.message}")
            for problem in self._find_wallet_problems()
        ]
        self.warning_node.html = "".join(html_warnings)
        self._show_expiry(self._clock())
        self.check()

    def _let_expire(self) -> None:
        """Advance a frozen clock to the expiry of the quote."""
        now = self._clock()
        if isinstance(self.quote.expires_at, datetime) and not is_expired(self.quote, now):
            self._pass_time((self.quote.expires_at - now).total_seconds())
        self._show_expiry(self._clock())

    def _show_expiry(self, now: datetime) -> None:
        """Show how long the quote is valid; an expired one can only be renewed."""
        expiry_text = expiry_sentence(self.quote, now)
        has_expired = is_expired(self.quote, now)
        if self.result is None:
            self.controls.send_button.disabled = has_expired
            self.expire_button.disabled = has_expired
        if has_expired:
            self.expiry_node.html = html.warning(expiry_text)
            self.renew_button.style = "primary"
        else:
            timer_html = f'<div class="paylab-good" role="timer">{html.escape(expiry_text)}</div>'
            self.expiry_node.html = timer_html
            self.renew_button.style = ""
        self.redraw()
