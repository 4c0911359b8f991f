"""The key that the error of a refused call names, from the field that the service is about."""

from __future__ import annotations

import copy
import pickle
import re
from dataclasses import replace

import httpx
import pytest

import paylab
from paylab import errors
from paylab.client import Client
from paylab.client.assumption_hints import name_assumptions, of_answer
from paylab.client.field_hints import Doubt
from paylab.client.settings import Secret
from paylab.spec.models import ConversionAccount
from paylab.spec.service import Service

pytestmark = pytest.mark.filterwarnings("ignore::paylab.errors.RuleWarning")
MX, WALLET = "financial_accounts.MX.bank_account", "financial_accounts.crypto_wallet"
CONVERT = "conversion_accounts"
BY_ID = "financial_account_id"
DEPOSIT = "deposit_instructions.mx_virtual_account.fields"
CLABE = {"clabe": "032180000118359719"}
BANK = {"type": "bank_account", "details": CLABE}
COIN = {"type": "crypto_wallet", "details": {"address": "0x1", "network": "base"}}


def person(*accounts):
    """Create a Mexican individual with accounts."""
    given = {**paylab.examples.recipient("MX"), "financial_accounts": list(accounts)}
    return lambda client: client.individuals.create(**given)


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


@pytest.mark.parametrize(
    ("call", "words", "key", "value"),
    [
        (
            wallet,
            "details.wallet_address is required",
            f"{WALLET}.fields.address",
            "wallet_address",
        ),
        (wallet, "wallet_address is required", f"{WALLET}.fields.address", "wallet_address"),
        (wallet, "unknown field 'network'", f"{WALLET}.fields.network", ""),
        (wallet, "details.network must be one of a, b", f"{WALLET}.allowed", ""),
        (wallet, "details.memo is required", f"{WALLET}.required", ""),
        (wallet, "details.address is required", None, ""),
        (
            person(BANK),
            "details.account_number is required",
            f"{MX}.fields.clabe",
            "account_number",
        ),
        (person(BANK), "details.holder is required", f"{MX}.required", ""),
        (person(BANK), "financial_accounts[0].details.bank is required", f"{MX}.required", ""),
        (person(COIN, BANK), "financial_accounts.1.details.x is required", f"{MX}.required", ""),
        (person(COIN, BANK), "details.clabe is not allowed", f"{MX}.fields.clabe", ""),
        (person(COIN, BANK), "financial_accounts.7.details.x is required", None, ""),
        (person(COIN, BANK), "details.x is required", None, ""),
        (person(BANK), "address.line_2 is required", "individuals.required", ""),
        (person(BANK), "address.country is required", None, ""),
        (person(BANK), "first_name is required", None, ""),
        (person(BANK), "email is required", "individuals.required", ""),
        (quote, "destination_currency must be upper case", "currencies.case", ""),
        (quote, "payout_method is not supported", "rails.MX", ""),
        (quote, "source_amount is not supported", None, ""),
        (convert, "recipient_id is required", f"{CONVERT}.fields.individual_id", "recipient_id"),
        (quote, "financial_account_id is required", f"quotes.fields.{BY_ID}", BY_ID),
        (quote, "financial_account is not allowed", None, ""),
        (quote, "financial_account does not exist", None, ""),
        (quote, "It was refused", None, ""),
    ],
)
def test_a_refused_field_names_its_key(scripted, call, words, key, value):
    """The error names the key of the field, and its name in the service; else no key."""
    client, _ = scripted(httpx.Response(400, json={"error": words}))
    with pytest.raises(errors.BadRequestError) as caught:
        call(client)
    error = caught.value
    assert error.key == key
    assert (f'{key} = "{value}"' if value else str(key)) in str(error.hint)


@pytest.mark.parametrize("status", [400, 409, 415, 422, 410])
def test_a_refusal_of_any_kind_names_the_key_of_its_field(scripted, status):
    """The words of a 400, 409, 415 and 422 are about fields; those of another status may not be."""
    words = {"error": "destination_currency must be upper case"}
    client, _ = scripted(httpx.Response(status, json=words))
    with pytest.raises(errors.APIStatusError) as caught:
        quote(client)
    assert caught.value.key == ("currencies.case" if status != 410 else None)


@pytest.mark.parametrize(
    ("body", "doubts"),
    [
        ({"clabe": "0" * 18}, []),
        ({"clabe_number": "0" * 18}, [Doubt(f"{DEPOSIT}.clabe", "clabe_number")]),
        ({"memo": "x"}, []),
        ({}, []),
    ],
)
def test_another_name_in_deposit_instructions_is_named(body, doubts):
    """A missing field is named with the field of the answer that shares a word with it."""
    given = {"deposit_instructions": {"type": "mx_virtual_account", "details": body}}
    assert list(of_answer(ConversionAccount, given, Service())) == doubts


@pytest.mark.parametrize(
    ("status", "key"),
    [
        *((missing, "paths.quotes") for missing in (404, 405, 501)),
        (403, "error_codes.signature"),
        (410, None),
    ],
)
def test_a_path_that_is_not_there_is_named(scripted, status, key):
    """404, 405 and 501 may mean the path, 403 the signature."""
    client, _ = scripted(httpx.Response(status, json={"error": "no route"}), max_retries=0)
    with pytest.raises(errors.APIStatusError) as caught:
        quote(client)
    assert caught.value.key == key
    assert status == 410 or "is an assumption" in caught.value.hint or status == 403


def test_a_path_of_the_description_is_not_called_an_assumption(scripted):
    """The hint says where a path comes from."""
    client, _ = scripted(httpx.Response(405, json={}))
    with pytest.raises(errors.APIStatusError) as caught:
        client.transfers.list().first()
    assert "This path is the one that the interface description shows" in caught.value.hint


@pytest.mark.parametrize(
    ("secret", "verified", "asked", "named"),
    [
        ("not hex", None, 1, []),
        ("c0ffee00" * 4, None, 3, []),
        ("c0ffee00" * 4, 1, 1, ['signing.empty_query = "blank"']),
        ("c0ffee00" * 4, 2, 2, ['signing.key_encoding = "hex"']),
    ],
)
def test_a_dialect_is_named_if_it_verifies(settings, secret, verified, asked, named):
    """After a 401 a GET is sent in each dialect in which the secret can sign, once."""
    paths = []

    def answer(request):
        paths.append(request.url.path)
        return httpx.Response(200 if len(paths) - 1 == verified else 401)

    keys = replace(settings, secret_key=Secret(secret))
    client = Client(keys, transport=httpx.MockTransport(answer))
    for _ in range(2):
        with pytest.raises(errors.AuthenticationError) as caught:
            client.transfers.get("tr_1")
        assert re.findall(r"signing\.\w+ = .\w+.", caught.value.hint) == named
    assert paths == ["/v1/transfers/tr_1", *["/v1/transfers"] * asked, "/v1/transfers/tr_1"]


def test_a_hint_names_the_first_keys_once():
    """A hint has at most four keys, each once and with the value that was found for it."""
    names = ("fields.address", "fields.network", "allowed", "required")
    keys = [f"{WALLET}.{name}" for name in names]
    doubts = [*map(Doubt, keys), Doubt(keys[0], "wallet"), Doubt("currencies.case")]
    error = errors.PaylabError("refused")
    error.hint = "first"
    name_assumptions(error, doubts)
    assert error.doubts == tuple(doubts)
    assert error.key == keys[0]
    assert error.hint.startswith("first; this rests on an assumption (`")
    assert f'set {keys[0]} = "wallet", {", ".join(keys[1:])} in service.toml' in error.hint


LIST = "lists.transfers"


@pytest.mark.parametrize(
    ("body", "advice"),
    [
        (
            {"data": [], "pagination": {"has_more": True, "next": "c"}},
            {"more": "pagination.has_more", "cursor": "pagination.next"},
        ),
        ({"data": [], "meta": {"page": {"next_cursor": "c"}}}, {"cursor": "meta.page.next_cursor"}),
        ({"result": {"rows": [{}]}, "more": False}, {"items": "result.rows", "more": "more"}),
        ({"data": [], "success": True, "links": {"next": "https://a.test/?page=2"}}, {}),
        ({"data": [], "total": 30, "page": 1}, {}),
        ({"items": [], "ok": True}, {"items": "items", "more": "none"}),
        ([{"id": "tr_1"}], {"items": "none"}),
        ({"data": ["a"]}, {}),
    ],
)
def test_a_list_of_another_shape_names_its_keys(scripted, body, advice):
    """The error of a list names the keys of the shape; never "none" where more may follow."""
    client, _ = scripted(body)
    with pytest.raises(errors.PaylabError) as caught:
        client.transfers.list().to_list()
    hint = str(caught.value.hint)
    assert {part: f'{LIST}.{part} = "{name}"' in hint for part, name in advice.items()} == (
        dict.fromkeys(advice, True)
    )
    assert hint.count(" = ") == len(advice)
    assert ('more = "none"' in hint) == (advice.get("more") == "none")


LONG = {"error": "validation failed", "errors": [{"field": "email", "message": "is required"}]}


def test_a_traceback_shows_what_the_card_shows_once(scripted):
    """Notes have the problems and the last hint; the card has them once; a copy keeps them."""
    client, _ = scripted(httpx.Response(400, json=LONG))
    with pytest.raises(errors.BadRequestError) as caught:
        person(BANK)(client)
    error = caught.value
    for one in (error, pickle.loads(pickle.dumps(error)), copy.copy(error)):
        notes = ["  email: is required", f"  Try: {error.hint}"]
        assert one.__notes__ == notes
        card = " ".join(map(str.strip, one.card()))
        assert card.endswith(" ".join(map(str.strip, notes)))
        assert one.hint == error.hint
    text = error.traceback()
    assert text.count(str(error.hint)) == text.count("email: is required") == 1
    error.hint = "wait"
    error.hint = None
    assert error.__notes__ == ["  email: is required"]


SIMULATOR, OTHER = "SIMULATOR (embedded)", "api.pay.test"
GET, CREATE, LIST_ALL, PERSON = "get", "create", "list", "person"
CALLS = {
    GET: lambda client: client.transfers.get("tr_nope"),
    CREATE: lambda client: client.quotes.create("fa_nope", payout_method="spei"),
    LIST_ALL: lambda client: client.transfers.list().first(),
    PERSON: person(),
}


@pytest.mark.parametrize(
    ("call", "place", "words", "id_first", "path"),
    [
        (GET, SIMULATOR, "transfer not found", True, False),
        (CREATE, SIMULATOR, "financial account not found", True, False),
        (GET, SIMULATOR, "the path does not exist", False, True),
        (GET, OTHER, "transfer not found", True, True),
        (GET, OTHER, "", True, True),
        (GET, OTHER, "no route", False, True),
        (CREATE, OTHER, "Not Found", True, True),
        (LIST_ALL, OTHER, "Not Found", False, True),
        (PERSON, OTHER, "Not Found", False, True),
    ],
)
def test_an_unknown_id_is_told_before_the_path(scripted, call, place, words, id_first, path):
    """A 404 says to check the id; then the path, but not on a simulator."""
    reply = httpx.Response(404, json={"error": words} if words else {})
    client, _ = scripted(reply, place=lambda: place)
    with pytest.raises(errors.NotFoundError) as caught:
        CALLS[call](client)
    hint = caught.value.hint
    assert hint.startswith("check the id first") == id_first
    assert ("This path is" in hint) == ("set paths." in hint) == path
    assert (caught.value.key is not None) == path
