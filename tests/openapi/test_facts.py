"""Single facts of the document, typed from the spec and from the settings of a service."""

from __future__ import annotations

from functools import cache

import pytest

from paylab.openapi import document
from paylab.spec.service import Service

STATUSES = {
    "createIndividual": "201 400 401 413 415 429",
    "getIndividual": "200 400 401 404 429",
    "submitVerificationToken": "202 400 401 404 413 415 422 429",
    "uploadVerificationImages": "200 400 401 404 413 415 422 429",
    "updateFinancialAccount": "201 400 401 404 413 415 422 429",
    "createTransfer": "201 400 401 404 409 413 415 422 429",
    "listTransfers": "200 400 401 429",
    "createConversionAccount": "201 202 400 401 404 409 413 415 422 429",
    "simulateDeposit": "201 400 401 403 404 413 415 422 429",
    "listWebhookSubscriptions": "200 400 401 429",
    "deleteWebhookSubscription": "204 400 401 404 429",
}
TRANSFERS, JSON = "paths > /v1/transfers", "content > application/json"
SIGNATURE = "components > securitySchemes > signature > description"
DEPOSITS = "/v1/conversion_accounts/{id}/deposits"
BY_FIELD = {"type": "object", "additionalProperties": {"type": "string"}}
SENTENCES = {"type": "array", "items": {"type": "string"}}
BAD_CURSOR = {"schema": {"$ref": "#/components/schemas/PaginationError"}}
REQUIRED = ["data", "has_next_page", "cursor"]
TERMS = ["payout_method", "destination_currency"]
ACCOUNT = ["individual_id", "payout_account", "source_currency"]
STEPS = ("created", "funded", "payout_initiated", "completed", "failed", "expired")
TRANSFER_EVENTS = [f"transfer.{step}" for step in STEPS]
TRANSFER_STATUSES = [
    *("pending", "awaiting_funds", "started", "completed", "cancelled", "failed", "expired"),
    "under_review",
]
ON_RAMP = f"paths > /v1/conversion_accounts > post > requestBody > {JSON} > examples > MX > value"
PROBLEM = ["field", "message"]
FACTS = [
    ({}, "SEPABankAccountDetails > description", "of a bank_account in the SEPA countries."),
    ({}, "MXBankAccountDetails > description", "of a bank_account in Mexico."),
    ({}, "CryptoWalletDetails > description", "of a crypto_wallet anywhere."),
    ({}, "PHPhQrCodeDetails > properties > qrph_payload > description", "a valid QR Ph text."),
    ({}, "MXBankAccountDetails > properties > clabe > minLength", 1),
    ({}, "OtherDetails > additionalProperties", True),
    ({}, "ObjectReference > required", ["id"]),
    ({}, "Transfer > properties > source_amount > description", "in source_currency, fees"),
    ({}, "TransferInput > properties > source_amount > description", "in source_currency, fees"),
    ({}, "TransferInput > properties > source_type > description", "Assumed: prefunded, deposit."),
    ({}, "TransferInput > allOf > 0 > anyOf > 0 > title", "Without a quote"),
    (
        {"quotes.fields.source_amount": "money.value"},
        "QuoteInput > properties > money > properties > value > x-origin",
        "yours",
    ),
    (
        {"conversion_accounts.fields.individual_id": "individual.id"},
        "ConversionAccountInput > properties > individual > required",
        ["id"],
    ),
    (
        {"conversion_accounts.fields.payout_account_id": "wallet.id"},
        "ConversionAccount > properties > wallet > $ref",
        "FinancialAccount",
    ),
    ({"objects.missing": "null"}, "Individual > properties > document > anyOf > 1 > type", "null"),
    ({"idempotency.operations": "every_post"}, "info > description", "Every POST takes an"),
    (
        {"idempotency.operations": "every_post"},
        "paths > /v1/individuals > post > x-idempotent",
        True,
    ),
    ({}, "IndividualInput > allOf > 0 > anyOf > 0 > title", "Argentina"),
    (
        {"individuals.required": ["product_types", "given_name", "address.city"]},
        "IndividualInput > allOf > 2",
        {"required": ["address"], "properties": {"address": {"required": ["city"]}}},
    ),
    (
        {},
        "paths > /v1/webhook_subscriptions > get > responses > 400 > description",
        "refused when:\n\n- a query parameter or a header is not known",
    ),
    (
        {},
        f"{TRANSFERS} > get > responses > 400 > description",
        "refused when:\n\n- a query parameter is invalid or not known\n- the cursor is not",
    ),
    ({}, "DepositInstructions > properties > currency > pattern", "^[a-z]{3,4}$"),
    ({}, "Transfer > properties > fee_currency > pattern", "^[A-Z]{3,4}$"),
    ({}, "TransferSnapshot > properties > fee_currency > pattern", "^[a-z]{3,4}$"),
    ({}, "Transfer > properties > failure_reason > type", ["string", "null"]),
    ({"amounts.answers": "number"}, "Transfer > properties > exchange_rate > type", "number"),
    ({}, "Individual > properties > date_of_birth > format", "date"),
    ({}, "IndividualInput > properties > product_types > items > $ref", "/Product"),
    ({}, "TransferPage > required", REQUIRED),
    ({}, "QuoteInput > required", TERMS),
    (
        {"quotes.default_source_currency": "none"},
        "QuoteInput > required",
        [TERMS[0], "source_currency", TERMS[1]],
    ),
    ({}, "ConversionAccountInput > required", ACCOUNT),
    (
        {"conversion_accounts.default_destination_currency": "none"},
        "ConversionAccountInput > required",
        [*ACCOUNT, "destination_currency"],
    ),
    ({}, f"{ON_RAMP} > source_currency", "mxn"),
    (
        {"conversion_accounts.default_destination_currency": "none"},
        f"{ON_RAMP} > destination_currency",
        "USDC",
    ),
    ({}, "Transfer > properties > status > type", "string"),
    ({}, "Transfer > properties > status > description", "a later version may have more"),
    ({}, "Transfer > properties > status > x-extensible-enum", TRANSFER_STATUSES),
    ({}, "webhooks > transfer.created > post > tags", ["Events"]),
    ({}, "components > securitySchemes > signature > type", "apiKey"),
    ({}, "components > securitySchemes > signature > name", "Authorization"),
    ({}, "TransferEvent > properties > event_type > x-extensible-enum", TRANSFER_EVENTS),
    ({"lists.more": "none"}, "TransferPage > required", [REQUIRED[0], REQUIRED[2]]),
    ({}, "WebhookSubscriptionInput > properties > event_types > minItems", 1),
    ({}, "ImageUpload > properties > images > minItems", 1),
    ({}, "ImageUpload > properties > images > maxItems", 10),
    (
        {"amounts.requests": "number"},
        "DepositInput > properties > amount",
        {"type": "number", "exclusiveMinimum": 0, "x-origin": "spec"},
    ),
    ({}, "ErrorResponse > required", ["error"]),
    ({"errors.list_form": "by_field"}, "ErrorResponse > properties > errors", BY_FIELD),
    ({"errors.list_form": "sentences"}, "ErrorResponse > properties > errors", SENTENCES),
    ({}, "FieldProblem > required", PROBLEM),
    ({}, "FieldProblem > properties > field > type", "string"),
    ({"errors.field_form": "list"}, "FieldProblem > properties > field > type", "array"),
    ({}, f"{TRANSFERS} > post > x-idempotent", True),
    ({}, f"{TRANSFERS} > post > responses > 201 > headers > Idempotency-Replayed > schema", {}),
    ({}, f"{TRANSFERS} > post > parameters > 0 > required", False),
    ({"idempotency.key": "required"}, f"{TRANSFERS} > post > parameters > 0 > required", True),
    ({}, f"{TRANSFERS} > post > requestBody > required", True),
    ({}, f"{TRANSFERS} > get > parameters > 0 > required", False),
    ({}, f"{TRANSFERS} > get > parameters > 0 > schema > minimum", 1),
    ({}, f"{TRANSFERS} > get > parameters > 0 > schema > maximum", 100),
    ({}, f"{TRANSFERS} > get > parameters > 2 > schema > $ref", "/Product"),
    ({}, f"{TRANSFERS} > get > x-pagination > kind", "cursor"),
    (
        {"lists.transfers.items": "none"},
        f"{TRANSFERS} > get > responses > 200 > {JSON} > schema > type",
        "array",
    ),
    ({}, "paths > /v1/individuals/{id} > get > parameters > 0 > required", True),
    ({}, "paths > /v1/individuals/{id} > get > parameters > 0 > schema > minLength", 1),
    ({}, "paths > /v1/individuals/{id} > get > parameters > 0 > description", "the individual."),
    ({}, "paths > /v1/conversion_accounts > post > responses > 202 > description", "not ready"),
    (
        {"paths.sandbox_deposits": DEPOSITS},
        f"paths > {DEPOSITS} > post > parameters > 0 > description",
        "the conversion account.",
    ),
    ({}, "paths > /v1/sandbox/deposits > post > x-sandbox-only", True),
    ({}, "webhooks > transfer.created > post > requestBody > required", True),
    (
        {"webhooks.signature_header": "X-Signature"},
        "webhooks > transfer.created > post > parameters > 0 > name",
        "X-Signature",
    ),
    (
        {"webhooks.signature_header": "X-Signature"},
        "webhooks > transfer.created > post > description",
        "X-Signature is the HMAC-SHA256",
    ),
    ({}, "webhooks > transfer.created > post > description", "Deliveries are not signed."),
    (
        {"webhooks.event_types": ["other.event"]},
        f"webhooks > other.event > post > requestBody > {JSON} > schema",
        {"type": "object"},
    ),
    ({}, SIGNATURE, "in lower-case hex, of zero bytes without a body"),
    ({"signing.hash_encoding": "base64"}, SIGNATURE, "of the body in Base64, of zero bytes"),
    ({"signing.empty_body": "blank"}, SIGNATURE, "hex, empty without a body"),
    ({}, SIGNATURE, "`X-Nonce`: recommended;"),
    ({"signing.nonce": "required"}, SIGNATURE, "`X-Nonce`: required;"),
    ({}, SIGNATURE, "\n\n1. the method\n2. the path"),
    ({}, "tags > 3 > description", "Payouts to the financial accounts of individuals."),
]


@cache
def made(settings):
    """The document of a service with these settings."""
    return document(Service(dict(settings)))


def fact(settings, place):
    """What stands at a place; a schema is named without the way to it."""
    found = made(tuple((name, given(value)) for name, value in settings.items()))
    steps = place.split(" > ")
    if steps[0] not in found:
        found = found["components"]["schemas"]
    for step in steps:
        found = found[int(step) if isinstance(found, list) else step]
    return found


def given(value):
    """A value of a setting that can be a key."""
    return tuple(value) if isinstance(value, list) else value


@pytest.mark.parametrize(("settings", "place", "expected"), FACTS)
def test_a_fact_of_the_document_is_found(settings, place, expected):
    """A text is found in the document's, an object in its object, anything else is equal."""
    found = fact(settings, place)
    if isinstance(expected, str):
        assert expected in found
    elif isinstance(expected, dict):
        assert expected.items() <= found.items()
    else:
        assert found == expected


def test_the_statuses_of_an_operation_are_those_of_the_spec():
    """Statuses of the spec and of what every request may get: 401, 413, 415, 429."""
    operations = [each for path in made(())["paths"].values() for each in path.values()]
    found = {each["operationId"]: " ".join(each["responses"]) for each in operations}
    assert {name: found[name] for name in STATUSES} == STATUSES
    [response] = [
        each["responses"]["429"] for each in operations if each["operationId"] == "listTransfers"
    ]
    assert response == {"$ref": "#/components/responses/TooManyRequests"}
