"""Seven integrations by different hands, each judged right in every item."""

import pytest
from careless_integration import CarelessIntegration
from faulty_integration import FaultyIntegration
from good_integration import GoodIntegration
from paylab_integration import PaylabIntegration
from quoting_integration import QuotingIntegration
from readiness_stage import Stage, tour, watch
from sloppy_integration import SloppyIntegration
from webhook_integration import WebhookIntegration

from paylab.readiness.items import ITEMS
from paylab.readiness.judgement import judge

QUESTIONS = {item.id: "question" for item in ITEMS if item.observe is None}
SHOWN = {item.id: "shown" for item in ITEMS if item.observe is not None}

MISTAKES = {
    "one nonce for all attempts": ["signing.attempts"],
    "a 401 again": ["signing.refused"],
    "no key for a conversion account": ["orders.key"],
    "another key after a timeout": ["orders.timeout", "orders.one-key"],
    "the key of another order": ["orders.one-order"],
    "an individual again after a lost answer": ["orders.no-key"],
    "a conflict again": ["orders.conflict"],
    "a 429 at once": ["retries.429"],
    "5xx without a pause": ["retries.5xx"],
    "a stale quote again": ["retries.refusals", "payments.quote"],
    "a conversion account again after a 202": ["payments.202"],
    "pictures after rejected": ["people.rejected"],
    "an amount as a number": ["payments.amounts"],
    "an e-mail in an address": ["people.addresses"],
}
"""The fourteen mistakes of the faulty integration, and the items that each breaks."""

BROKEN = {item: "broken" for items in MISTAKES.values() for item in items}

SLOPPY_MISTAKES = {
    "one date for half a minute": ["signing.attempts"],
    "a body hashed before it is escaped": ["signing.non-ascii", "signing.body"],
    "a lost order again without its key": ["orders.lost-answer", "orders.key", "orders.no-key"],
    "a second of the two of Retry-After": ["retries.429"],
    "always half a second after 5xx": ["retries.5xx"],
    "the side that nobody asked for": ["people.sides"],
    "thousandths of a dollar": ["payments.amounts"],
    "another amount of an order with another key": ["orders.one-key"],
    "a reference as the key": ["orders.key"],
    "a deposit above the cap": ["payments.caps"],
    "the API key in a query": ["people.addresses"],
    "a filter on the first page only": ["lists.pages"],
    "a refused page again": ["lists.dead-cursor", "signing.refused"],
    "a duplicate refused": ["events.duplicate"],
    "an unknown event refused": ["events.unknown"],
    "an old event refused": ["events.late", "events.order", "events.outage"],
}
"""The sixteen mistakes of the sloppy integration, and the items that each breaks."""

SLOPPY = {item: "broken" for items in SLOPPY_MISTAKES.values() for item in items}

CARELESS = {
    "signing.attempts": "not seen",
    "orders.one-key": "broken",
    "orders.lost-answer": "broken",
    "orders.timeout": "broken",
    "orders.conflict": "broken",
    "orders.24-hours": "not seen",
    "retries.refusals": "broken",
    "retries.polling": "not seen",
    "payments.202": "not applicable",
    "payments.quote": "not applicable",
    "payments.caps": "not applicable",
    "payments.wallet": "broken",
    "payments.off-ramps": "not seen",
    "payments.on-ramps": "not applicable",
    "people.rejected": "broken",
    "lists.pages": "not seen",
    "lists.growing": "not seen",
    "lists.dead-cursor": "not seen",
    "events.duplicate": "broken",
    "events.verified": "not seen",
}

WATCHING = {
    "signing.query": "not seen",
    "signing.non-ascii": "not seen",
    "signing.attempts": "not seen",
    "signing.refused": "not seen",
    "orders.no-key": "not seen",
    **dict.fromkeys([item.id for item in ITEMS if item.needs == "orders"], "not applicable"),
    **dict.fromkeys([item.id for item in ITEMS if item.needs == "transfers"], "not applicable"),
    **dict.fromkeys([item for item in SHOWN if item.startswith("payments")], "not applicable"),
    **dict.fromkeys([item for item in SHOWN if item.startswith("lists")], "not applicable"),
    **dict.fromkeys([item for item in SHOWN if item.startswith("retries")], "not seen"),
    "answers.spoiled": "not seen",
    "answers.statuses": "not seen",
    "answers.fields": "not seen",
    "answers.nulls": "shown",
    "people.codes": "not applicable",
    "people.sides": "not applicable",
    "people.rejected": "not applicable",
    "people.addresses": "not seen",
}

HANDS = {
    "good": (tour, GoodIntegration, {}),
    "good, by quotes": (tour, QuotingIntegration, {}),
    "fourteen mistakes": (tour, FaultyIntegration, BROKEN),
    "sixteen others": (tour, SloppyIntegration, SLOPPY),
    "careless": (tour, CarelessIntegration, CARELESS),
    "webhooks only": (watch, WebhookIntegration, WATCHING),
    "paylab": (tour, PaylabIntegration, {"lists.dead-cursor": "not seen"}),
}


@pytest.mark.parametrize("hand", HANDS)
def test_an_integration_is_judged_right_in_every_item(hand):
    """Each item has its verdict: no mistake is missed, and none is seen where there is none."""
    lead, integration, differences = HANDS[hand]
    stage = Stage()
    lead(stage, integration(stage))
    # A slow machine must not look like a pause of the integration.
    rows = [row | {"real_at": row["at"]} for row in stage.records()]
    expected = SHOWN | differences | QUESTIONS
    assert judge({"": rows}).verdicts == {item.id: expected[item.id] for item in ITEMS}
