"""The operations: each takes the service and a call, and returns a status and a body."""

import hashlib
from datetime import timedelta
from decimal import ROUND_HALF_EVEN, ROUND_UP, Decimal

from third_service.checks import (
    CURRENCIES,
    MINOR_UNITS,
    PRODUCTS,
    SEPA,
    Fields,
    check_account,
    check_amount,
    check_image,
    check_individual,
    check_subscription,
    dig,
    words,
)
from third_service.instructions import clabe, qr_ph
from third_service.wire import Refusal, invalid

STEP = 0.3  # seconds between two states of an object
TOKEN_COUNTRIES = {"US", "SG", "VN", "AE"}  # verified by a token of an external provider
SIDE_CODES = {
    "document-front": "verification_front_image_needed",
    "document-back": "verification_back_image_needed",
    "selfie": "verification_selfie_needed",
}
TERMINAL = {
    "verification_disallowed_country",
    "verification_age_mismatch",
    "verification_identity_unverified",
}
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
ON_RAMPS = {"MX": "mxn", "PH": "php"}
AMOUNTS = ("source_amount", "destination_amount", "net_source_amount")


def check(problems):
    """Refuse a request that has problems."""
    if problems:
        raise invalid(problems)


# Individuals


def create_individual(service, call):
    """POST /v1/individuals."""
    body = call.body
    problems = check_individual(body)
    accounts = body.get("financial_accounts") or []
    country = body.get("country")
    for place, account in enumerate(accounts):
        account_problems = check_account(
            account.get("type"), account.get("details"), country, service.settings
        )
        problems += [(f"financial_accounts.{place}.{n}", text) for n, text in account_problems]
    check(problems)
    names = words(
        "product_types given_name family_name email phone date_of_birth idv_consent_recorded_at "
        "country document"
    )
    row = {name: body[name] for name in names if body.get(name) is not None}
    row["address"] = body["address"] | {"country": country}
    row["status"] = "active"
    row = service.add("individual", row | {"financial_accounts": []})
    for account in accounts:
        add_account(service, row, account["type"], account["details"])
    if {"on_ramp", "off_ramp"} & set(row["product_types"]) and service.settings.kyc != "none":
        row["status"] = "action_required"
        row["status_details"] = needed(service, row)
    return 201, row


def needed(service, individual):
    """What an individual still has to send, as status details."""
    if individual["country"] in TOKEN_COUNTRIES:
        codes = ["verification_token_needed"]
    else:
        stored = {image["type"] for image in images_of(service, individual)}
        sides = [side for side in service.settings.sides if side not in stored]
        codes = [SIDE_CODES[side] for side in sides]
    return [status_detail(code) for code in codes]


def status_detail(code):
    """A status detail with a message for people."""
    return {"code": code, "message": code.replace("_", " ").capitalize() + "."}


def move_individual(service, individual, status, codes=()):
    """Give an individual a new status and send the event."""
    previous = individual["status"]
    service.change(individual, status=status)
    individual.pop("status_details", None)
    if codes:
        individual["status_details"] = [status_detail(code) for code in codes]
    event = {key: individual.get(key) for key in ("id", "status", "status_details", "updated_at")}
    event["previous_status"] = previous
    if event["status_details"] is None:
        del event["status_details"]
    service.emit("individual.status_changed", event)


def verify(service, individual):
    """Start verification; its result depends on the family name and comes a step later."""
    move_individual(service, individual, "pending")
    code = individual["family_name"].lower().replace(" ", "_")
    if service.settings.kyc == "never":
        return
    if not code.startswith("verification_"):
        service.after(STEP, lambda: move_individual(service, individual, "active"))
        return
    status = "rejected" if code in TERMINAL else "action_required"
    service.after(STEP, lambda: move_individual(service, individual, status, [code]))


def submit_token(service, call):
    """POST /v1/individuals/{id}/verification_token."""
    individual = service.find("individual", call.ids[0])
    fields = Fields(call.body)
    fields.choice("provider", ("idv_provider",))
    fields.text("token", r"(?s)(?=.*\S).{1,4096}", message="must have 1 to 4096 characters")
    fields.text("applicant_id")
    fields.time("partner_terms_accepted_at")
    if individual["country"] not in TOKEN_COUNTRIES:
        fields.add("token", "this individual verifies with images")
    check(fields.problems)
    if individual["status"] != "action_required":
        raise Refusal(422, "The individual is not in action_required")
    verify(service, individual)
    return 202, individual


def images_of(service, individual):
    """The stored images of an individual."""
    rows = service.rows["verification_image"].values()
    return [row for row in rows if row["individual_id"] == individual["id"]]


def images_answer(service, individual):
    """The answer that lists the stored images."""
    images = images_of(service, individual)
    public = [{k: v for k, v in image.items() if k != "individual_id"} for image in images]
    return {"individual_id": individual["id"], "images": public}


def read_images(service, call):
    """GET /v1/individuals/{id}/verification_images."""
    return 200, images_answer(service, service.find("individual", call.ids[0]))


def upload_images(service, call):
    """POST /v1/individuals/{id}/verification_images."""
    individual = service.find("individual", call.ids[0])
    images = call.body.get("images")
    most = service.settings.images_most
    if not isinstance(images, list) or not 1 <= len(images) <= most:
        check([("images", f"must be a list of 1 to {most} items")])
    problems = []
    for place, image in enumerate(images):
        problems += check_image(image, place, service.settings)
    if individual["country"] in TOKEN_COUNTRIES:
        problems.append(("images", "this individual verifies with a token"))
    check(problems)
    if individual["status"] != "action_required":
        raise Refusal(422, "The individual is not in action_required")
    for image in images:
        for stored in images_of(service, individual):
            if stored["type"] == image["type"]:
                del service.rows["verification_image"][stored["id"]]
        head = image["content"].partition(";")[0]
        kind = head.removeprefix("data:") if service.settings.image_prefix else "image/jpeg"
        row = {"type": image["type"], "content_type": kind, "individual_id": individual["id"]}
        service.add("verification_image", row)
    details = needed(service, individual)
    if details:
        service.change(individual, status_details=details)
    else:
        verify(service, individual)
    return 200, images_answer(service, individual)


# Financial accounts


def add_account(service, individual, kind, details):
    """Store a financial account and show it in its individual."""
    account = service.add("financial_account", {"type": kind, "details": details})
    individual["financial_accounts"].append(account)
    return account


def owner_of(service, account):
    """The individual of a financial account."""
    rows = service.rows["individual"].values()
    return next(row for row in rows if account in row["financial_accounts"])


def create_account(service, call):
    """POST /v1/financial_accounts."""
    individual = service.find("individual", call.body.get("individual_id"), "individual_id")
    kind = call.body.get("type")
    details = call.body.get("details")
    check(check_account(kind, details, individual["country"], service.settings))
    return 201, add_account(service, individual, kind, details)


def update_account(service, call):
    """POST /v1/financial_accounts/{id}."""
    account = service.find("financial_account", call.ids[0])
    details = call.body.get("details")
    country = owner_of(service, account)["country"]
    check(check_account(account["type"], details, country, service.settings))
    if account["type"] == "crypto_wallet":
        raise Refusal(422, "A crypto_wallet cannot be updated")
    service.change(account, details=details)
    return 201, account


# Quotes and transfers


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


def digest_of(row):
    """Characters that differ for each object."""
    return hashlib.sha256(row["id"].encode()).hexdigest()


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


# Conversion accounts, deposits and conversions


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


# Webhook subscriptions


def create_subscription(service, call):
    """POST /v1/webhook_subscriptions."""
    check(check_subscription(call.body))
    row = {"url": call.body["url"], "event_types": call.body["event_types"], "is_active": True}
    return 201, service.add("webhook_subscription", row)


def delete_subscription(service, call):
    """DELETE /v1/webhook_subscriptions/{id}."""
    row = service.find("webhook_subscription", call.ids[0])
    del service.rows["webhook_subscription"][row["id"]]
    return 204, None


def list_subscriptions(service, _call):
    """GET /v1/webhook_subscriptions: a bare array."""
    return 200, list(service.rows["webhook_subscription"].values())


def reader(kind):
    """The operation that reads one object of the kind."""
    return lambda service, call: (200, service.find(kind, call.ids[0]))


def lister(kind):
    """The operation that lists the objects of the kind."""
    return lambda service, call: (200, service.page(kind, call.params))


OPERATIONS = {
    "individuals.create": create_individual,
    "individuals.list": lister("individual"),
    "individuals.get": reader("individual"),
    "individuals.submit_token": submit_token,
    "individuals.upload_images": upload_images,
    "individuals.images": read_images,
    "financial_accounts.create": create_account,
    "financial_accounts.update": update_account,
    "quotes.create": create_quote,
    "transfers.create": create_transfer,
    "transfers.list": list_transfers,
    "transfers.get": reader("transfer"),
    "conversion_accounts.create": create_conversion_account,
    "conversion_accounts.list": lister("conversion_account"),
    "conversion_accounts.get": reader("conversion_account"),
    "conversions.list": lister("conversion"),
    "sandbox.deposit": deposit,
    "webhook_subscriptions.create": create_subscription,
    "webhook_subscriptions.list": list_subscriptions,
    "webhook_subscriptions.get": reader("webhook_subscription"),
    "webhook_subscriptions.delete": delete_subscription,
}
