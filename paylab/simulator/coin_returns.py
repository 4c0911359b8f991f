"""Returns the stablecoins of failed off-ramp transfers to the recipient's wallet.

Spec, "What the service does", 6. A Transfer has no field for it, so a control lists the returns.
"""

from __future__ import annotations

from ..spec import codes
from . import ids
from .bodies import without_internals
from .messages import Reply, Request
from .table import INTERNALS, Row
from .world import World


def return_coins(world: World, transfer: Row) -> None:
    """Send the coins of a funded transfer back to the recipient's wallet on their network.

    Do nothing without coins, or without such a wallet.
    """
    if not codes.is_stablecoin(transfer["source_currency"]):
        return
    network = transfer[INTERNALS].get("network") or world.service.transfers.default_network
    wallet_row = _find_wallet(world, transfer["recipient_id"], network)
    if wallet_row is None:
        return
    world.create(
        "coin_returns",
        transfer_id=transfer["id"],
        individual_id=transfer["recipient_id"],
        financial_account_id=wallet_row["id"],
        amount=transfer["source_amount"],
        currency=transfer["source_currency"],
        network=network,
        address=wallet_row["details"].get("address"),
        tx_hash=ids.transaction_hash(world.seed, network, transfer["id"]),
    )


def _find_wallet(world: World, owner_id: str, network: str) -> Row | None:
    """The wallet on a network that an individual got last; None without such a wallet."""
    account_by_id = world.tables["financial_accounts"].rows
    owner_row = world.tables["individuals"].rows[owner_id]
    for account_id in reversed(owner_row[INTERNALS]["accounts"]):
        account_row = account_by_id[account_id]
        if (
            account_row["type"] == codes.CRYPTO_WALLET
            and account_row["details"]["network"] == network
        ):
            return account_row
    return None


def list_coin_returns(world: World, _: Request) -> Reply:
    """GET /_simulator/returns: the stablecoins that went back to wallets, oldest first."""
    coin_returns = []
    for return_row in world.tables["coin_returns"].rows.values():
        fields = without_internals(return_row)
        del fields["updated_at"]
        coin_returns.append(fields)
    return Reply.json(200, coin_returns)
