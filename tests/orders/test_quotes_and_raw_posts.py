"""Orders from quotes, raw POSTs, and the command that posts."""

import json
from uuid import UUID

import pytest
from order_reports import report
from payments_service import ORDER

from paylab.client.new_orders import NewOrders
from paylab.errors import RuleError
from paylab.spec.models import Transfer

INVOICE = {**ORDER, "client_reference_id": "invoice-7"}
BODY = {
    "source_amount": "10.00",
    "source_currency": "usd",
    "destination_currency": "mxn",
    "financial_account": {"id": "fa_1"},
    "payout_method": "spei",
}
REFERRED = {**BODY, "client_reference_id": "invoice-7"}
REFERENCE = {"client_reference_id": "invoice-7"}
KEY = "0b54eae0-6b8a-4f0c-9d3b-3a3f8a1f2c11"


@pytest.mark.parametrize("reference", [{}, {"client_reference_id": "invoice-7"}])
def test_another_quote_for_the_same_terms_is_the_same_order(service, cell, reference):
    """A cell that asks for a quote and pays it pays once when it is run again, also by its id."""
    first, second = (cell.quotes.create(**ORDER) for _ in range(2))
    report(cell.transfers.create, quote_id=first, **reference).check("paid tr_1")
    for quote_id in (first, first.id, second, second.id):
        report(cell.transfers.create, quote_id=quote_id, **reference).check("repeated tr_1")
    assert len(service.payments) == 1


OTHER_QUOTES = [
    ({}, {"source_amount": "11.00"}, "paid tr_2", 2),
    ({}, {"financial_account_id": "fa_2"}, "paid tr_2", 2),
    ({"client_reference_id": "invoice-7"}, {"source_amount": "11.00"}, "error tr_1", 1),
    ({"client_reference_id": "invoice-7"}, {"financial_account_id": "fa_2"}, "error tr_1", 1),
]


@pytest.mark.parametrize(("reference", "change", "reported", "paid"), OTHER_QUOTES)
def test_a_quote_for_other_terms_is_another_order(service, cell, reference, change, reported, paid):
    """A quote for other terms is another order, or a conflict under a used reference."""
    report(cell.transfers.create, quote_id=cell.quotes.create(**ORDER), **reference).check(
        "paid tr_1"
    )
    other = cell.quotes.create(**{**ORDER, **change})
    report(cell.transfers.create, quote_id=other, **reference).check(reported)
    assert len(service.payments) == paid


@pytest.mark.parametrize("reference", [{}, {"client_reference_id": "invoice-7"}])
@pytest.mark.parametrize("quoted_first", [True, False])
def test_a_quote_counts_as_its_terms(service, cell, reference, quoted_first):
    """An order by values and one by a quote for them are the same order."""
    quote = {"quote_id": cell.quotes.create(**ORDER)}
    orders = [quote, ORDER] if quoted_first else [ORDER, quote]
    report(cell.transfers.create, **orders[0], **reference).check("paid tr_1")
    report(cell.transfers.create, **orders[1], **reference).check("repeated tr_1")
    assert len(service.payments) == 1


@pytest.mark.parametrize("reference", [{}, {"client_reference_id": "invoice-7"}])
def test_a_refused_quote_is_replaced(service, cell, reference):
    """After a quote expired, another one for the same terms is paid once."""
    expired = cell.quotes.create(**ORDER)
    service.clock.advance(minutes=3)
    report(cell.transfers.create, quote_id=expired, **reference).check("error")
    quote = cell.quotes.create(**ORDER)
    report(cell.transfers.create, quote_id=quote, **reference).check("paid tr_1")
    report(cell.transfers.create, quote_id=quote, **reference).check("repeated tr_1")
    assert len(service.payments) == 1


def test_a_lost_quote_is_not_paid_again_with_another_one(service, connect):
    """After a lost answer, a new quote for the same order finds what was paid."""
    cell = connect(max_retries=0)
    quotes = [cell.quotes.create(**ORDER) for _ in range(2)]
    service.spoiled.append("closed before the first byte")
    report(cell.transfers.create, quote_id=quotes[0], **REFERENCE).check("error")
    report(cell.transfers.create, quote_id=quotes[1], **REFERENCE).check("same tr_1")
    assert len(service.payments) == 1


@pytest.mark.parametrize(
    ("reference", "reported", "paid"),
    [({}, "error client_reference_id", 0), (REFERENCE, "paid tr_1", 1)],
)
def test_the_id_of_an_unknown_quote_needs_a_reference(service, connect, reference, reported, paid):
    """The id of a quote that another lab made is refused without a reference."""
    quote = connect().quotes.create(**ORDER)
    report(connect().transfers.create, quote_id=quote.id, **reference).check(reported)
    assert len(service.payments) == paid
    assert len(service.posts()) == paid


RAW = [
    (BODY, BODY, "same tr_1", 1),
    (REFERRED, REFERRED, "same tr_1", 1),
    (BODY, dict(reversed(BODY.items())), "kept tr_1", 1),
    (BODY, {**BODY, "source_amount": "10"}, "kept tr_1", 1),
    (BODY, {**BODY, "source_currency": "USD"}, "kept tr_1", 1),
    (REFERRED, {**REFERRED, "source_amount": "11.00"}, "error", 1),
    (BODY, {**BODY, "source_amount": "11.00"}, "paid tr_2", 2),
    (REFERRED, {**REFERRED, "client_reference_id": "invoice-8"}, "paid tr_2", 2),
]


@pytest.mark.parametrize(("first", "second", "reported", "paid"), RAW)
def test_a_raw_post_has_the_key_of_its_body(service, connect, first, second, reported, paid):
    """A raw POST without a key gets the key of its order, and its body is sent as it is."""
    lab = connect(max_retries=0)
    report(lab.post, path="/v1/transfers", json=first).check("paid tr_1")
    again = report(lab.request, method="POST", path="/v1/transfers", json=second)
    again.check(reported)
    assert len(service.payments) == paid
    assert all(UUID(key).version == 4 for key in service.sent_keys())
    sent = [json.loads(raw) for _, raw in service.posts()]
    assert sent[0] == first


MIXED = [
    (ORDER, BODY),
    (INVOICE, REFERRED),
    (ORDER, {**BODY, "source_amount": "10"}),
    (
        ORDER,
        {
            **{k: v for k, v in BODY.items() if k != "financial_account"},
            "financial_account_id": "fa_1",
        },
    ),
]


@pytest.mark.parametrize("raw_first", [True, False])
@pytest.mark.parametrize(("order", "body"), MIXED)
def test_a_raw_post_and_create_are_one_order(service, connect, raw_first, order, body):
    """An order is paid once, whether it is created or posted, in either order and twice."""
    lab = connect(max_retries=0)
    calls = [
        lambda: report(lab.post, path="/v1/transfers", json=body),
        lambda: report(lab.transfers.create, **order),
    ]
    first, second = calls if raw_first else reversed(calls)
    first().check("paid tr_1")
    second().check("kept")
    second().check("kept")
    first().check("same tr_1")
    assert len(service.payments) == 1
    assert len(set(service.sent_keys())) == 1


PATHS = ["/v1/transfers/", "/V1/Transfers", "/v1/%74ransfers"]


@pytest.mark.parametrize("path", PATHS)
def test_an_order_has_its_key_at_any_spelling_of_its_path(service, cell, path):
    """A service may carry out an order at another spelling of the path, so it has its key."""
    cell.transfers.create(**ORDER)
    report(cell.post, path=path, json=BODY).check("kept tr_1")
    posts = [headers for method, _, headers, _ in service.requests if method == "POST"]
    assert len({headers.get("idempotency-key") for headers in posts}) == 1


DETAILS = [
    ({"type": "bank_account"}, "same tr_1", 1),
    ({"type": "bank_account", "details": {"clabe": "646180110400000007"}}, "same tr_1", 1),
    ({"bank": "another"}, "paid tr_2", 2),
]


@pytest.mark.parametrize(("details", "reported", "paid"), DETAILS)
def test_an_account_with_the_details_that_were_read_is_its_id(
    service, cell, details, reported, paid
):
    """A raw POST with a whole account is the order of its id; an unknown member is a value."""
    report(cell.transfers.create, **ORDER).check("paid tr_1")
    body = {**BODY, "financial_account": {"id": "fa_1", **details}}
    report(cell.post, path="/v1/transfers", json=body).check(reported)
    assert len(service.payments) == paid


def test_a_quote_by_the_id_of_an_account_is_asked_for_again(service, cell):
    """Another quote with the same terms names the account once, as the first one did."""
    quote = cell.quotes.create(**ORDER)
    report(cell.transfers.create, quote_id=quote).check("paid tr_1")
    report(cell.transfers.create, quote_id=cell.quotes.again(quote)).check("repeated tr_1")
    bodies = [json.loads(raw) for _, raw in service.posts("/v1/quotes")]
    assert [body.get("financial_account") for body in bodies] == [None, None]


def test_a_raw_post_with_a_key_keeps_it(service, cell):
    """The key that a raw POST is given is sent, and decides alone."""
    cell.transfers.create(**ORDER)
    for expected in ("paid tr_2", "same tr_2"):
        outcome = report(cell.post, path="/v1/transfers", json=BODY, idempotency_key=KEY)
        outcome.check(expected)
    assert service.sent_keys()[1:] == [KEY, KEY]
    assert len(service.payments) == 2


def call_operation(client, **fields):
    """The transfer that `client.call` creates of fields in our names."""
    return client.call("transfers.create", fields).read(Transfer)


@pytest.mark.parametrize("fields", [ORDER, INVOICE], ids=["values", "reference"])
def test_an_order_by_the_name_of_its_operation_is_that_of_create(service, cell, fields):
    """`client.call` computes the key from the order, so that `create` repeats it."""
    report(call_operation, client=cell.client, **fields).check("paid tr_1")
    report(cell.transfers.create, **fields).check("repeated tr_1")
    report(call_operation, client=cell.client, **fields).check("repeated tr_1")
    assert len({*service.sent_keys()}) == 1
    assert len({raw for _, raw in service.posts()}) == 1


def test_an_order_by_the_name_of_its_operation_has_no_query(service, cell):
    """A query is refused before anything is sent, since it is no part of an order."""
    with pytest.raises(RuleError, match="params: an order takes none"):
        cell.client.call("transfers.create", ORDER, params={"dry_run": "true"})
    assert not service.posts()


def test_a_client_of_other_settings_sends_the_same_orders(service, cell):
    """`with_service` keeps the rule: an equal order has its key and is paid once."""
    report(cell.transfers.create, **ORDER).check("paid tr_1")
    other = cell.client.with_service(cell.client.service)
    report(other.transfers.create, **ORDER).check("repeated tr_1")
    report(other.request, method="POST", path="/v1/transfers", json=BODY).check("kept tr_1")
    assert len({*service.sent_keys()}) == 1
    assert len(service.payments) == 1


def test_a_client_that_sends_new_orders_has_to_be_asked_for(service, cell):
    """`orders=NewOrders` sends each order as a new one, as a walk of the probe does."""
    other = cell.client.with_service(cell.client.service, orders=NewOrders)
    ids = {other.transfers.create(**ORDER).id for _ in range(2)}
    assert ids == {"tr_1", "tr_2"}


@pytest.mark.parametrize("kind", ["closed before the first byte", "HTML"])
def test_a_raw_post_whose_answer_was_lost(service, connect, kind):
    """A raw POST that was lost and is sent again pays once."""
    service.spoiled.append(kind)
    report(connect(max_retries=0).post, path="/v1/transfers", json=BODY)
    report(connect(max_retries=0).post, path="/v1/transfers", json=BODY).check("same tr_1")
    assert len(service.payments) == 1


POSTED = [
    ([BODY, BODY], [], 1),
    ([REFERRED, REFERRED], [], 1),
    ([BODY, {**BODY, "source_amount": "11.00"}], [], 2),
    ([BODY, BODY], ["--key", KEY], 1),
]


@pytest.mark.parametrize(("bodies", "options", "paid"), POSTED)
def test_the_command_post_run_twice_pays_once(service, command, bodies, options, paid):
    """`paylab post --yes` run twice pays once, and shows the payment each time."""
    for body in bodies:
        arguments = ["post", "transfers", "--json", json.dumps(body), "--yes", *options]
        status, shown = command(*arguments)
        assert status == 0, shown
        assert "tr_" in shown
    assert len(service.payments) == paid
