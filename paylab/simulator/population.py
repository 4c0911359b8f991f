"""A population: many recipients in all corridors, with their payments of the last 90 days."""

from __future__ import annotations

import random
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Sequence
from datetime import datetime, timedelta
from itertools import accumulate
from typing import NamedTuple

from ..corridors import examples
from ..corridors.on_ramps import ON_RAMPS
from ..spec import timestamps
from .payout_routes import ROUTES, PayoutRoute
from .resources.financial_accounts import store_account
from .seeding import (
    RouteHistory,
    add_conversion_account,
    draw_moments,
    make_conversion,
    random_source,
    seed_conversions,
    seed_transfers,
)
from .table import INTERNALS, Row
from .world import World

MORE_ROUTES = (
    PayoutRoute("AR", "ARS", "", ["cbu_cvu"], 6, 130, 0.9, 0.03),
    PayoutRoute("GB", "GBP", "", ["faster_payments"], 4, 650, 1.0, 0.012),
)
SOURCE_SHARES = {"USD": 10, "USDC": 5, "PHP": 1}
"""How often each source currency is sent; none is sent to an account of the same currency."""

GIVEN_NAMES = (
    "Ana", "João", "María", "José", "Asha", "Jörg", "Lucía", "Mateo", "Camila", "Tomás", "Beatriz",
    "Rafael", "Priya", "Arjun", "Grace", "Angelo", "Emma", "Oliver", "Freya", "Noor", "Inés",
)  # fmt: skip
FAMILY_NAMES = (
    "García", "Silva", "Núñez", "Reyes", "Rao", "Öz", "Santos", "Cruz", "Patel", "Müller", "Smith",
    "Jones", "Castro", "Rojas", "Lima", "Costa", "Bautista", "Mehta", "Weber", "Díaz", "Moreno",
)  # fmt: skip

OLDEST = timedelta(days=180)
NEWEST = timedelta(days=5)
"""The highest and lowest age of individuals; payments begin 90 days ago."""


class Member(NamedTuple):
    """An individual of a population: its creation, payments, and how often it is paid."""

    created_at: datetime
    history: RouteHistory
    owner: Row
    account: Row
    weight: float


def seed_world(world: World, transfers: int, individuals: int | None, conversions: int) -> None:
    """Add finished transfers and conversions, and their individuals.

    `individuals` is their number. None, or at most one per route of `ROUTES`, adds individuals of
    these routes. A larger number adds a population in all corridors and source currencies; with
    `conversions`, a fifth of it has some.
    """
    if individuals is None or individuals <= len(ROUTES):
        seed_transfers(world, transfers, individuals)
        seed_conversions(world, conversions)
        return
    random_numbers = random_source(world, "individuals")
    members = _make_members(world, random_numbers, individuals, has_ramps=bool(conversions))
    _add_transfers(world, random_numbers, members, transfer_count=transfers)
    if conversions:
        _add_conversions(world, random_numbers, members, conversion_count=conversions)


def all_routes() -> list[PayoutRoute]:
    """A route for each source currency and corridor; its share is the product of both shares."""
    return [
        route._replace(source=source_currency, share=route.share * currency_share)
        for source_currency, currency_share in SOURCE_SHARES.items()
        for route in (*ROUTES, *MORE_ROUTES)
        if route.currency != source_currency
    ]


def _make_members(
    world: World, random_numbers: random.Random, member_count: int, *, has_ramps: bool
) -> list[Member]:
    """Make members, ordered by creation. Each route has one before any route has a second."""
    routes = all_routes()
    shares = [route.share for route in routes]
    further_routes = random_numbers.choices(routes, shares, k=max(0, member_count - len(routes)))
    chosen_routes = [*routes, *further_routes][:member_count]
    creation_times = _draw_creation_times(world, random_numbers, len(chosen_routes))
    random_numbers.shuffle(chosen_routes)
    member_count_by_route = Counter(map(_make_route_key, chosen_routes))
    times_and_routes = zip(creation_times, chosen_routes, strict=True)
    members = []
    for email_number, (created_at, route) in enumerate(times_and_routes):
        owner_row, account_row = _add_individual(
            world, random_numbers, route, created_at, email_number, has_ramps=has_ramps
        )
        route_history = RouteHistory(
            world, random_numbers, route, recipient=(owner_row, account_row)
        )
        members_of_route = member_count_by_route[_make_route_key(route)]
        weight = _draw_weight(route, members_of_route, random_numbers)
        members.append(Member(created_at, route_history, owner_row, account_row, weight))
    return members


def _draw_weight(route: PayoutRoute, member_count: int, random_numbers: random.Random) -> float:
    """Draw the weight of one of the members that share a route's payments.

    Some get many payments, most get few.
    """
    return route.share / member_count * random_numbers.paretovariate(1.5)


def _draw_creation_times(world: World, random_numbers: random.Random, count: int) -> list[datetime]:
    """Draw the creation times of individuals, in order; most are near NEWEST."""
    age_range_seconds = (OLDEST - NEWEST).total_seconds()
    ages = [
        NEWEST + timedelta(seconds=int(random_numbers.random() ** 2 * age_range_seconds))
        for _ in range(count)
    ]
    return sorted(world.now() - age for age in ages)


def _make_route_key(route: PayoutRoute) -> tuple[str, str, str]:
    """The key of a route: its country and both currencies."""
    return route.country, route.currency, route.source


def _add_individual(  # noqa: PLR0913 - who, where, when, and the number in an e-mail
    world: World,
    random_numbers: random.Random,
    route: PayoutRoute,
    created_at: datetime,
    email_number: int,
    *,
    has_ramps: bool,
) -> tuple[Row, Row]:
    """Add an active individual, created at `created_at`, with one account; return both rows."""
    given_name = random_numbers.choice(GIVEN_NAMES)
    family_name = f"{random_numbers.choice(FAMILY_NAMES)} {random_numbers.choice(FAMILY_NAMES)}"
    is_off_ramp = route.source == "USDC"
    products = ["off_ramp" if is_off_ramp else "global_payouts"]
    if has_ramps and _find_ramp_currency(route):
        products.append("on_ramp")
    created_text = timestamps.to_text(created_at)
    owner_row: Row = {
        "id": world.new_id("individuals", created_at),
        "given_name": given_name,
        "family_name": family_name,
        "email": f"recipient{email_number}@example.com",
        "phone": "+910000000000" if route.country == "IN" else None,
        "address": {"country": route.country},
        "country": route.country,
        "status": "active",
        "product_types": products,
        "document": None,
        "status_details": None,
        "created_at": created_text,
        "updated_at": created_text,
        INTERNALS: {"accounts": [], "images": {}, "moves": []},
    }
    world.put("individuals", owner_row)
    example_account = examples.account(route.country, world.service)
    account_row = store_account(
        world, owner_row, example_account["type"], example_account["details"]
    )
    return owner_row, account_row


def _find_ramp_currency(route: PayoutRoute) -> str | None:
    """The currency of the on-ramp of a country, if there is one."""
    return next(
        (on_ramp.currency for on_ramp in ON_RAMPS if on_ramp.country == route.country), None
    )


def _add_transfers(
    world: World, random_numbers: random.Random, members: Sequence[Member], transfer_count: int
) -> None:
    """Add transfers to members that exist at the time of each, to some much more often."""
    creation_times = [member.created_at for member in members]
    cumulative_weights = [*accumulate(member.weight for member in members)]
    transfer_rows = []
    for created_at in draw_moments(world, random_numbers, transfer_count):
        existing_count = max(1, bisect_right(creation_times, created_at))
        last_member_index = existing_count - 1
        drawn_weight = random_numbers.random() * cumulative_weights[last_member_index]
        member_index = bisect_left(cumulative_weights, drawn_weight, 0, last_member_index)
        transfer_rows.append(members[member_index].history.make_transfer(created_at))
    world.extend("transfers", transfer_rows)


def _add_conversions(
    world: World, random_numbers: random.Random, members: Sequence[Member], conversion_count: int
) -> None:
    """Add conversions of a fifth of the members, in countries that have an on-ramp."""
    ramp_members = [member for member in members if "on_ramp" in member.owner["product_types"]]
    ramp_members = ramp_members[: max(1, len(members) // 5)]
    account_rows = []
    for member in ramp_members:
        currency = _find_ramp_currency(member.history.route) or ""
        account_rows.append(add_conversion_account(world, member.owner, member.account, currency))
    conversion_rows = []
    for created_at in draw_moments(world, random_numbers, conversion_count):
        account_row = random_numbers.choice(account_rows)
        conversion_rows.append(
            make_conversion(world, random_numbers, account_row, moment=created_at)
        )
    world.extend("conversions", conversion_rows)
