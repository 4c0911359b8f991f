"""The routes of seeded payouts: recipients, amounts, reasons of failures and durations."""

from __future__ import annotations

from typing import NamedTuple


class PayoutRoute(NamedTuple):
    """Payouts to one country: the recipient, and the distribution of amounts.

    `methods` are the rails, each as often as its weight. `share` is the weight of the route.
    `median` and `spread` describe its amounts in US dollars. `failing` is the share of failures.
    `source` is the currency that is sent.
    """

    country: str
    currency: str
    name: str
    methods: list[str]
    share: int
    median: int
    spread: float
    failing: float
    source: str = "USD"


CLOSED_ACCOUNT_REASON = "The recipient's account is closed."
UNKNOWN_ACCOUNT_REASON = "The account number does not exist."
OTHER_NAME_REASON = "The account belongs to somebody with another name."
ACCOUNT_LIMIT_REASON = "The recipient's account has reached its limit."
NO_ANSWER_REASON = "The recipient's bank did not answer in time."
REVIEW_REASON = "The recipient's bank rejected the payout after a review."

ROUTES = (
    PayoutRoute("MX", "MXN", "María González Hernández", ["spei"], 38, 240, 0.8, 0.015),
    PayoutRoute("BR", "BRL", "João Silva", ["pix"], 22, 180, 1.1, 0.02),
    PayoutRoute("CO", "COP", "José Núñez", ["ach_co"], 9, 320, 0.7, 0.06),
    PayoutRoute("PH", "PHP", "Ana Reyes", [*["instapay"] * 4, "pesonet"], 17, 150, 0.6, 0.035),
    PayoutRoute("IN", "INR", "Asha Rao", ["upi"], 9, 210, 0.9, 0.045),
    PayoutRoute("DE", "EUR", "Jörg Öz", ["sepa_instant"], 5, 900, 1.2, 0.01),
)

FAILURE_REASONS = {
    "MX": {UNKNOWN_ACCOUNT_REASON: 5, CLOSED_ACCOUNT_REASON: 3, NO_ANSWER_REASON: 2},
    "BR": {UNKNOWN_ACCOUNT_REASON: 6, OTHER_NAME_REASON: 3, ACCOUNT_LIMIT_REASON: 1},
    "CO": {OTHER_NAME_REASON: 5, CLOSED_ACCOUNT_REASON: 3, REVIEW_REASON: 2},
    "PH": {ACCOUNT_LIMIT_REASON: 6, OTHER_NAME_REASON: 2, NO_ANSWER_REASON: 2},
    "IN": {NO_ANSWER_REASON: 7, ACCOUNT_LIMIT_REASON: 2, REVIEW_REASON: 1},
    "DE": {CLOSED_ACCOUNT_REASON: 1, NO_ANSWER_REASON: 1},
}
"""The reasons of failures per country, with their weights."""
OTHER_REASONS = {UNKNOWN_ACCOUNT_REASON: 4, CLOSED_ACCOUNT_REASON: 2, NO_ANSWER_REASON: 1}

RAIL_SECONDS = {
    "spei": (18, 0.7),
    "pix": (6, 0.6),
    "ach_co": (5_400, 0.6),
    "instapay": (14, 0.8),
    "pesonet": (14_400, 0.4),
    "upi": (9, 0.9),
    "sepa_instant": (8, 0.5),
}
"""The median seconds of a payout on a rail, and their spread."""
OTHER_RAIL_SECONDS = (45, 0.7)
