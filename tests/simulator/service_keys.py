"""Observe the value of each setting of a service from the simulator's answers.

An observer takes a client of a simulator, and returns the value of a setting as it appears in raw
bodies, statuses and headers of signed requests. Nothing in this module reads a Service.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import itertools
import json
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime

from paylab import emvqr

ADDRESS = {"line_1": "1", "line_2": "2", "city": "c", "state": "s", "postal_code": "0"}
PERSON = {
    "product_types": ["global_payouts"],
    "given_name": "Ana",
    "family_name": "Reyes",
    "email": "a@example.com",
    "phone": "+910000000000",
    "date_of_birth": "1990-02-28",
    "idv_consent_recorded_at": "2026-01-15T11:00:00Z",
}
DOCUMENTS = {"MX": "curp", "PH": "tin", "BR": "cpf", "CO": "cc", "AR": "cuit"}
QR = emvqr.qrph(acquirer="EAWRPHM2XXX", account="1", name="Ana", city="Cebu")
HOLDER = {"account_holder_name": "Ana Reyes"}
DETAILS = {
    "AR.bank_account": {"account_number": "0" * 22, "account_type": "cbu"},
    "BR.pix": {"pix_key": "a@b.co", "pix_key_type": "email"},
    "CO.bank_account": {"bank_code": "1", "account_number": "2", "account_type": "savings"},
    "IN.upi": {"upi_id": "asha@bank"},
    "MX.bank_account": {"clabe": "002010077777777771"},
    "PH.bank_account": {"issuer": "bdo", "account_number": "1", **HOLDER},
    "PH.digital_wallet": {"issuer": "gcash", "account_number": "1", **HOLDER},
    "PH.ph_qr_code": {"qrph_payload": QR},
    "GB.bank_account": {
        "bank_account_country": "GB",
        "sort_code": "123456",
        "account_number": "12345678",
        **HOLDER,
    },
    "SEPA.bank_account": {
        "bank_account_country": "DE",
        "iban": "DE89370400440532013000",
        "bic": "ABCDDEFF",
        **HOLDER,
    },
    "crypto_wallet": {"address": "0xabc", "network": "base"},
}
PIX_KEYS = {
    "cpf": "0" * 11,
    "cnpj": "0" * 14,
    "email": "a@b.co",
    "phone": "+5511987654321",
    "evp": "00000000-0000-4000-8000-000000000000",
    "random": "x",
}
ROUTES = {
    "AR": ("ARS", "cbu_cvu"),
    "BR": ("BRL", "pix"),
    "CO": ("COP", "ach_co"),
    "IN": ("INR", "upi"),
    "MX": ("MXN", "spei"),
    "PH": ("PHP", "instapay"),
    "GB": ("GBP", "faster_payments"),
    "SEPA": ("EUR", "sepa_instant"),
}
UUID = "6f9619ff-8b86-4d11-b42d-00c04fc964ff"
KEY = {"idempotency_key": UUID}


def person(country="MX", *products, **change):
    """The body of an individual with all optional fields."""
    document = {"type": DOCUMENTS.get(country, "passport")}
    products = list(products or ("global_payouts",))
    own = {"country": country, "address": {"country": country, **ADDRESS}, "document": document}
    return PERSON | own | {"product_types": products} | change


def country_of(place):
    """A country that uses an account type, and the type."""
    country, _, kind = place.rpartition(".")
    return {"SEPA": "DE", "": "MX"}.get(country, country), kind


def posted(caller, path, body, **extra):
    """Send a POST, and return the answer."""
    return caller.post(f"/v1/{path}", body, **extra)


def owner(caller, country="MX", *products):
    """Create an active individual with any products."""
    products = products or ("global_payouts",)
    made = posted(caller, "individuals", person(country, *products)).json
    if made["status"] == "action_required":
        caller.upload(made["id"])
        caller.advance(2)
    return made


def account(caller, place, details=None, who=None):
    """Create a financial account, and return the answer."""
    country, kind = country_of(place)
    who = who or owner(caller, country)
    body = {"individual_id": who["id"], "type": kind, "details": details or DETAILS[place]}
    return posted(caller, "financial_accounts", body)


def terms(caller, place="MX.bank_account", **change):
    """The terms of a quote or transfer to a new account."""
    currency, rail = ROUTES[place.partition(".")[0]]
    paid = {"source_currency": "usd", "destination_currency": currency, "source_amount": "100"}
    to = {"financial_account": {"id": account(caller, place).json["id"]}, "payout_method": rail}
    return paid | to | change


def off_ramp(caller, *networks, **change):
    """The terms of a stablecoin transfer by an individual with wallets."""
    who = owner(caller, "MX", "off_ramp", "global_payouts")
    for network in networks or ("base",):
        account(caller, "crypto_wallet", {"address": "0xabc", "network": network}, who)
    to = {"id": account(caller, "MX.bank_account", who=who).json["id"]}
    return terms(caller) | {"financial_account": to, "source_currency": "usdc"} | change


def opening(caller, country="MX", **change):
    """The body of a conversion account."""
    who = owner(caller, country, "on_ramp")
    wallet = account(caller, "crypto_wallet", who=who).json["id"]
    currency = {"MX": "mxn", "PH": "php"}[country]
    to = {"payout_account": {"id": wallet}, "source_currency": currency}
    return {"individual_id": who["id"]} | to | change


def paying(caller, **change):
    """The body of a sandbox deposit."""
    made = posted(caller, "conversion_accounts", opening(caller)).json
    return {"conversion_account_id": made["id"], "amount": "10", "currency": "mxn"} | change


BODIES = {
    "individuals": ("individuals", lambda caller: person()),
    "quotes": ("quotes", terms),
    "transfers": ("transfers", lambda caller: off_ramp(caller, "base", "polygon")),
    "conversion_accounts": ("conversion_accounts", opening),
    "sandbox_deposits": ("sandbox/deposits", paying),
}
BAD = {"client_reference_id": "x" * 2000, "sender_name": 7, "given_name": 7, "family_name": 7}


def good(status):
    """Whether a status means success."""
    return status in (200, 201, 202, 204)


def without(body, *names):
    """A body without some fields."""
    return {name: value for name, value in body.items() if name not in names}


def find(value, wanted, at=""):
    """The dotted path of the first value in a body that meets a condition, or "none"."""
    if wanted(value):
        return at
    inside = value.items() if isinstance(value, dict) else ()
    places = (find(each, wanted, f"{at}.{name}" if at else name) for name, each in inside)
    return next((place for place in places if place != "none"), "none")


def placed(place, value):
    """An object with a value at a dotted path."""
    for name in reversed(place.split(".")):
        value = {name: value}
    return value


def at(value, place):
    """The value at a dotted path."""
    for name in place.split("."):
        value = value[name]
    return value


# Paths and signing

METHODS = {"quotes": "POST", "sandbox_deposits": "POST", "delete_webhook_subscription": "DELETE"}
LISTED = ("individuals", "transfers", "conversion_accounts", "conversions", "webhook_subscriptions")


def path(caller, key, candidates):
    """The only candidate path that is an operation; for a list, the only one that returns 200."""
    name = key.partition(".")[2]
    writes = name.startswith(("create_", "submit_", "upload_", "update_"))
    method = METHODS.get(name, "POST" if writes else "GET")

    def is_there(template):
        target = template.replace("{id}", "x").replace("{conversion_account_id}", "x")
        answer = caller.call(method, target, {} if method == "POST" else None)
        if name in LISTED:
            return answer.status == 200
        return answer.status != 405 and b"the path does not exist" not in answer.body

    found = [each for each in candidates if each != "none" and is_there(each)]
    assert len(found) <= 1, found
    return found[0] if found else "none"


EMPTY_HASH = hashlib.sha256(b"").hexdigest()
PATH = "/v1/transfers"
NONCE = "1768478400000000001"


def signed(  # each argument is one variant
    caller,
    *,
    blank=False,
    key=str.encode,
    nonce=NONCE,
    ago=0,
    sign=True,
    body_hash=EMPTY_HASH,
    path=PATH,
    query="",
    signed_query=None,
    host="simulator.localhost:8080",
    date="{:%Y-%m-%dT%H:%M:%S}.000Z".format,
    order=sorted,
    finish=lambda mac: base64.b64encode(mac.hex().encode()).decode(),
):
    """The status of a GET that is signed with one variant of the signature."""
    moment = caller.now() - timedelta(seconds=ago)
    headers = {
        "host": "simulator.localhost:8080",
        "x-api-key": caller.simulator.api_key,
        "x-content-sha256": body_hash,
        "x-date": date(moment),
        **({"x-nonce": nonce} if nonce else {}),
    }
    names = order(headers)
    shown = query if signed_query is None else signed_query
    lines = ["GET", path, *([shown] if blank or shown else [])]
    lines += [f"{name}:{host if name == 'host' else headers[name]}" for name in names]
    canonical = "\n".join([*lines, ";".join(names), headers["x-content-sha256"]])
    hashed = hashlib.sha256(canonical.encode()).hexdigest()
    text = f"HMAC-SHA256\n{headers['x-date']}\n{hashed}"
    mac = hmac.digest(key(caller.simulator.secret_key), text.encode(), "sha256")
    value = finish(mac) if sign else "x"
    credential = f"Credential={caller.simulator.api_key},SignedHeaders={';'.join(names)}"
    headers["authorization"] = f"HMAC-SHA256 {credential},Signature={value}"
    target = f"{PATH}?{query}" if query else PATH
    return caller.carry("GET", target, headers, b"").status


def key_encoding(caller):
    """The only encoding of the secret with which a signature verifies."""
    ways = {"utf-8": str.encode, "hex": bytes.fromhex, "base64": base64.b64decode}
    found = []
    for number, (name, way) in enumerate(ways.items()):
        try:
            if signed(caller, key=way, nonce=f"176847840000000000{number}") == 200:
                found.append(name)
        except ValueError:
            continue
    return found[0] if len(found) == 1 else found


def form_of(caller, variants):
    """The only variant of a signature that verifies: by its name, the changed arguments."""
    found = [
        name
        for number, (name, change) in enumerate(variants.items())
        if signed(caller, nonce=f"176847840000000001{number}", **change) == 200
    ]
    return found[0] if len(found) == 1 else found


def tolerance(caller, candidates):
    """The age in seconds at which a date is accepted, while one second more is refused."""
    nonces = (f"1768478400000{number:06d}" for number in itertools.count())
    for seconds in candidates:
        statuses = [signed(caller, ago=seconds + more, nonce=next(nonces)) for more in (0, 1)]
        if statuses == [200, 401]:
            return seconds
    return None


# Errors and rate limits


def problem(caller):
    """The list of problems of a body with an invalid nested field, and the answer."""
    answer = posted(caller, "individuals", person(document={}))
    return next(each for each in answer.json.values() if not isinstance(each, str)), answer


def list_form(caller):
    """The form of the list of problems."""
    found, _ = problem(caller)
    return "by_field" if isinstance(found, dict) else _item_form(found[0])


def _item_form(item):
    return "sentences" if isinstance(item, str) else "objects"


def field_form(caller):
    """The notation for the name of a nested field."""
    named = {"document.type": "dotted", "/document/type": "pointer", ("document", "type"): "list"}
    field = problem(caller)[0][0]["field"]
    return named[tuple(field) if isinstance(field, list) else field]


def limited(caller):
    """The name and value of the additional header of a 429."""
    caller.post("/_simulator/faults", {"kind": "status", "status": 429, "retry_after": 2})
    found = without(caller.get("/v1/transfers").headers, "content-type", "date")
    ((name, value),) = found.items()
    return name, value


def unit(caller):
    """The unit of the additional header of a 429, on a frozen clock."""
    _, value = limited(caller)
    start = caller.now().timestamp()
    forms = {"2": "seconds", "2000": "milliseconds", str(int(start) + 2): "unix_time"}
    is_date = value not in forms and parsedate_to_datetime(value).timestamp() == start + 2
    return "date" if is_date else forms[value]


def case(caller):
    """The letter case in which currencies are accepted."""
    body = terms(caller)
    good_ones = [
        name
        for name, change in (("upper", str.upper), ("lower", str.lower))
        if good(
            posted(
                caller,
                "quotes",
                body
                | {
                    "source_currency": change(body["source_currency"]),
                    "destination_currency": change(body["destination_currency"]),
                },
            ).status
        )
    ]
    return "any" if len(good_ones) == 2 else good_ones[0]


# Individuals and accounts


def required(caller, body, send, names):
    """The fields without which a body is refused with a problem about that field."""
    found = set()
    for name in names:
        outer, _, inner = name.partition(".")
        less = without(body, outer)
        if inner:
            less = body | {outer: without(body[outer], inner)}
        answer = send(less)
        blamed = {each["field"] for each in answer.json.get("errors", [])}
        if not good(answer.status) and any(each.endswith(name) for each in blamed):
            found.add(name)
    return found


def status_after(caller, family_name):
    """The status after the verification of an individual with this family name."""
    made = posted(caller, "individuals", person("MX", "on_ramp", family_name=family_name)).json
    caller.upload(made["id"])
    caller.advance(2)
    return caller.get(f"/v1/individuals/{made['id']}").json["status"]


def asked_for(caller, country, kind=None):
    """The status detail codes of a new on-ramp individual."""
    change = {"document": {"type": kind}} if kind else {}
    made = posted(caller, "individuals", person(country, "on_ramp", **change)).json
    return {each["code"] for each in made["status_details"]}


def provider(caller, candidates):
    """The provider whose verification tokens are accepted."""
    who = posted(caller, "individuals", person("US", "on_ramp")).json["id"]
    body = {"token": "t", "applicant_id": "a", "partner_terms_accepted_at": "2026-01-15T11:00:00Z"}
    target = f"individuals/{who}/verification_token"
    sent = (
        each
        for each in candidates
        if posted(caller, target, body | {"provider": each}).status == 202
    )
    return next(sent)


def allowed(caller, place, field, candidates):
    """The values that are accepted for a field of the account details."""
    who, found = owner(caller, country_of(place)[0]), []
    for word in candidates:
        change = {"pix_key": PIX_KEYS[word]} if field == "pix_key_type" else {}
        answer = account(caller, place, DETAILS[place] | {field: word} | change, who)
        found += [word] if answer.status == 201 else []
    return found


def field_name(caller, place, ours, candidates):
    """The name of a field of the account details, in requests and answers."""
    who, found = owner(caller, country_of(place)[0]), []
    for name in candidates:
        details = without(DETAILS[place], ours) | {name: DETAILS[place][ours]}
        answer = account(caller, place, details, who)
        bad = account(caller, place, details | {name: 7}, who)
        if (answer.status, bad.status) == (201, 400) and answer.json["details"] == details:
            shown = caller.get(f"/v1/individuals/{who['id']}").json["financial_accounts"][-1]
            assert shown["details"] == details
            found.append(name)
    return found[0] if len(found) == 1 else found


def request_name(caller, table, ours, candidates):
    """The name of a field of a request, and the answer to a request that uses it.

    Under that name, a valid value is accepted and an invalid one is refused.
    """
    target, make = BODIES[table]
    body, found = make(caller), {}
    value = body.get(ours, SAMPLES.get(ours))
    if ours.endswith(("destination_amount", "net_source_amount")):
        body, value = without(body, "source_amount"), "50"
    if ours == "quote_id":
        quoted = posted(caller, "quotes", body | {"source_network": "base"}).json["id"]
        body, value = {}, quoted
    if ours.endswith("account_id") and table != "sandbox_deposits":
        outer = ours.removesuffix("_id")
        body, value = without(body, outer), body[outer]["id"]
    for name in candidates:
        less = without(body, ours)
        bad = posted(caller, target, less | {name: BAD.get(ours, "@")})
        answer = posted(caller, target, less | {name: value})
        if not good(bad.status) and good(answer.status):
            found[name] = answer.json
    assert len(found) == 1, found.keys()
    return found.popitem()


SAMPLES = {
    "source_network": "base",
    "source_type": "prefunded",
    "client_reference_id": "r-1",
    "sender_name": "Ana",
    "destination_currency": "USDC",
    "source_currency": "usd",
}


def answer_name(caller, table, candidates):
    """The name of a field of the answer."""
    target, make = BODIES[table]
    shown = posted(caller, target, make(caller) | EXTRA.get(table, {})).json
    found = [name for name in candidates if name in shown]
    return found[0] if len(found) == 1 else found


EXTRA = {"conversion_accounts": {"client_reference_id": "r-1"}}


# Quotes, transfers and the on-ramp


def longest(caller, table, candidates):
    """The maximum length of a reference."""
    target, make = BODIES[table]
    body = make(caller)
    for size in candidates:
        sent = (body | {"client_reference_id": "x" * each} for each in (size, size + 1))
        if [good(posted(caller, target, each).status) for each in sent] == [True, False]:
            return size
    return None


def seconds_between(one, other):
    """The number of seconds between two timestamps."""
    first, second = (datetime.fromisoformat(each).astimezone(UTC) for each in (one, other))
    return (second - first).total_seconds()


def state(caller):
    """The status of a second transfer from the same quote."""
    quote = posted(caller, "quotes", terms(caller)).json["id"]
    return [posted(caller, "transfers", {"quote_id": quote}).status for _ in range(2)][1]


def default_network(caller):
    """The network of the deposit instructions when the transfer names no network."""
    body = off_ramp(caller, "base", "ethereum", source_type="deposit")
    answer = posted(caller, "transfers", body)
    return (
        answer.json["deposit_instructions"]["payment_methods"][0] if good(answer.status) else "none"
    )


def stored(caller):
    """The statuses that an idempotency key replays; MX returns 201, PH 202."""
    found = set()
    for country, key in (("MX", UUID), ("PH", UUID.replace("6", "7"))):
        body = opening(caller, country)
        twice = [posted(caller, "conversion_accounts", body, idempotency_key=key) for _ in "12"]
        if twice[1].headers.get("idempotency-replayed"):
            found.add(twice[1].status)
    return found


def missing_sender(caller):
    """The outcome of a deposit without a sender name."""
    answer = posted(caller, "sandbox/deposits", paying(caller, sender_name=""))
    if answer.status == 400:
        return "refused"
    caller.advance(3)
    (row,) = caller.get("/v1/conversions").json["data"]
    return {"pending": "held", "completed": "accepted"}[row["status"]]


def instructions(caller, kind):
    """A conversion account or a transfer that has deposit instructions of this kind."""
    if kind == "crypto_wallet":
        return posted(caller, "transfers", off_ramp(caller, source_type="deposit")).json
    country = {"mx_virtual_account": "MX", "ph_qr_code": "PH"}[kind]
    made = posted(caller, "conversion_accounts", opening(caller, country)).json["id"]
    caller.advance(1)
    return caller.get(f"/v1/conversion_accounts/{made}").json


# Lists and webhooks


def filled(caller, name, count=3):
    """Create this many rows, a second apart, and return the path of the list."""
    body = opening(caller) if name == "conversion_accounts" else {}
    if name == "transfers":
        caller.post("/_simulator/seed", {"transfers": count})
    elif name == "conversions":
        caller.post("/_simulator/seed", {"conversions": count})
    else:
        usual = {"individuals": person(), "webhook_subscriptions": SUBSCRIPTION}
        for _ in range(count):
            posted(caller, name, body or usual[name])
            caller.advance(1)
    return f"/v1/{name}"


SUBSCRIPTION = {"url": "https://example.com/", "event_types": ["transfer.created"]}


def rows_of(answer):
    """The rows of a list answer, at any depth."""
    place = find(answer.json, lambda value: isinstance(value, list))
    return at(answer.json, place) if place else answer.json


def order(caller, name):
    """The order of a list by created_at, over several pages."""
    target, cursor, times = filled(caller, name, 6), "", []
    while cursor is not None:
        answer = caller.get(f"{target}?limit=2{f'&cursor={cursor}' if cursor else ''}")
        times += [row["created_at"] for row in answer["data"]]
        cursor = answer["cursor"]
    if times == sorted(times, reverse=True):
        return "newest_first"
    return "oldest_first" if times == sorted(times) else "unknown"


def delivered(caller, sent):
    """The decoded body, the headers and the raw body of the first webhook delivery."""
    posted(caller, "webhook_subscriptions", SUBSCRIPTION)
    posted(caller, "transfers", terms(caller))
    body, headers = sent[0]
    return json.loads(body), headers, body
