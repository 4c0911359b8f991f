"""Demo data: finished transfers and conversions of the last 90 days, the same for each seed."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from datetime import datetime, timedelta
from decimal import Decimal
from functools import cache
from itertools import accumulate, cycle, islice, product
from math import exp
from sys import intern

from ..corridors import examples
from ..corridors.on_ramps import need_on_ramp
from ..spec import timestamps
from ..spec.operations.records import OPERATIONS
from . import ids, prices
from .payout_routes import (
    FAILURE_REASONS,
    OTHER_RAIL_SECONDS,
    OTHER_REASONS,
    RAIL_SECONDS,
    ROUTES,
    PayoutRoute,
)
from .resources import on_ramp
from .resources.financial_accounts import store_account
from .table import INTERNALS, Row
from .world import World

ROWS_MAX = 1_000_000
"""Maximum rows of one seeding."""

MILLISECONDS_PER_HOUR = 3_600_000

AGE_MIN = timedelta(minutes=5)
"""The minimum age of the newest row."""

WEEKDAY_WEIGHTS = (1.0, 1.05, 1.1, 1.05, 1.35, 0.55, 0.4)
"""Weights of the weekdays, from Monday: many payments on Friday, few on Sunday."""

HOUR_WEIGHTS = (*(2,) * 6, 3, 4, 5, 5, 4, 4, 5, 8, 10, 11, 12, 12, 11, 10, 9, 7, 5, 3)
"""Weights of the hours (UTC): most payments in office hours of the Americas."""
WEEK_WEIGHTS = [day * hour for day, hour in product(WEEKDAY_WEIGHTS, HOUR_WEIGHTS)]

EMPTY_REQUEST_FIELDS = dict.fromkeys(OPERATIONS["transfers.create"].echoed)
"""What a transfer repeats of its request: null where nothing was sent."""

SEEDED_ON_RAMP = need_on_ramp(country=ROUTES[0].country)
"""The on-ramp of seeded conversions."""

EXPIRED_SHARE = 0.01
REVIEWED_SHARE = 0.02
"""The shares of transfers that expire, and that are reviewed."""

REVIEW_FACTOR = 25
"""How many times as long a payout takes that is reviewed."""

PERIOD_HOURS = 90 * 24
"""The hours in which seeded transfers and conversions were created."""

FAILED_CONVERSION_SHARE = 0.02
"""The share of conversions that fail."""

OUTCOME_FIELDS = ("status", "completed_in", "failure_reason", "settlement_reference_id")
"""The fields that depend on the final status of a transfer."""

OFF_RAMP_FIELDS = {"product": "off_ramp", "source_type": "", "outcome": None}
INTERNAL_FIELDS = {"product": "global_payouts", "source_type": "", "outcome": None}
"""The internal fields of a past transfer, shared by all rows."""


class _SharedKeys:
    """The fields of a row as attributes: dicts of attributes share their keys, and are small."""

    def __init__(self, fields: Row) -> None:
        """Set each field as an attribute."""
        for field_name, field_value in fields.items():
            setattr(self, field_name, field_value)


def seed_transfers(world: World, count: int, individuals: int | None = None) -> None:
    """Add `count` finished transfers of the last 90 days, to new individuals.

    `individuals` is their number: by default one per route, and 0 without transfers.
    """
    if individuals is None:
        individuals = len(ROUTES) if count else 0
    random_numbers = random_source(world, "transfers")
    routes = islice(cycle(ROUTES), individuals)
    route_histories = [RouteHistory(world, random_numbers, route) for route in routes]
    if not count:
        return
    weights = [route_history.route.share for route_history in route_histories]
    drawn_histories = random_numbers.choices(route_histories, weights, k=count)
    moments = draw_moments(world, random_numbers, count)
    transfer_rows = [
        route_history.make_transfer(moment)
        for route_history, moment in zip(drawn_histories, moments, strict=True)
    ]
    world.extend("transfers", transfer_rows)


def random_source(world: World, kind: str) -> random.Random:
    """A random source that is the same for every world with this seed and number of rows.

    `kind` names the table whose rows count.
    """
    return random.Random(f"{world.seed}:{len(world.tables[kind])}")  # noqa: S311 - made-up data


def seed_conversions(world: World, count: int) -> None:
    """Add finished conversions of one individual, of the last 90 days."""
    if not count:
        return
    random_numbers = random_source(world, "conversions")
    # SEEDED_ON_RAMP is the on-ramp of the first route's country.
    owner_row, account_row = _add_individual(world, ROUTES[0], product="on_ramp")
    conversion_account_row = add_conversion_account(
        world, owner_row, account_row, SEEDED_ON_RAMP.currency
    )
    moments = draw_moments(world, random_numbers, count)
    conversion_rows = [
        make_conversion(world, random_numbers, conversion_account_row, moment) for moment in moments
    ]
    world.extend("conversions", conversion_rows)


def add_conversion_account(world: World, owner: Row, recipient_account: Row, currency: str) -> Row:
    """Add an active conversion account of an individual, and the wallet that it pays to."""
    wallet_details = {
        "address": ids.wallet_address(world.seed, "base", owner["id"]),
        "network": "base",
    }
    wallet_row = store_account(world, owner, account_type="crypto_wallet", details=wallet_details)
    # The new account has no id yet: the payee is made from that of another account of the owner.
    deposit_instructions = on_ramp.make_instructions(world, currency, recipient_account["id"])
    return world.create(
        "conversion_accounts",
        {"payout_account_id": wallet_row["id"]},
        individual_id=owner["id"],
        source_currency=currency,
        destination_currency="USDC",
        status="active",
        deposit_instructions=deposit_instructions,
    )


def draw_moments(world: World, random_numbers: random.Random, count: int) -> Iterator[datetime]:
    """Random times in 90 days, oldest first; more of them in hours with more payments."""
    period_start, cumulative_weights = _weigh_hours(world.now() - AGE_MIN)
    hour_indexes = range(len(cumulative_weights))
    drawn_hour_indexes = random_numbers.choices(
        hour_indexes, cum_weights=cumulative_weights, k=count
    )
    offsets_ms = sorted(
        hour_index * MILLISECONDS_PER_HOUR + int(random_numbers.random() * MILLISECONDS_PER_HOUR)
        for hour_index in drawn_hour_indexes
    )
    return (period_start + timedelta(milliseconds=offset_ms) for offset_ms in offsets_ms)


def _weigh_hours(end: datetime) -> tuple[datetime, tuple[float, ...]]:
    """The start of the 90 days before `end`, and the cumulative weights of all its hours."""
    period_start = end - timedelta(hours=PERIOD_HOURS)
    return period_start, _cumulate_weights(period_start.weekday() * 24 + period_start.hour)


@cache
def _cumulate_weights(hour_of_week: int) -> tuple[float, ...]:
    """The cumulative weights of the hours of 90 days that begin at an hour of the week."""
    # There are more payments every hour, 1.6 times as many at the end.
    weights = (
        WEEK_WEIGHTS[(hour_of_week + index) % len(WEEK_WEIGHTS)] * 1.6 ** (index / PERIOD_HOURS)
        for index in range(PERIOD_HOURS)
    )
    return tuple(accumulate(weights))


class RouteHistory:
    """Makes the past transfers of one route."""

    def __init__(
        self,
        world: World,
        random_numbers: random.Random,
        route: PayoutRoute,
        recipient: tuple[Row, Row] | None = None,
    ) -> None:
        """`recipient` is an individual and its account; None adds new ones."""
        self.world = world
        self.random_numbers = random_numbers
        self.route = route
        owner_row, account_row = recipient or _add_individual(world, route)
        self.owner_id = owner_row["id"]
        self.account_id = account_row["id"]
        self.rate = prices.rate(route.source, route.currency)
        self.rate_text = prices.rate_text(self.rate)
        self.tax_text = prices.amount_text(Decimal(0), route.source)
        self.latest = world.now()
        weight_by_reason = FAILURE_REASONS.get(route.country, OTHER_REASONS)
        # A reason is in the list as often as its weight says, and is drawn as often.
        self.reasons = [*Counter(weight_by_reason).elements()]

    def make_transfer(self, created_at: datetime) -> Row:
        """A transfer with a final status that was created at a time."""
        amount = self._draw_amount()
        method = self._choose_text(self.route.methods)
        price = prices.from_source(amount, self.route.source, self.route.currency)
        outcome_number = self.random_numbers.random()
        seconds_until_now = int((self.latest - created_at).total_seconds())
        duration_seconds = min(self._draw_seconds(method), seconds_until_now - 1)
        row_id = self.world.new_id("transfers", created_at)
        fields = {
            "id": row_id,
            **EMPTY_REQUEST_FIELDS,
            "client_reference_id": f"order-{row_id[-16:-10]}",
            "source_amount": format(price.source, "f"),
            "source_currency": self.route.source,
            "destination_amount": format(price.destination, "f"),
            "destination_currency": self.route.currency,
            "exchange_rate": self.rate_text,
            "total_fee": intern(format(price.fee, "f")),
            "fee_currency": self.route.source,
            "total_tax": self.tax_text,
            "tax_currency": self.route.source,
            "net_source_amount": format(price.net, "f"),
            "recipient_id": self.owner_id,
            "financial_account_id": self.account_id,
            "payout_method": method,
            **self._draw_outcome(outcome_number, duration_seconds),
            "created_at": timestamps.to_text(created_at),
            "updated_at": timestamps.to_text(created_at + timedelta(seconds=duration_seconds + 1)),
            INTERNALS: OFF_RAMP_FIELDS if self.route.source == "USDC" else INTERNAL_FIELDS,
        }
        return vars(_SharedKeys(fields))

    def _draw_outcome(self, outcome_number: float, seconds: int) -> Row:
        """Draw the fields of OUTCOME_FIELDS; `outcome_number`, from 0 to 1, chooses the status."""
        outcome_fields: Row = dict.fromkeys(OUTCOME_FIELDS)
        if outcome_number < self.route.failing:
            outcome_fields["status"] = "failed"
            outcome_fields["failure_reason"] = self._choose_text(self.reasons)
        elif outcome_number < self.route.failing + EXPIRED_SHARE:
            outcome_fields["status"] = "expired"
        else:
            settlement_reference = ids.last_digits(self.random_numbers.getrandbits(80), 20)
            outcome_fields["status"] = "completed"
            # Few different texts: rows share one object of each.
            outcome_fields["completed_in"] = intern(str(seconds))
            outcome_fields["settlement_reference_id"] = settlement_reference
        return outcome_fields

    def _choose_text(self, choices: list[str]) -> str:
        """Draw one of the texts, each with the same chance."""
        return choices[int(self.random_numbers.random() * len(choices))]

    def _draw_amount(self) -> Decimal:
        """Draw a log-normal amount of 5 to 50,000 US dollars, in the source currency."""
        cents = int(self.route.median * 100 * exp(self.random_numbers.gauss(0, self.route.spread)))
        dollars = Decimal(min(max(cents, 500), 5_000_000)).scaleb(-2)  # the limits are in cents
        if self.route.source == "USD":
            return dollars
        amount = dollars * prices.rate("USD", self.route.source)
        if self.route.source == "USDC":  # it has six decimals: add less than a cent in millionths
            millionths = int(self.random_numbers.random() * 10_000)
            amount += Decimal(millionths).scaleb(-6)
        return prices.round_amount(amount, self.route.source)

    def _draw_seconds(self, method: str) -> int:
        """Draw a log-normal duration; a payout under review takes much longer."""
        median_seconds, spread_factor = RAIL_SECONDS.get(method, OTHER_RAIL_SECONDS)
        seconds = median_seconds * exp(self.random_numbers.gauss(0, spread_factor))
        if self.random_numbers.random() < REVIEWED_SHARE:
            seconds *= REVIEW_FACTOR
        return max(1, int(seconds))


def _add_individual(
    world: World, route: PayoutRoute, product: str = "global_payouts"
) -> tuple[Row, Row]:
    """Add an active individual with one account; return both rows."""
    given_name, _, family_name = route.name.partition(" ")
    internals: Row = {"accounts": [], "images": {}}
    owner_row = world.create(
        "individuals",
        internals,
        given_name=given_name,
        family_name=family_name,
        email="ana@example.com",
        phone="+910000000000" if route.country == "IN" else None,
        address={"country": route.country},
        country=route.country,
        status="active",
        product_types=[product],
        document=None,
        status_details=None,
    )
    example_account = examples.account(route.country, world.service)
    return owner_row, store_account(
        world, owner_row, example_account["type"], example_account["details"]
    )


def _draw_deposit_amount(random_numbers: random.Random, currency: str) -> str:
    """Draw a log-normal amount with a median of 18, from 1 to the most that a sandbox takes."""
    cents = int(1_800 * exp(random_numbers.gauss(0, 0.6)))
    on_ramp_facts = need_on_ramp(currency=currency)
    amount = min(Decimal(max(cents, 100)).scaleb(-2), on_ramp_facts.cap)
    return prices.amount_text(amount, on_ramp_facts.currency)


def make_conversion(
    world: World, random_numbers: random.Random, account: Row, moment: datetime
) -> Row:
    """A conversion that was paid out, or failed and has no payout times."""
    amount_text = _draw_deposit_amount(random_numbers, account["source_currency"])
    created_text = timestamps.to_text(moment)
    conversion_row = on_ramp.make_pending_conversion(account, amount_text, created_text)
    row_id = world.new_id("conversions", moment)
    is_failed = random_numbers.random() < FAILED_CONVERSION_SHARE
    duration = timedelta(seconds=20 * exp(random_numbers.gauss(0, 0.7)))
    duration_max = world.now() - moment - timedelta(seconds=1)
    started_at = moment + timedelta(seconds=1)
    ended_at = moment + min(duration_max, duration)
    updated_text = timestamps.to_text(max(started_at, ended_at))
    conversion_row["status"] = "failed" if is_failed else "completed"
    if not is_failed:
        conversion_row["payout"] |= {
            "tx_hash": ids.transaction_hash(world.seed, "base", row_id),
            "initiated_at": timestamps.to_text(started_at),
            "completed_at": updated_text,
        }
    time_fields = {"created_at": created_text, "updated_at": updated_text}
    return {"id": row_id, **conversion_row, **time_fields, INTERNALS: {"network": "base"}}
