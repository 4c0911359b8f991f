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
