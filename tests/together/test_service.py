"""The client keys of a service.toml, tested against the second service.

A client whose keys match a deviation of the service works with it. A client without them fails
with an error that names the key.
"""

from __future__ import annotations

import time
from collections import defaultdict
from contextlib import suppress
from functools import cache
from itertools import chain

import httpx
import pytest
from independent_service import DEVIATIONS
from independent_service import Service as Second

from paylab import errors
from paylab.client import Client
from paylab.client.settings import Settings
from paylab.corridors import examples
from paylab.simulator.simulator import Simulator
from paylab.simulator.transport import SimulatorTransport
from paylab.spec import models
from paylab.spec.service import Service
from paylab.spec.service.keys import setting_keys
from paylab.spec.service.value_types import NameLimit

pytestmark = pytest.mark.filterwarnings("ignore::paylab.errors.RuleWarning")

ADDRESS = {"country": "MX", "line_1": "Reforma 1", "city": "CDMX", "postal_code": "06600"}
IMAGE = b"\xff\xd8\xff\xe0" + b"x" * 20_000
PERSON = {
    "product_types": ["on_ramp"],
    "email": "maria@example.com",
    "phone": "+525512345678",
    "date_of_birth": "1990-01-01",
    "document": {"type": "curp", "number": "HEGG560427MVZRRL04"},
    "idv_consent_recorded_at": "2026-01-01T00:00:00.000Z",
}


def pause(seconds):
    """Wait at most 50 ms."""
    time.sleep(min(seconds, 0.05))


def connected(deviation, settings=None, sleep=pause):
    """A client of the second service with a deviation; by default it sleeps 50 ms at most."""
    second = Second([deviation])

    def answer(request):
        target = request.url.raw_path.decode()
        pairs = request.headers.multi_items()
        status, headers, body = second.handle(request.method, target, pairs, request.read())
        return httpx.Response(status, headers=headers, content=body)

    service = Service(settings or {})
    keys = Settings("http://localhost", second.api_key, second.secret_key, service=service)
    return Client(keys, transport=httpx.MockTransport(answer), sleep=sleep)


def person(client, country="MX", **change):
    """Create an individual."""
    base = {"product_types": ["global_payouts"], "given_name": "María", "family_name": "Hernández"}
    address = {**ADDRESS, "country": country}
    return client.individuals.create(**{**base, "country": country, "address": address, **change})


def account(client, country="MX", kind="bank_account"):
    """Create a financial account for a new individual."""
    example = DETAILS.get(kind) or examples.account(country, client.service)["details"]
    form = client.service.account(country, kind)
    if form.field and example.get(form.field) not in form.allowed:
        example = {**example, form.field: form.allowed[0]}
    return client.financial_accounts.create(person(client, country), kind, example)


def payout(client, **change):
    """Create a quote and a transfer from it, then read and list the transfer."""
    given = {"source_amount": "100.00", "source_currency": "USD", "destination_currency": "MXN"}
    rail = client.service.payout_methods("MX")[0]
    quote = client.quotes.create(account(client), payout_method=rail, **given)
    assert quote.exchange_rate
    assert quote.expires_at
    made = client.transfers.create(quote_id=quote, **change)
    assert client.transfers.get(made).id == made.id
    assert made.id in [one.id for one in client.transfers.list(limit=100)]


def conversion(client):
    """Run the whole on-ramp, from the individual to the conversion of a deposit."""
    who = person(client, **PERSON)
    client.individuals.upload_images(who, {"document-front": IMAGE, "selfie": IMAGE})
    assert client.individuals.images(who).images
    client.individuals.wait(who, "active", timeout=2, every=0.05)
    details = examples.wallet(client.service)
    wallet = client.financial_accounts.create(who, "crypto_wallet", details)
    assert wallet.details == details
    opened = client.conversion_accounts.create(who, wallet, "mxn")
    assert opened.payout_account.details == details
    assert opened.id in [one.id for one in client.conversion_accounts.list()]
    opened = client.conversion_accounts.wait(opened, timeout=2, every=0.05)
    assert opened.individual_id == who.id
    client.sandbox.deposit(opened, "40", "mxn", "María")
    found = client.conversions.wait(conversion_account_id=opened, timeout=2, every=0.05)
    assert found.status == "completed"


def people(client):
    """Create individuals and list them over several pages."""
    made = [person(client).id for _ in range(3)]
    assert {*made} <= {one.id for one in client.individuals.list(limit=2)}


def hooks(client):
    """Create, read, list and delete a webhook subscription."""
    made = client.webhook_subscriptions.create("https://x.test/hook", ["transfer.created"])
    assert client.webhook_subscriptions.get(made).url == made.url
    assert made.id in [one.id for one in client.webhook_subscriptions.list()]
    client.webhook_subscriptions.delete(made)


def issuers(client):
    """Create a bank account and a digital wallet in the Philippines."""
    for kind in ("bank_account", "digital_wallet"):
        account(client, "PH", kind)


def pix(client):
    """Create an account with a PIX key."""
    account(client, "BR", "pix")


def token(client):
    """Submit a verification token."""
    document = {"type": "passport", "number": "123456789"}
    who = person(client, "US", **{**PERSON, "document": document, "phone": "+12025550123"})
    client.individuals.submit_token(who, "token", "applicant", "2026-01-01T00:00:00.000Z")


def moved(key, path, *more):
    """The settings of a service that has one or more operations at another path."""
    return {f"paths.{name}": path for name in (key, *more)}


DETAILS = {
    "pix": {"pix_key": "maria@example.com", "pix_key_type": "email"},
    "digital_wallet": {"account_number": "09171234567", "account_holder_name": "María H"},
}
WALLET, MX = "financial_accounts.crypto_wallet", "financial_accounts.MX.bank_account"
PH = "financial_accounts.PH"
BASE = ["product_types", "given_name", "family_name", "country", "address"]

FOLLOWED = [
    ("blank-query-line", people, {"signing.empty_query": "blank"}),
    ("key-hex", people, {"signing.key_encoding": "hex"}),
    ("key-base64", people, {"signing.key_encoding": "base64"}),
    ("quotes-at-quote", payout, moved("quotes", "/v1/quote")),
    ("quotes-nested", payout, moved("quotes", "/v1/transfers/quotes")),
    ("transfer-get-singular", payout, moved("transfer", "/v1/transfer/{id}")),
    ("deposit-singular", conversion, moved("sandbox_deposits", "/v1/sandbox/deposit")),
    (
        "deposit-nested",
        conversion,
        moved("sandbox_deposits", "/v1/conversion_accounts/{id}/deposits"),
    ),
    ("conversions-at-on-ramp", conversion, moved("conversions", "/v1/onramp/conversions")),
    (
        "conversion-accounts-kebab",
        conversion,
        {
            "paths.create_conversion_account": "/v1/conversion-accounts",
            "paths.conversion_accounts": "/v1/conversion-accounts",
            "paths.conversion_account": "/v1/conversion-accounts/{id}",
        },
    ),
    (
        "conversion-accounts-nested",
        conversion,
        moved("conversion_accounts", "/v1/conversions/accounts"),
    ),
    ("images-at-images", conversion, moved("verification_images", "/v1/individuals/{id}/images")),
    ("individuals-at-customers", people, moved("individuals", "/v1/customers")),
    (
        "webhooks-path",
        hooks,
        {
            "paths.create_webhook_subscription": "/v1/webhooks",
            "paths.webhook_subscriptions": "/v1/webhooks",
            "paths.webhook_subscription": "/v1/webhooks/{id}",
        },
    ),
    ("no-get-transfer", payout, moved("transfer", "none")),
    (
        "no-get-subscription",
        hooks,
        moved("webhook_subscription", "none")
        | moved("delete_webhook_subscription", "/v1/webhook_subscriptions/{id}"),
    ),
    (
        "wallet-fields",
        conversion,
        {f"{WALLET}.fields": {"address": "wallet_address", "network": "blockchain"}},
    ),
    (
        "wallet-fields-lenient",
        conversion,
        {f"{WALLET}.fields": {"address": "wallet_address", "network": "chain"}},
    ),
    ("clabe-account-number", payout, {f"{MX}.fields.clabe": "account_number"}),
    (
        "issuer-bank-code",
        issuers,
        {
            f"{PH}.bank_account.fields.issuer": "bank_code",
            f"{PH}.digital_wallet.fields.issuer": "bank_code",
        },
    ),
    (
        "quote-fields",
        payout,
        {
            "quotes.fields.financial_account_id": "destination_account.id",
            "quotes.fields.exchange_rate": "rate",
            "quotes.fields.expires_at": "valid_until",
        },
    ),
    ("transfer-quote-reference", payout, {"transfers.fields.quote_id": "quote"}),
    (
        "conversion-account-customer",
        conversion,
        {"conversion_accounts.fields.individual_id": "customer_id"},
    ),
    (
        "amounts-numbers-only",
        payout,
        {"amounts.requests": "number", "amounts.answers": "number"},
    ),
    (
        "amounts-numbers-only",
        conversion,
        {"amounts.requests": "number", "amounts.answers": "number"},
    ),
    ("lists-array", payout, {"lists.items": "none"}),
    ("conversions-array", conversion, {"lists.conversions.items": "none"}),
    (
        "envelope-names",
        payout,
        {"lists.items": "items", "lists.more": "has_next", "lists.cursor": "next"},
    ),
    (
        "conversions-envelope-names",
        conversion,
        {
            "lists.conversions.items": "results",
            "lists.conversions.more": "has_more",
            "lists.conversions.cursor": "next_cursor",
        },
    ),
    ("largest-page-50", payout, {"lists.max_limit": 50}),
    (
        "networks-upper",
        conversion,
        {f"{WALLET}.allowed": ["BASE", "ETHEREUM", "POLYGON", "SOLANA"]},
    ),
    ("rail-mx-bitso", payout, {"rails.MX": ["bitso"]}),
    (
        "issuers-other",
        issuers,
        {
            f"{PH}.bank_account.allowed": ["BNORPHMM", "BOPIPHMM"],
            f"{PH}.digital_wallet.allowed": ["GCASH", "PAYMAYA"],
        },
    ),
    ("idv-provider", token, {"verification.provider": "sumsub"}),
]


NOT_FOLLOWED = {
    "signing": "empty_query key_encoding",
    "paths": (
        "create_individual submit_verification_token upload_verification_images "
        "create_financial_account create_transfer create_conversion_account "
        "create_webhook_subscription individuals individual verification_images "
        "quotes transfer transfers conversion_accounts conversion_account "
        "sandbox_deposits conversions webhook_subscriptions webhook_subscription "
        "delete_webhook_subscription"
    ),
    "currencies": "case",
    "lists": "cursor_parameter items more cursor max_limit",
    "financial_accounts.BR.pix.fields": "pix_key pix_key_type",
    "financial_accounts.BR.pix": "required",
    "financial_accounts.MX.bank_account.fields": "clabe",
    "financial_accounts.PH.bank_account.fields": "issuer account_number account_holder_name",
    "financial_accounts.PH.bank_account": "required",
    "financial_accounts.PH.digital_wallet.fields": "issuer account_number account_holder_name",
    "financial_accounts.PH.digital_wallet": "required",
    "financial_accounts.crypto_wallet.fields": "address network",
    "financial_accounts.crypto_wallet": "required",
    "quotes.fields": "source_amount destination_currency payout_method financial_account_id",
    "transfers.fields": "quote_id",
    "transfers": "required",
    "conversion_accounts.fields": "individual_id payout_account_id source_currency",
    "conversion_accounts": "required",
    "sandbox_deposits.fields": "conversion_account_id amount currency",
    "amounts": "requests",
}
"""Settings by group; if the service changes one, a client without that setting fails."""

WALKS = (people, payout, conversion, hooks, issuers, pix, token)


def simulated(service, followed):
    """A client that follows one service, on a simulator that follows another."""
    simulator = Simulator(service=service)
    keys = Settings("http://localhost", simulator.api_key, simulator.secret_key, service=followed)
    return Client(
        keys,
        transport=SimulatorTransport(simulator.respond),
        clock=simulator.world.now,
        sleep=lambda _: simulator.advance(30),
        max_retries=0,
    )


def everything(service, followed):
    """Run every walk, each on a new simulator."""
    for walk in WALKS:
        walk(simulated(service, followed))


@cache
def all_at_once(number):
    """A service with another value for each key, except for keys that would make a walk fail."""
    values = defaultdict(dict)
    for key in (key for key in setting_keys().values() if key.others):
        value = key.others[min(number, len(key.others) - 1)]
        kept = value == "none" or key.name.endswith((".required", ".ramp_required"))
        if not kept and not key.name.startswith(("errors.", "verification.", "individuals.")):
            values[key.name.rpartition(".")[0]][key.name] = value
    service = Service()
    for table in values.values():
        try:
            service = service.with_values(table)
        except errors.ServiceError:
            for name, value in table.items():
                with suppress(errors.ServiceError):  # the name is taken by another field
                    service = service.with_values({name: value})
    return service


@pytest.mark.parametrize("walk", WALKS)
@pytest.mark.parametrize("number", range(3))
def test_client_and_simulator_follow_all_settings_at_once(number, walk):
    """With over 140 keys changed alike on both sides, client and simulator work together."""
    service = all_at_once(number)
    assert len(service.diff()) > 140
    walk(simulated(service, service))


NUMBERS = [key for key in setting_keys().values() if key.kind in ("integer", "integers")]
NAMES = [key for key in setting_keys().values() if isinstance(key.limit, NameLimit)]
ODD = 'x "1" &=[<\\\']>{}#?/;%'
"""A name that has every sign with a meaning in JSON, queries, paths and HTML, but for dots."""


@pytest.mark.parametrize("key", NUMBERS, ids=lambda key: key.name)
def test_client_and_simulator_work_with_the_least_and_the_most_number(key):
    """What a setting takes, client and simulator work with; else its limit is wrong."""
    for number in (key.limit.least, key.limit.most):
        service = Service({key.name: number if key.kind == "integer" else [number]})
        everything(service, service)


@pytest.mark.parametrize("group", sorted({key.name.partition(".")[0] for key in NAMES}))
def test_client_and_simulator_work_with_an_odd_name(group):
    """Whatever signs a setting takes in a name, client and simulator work with."""
    names = [key.name for key in NAMES if key.name.startswith(f"{group}.")]
    service = Service({name: f"{ODD}{number}" for number, name in enumerate(names)})
    everything(service, service)


@pytest.mark.parametrize(
    "key", [f"{group}.{name}" for group, names in NOT_FOLLOWED.items() for name in names.split()]
)
def test_a_client_on_another_simulator_fails(key):
    """If one key of the simulator differs, a call fails, and its error names no setting."""
    service = Service({key: next(one for one in setting_keys()[key].others if one != "none")})
    with pytest.raises(errors.PaylabError) as caught:
        everything(service, Service())
    names_no_setting(caught.value)


def names_no_setting(error):
    """The probe is only named beside a dialect that a signed GET has shown to work."""
    hint = str(error.hint or "")
    assert "assum" not in hint
    assert "service.toml" not in hint
    assert "signing." not in hint
    assert "probe" not in hint or "the service verifies a GET" in hint


@pytest.mark.parametrize(("deviation", "walk", "settings"), FOLLOWED)
def test_a_client_that_is_set_works(deviation, walk, settings):
    """A client whose settings match the deviation of the service completes the walk."""
    walk(connected(deviation, settings))


@pytest.mark.parametrize(("deviation", "walk"), [row[:2] for row in FOLLOWED])
def test_a_client_that_is_not_set_fails_and_names_no_setting(deviation, walk):
    """Without the setting, a call fails; its error does not guess which setting it is."""
    with pytest.raises(errors.PaylabError) as caught:
        walk(connected(deviation))
    names_no_setting(caught.value)


REFUSED = [
    ("clabe-with-holder", payout, "account_holder_name"),
    ("individual-email", people, "add email to the call"),
    ("individual-everything", people, "to the call"),
    ("transfer-reference-required", payout, "add client_reference_id to the call"),
    ("pix-key-types", pix, "pix_key_type"),
    ("no-create-quote", payout, "check"),
    ("no-create-deposit", conversion, "check"),
    ("no-list-individuals", people, "check the base URL"),
    ("rate-limit-reset", conversion, "too many requests"),
    ("rate-limit-timestamp", conversion, "too many requests"),
]


@pytest.mark.parametrize(("deviation", "walk", "words"), REFUSED)
def test_what_the_caller_has_to_add_is_said(deviation, walk, words):
    """An error that only the caller can resolve, such as a missing field, says what to do."""
    client = connected(deviation)
    client.settings = client.settings.__class__(**{**vars(client.settings), "max_retries": 0})
    with pytest.raises(errors.PaylabError) as caught:
        walk(client)
    names_no_setting(caught.value)
    assert words in f"{caught.value} {caught.value.hint}"


TAKEN = [
    ("signing-403", people),
    ("nonce-required", people),
    ("routing-before-signature", people),
    ("strict-bodies", conversion),
    ("created-200", payout),
    ("created-200", conversion),
    ("delete-200", hooks),
    ("amounts-numbers", conversion),
    ("currencies-lower", payout),
    ("unknown-fields", conversion),
    ("unknown-statuses", conversion),
    ("unknown-codes", conversion),
    ("empty-202", conversion),
    ("empty-202-no-location", conversion),
    ("individuals-array", people),
    ("conversion-accounts-array", conversion),
    ("webhooks-envelope", hooks),
    ("largest-page-50-silent", payout),
    ("oldest-first", conversion),
    ("order-unknown", conversion),
    ("provisioning-202", conversion),
    ("provisioning-201", conversion),
    ("checks-before-lookup", conversion),
    ("no-outcomes", conversion),
    ("idempotency-key-scope", payout),
    ("idempotency-202", conversion),
    ("idempotency-required", payout),
]


@pytest.mark.parametrize(("deviation", "walk"), TAKEN)
def test_what_needs_no_setting(deviation, walk):
    """A deviation that does not change what the client has to send needs no setting."""
    walk(connected(deviation))


STYLES = [name for name in DEVIATIONS if name.startswith(("errors-", "words-"))]


@pytest.mark.parametrize("style", [name for name in STYLES if name != "errors-empty"])
def test_a_refused_field_shows_all_words(style):
    """In every style of error body, text and card name the refused field."""
    second = connected(style)
    with pytest.raises(errors.BadRequestError) as caught:
        second.financial_accounts.create(person(second), "crypto_wallet", {"network": "base"})
    card = "\n".join(caught.value.card())
    assert "address" in card
    with pytest.raises(errors.BadRequestError) as caught:
        second.financial_accounts.create(
            person(second), "crypto_wallet", {"address": "0x" + "a" * 40, "network": "tron"}
        )
    assert any("network" in line for line in caught.value.card()[:-1])
    assert "network" in str(caught.value)


def test_every_deviation_is_walked():
    """Every deviation of the second service is in a table of this file."""
    named = {row[0] for row in chain(FOLLOWED, REFUSED, TAKEN)} | {*STYLES} | ELSEWHERE
    assert named == {*DEVIATIONS}


ELSEWHERE = {
    # A similar deviation is in a table above.
    *(
        "quotes-at-transfer-quotes",
        "clabe-number",
        "quotes-kebab",
        "deposit-flat",
        "deposit-simulations",
        "webhooks-kebab",
        "images-kebab",
    ),
    *("individual-phone", "individual-birth", "address-complete", "rail-co-ach", "networks-few"),
    *("rail-ph-instapay", "no-list-images", "no-list-conversion-accounts"),
    *("no-list-subscriptions", "no-delete-subscription", "rate-limit", "rate-limit-date"),
    *("rate-limit-milliseconds", "request-id", "correlation-id"),
    # The tests of the notebooks cover slow services, the tests of the inbox cover events.
    *("tolerance-30s", "production", "provisioning-15s", "verification-15s", "payouts-15s"),
    *("events-enveloped", "events-signed"),
}


ASKED = {"destination_currency", "payout_method", "source_amount", "source_network"}
ANSWERED = {
    "quotes": sorted(models.Quote.model_fields.keys() - ASKED),
    "conversion_accounts": ["destination_currency"],
    "sandbox_deposits": ["created_at"],
    "deposit_instructions.mx_virtual_account": ["clabe"],
}
"""Fields of answers by table, which a service may call otherwise."""


def asked_for(client):
    """Run the calls whose answers have fields with names that can be set."""
    assert client.quotes.create(
        account(client),
        payout_method="spei",
        destination_currency="MXN",
        source_currency="USDC",
        source_network="base",
        source_amount="100.00",
    )
    conversion(client)


@pytest.mark.parametrize(
    "key",
    [
        f"{table}.fields.{name}"
        for table, names in ANSWERED.items()
        for name in names
        if f"{table}.fields.{name}" in setting_keys() and name != "financial_account_id"
    ],
)
def test_an_answer_with_another_name_is_read_with_its_key(key):
    """With the key of a renamed field of an answer set, the calls that need it work."""
    service = Service({key: setting_keys()[key].others[-1]})
    asked_for(simulated(service, service))
