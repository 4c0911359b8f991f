"""Quotes and transfers."""

from decimal import ROUND_HALF_EVEN, Decimal

from . import rules
from .problems import Problem, RefusedError

RATE = {"MXN": "18.2", "BRL": "5.1", "PHP": "57.3", "ARS": "990", "COP": "4100", "INR": "84"} | {
    "GBP": "0.78", "EUR": "0.92", "USDC": "1"
}  # fmt: skip
FEE = Decimal("0.01")
CENT = Decimal("0.01")
AMOUNTS = ("source_amount", "destination_amount", "net_source_amount")
LIFETIME = 120


def reference(body, name, form):
    """The id of an account that is named by id or as an object; None when it is missing."""
    held, plain = body.get(name), body.get(f"{name}_id")
    if form in ("object", "either") and isinstance(held, dict) and held.get("id"):
        return held["id"]
    if form in ("id", "either") and isinstance(plain, str) and plain:
        return plain
    return None


def quote(world, body):
    """Make a quote."""
    made = _terms(world, body, world.ways["references"]["quote"])
    made |= {"derived_source_amount": "source_amount" not in body}
    return world.new(
        "quote", **made, _expires=world.now() + LIFETIME, expires_at=world.stamp(LIFETIME)
    )


def _terms(world, body, form):
    account_id = reference(body, "financial_account", form)
    found = []
    if account_id is None:
        field = "financial_account_id" if form == "id" else "financial_account"
        found.append(Problem(field, "missing"))
    found += [
        Problem(name, "missing")
        for name in ("payout_method", "destination_currency")
        if not body.get(name)
    ]
    given = [name for name in AMOUNTS if body.get(name) is not None]
    if not given:
        found.append(Problem("source_amount", "missing"))
    elif len(given) > 1:
        found.append(Problem(given[1], "invalid", "only one amount may be given"))
    if found:
        raise RefusedError(world.ways["errors"]["invalid"], problems=found)
    account = world.objects["account"].get(account_id)
    if account is None:
        raise RefusedError(404, "financial account not found")
    person = world.objects["individual"][account["_person"]]
    country, currency = person["country"], body["destination_currency"].upper()
    rails = world.ways.get("rails", {}).get(country, rules.RAILS[country])
    if body["payout_method"] not in rails:
        words = f"must be one of {', '.join(rails)}"
        found.append(Problem("payout_method", "invalid", words))
    if currency != rules.CURRENCY[country]:
        words = f"must be {rules.CURRENCY[country]}"
        found.append(Problem("destination_currency", "invalid", words))
    if found:
        raise RefusedError(world.ways["errors"]["invalid"], problems=found)
    return _amounts(given[0], Decimal(str(body[given[0]])), Decimal(RATE[currency])) | {
        "source_currency": (body.get("source_currency") or "USD").upper(),
        "destination_currency": currency,
        "payout_method": body["payout_method"],
        "financial_account_id": account_id,
        "recipient_id": person["id"],
        "fee_currency": "USD",
        "tax_currency": "USD",
        "total_tax": "0.00",
    }


def _amounts(given, amount, rate):
    if given == "source_amount":
        source = amount
    elif given == "net_source_amount":
        source = amount / (1 - FEE)
    else:
        source = amount / rate / (1 - FEE)
    fee = _cents(source * FEE)
    return {
        "source_amount": str(_cents(source)),
        "total_fee": str(fee),
        "net_source_amount": str(_cents(source - fee)),
        "destination_amount": str(_cents((source - fee) * rate)),
        "exchange_rate": str(rate),
    }


def _cents(amount):
    return amount.quantize(CENT, ROUND_HALF_EVEN)


def transfer(world, body):
    """Make a transfer from a quote or from its own terms."""
    if quote_id := body.get("quote_id"):
        held = world.objects["quote"].get(quote_id)
        if held is None:
            raise RefusedError(404, "quote not found")
        if held["_expires"] < world.now() or held.get("_used"):
            raise RefusedError(422, "the quote has expired or was used")
        held["_used"] = True
        terms = {name: value for name, value in held.items() if name in TERMS}
    else:
        terms = _terms(world, body, "either")
    made = world.new(
        "transfer",
        client_reference_id=body.get("client_reference_id"),
        **terms,
        status="awaiting_funds",
        completed_in=None,
        failure_reason=None,
        settlement_reference_id=None,
    )
    world.after(1, lambda: world.move(made, "started"))
    done = {"completed_in": "1", "settlement_reference_id": f"rail-{made['id']}"}
    world.after(2, lambda: world.move(made, "completed", **done))
    return made


TERMS = {*AMOUNTS} | {
    "source_currency", "destination_currency", "exchange_rate", "recipient_id",
    "financial_account_id", "payout_method", "total_fee", "fee_currency", "total_tax",
    "tax_currency",
}  # fmt: skip
