"""Each deviation changes the service as its row in the tables of this file says."""

from __future__ import annotations

import json
from email.utils import parsedate_to_datetime

import pytest
from independent_service import DEVIATIONS, Service
from independent_service.caller import DETAILS, WALLET, Caller
from independent_service.deviations import changes_of
from independent_service.settings import OPERATIONS

KEY = "6f9619ff-8b86-4d11-b42d-00c04fc964ff"
UNKNOWN = "00000000-0000-4000-8000-000000000000"


def onramp(caller, country="MX"):
    """An active on-ramp individual and a wallet."""
    person = caller.person(country, "on_ramp").body
    caller.images(person, "document-front", "document-back", "selfie")
    caller.service.world.clock.now += 60
    return person, caller.account(person, "crypto_wallet").body


def open_account(caller, country="MX", headers=None, **change):
    """Create a conversion account and return the answer."""
    person, wallet = onramp(caller, country)
    body = {"individual_id": person["id"], "payout_account": {"id": wallet["id"]}}
    source = {"MX": "mxn", "PH": "php"}[country]
    whole = {**body, "source_currency": source, **change}
    return caller.post("create_conversion_account", whole, headers)


def deposit(caller, **change):
    """Make a deposit to an active conversion account and return the answer."""
    account = open_account(caller)
    body = {"conversion_account_id": account.body["id"], "amount": "40", "currency": "mxn"}
    return caller.post("create_deposit", {**body, **change})


def order(caller, country="MX", rail="spei", currency="MXN", kind="bank_account", **change):
    """The body of a quote or a transfer for a new account."""
    person = caller.person(country).body
    account = caller.account(person, kind).body
    body = {"financial_account": {"id": account["id"]}, "payout_method": rail}
    return {**body, "destination_currency": currency, "source_amount": "100", **change}


def quote(caller, *arguments, **change):
    """Create a quote and return the answer."""
    return caller.post("create_quote", order(caller, *arguments, **change))


def transfer(caller, headers=None, **change):
    """Create a transfer and return the answer."""
    return caller.post("create_transfer", order(caller, **change), headers)


def verdict(reply):
    """The status of an answer, and the problems when it is a 400."""
    return (reply.status, *(reply.problems if reply.status == 400 else ()))


def people(caller, count=3):
    """Create `count` individuals one second apart and return the list."""
    for number in range(count):
        caller.service.world.clock.now += 1
        caller.person(given_name=f"n{number}")
    return caller.get("list_individuals").body


def statuses(caller, seconds=0.06):
    """The status of a new transfer and its status after each of five steps of `seconds`."""
    made = transfer(caller).body
    found = [made["status"]]
    for _ in range(5):
        caller.service.world.clock.now += seconds
        found.append(caller.get("get_transfer", made["id"]).body["status"])
    return found


def verification(caller):
    """The status of an individual 10 s and 20 s after the images."""
    person = caller.person("MX", "on_ramp").body
    caller.images(person, "document-front", "selfie")
    found = []
    for _ in range(2):
        caller.service.world.clock.now += 10
        found.append(caller.get("get_individual", person["id"]).body["status"])
    return found


def provisioning(caller):
    """The HTTP status of a new MX account, and the account's status 10 s and 20 s later."""
    made = open_account(caller)
    found = [made.status]
    for _ in range(2):
        caller.service.world.clock.now += 10
        found.append(caller.get("get_conversion_account", made.body["id"]).body["status"])
    return found


def page_of(caller, count, operation="list_transfers", query="limit=100"):
    """The status and the number of rows of a page of seeded transfers."""
    caller.service.seed_transfers(count)
    reply = caller.get(operation, query=query)
    return reply.status, len(reply.body["data"]) if reply.status == 200 else 0


def keys_of_list(caller, operation):
    """The sorted keys of a list's envelope, or "array" for a bare array."""
    body = caller.get(operation).body
    return sorted(body) if isinstance(body, dict) else "array"


def limited(caller):
    """The statuses of the fourth, the fifth and a later request, and the headers of the fifth."""
    replies = [caller.get("list_conversions") for _ in range(5)]
    caller.service.world.clock.now += 1
    later = caller.get("list_conversions").status
    told = {key: text for key, text in replies[-1].headers.items() if key != "Content-Type"}
    return replies[-2].status, replies[-1].status, told, later


def refusal(caller):
    """The content type and the body of a 400 for a missing family name."""
    reply = caller.person(family_name=None)
    return reply.headers.get("Content-Type"), reply.body


def replay(caller):
    """The status of a new conversion account with the idempotency key of a transfer."""
    transfer(caller, headers={"idempotency-key": KEY})
    return open_account(caller, headers={"idempotency-key": KEY}).status


def twice_202(caller):
    """Whether a repeated key returns the same conversion account after a 202."""
    person, wallet = onramp(caller, "PH")
    body = {"individual_id": person["id"], "payout_account": {"id": wallet["id"]}}
    whole = {**body, "source_currency": "php"}
    replies = [
        caller.post("create_conversion_account", whole, {"idempotency-key": KEY}) for _ in range(2)
    ]
    return replies[0].body == replies[1].body


def details(caller, country, kind, changed):
    """The verdict on a new account with exactly these details."""
    person = caller.person(country).body
    body = {"individual_id": person["id"], "type": kind, "details": changed}
    return verdict(caller.post("create_account", body))


def empty_202(caller):
    """The status, whether the body is empty, and whether Location is the path of the account."""
    reply = open_account(caller)
    account = caller.get("list_conversion_accounts").body["data"][0]
    place = "/v1/conversion_accounts/" + account["id"]
    return reply.status, reply.body == "", reply.headers.get("Location") == place


def worded(caller):
    """The verdict on a wallet with a missing field, an unknown field and an invalid value."""
    refusing = Caller(
        Service(
            caller.service.deviations,
            settings={"details.unknown_keys": "refuse"},
            clock=caller.service.world.clock,
        )
    )
    return details(refusing, "MX", "crypto_wallet", {"network": "tron", "memo": "x"})


def sent_person(caller, **change):
    """The verdict on an individual with only the fields that are required by default."""
    nothing = dict.fromkeys(
        ("email", "phone", "date_of_birth", "document", "idv_consent_recorded_at")
    )
    return verdict(caller.person(**{**nothing, **change}))


def problem(field):
    """The problem of a missing field."""
    return (field, "Required")


def unknown(key, at="details"):
    """The problem of an unknown field."""
    return (at, f"Unrecognized key: {key}")


def strict(caller):
    """The statuses of requests that have one unknown field, each of another operation."""
    person = caller.person()
    account = {"individual_id": person.body["id"], "type": "bank_account", "note": "x"}
    return [
        caller.person(note="x").status,
        caller.post("create_account", account | {"details": DETAILS["MX", "bank_account"]}).status,
        caller.account(person.body, note="x").status,
        open_account(caller, note="x").status,
        deposit(caller, note="x").status,
        quote(caller, note="x").status,
        transfer(caller, note="x").status,
    ]


def account_id(caller):
    """The id of a new MX bank account."""
    return caller.account(caller.person().body).body["id"]


def delete_subscription(caller):
    """Create a subscription, delete it and return the status."""
    body = {"url": "https://example.com", "event_types": ["transfer.failed"]}
    key = caller.post("create_subscription", body).body["id"]
    return caller.ask("DELETE", f"/v1/webhook_subscriptions/{key}").status


def in_order(rows):
    """Whether the rows are sorted by creation time, ascending or descending."""
    times = [row["created_at"] for row in rows]
    return times in (sorted(times), sorted(times, reverse=True))


def outcome(caller, reference):
    """The status of a transfer with this reference after 60 s."""
    made = transfer(caller, client_reference_id=reference).body
    caller.service.world.clock.now += 60
    return caller.get("get_transfer", made["id"]).body["status"]


def token(caller, provider):
    """Submit the token of an identity provider and return the answer."""
    person = caller.person("US", "on_ramp").body
    body = {
        "provider": provider,
        "token": "abc",
        "applicant_id": "1",
        "partner_terms_accepted_at": "2026-01-31T09:30:00.000Z",
    }
    return caller.ask("POST", f"/v1/individuals/{person['id']}/verification_token", body)


WALLET_RENAMED = {"wallet_address": WALLET["address"], "blockchain": "base"}
FIRST = "verification_front_image_needed"

# name -> a function of a caller, and the value that it returns only with the deviation.
CASES = {
    "blank-query-line": (
        lambda caller: caller.ask("GET", "/v1/conversions", empty_query="blank").status,
        200,
    ),
    "key-hex": (lambda caller: caller.ask("GET", "/v1/conversions", encoding="hex").status, 200),
    "key-base64": (
        lambda caller: caller.ask("GET", "/v1/conversions", encoding="base64").status,
        200,
    ),
    "tolerance-30s": (
        lambda caller: (
            caller.ask("GET", "/v1/conversions", now=caller.service.world.clock() - 60).status
        ),
        401,
    ),
    "signing-403": (
        lambda caller: caller.ask("GET", "/v1/conversions", headers={"host": "x"}).status,
        403,
    ),
    "nonce-required": (
        lambda caller: caller.ask("GET", "/v1/conversions", nonce=False).status,
        401,
    ),
    "routing-before-signature": (
        lambda caller: caller.service.handle("GET", "/v1/nowhere", {})[0],
        404,
    ),
    "wallet-fields": (
        lambda caller: [
            details(caller, "MX", "crypto_wallet", WALLET),
            details(caller, "MX", "crypto_wallet", WALLET_RENAMED),
        ],
        [
            (
                400,
                unknown("address"),
                unknown("network"),
                problem("details.blockchain"),
                problem("details.wallet_address"),
            ),
            (201,),
        ],
    ),
    "wallet-fields-lenient": (
        lambda caller: [
            details(caller, "MX", "crypto_wallet", WALLET),
            details(
                caller, "MX", "crypto_wallet", {**WALLET, "wallet_address": "0x1", "chain": "base"}
            ),
        ],
        [(400, problem("details.chain"), problem("details.wallet_address")), (201,)],
    ),
    "clabe-account-number": (
        lambda caller: [
            details(caller, "MX", "bank_account", DETAILS["MX", "bank_account"]),
            details(caller, "MX", "bank_account", {"account_number": "646180110000000015"}),
        ],
        [(400, unknown("clabe"), problem("details.account_number")), (201,)],
    ),
    "clabe-number": (
        lambda caller: [
            details(caller, "MX", "bank_account", DETAILS["MX", "bank_account"]),
            details(caller, "MX", "bank_account", {"clabe_number": "646180110000000015"}),
        ],
        [(400, problem("details.clabe_number")), (201,)],
    ),
    "clabe-with-holder": (
        lambda caller: [
            details(caller, "MX", "bank_account", {**DETAILS["MX", "bank_account"], **more})
            for more in ({}, {"account_holder_name": "Ana Ejemplo"})
        ],
        [(400, problem("details.account_holder_name")), (201,)],
    ),
    "issuer-bank-code": (
        lambda caller: details(caller, "PH", "bank_account", DETAILS["PH", "bank_account"]),
        (400, problem("details.bank_code")),
    ),
    "strict-bodies": (strict, [400] * 7),
    "quote-fields": (
        lambda caller: [
            verdict(quote(caller)),
            {"rate", "valid_until"}
            <= set(quote(caller, destination_account={"id": account_id(caller)}).body),
        ],
        [(400, problem("destination_account")), True],
    ),
    "transfer-quote-reference": (
        lambda caller: [
            caller.post("create_transfer", {name: quote(caller).body["id"]}).status
            for name in ("quote_id", "quote")
        ],
        [400, 201],
    ),
    "conversion-account-customer": (
        lambda caller: verdict(open_account(caller)),
        (400, problem("customer_id")),
    ),
    "individual-email": (sent_person, (400, problem("email"))),
    "individual-phone": (sent_person, (400, problem("phone"))),
    "individual-birth": (sent_person, (400, problem("date_of_birth"))),
    "individual-everything": (
        sent_person,
        (400, *map(problem, ("date_of_birth", "document", "email", "phone"))),
    ),
    "address-complete": (
        sent_person,
        (400, *map(problem, ("address.city", "address.line_1", "address.postal_code"))),
    ),
    "transfer-reference-required": (
        lambda caller: verdict(transfer(caller)),
        (400, problem("client_reference_id")),
    ),
    "created-200": (
        lambda caller: [
            caller.person().status,
            quote(caller).status,
            transfer(caller).status,
            deposit(caller).status,
            caller.post(
                "create_subscription",
                {"url": "https://example.com", "event_types": ["transfer.failed"]},
            ).status,
            caller.account(caller.person().body).status,
        ],
        [200, 200, 200, 200, 200, 201],
    ),
    "delete-200": (delete_subscription, 200),
    "amounts-numbers": (
        lambda caller: quote(caller, source_amount="100.10").body["source_amount"],
        100.1,
    ),
    "amounts-numbers-only": (
        lambda caller: [
            verdict(quote(caller, source_amount="100.10")),
            quote(caller, source_amount=100.1).body["source_amount"],
        ],
        [(400, ("source_amount", "Expected number, received string")), 100.1],
    ),
    "currencies-lower": (lambda caller: quote(caller).body["destination_currency"], "mxn"),
    "unknown-fields": (lambda caller: "organization_id" in caller.person().body, True),
    "unknown-statuses": (
        statuses,
        ["awaiting_funds", "started", "processing", "completed", "completed", "completed"],
    ),
    "unknown-codes": (
        lambda caller: [
            each["code"] for each in caller.person("MX", "on_ramp").body["status_details"]
        ],
        [FIRST, "verification_selfie_needed", "verification_liveness_needed"],
    ),
    "request-id": (lambda caller: len(caller.person().headers.get("X-Request-Id", "")), 36),
    "correlation-id": (lambda caller: len(caller.person().headers.get("X-Correlation-Id", "")), 36),
    "empty-202": (empty_202, (202, True, True)),
    "empty-202-no-location": (empty_202, (202, True, False)),
    "lists-array": (
        lambda caller: [
            keys_of_list(caller, name) for name in ("list_transfers", "list_individuals")
        ],
        ["array", "array"],
    ),
    "individuals-array": (
        lambda caller: [row["given_name"] for row in people(caller)],
        ["n2", "n1", "n0"],
    ),
    "conversion-accounts-array": (
        lambda caller: keys_of_list(caller, "list_conversion_accounts"),
        "array",
    ),
    "conversions-array": (lambda caller: keys_of_list(caller, "list_conversions"), "array"),
    "webhooks-envelope": (
        lambda caller: keys_of_list(caller, "list_subscriptions"),
        ["cursor", "data", "has_next_page"],
    ),
    "envelope-names": (
        lambda caller: keys_of_list(caller, "list_transfers"),
        ["has_next", "items", "next"],
    ),
    "conversions-envelope-names": (
        lambda caller: [
            keys_of_list(caller, name) for name in ("list_conversions", "list_transfers")
        ],
        [["has_more", "next_cursor", "results"], ["cursor", "data", "has_next_page"]],
    ),
    "largest-page-50": (lambda caller: page_of(caller, 60), (400, 0)),
    "largest-page-50-silent": (lambda caller: page_of(caller, 60), (200, 50)),
    "oldest-first": (
        lambda caller: [row["given_name"] for row in people(caller)["data"]],
        ["n0", "n1", "n2"],
    ),
    "order-unknown": (lambda caller: in_order(people(caller, 12)["data"]), False),
    "networks-few": (
        lambda caller: [
            details(caller, "MX", "crypto_wallet", {**WALLET, "network": word})[0]
            for word in ("base", "polygon", "solana")
        ],
        [400, 201, 201],
    ),
    "networks-upper": (
        lambda caller: [
            details(caller, "MX", "crypto_wallet", {**WALLET, "network": word})[0]
            for word in ("base", "BASE")
        ],
        [400, 201],
    ),
    "rail-mx-bitso": (
        lambda caller: [quote(caller, "MX", rail).status for rail in ("spei", "bitso")],
        [400, 201],
    ),
    "rail-co-ach": (
        lambda caller: [quote(caller, "CO", rail, "COP").status for rail in ("ach_co", "ach")],
        [400, 201],
    ),
    "rail-ph-instapay": (
        lambda caller: [
            quote(caller, "PH", rail, "PHP").status for rail in ("pesonet", "instapay")
        ],
        [400, 201],
    ),
    "issuers-other": (
        lambda caller: [
            details(
                caller, "PH", "bank_account", {**DETAILS["PH", "bank_account"], "issuer": word}
            )[0]
            for word in ("bdo", "BNORPHMM")
        ],
        [400, 201],
    ),
    "pix-key-types": (
        lambda caller: [
            details(caller, "BR", "pix", {"pix_key": "ana@example.com", "pix_key_type": word})[0]
            for word in ("email", "EMAIL")
        ],
        [400, 201],
    ),
    "idv-provider": (
        lambda caller: [token(caller, word).status for word in ("idv_provider", "sumsub")],
        [400, 202],
    ),
    "errors-jsonapi": (
        refusal,
        (
            "application/vnd.api+json",
            {
                "errors": [
                    {
                        "status": "400",
                        "title": "Bad Request",
                        "source": {"pointer": "/family_name"},
                        "detail": "Required",
                    }
                ]
            },
        ),
    ),
    "errors-details": (
        refusal,
        (
            "application/json",
            {
                "message": "Validation failed",
                "details": [{"path": "family_name", "message": "Required"}],
            },
        ),
    ),
    "errors-issues": (
        refusal,
        (
            "application/json",
            {
                "success": False,
                "error": {
                    "name": "ZodError",
                    "issues": [
                        {"code": "invalid_type", "path": ["family_name"], "message": "Required"}
                    ],
                },
            },
        ),
    ),
    "errors-fields": (refusal, ("application/json", {"errors": {"family_name": ["Required"]}})),
    "errors-problem": (
        refusal,
        (
            "application/problem+json",
            {
                "type": "about:blank",
                "title": "Bad Request",
                "status": 400,
                "detail": "family_name: Required",
                "invalid-params": [{"name": "family_name", "reason": "Required"}],
            },
        ),
    ),
    "errors-code": (
        refusal,
        (
            "application/json",
            {
                "error": {
                    "code": "bad_request",
                    "message": "family_name: Required",
                    "param": "family_name",
                }
            },
        ),
    ),
    "errors-message": (refusal, ("application/json", {"message": "family_name: Required"})),
    "errors-list": (refusal, ("application/json", ["family_name: Required"])),
    "errors-text": (refusal, ("text/plain; charset=utf-8", "family_name: Required")),
    "errors-html": (
        refusal,
        (
            "text/html; charset=utf-8",
            "<html><head><title>400 Bad Request</title></head>"
            "<body>family_name: Required</body></html>",
        ),
    ),
    "errors-empty": (refusal, (None, "")),
    "words-zod": (
        worded,
        (
            400,
            ("details", "Unrecognized key(s) in object: 'memo'"),
            problem("details.address"),
            (
                "details.network",
                "Invalid enum value. Expected 'base' | 'ethereum' | 'polygon' | 'solana',"
                " received 'tron'",
            ),
        ),
    ),
    "words-joi": (
        worded,
        (
            400,
            ("details.address", '"details.address" is required'),
            ("details.memo", '"details.memo" is not allowed'),
            (
                "details.network",
                '"details.network" must be one of [base, ethereum, polygon, solana]',
            ),
        ),
    ),
    "words-pydantic": (
        worded,
        (
            400,
            ("details.address", "Field required"),
            ("details.memo", "Extra inputs are not permitted"),
            ("details.network", "Input should be 'base', 'ethereum', 'polygon', 'solana'"),
        ),
    ),
    "words-rails": (
        worded,
        (
            400,
            ("details.address", "can't be blank"),
            ("details.memo", "is not a permitted parameter"),
            ("details.network", "is not included in the list"),
        ),
    ),
    "words-terse": (
        worded,
        (
            400,
            ("details.address", "missing"),
            ("details.memo", "unknown"),
            ("details.network", "invalid"),
        ),
    ),
    "checks-before-lookup": (
        lambda caller: verdict(
            caller.post(
                "create_account",
                {
                    "individual_id": UNKNOWN,
                    "type": "crypto_wallet",
                    "details": {"address": "0x1"},
                },
            )
        ),
        (400, problem("details.network")),
    ),
    "provisioning-15s": (provisioning, [202, "pending", "active"]),
    "provisioning-202": (lambda caller: open_account(caller).status, 202),
    "provisioning-201": (lambda caller: open_account(caller, "PH").status, 201),
    "verification-15s": (verification, ["pending", "active"]),
    "payouts-15s": (
        lambda caller: statuses(caller, 10)[1:],
        ["awaiting_funds", "started", "completed", "completed", "completed"],
    ),
    "production": (lambda caller: deposit(caller).status, 403),
    "no-outcomes": (
        lambda caller: outcome(caller, "scenario:failed:1"),
        "completed",
    ),
    "idempotency-key-scope": (replay, 409),
    "idempotency-202": (twice_202, True),
    "idempotency-required": (lambda caller: transfer(caller).status, 400),
    "rate-limit": (limited, (200, 429, {"Retry-After": "1"}, 200)),
    "rate-limit-date": (
        lambda caller: parsedate_to_datetime(limited(caller)[2]["Retry-After"]).timestamp(),
        1_800_000_001,
    ),
    "rate-limit-reset": (limited, (200, 429, {"RateLimit-Reset": "1"}, 200)),
    "rate-limit-timestamp": (limited, (200, 429, {"X-RateLimit-Reset": "1800000001"}, 200)),
    "rate-limit-milliseconds": (limited, (200, 429, {"Retry-After-Ms": "1000"}, 200)),
}


# name -> the new path of each moved operation; None when the operation is removed.
MOVED = {
    "quotes-at-quote": {"create_quote": "/v1/quote"},
    "quotes-at-transfer-quotes": {"create_quote": "/v1/transfer_quotes"},
    "quotes-nested": {"create_quote": "/v1/transfers/quotes"},
    "quotes-kebab": {"create_quote": "/v1/transfer-quotes"},
    "deposit-singular": {"create_deposit": "/v1/sandbox/deposit"},
    "deposit-flat": {"create_deposit": "/v1/sandbox_deposits"},
    "deposit-nested": {"create_deposit": "/v1/conversion_accounts/{id}/deposits"},
    "deposit-simulations": {"create_deposit": "/v1/simulations/deposits"},
    "conversion-accounts-kebab": {
        "create_conversion_account": "/v1/conversion-accounts",
        "list_conversion_accounts": "/v1/conversion-accounts",
        "get_conversion_account": "/v1/conversion-accounts/{id}",
    },
    "conversion-accounts-nested": {"list_conversion_accounts": "/v1/conversions/accounts"},
    "conversions-at-on-ramp": {"list_conversions": "/v1/onramp/conversions"},
    "webhooks-path": {
        "create_subscription": "/v1/webhooks",
        "list_subscriptions": "/v1/webhooks",
        "get_subscription": "/v1/webhooks/{id}",
        "delete_subscription": "/v1/webhooks/{id}",
    },
    "webhooks-kebab": {
        "create_subscription": "/v1/webhook-subscriptions",
        "list_subscriptions": "/v1/webhook-subscriptions",
        "get_subscription": "/v1/webhook-subscriptions/{id}",
        "delete_subscription": "/v1/webhook-subscriptions/{id}",
    },
    "images-at-images": {"list_images": "/v1/individuals/{id}/images"},
    "images-kebab": {"list_images": "/v1/individuals/{id}/verification-images"},
    "individuals-at-customers": {"list_individuals": "/v1/customers"},
    "transfer-get-singular": {"get_transfer": "/v1/transfer/{id}"},
    "no-list-individuals": {"list_individuals": None},
    "no-list-images": {"list_images": None},
    "no-create-quote": {"create_quote": None},
    "no-get-transfer": {"get_transfer": None},
    "no-list-conversion-accounts": {"list_conversion_accounts": None},
    "no-create-deposit": {"create_deposit": None},
    "no-list-subscriptions": {"list_subscriptions": None},
    "no-get-subscription": {"get_subscription": None},
    "no-delete-subscription": {"delete_subscription": None},
}


def reached(caller, operation, path):
    """Whether a request to a path reaches the operation."""
    method = OPERATIONS[operation][0]
    target = path.replace("{id}", UNKNOWN)
    reply = caller.ask(method, target, {} if method == "POST" else None)
    found = caller.service.calls[-1].operation
    assert found == operation or reply.status in (404, 405)
    return found == operation


def test_every_deviation_has_a_case():
    """Every deviation has a test, and there are at least 26 deviations."""
    in_test_service = {"events-enveloped", "events-signed"}
    assert set(CASES) | set(MOVED) | in_test_service == set(DEVIATIONS)
    assert len(DEVIATIONS) >= 26


@pytest.mark.parametrize("name", CASES)
def test_a_deviation_changes_what_a_caller_receives(clock, name):
    """The function of the row returns the value of the row only with the deviation."""
    observe, expected = CASES[name]
    assert observe(Caller(Service([name], clock=clock))) == expected
    assert usual(observe, clock) != expected


def usual(observe, clock):
    """The value without a deviation, or None when the function fails on that answer."""
    clock.now = 1_800_000_000.0
    try:
        return observe(Caller(Service(clock=clock)))
    except (KeyError, TypeError):
        return None


@pytest.mark.parametrize("name", MOVED)
def test_a_moved_operation_is_reached_in_one_place(clock, name):
    """With the deviation only the new path works; without it only the default path works."""
    for operation, path in MOVED[name].items():
        places = [place for place in (OPERATIONS[operation][1], path) if place]
        found = [
            [reached(Caller(Service(chosen, clock=clock)), operation, place) for place in places]
            for chosen in ([], [name])
        ]
        assert found == ([[True, False], [False, True]] if path else [[True], [False]])


def test_a_deposit_below_its_account_needs_no_id_in_the_body(clock):
    """With `deposit-nested`, the account of a deposit is the one in the path."""
    caller = Caller(Service(["deposit-nested"], clock=clock))
    account = open_account(caller).body["id"]
    path = f"/v1/conversion_accounts/{account}/deposits"
    reply = caller.ask("POST", path, {"amount": "40", "currency": "mxn"})
    assert (reply.status, reply.body["conversion_account_id"]) == (201, account)


def test_several_deviations_work_together(clock):
    """Five deviations can be combined, and the answers show their effects."""
    names = [
        "blank-query-line",
        "quotes-at-quote",
        "wallet-fields",
        "errors-details",
        "largest-page-50",
    ]
    caller = Caller(Service(names, clock=clock))
    assert quote(caller).status == 201
    assert caller.service.calls[-1].target == "/v1/quote"
    blank = [caller.ask("GET", "/v1/conversions", empty_query=word) for word in ("blank", "omit")]
    assert [reply.status for reply in blank] == [200, 401]
    assert page_of(caller, 60)[0] == 400
    person = caller.person().body
    refused = caller.account(person, "crypto_wallet").body
    assert {"path": "details.wallet_address", "message": "Required"} in refused["details"]


@pytest.mark.parametrize(
    ("names", "words"),
    [
        (["no-such"], "unknown deviation 'no-such'"),
        (["quotes-at-quote", "quotes-nested"], "'quotes-nested' contradicts"),
        (["wallet-fields", "wallet-fields-lenient"], "'wallet-fields-lenient' contradicts"),
    ],
)
def test_names_that_cannot_be_combined_are_refused(names, words):
    """An unknown or contradicting deviation raises a ValueError that names it."""
    with pytest.raises(ValueError, match=words):
        changes_of(names)


def test_the_settings_of_a_deviation_can_be_written_down():
    """The settings of every deviation can be written as JSON, and each has a description."""
    for name, deviation in DEVIATIONS.items():
        assert deviation.changes, name
        assert json.loads(json.dumps(deviation.changes)) == as_lists(deviation.changes), name
        assert deviation.says, name


def as_lists(value):
    """The value with a list in place of each tuple, which JSON does not have."""
    if isinstance(value, dict):
        return {key: as_lists(each) for key, each in value.items()}
    return [as_lists(each) for each in value] if isinstance(value, list | tuple) else value
