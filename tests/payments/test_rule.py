"""The rule of orders stands in the same words wherever it is said."""

from pathlib import Path

import pytest

from paylab.client.resources.transfers import Transfers
from paylab.payments import payment_orders

RULE = """
The Idempotency-Key of a payment is computed from the order, so a service that keeps the spec
recognises a repetition from any cell, process or machine with the same API key within 24 hours. An
order with a `client_reference_id` is that reference, otherwise its values. A repetition returns
the live payment; other values under a reference, a payment that failed, expired or was cancelled,
or one too old are errors, never successes. After 24 hours only the list tells (`lookback=`).
`new=` pays again on purpose.
"""
TEXTS = {
    "README": (Path(__file__).parents[2] / "README.md").read_text(),
    "transfers.create": Transfers.create.__doc__,
    "the module that decides": payment_orders.__doc__,
}


@pytest.mark.parametrize("place", TEXTS)
def test_the_rule_is_said_in_the_same_words(place):
    """README, docstring and the module that decides have the rule, line breaks apart."""
    assert " ".join(RULE.split()) in " ".join(TEXTS[place].split())
