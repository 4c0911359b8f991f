"""The settings of the service where the interface document leaves a choice, as dotted keys."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

OPERATIONS: dict[str, tuple[str, str]] = {
    "create_individual": ("POST", "/v1/individuals"),
    "list_individuals": ("GET", "/v1/individuals"),
    "get_individual": ("GET", "/v1/individuals/{id}"),
    "submit_token": ("POST", "/v1/individuals/{id}/verification_token"),
    "upload_images": ("POST", "/v1/individuals/{id}/verification_images"),
    "list_images": ("GET", "/v1/individuals/{id}/verification_images"),
    "create_account": ("POST", "/v1/financial_accounts"),
    "update_account": ("POST", "/v1/financial_accounts/{id}"),
    "create_quote": ("POST", "/v1/quotes"),
    "create_transfer": ("POST", "/v1/transfers"),
    "list_transfers": ("GET", "/v1/transfers"),
    "get_transfer": ("GET", "/v1/transfers/{id}"),
    "create_conversion_account": ("POST", "/v1/conversion_accounts"),
    "list_conversion_accounts": ("GET", "/v1/conversion_accounts"),
    "get_conversion_account": ("GET", "/v1/conversion_accounts/{id}"),
    "list_conversions": ("GET", "/v1/conversions"),
    "create_deposit": ("POST", "/v1/sandbox/deposits"),
    "create_subscription": ("POST", "/v1/webhook_subscriptions"),
    "list_subscriptions": ("GET", "/v1/webhook_subscriptions"),
    "get_subscription": ("GET", "/v1/webhook_subscriptions/{id}"),
    "delete_subscription": ("DELETE", "/v1/webhook_subscriptions/{id}"),
}
"""Method and default path by operation. `paths.NAME` changes the path; None removes it."""

SUCCESS = {
    "create_individual": 201,
    "submit_token": 202,
    "create_account": 201,
    "update_account": 201,
    "create_quote": 201,
    "create_transfer": 201,
    "create_conversion_account": 201,
    "create_deposit": 201,
    "create_subscription": 201,
    "delete_subscription": 204,
}
"""Success statuses other than 200. `status.NAME` changes one."""

DEFAULTS: dict[str, Any] = {
    **{f"paths.{name}": path for name, (_, path) in OPERATIONS.items()},
    **{f"status.{name}": SUCCESS.get(name, 200) for name in OPERATIONS},
    # Signing.
    "signing.empty_query": "omit",  # or "blank"
    "signing.key": "text",  # the secret's bytes: "text" (UTF-8), "hex" or "base64" decoded
    "signing.tolerance": 300,  # seconds
    "signing.refusal": 401,
    "signing.nonce_required": False,
    "signing.after_routing": False,  # whether an unknown path is a 404 without a signature
    # Lists: `lists.NAME.PART` is looked up before `lists.PART`.
    "lists.shape": "envelope",  # or "array": every row at once
    "lists.webhook_subscriptions.shape": "array",
    "lists.data": "data",
    "lists.more": "has_next_page",
    "lists.cursor": "cursor",
    "lists.limit": 20,
    "lists.max_limit": 100,
    "lists.above_max": "refuse",  # or "clamp"
    "lists.order": "newest",  # or "oldest", "unknown"
    # Names: our name -> the service's. Details of accounts are keyed by corridor and type.
    "fields.individual": {},
    "fields.quote": {},
    "fields.transfer": {},
    "fields.deposit": {},
    "fields.conversion_account": {},
    "fields.crypto_wallet": {},
    "bodies.unknown_keys": "ignore",  # or "refuse"
    "details.unknown_keys": "store",  # or "refuse"
    # Required fields.
    "required.individual": ("product_types", "given_name", "family_name", "country", "address"),
    "required.address": (),
    "required.bank_account.MX": (),
    "required.transfer": (),
    "required.conversion_account": (),
    # Accepted values.
    "words.networks": ("base", "ethereum", "polygon", "solana"),
    "words.issuers.bank_account": ("bdo", "bpi", "landbank", "metrobank", "unionbank"),
    "words.issuers.digital_wallet": ("gcash", "grabpay", "maya"),
    "words.pix_key_types": ("cpf", "cnpj", "email", "phone", "evp"),
    "words.provider": "idv_provider",
    "words.rails.AR": ("cbu_cvu",),
    "words.rails.BR": ("pix",),
    "words.rails.CO": ("ach_co",),
    "words.rails.IN": ("upi",),
    "words.rails.MX": ("spei",),
    "words.rails.PH": ("instapay", "pesonet"),
    "words.rails.GB": ("faster_payments",),
    "words.rails.SEPA": ("sepa_instant",),
    # The form of amounts and currencies.
    "amounts.requests": "text",  # or "number"
    "amounts.answers": "text",  # or "number"
    "currencies.case": "upper",  # in answers
    # Events.
    "webhooks.type": "event_type",
    "webhooks.payload": "event_payload",
    "webhooks.identified": False,  # whether an event has its own id and creation time
    "webhooks.signature": None,  # the header for an HMAC-SHA256 of the body, keyed with the secret
    # Errors and answers.
    "errors.style": "error",
    "errors.words": None,  # or the name of a library in wording.py
    "answers.unknown_fields": False,
    "answers.unknown_statuses": False,
    "answers.empty_202": False,
    "answers.location_202": True,  # whether a 202 without a body has a Location header
    "answers.headers": {},  # name -> value; "{id}" becomes a new id for every answer
    # Behaviour.
    "verification.codes": ("verification_front_image_needed", "verification_selfie_needed"),
    "provisioning.at_once": ("MX",),  # the countries whose conversion accounts answer 201
    "lookup.before_checks": True,  # whether an unknown id is a 404 before the body is checked
    "idempotency.scope": "operation",  # or "key"
    "idempotency.stores": (200, 201),
    "idempotency.required": False,
    "limits.requests": None,  # the most in `limits.window` seconds; None: no limit
    "limits.window": 1.0,
    "limits.header": "Retry-After",
    "limits.unit": "seconds",  # or "milliseconds", "date", "timestamp"
    "sandbox": True,
    "outcomes": True,  # whether special values lead to simulated outcomes
    # Seconds of wall-clock time. None: the `delay` of the service.
    "delays.verification": None,
    "delays.provisioning": None,
    "delays.conversion": None,
    "delays.transfer": None,
}


class Settings:
    """The defaults with some keys changed. An unknown key raises KeyError."""

    def __init__(self, changes: Mapping[str, Any]) -> None:
        prefixes = ("lists.", "fields.", "required.bank_account.")
        for key in changes:
            if key not in DEFAULTS and not key.startswith(prefixes):
                raise KeyError(f"unknown setting {key!r}")
        self._values = {**DEFAULTS, **changes}

    def __getitem__(self, key: str) -> Any:
        return self._values[key]

    def of_list(self, name: str, part: str) -> Any:
        """The setting of one list, or the general setting when the list has none of its own."""
        return self._values.get(f"lists.{name}.{part}", self._values[f"lists.{part}"])

    def names(self, *things: str) -> dict[str, str]:
        """The service's field names by our names, from the first object type that renames any."""
        found = (self._values.get(f"fields.{thing}") for thing in things)
        return next((names for names in found if names), {})

    def required(self, thing: str) -> Iterable[str]:
        """The required fields of an object type."""
        needed: Iterable[str] = self._values.get(f"required.{thing}", ())
        return needed
