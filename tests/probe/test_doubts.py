"""The settings behind a refused request or a list of another shape, which the probe tries."""

from __future__ import annotations

import httpx
import pytest

import paylab
from paylab import errors
from paylab.client import Client
from paylab.client.settings import Settings
from paylab.probe.assumption_hints import doubts_of, of_answer
from paylab.probe.field_hints import Doubt
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


def doubts_after(call, answer):
    """The settings in doubt after a call that is answered so."""
    exchanges = []
    settings = Settings("https://a.example.com", "k", "c0ffee00" * 4)
    transport = httpx.MockTransport(lambda _: answer)
    client = Client(settings, transport=transport, max_retries=0, watchers=[exchanges.append])
    with client, pytest.raises(errors.PaylabError) as caught:
        call(client)
    return list(doubts_of(caught.value, exchanges[-1], client.service))


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
def test_a_refused_field_has_its_key(call, words, key, value):
    """The first doubt is the key of the field, with its name in the service; else none."""
    found = doubts_after(call, httpx.Response(400, json={"error": words}))
    assert found[:1] == ([Doubt(key, value)] if key else [])


@pytest.mark.parametrize("status", [400, 409, 415, 422, 410])
def test_a_refusal_of_any_kind_has_the_key_of_its_field(status):
    """The words of a 400, 409, 415 and 422 are about fields; those of another status may not be."""
    words = {"error": "destination_currency must be upper case"}
    found = doubts_after(quote, httpx.Response(status, json=words))
    assert found == ([] if status == 410 else [Doubt("currencies.case")])


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
def test_a_path_that_is_not_there_is_in_doubt(status, key):
    """404, 405 and 501 may mean the path, 403 the signature."""
    found = doubts_after(quote, httpx.Response(status, json={"error": "no route"}))
    assert [each.key for each in found] == ([key] if key else [])


LIST = "lists.transfers"


@pytest.mark.parametrize(
    ("body", "found"),
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
def test_a_list_of_another_shape_has_its_keys(body, found):
    """The doubts are the keys of the shape; never "none" where more may follow."""
    doubts = doubts_after(
        lambda client: client.transfers.list().to_list(), httpx.Response(200, json=body)
    )
    assert {each.key.removeprefix(f"{LIST}."): each.value for each in doubts} == found
