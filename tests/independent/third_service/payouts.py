"""Operations of quotes and transfers, and the prices."""

from datetime import timedelta
from decimal import ROUND_HALF_EVEN, ROUND_UP, Decimal

from third_service.checks import (
    CURRENCIES,
    MINOR_UNITS,
    PRODUCTS,
    SEPA,
    Fields,
    check_amount,
    dig,
)
from third_service.individuals import owner_of
from third_service.steps import STEP, check, digest_of
from third_service.wire import Refusal

PER_USD = {
    "USD": "1", "USDC": "1", "MXN": "17.5", "COP": "4000", "BRL": "5.2", "PHP": "56",
    "VND": "25000", "EUR": "0.92", "GBP": "0.79", "ARS": "950", "INR": "83", "SGD": "1.35",
}  # fmt: skip
RAILS = {  # country: currency, rails
    "AR": ("ARS", {"cbu_cvu"}),
    "BR": ("BRL", {"pix"}),
    "CO": ("COP", {"ach_co"}),
    "IN": ("INR", {"upi"}),
    "MX": ("MXN", {"spei"}),
    "PH": ("PHP", {"instapay", "pesonet"}),
    "GB": ("GBP", {"faster_payments"}),
    "SEPA": ("EUR", {"sepa_instant"}),
}
AMOUNTS = ("source_amount", "destination_amount", "net_source_amount")


def minor(currency):
    """The smallest unit of a currency."""
    return Decimal(1).scaleb(-MINOR_UNITS.get(currency, 2))


def rate_of(source, destination):
    """The exchange rate between two currencies."""
    rate = Decimal(PER_USD[destination]) / Decimal(PER_USD[source])
    return rate.quantize(Decimal("0.00000001"))


def prices(body, source, destination):
    """Amounts, fee and rate for the one amount that the body has."""
    rate = rate_of(source, destination)
    unit = minor(source)
    half = Decimal("0.005")
    given = next(name for name in AMOUNTS if body.get(name) is not None)
    amount = Decimal(body[given])
    if given == "source_amount":
        total = amount
        fee = max((total * half).quantize(unit, ROUND_HALF_EVEN), Decimal("0.50"))
    else:
        net = amount if given == "net_source_amount" else amount / rate
        net = net.quantize(unit, ROUND_UP)
        total = max(net / (1 - half), net + Decimal("0.50")).quantize(unit, ROUND_UP)
        fee = total - net
    if total <= fee:
        check([(given, "must be more than the fee")])
    paid = ((total - fee) * rate).quantize(minor(destination), ROUND_HALF_EVEN)
    if given == "destination_amount":
        paid = amount.quantize(minor(destination))
    return {
        "source_amount": str(total.quantize(unit)),
        "source_currency": source,
        "destination_amount": str(paid),
        "destination_currency": destination,
        "exchange_rate": str(rate),
        "total_fee": str(fee.quantize(unit)),
        "fee_currency": source,
        "total_tax": str(Decimal(0).quantize(unit)),
        "tax_currency": source,
        "net_source_amount": str((total - fee).quantize(unit)),
    }


def terms_of(service, body):
    """The account, the recipient and the prices that a quote or a transfer asks for."""
    fields = Fields(body)
    source = str(body.get("source_currency") or "usd").upper()
    destination = str(body.get("destination_currency") or "").upper()
    for name, currency in (("source_currency", source), ("destination_currency", destination)):
        if currency not in CURRENCIES or source not in {"USD", "USDC", "PHP"}:
            fields.add(name, "is not a currency of this service" if currency else "is required")
    fields.text("payout_method")
    given = [name for name in AMOUNTS if body.get(name) is not None]
    if len(given) != 1:
        fields.add("source_amount", f"exactly one of {', '.join(AMOUNTS)} is required")
    for name in given:
        check_amount(fields, name, destination if name == "destination_amount" else source)
    if source == "USDC":
        fields.choice("source_network", service.settings.networks)
    check(fields.problems)
    identifier = dig(body, "financial_account.id") or body.get("financial_account_id")
    account = service.find("financial_account", identifier, "financial_account.id")
    recipient = owner_of(service, account)
    country = "SEPA" if recipient["country"] in SEPA else recipient["country"]
    currency, rails = RAILS.get(country, ("", set()))
    if account["type"] == "crypto_wallet":
        currency, rails = "USDC", {account["details"]["network"]}
    if destination != currency:
        check([("destination_currency", f"must be {currency} for this account")])
    if body["payout_method"] not in rails:
        check([("payout_method", f"must be one of {', '.join(sorted(rails))}")])
    product = "off_ramp" if source == "USDC" else "global_payouts"
    if recipient["status"] != "active" or product not in recipient["product_types"]:
        raise Refusal(422, f"The recipient is not active for {product}")
    wallets = [a for a in recipient["financial_accounts"] if a["type"] == "crypto_wallet"]
    networks = {wallet["details"]["network"] for wallet in wallets}
    if source == "USDC" and body["source_network"] not in networks:
        raise Refusal(422, "The individual has no crypto_wallet on source_network")
    terms = prices(body, source, destination)
    terms["recipient_id"] = recipient["id"]
    terms["financial_account_id"] = account["id"]
    terms["payout_method"] = body["payout_method"]
    return terms


def create_quote(service, call):
    """POST /v1/quotes."""
    terms = terms_of(service, call.body)
    terms["derived_source_amount"] = "source_amount" not in call.body
    terms["source_network"] = call.body.get("source_network")
    terms["expires_at"] = service.stamp(service.time() + timedelta(minutes=2))
    return 201, service.add("quote", terms)


def create_transfer(service, call):
    """POST /v1/transfers."""
    body = call.body
    fields = Fields(body)
    fields.text("client_reference_id", r".{1,64}", required=False, message="at most 64 characters")
    fields.choice("source_type", ("prefunded", "deposit"), required=False)
    check(fields.problems)
    if body.get("quote_id") is not None:
        quote = service.find("quote", body["quote_id"])
        if quote.get("used") or quote["expires_at"] <= service.stamp():
            raise Refusal(422, "The quote is used or expired")
        names = [*prices({"source_amount": "9"}, "USD", "USD"), "recipient_id", "payout_method"]
        terms = {name: quote[name] for name in [*names, "financial_account_id"]}
        service.change(quote, used=True)
    else:
        terms = terms_of(service, body)
    deposit = body.get("source_type") == "deposit"
    if deposit and terms["source_currency"] != "USDC":
        check([("source_type", "deposit needs a stablecoin source")])
    row = {"client_reference_id": body.get("client_reference_id"), "status": "awaiting_funds"}
    row |= terms
    row |= {"completed_in": None, "failure_reason": None, "settlement_reference_id": None}
    transfer = service.add("transfer", row)
    if deposit:
        transfer["deposit_instructions"] = {
            "type": "crypto_wallet",
            "currency": "usdc",
            "payment_methods": ["base"],
            "details": {"address": "0x" + digest_of(transfer)[:40], "network": "base"},
            "deadline": service.stamp(service.time() + timedelta(hours=24)),
        }
        service.after(86_400, lambda: move_transfer(service, transfer, "expired", "expired"))
    else:
        service.after(STEP, lambda: fund(service, transfer))
    emit_transfer(service, transfer, "created")
    return 201, transfer


def emit_transfer(service, transfer, word):
    """Send an event with a transfer, in which currencies are in lower case."""
    payload = {k: v.lower() if k.endswith("currency") else v for k, v in transfer.items()}
    service.emit(f"transfer.{word}", payload)


def move_transfer(service, transfer, status, word, **values):
    """Give a transfer a new status and send the event."""
    service.change(transfer, status=status, **values)
    transfer.pop("deposit_instructions", None)
    emit_transfer(service, transfer, word)


def fund(service, transfer):
    """The funds of a transfer arrived; it completes a step later."""
    move_transfer(service, transfer, "started", "funded")
    emit_transfer(service, transfer, "payout_initiated")
    settled = {"completed_in": "1", "settlement_reference_id": digest_of(transfer)[:12].upper()}
    service.after(
        STEP, lambda: move_transfer(service, transfer, "completed", "completed", **settled)
    )


def list_transfers(service, call):
    """GET /v1/transfers."""
    product = call.params.get("product_type")
    if product is not None and product not in PRODUCTS:
        check([("product_type", f"must be one of {', '.join(PRODUCTS)}")])

    def keep(transfer):
        own = "off_ramp" if transfer["source_currency"] == "USDC" else "global_payouts"
        return product in {None, own}

    return 200, service.page("transfer", call.params, keep)
