"""Conversion accounts, sandbox deposits and conversions."""

from decimal import Decimal

from .payouts import reference
from .problems import Problem, RefusedError

CURRENCY = {"MX": "mxn", "PH": "php"}
CAP = {"mxn": 50, "php": 100}
QR_BODY = (
    "00020101021127590012com.p2pqrpay0111GXCHPHM2XXX0208999644030415009990000000015204601653036"
    "085802PH5912SECOND HOUSE6006MANILA6304"
)


def open_account(world, body):
    """Open a conversion account; MX is ready at once, PH after provisioning."""
    form = world.ways["references"]["account"]
    account_id = reference(body, "payout_account", form)
    if account_id is None:
        field = "payout_account_id" if form == "id" else "payout_account"
        raise RefusedError(world.ways["errors"]["invalid"], problems=[Problem(field, "missing")])
    person = world.objects["individual"].get(body["individual_id"])
    wallet = world.objects["account"].get(account_id)
    if person is None or wallet is None:
        raise RefusedError(404, "individual or account not found")
    if person["status"] != "active" or "on_ramp" not in person["product_types"]:
        raise RefusedError(422, "the individual is not active for on_ramp")
    if wallet["type"] != "crypto_wallet" or wallet["_person"] != person["id"]:
        raise RefusedError(422, "the account is no crypto_wallet of the individual")
    currency = body["source_currency"].lower()
    if CURRENCY.get(person["country"]) != currency:
        words = f"must be {CURRENCY.get(person['country'], 'another')}"
        problem = Problem("source_currency", "invalid", words)
        raise RefusedError(world.ways["errors"]["invalid"], problems=[problem])
    made = world.new(
        "conversion_account",
        individual_id=person["id"],
        payout_account=wallet,
        source_currency=currency,
        destination_currency=(body.get("destination_currency") or "USDC").upper(),
        status="pending",
    )
    if person["country"] in world.ways["at_once"]:
        _activate(world, made)
    else:
        world.after(world.ways["seconds"]["provisioning"], lambda: _activate(world, made))
    return made


def _activate(world, account):
    currency = account["source_currency"]
    if currency == "mxn":
        kind, rail, details = "mx_virtual_account", "spei", {"clabe": _clabe(account["id"])}
    else:
        kind, rail, details = "ph_qr_code", "instapay", {"qrph_payload": _qr_text()}
    told = {"type": kind, "currency": currency, "payment_methods": [rail], "details": details}
    world.move(account, "active", deposit_instructions=told)


def _clabe(key):
    digits = f"646180{int(key.rpartition('-')[2]):011d}"
    weights = "37137137137137137"
    pairs = zip(digits, weights, strict=True)
    total = sum(int(digit) * int(weight) % 10 for digit, weight in pairs)
    return f"{digits}{-total % 10}"


def _qr_text():
    crc = 0xFFFF
    for byte in QR_BODY.encode():
        crc ^= byte << 8
        for _ in range(8):
            crc = (crc << 1 ^ 0x1021 if crc & 0x8000 else crc << 1) & 0xFFFF
    return f"{QR_BODY}{crc:04X}"


def deposit(world, body):
    """Take a sandbox deposit, which makes a conversion."""
    account = world.objects["conversion_account"].get(body["conversion_account_id"])
    if account is None:
        raise RefusedError(404, "conversion account not found")
    if account["status"] != "active":
        raise RefusedError(422, "the conversion account is not active")
    currency, amount = account["source_currency"], Decimal(str(body["amount"]))
    found = []
    if body["currency"].lower() != currency:
        found.append(Problem("currency", "invalid", f"must be {currency}"))
    elif amount > CAP[currency]:
        found.append(Problem("amount", "invalid", f"must be at most {CAP[currency]}"))
    if found:
        raise RefusedError(world.ways["errors"]["invalid"], problems=found)
    conversion = _conversion(world, account, amount)
    if world.ways["deposit"] == "conversion":
        return conversion
    return {
        "id": f"deposit-{conversion['id']}",
        "conversion_account_id": account["id"],
        "amount": f"{amount:.2f}",
        "currency": currency.upper(),
        "sender_name": body.get("sender_name"),
        "created_at": world.stamp(),
    }


def _conversion(world, account, amount):
    currency = account["source_currency"].upper()
    payout = {
        "amount": f"{amount * Decimal('0.054'):.6f}",
        "currency": "USDC",
        "payout_account_id": account["payout_account"]["id"],
        "tx_hash": None,
        "initiated_at": None,
        "completed_at": None,
    }
    made = world.new(
        "conversion",
        conversion_account_id=account["id"],
        individual_id=account["individual_id"],
        status="pending",
        deposit={"amount": f"{amount:.2f}", "currency": currency, "received_at": world.stamp()},
        payout=payout,
        total_fee="0.10",
        fee_currency=currency,
        exchange_rate="0.054",
    )

    def start():
        payout.update(tx_hash=f"0x{'ab' * 32}", initiated_at=world.stamp())
        world.move(made, "started")

    def complete():
        payout.update(completed_at=world.stamp())
        world.move(made, "completed")

    seconds = world.ways["seconds"]["payout"]
    world.after(seconds, start)
    world.after(2 * seconds, complete)
    return made
