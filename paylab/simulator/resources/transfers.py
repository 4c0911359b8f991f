"""Transfers: endpoints and transitions."""

from __future__ import annotations

from functools import partial

from ...errors.base import Problem
from ...rules import transfers as transfer_rules
from ...spec import codes, timestamps
from ...spec.operations.records import OPERATIONS
from ...spec.request_body import RequestBody
from .. import balances, bodies, ids
from ..bodies import find_named_row, list_page, without_internals
from ..coin_returns import return_coins
from ..events import emit_event
from ..messages import RefusedError, Reply, Request, raise_if_problems
from ..scenario_values import check_scenario
from ..table import INTERNALS, Row, row_position
from ..world import Steps, World, apply_move
from .quotes import TERMS, add_route_problems, find_account_id, price_terms

STEP_SECONDS = 1.0
"""Seconds between a transfer's steps on the simulator's clock."""

SETTLEMENT_SECONDS = {"pesonet": 48 * 3600 - 2 * STEP_SECONDS}
"""Seconds until a payout settles on a slow rail: all of a PESONet transfer takes 48 hours."""

EARLY_ENDS = {"expired": "expire", "cancelled": "cancel"}
"""Outcomes of scenarios that replace funding."""


def _read_deadline_seconds(world: World) -> int:
    """Seconds until an unfunded transfer expires. Assumption `transfer.deposit`."""
    return int(world.service.transfers.deadline_hours) * 3600


def _pay_from_balance(world: World, transfer_row: Row, _reason: str) -> None:
    """Fund from the balance. If it is too low, wait for a payment until the deadline."""
    if balances.take_amount(world, transfer_row):
        _start_funded_transfer(world, transfer_row, "")
    else:
        world.schedule("transfers", transfer_row["id"], _read_deadline_seconds(world), "expire")


def pay_in(world: World, request: Request) -> Reply:
    """POST /_simulator/balances {"amount", "currency"}: fund the transfers that wait for it.

    The oldest come first, as far as the balance suffices.
    """
    currency = balances.add_to_balance(world, request.json())
    transfer_by_id = world.tables["transfers"].rows
    waiting_rows: list[Row] = []
    for timer_row in world.tables["timers"].rows.values():
        transfer_row = transfer_by_id.get(timer_row["id"])
        # A transfer without funds has one planned step: to expire.
        if transfer_row is None or timer_row["step"] != "expire":
            continue
        if _waits_for_balance(transfer_row, currency):
            waiting_rows.append(transfer_row)
    for transfer_row in sorted(waiting_rows, key=row_position):
        if balances.take_amount(world, transfer_row):
            _start_funded_transfer(world, transfer_row, "")
    return Reply.json(200, balances.list_balances(world))


def _waits_for_balance(transfer_row: Row, currency: str) -> bool:
    """Whether a transfer that will expire waits for the balance of a currency.

    Others wait for a deposit of their own, or end by a scenario.
    """
    internals = transfer_row[INTERNALS]
    if internals["source_type"] == "deposit" or internals["outcome"] in EARLY_ENDS:
        return False
    return bool(transfer_row["source_currency"] == currency)


def _start_funded_transfer(world: World, transfer_row: Row, _reason: str) -> None:
    """Start a funded transfer, and plan its payout, or its review."""
    transfer_row[INTERNALS]["started_at"] = world.stamp()
    _move_transfer(world, transfer_row, trigger="fund")
    is_held = transfer_row[INTERNALS]["outcome"] == "under_review"
    world.schedule(
        "transfers", transfer_row["id"], STEP_SECONDS, "review" if is_held else "initiate"
    )


def _initiate_payout(world: World, transfer_row: Row, _reason: str) -> None:
    """Initiate the payout, and plan its settlement or failure. The status stays `started`."""
    transfer_row["updated_at"] = world.stamp()
    world.put("transfers", transfer_row)
    emit_event(
        world, "transfer.payout_initiated", transfer_row["id"], without_internals(transfer_row)
    )
    step = "fail" if transfer_row[INTERNALS]["outcome"] == "failed" else "settle"
    seconds = SETTLEMENT_SECONDS.get(transfer_row["payout_method"], STEP_SECONDS)
    world.schedule("transfers", transfer_row["id"], seconds, step)


def _complete_transfer(world: World, transfer_row: Row, _reason: str) -> None:
    """Complete a transfer: it has a settlement reference, and the seconds that it took."""
    time_since_start = world.now() - timestamps.from_text(transfer_row[INTERNALS]["started_at"])
    transfer_row["completed_in"] = str(int(time_since_start.total_seconds()))
    transfer_row["settlement_reference_id"] = ids.settlement_reference(
        world.seed, transfer_row["id"]
    )
    _move_transfer(world, transfer_row, trigger="settle")


def _fail_transfer(world: World, transfer_row: Row, reason: str) -> None:
    """Fail a transfer: its amount goes back to the balance, or its coins to the wallet."""
    balances.return_amount(world, transfer_row)
    transfer_row["failure_reason"] = reason or "The recipient's bank rejected the payout."
    _move_transfer(world, transfer_row, trigger="fail")
    return_coins(world, transfer_row)


def _end_review(world: World, transfer_row: Row, _reason: str) -> None:
    """End the review of a transfer, and plan its payout."""
    transfer_row[INTERNALS]["outcome"] = None
    _move_transfer(world, transfer_row, trigger="release")
    world.schedule("transfers", transfer_row["id"], STEP_SECONDS, "initiate")


def _move_transfer(world: World, transfer_row: Row, _reason: str = "", *, trigger: str) -> None:
    """Change the status of a transfer, and emit the event of the move if it has one.

    The unused argument is the reason, which every function in STEPS is called with.
    """
    transfer_row.pop("deposit_instructions", None)  # present only while it awaits funding
    apply_move(world, "transfers", transfer_row, trigger)
    if trigger in EVENT_TYPE_BY_MOVE:
        emit_event(
            world, EVENT_TYPE_BY_MOVE[trigger], transfer_row["id"], without_internals(transfer_row)
        )


EVENT_TYPE_BY_MOVE = {
    "fund": "transfer.funded",
    "settle": "transfer.completed",
    "fail": "transfer.failed",
    "expire": "transfer.expired",
}
"""The events of moves; other moves have none."""

STEPS: Steps = {
    "transfers": {
        "pay": _pay_from_balance,
        "fund": _start_funded_transfer,
        "initiate": _initiate_payout,
        "settle": _complete_transfer,
        "fail": _fail_transfer,
        "release": _end_review,
        **{name: partial(_move_transfer, trigger=name) for name in ("expire", "cancel", "review")},
    }
}


OUTCOMES = ("failed", "expired", "under_review", "cancelled")


def create(world: World, request: Request) -> Reply:
    """Create a transfer. Assumptions `transfer.create`, `transfer.answer`, `transfer.network`."""
    request_body = bodies.read_body(world, request, "transfers.create")
    fields = request_body.fields
    quote_row = find_named_row(world, "quotes", fields.get("quote_id"))
    terms = _agree_terms(world, request_body, quote_row)
    network = (quote_row or fields).get("source_network") or world.service.transfers.default_network
    _require_payable(world, terms, quote_row, network)
    if quote_row:
        quote_row[INTERNALS]["used"] = True
        world.put("quotes", quote_row)
    transfer_row = _start_transfer(world, fields, terms, network)
    return bodies.answer_reply(world, "transfers.create", transfer_row)


def _agree_terms(world: World, request_body: RequestBody, quote: Row | None) -> Row:
    """The terms of the quote; without a quote, terms priced now. RefusedError for a wrong body."""
    fields = request_body.fields
    status_code = world.service.error_codes.validation
    account_row = find_named_row(world, "financial_accounts", find_account_id(fields))
    problems = transfer_rules.check(fields, world.service)
    if not world.production_like:
        problems += check_scenario("transfer", fields, "client_reference_id")
    if quote is None:
        problems = add_route_problems(world, problems, fields, account_row)
        bodies.refuse_if_problems(request_body, problems, status_code)
        return price_terms(request_body, account_row)
    problems += _find_quote_problems(fields, quote)
    bodies.refuse_if_problems(request_body, problems, status_code)
    return {field_name: quote[field_name] for field_name in TERMS}


def list_transfers(world: World, request: Request) -> Reply:
    """A page of the transfers, of one product if the query names one."""
    product = request.query_items().get("product_type")
    if product is None:
        return list_page(world, request, "transfers")
    if product not in codes.PRODUCTS:
        message = f"must be one of {', '.join(codes.PRODUCTS)}"
        raise_if_problems([Problem("product_type", message)])

    def is_of_product(transfer_row: Row) -> bool:
        """Whether a transfer is of the product in the query."""
        return bool(transfer_row[INTERNALS]["product"] == product)

    return list_page(world, request, "transfers", is_of_product)


def read_balances(world: World, request: Request) -> Reply:
    """The available, reserved and awaited amounts of each currency. Assumption `balance.read`."""
    return Reply.json(200, {"balances": balances.list_funds(world)})


def _start_transfer(world: World, fields: Row, terms: Row, network: str) -> Row:
    """Add the transfer, emit its first event and plan its first step."""
    source_type = fields.get("source_type") or ""
    transfer_row = world.create(
        "transfers",
        {
            "product": choose_product(terms["source_currency"]),
            "source_type": source_type,
            "outcome": _read_scenario_outcome(world, fields),
            "network": network,
        },
        **{
            field_name: fields.get(field_name)
            for field_name in OPERATIONS["transfers.create"].echoed
        },
        **terms,
        status="awaiting_funds",
        completed_in=None,
        failure_reason=None,
        settlement_reference_id=None,
    )
    if source_type == "deposit":
        transfer_row["deposit_instructions"] = _make_deposit_instructions(
            world, transfer_row, network
        )
    emit_event(world, "transfer.created", transfer_row["id"], without_internals(transfer_row))
    _plan_first_step(world, transfer_row)
    return transfer_row


def _plan_first_step(world: World, transfer_row: Row) -> None:
    """Plan how a new transfer is funded: from the balance, or by a deposit until its deadline.

    A scenario ends it instead.
    """
    internals = transfer_row[INTERNALS]
    step = EARLY_ENDS.get(internals["outcome"], "pay")
    seconds = STEP_SECONDS
    if step == "pay" and internals["source_type"] == "deposit":
        step = "expire"
        seconds = _read_deadline_seconds(world)
    world.schedule("transfers", transfer_row["id"], seconds, step)


def _find_quote_problems(fields: Row, quote: Row) -> list[Problem]:
    """Fields that contradict the quote, and a deposit that the quote does not allow."""
    sent_values = {**fields, "financial_account_id": find_account_id(fields)}
    problems: list[Problem] = []
    for field_name in REPEATED_FIELDS:
        field_value = sent_values.get(field_name)
        quoted_value = quote[field_name]
        if not isinstance(field_value, str) or not quoted_value:
            continue
        if field_value.upper() != quoted_value.upper():
            message = f"must be the quote's, {quoted_value}, or be omitted"
            problems.append(Problem(field_name, message, "transfer.create"))
    if fields.get("source_type") == "deposit" and not codes.is_stablecoin(quote["source_currency"]):
        message = "deposit needs a stablecoin source"
        problems.append(Problem("source_type", message, "transfer.deposit-source"))
    return problems


REPEATED_FIELDS = (
    "financial_account_id", "payout_method", "source_currency", "destination_currency",
    "source_network",
)  # fmt: skip
"""The fields of the quote that a body may repeat."""


def choose_product(source_currency: str) -> str:
    """The product of a transfer: `off_ramp` for USDC, `global_payouts` for USD.

    Assumption `transfer.product`.
    """
    return "off_ramp" if codes.is_stablecoin(source_currency) else "global_payouts"


def _read_scenario_outcome(world: World, fields: Row) -> str | None:
    """The outcome that a reference selects in a sandbox, or None.

    "scenario:failed" and "scenario:failed:any-suffix" select "failed".
    """
    if world.production_like:
        return None
    reference_text = fields.get("client_reference_id") or ""
    reference_prefix, _, reference_suffix = reference_text.partition(":")
    outcome = reference_suffix.partition(":")[0]
    if reference_prefix != "scenario" or outcome not in OUTCOMES:
        return None
    return outcome


def _make_deposit_instructions(world: World, transfer_row: Row, network: str) -> Row:
    """The wallet address and the deadline for the deposit that funds a transfer."""
    address = ids.wallet_address(world.seed, network, transfer_row["id"])
    return {
        "type": "crypto_wallet",
        "currency": transfer_row["source_currency"].lower(),
        "payment_methods": [network],
        "details": {"address": address, "network": network},
        "deadline": world.after(_read_deadline_seconds(world)),
    }


def _require_payable(world: World, terms: Row, quote: Row | None, network: str) -> None:
    """Refuse by the state of quote or recipient. Assumptions `transfer.create`, `.individual`."""
    status_code = world.service.error_codes.state
    if quote and quote[INTERNALS]["used"]:
        raise RefusedError(status_code, "the quote is used: ask for a new one")
    if quote and quote["expires_at"] <= world.stamp():
        raise RefusedError(status_code, "the quote is expired: ask for a new one")
    owner_row = world.tables["individuals"].rows[terms["recipient_id"]]
    if owner_row["status"] != "active":
        raise RefusedError(status_code, f"the recipient is {owner_row['status']}, not active")
    product = choose_product(terms["source_currency"])
    if product not in owner_row["product_types"]:
        raise RefusedError(status_code, f"the recipient does not have the product {product}")
    account_by_id = world.tables["financial_accounts"].rows
    own_accounts = [
        account_by_id[own_account_id] for own_account_id in owner_row[INTERNALS]["accounts"]
    ]
    if product == "off_ramp" and transfer_rules.check_wallet(own_accounts, network):
        refusal_text = f"the recipient has no crypto_wallet on {network}: register one first"
        raise RefusedError(status_code, refusal_text)


HANDLERS = {
    "transfers.create": create,
    "transfers.list": list_transfers,
    "balances.get": read_balances,
}
