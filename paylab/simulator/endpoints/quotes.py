"""Quotes: the terms of a payout, held for a while."""

from __future__ import annotations

from ...rules import transfers as transfer_rules
from ..exchange import Reply, Request, require
from ..showing import plain
from ..world import World
from . import terms

LOCK_SECONDS = 120
"""How long a quote holds its rate and fees. Gap `quote.operation`."""


def create(world: World, request: Request) -> Reply:
    """POST /v1/quotes."""
    body = request.json()
    account = terms.account(world, body)
    require(terms.with_route(world, transfer_rules.check_quote(body), body, account))
    row = world.create(
        "quotes",
        {"used": False},
        **terms.priced(body, account),
        derived_source_amount=body.get("source_amount") is None,
        source_network=body.get("source_network"),
        expires_at=world.after(LOCK_SECONDS),
    )
    del row["updated_at"]
    return Reply.json(201, plain(row))
