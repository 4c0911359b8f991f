"""Conversion accounts, sandbox deposits and conversions: endpoints and transitions."""

from __future__ import annotations

from decimal import Decimal
from functools import partial

from ...corridors.on_ramps import need_on_ramp
from ...rules import deposits as deposit_rules
from .. import bodies, ids, prices
from ..bodies import conversion_account_json, find_named_row, without_internals
from ..events import emit_event
from ..messages import RefusedError, Reply, Request
from ..scenario_values import check_scenario
from ..table import INTERNALS, Row
from ..world import Steps, World, apply_move

PAYOUT_SECONDS = 1.0
"""Seconds from deposit to payout on the simulator's clock."""

CONFIRMATION_SECONDS = 2.0
"""Seconds from payout to confirmation."""

PROVISION_SECONDS = 1.0
SLOW_PROVISION_SECONDS = 30.0
"""Seconds until a new account is provisioned, usually and in the scenario `slow`."""


def make_pending_conversion(account: Row, amount: str, received_text: str) -> Row:
    """The fields of a conversion before its payout. Assumption `conversion.fee`."""
    currency = account["source_currency"].upper()
    stablecoin = account["destination_currency"]
    price = prices.from_source(Decimal(amount), currency, stablecoin, fee_min=Decimal(0))
    return {
        "conversion_account_id": account["id"],
        "individual_id": account["individual_id"],
        "status": "pending",
        "deposit": {"amount": amount, "currency": currency, "received_at": received_text},
        "payout": {
            "amount": prices.amount_text(price.destination, stablecoin),
            "currency": stablecoin,
            "payout_account_id": account[INTERNALS]["payout_account_id"],
            "tx_hash": None,
            "initiated_at": None,
            "completed_at": None,
        },
        "total_fee": prices.amount_text(price.fee, currency),
        "fee_currency": currency,
        "exchange_rate": prices.rate_text(price.rate),
    }


def start_conversion(world: World, account: Row, deposit_row: Row) -> None:
    """Create the conversion of a deposit. Assumption `deposit.review`."""
    wallet_row = world.tables["financial_accounts"].rows[account[INTERNALS]["payout_account_id"]]
    conversion_row = world.create(
        "conversions",
        {"network": wallet_row["details"].get("network") or "", "deposit_id": deposit_row["id"]},
        **make_pending_conversion(account, deposit_row["amount"], deposit_row["created_at"]),
    )
    emit_event(
        world, "conversion.created", conversion_row["id"], payload=without_internals(conversion_row)
    )
    sender_name = deposit_row["sender_name"]
    if sender_name == "" and world.service.sandbox_deposits.missing_sender != "accepted":
        return  # it is held for review
    step = "fail" if sender_name == "Scenario Failed" else "broadcast"
    world.schedule("conversions", conversion_row["id"], PAYOUT_SECONDS, step)


def _broadcast_payout(world: World, conversion_row: Row, _reason: str) -> None:
    """Send the payout of a conversion to its network, and plan the confirmation."""
    conversion_row["payout"] |= {
        "tx_hash": ids.transaction_hash(
            world.seed, conversion_row[INTERNALS]["network"], conversion_row["id"]
        ),
        "initiated_at": world.stamp(),
    }
    _move_conversion(world, conversion_row, trigger="broadcast")
    world.schedule("conversions", conversion_row["id"], CONFIRMATION_SECONDS, "confirm")


def _confirm_payout(world: World, conversion_row: Row, _reason: str) -> None:
    """Complete a conversion: its network has confirmed the payout."""
    conversion_row["payout"]["completed_at"] = world.stamp()
    _move_conversion(world, conversion_row, trigger="confirm")


def _move_conversion(world: World, conversion_row: Row, _reason: str = "", *, trigger: str) -> None:
    """Change the status of a conversion, and emit the event of the move."""
    apply_move(world, "conversions", conversion_row, trigger)
    emit_event(
        world,
        event_type=EVENT_TYPE_BY_MOVE[trigger],
        resource_id=conversion_row["id"],
        payload=without_internals(conversion_row),
    )


EVENT_TYPE_BY_MOVE = {
    "broadcast": "conversion.payout_initiated",
    "confirm": "conversion.completed",
    "fail": "conversion.failed",
}
"""The events of moves."""


def provision(world: World, account_row: Row, _reason: str = "") -> None:
    """Create the deposit instructions and activate the account."""
    account_row["deposit_instructions"] = make_instructions(
        world, account_row["source_currency"], account_row["id"]
    )
    apply_move(world, "conversion_accounts", account_row, "provision")


def make_instructions(world: World, currency: str, account_id: str) -> Row:
    """Whom to pay, made up from the seed and the id of an account.

    Assumptions `instructions.mx` and `instructions.ph`.
    """
    on_ramp = need_on_ramp(currency=currency)
    payee_code = on_ramp.make_payee(partial(ids.instruction_digits, world.seed, account_id))
    return {
        "type": on_ramp.instructions_type,
        "currency": on_ramp.currency,
        "payment_methods": [on_ramp.rail],
        "details": {on_ramp.detail_name: payee_code},
    }


STEPS: Steps = {
    "conversions": {
        "broadcast": _broadcast_payout,
        "confirm": _confirm_payout,
        "fail": partial(_move_conversion, trigger="fail"),
    },
    "conversion_accounts": {"provision": provision},
}


def create_account(world: World, request: Request) -> Reply:
    """Create a conversion account. Assumptions `ca.create`, `ca.product`."""
    request_body = bodies.read_body(world, request, "conversion_accounts.create")
    service = world.service
    fields = request_body.fields
    owner_row = find_named_row(world, "individuals", fields.get("individual_id"))
    payout_account = fields.get("payout_account")
    wallet_id = payout_account.get("id") if isinstance(payout_account, dict) else None
    wallet_row = find_named_row(world, "financial_accounts", wallet_id, noun="payout account")
    country = owner_row["country"] if owner_row else None
    problems = deposit_rules.check_account(fields, country, service)
    if not world.production_like:
        problems += check_scenario("conversion account", fields, "client_reference_id")
    bodies.refuse_if_problems(request_body, problems, service.error_codes.validation)
    assert owner_row is not None  # noqa: S101 - the rules refuse a body without an individual
    assert wallet_row is not None  # noqa: S101 - nor one without a payout account
    _require_ready(owner_row, wallet_row, service.error_codes.state)
    return _open_account(world, fields, owner_row, wallet_row)


def _open_account(world: World, fields: Row, owner: Row, wallet: Row) -> Reply:
    """Add the account, and provision it at once or later.

    Assumptions `ca.provisioning`, `ca.slow`.
    """
    account_settings = world.service.conversion_accounts
    stablecoin = fields.get("destination_currency") or account_settings.default_destination_currency
    reference_text = fields.get("client_reference_id")
    reference_fields = {} if reference_text is None else {"client_reference_id": reference_text}
    account_row = world.create(
        "conversion_accounts",
        {"payout_account_id": wallet["id"]},
        individual_id=owner["id"],
        source_currency=fields["source_currency"].lower(),
        destination_currency=stablecoin.upper(),
        status="pending",
        **reference_fields,
    )
    # "scenario:slow", after which a reference of the user may follow.
    has_slow_reference = (reference_text or "").split(":")[:2] == ["scenario", "slow"]
    is_slow = has_slow_reference and not world.production_like
    if owner["country"] in account_settings.at_once and not is_slow:
        provision(world, account_row)
        return Reply.json(201, conversion_account_json(world, account_row))
    seconds = SLOW_PROVISION_SECONDS if is_slow else PROVISION_SECONDS
    world.schedule("conversion_accounts", account_row["id"], seconds, "provision")
    return Reply.json(202, conversion_account_json(world, account_row))


def _require_ready(owner: Row, wallet: Row, status: int) -> None:
    """Refuse an on-ramp, with a status, by the state of its individual or its wallet."""
    if owner["status"] != "active":
        raise RefusedError(status, f"the individual is {owner['status']}, not active")
    if "on_ramp" not in owner["product_types"]:
        raise RefusedError(status, "the individual does not have the product on_ramp")
    if wallet["type"] != "crypto_wallet" or wallet["id"] not in owner[INTERNALS]["accounts"]:
        raise RefusedError(status, "payout_account must be a crypto_wallet of the individual")


def simulate_deposit(world: World, request: Request) -> Reply:
    """Add a deposit to a conversion account, and start its conversion.

    RefusedError with status 403 if the world is not a sandbox. Assumption `deposit.path`.
    """
    if world.production_like:
        raise RefusedError(403, "deposits are simulated in the sandbox only")
    request_body = bodies.read_body(world, request, "sandbox.deposit")
    service = world.service
    fields = request_body.fields
    if request.id:
        fields["conversion_account_id"] = request.id
    account_row = find_named_row(world, "conversion_accounts", fields.get("conversion_account_id"))
    currency = account_row["source_currency"] if account_row else None
    problems = deposit_rules.check(fields, currency, service)
    problems += check_scenario("deposit", fields, "sender_name")
    bodies.refuse_if_problems(request_body, problems, service.error_codes.validation)
    assert account_row is not None  # noqa: S101 - the rules refuse a body without an account
    if account_row["status"] != "active":
        refusal_text = f"the conversion account is {account_row['status']}, not active"
        raise RefusedError(service.error_codes.state, refusal_text)
    deposit_row = _add_deposit(world, fields, account_row)
    start_conversion(world, account_row, deposit_row)
    return bodies.answer_reply(world, "sandbox.deposit", deposit_row)


def _add_deposit(world: World, fields: Row, account: Row) -> Row:
    """Add a deposit. Its default sender is the individual of the account."""
    owner_row = world.tables["individuals"].rows[account["individual_id"]]
    sender_name = fields.get("sender_name")
    if sender_name is None:
        sender_name = f"{owner_row['given_name']} {owner_row['family_name']}"
    currency = account["source_currency"].upper()
    deposit_row = world.create(
        "deposits",
        conversion_account_id=account["id"],
        amount=prices.amount_text(Decimal(fields["amount"]), currency),
        currency=currency,
        sender_name=sender_name,
    )
    del deposit_row["updated_at"]  # `create` adds it, and a deposit of the spec has none
    return deposit_row


HANDLERS = {
    "conversion_accounts.create": create_account,
    "sandbox.deposit": simulate_deposit,
}
