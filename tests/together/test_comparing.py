"""Comparing quotes: a refused route is a row; an error of the service is raised."""

from __future__ import annotations

import pytest

import paylab


@pytest.mark.parametrize("status", [429, 503, 401])
def test_what_says_nothing_of_a_route_is_raised(lab, status):
    """An answer that says nothing about the route, such as 429, is raised."""
    person = lab.individuals.create(**paylab.examples.recipient("MX"))
    lab.simulator.faults.add("status", status=status, path="/v1/quotes", times=50)
    with pytest.raises(paylab.APIStatusError, match=str(status)):
        lab.quotes.compare(person, source_amount="10")


def test_a_refused_route_is_a_row_with_its_reason(lab):
    """A refused route is a row with the reason; the other route has its quote."""
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
    """With renamed fields and rails, frames keep paylab's columns and show the service's rails."""
    service = paylab.Service(RENAMED)
    lab = paylab.connect(simulator=paylab.simulator.Simulator(service=service))
    person = lab.individuals.create(**paylab.examples.recipient("MX", service))
    (row,) = lab.quotes.compare(person, source_amount="10").to_dict("records")
    assert (row["rail"], str(row["source_amount"])) == ("bitso", "10.00")
    quote = lab.forms.quote(person, amount="10").submit()
    (held,) = lab.quotes.frame([quote]).to_dict("records")
    assert held["exchange_rate"] == row["exchange_rate"] == quote.exchange_rate


def test_drift_names_the_key_of_a_renamed_field():
    """After an answer with a renamed field, the drift names the key to set."""
    service = paylab.Service({"quotes.fields.exchange_rate": "rate"})
    simulator = paylab.simulator.Simulator(service=service)
    lab = paylab.connect(simulator=simulator, service=paylab.Service())
    person = lab.individuals.create(**paylab.examples.recipient("MX"))
    lab.quotes.compare(person, source_amount="10")
    assert [each.key for each in lab.drift if each.what == "rate"] == [
        "quotes.fields.exchange_rate"
    ]


def test_a_quote_card_has_a_reference_where_one_is_required():
    """If the service requires a reference, the quote card sends the quote's id."""
    service = paylab.Service({"transfers.required": ["client_reference_id"]})
    lab = paylab.connect(simulator=paylab.simulator.Simulator(service=service))
    person = lab.individuals.create(**paylab.examples.recipient("MX"))
    quote = lab.forms.quote(person).submit()
    assert lab.forms.quote_card(quote).submit().client_reference_id == quote.id
