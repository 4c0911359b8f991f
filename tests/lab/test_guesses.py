"""Calls that users of other SDKs would try: most work, the others name the right call."""

from __future__ import annotations

import json
import re

import pytest

import paylab
from paylab.corridors import examples
from paylab.simulator.simulator import Simulator
from paylab.views.specimens import specimen

WORKS = [
    # Connecting.
    "paylab.connect(simulator=simulator)",
    "paylab.connect(simulator=simulator, timeout=5, max_retries=1)",
    "paylab.connect(base_url='https://sandbox.test', api_key='k', secret_key='s')",
    "paylab.connect(simulator=simulator).__enter__().close()",
    # Lists.
    "list(lab.transfers.list())[0]",
    "lab.transfers.list()[0]",
    "lab.transfers.list()[-1]",
    "lab.transfers.list()[:5]",
    "lab.transfers.list()[2:6:2]",
    "lab.transfers.list(limit=5).first()",
    "lab.transfers.list().to_list()",
    "lab.transfers.list().to_list(3)",
    "lab.transfers.list().to_list(limit=3)",
    "lab.transfers.list().to_dicts(3)",
    "[page.data for page in lab.transfers.list(limit=50).pages()]",
    "next(lab.transfers.list(limit=5).pages()).has_next_page",
    "next(iter(lab.transfers.list()))",
    "[t.id for t in lab.transfers.list(product_type='global_payouts')]",
    "lab.transfers.list().filter(status='failed').to_list()",
    "lab.transfers.list(timeout=5)[0]",
    "lab.transfers.list(headers={'x-trace': '1'})[0]",
    "lab.transfers.list(cursor=None)[0]",
    "sorted(lab.transfers.list(), key=lambda t: t.created_at)",
    "max(lab.transfers.list(), key=lambda t: t.source_amount)",
    "sum(t.source_amount for t in lab.transfers.list())",
    "lab.individuals.list()[0]",
    "lab.individuals.list().filter(country='MX')[0]",
    "lab.conversion_accounts.list()[:2]",
    "lab.conversions.list().to_list()",
    "lab.webhook_subscriptions.list().to_list()",
    # Ids and objects.
    "lab.transfers.get(transfer.id)",
    "lab.transfers.get(id=transfer.id)",
    "lab.transfers.get(transfer)",
    "lab.transfers.get(transfer, timeout=3)",
    "lab.transfers.wait(transfer)",
    "lab.individuals.get(person)",
    "lab.individuals.wait(person)",
    "lab.individuals.wait(person.id, timeout=30)",
    "lab.individuals.images(person)",
    "lab.individuals.upload_images(draft, {'document-front': str(picture)})",
    "lab.individuals.upload_images(draft, {'document-front': picture})",
    "lab.individuals.upload_images(draft, {'document-front': picture.read_bytes()})",
    "lab.financial_accounts.create(person, 'crypto_wallet', wallet.details)",
    "lab.conversion_accounts.create(person, wallet)",
    "lab.conversion_accounts.create(person, wallet, 'mxn')",
    "lab.conversion_accounts.create(individual_id=person.id, payout_account=wallet.id,"
    " source_currency='MXN')",
    "lab.conversion_accounts.get(account)",
    "lab.conversions.get(conversion.id)",
    "lab.conversions.get(conversion)",
    "lab.conversions.wait(conversion)",
    "lab.conversions.wait(conversion_account_id=account)",
    "lab.sandbox.deposit(account, '10.00', 'mxn')",
    "lab.sandbox.deposit(account, 10, 'MXN')",
    "lab.sandbox.deposit(conversion_account_id=account.id, amount='10', currency='mxn')",
    "lab.deposit_card(account)",
    "lab.quotes.create(payee, source_amount='10', source_currency='USD',"
    " destination_currency='MXN', payout_method='spei')",
    "lab.transfers.create(quote_id=lab.quotes.again(quote), idempotency_key=key)",
    "lab.quotes.compare([recipient], source_amount='25')",
    # Results.
    "transfer.status",
    "transfer['status']",
    "transfer.get('status')",
    "transfer.get('nothing', 'default')",
    "'status' in transfer",
    "dict(transfer)['status']",
    "transfer.keys()",
    "transfer.items()",
    "transfer.to_dict()",
    "transfer.to_json()",
    "json.dumps(transfer.to_dict())",
    "json.dumps(lab.transfers.list().to_dicts(2))",
    "json.loads(transfer.to_json(indent=2))",
    "transfer.raw",
    "transfer.model_dump()",
    "transfer.model_dump_json()",
    "transfer.created_at.date()",
    "transfer.source_amount * 2",
    "transfer == lab.transfers.get(transfer)",
    "{transfer: 1}",
    # Frames and files.
    "lab.transfers.frame()",
    "lab.transfers.frame(limit=5)",
    "lab.transfers.frame(since='2026-01-01')",
    "lab.transfers.export(str(folder / 'one.csv'))",
    "lab.transfers.export(folder / 'one.parquet')",
    "paylab.read_csv(str(folder / 'one.csv'))",
    "lab.conversions.frame()",
    # Other calls.
    "lab.request('GET', '/v1/transfers', params={'limit': 1})",
    "lab.calls[-1].as_curl()",
    "lab.settings.base_url",
    "lab.get('/v1/transfers', params={'limit': 1})['data']",
    "lab.get(f'/v1/transfers/{transfer.id}')['status']",
    "lab.post('/v1/quotes', json=terms)['id']",
    "paylab.APIError.mro()",
    "error.status_code + error.status",
    "error.message.lower()",
    "error.code",
    "error.request_id",
    "error.request.method, error.request.url, error.request.request_headers",
    "error.response.status, error.response.response_headers, error.response.response_body",
    "error.body",
    "str(error), repr(error), error.args",
    "error.add_note('seen')",
    "lab.simulator.clock.advance(60)",
    "lab.status(transfer)",
]

NAMED = [
    ("paylab.Client", "connect"),
    ("paylab.configure(api_key='k')", "connect"),
    ("paylab.conect", "connect"),
    ("lab.transfer", "transfers"),
    ("lab.customers", "individuals"),
    ("lab.recipients", "individuals"),
    ("lab.payouts", "transfers"),
    ("lab.wallet", "financial_accounts"),
    ("lab.webhooks", "webhook_subscriptions"),
    ("lab.virtual_accounts", "conversion_accounts"),
    ("lab.rates", "quotes"),
    ("lab.config", "settings"),
    ("lab.transfers.retrieve(transfer.id)", "get"),
    ("lab.transfers.all()", "list"),
    ("lab.transfers.search(status='failed')", "list"),
    ("lab.transfers.new(amount=1)", "create"),
    ("lab.transfers.to_dataframe()", "frame"),
    ("lab.transfers.to_csv('x.csv')", "export"),
    ("lab.transfers.poll(transfer)", "wait"),
    ("lab.transfers.bulk_create([])", "create_many"),
    ("lab.transfers.cancel(transfer)", "lab.request()"),
    ("lab.individuals.update(person)", "lab.request()"),
    ("lab.individuals.upload_documents(person)", "upload_images"),
    ("lab.financial_accounts.modify(wallet)", "update"),
    ("lab.webhook_subscriptions.remove('wh_1')", "delete"),
    ("lab.sandbox.simulate_deposit(account)", "deposit"),
    ("lab.transfers.list().auto_paging_iter()", "for loop"),
    ("lab.transfers.list().all()", "to_list"),
    ("lab.transfers.list().data", "to_list"),
    ("lab.transfers.list().has_more", "pages"),
    ("lab.transfers.list().where(status='failed')", "filter"),
    ("lab.transfers.list().count()", "to_list"),
    ("len(lab.transfers.list())", "to_list"),
    ("transfer.state", "status"),
    ("transfer.amount", "source_amount"),
    ("transfer.created", "created_at"),
    ("transfer.exchangeRate", "exchange_rate"),
    ("transfer['sourceAmount']", "source_amount"),
    ("transfer.refresh()", "get"),
    ("transfer.as_dict()", "to_dict"),
    ("transfer.failure_code", "failure_reason"),
    ("person.first_name", "given_name"),
    ("lab.transfers.list(page_size=5)", "limit"),
    ("lab.transfers.list(size=5)", "limit"),
    ("lab.transfers.get(transfer_id=transfer.id)", "id"),
    ("lab.transfers.create(amount='10')", "source_amount"),
    ("lab.transfers.create(idempotencyKey='x')", "idempotency_key"),
    # Stripe.
    ("paylab.InvalidRequestError", "BadRequestError"),
    ("paylab.IdempotencyError", "ConflictError"),
    ("paylab.PermissionError", "PermissionDeniedError"),
    ("paylab.Webhook.construct_event(b'', '', '')", "events"),
    ("paylab.webhook", "events"),
    ("lab.webhooks.construct_event(b'', '', '')", "webhook_subscriptions .* inbox"),
    ("lab.payouts.create(amount=1)", "transfers"),
    ("lab.external_accounts", "financial_accounts"),
    ("lab.test_helpers", "sandbox"),
    ("lab.webhook_endpoints", "webhook_subscriptions"),
    ("lab.transfers.list(starting_after='x')", "cursor"),
    ("lab.transfers.list().auto_paging", "for loop"),
    ("lab.individuals.search(email='a@b.test')", r"list\(\)\.filter"),
    ("lab.individuals.modify(person)", "lab.request()"),
    ("error.http_status", "status"),
    ("error.http_body", "body"),
    ("error.json_body", "body"),
    ("error.user_message", "text"),
    ("error.param", "problems"),
    ("error.headers", "response_headers"),
    # httpx and requests.
    ("paylab.HTTPError", "APIError"),
    ("paylab.HTTPStatusError", "APIStatusError"),
    ("paylab.RequestException", "APIError"),
    ("paylab.Timeout", "APITimeoutError"),
    ("paylab.ReadTimeout", "APITimeoutError"),
    ("paylab.TimeoutException", "APITimeoutError"),
    ("paylab.ConnectError", "APIConnectionError"),
    ("paylab.ConnectionError", "APIConnectionError"),
    ("paylab.Client(base_url='https://a.test')", "connect"),
    ("paylab.Session()", "connect"),
    ("lab.delete('/v1/webhook_subscriptions/wh_1')", "request"),
    ("lab.put('/v1/x')", "request"),
    ("error.response.status_code", "status"),
    ("error.response.json()", "response_body"),
    ("error.response.text", "response_body"),
    ("error.response.content", "response_body"),
    ("error.response.headers", "response_headers"),
    ("error.reason", "text"),
    ("error.errors", "problems"),
    ("lab.transfers.create(extra_headers={})", "headers"),
    # Twilio, Adyen and others.
    ("paylab.ApiException", "APIError"),
    ("paylab.TwilioRestException", "APIError"),
    ("paylab.RestException", "APIError"),
    ("paylab.UnauthorizedError", "AuthenticationError"),
    ("paylab.ForbiddenError", "PermissionDeniedError"),
    ("paylab.TooManyRequests", "RateLimitError"),
    ("paylab.TooManyRequestsError", "RateLimitError"),
    ("paylab.ValidationError", "RuleError"),
    ("paylab.NotFound", "NotFoundError"),
    ("lab.transfers.fetch(transfer.id)", "get"),
    ("lab.transfers.initiate(amount=1)", "create"),
    ("lab.transfers.iterate()", "list"),
    ("lab.beneficiaries", "individuals"),
    ("lab.payins", "conversion_accounts"),
    ("lab.transfers.frame(start='2026-01-01')", r"is 'since' meant\?\); nothing was sent$"),
    ("lab.sandbox.deposit(account_id='ca_1')", "conversion_account_id"),
    ("lab.sandbox.simulate(account)", "deposit"),
    ("person.refresh()", r"get\(id\) of the part of the lab"),
    ("transfer.reference", "client_reference_id"),
    ("transfer.fee", "total_fee"),
    ("person.name", "given_name"),
    ("lab.transfers.find(transfer.id)", "get"),
]


TO_MEXICO = {"source_currency": "USD", "destination_currency": "MXN", "payout_method": "spei"}


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """The names that the calls use: a lab on a simulator, and one of each object."""
    simulator = Simulator(transfers=130)
    lab = paylab.connect(simulator=simulator)
    lab.simulator.seed(conversions=2)
    folder = tmp_path_factory.mktemp("files")
    (folder / "front.jpg").write_bytes(specimen("document-front"))
    conversion = lab.conversions.list().first()
    account = lab.conversion_accounts.get(conversion.conversion_account_id)
    person = lab.individuals.get(account.individual_id)
    payee = lab.individuals.list().filter(product_types=["global_payouts"], country="MX")[0]
    recipient, payee = payee, payee.financial_accounts[0]
    body = examples.individual("MX", consent_at=lab.clock())
    with pytest.raises(paylab.APIError) as caught:
        lab.transfers.get("tr_unknown")
    terms = {"financial_account_id": payee.id, "source_amount": "20", **TO_MEXICO}
    return {
        "error": caught.value,
        "terms": terms,
        "paylab": paylab,
        "json": json,
        "simulator": simulator,
        "lab": lab,
        "transfer": lab.transfers.list().first(),
        "conversion": conversion,
        "account": account,
        "payee": payee,
        "recipient": recipient,
        "quote": lab.quotes.create(payee, source_amount="20", **TO_MEXICO),
        "key": "3f1f1b1e-0000-4000-8000-000000000001",
        "person": person,
        "wallet": account.payout_account,
        "draft": lab.individuals.create(**body),
        "folder": folder,
        "picture": folder / "front.jpg",
    }


NO_HINT = [
    "lab.balance",
    "lab.balances",
    "lab.cards",
    "paylab.api_key",
    "paylab.CardError",
    "paylab.StripeError",
    "paylab.SignatureVerificationError",
    "transfer.search(status='failed')",
    "person.count()",
    "transfer.webhooks",
    "error.retryable",
    "paylab.events.construct_event(b'', '', '')",
    "lab.transfers.frame(color='red')",
]
"""Calls for which there is nothing similar: the error must not name something else."""


def outcome(guess, place):
    """The result of a call, or its error."""
    try:
        return eval(guess, place)
    except Exception as error:
        return error


@pytest.mark.filterwarnings("ignore")
def test_guesses_work(place):
    """The calls work as written."""
    outcomes = {guess: outcome(guess, place) for guess in WORKS}
    assert {guess: it for guess, it in outcomes.items() if isinstance(it, Exception)} == {}


@pytest.mark.filterwarnings("ignore")
def test_a_wrong_guess_names_the_right_one(place):
    """The error names the right call, in fewer than 300 characters."""
    told = {guess: outcome(guess, place) for guess, _ in NAMED}
    wrong = [
        (guess, right, told[guess])
        for guess, right in NAMED
        if not isinstance(told[guess], AttributeError | TypeError | KeyError)
        or not re.search(right, str(told[guess]))
        or len(str(told[guess])) >= 300
    ]
    assert wrong == []


@pytest.mark.parametrize("guess", NO_HINT)
def test_a_guess_without_a_counterpart_gets_no_hint(place, guess):
    """The error of a name that has no counterpart suggests nothing."""
    with pytest.raises((AttributeError, TypeError)) as caught:
        eval(guess, place)
    assert ": use " not in str(caught.value)
    assert "meant?" not in str(caught.value)


@pytest.mark.parametrize(
    "part",
    ["forms", "transfers", "sandbox", "individuals", "quotes", "conversions", "ledger", "calls"],
)
def test_a_part_of_a_lab_shows_what_it_offers(place, part):
    """The repr of a part names what it has, not its address in memory."""
    assert " at 0x" not in repr(getattr(place["lab"], part))
