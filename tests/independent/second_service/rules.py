"""What a request may hold: the rules of the interface description, and what is assumed besides."""

import re
from decimal import Decimal

from .problems import Problem

SEPA = (
    *("AT", "BE", "BG", "CY", "DE", "EE", "ES", "FI", "FR", "GR", "HR", "IE", "IT", "LT", "LU"),
    *("LV", "MT", "NL", "PT", "SI", "SK", "CZ", "DK", "HU", "PL", "RO", "SE", "CH", "IS", "LI"),
    "NO",
)
COUNTRIES = ("AR", "BR", "CO", "MX", "US", "IN", "PH", "SG", "VN", "AE", "GB", *SEPA)
PRODUCTS = ("global_payouts", "on_ramp", "off_ramp")
CURRENCY = {
    "AR": "ARS", "BR": "BRL", "CO": "COP", "GB": "GBP", "IN": "INR", "MX": "MXN", "PH": "PHP"
} | dict.fromkeys(SEPA, "EUR")  # fmt: skip
RAILS = {
    "AR": ["cbu_cvu"],
    "BR": ["pix"],
    "CO": ["ach_co"],
    "GB": ["faster_payments"],
    "IN": ["upi"],
    "MX": ["spei"],
    "PH": ["instapay", "pesonet"],
} | {code: ["sepa_instant"] for code in SEPA}
DOCUMENTS = {"MX": ["curp"], "PH": ["tin"], "BR": ["cpf", "cnpj"], "AR": ["cuit", "cuil"]}
HOLDER = r".{2,140}"
DETAILS = {
    "AR.bank_account": {"account_number": r"\d{22}", "account_type": ["cbu", "cvu"]},
    "BR.pix": {"pix_key": r".+", "pix_key_type": ["cpf", "cnpj", "email", "phone", "evp"]},
    "CO.bank_account": {
        "bank_code": r".+",
        "account_number": r"\d+",
        "account_type": ["savings", "checking"],
    },
    "IN.upi": {"upi_id": r"[^@\s]+@[^@\s]+"},
    "MX.bank_account": {"clabe": r"\d{18}"},
    "PH.bank_account": {
        "issuer": ["bdo", "bpi", "landbank", "metrobank", "unionbank"],
        "account_number": r".+",
        "account_holder_name": HOLDER,
    },
    "PH.digital_wallet": {
        "issuer": ["gcash", "grabpay", "maya"],
        "account_number": r".+",
        "account_holder_name": HOLDER,
    },
    "GB.bank_account": {
        "bank_account_country": ["GB"],
        "sort_code": r"\d{6}",
        "account_number": r"\d{8}",
        "account_holder_name": HOLDER,
    },
    "SEPA.bank_account": {
        "bank_account_country": [*SEPA],
        "iban": r"[A-Z]{2}\d\d[A-Z0-9]{11,30}",
        "bic": r"[A-Z0-9]{8}([A-Z0-9]{3})?",
        "account_holder_name": HOLDER,
    },
    "crypto_wallet": {
        "address": r"\S{20,}",
        "network": ["base", "ethereum", "polygon", "solana"],
    },
}
OPTIONAL = {"SEPA.bank_account": {"bic"}}
KNOWN = {
    "individual.create": "product_types given_name family_name country email phone date_of_birth "
    "address document idv_consent_recorded_at financial_accounts",
    "images.upload": "images",
    "account.create": "individual_id type details",
    "account.update": "details",
    "quote.create": "financial_account financial_account_id payout_method source_currency "
    "destination_currency source_amount destination_amount net_source_amount source_network",
    "transfer.create": "source_currency destination_currency payout_method financial_account "
    "financial_account_id quote_id source_amount destination_amount net_source_amount "
    "client_reference_id source_network source_type",
    "conversion_account.create": "individual_id payout_account payout_account_id source_currency "
    "destination_currency client_reference_id",
    "deposit": "conversion_account_id amount currency sender_name",
    "webhook.create": "url event_types",
}
REQUIRED = {
    "individual.create": ["product_types", "given_name", "family_name", "country", "address"],
    "images.upload": ["images"],
    "account.create": ["individual_id", "type", "details"],
    "account.update": ["details"],
    "conversion_account.create": ["individual_id", "source_currency"],
    "deposit": ["conversion_account_id", "amount", "currency"],
    "webhook.create": ["url", "event_types"],
}
RAMP = ["phone", "document", "date_of_birth", "idv_consent_recorded_at"]
MONEY = re.compile(r"\d{1,18}(\.\d{1,6})?")


def check(operation, body, ways):
    """The problems of a body that any operation can have: known, required, money, currencies."""
    found = []
    if ways["unknown"] == "refuse":
        known = {*KNOWN.get(operation, "").split(), *ways["needs"].get(operation, ())}
        found += [Problem(name, "unknown") for name in body if name not in known]
    needed = [*REQUIRED.get(operation, ()), *ways["needs"].get(operation, ())]
    for name in needed:
        if name not in ways["wants"].get(operation, ()) and absent(body, name):
            found.append(Problem(name, "missing"))
    for name, value in body.items():
        if name.endswith("amount"):
            found += _money(name, value, ways["amounts"]["requests"])
        elif name.endswith("currency"):
            found += _currency(name, value, ways["currencies"])
    return found


def absent(body, path):
    """Whether nothing stands at a dotted path."""
    for part in path.split("."):
        body = body.get(part) if isinstance(body, dict) else None
    return body in (None, "", [], {})


def _money(name, value, form):
    if form == "number":
        if isinstance(value, bool) or not isinstance(value, int | float):
            yield Problem(name, "invalid", "must be a number")
    elif not isinstance(value, str) or not MONEY.fullmatch(value) or not Decimal(value):
        yield Problem(name, "invalid", "must be a string with a decimal amount")


def _currency(name, value, case):
    if not isinstance(value, str) or len(value) not in (3, 4):
        yield Problem(name, "invalid", "must be a currency code")
    elif case == "upper" and not value.isupper():
        yield Problem(name, "invalid", "must be in upper case")
    elif case == "lower" and not value.islower():
        yield Problem(name, "invalid", "must be in lower case")


def individual(body):
    """The problems of an individual that its country and products give."""
    country, products = body.get("country"), body.get("product_types")
    if country and country not in COUNTRIES:
        yield Problem("country", "invalid", "is not a supported country")
    if products and not {*products} <= {*PRODUCTS}:
        yield Problem("product_types", "invalid", f"must be among {', '.join(PRODUCTS)}")
    needed = {"CO": ["email", "document"], "IN": ["email", "phone"]}.get(country, [])
    if {*(products or ())} & {"on_ramp", "off_ramp"}:
        needed = [*needed, *RAMP]
    yield from (Problem(name, "missing") for name in needed if absent(body, name))
    document = body.get("document")
    if document and document.get("type") not in DOCUMENTS.get(country, [document.get("type")]):
        words = ", ".join(DOCUMENTS[country])
        yield Problem("document.type", "invalid", f"must be one of {words}")


def kind_of(country, type_):
    """The name of a table of details."""
    if type_ == "crypto_wallet":
        return type_
    return f"{'SEPA' if country in SEPA else country}.{type_}"


def details(kind, given, ways):
    """Details in our names, and their problems in the service's."""
    if kind not in DETAILS:
        return {}, [Problem("type", "invalid", "is not available in this country")]
    own = ways["details"].get(kind, {})
    names, words = own.get("names", {}), own.get("words", {})
    table = DETAILS[kind] | dict.fromkeys(own.get("needs", ()), r".+")
    table = {
        our: words.get(our, rule) for our, rule in table.items() if our not in own.get("drops", ())
    }
    ours = {names.get(our, our): our for our in table}
    held, found = {}, []
    for their, our in ours.items():
        value, rule = given.get(their), table[our]
        if value in (None, ""):
            if our not in OPTIONAL.get(kind, ()):
                found.append(Problem(f"details.{their}", "missing"))
        elif isinstance(rule, list) and value not in rule:
            found.append(
                Problem(f"details.{their}", "invalid", f"must be one of {', '.join(rule)}")
            )
        elif isinstance(rule, str) and not re.fullmatch(rule, str(value)):
            found.append(Problem(f"details.{their}", "invalid", "has the wrong format"))
        held[our] = value
    if ways["unknown"] == "refuse":
        found += [Problem(f"details.{name}", "unknown") for name in given if name not in ours]
    return held, found
