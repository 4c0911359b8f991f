"""Quotes side by side: a refusal is a row, a service that is busy is an error."""

from __future__ import annotations

import pytest

import paylab


@pytest.mark.parametrize("status", [429, 503, 401])
def test_what_says_nothing_of_a_route_is_raised(lab, status):
    """A row without a quote would break the batch after it."""
    person = lab.individuals.create(**paylab.examples.recipient("MX"))
    lab.simulator.faults.add("status", status=status, path="/v1/quotes", times=50)
    with pytest.raises(paylab.APIStatusError, match=str(status)):
        lab.quotes.compare(person, source_amount="10")


def test_a_refused_route_is_a_row_with_its_reason(lab):
    """The other routes have their quotes."""
    person = lab.individuals.create(**paylab.examples.recipient("MX"))
    lab.simulator.faults.add("status", status=422, path="/v1/quotes", times=1)
    problems = lab.quotes.compare([person, person], source_amount="10")["problem"]
    assert list(problems.isna()) == [False, True]


RENAMED = {
    "quotes.fields.exchange_rate": "rate",
    "quotes.fields.source_amount": "amount",
    "rails.MX": ["bitso"],
}


def test_names_and_rails_of_another_service_are_followed():
    """Frames have the columns of paylab, whatever the service calls them, and its rails."""
    service = paylab.Service(RENAMED)
    lab = paylab.connect(simulator=paylab.simulator.Simulator(service=service), ledger="none")
    person = lab.individuals.create(**paylab.examples.recipient("MX", service))
    (row,) = lab.quotes.compare(person, source_amount="10").to_dict("records")
    assert (row["rail"], str(row["source_amount"])) == ("bitso", "10.00")
    quote = lab.forms.quote(person, amount="10").submit()
    (held,) = lab.quotes.frame([quote]).to_dict("records")
    assert held["exchange_rate"] == row["exchange_rate"] == quote.exchange_rate


def test_drift_names_the_key_of_a_renamed_field():
    """Of an answer that the settings do not fit."""
    service = paylab.Service({"quotes.fields.exchange_rate": "rate"})
    simulator = paylab.simulator.Simulator(service=service)
    lab = paylab.connect(simulator=simulator, service=paylab.Service(), ledger="none")
    person = lab.individuals.create(**paylab.examples.recipient("MX"))
    with pytest.warns(paylab.errors.ConfigWarning, match="has 'rate', but no exchange_rate"):
        lab.quotes.compare(person, source_amount="10")
    assert [each.key for each in lab.drift if each.what == "rate"] == [
        "quotes.fields.exchange_rate"
    ]


def test_a_quote_card_has_a_reference_where_one_is_required():
    """The id of the quote, to type over."""
    service = paylab.Service({"transfers.required": ["client_reference_id"]})
    lab = paylab.connect(simulator=paylab.simulator.Simulator(service=service), ledger="none")
    person = lab.individuals.create(**paylab.examples.recipient("MX"))
    quote = lab.forms.quote(person).submit()
    assert lab.forms.quote_card(quote).submit().client_reference_id == quote.id
