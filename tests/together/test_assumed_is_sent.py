"""A value that only an assumption rules out is sent, with a warning if money is at risk."""

from __future__ import annotations

from contextlib import suppress

import pytest

import paylab
from paylab.corridors import examples
from paylab.errors import BadRequestError, RuleWarning

PAID = {"source_amount": "10.00", "source_currency": "USD"}
RAILS = [("CO", "COP", "ach"), ("MX", "MXN", "bitso"), ("MX", "MXN", "local")]


@pytest.fixture
def lab():
    """A lab on the embedded simulator, which follows the assumptions."""
    with paylab.connect() as lab:
        yield lab


def account(country, **change):
    """The country's example account with changed details."""
    own = examples.account(country)
    return {"type": own["type"], "details": own["details"] | change}


IBANS = ("de89370400440532013000", "DE89 3704 0044 0532 0130 00")
ACCOUNTS = {
    "iban with a dash": ("DE", {"iban": "DE89-370400440532013000"}),
    "pix": ("BR", {"pix_key": "no form", "pix_key_type": "phone"}),
}


@pytest.mark.parametrize("case", ACCOUNTS)
def test_the_client_sends_the_account_and_the_service_refuses_it(lab, case):
    """The client sends the account and the service refuses it; the form needs anyway=True."""
    country, change = ACCOUNTS[case]
    person = lab.individuals.create(**examples.recipient(country))
    with pytest.raises(BadRequestError):
        lab.financial_accounts.create(person.id, **account(country, **change))
    form = lab.forms.financial_account(person, example=True)
    form.account_fields.fill(*account(country, **change).values())
    with pytest.raises(paylab.RuleError, match="assumed"):
        form.submit()
    with pytest.raises(BadRequestError):
        form.submit(anyway=True)


@pytest.mark.parametrize("iban", IBANS)
def test_a_form_writes_an_iban_as_the_service_expects_it(lab, iban):
    """A form sends an IBAN in capitals without spaces; as typed, the service refuses it."""
    person = lab.individuals.create(**examples.recipient("DE"))
    with pytest.raises(BadRequestError):
        lab.financial_accounts.create(person.id, **account("DE", iban=iban))
    form = lab.forms.financial_account(person, example=True)
    form.account_fields.details["iban"].value = iban
    assert form.submit().details["iban"] == "DE89370400440532013000"


@pytest.mark.parametrize("size", [10_000, 10_239])
def test_an_image_of_ten_thousand_bytes_is_sent(lab, size):
    """The client sends images of 10,000 bytes or more, because 10 KB may mean 10,000 bytes."""
    person = lab.forms.onboarding("MX", example=True, consent=True).submit()
    with pytest.raises(BadRequestError, match="10 KB"):
        lab.individuals.upload_images(person.id, {"selfie": b"\xff\xd8\xff".ljust(size, b"\0")})


@pytest.mark.parametrize(("country", "currency", "rail"), RAILS)
def test_an_unlisted_rail_causes_a_warning(lab, country, currency, rail):
    """A rail that the corridor does not list causes a warning for a transfer and a batch row."""
    person = lab.individuals.create(**examples.recipient(country))
    terms = {**PAID, "payout_method": rail, "destination_currency": currency}
    to = person.financial_accounts[0].id
    with pytest.warns(RuleWarning, match=f"not {rail}"), pytest.raises(BadRequestError):
        lab.transfers.create(to, **terms)
    rows = [{**terms, "financial_account_id": to, "client_reference_id": "r-1"}]
    with pytest.warns(RuleWarning, match=f"not {rail}"):
        assert lab.transfers.check_many(rows).problems == ()


@pytest.mark.parametrize(
    ("kind", "details", "field"),
    [
        ("crypto_wallet", {"network": "base"}, "details.address: is required"),
        ("bank_account", {"clabe": "999999999999999999"}, "details.clabe: looks mistyped"),
        ("bank_account", {"clabe": "12"}, "details.clabe: must be exactly 18 digits"),
    ],
)
def test_code_is_warned_as_a_form_is(lab, kind, details, field):
    """The warning names the field, without knowing the owner's country."""
    person = lab.individuals.create(**examples.recipient("MX"))
    with pytest.warns(RuleWarning, match=field), suppress(BadRequestError):
        lab.financial_accounts.create(person.id, kind, details)


@pytest.mark.parametrize("address", ["0x123", "0x0000000000000000000000000000000000000DEAd"])
def test_a_malformed_wallet_is_warned_about(lab, address):
    """A malformed wallet is sent with a warning that points at the caller's line."""
    person = lab.individuals.create(**examples.recipient("MX"))
    wallet = {"address": address, "network": "base"}
    with pytest.warns(RuleWarning, match="address") as caught:
        lab.financial_accounts.create(person.id, "crypto_wallet", wallet)
    assert caught[0].filename == __file__
