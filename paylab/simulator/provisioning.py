"""Conversion accounts becoming active: deposit instructions are made."""

from __future__ import annotations

from ..status import CONVERSION_ACCOUNT
from . import minting
from .moving import move
from .table import Row
from .world import World

SECONDS = 1.0
SLOW_SECONDS = 30.0


def start(world: World, row: Row, *, at_once: bool, slow: bool) -> None:
    """Provision at once, or let it fall due. Gaps `ca.provisioning`, `ca.slow`."""
    if at_once and not slow:
        provision(world, row)
    else:
        pause = SLOW_SECONDS if slow else SECONDS
        world.later("conversion_accounts", row["id"], pause, "provision")


def provision(world: World, row: Row, _: str = "") -> None:
    """Make the instructions and activate the account."""
    row["deposit_instructions"] = _instructions(world, row)
    move(world, "conversion_accounts", CONVERSION_ACCOUNT, row, "provision")


def _instructions(world: World, row: Row) -> Row:
    """Where to pay in. Gaps `instructions.mx`, `instructions.ph`."""
    if row["source_currency"] == "mxn":
        kind, method = "mx_virtual_account", "spei"
        details = {"clabe": minting.clabe(world.seed, row["id"])}
    else:
        kind, method = "ph_qr_code", "instapay"
        details = {"qrph_payload": minting.qrph(world.seed, row["id"])}
    return {
        "type": kind,
        "currency": row["source_currency"],
        "payment_methods": [method],
        "details": details,
    }


STEPS = {"provision": provision}
