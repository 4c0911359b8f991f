"""The balance of an account as a card, with a form that tops it up in a simulator."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from ..errors.base import PaylabError, Problem
from ..spec.models import Balance
from ..spec.money import check_amount
from . import html
from .forms.field import SELECT, FormField, make_amount_field
from .forms.nodes import Button, Group, Heading, Html, Inputs, Node, side_by_side
from .forms.terms import missing_amount
from .forms.view import FormPage
from .html import Row

CURRENCIES = ("USD", "USDC")
"""What can be paid in. Spec, "What the service does", 8."""

COLUMNS = ("currency", "available", "reserved", "awaited")

MEANING = "Reserved: for payouts that have started. Awaited: by payouts that await funds."

NO_BALANCE = (
    "No balance is set: the simulator funds every payout. The first top-up, also one of 0.00, sets "
    "one, and payouts are then paid from it."
)
NO_BALANCE_STATED = "The service states no balance."
UNKNOWN = (
    "The balance is not known: the specification has no operation that reads it, and this service "
    "names none. The dashboard of the service shows it."
)
FUNDING = "Send USD by wire or USDC on the Base network, as your dashboard says."


class BalancePage(FormPage):
    """The amounts of each currency; `top_up(amount, currency)` pays in and returns the new ones.

    Without `top_up` it only shows them. `is_known` is whether the service can be asked for them.
    """

    USER_NAMES = ("click", "rows", "show", "submit", "title")

    title = "Balance"

    def __init__(
        self,
        balances: Iterable[Balance],
        top_up: Callable[[str, str], Iterable[Balance]] | None,
        *,
        is_known: bool = True,
    ) -> None:
        """Lay out the page with the balances and an example of an amount."""
        self._top_up = top_up
        self._is_known = is_known
        self.heading = Heading(self.title)
        self.table_node = Html()
        self.message = Html(live=True)
        self.amount = make_amount_field("Amount", "100.00")
        currency_options = [(currency, currency) for currency in CURRENCIES]
        self.currency = FormField("currency", "Currency", SELECT, options=currency_options)
        self.button = Button("Top up", self.click, "primary")
        for field in (self.amount, self.currency):
            field.on_change = lambda _: self._check()
            field.on_leave = self._check
        action_group = Group([self.button], "actions")
        field_group = side_by_side([self.amount, self.currency])
        self._inputs = Inputs([field_group, action_group], self.button)
        self.show(balances)

    def nodes(self) -> Sequence[Node]:
        """The amounts, and in a simulator the form."""
        input_nodes = [] if self._top_up is None else [self._inputs]
        return [self.heading, self.table_node, *input_nodes, self.message]

    def show(self, balances: Iterable[Balance]) -> None:
        """Show other amounts."""
        self._balances = tuple(balances)
        self.table_node.html = self._amounts_html() + "".join(
            f"<p>{html.escape(sentence)}</p>" for sentence in self._sentences()
        )
        self.redraw()
        self.update_saved()

    def _amounts_html(self) -> str:
        """The amounts as a table, with what its columns mean. Empty without a balance."""
        if not self._balances:
            return ""
        cell_rows = [_balance_cells(balance) for balance in self._balances]
        table_html = html.grid(map(str.capitalize, COLUMNS), cell_rows, number_columns=(1, 2, 3))
        return f'{table_html}<p class="paylab-hint">{MEANING}</p>'

    def _check(self) -> list[Problem]:
        """The problems of the amount, which are shown at it; 0 is allowed, as it sets a balance."""
        amount_text = str(self.amount.value)
        # Zeros with or without a point: the check of amounts would refuse them.
        is_zero = amount_text.strip("0") in ("", ".") and "0" in amount_text
        problems = [] if is_zero else check_amount(amount_text, self.currency.value, "amount")
        self.amount.show_problems(problems if self.amount.shows_problems else [])
        self.redraw()
        return problems

    def submit(self) -> None:
        """Top up by the amount in the form."""
        if self._top_up is None:
            raise PaylabError(FUNDING)
        self.show(self._top_up(str(self.amount.value), str(self.currency.value)))

    def click(self) -> None:
        """Top up, and show below the button what was done or why not."""
        self.amount.touched = True
        if self._check():
            self.message.html = ""
            self.redraw(self.amount)
            return
        try:
            self.submit()
            paid_sentence = f"✓ {self.amount.value} {self.currency.value} paid in."
            self.message.html = f'<p class="paylab-good">{html.escape(paid_sentence)}</p>'
        except PaylabError as error:
            self.message.html = f'<p class="paylab-error">{html.escape(error)}</p>'
        self.redraw(self.message)

    def rows(self) -> Sequence[Row]:
        """The amounts by currency, and what to do about payouts that wait."""
        balance_rows = []
        for balance in self._balances:
            currency, *amount_cells = _balance_cells(balance)
            _, *amount_names = COLUMNS
            named_amounts = zip(amount_cells, amount_names, strict=True)
            amount_texts = [
                f"{amount_text} {amount_name}"
                for amount_text, amount_name in named_amounts
                if amount_text
            ]
            balance_rows.append((currency, ", ".join(amount_texts)))
        for sentence in self._sentences():
            balance_rows.append(("Note", sentence))
        return balance_rows

    def saved_html(self) -> str:
        """The amounts as a table, without the form."""
        return self.table_node.html

    def _sentences(self) -> list[str]:
        """Sentences on a balance that is not known or not set, or on payouts that await funds."""
        if not self._is_known:
            return [UNKNOWN]
        can_top_up = self._top_up is not None
        if not self._balances:
            return [NO_BALANCE if can_top_up else NO_BALANCE_STATED]
        advice_text = "Top up by that, and they are paid." if can_top_up else FUNDING
        sentences = []
        for balance in self._balances:
            shortage = missing_amount(balance)
            if shortage:
                currency = balance.currency or ""
                sentences.append(
                    f"Payouts of {balance.awaiting_funds} {currency} await funds: {shortage} "
                    f"{currency} are missing. {advice_text}"
                )
        return sentences


def _balance_cells(balance: Balance) -> list[str]:
    """The currency and the amounts of `COLUMNS` as text; empty for an amount that is not known."""
    amounts = (balance.available, balance.reserved, balance.awaiting_funds)
    return [balance.currency or "", *("" if amount is None else str(amount) for amount in amounts)]
