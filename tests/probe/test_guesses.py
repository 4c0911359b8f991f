"""The settings to try after a refused request or a list of another shape."""

import httpx
import pytest

import paylab
from paylab import errors
from paylab.client import Client
from paylab.client.settings import Settings
from paylab.probe.accepted_values import (
    accepts_one_item,
    find_accepted_amount,
    find_accepted_sizes,
    find_accepted_words,
)
from paylab.probe.constants import find_blanks
from paylab.probe.guesses import guess_settings

pytestmark = pytest.mark.filterwarnings("ignore::paylab.errors.RuleWarning")
MX, WALLET = "financial_accounts.MX.bank_account", "financial_accounts.crypto_wallet"
CONVERT = "conversion_accounts"
ACCOUNTS = "financial_accounts.fields"
REQUIRED = ("product_types", "given_name", "family_name", "country", "address")
LIST = "lists.transfers"
BANK = {"type": "bank_account", "details": {"clabe": "032180000118359719"}}
COIN = {"type": "crypto_wallet", "details": {"address": "0x1", "network": "base"}}


def person(*accounts):
    """Create a Mexican individual with accounts."""
    fields = {**paylab.examples.recipient("MX"), "financial_accounts": list(accounts)}
    return lambda client: client.individuals.create(**fields)


def wallet(client):
    """Create a wallet."""
    return client.financial_accounts.create("ind_1", **COIN)


def quote(client):
    """Get a quote."""
    return client.quotes.create(
        "fa_1", payout_method="spei", source_amount="1", destination_currency="mxn"
    )


def convert(client):
    """Create a conversion account."""
    return client.conversion_accounts.create("ind_1", "fa_1", "mxn")


def deposit(client):
    """Make a deposit."""
    return client.sandbox.deposit("ca_1", "10.00", "mxn")


def transfers(client):
    """Read the list of transfers."""
    return client.transfers.list().to_list()


def guesses_after(call, status, body=None, base="https://a.example.com", **answer):
    """The settings to try after a call that is answered so."""
    exchanges = []
    transport = httpx.MockTransport(lambda _: httpx.Response(status, json=body, **answer))
    settings = Settings(base, "k", "c0ffee00" * 4)
    client = Client(settings, transport=transport, max_retries=0, watchers=[exchanges.append])
    with client, pytest.raises(errors.PaylabError) as caught:
        call(client)
    return list(guess_settings(caught.value, exchanges[0], client.service))


def said(field, message):
    """A refusal of a field."""
    return {"errors": [{"field": field, "message": message}]}


def extra(operation, **constants):
    """The guess of a constant field."""
    return {"extra": {operation: constants}}


UNKNOWN_ID = {"customer_id": ["is required"], "individual_id": ["is not allowed"]}


@pytest.mark.parametrize(
    ("call", "body", "first"),
    [
        (wallet, {"error": "unknown field 'network'"}, None),
        (
            wallet,
            {"error": "details.memo is required"},
            {f"{WALLET}.required": ("address", "network", "memo")},
        ),
        (
            wallet,
            {"error": "wallet_address is required, address is unknown"},
            {f"{WALLET}.fields.address": "wallet_address"},
        ),
        (
            wallet,
            {"error": "details.network must be one of tron, stellar"},
            {f"{WALLET}.allowed": ("tron", "stellar")},
        ),
        (wallet, {"error": "details.address is required"}, None),
        (wallet, {"errors": UNKNOWN_ID}, {f"{ACCOUNTS}.individual_id": "customer_id"}),
        (
            wallet,
            {"code": "MISSING_FIELD", "param": "individual.id"},
            {"financial_accounts.fields.individual_id": "individual.id"},
        ),
        (
            person(BANK),
            {"error": "details.holder is required"},
            {f"{MX}.required": ("clabe", "holder")},
        ),
        (person(COIN, BANK), {"error": "financial_accounts.7.details.x is required"}, None),
        (
            person(BANK),
            {"error": "address.line_2 is required"},
            {"individuals.required": (*REQUIRED, "address.line_2")},
        ),
        (
            person(BANK),
            {"code": "MISSING_FIELD", "param": "email"},
            {"individuals.required": (*REQUIRED, "email")},
        ),
        (person(BANK), {"error": "address.country is required"}, None),
        (
            person(BANK),
            said("gender", "must be one of MALE, FEMALE"),
            extra("individuals.create", gender="MALE"),
        ),
        (
            person(BANK),
            {"field": "funds", "message": "funds is required", "allowed_values": ["a", "b"]},
            extra("individuals.create", funds="a"),
        ),
        (
            person(BANK),
            {"errors": {"terms": ["must be true"]}},
            extra("individuals.create", terms=True),
        ),
        (quote, {"error": "destination_currency must be upper case"}, {"currencies.case": "upper"}),
        (quote, {"error": "currency must be lower case"}, {"currencies.case": "upper"}),
        (quote, {"error": "source_amount is not supported"}, None),
        (quote, {"error": "source_amount must be a JSON number"}, {"amounts.requests": "number"}),
        (quote, {"error": "recipient_id is required"}, None),
        (quote, {"error": "financial_account does not exist"}, None),
        (quote, {"error": "It was refused"}, None),
        (
            lambda client: client.webhook_subscriptions.delete("wh_1"),
            {"errors": {"reason": ["is required"]}},
            None,
        ),
        (
            convert,
            {"error": "recipient_id is required, individual_id is unknown"},
            {f"{CONVERT}.fields.individual_id": "recipient_id"},
        ),
        (
            convert,
            {"error": {"code": "idempotency_key_missing"}},
            None,
        ),
        (
            deposit,
            {"error": "Idempotency-Key header is required"},
            {"idempotency.operations": "every_post"},
        ),
        (
            deposit,
            {"message": "money.value is required, money.currency is required, amount is unknown, "
             "currency is unknown"},
            {
                "sandbox_deposits.fields.currency": "money.currency",
                "sandbox_deposits.fields.amount": "money.value",
            },
        ),
        (
            deposit,
            {"errors": {"sender_name": ["is missing"]}},
            extra("sandbox.deposit", sender_name="Alex Example"),
        ),
    ],
)  # fmt: skip
def test_a_refused_field_has_a_setting_to_try(call, body, first):
    """The first guess changes the setting of the field; other refusals have none."""
    found = guesses_after(call, 400, body)
    assert found[:1] == ([first] if first else [])


@pytest.mark.parametrize(
    ("body", "places"),
    [
        ({"error": "nationality is required"}, {"nationality"}),
        ({"errors": [{"path": "birth.city", "code": "required"}]}, {"birth.city"}),
        (said("given_name", "is too long"), set()),
        ({"errors": {"first_name": ["is required"], "given_name": ["is unknown"]}}, set()),
    ],
)
def test_an_unknown_field_is_left_to_the_user(body, places):
    """A missing field without a known value is one to fill in; a new name of a field is not."""
    found = guesses_after(person(BANK), 400, body)
    marked = {place for values in found for place in find_blanks(values.get("extra", {}))}
    assert marked == {("individuals.create", place) for place in places}


def test_nothing_is_renamed_to_a_field_that_may_be_new():
    """A service that misses a field of an account gets it beside the others."""
    found = guesses_after(wallet, 400, {"error": "details.memo is required"})
    assert found == [{f"{WALLET}.required": ("address", "network", "memo")}]


@pytest.mark.parametrize("status", [400, 409, 415, 422, 410])
def test_a_refusal_of_any_kind_is_about_its_field(status):
    """The words of a 400, 409, 415 and 422 are about fields; those of another status may not be."""
    body = {"error": "destination_currency must be upper case"}
    found = guesses_after(quote, status, body)
    assert found == ([] if status == 410 else [{"currencies.case": c} for c in ("upper", "lower")])


@pytest.mark.parametrize(
    ("call", "key", "others"),
    [
        (quote, "paths.quotes", {"/v1/quote", "/v1/transfer-quotes", "/v1/fx/quotes"}),
        (lambda c: c.individuals.get("i"), "paths.individual", {"/v1/individual/{id}", "none"}),
        (convert, "paths.create_conversion_account", {"/v1/virtual_accounts"}),
    ],
)
@pytest.mark.parametrize("status", [404, 405, 501])
def test_a_path_that_is_not_there_has_others(call, key, others, status):
    """Spellings, the paths of the same resource, and what public descriptions have."""
    found = [values[key] for values in guesses_after(call, status, {"error": "no route"})]
    assert others <= {*found}
    assert len(found) == len({*found})


@pytest.mark.parametrize(
    ("status", "words", "is_tried"),
    [
        (401, "signature does not match", True),
        (401, "Unauthorized", True),
        (401, "API key is inactive or was revoked", False),
        (401, "Authorization must be a Bearer token", False),
        (401, "Write operations must be signed with an Ed25519 key", False),
        (403, "signature verification failed", True),
        (403, "Your IP address is not on the allow list", False),
        (403, "Your account is suspended", False),
        (403, "API rate limit exceeded", False),
        (403, "this key lacks the scope transfers:write", False),
    ],
)
def test_other_signatures_are_tried_if_one_may_help(status, words, is_tried):
    """A refusal that says another reason has no dialect to try."""
    found = guesses_after(transfers, status, {"error": words})
    assert ({"signing.key_encoding": "hex"} in found) is bool(found) is is_tried
    assert {"signing.empty_query": "omit"} not in found


def test_the_path_of_the_address_may_be_unsigned():
    """The first dialect of an address with a path leaves it out of the signed text."""
    found = guesses_after(transfers, 401, {"error": "x"}, base="https://a.example.com/api/pay")
    assert found[0] == {"signing.base_path": "/api/pay"}


@pytest.mark.parametrize(
    ("headers", "found"),
    [
        ({"retry-after-ms": "1"}, ("Retry-After-Ms", "milliseconds")),
        ({"x-ratelimit-reset": "1000000000"}, ("X-Ratelimit-Reset", "unix_time")),
        ({"x-ratelimit-reset": "999999999"}, ("X-Ratelimit-Reset", "milliseconds")),
        ({"ratelimit-reset": "Sat, 31 Jan 2026"}, ("Ratelimit-Reset", "date")),
        ({"ratelimit-reset": "60"}, ("Ratelimit-Reset", "seconds")),
        ({"retry-after": "61"}, None),
        ({"x-ratelimit-limit": "1"}, None),
    ],
)
def test_a_rate_limit_says_when_to_ask_again(headers, found):
    """The header and the unit of its value; other headers say nothing."""
    names = ("rate_limits.header", "rate_limits.unit")
    expected = [dict(zip(names, found, strict=True))] if found else []
    assert guesses_after(transfers, 429, {"error": "slow down"}, headers=headers) == expected


@pytest.mark.parametrize(
    ("body", "found"),
    [
        (
            {"data": [], "pagination": {"has_more": True, "next": "c"}},
            {"more": "pagination.has_more", "cursor": "pagination.next"},
        ),
        ({"data": [], "meta": {"page": {"next_cursor": "c"}}}, {"cursor": "meta.page.next_cursor"}),
        ({"result": {"rows": [{}]}, "more": False}, {"items": "result.rows", "more": "more"}),
        (
            {"result": {"rows": []}, "paging": {"cursors": {"after": None}}},
            {"items": "result.rows", "more": "none", "cursor": "paging.cursors.after"},
        ),
        ({"data": [], "success": True, "links": {"next": "https://a.test/?page=2"}}, {}),
        ({"data": [], "total": 30, "page": 1}, {}),
        ({"items": [], "ok": True}, {"items": "items", "more": "none"}),
        ([{"id": "tr_1"}], {"items": "none"}),
        ({"data": ["a"]}, {}),
    ],
)
def test_a_list_of_another_shape_has_its_names(body, found):
    """The first guess has all names of the shape; never "none" where more may follow."""
    first = next(iter(guesses_after(transfers, 200, body)), {})
    assert {key.removeprefix(f"{LIST}."): value for key, value in first.items()} == found


@pytest.mark.parametrize(
    ("words", "choices"),
    [
        ("must be one of cpf, cnpj or evp", ("cpf", "cnpj", "evp")),
        ("expected: 'SAVINGS' | 'CHECKING'", ("SAVINGS", "CHECKING")),
        ("network is required (one of: base, ethereum)", ("base", "ethereum")),
        ("must be either individual or company", ("individual", "company")),
        ("must be text", ()),
        ("must be true", ()),
        ("should be an object", ()),
        ("must be a; allowed values are b, c", ("b", "c")),
        ("is required", ()),
    ],
)
def test_the_words_that_are_accepted(words, choices):
    """The longest list of words counts; words that name a type are none."""
    assert find_accepted_words(words) == choices


@pytest.mark.parametrize(
    ("words", "sizes"),
    [
        ("must have 64 to 1 items", [1, 64]),
        ("at least 50 KB", [51_200]),
        ("must be base64 of 51200 to 15728640 bytes", [51_200, 15_728_640]),
        ("at most 123456789", [123_456_789]),
        ("not 1234567890", []),
        ("is required", []),
    ],
)
def test_a_size_is_a_number_of_up_to_nine_digits(words, sizes):
    """The smallest first, in bytes if a unit is given; a longer number is an id."""
    assert find_accepted_sizes(words) == sizes


@pytest.mark.parametrize(
    ("words", "amount"),
    [
        ("400 source_amount: must be at least 20.00", "20.00"),
        ("422 Amount exceeds the maximum of 5.50 for this account", "5.50"),
        ("400 amount must not have decimals", "10"),
        ("400 amount must be at least 10", ""),
        ("400 amount must be more than 1 and less than 5", ""),
        ("400 name must have at most 20 characters", ""),
        ("400 amount is required", ""),
    ],
)
def test_an_amount_follows_a_stated_limit(words, amount):
    """The limit of an amount of 10.00, if the words state one and only one."""
    assert find_accepted_amount(words, "10.00") == amount


def test_images_follow_a_stated_limit():
    """One image at a time."""
    assert accepts_one_item("images: must have 1 to 1 items")
    assert not accepts_one_item("images: must have 1 to 10 items")
