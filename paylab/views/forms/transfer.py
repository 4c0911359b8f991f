"""Forms for a quote and for a transfer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from ...corridors import countries
from ...errors.base import Problem
from ...rules import transfers
from ...spec import codes
from ...spec.models import FinancialAccount, Quote, Transfer
from ...spec.service.service import Service
from ...spec.text import JsonMapping, JsonObject
from ..html import Row
from .code import write_call
from .field import COMBO, SELECT, FormField, assumed_values_hint, make_amount_field
from .form import Form
from .order import OrderForm, make_funding_field, make_reference_field
from .terms import quote_rows, transfer_rows

AMOUNT_LABELS = {
    "source_amount": "Amount sent, including fees",
    "destination_amount": "Amount received",
    "net_source_amount": "Amount exchanged, fees are added",
}
"""The three amounts of which a quote gets one, with their labels."""

ROUTE_FIELDS = ("financial_account", "financial_account.id", "destination_currency")
"""The fields that a choice of the route sets, besides the payout method."""

NO_ROUTE = (
    "no account of this person can be paid: lab.forms.financial_account(person) adds one, and a "
    "new form then has it"
)


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
    check_rules = staticmethod(transfers.check_quote)
    anyway_text = "Ask anyway"

    def __init__(  # noqa: PLR0913 - what it does, and what it starts from
        self,
        create: Callable[..., Any],
        routes: Sequence[tuple[str, JsonObject]],
        *,
        accounts: Sequence[FinancialAccount | JsonMapping] = (),
        amount: str = "100",
        source: str = codes.SOURCE_CURRENCIES[0],
        card: Callable[[Quote], Form] | None = None,
        service: Service | None = None,
    ) -> None:
        self._service = service
        self._create = create
        self._routes = _name_routes(routes)
        self._make_card = card
        self._accounts = [getattr(account, "raw", account) for account in accounts]
        super().__init__(self._make_fields(amount, source))
        self.controls.anyway_button.text = self.anyway_text

    def _make_fields(self, amount: str, source_currency: str) -> list[FormField]:
        """Make the inputs."""
        route_choices = [
            (route_label, route_name) for route_name, (route_label, _) in self._routes.items()
        ]
        currency_choices = [(currency, currency) for currency in codes.SOURCE_CURRENCIES]
        amount_kind_choices = [
            (amount_label, field_name) for field_name, amount_label in AMOUNT_LABELS.items()
        ]
        amount_field = make_amount_field("Amount", amount)
        amount_field.set_required(True, assumed=True)  # the spec does not say so
        return [
            FormField("payout_method", "To", SELECT, options=route_choices),
            FormField(
                "source_currency", "From", SELECT, value=source_currency, options=currency_choices
            ),
            self._make_network_field(),
            FormField("amount_kind", "Kind of amount", SELECT, options=amount_kind_choices),
            amount_field,
        ]

    def _make_network_field(self) -> FormField:
        """Make the input of the network, whose list of values is assumed."""
        known_networks = countries.of(self._service).networks
        hint_text = assumed_values_hint(known_networks)
        network_field = FormField("source_network", "Network", COMBO, hint=hint_text)
        network_field.set_options([(network, network) for network in known_networks])
        network_field.set_required(True, assumed=True)
        return network_field

    def values(self) -> JsonObject:
        """The request to send."""
        input_values = super().values()
        route_name = input_values.pop("payout_method", "")
        amount_kind = input_values.pop("amount_kind")
        amount = input_values.pop("amount", None)
        _, route_fields = self._routes.get(route_name, ("", {}))
        if not codes.is_stablecoin(input_values["source_currency"]):
            input_values.pop("source_network", None)
        quote_values = {**route_fields, **input_values}
        if amount is not None:
            quote_values[amount_kind] = amount
        return quote_values

    def _find_problems(self, values: JsonObject) -> list[Problem]:
        """Problems of the request, in which the account is an object with its id."""
        if not self._routes:
            return [Problem("payout_method", NO_ROUTE)]
        quote_body = dict(values)
        account_id = quote_body.pop("financial_account", None)
        if account_id:
            quote_body["financial_account"] = {"id": account_id}
        problems = self.check_rules(quote_body, self._service)
        has_amount = any(values.get(field_name) is not None for field_name in AMOUNT_LABELS)
        if has_amount:
            return problems
        # The rule asks for one of three amounts, for which the form has one input.
        return [
            replace(problem, message="is required") if problem.field in AMOUNT_LABELS else problem
            for problem in problems
        ]

    def _find_warnings(self, values: JsonObject) -> list[Problem]:
        """Warn if the transfer will be refused because a wallet is missing."""
        if "source_network" not in values or not self._accounts:
            return []
        return transfers.check_wallet(self._accounts, values["source_network"])

    def field_of(self, problem: Problem) -> FormField | None:
        """The field of a problem; the three amounts share one input, and so does a route."""
        if problem.field in AMOUNT_LABELS:
            return self.fields["amount"]
        if problem.field in ROUTE_FIELDS:
            return self.fields["payout_method"]
        return super().field_of(problem)

    def labels(self) -> dict[str, str]:
        """The labels of the visible inputs, also by the fields that share one."""
        labels = super().labels()
        amount_labels = dict.fromkeys(AMOUNT_LABELS, labels["amount"])
        return {**labels, **amount_labels, **dict.fromkeys(ROUTE_FIELDS, labels["payout_method"])}

    def finish(self, result: Any) -> None:
        """Show the quote; after a click as a card below, which has a button that sends it."""
        super().finish(result)
        if self._make_card and self.in_click:
            self.show_result(self.sent_title, [])  # the card shows the terms
            self._show_card(self._make_card(result))

    def _forget_result(self) -> None:
        """Forget the quote, remove its card, and unlock the inputs."""
        self.nodes_below = []
        super()._forget_result()

    def _write_code(self, values: JsonObject) -> str:
        """The equivalent call: the account, then the other fields by name."""
        call_arguments = dict(values)
        account_id = call_arguments.pop("financial_account", "")
        return write_call(
            self.function, account_id, keywords=call_arguments, assign_to=self.variable
        )

    def result_rows(self, result: Quote) -> Sequence[Row]:
        """The amounts, fees and rate."""
        return quote_rows(result)

    def _adjust_inputs(self) -> None:
        """Ask for the network of a stablecoin only."""
        is_stablecoin = codes.is_stablecoin(self.fields["source_currency"].value)
        self.fields["source_network"].visible = is_stablecoin

    def _show_card(self, card: Form) -> None:
        """Show the card of a quote below this form, and follow its changes."""

        def draw_card(focus: str = "") -> None:
            """Draw the form with the card as it is now; `focus` is the id of an element."""
            self.nodes_below = list(card.nodes())
            self.redraw(focus)

        card.follow(draw_card)
        draw_card(card.heading.id)


def _name_routes(routes: Sequence[tuple[str, JsonObject]]) -> dict[str, tuple[str, JsonObject]]:
    """The routes by the names that `fill(payout_method=...)` takes.

    A name is the payout method, with the id of the account if several accounts have it.
    """
    method_counts = Counter(route_fields["payout_method"] for _, route_fields in routes)
    routes_by_name = {}
    for route_label, route_fields in routes:
        route_name = route_fields["payout_method"]
        if method_counts[route_name] > 1:
            route_name = f"{route_name} to {route_fields['financial_account']}"
        routes_by_name[route_name] = route_label, route_fields
    return routes_by_name


class TransferForm(OrderForm, QuoteForm):
    """Create a transfer directly with `create(**fields)`, at the current rate."""

    title = "Transfer without a quote"
    action = "Send this payout"
    sent_title = "The transfer is created"
    repeatable = False
    function = "lab.transfers.create"
    variable = "transfer"
    check_rules = staticmethod(transfers.check)
    anyway_text = "Send anyway"

    def _make_fields(self, amount: str, source_currency: str) -> list[FormField]:
        """Make the inputs of a quote, and those of what pays for it and of your reference."""
        fields = super()._make_fields(amount, source_currency)
        return [*fields, make_funding_field(), make_reference_field(self._service)]

    def _write_code(self, values: JsonObject) -> str:
        """The equivalent call; after `prepare_another` with `new=`, which pays once more."""
        return super()._write_code({**values, **self.order_options})

    def result_rows(self, result: Transfer) -> Sequence[Row]:  # type: ignore[override]
        """The transfer's status and terms."""
        return transfer_rows(result)

    def _adjust_inputs(self) -> None:
        """Ask for the funding of a stablecoin only."""
        super()._adjust_inputs()
        is_stablecoin = self.fields["source_network"].visible
        self.fields["source_type"].visible = is_stablecoin
        if not is_stablecoin:
            self.fields["source_type"].set_value("")
