"""Completion of values with IPython's own completer, as JupyterLab's Tab uses it."""

from __future__ import annotations

from typing import get_args

import pytest
from IPython.core.completer import provisionalcompleter
from IPython.core.interactiveshell import InteractiveShell

import paylab
from paylab.corridors.on_ramps import ON_RAMPS
from paylab.simulator.fault_kinds import FAULT_KINDS, FaultKind
from paylab.spec import codes


@pytest.fixture(scope="module")
def complete():
    """The completions of IPython at the end of some code, with a lab and the package."""
    shell = InteractiveShell.instance()
    person = paylab.models.Individual.model_validate({"address": {"country": "MX"}})
    shell.user_ns |= {"lab": paylab.connect(), "paylab": paylab, "print": print, "person": person}

    def completions(code):
        with provisionalcompleter():
            return [found.text for found in shell.Completer.completions(code, len(code))]

    yield completions
    InteractiveShell.clear_instance()


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ('lab.individuals.create(country="', codes.COUNTRIES),
        ('paylab.examples.individual("', codes.COUNTRIES),
        ("lab.forms.onboarding('", codes.COUNTRIES),
        ('lab.individuals.create(country="m', ("MX", "MT")),
        ('lab.individuals.create(product_types=["on_ramp", "', codes.PRODUCTS),
        ('lab.transfers.create(a, source_currency="', codes.SOURCE_CURRENCIES),
        ('lab.transfers.create(\n    account("x"),  # it\'s paid (by\n    payout_method="', None),
        ('lab.quotes.create(destination_currency="', codes.DESTINATION_CURRENCIES),
        ('lab.quotes.create(source_network="', codes.NETWORKS),
        ('lab.financial_accounts.create(person, "', codes.ACCOUNT_TYPES),
        ('lab.conversion_accounts.create(person, wallet, "', codes.ON_RAMP_CURRENCIES),
        ('lab.sandbox.deposit(account, amount="10", currency="', codes.ON_RAMP_CURRENCIES),
        ('lab.transfers.list(status="', codes.TRANSFER_STATUSES),
        ('lab.transfers.frame(status=["failed", "', codes.TRANSFER_STATUSES),
        ('lab.conversions.export("rows.csv", status="', codes.CONVERSION_STATUSES),
        ('lab.individuals.wait(person, until="', codes.INDIVIDUAL_STATUSES),
        ('lab.transfers.export("rows.csv", product_type="', codes.PRODUCTS),
        ('lab.webhook_subscriptions.create("https://a.test", ["', codes.EVENT_TYPES),
        ('lab.inbox("', codes.EVENT_TYPES),
        ('paylab.events.Router().on("', ()),
        ('lab.simulator.faults.on("transfers.list", "', tuple(FAULT_KINDS)),
        ('lab.simulator.faults.add("event_d', ("event_drop", "event_duplicate", "event_delay")),
        ('lab.individuals.upload_images(person, {"document-front": a, "', codes.IMAGE_SIDES),
        ('lab.individuals.upload_images(person, {"selfie": "', ()),
        ('person.status == "', codes.INDIVIDUAL_STATUSES),
        ("if person.status != 'a", ("active", "action_required")),
        ('person.address.country == "s', ("SG", "SE", "SI", "SK")),
        ('while person.status not in ("active", "', codes.INDIVIDUAL_STATUSES),
        ('print("on_ramp" in person.product_types, person.country == "P', ("PH", "PL", "PT")),
        ('person.given_name == "', ()),
        ('person.nickname == "', ()),
    ],
)
def test_the_words_of_a_parameter_are_completed(complete, code, words):
    """The completions are the words that the parameter takes, in their order, and no others."""
    expected = codes.PAYOUT_METHODS if words is None else words
    assert [word for word in complete(code) if word in expected or words] == [*expected]


@pytest.mark.parametrize("code", ['print("', 'lab.get("/v1', 'x = "', 'lab.nothing.at("', "lab.("])
def test_other_texts_are_completed_as_before(complete, code):
    """A text of another function has none of our words."""
    assert not {*complete(code)} & {*codes.COUNTRIES, *codes.TRANSFER_STATUSES}


def test_the_names_of_examples_are_public_ones(complete):
    """Tab after `paylab.examples.` offers examples, not what its module imports."""
    assert sorted(complete("paylab.examples.")) == sorted(paylab.examples.__all__)


def test_the_types_have_the_words_of_the_tables():
    """A literal type that stands beside a table has its words."""
    assert {*get_args(FaultKind)} == {*FAULT_KINDS}
    assert {*get_args(codes.OnRampCurrency)} == {on_ramp.currency for on_ramp in ON_RAMPS}
    assert get_args(codes.EventType) == tuple(codes.EVENTS)
