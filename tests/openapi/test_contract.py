"""The simulator keeps to the document: schemathesis finds nothing in strict mode."""

from __future__ import annotations

import pytest

from paylab.spec.operations.records import OPERATIONS
from paylab.spec.service import Service

NAMES = sorted(route.operation for route in Service().routes)
OTHERS = ("individuals.list", "transfers.list", "transfers.get", "webhook_subscriptions.delete")
SAMPLE = [name for name in NAMES if OPERATIONS[name].fields or name in OTHERS]
"""All with a body; lists, single objects and deletions take the same way."""

FEW, MANY = (10, 4), (2500, 2500)


@pytest.fixture
def prove():
    """A function that sends random requests; schemathesis is imported where it is used."""
    pytest.importorskip("schemathesis", reason="pip install -e '.[test]'")
    import contract

    return contract.prove


@pytest.mark.parametrize("name", SAMPLE)
def test_random_requests_are_answered_as_documented(prove, name):
    """No 5xx, no undocumented answer, no unexplained refusal, and nothing invalid accepted."""
    assert any(200 <= status < 300 for status in prove(name, *FEW))


@pytest.mark.whole_table
@pytest.mark.parametrize("name", NAMES)
def test_many_random_requests_are_answered_as_documented(prove, name):
    """The same with 5,000 requests."""
    print(name, prove(name, *MANY))


LINKED = {"getTransfer", "getIndividual", "getConversionAccount", "getWebhookSubscription"}
"""Operations to which the first page of a list links."""


@pytest.fixture
def follow_links():
    """A function that goes from operation to operation; schemathesis is imported here."""
    pytest.importorskip("schemathesis", reason="pip install -e '.[test]'")
    import contract

    return contract.follow_links


def test_links_lead_to_objects_that_exist(follow_links):
    """An id of an answer is found by the linked operation; every answer is as documented."""
    answers = follow_links(20)
    assert any(answers[name, 200] for name in LINKED)


@pytest.mark.whole_table
def test_many_links_lead_to_objects_that_exist(follow_links):
    """The same in 2,000 walks."""
    answers = follow_links(2000)
    assert all(answers[name, 200] for name in LINKED)
