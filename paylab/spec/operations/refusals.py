"""What the service refuses although the form of the request is right, per operation.

These depend on stored objects, or on a comparison that a schema of the body cannot express.
"""

from __future__ import annotations

from dataclasses import dataclass

INVALID, STATE = "error_codes.validation", "error_codes.state"
NOT_FOUND = 404


@dataclass(frozen=True)
class Refusal:
    """A refusal: its status, or the setting that holds it, and when it happens.

    `fields` are those that the answer names as wrong; a field stands for those inside it.
    """

    status: int | str
    when: str
    source: str = "spec"
    fields: tuple[str, ...] = ()


_UNKNOWN = Refusal(NOT_FOUND, "the individual does not exist")
_NOTHING_ASKED = Refusal(422, "the individual is not in action_required")
_ACCOUNT_RULES = (
    Refusal(
        INVALID,
        "the type is not one that the individual's country uses",
        "account.country",
        ("type",),
    ),
    Refusal(
        "error_codes.details",
        "the details are not those that the type has in the individual's country",
        "account.country",
        ("details",),
    ),
)
_REPEATED = (
    "financial_account", "financial_account_id", "payout_method", "source_currency",
    "destination_currency", "source_network",
)  # fmt: skip
"""The fields of a transfer that its quote has too."""

_QR = "a qrph_payload is not a valid EMV text of the Philippines in PHP"

INDIVIDUAL = (
    Refusal(INVALID, "country and address.country differ", "field.country", ("address.country",)),
    Refusal(INVALID, _QR, "details.ph-qr", ("financial_accounts",)),
    Refusal(
        INVALID,
        "the account has a word that is only assumed here, such as an issuer",
        "account.errors",
        ("financial_accounts",),
    ),
)
ONE_INDIVIDUAL = (_UNKNOWN,)
TOKEN = (
    _UNKNOWN,
    Refusal(400, "the individual verifies with images", "idv.who"),
    Refusal(400, "the provider is another one", "idv.provider", ("provider",)),
    _NOTHING_ASKED,
)
IMAGES = (
    _UNKNOWN,
    Refusal(400, "a decoded image has less than 10 KB or more than 15 MB", fields=("images",)),
    Refusal(
        400, "the first bytes are not of the declared type", "images.content", fields=("images",)
    ),
    Refusal(400, "the individual verifies with a token", "images.token-individual"),
    _NOTHING_ASKED,
)
FINANCIAL_ACCOUNT = (
    _UNKNOWN,
    *_ACCOUNT_RULES,
    Refusal("error_codes.details", _QR, "details.ph-qr", ("details",)),
)
NEW_DETAILS = (
    Refusal(NOT_FOUND, "the financial account does not exist", "account.errors"),
    _ACCOUNT_RULES[1],
    Refusal("error_codes.wallet_update", "the account is a crypto_wallet"),
)
_ACCOUNT = Refusal(NOT_FOUND, "the financial account does not exist", "transfer.create")
_AMOUNTS = ("source_amount", "destination_amount", "net_source_amount")
_PRICE = (
    Refusal(
        INVALID,
        "payout_method is not a rail of the account and its country",
        "corridor.rails",
        ("payout_method",),
    ),
    Refusal(
        INVALID,
        "destination_currency is not that of the account's country",
        "corridor.rails",
        ("destination_currency",),
    ),
    Refusal(
        INVALID,
        "an amount has more decimals than its currency (2; 6 for USDC, 0 for VND)",
        "amount.form",
        _AMOUNTS,
    ),
    Refusal(INVALID, "the fee uses the amount up", "amount.size", _AMOUNTS),
    Refusal(
        INVALID,
        "source_network is a network that wallets are not assumed to have",
        "details.wallet",
        ("source_network",),
    ),
)
QUOTE = (_ACCOUNT, *_PRICE)
TRANSFER = (
    _ACCOUNT,
    Refusal("error_codes.unknown_quote", "the quote does not exist", "quote.unknown"),
    *_PRICE,
    Refusal(
        INVALID,
        "financial_account_id is not that of financial_account",
        "transfer.create",
        ("financial_account_id",),
    ),
    Refusal(
        INVALID,
        "a field that the quote has too has another value there",
        "transfer.repeats",
        _REPEATED,
    ),
    Refusal(
        INVALID,
        "source_type is deposit without a stablecoin source, or a word that is not assumed",
        "transfer.deposit-source",
        ("source_type",),
    ),
    Refusal(STATE, "the quote is used or expired", "transfer.create"),
    Refusal(
        STATE, "the recipient is not active, or does not have the product", "transfer.individual"
    ),
    Refusal(STATE, "an off-ramp recipient has no crypto_wallet on source_network"),
)
ONE_TRANSFER = (Refusal(NOT_FOUND, "the transfer does not exist", "transfer.get"),)
CONVERSION_ACCOUNT = (
    Refusal(NOT_FOUND, "the individual or the payout account does not exist", "ca.create"),
    Refusal(
        INVALID,
        "source_currency is not that of the individual's country, or it has no on-ramp",
        "ca.create",
        ("source_currency",),
    ),
    Refusal(STATE, "the individual is not active"),
    Refusal(STATE, "the individual does not have the product on_ramp", "ca.product"),
    Refusal(STATE, "the payout account is not a crypto_wallet of the individual", "ca.create"),
)
ONE_CONVERSION_ACCOUNT = (Refusal(NOT_FOUND, "the conversion account does not exist", "ca.get"),)
ONE_CONVERSION = (Refusal(NOT_FOUND, "the conversion does not exist", "conversion.get"),)
DEPOSIT = (
    Refusal(403, "the service is not the sandbox"),
    Refusal(NOT_FOUND, "the conversion account does not exist", "deposit.path"),
    Refusal(INVALID, "currency is not the account's source_currency", fields=("currency",)),
    Refusal(INVALID, "amount is over the cap of the sandbox for its currency", fields=("amount",)),
    Refusal(INVALID, "amount has more than 2 decimals", "amount.form", ("amount",)),
    Refusal(STATE, "the conversion account is not active", "deposit.path"),
)
SUBSCRIPTION = (
    Refusal(
        400,
        "url is not https (http is for loopback addresses only), or has user information, a "
        "fragment or an invalid port",
        "webhook.url",
        ("url",),
    ),
)
ONE_SUBSCRIPTION = (Refusal(NOT_FOUND, "the subscription does not exist", "webhook.operations"),)
