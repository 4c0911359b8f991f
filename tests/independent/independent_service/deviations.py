"""Named ways in which a real service may differ from the defaults.

A deviation is a description and the settings that it changes. Several can be combined, unless
two of them set the same setting to different values.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from .settings import OPERATIONS


@dataclass(frozen=True)
class Deviation:
    """A difference: its description and the settings that it changes."""

    says: str
    changes: Mapping[str, Any] = field(default_factory=dict)


def _moved(old: str, new: str | None, *names: str) -> dict[str, Any]:
    """Settings that replace the start of operations' paths. None removes the operations."""
    chosen = names or [name for name, (_, path) in OPERATIONS.items() if path.startswith(old)]
    return {
        f"paths.{name}": None if new is None else OPERATIONS[name][1].replace(old, new, 1)
        for name in chosen
    }


def _path(name: str, path: str) -> dict[str, Any]:
    return {f"paths.{name}": path}


def _required(*names: str) -> dict[str, Any]:
    base = ("product_types", "given_name", "family_name", "country", "address")
    return {"required.individual": (*base, *names)}


_OPEN_201 = [
    "create_individual",
    "create_quote",
    "create_transfer",
    "create_deposit",
    "create_subscription",
]
_IMAGES = "/v1/individuals/{id}/"

_SIGNING = {
    "blank-query-line": Deviation(
        "The canonical request has a blank line when there is no query",
        {"signing.empty_query": "blank"},
    ),
    "key-hex": Deviation("The secret is hexadecimal text of the key", {"signing.key": "hex"}),
    "key-base64": Deviation("The secret is base64 text of the key", {"signing.key": "base64"}),
    "tolerance-30s": Deviation("X-Date may be 30 s off", {"signing.tolerance": 30}),
    "signing-403": Deviation("A bad signature is a 403", {"signing.refusal": 403}),
    "nonce-required": Deviation("X-Nonce has to be sent", {"signing.nonce_required": True}),
    "routing-before-signature": Deviation(
        "An unknown path is a 404 without a signature", {"signing.after_routing": True}
    ),
}
_PATHS = {
    "quotes-at-quote": Deviation("Quotes: /v1/quote", _path("create_quote", "/v1/quote")),
    "quotes-at-transfer-quotes": Deviation(
        "Quotes: /v1/transfer_quotes", _path("create_quote", "/v1/transfer_quotes")
    ),
    "quotes-nested": Deviation(
        "Quotes: /v1/transfers/quotes", _path("create_quote", "/v1/transfers/quotes")
    ),
    "quotes-kebab": Deviation(
        "Quotes: /v1/transfer-quotes", _path("create_quote", "/v1/transfer-quotes")
    ),
    "deposit-singular": Deviation(
        "Deposits: /v1/sandbox/deposit", _path("create_deposit", "/v1/sandbox/deposit")
    ),
    "deposit-flat": Deviation(
        "Deposits: /v1/sandbox_deposits", _path("create_deposit", "/v1/sandbox_deposits")
    ),
    "deposit-nested": Deviation(
        "Deposits: /v1/conversion_accounts/{id}/deposits",
        _path("create_deposit", "/v1/conversion_accounts/{id}/deposits"),
    ),
    "deposit-simulations": Deviation(
        "Deposits: /v1/simulations/deposits", _path("create_deposit", "/v1/simulations/deposits")
    ),
    "conversion-accounts-kebab": Deviation(
        "Conversion accounts: /v1/conversion-accounts",
        _moved("/v1/conversion_accounts", "/v1/conversion-accounts"),
    ),
    "conversion-accounts-nested": Deviation(
        "The list of conversion accounts: /v1/conversions/accounts",
        _path("list_conversion_accounts", "/v1/conversions/accounts"),
    ),
    "conversions-at-on-ramp": Deviation(
        "Conversions: /v1/onramp/conversions", _path("list_conversions", "/v1/onramp/conversions")
    ),
    "webhooks-path": Deviation(
        "Webhook subscriptions: /v1/webhooks", _moved("/v1/webhook_subscriptions", "/v1/webhooks")
    ),
    "webhooks-kebab": Deviation(
        "Webhook subscriptions: /v1/webhook-subscriptions",
        _moved("/v1/webhook_subscriptions", "/v1/webhook-subscriptions"),
    ),
    "images-at-images": Deviation(
        "Image metadata: GET /v1/individuals/{id}/images", _path("list_images", _IMAGES + "images")
    ),
    "images-kebab": Deviation(
        "Image metadata: GET /v1/individuals/{id}/verification-images",
        _path("list_images", _IMAGES + "verification-images"),
    ),
    "individuals-at-customers": Deviation(
        "The list of individuals: GET /v1/customers", _path("list_individuals", "/v1/customers")
    ),
    "transfer-get-singular": Deviation(
        "One transfer: GET /v1/transfer/{id}", _path("get_transfer", "/v1/transfer/{id}")
    ),
}
_MISSING = {
    f"no-{name.replace('_', '-')}": Deviation(
        f"The operation {name} does not exist", {f"paths.{name}": None}
    )
    for name in (
        "list_individuals",
        "list_images",
        "create_quote",
        "get_transfer",
        "list_conversion_accounts",
        "create_deposit",
        "list_subscriptions",
        "get_subscription",
        "delete_subscription",
    )
}
_FIELDS = {
    "wallet-fields": Deviation(
        "Wallet details are wallet_address and blockchain; others are refused",
        {
            "fields.crypto_wallet": {"address": "wallet_address", "network": "blockchain"},
            "details.unknown_keys": "refuse",
        },
    ),
    "wallet-fields-lenient": Deviation(
        "Wallet details are wallet_address and chain; others are ignored",
        {"fields.crypto_wallet": {"address": "wallet_address", "network": "chain"}},
    ),
    "clabe-account-number": Deviation(
        "A CLABE is account_number; others are refused",
        {
            "fields.MX.bank_account": {"clabe": "account_number"},
            "details.unknown_keys": "refuse",
        },
    ),
    "clabe-number": Deviation(
        "A CLABE is clabe_number", {"fields.MX.bank_account": {"clabe": "clabe_number"}}
    ),
    "clabe-with-holder": Deviation(
        "An MX bank account needs account_holder_name",
        {"required.bank_account.MX": ("account_holder_name",)},
    ),
    "issuer-bank-code": Deviation(
        "The issuer of PH accounts is bank_code",
        {
            "fields.PH.bank_account": {"issuer": "bank_code"},
            "fields.PH.digital_wallet": {"issuer": "bank_code"},
        },
    ),
    "strict-bodies": Deviation(
        "Fields that the service does not know are refused everywhere",
        {"bodies.unknown_keys": "refuse", "details.unknown_keys": "refuse"},
    ),
    "quote-fields": Deviation(
        "A quote's account is destination_account, its rate is rate, its end is valid_until",
        {
            "fields.quote": {
                "financial_account": "destination_account",
                "exchange_rate": "rate",
                "expires_at": "valid_until",
            }
        },
    ),
    "transfer-quote-reference": Deviation(
        "A transfer names its quote as quote", {"fields.transfer": {"quote_id": "quote"}}
    ),
    "conversion-account-customer": Deviation(
        "The individual of a conversion account is customer_id",
        {"fields.conversion_account": {"individual_id": "customer_id"}},
    ),
    "individual-email": Deviation("An individual needs email", _required("email")),
    "individual-phone": Deviation("An individual needs phone", _required("phone")),
    "individual-birth": Deviation("An individual needs date_of_birth", _required("date_of_birth")),
    "individual-everything": Deviation(
        "An individual needs email, phone, date_of_birth and document",
        _required("email", "phone", "date_of_birth", "document"),
    ),
    "address-complete": Deviation(
        "An address needs line_1, city and postal_code",
        {"required.address": ("line_1", "city", "postal_code")},
    ),
    "transfer-reference-required": Deviation(
        "A transfer needs client_reference_id", {"required.transfer": ("client_reference_id",)}
    ),
}
_EMPTY_202 = {"answers.empty_202": True, "provisioning.at_once": ()}
_ANSWERS = {
    "created-200": Deviation(
        "Success is 200 where the interface document shows no code",
        {f"status.{name}": 200 for name in _OPEN_201},
    ),
    "delete-200": Deviation("Deleting answers 200", {"status.delete_subscription": 200}),
    "amounts-numbers": Deviation("Answers have amounts as numbers", {"amounts.answers": "number"}),
    "amounts-numbers-only": Deviation(
        "Amounts are numbers, in requests too",
        {"amounts.answers": "number", "amounts.requests": "number"},
    ),
    "currencies-lower": Deviation("Currencies are in lower case", {"currencies.case": "lower"}),
    "unknown-fields": Deviation("Objects have more fields", {"answers.unknown_fields": True}),
    "unknown-statuses": Deviation(
        "Objects pass through statuses partner_review, processing and settling",
        {"answers.unknown_statuses": True},
    ),
    "unknown-codes": Deviation(
        "A new individual has a status detail code that is not listed",
        {
            "verification.codes": (
                "verification_front_image_needed",
                "verification_selfie_needed",
                "verification_liveness_needed",
            )
        },
    ),
    "request-id": Deviation("X-Request-Id", {"answers.headers": {"X-Request-Id": "{id}"}}),
    "correlation-id": Deviation(
        "X-Correlation-Id", {"answers.headers": {"X-Correlation-Id": "{id}"}}
    ),
    "empty-202": Deviation(
        "A conversion account is a 202; a 202 has no body but a Location", _EMPTY_202
    ),
    "empty-202-no-location": Deviation(
        "A conversion account is a 202; a 202 has no body and no Location",
        {**_EMPTY_202, "answers.location_202": False},
    ),
}
_LISTS = {
    "lists-array": Deviation("Lists are bare arrays of all rows", {"lists.shape": "array"}),
    "individuals-array": Deviation(
        "The list of individuals is a bare array", {"lists.individuals.shape": "array"}
    ),
    "conversion-accounts-array": Deviation(
        "The list of conversion accounts is a bare array",
        {"lists.conversion_accounts.shape": "array"},
    ),
    "conversions-array": Deviation(
        "The list of conversions is a bare array", {"lists.conversions.shape": "array"}
    ),
    "webhooks-envelope": Deviation(
        "The list of webhook subscriptions is an envelope",
        {"lists.webhook_subscriptions.shape": "envelope"},
    ),
    "envelope-names": Deviation(
        "Envelopes have items, has_next and next",
        {"lists.data": "items", "lists.more": "has_next", "lists.cursor": "next"},
    ),
    "conversions-envelope-names": Deviation(
        "The envelope of conversions has results, has_more and next_cursor",
        {
            "lists.conversions.data": "results",
            "lists.conversions.more": "has_more",
            "lists.conversions.cursor": "next_cursor",
        },
    ),
    "largest-page-50": Deviation("A limit above 50 is refused", {"lists.max_limit": 50}),
    "largest-page-50-silent": Deviation(
        "A limit above 50 gives 50 rows", {"lists.max_limit": 50, "lists.above_max": "clamp"}
    ),
    "oldest-first": Deviation("Lists begin with the oldest row", {"lists.order": "oldest"}),
    "order-unknown": Deviation("Lists have no order in time", {"lists.order": "unknown"}),
}
_WORDS = {
    "networks-few": Deviation(
        "Wallets are on polygon or solana", {"words.networks": ("polygon", "solana")}
    ),
    "networks-upper": Deviation(
        "Wallet networks are in upper case",
        {"words.networks": ("BASE", "ETHEREUM", "POLYGON", "SOLANA")},
    ),
    "rail-mx-bitso": Deviation("MXN is paid by bitso", {"words.rails.MX": ("bitso",)}),
    "rail-co-ach": Deviation("COP is paid by ach", {"words.rails.CO": ("ach",)}),
    "rail-ph-instapay": Deviation("PHP is paid by instapay", {"words.rails.PH": ("instapay",)}),
    "issuers-other": Deviation(
        "PH issuers are other words",
        {
            "words.issuers.bank_account": ("BNORPHMM", "BOPIPHMM"),
            "words.issuers.digital_wallet": ("GCASH", "PAYMAYA"),
        },
    ),
    "pix-key-types": Deviation(
        "PIX key types are in upper case, and RANDOM for evp",
        {"words.pix_key_types": ("CPF", "CNPJ", "EMAIL", "PHONE", "RANDOM")},
    ),
    "idv-provider": Deviation("The identity provider is sumsub", {"words.provider": "sumsub"}),
}
_ERRORS = {
    f"errors-{style}": Deviation(says, {"errors.style": style})
    for style, says in {
        "jsonapi": "Errors are JSON:API: errors[].source.pointer and detail",
        "details": 'Errors are {"message", "details": [{"path", "message"}]}',
        "issues": 'Errors are {"error": {"issues": [{"code", "path": [...], "message"}]}}',
        "fields": 'Errors are {"errors": {field: [words]}}',
        "problem": "Errors are application/problem+json with invalid-params",
        "code": 'Errors are {"error": {"code", "message", "param"}}',
        "message": 'Errors are {"message": words}',
        "list": "Errors are a list of sentences",
        "text": "Errors are plain text",
        "html": "Errors are HTML pages",
        "empty": "Errors have no body",
    }.items()
}
_ERRORS |= {
    f"words-{name}": Deviation(f"Problems are worded as {name} words them", {"errors.words": name})
    for name in ("zod", "joi", "pydantic", "rails", "terse")
}
_EVENTS = {
    "events-enveloped": Deviation(
        'Events are {"id", "created_at", "type", "data"}',
        {"webhooks.type": "type", "webhooks.payload": "data", "webhooks.identified": True},
    ),
    "events-signed": Deviation(
        "Events have an HMAC of their body in X-Webhook-Signature",
        {"webhooks.signature": "X-Webhook-Signature"},
    ),
}
_LIMITED = {"limits.requests": 4, "limits.window": 1.0}
_BEHAVIOUR = {
    "provisioning-15s": Deviation(
        "A conversion account is a 202 and takes 15 s",
        {"provisioning.at_once": (), "delays.provisioning": 15},
    ),
    "provisioning-202": Deviation(
        "A conversion account is a 202 in every country", {"provisioning.at_once": ()}
    ),
    "provisioning-201": Deviation(
        "A conversion account is a 201 in every country", {"provisioning.at_once": ("MX", "PH")}
    ),
    "verification-15s": Deviation("Verification takes 15 s", {"delays.verification": 15}),
    "payouts-15s": Deviation(
        "Each step of a transfer or conversion takes 15 s",
        {"delays.transfer": 15, "delays.conversion": 15},
    ),
    "checks-before-lookup": Deviation(
        "The details of a wallet are checked before its individual is looked up",
        {"lookup.before_checks": False},
    ),
    "production": Deviation("The service is no sandbox: deposits are 403", {"sandbox": False}),
    "no-outcomes": Deviation("Special values lead to no simulated outcome", {"outcomes": False}),
    "idempotency-key-scope": Deviation(
        "An idempotency key counts for every path", {"idempotency.scope": "key"}
    ),
    "idempotency-202": Deviation(
        "A 202 is stored and replayed too", {"idempotency.stores": (200, 201, 202)}
    ),
    "idempotency-required": Deviation(
        "POSTs that take an idempotency key need one", {"idempotency.required": True}
    ),
    "rate-limit": Deviation("4 requests a second, then 429 with Retry-After", _LIMITED),
    "rate-limit-date": Deviation(
        "As rate-limit, with a date in Retry-After", {**_LIMITED, "limits.unit": "date"}
    ),
    "rate-limit-reset": Deviation(
        "As rate-limit, with seconds in RateLimit-Reset",
        {**_LIMITED, "limits.header": "RateLimit-Reset"},
    ),
    "rate-limit-timestamp": Deviation(
        "As rate-limit, with a Unix time in X-RateLimit-Reset",
        {**_LIMITED, "limits.header": "X-RateLimit-Reset", "limits.unit": "timestamp"},
    ),
    "rate-limit-milliseconds": Deviation(
        "As rate-limit, with milliseconds in Retry-After-Ms",
        {**_LIMITED, "limits.header": "Retry-After-Ms", "limits.unit": "milliseconds"},
    ),
}

DEVIATIONS: dict[str, Deviation] = {
    **_SIGNING,
    **_PATHS,
    **_MISSING,
    **_FIELDS,
    **_ANSWERS,
    **_LISTS,
    **_WORDS,
    **_ERRORS,
    **_EVENTS,
    **_BEHAVIOUR,
}


def changes_of(names: Iterable[str]) -> dict[str, Any]:
    """The settings of several deviations. An unknown or contradicting name raises ValueError."""
    changes: dict[str, Any] = {}
    for name in names:
        if name not in DEVIATIONS:
            raise ValueError(f"unknown deviation {name!r}")
        for key, value in DEVIATIONS[name].changes.items():
            if changes.setdefault(key, value) != value:
                raise ValueError(f"{name!r} contradicts another deviation over {key!r}")
    return changes
