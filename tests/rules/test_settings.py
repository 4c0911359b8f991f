"""Rules under the settings of another service: what each setting asks for, and names as its key."""

from __future__ import annotations

import pytest

from paylab.rules import deposits, individuals, transfers, webhooks
from paylab.spec.service import Service

TRANSFER = {
    "source_amount": "100.00",
    "source_currency": "usd",
    "destination_currency": "mxn",
    "financial_account": {"id": "fa_1"},
    "payout_method": "spei",
}
COIN = TRANSFER | {"source_currency": "USDC"}
QUOTED = {"quote_id": "qt_1", "source_currency": "USDC"}
QUOTE = {name: value for name, value in TRANSFER.items() if name != "source_currency"}
DEPOSIT = {"conversion_account_id": "ca_1", "amount": "50", "currency": "mxn"}
ACCOUNT = {
    "individual_id": "ind_1",
    "source_currency": "mxn",
    "payout_account": {"id": "fa_1"},
}
PERSON = {
    "product_types": ["global_payouts"],
    "given_name": "Ana",
    "family_name": "Ejemplo",
    "country": "MX",
    "address": {},
}
RAMP = PERSON | {
    "product_types": ["on_ramp"],
    "phone": "+525500000000",
    "date_of_birth": "1990-01-31",
    "idv_consent_recorded_at": "2026-01-31T09:30:00Z",
    "document": {"type": "curp"},
}
NO_ADDRESS = {name: value for name, value in PERSON.items() if name != "address"}
BASE = ["product_types", "given_name", "family_name", "country"]
REFERENCE = "client_reference_id"
WALLETS = "financial_accounts.crypto_wallet.allowed"
MISSING = "sandbox_deposits.missing_sender"


def person(body, service):
    """An individual with the base fields of the service."""
    return individuals.check(body, service)


def deposit(body, service):
    """A deposit into an account of unknown currency."""
    return deposits.check(body, None, service)


def account(body, service):
    """A conversion account of an individual of unknown country."""
    return deposits.check_account(body, None, service)


@pytest.mark.parametrize(
    ("check", "body", "settings", "field", "source"),
    [
        (transfers.check, TRANSFER, {"transfers.required": [REFERENCE]}, REFERENCE, 0),
        (transfers.check, TRANSFER, {"transfers.required": ["quote_id"]}, "quote_id", 0),
        (transfers.check, TRANSFER, {"transfers.required": ["source_type"]}, "source_type", 0),
        (
            transfers.check,
            TRANSFER,
            {"transfers.required": ["source_network"]},
            "source_network",
            0,
        ),
        (transfers.check, QUOTED, {"transfers.required": ["source_network"]}, "source_network", 0),
        (transfers.check, TRANSFER, {"transfers.default_network": "none"}, None, None),
        (transfers.check, QUOTED, {"transfers.default_network": "none"}, None, None),
        (
            transfers.check,
            COIN,
            {"transfers.default_network": "none"},
            "source_network",
            "transfer.network",
        ),
        (
            transfers.check,
            COIN,
            {"transfers.required": ["source_network"], "transfers.default_network": "none"},
            "source_network",
            0,
        ),
        (
            transfers.check,
            TRANSFER | {REFERENCE: "r" * 36},
            {"transfers.max_reference": 36},
            None,
            0,
        ),
        (
            transfers.check,
            TRANSFER | {REFERENCE: "r" * 37},
            {"transfers.max_reference": 36},
            REFERENCE,
            0,
        ),
        (
            transfers.check,
            COIN | {"source_network": "polygon"},
            {WALLETS: ["base"]},
            "source_network",
            "details.wallet",
        ),
        (
            transfers.check_quote,
            QUOTE,
            {"quotes.default_source_currency": "none"},
            "source_currency",
            "quote.operation",
        ),
        (transfers.check_quote, TRANSFER, {"quotes.default_source_currency": "none"}, None, 0),
        (
            deposit,
            DEPOSIT | {"sender_name": ""},
            {MISSING: "refused"},
            "sender_name",
            "deposit.review",
        ),
        (deposit, DEPOSIT | {"sender_name": " "}, {MISSING: "refused"}, None, 0),
        (deposit, DEPOSIT | {"sender_name": ""}, {MISSING: "accepted"}, None, 0),
        (account, ACCOUNT, {"conversion_accounts.required": [REFERENCE]}, REFERENCE, "ca.create"),
        (
            account,
            ACCOUNT,
            {"conversion_accounts.default_destination_currency": "none"},
            "destination_currency",
            "ca.create",
        ),
        (
            account,
            ACCOUNT | {REFERENCE: "r" * 65},
            {"conversion_accounts.max_reference": 64},
            REFERENCE,
            "ca.create",
        ),
        (
            person,
            PERSON,
            {"individuals.required": [*BASE, "email"]},
            "email",
            "individual.required",
        ),
        (
            person,
            PERSON,
            {"individuals.required": [*BASE, "address", "address.city"]},
            "address.city",
            "individual.required",
        ),
        (
            person,
            NO_ADDRESS,
            {"individuals.required": [*BASE, "address.city"]},
            "address.city",
            "individual.required",
        ),
        (
            person,
            NO_ADDRESS,
            {"individuals.required": [*BASE, "address", "address.city"]},
            "address",
            "individual.required",
        ),
        (person, NO_ADDRESS, {"individuals.required": BASE}, None, 0),
        (person, RAMP, {"individuals.ramp_required": ["email"]}, "email", "individual.required"),
        (person, PERSON, {"individuals.ramp_required": ["email"]}, None, 0),
    ],
)
def test_a_setting_changes_a_rule(check, body, settings, field, source):
    """The only problem is at this field, rests on this row, and names the setting to change."""
    found = check(body, Service(settings))
    assert [each.field for each in found] == ([field] if field else [])
    if field:
        assert found[0].source == (source or "transfer.create")
        assert body is NO_ADDRESS or check(body, Service()) == []


def test_a_quote_without_a_currency_has_that_of_the_service():
    """A default stablecoin asks for its network, as if the body had named it."""
    service = Service({"quotes.default_source_currency": "usdc"})
    assert [each.field for each in transfers.check_quote(QUOTE, service)] == ["source_network"]
    assert transfers.default_currency(service) == "usdc"
    none = Service({"quotes.default_source_currency": "none"})
    assert (transfers.default_currency(Service()), transfers.default_currency(none)) == ("usd", "")


@pytest.mark.parametrize(
    ("accounts", "network", "is_held"),
    [
        ([{"type": "crypto_wallet", "details": {"network": "base"}}], "base", True),
        ([{"type": "crypto_wallet", "details": {"network": "base"}}], "polygon", False),
        ([{"type": "pix", "details": {"network": "base"}}], "base", False),
        ([{"type": "crypto_wallet"}, 7], "base", False),
        (None, "base", False),
    ],
)
def test_an_off_ramp_needs_a_wallet_on_its_network(accounts, network, is_held):
    """The recipient needs a crypto wallet on the network that the stablecoin comes from."""
    assert (transfers.check_wallet(accounts, network) == []) is is_held


def test_the_fields_that_an_individual_needs():
    """Those of every individual, and those of its country, its products and the service."""
    service = Service({"individuals.required": BASE, "individuals.ramp_required": ["email"]})
    assert individuals.always_required_fields(service) == tuple(BASE)
    assert individuals.additional_fields(PERSON, service) == ()
    assert individuals.additional_fields({"country": "CO"}, service) == ("email", "document")
    assert individuals.additional_fields(RAMP, service) == (
        *("phone", "date_of_birth", "idv_consent_recorded_at", "document", "email"),
    )


def test_a_service_may_have_further_event_types():
    """There may be further event types."""
    body = {"url": "https://example.com", "event_types": ["transfer.cancelled"]}
    assert webhooks.check(body, Service({"webhooks.event_types": ["transfer.cancelled"]})) == []
    assert [each.field for each in webhooks.check(body)] == ["event_types.0"]
