"""Deviations of fields: required, unique, and renamed ones."""

import re

from third_service.hooks import FILL, FOLLOW, Deviation, only, rename, require, unique
from third_service.names import ACCOUNT, DEPOSIT, IMAGES, ONRAMP, PERSON, QUOTE, TRANSFER, WEBHOOK


def without_quote(body):
    """Whether a transfer has its own terms."""
    return "quote_id" not in body


def with_quote(body):
    """Whether a transfer takes the terms of a quote."""
    return "quote_id" in body


def is_bank(body):
    """Whether a financial account is a bank account."""
    return body.get("type") == "bank_account"


def pays_out(body):
    """Whether an individual is a recipient only."""
    return body.get("product_types") == ["global_payouts"]


def among(*words):
    """Whether a value is one of the words."""
    return lambda entered: entered in words


REQUIRED = [  # (name, operation, field, value, client, status, words)
    ("individuals-email", PERSON, "email", "ana.third@example.com", FOLLOW, 400,
     {"code": "MISSING_FIELD", "param": "email"}),
    ("individuals-phone", PERSON, "phone", "+525512345678", FOLLOW, 422,
     {"errors": [{"field": "phone", "message": "Phone number is required"}]}),
    ("individuals-date-of-birth", PERSON, "date_of_birth", "1990-02-03", FOLLOW, 400,
     {"message": "Validation failed", "errors": {"date_of_birth": ["can't be blank"]}}),
    ("individuals-document", PERSON, "document.type", "curp", FOLLOW, 422,
     {"detail": [{"loc": ["body", "document"], "msg": "field required", "type": "missing"}]}),
    ("individuals-consent", PERSON, "idv_consent_recorded_at", "2026-01-02T03:04:05.000Z", FOLLOW,
     400, {"error": {"message": "Missing required param: idv_consent_recorded_at.",
                     "param": "idv_consent_recorded_at", "type": "invalid_request_error"}}),
    ("individuals-street", PERSON, "address.line_1", "Calle 1", FOLLOW, 400,
     [{"code": "invalid_type", "path": ["address", "line_1"], "message": "Required"}]),
    ("individuals-postal-code", PERSON, "address.postal_code", "06600", FOLLOW, 400,
     "address.postal_code is a required field"),
    ("individuals-nationality", PERSON, "nationality", "MX", FILL, 400,
     {"type": "https://errors.example/validation", "title": "Bad Request", "status": 400,
      "detail": "nationality is required"}),
    ("individuals-occupation", PERSON, "occupation", "teacher", FILL, 422,
     {"title": "Unprocessable", "invalid-params": [{"name": "occupation",
                                                    "reason": "must not be null"}]}),
    ("individuals-birth-city", PERSON, "birth.city", "Puebla", FILL, 400,
     {"errors": [{"path": "birth.city", "code": "required", "message": "City of birth needed"}]}),
    ("individuals-middle-name", PERSON, "middle_name", "Maria", FILL, 422,
     "Validation failed: middle_name can't be blank"),
    ("individuals-external-id", PERSON, "external_id", "customer-1", FILL, 400,
     {"error": "BadRequest", "message": ["external_id should not be empty",
                                         "external_id must be a string"], "statusCode": 400}),
    ("individuals-pep", PERSON, "politically_exposed", False, FILL, 400,
     {"code": "MISSING_FIELD", "param": "politically_exposed"}),
    ("accounts-nickname", ACCOUNT, "nickname", "main", FILL, 400,
     {"error": {"code": "parameter_missing", "message": "Missing required parameter: nickname"}}),
    ("accounts-bank-name", ACCOUNT, "details.bank_name", "STP", FILL, 400,
     {"errors": {"details": {"bank_name": ["This field is required."]}}}),
    ("accounts-holder-name", ACCOUNT, "details.account_holder_name", "Ana Third", FILL, 422,
     {"errors": [{"source": {"pointer": "/details/account_holder_name"}, "title": "is required"}]}),
    ("quotes-recipient", QUOTE, "recipient_id", "$individual", FOLLOW, 400,
     {"code": "MISSING_FIELD", "param": "recipient_id"}),
    ("quotes-source-currency", QUOTE, "source_currency", "USD", FOLLOW, 400,
     {"message": "source_currency: cannot be blank"}),
    ("transfers-recipient", TRANSFER, "recipient_id", "$individual", FOLLOW, 400,
     {"errors": [{"field": "recipient_id", "message": "is required"}]}),
    ("transfers-reference", TRANSFER, "client_reference_id", "order-third", FOLLOW, 400,
     {"error": "client_reference_id is mandatory"}),
    ("transfers-source-type", TRANSFER, "source_type", "prefunded", FOLLOW, 400,
     {"fault": {"faultstring": "Required element source_type is missing"}}),
    ("transfers-sender", TRANSFER, "sender.name", "Third Ltd", FILL, 400,
     {"errors": [{"field": "sender.name", "message": "Sender name is required"}]}),
    ("transfers-remittance", TRANSFER, "remittance_information", "invoice 7", FILL, 422,
     {"violations": [{"propertyPath": "remittance_information",
                      "message": "This value should not be blank."}]}),
    ("transfers-purpose-note", TRANSFER, "compliance.purpose", "salary", FILL, 400,
     {"message": "compliance.purpose is required for this corridor"}),
    ("onramp-destination", ONRAMP, "destination_currency", "USDC", FOLLOW, 400,
     {"code": "MISSING_FIELD", "param": "destination_currency"}),
    ("onramp-reference", ONRAMP, "client_reference_id", "onramp-third", FOLLOW, 400,
     {"errors": [{"property": "client_reference_id", "constraints": {
         "isNotEmpty": "client_reference_id should not be empty"}}]}),
    ("onramp-purpose", ONRAMP, "purpose_of_account", "savings", FILL, 422,
     {"detail": [{"loc": ["body", "purpose_of_account"], "msg": "Field required"}]}),
    ("deposit-sender", DEPOSIT, "sender_name", "Ana Third", FOLLOW, 400,
     {"errors": {"sender_name": ["is missing"]}}),
    ("deposit-sender-account", DEPOSIT, "sender_account", "001", FILL, 400,
     {"error": "sender_account is required"}),
    ("webhooks-description", WEBHOOK, "description", "tests", FILL, 400,
     {"errors": [{"field": "description", "message": "Please provide a description"}]}),
    ("webhooks-secret", WEBHOOK, "signing_secret", "0123456789abcdef", FILL, 400,
     {"message": "signing_secret is required and must have at least 16 characters"}),
    ("images-document-country", IMAGES, "document_country", "MX", FILL, 400,
     {"code": "MISSING_FIELD", "param": "document_country"}),
]  # fmt: skip
REQUIRED_WORDS = [  # the same, with the words that are accepted
    ("individuals-gender", PERSON, "gender", ("MALE", "FEMALE", "UNSPECIFIED"), 400,
     {"errors": [{"field": "gender", "message": "must be one of MALE, FEMALE, UNSPECIFIED"}]}),
    ("individuals-source-of-funds", PERSON, "source_of_funds", ("salary", "savings", "business"),
     422, {"message": "source_of_funds is required", "allowed_values": [
         "salary", "savings", "business"], "field": "source_of_funds"}),
    ("individuals-terms", PERSON, "terms_accepted", (True,), 400,
     {"errors": {"terms_accepted": ["must be true"]}}),
    ("accounts-relationship", ACCOUNT, "relationship", ("SELF", "FAMILY", "BUSINESS"), 400,
     [{"received": "undefined", "code": "invalid_enum_value", "path": ["relationship"],
       "options": ["SELF", "FAMILY", "BUSINESS"],
       "message": "Invalid enum value. Expected 'SELF' | 'FAMILY' | 'BUSINESS'"}]),
    ("quotes-purpose", QUOTE, "purpose_code", ("P0301", "P1301"), 400,
     {"error": "purpose_code: expected one of [P0301, P1301]"}),
    ("onramp-network", ONRAMP, "network", ("base", "ethereum"), 400,
     "network is required (one of: base, ethereum)"),
]  # fmt: skip
CONDITIONAL = [
    require("transfers-terms", TRANSFER, "source_currency", "USD", FOLLOW, 400,
            {"errors": [{"field": "source_currency", "message": "is required beside quote_id"}]},
            where=with_quote),
    require("transfers-quote", TRANSFER, "quote_id", "$quote", FOLLOW, 400,
            {"error": {"message": "A transfer needs a quote: quote_id is required"}}),
    require("individuals-accounts", PERSON, "financial_accounts", [
        {"type": "bank_account", "details": {"clabe": "646180110400000007"}}], FOLLOW, 400,
        {"errors": [{"field": "financial_accounts",
                     "message": "At least one financial account is required"}]}, where=pays_out),
    require("accounts-holder-type", ACCOUNT, "details.holder_type", "individual", FOLLOW, 400,
            {"message": "details.holder_type must be either individual or company"},
            where=is_bank, valid=among("individual", "company")),
    require("transfers-descriptor", TRANSFER, "statement_descriptor", "THIRD", FILL, 400,
            {"errors": [{"field": "statement_descriptor",
                         "message": "must have between 3 and 10 characters"}]},
            valid=lambda entered: isinstance(entered, str) and re.fullmatch(".{3,10}", entered)),
]  # fmt: skip
UNIQUE = [  # (name, field, status, words)
    ("unique-email", "email", 409, {"message": "An individual with this email already exists"}),
    ("unique-phone", "phone", 422, {"errors": {"phone": ["has already been taken"]}}),
    ("unique-document", "document.number", 409, {"code": "DUPLICATE", "param": "document.number"}),
]
RENAMED = [  # (name, operations, names, status, words)
    ("renamed-names", [PERSON], {"given_name": "first_name", "family_name": "last_name"}, 400,
     {"errors": [{"field": "given_name", "message": "unknown field"},
                 {"field": "first_name", "message": "is required"},
                 {"field": "family_name", "message": "unknown field"},
                 {"field": "last_name", "message": "is required"}]}),
    ("renamed-country", [PERSON], {"country": "country_code"}, 400,
     {"error": "Unrecognized key 'country', did you mean 'country_code'?"}),
    ("renamed-products", [PERSON], {"product_types": "products"}, 422,
     {"detail": [{"loc": ["body", "products"], "msg": "field required"},
                 {"loc": ["body", "product_types"], "msg": "extra fields not permitted"}]}),
    ("renamed-individual", [ACCOUNT, ONRAMP], {"individual_id": "customer_id"}, 400,
     {"errors": [{"field": "customer_id", "message": "is required"},
                 {"field": "individual_id", "message": "is not allowed"}]}),
    ("renamed-individual-nested", [ACCOUNT, ONRAMP], {"individual_id": "individual.id"}, 400,
     {"code": "MISSING_FIELD", "param": "individual.id"}),
    ("renamed-individual-bare", [ACCOUNT, ONRAMP], {"individual_id": "individual"}, 400,
     {"errors": {"individual": ["required"], "individual_id": ["unknown property"]}}),
    ("renamed-details", [ACCOUNT, "financial_accounts.update"], {"details": "account_details"}, 400,
     {"message": "account_details is required; details is not a known property"}),
    ("renamed-clabe", [ACCOUNT], {"details.clabe": "details.clabe_number"}, 400,
     {"errors": [{"field": "details.clabe_number", "message": "required"},
                 {"field": "details.clabe", "message": "unexpected property"}]}),
    ("renamed-payout-method", [QUOTE, TRANSFER], {"payout_method": "rail"}, 400,
     {"errors": [{"field": "rail", "message": "is required"},
                 {"field": "payout_method", "message": "is not a known field"}]}),
    ("renamed-account-id", [QUOTE, TRANSFER], {"financial_account.id": "financial_account_id"},
     400, {"errors": [{"field": "financial_account", "message": "is not allowed"},
                      {"field": "financial_account_id", "message": "is required"}]}),
    ("renamed-amount-nested", [QUOTE, TRANSFER],
     {"source_amount": "source.amount", "source_currency": "source.currency"}, 400,
     {"errors": [{"field": "source_amount", "message": "unknown"},
                 {"field": "source.amount", "message": "required"},
                 {"field": "source.currency", "message": "required"}]}),
    ("renamed-payout-account", [ONRAMP], {"payout_account.id": "payout_account_id"}, 400,
     {"errors": [{"field": "payout_account_id", "message": "is required"},
                 {"field": "payout_account", "message": "is unknown"}]}),
    ("renamed-payout-account-object", [ONRAMP],
     {"payout_account.id": "payout_account.financial_account_id"}, 400,
     {"code": "MISSING_FIELD", "param": "payout_account.financial_account_id"}),
    ("renamed-onramp-currency", [ONRAMP], {"source_currency": "currency"}, 400,
     {"error": "unknown field source_currency; currency is required"}),
    ("renamed-deposit-account", [DEPOSIT], {"conversion_account_id": "account_id"}, 400,
     {"errors": {"account_id": ["is required"], "conversion_account_id": ["is invalid"]}}),
    ("renamed-deposit-money", [DEPOSIT], {"amount": "money.value", "currency": "money.currency"},
     400, {"message": "money.value is required, money.currency is required, amount is unknown, "
                      "currency is unknown"}),
    ("renamed-events", [WEBHOOK], {"event_types": "events"}, 400,
     {"errors": [{"field": "events", "message": "is required"},
                 {"field": "event_types", "message": "unsupported"}]}),
    ("renamed-url", [WEBHOOK], {"url": "callback_url"}, 400,
     {"code": "UNKNOWN_FIELD", "param": "url", "expected": "callback_url"}),
    ("renamed-images", [IMAGES], {"images": "files"}, 400,
     {"errors": [{"field": "files", "message": "is required"},
                 {"field": "images", "message": "unknown field"}]}),
]  # fmt: skip


def field_deviations():
    """All of them."""
    for name, operation, path, value, client, code, words in REQUIRED:
        yield require(name, operation, path, value, client, code, words)
    for name, operation, path, allowed, code, words in REQUIRED_WORDS:
        valid = among(*allowed)
        yield require(name, operation, path, allowed[0], FOLLOW, code, words, valid=valid)
    yield from CONDITIONAL
    for name, path, code, words in UNIQUE:
        hook = only(unique("individual", path, code, words), PERSON)
        yield Deviation(name, f"the {path} of a person is unique", FOLLOW, words, request=hook)
    for name, operations, names, code, words in RENAMED:
        needed = without_quote if TRANSFER in operations else bool
        if name == "renamed-clabe":
            needed = among()  # the account of another country has no CLABE
        yield rename(name, operations, names, FOLLOW, code, words, needed=needed)
