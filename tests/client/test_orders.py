"""What the client asks of the keeper of orders, which a ledger is."""

from __future__ import annotations

import json

import pytest

from paylab.client.orders import Keeper

KEY = "11111111-1111-4111-8111-111111111111"
ASKED = {"source_amount": "10", "payout_method": "spei", "source_currency": "usd"}
ASKED |= {"destination_currency": "mxn"}


class Recording(Keeper):
    """A keeper that stores nothing but the orders that it was asked for."""

    def __init__(self):
        self.orders = []

    def open(self, order):
        """A new key, as without a ledger."""
        self.orders.append(order)
        return super().open(order)


@pytest.mark.parametrize(
    ("options", "key", "new"),
    [({}, None, False), ({"new": True}, None, True), ({"idempotency_key": KEY}, KEY, False)],
)
def test_an_order_is_opened_before_it_is_sent(scripted, options, key, new):
    """The order has the path, the bytes that are sent, our names, and the caller's options."""
    keeper = Recording()
    client, script = scripted({"id": "tr_1"}, keeper=keeper)
    client.transfers.create("fa_1", **ASKED, **options)
    [order] = keeper.orders
    assert (order.path, order.content) == ("/v1/transfers", script.requests[0].content)
    assert dict(order.fields) == {**ASKED, "financial_account": {"id": "fa_1"}}
    assert (order.key, order.new, order.in_batch) == (key, new, False)
    assert "fa_1" not in repr(order)


@pytest.mark.parametrize("options", [{}, {"new": True}])
def test_an_account_is_an_order_too(scripted, options):
    """Another one is made only on purpose."""
    keeper = Recording()
    client, _ = scripted({"id": "ca_1"}, keeper=keeper)
    client.conversion_accounts.create("ind_1", "fa_1", "mxn", **options)
    [order] = keeper.orders
    assert (order.path, order.new) == ("/v1/conversion_accounts", bool(options))


@pytest.mark.parametrize(("options", "seconds"), [({}, 30.0), ({"timeout": 7}, 7)])
def test_an_equal_order_is_waited_for_as_long_as_an_answer(scripted, options, seconds):
    """The timeout of the call, or of the client, is that of an equal order under way."""
    keeper = Recording()
    client, _ = scripted({"id": "tr_1"}, keeper=keeper)
    client.transfers.create("fa_1", **ASKED, **options)
    assert [order.timeout for order in keeper.orders] == [seconds]


def test_a_row_of_a_batch_says_so(scripted):
    """`send` passes on that a reference names one payment for good, and makes keys as told."""
    keeper = Recording()
    client, script = scripted({"id": "tr_1"}, keeper=keeper)
    client.transfers.send({"quote_id": "q"}, in_batch=True, make=lambda: "made")
    assert [order.in_batch for order in keeper.orders] == [True]
    assert script.sent("idempotency-key") == ["made"]
    assert json.loads(script.requests[0].content) == {"quote_id": "q"}
