"""The forms of a lab: they follow the settings of its service, and keep what was begun."""

from __future__ import annotations

import pytest

import paylab
from paylab.errors import RuleError
from paylab.spec.service import Service

SETTINGS = {
    "individuals.required": ["product_types", "given_name", "country", "address.city"],
    "financial_accounts.crypto_wallet.allowed": ["base", "tron"],
}


@pytest.fixture
def lab():
    """A lab on a service with other settings than those assumed."""
    with paylab.connect(service=Service(SETTINGS)) as lab:
        yield lab


def marks(form, *names):
    """What stands beside the labels of fields."""
    return [form.fields[name].props()["mark"] for name in names]


def test_required_fields_are_those_of_the_service(lab):
    """Here a city is needed, and a family name is not."""
    form = lab.forms.onboarding("MX")
    found = marks(form, "given_name", "family_name", "address.city", "address.state", "phone")
    required = "Required, assumed"
    assert found == [required, "Optional", required, "Optional", "Required"]
    form.fill()
    form.fields["address.city"].value = ""
    form.consent.give()
    with pytest.raises(RuleError, match=r"address\.city: is required \(assumed"):
        form.submit()


def test_networks_are_those_of_the_service(lab):
    """In the wallet's form and in the quote's."""
    person = lab.forms.onboarding("MX", example=True, consent=True).submit()
    wallet = lab.forms.wallet(person, example=True)
    assert [value for _, value in wallet.fields["network"].options] == ["base", "tron"]
    quote = lab.forms.quote(person)
    assert [value for _, value in quote.fields["source_network"].options] == ["base", "tron"]


def test_a_conversion_account_can_be_paid_out_to_a_named_wallet():
    """The newest is preselected; `wallet` takes a resource or an id."""
    with paylab.connect() as lab:
        person = lab.individuals.create(**paylab.examples.individual("MX", consent_at=lab.clock()))
        old, new = (
            lab.financial_accounts.create(person.id, "crypto_wallet", paylab.examples.WALLET)
            for _ in range(2)
        )
        chosen = [
            lab.forms.conversion_account(person.id, **given).values()["payout_account"]
            for given in ({}, {"wallet": old}, {"wallet": old.id})
        ]
        assert chosen == [new.id, old.id, old.id]
