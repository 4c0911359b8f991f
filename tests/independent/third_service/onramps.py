"""Operations of conversion accounts, deposits and conversions."""

from decimal import Decimal

from third_service.checks import (
    Fields,
    check_amount,
    dig,
)
from third_service.instructions import clabe, qr_ph
from third_service.payouts import prices
from third_service.steps import STEP, check, digest_of
from third_service.wire import Refusal

ON_RAMPS = {"MX": "mxn", "PH": "php"}


def create_conversion_account(service, call):
    """POST /v1/conversion_accounts."""
    body = call.body
    individual = service.find("individual", body.get("individual_id"), "individual_id")
    wallet = service.find("financial_account", dig(body, "payout_account.id"), "payout_account.id")
    fields = Fields(body)
    country = individual["country"]
    currency = str(body.get("source_currency") or "").lower()
    if currency != ON_RAMPS.get(country):
        expected = ON_RAMPS.get(country, "the currency of an on-ramp; this country has none")
        fields.add("source_currency", f"must be {expected}" if currency else "is required")
    if str(body.get("destination_currency") or "usdc").lower() != "usdc":
        fields.add("destination_currency", "must be USDC")
    fields.text(
        "client_reference_id", r".{1,255}", required=False, message="at most 255 characters"
    )
    check(fields.problems)
    if individual["status"] != "active" or "on_ramp" not in individual["product_types"]:
        raise Refusal(422, "The individual is not active for on_ramp")
    if wallet["type"] != "crypto_wallet" or wallet not in individual["financial_accounts"]:
        raise Refusal(422, "payout_account is not a crypto_wallet of this individual")
    row = {
        "individual_id": individual["id"],
        "payout_account": wallet,
        "source_currency": currency,
        "destination_currency": "USDC",
        "client_reference_id": body.get("client_reference_id"),
        "status": "pending",
    }
    row = {name: value for name, value in row.items() if value is not None}
    account = service.add("conversion_account", row)
    status = service.settings.provisioning[country]
    if status == 201:
        provision(service, account)
    else:
        service.after(STEP, lambda: provision(service, account))
        status = abs(status)
    return status, account


def provision(service, account):
    """The deposit instructions of a conversion account are ready."""
    if account["source_currency"] == "mxn":
        details = {"clabe": clabe(digest_of(account))}
        kind = "mx_virtual_account"
        rail = "spei"
    else:
        details = {"qrph_payload": qr_ph(digest_of(account))}
        kind = "ph_qr_code"
        rail = "instapay"
    instructions = {"type": kind, "currency": account["source_currency"]}
    instructions |= {"payment_methods": [rail], "details": details}
    service.change(account, status="active", deposit_instructions=instructions)


def deposit(service, call):
    """POST /v1/sandbox/deposits."""
    body = call.body
    identifier = body.get("conversion_account_id")
    account = service.find("conversion_account", identifier, "conversion_account_id")
    currency = account["source_currency"].upper()
    fields = Fields(body)
    check_amount(fields, "amount", currency)
    if str(body.get("currency") or "").upper() != currency:
        fields.add("currency", f"must be {currency}" if body.get("currency") else "is required")
    fields.text("sender_name", r".*", required=False)
    cap = service.settings.cap[currency]
    if not fields.problems and Decimal(body["amount"]) > Decimal(cap):
        fields.add("amount", f"must be at most {cap} {currency}")
    check(fields.problems)
    if account["status"] != "active":
        raise Refusal(422, "The conversion account is not active")
    individual = service.rows["individual"][account["individual_id"]]
    sender = body.get("sender_name")
    if sender is None:
        sender = f"{individual['given_name']} {individual['family_name']}"
    row = {"conversion_account_id": account["id"], "amount": body["amount"], "currency": currency}
    row = service.add("deposit", row | {"sender_name": sender})
    del row["updated_at"]
    convert(service, account, row, held=not sender)
    return 201, row


def convert(service, account, paid, *, held):
    """Create the conversion of a deposit; without the name of a sender it stays pending."""
    money = prices({"net_source_amount": paid["amount"]}, paid["currency"], "USDC")
    fee = (Decimal(paid["amount"]) * Decimal("0.005")).quantize(Decimal("0.01"))
    amount = (Decimal(paid["amount"]) - fee) * Decimal(money["exchange_rate"])
    received = {"amount": paid["amount"], "currency": paid["currency"]}
    row = {
        "conversion_account_id": account["id"],
        "individual_id": account["individual_id"],
        "status": "pending",
        "deposit": received | {"received_at": service.stamp()},
        "payout": {
            "amount": str(amount.quantize(Decimal("0.000001"))),
            "currency": "USDC",
            "payout_account_id": account["payout_account"]["id"],
            "tx_hash": None,
            "initiated_at": None,
            "completed_at": None,
        },
        "total_fee": str(fee),
        "fee_currency": paid["currency"],
        "exchange_rate": money["exchange_rate"],
    }
    conversion = service.add("conversion", row)
    service.emit("conversion.created", conversion)
    if not held:
        service.after(STEP, lambda: broadcast(service, conversion))


def broadcast(service, conversion):
    """The payout of a conversion is on its way; it is confirmed a step later."""
    conversion["payout"]["tx_hash"] = "0x" + digest_of(conversion)
    conversion["payout"]["initiated_at"] = service.stamp()
    service.change(conversion, status="started")
    service.emit("conversion.payout_initiated", conversion)

    def confirm():
        conversion["payout"]["completed_at"] = service.stamp()
        service.change(conversion, status="completed")
        service.emit("conversion.completed", conversion)

    service.after(STEP, confirm)
