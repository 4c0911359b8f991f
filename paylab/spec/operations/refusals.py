"""Refusals of the service for requests whose form is right, per operation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from ...light_dataclass import light_dataclass
from ..service.codes import ErrorCodeSettings, SuccessCodeSettings


class StatusCodeSettings(Protocol):
    """The settings of a service that say which HTTP statuses it answers."""

    @property
    def success_codes(self) -> SuccessCodeSettings:
        """The statuses of a success."""

    @property
    def error_codes(self) -> ErrorCodeSettings:
        """The statuses of refusals."""


Status = int | Callable[[StatusCodeSettings], int]
"""A status, or what reads the setting that holds it."""


def read_status_code(status: Status, service: StatusCodeSettings) -> int:
    """The HTTP status of a refusal in a service: as stated, or as its setting says."""
    return status if isinstance(status, int) else status(service)


def invalid_body_status(service: StatusCodeSettings) -> int:
    """The HTTP status of a request with an invalid body."""
    return service.error_codes.validation


def wrong_state_status(service: StatusCodeSettings) -> int:
    """The HTTP status of a request that the state of its objects does not allow."""
    return service.error_codes.state


NOT_FOUND = 404


@light_dataclass(frozen=True)
class Refusal:
    """A refusal: its status, and when it happens.

    `fields` are those that the answer names as wrong; a field stands for those inside it.
    `words_pattern` finds what a service says then, and `advice` is how to get to the state that is
    needed.
    """

    status: Status
    when: str
    source: str = "spec"
    fields: tuple[str, ...] = ()
    words_pattern: str = ""
    advice: str = ""

    def status_code(self, service: StatusCodeSettings) -> int:
        """Its HTTP status in a service."""
        return read_status_code(self.status, service)


_UNKNOWN = Refusal(NOT_FOUND, "the individual does not exist")
_NOTHING_ASKED = Refusal(
    422,
    "the individual is not in action_required",
    words_pattern=r"action_required|not waiting for",
    advice="the individual must be in action_required: get it and read status and status_details",
)
_NOT_ACTIVE = (
    r"(individual|customer|recipient|beneficiary|person)\b[\w, ]{0,24}"
    r"\b(not (yet )?(active|verified)|pending)"
    r"|kyc[\w ]{0,20}not active|identity verification is required"
)
_RUN_WAIT = (
    "the individual must be active: in action_required, upload the images that status_details "
    "lists with lab.forms.images(id) or lab.individuals.upload_images(id, {...}); then, or while "
    "it is pending, run lab.individuals.wait(id)"
)
_ACCOUNT_RULES = (
    Refusal(
        invalid_body_status,
        "the type is not one that the individual's country uses",
        source="account.country",
        fields=("type",),
    ),
    Refusal(
        invalid_body_status,
        "the details are not those that the type has in the individual's country",
        source="account.country",
        fields=("details",),
    ),
)
_REPEATED = (
    "financial_account", "financial_account_id", "payout_method", "source_currency",
    "destination_currency", "source_network",
)  # fmt: skip
"""The fields of a transfer that its quote has too."""

_QR = "a qrph_payload is not a valid EMV text of the Philippines in PHP"

INDIVIDUAL = (
    Refusal(
        invalid_body_status,
        "country and address.country differ",
        source="field.country",
        fields=("address.country",),
    ),
    Refusal(invalid_body_status, _QR, source="details.ph-qr", fields=("financial_accounts",)),
    Refusal(
        invalid_body_status,
        "the account has a word that is only assumed here, such as an issuer",
        source="account.errors",
        fields=("financial_accounts",),
    ),
)
ONE_INDIVIDUAL = (_UNKNOWN,)
TOKEN = (
    _UNKNOWN,
    Refusal(
        400,
        "the individual verifies with images",
        source="idv.who",
        words_pattern="verifies with images",
        advice="this individual verifies with images: lab.individuals.upload_images(id, {...})",
    ),
    Refusal(400, "the provider is another one", source="idv.provider", fields=("provider",)),
    _NOTHING_ASKED,
)
IMAGES = (
    _UNKNOWN,
    Refusal(400, "a decoded image has less than 10 KB or more than 15 MB", fields=("images",)),
    Refusal(
        400,
        "the first bytes are not of the declared type",
        source="images.content",
        fields=("images",),
    ),
    Refusal(
        400,
        "the individual verifies with a token",
        source="images.token-individual",
        words_pattern="verifies with a token",
        advice="this individual verifies with a token: lab.individuals.submit_token(id, ...)",
    ),
    _NOTHING_ASKED,
)
FINANCIAL_ACCOUNT = (
    _UNKNOWN,
    *_ACCOUNT_RULES,
    Refusal(invalid_body_status, _QR, source="details.ph-qr", fields=("details",)),
)
NEW_DETAILS = (
    Refusal(NOT_FOUND, "the financial account does not exist", source="account.errors"),
    _ACCOUNT_RULES[1],
    Refusal(wrong_state_status, "the account is a crypto_wallet"),
)
_ACCOUNT = Refusal(NOT_FOUND, "the financial account does not exist", source="transfer.create")
_AMOUNTS = ("source_amount", "destination_amount", "net_source_amount")
_PRICE = (
    Refusal(
        invalid_body_status,
        "payout_method is not a rail of the account and its country",
        source="corridor.rails",
        fields=("payout_method",),
    ),
    Refusal(
        invalid_body_status,
        "destination_currency is not that of the account's country",
        source="corridor.rails",
        fields=("destination_currency",),
    ),
    Refusal(
        invalid_body_status,
        "an amount has more decimals than its currency (2; 6 for USDC, 0 for VND)",
        source="amount.form",
        fields=_AMOUNTS,
    ),
    Refusal(
        invalid_body_status, "the fee uses the amount up", source="amount.size", fields=_AMOUNTS
    ),
    Refusal(
        invalid_body_status,
        "source_network is a network that wallets are not assumed to have",
        source="details.wallet",
        fields=("source_network",),
    ),
)
QUOTE = (_ACCOUNT, *_PRICE)
TRANSFER = (
    _ACCOUNT,
    Refusal(NOT_FOUND, "the quote does not exist", source="quote.unknown"),
    *_PRICE,
    Refusal(
        invalid_body_status,
        "financial_account_id is not that of financial_account",
        source="transfer.create",
        fields=("financial_account_id",),
    ),
    Refusal(
        invalid_body_status,
        "a field that the quote has too has another value there",
        source="transfer.repeats",
        fields=_REPEATED,
    ),
    Refusal(
        invalid_body_status,
        "source_type is deposit without a stablecoin source, or a word that is not assumed",
        source="transfer.deposit-source",
        fields=("source_type",),
    ),
    Refusal(
        wrong_state_status,
        "the quote is used or expired",
        source="transfer.create",
        words_pattern=r"quote\b[\w ]{0,30}\b(used|expired)|ask for a new one",
        advice=(
            "a quote is valid for a short time and for one transfer: lab.quotes.again(quote) asks "
            "for the same once more"
        ),
    ),
    Refusal(
        wrong_state_status,
        "the recipient is not active",
        source="transfer.individual",
        words_pattern=_NOT_ACTIVE,
        advice=_RUN_WAIT,
    ),
    Refusal(
        wrong_state_status,
        "the recipient does not have the product",
        source="transfer.individual",
        words_pattern=r"product (off_ramp|global_payouts)",
        advice=(
            'a payout from a stablecoin needs a recipient with product_types=["off_ramp"], any '
            'other payout one with product_types=["global_payouts"]'
        ),
    ),
    Refusal(
        wrong_state_status,
        "an off-ramp recipient has no crypto_wallet on source_network",
        words_pattern=r"no crypto.?wallet|crypto.?wallet (is )?(missing|required)",
        advice=(
            "an off-ramp needs a wallet of the recipient on its source network, to which the "
            "stablecoins are returned if it fails: lab.financial_accounts.create(individual_id, "
            '"crypto_wallet", {"address": ..., "network": ...}), then send it again'
        ),
    ),
)
ONE_TRANSFER = (Refusal(NOT_FOUND, "the transfer does not exist", source="transfer.get"),)
CONVERSION_ACCOUNT = (
    Refusal(NOT_FOUND, "the individual or the payout account does not exist", source="ca.create"),
    Refusal(
        invalid_body_status,
        "source_currency is not that of the individual's country, or it has no on-ramp",
        source="ca.create",
        fields=("source_currency",),
    ),
    Refusal(
        wrong_state_status,
        "the individual is not active",
        words_pattern=_NOT_ACTIVE,
        advice=_RUN_WAIT,
    ),
    Refusal(
        wrong_state_status,
        "the individual does not have the product on_ramp",
        source="ca.product",
        words_pattern=r"product on_ramp",
        advice='an on-ramp needs an individual with product_types=["on_ramp"]',
    ),
    Refusal(
        wrong_state_status,
        "the payout account is not a crypto_wallet of the individual",
        advice='lab.financial_accounts.create(individual_id, "crypto_wallet", {"address": ..., '
        '"network": ...}) adds a wallet: pass its id',
        source="ca.create",
        words_pattern=r"must be a crypto_wallet",
    ),
)
ONE_CONVERSION_ACCOUNT = (
    Refusal(NOT_FOUND, "the conversion account does not exist", source="ca.get"),
)
ONE_CONVERSION = (Refusal(NOT_FOUND, "the conversion does not exist", source="conversion.get"),)
DEPOSIT = (
    Refusal(403, "the service is not the sandbox"),
    Refusal(NOT_FOUND, "the conversion account does not exist", source="deposit.path"),
    Refusal(
        invalid_body_status, "currency is not the account's source_currency", fields=("currency",)
    ),
    Refusal(
        invalid_body_status,
        "amount is over the cap of the sandbox for its currency",
        fields=("amount",),
    ),
    Refusal(
        invalid_body_status,
        "amount has more than 2 decimals",
        source="amount.form",
        fields=("amount",),
    ),
    Refusal(
        wrong_state_status,
        "the conversion account is not active",
        source="deposit.path",
        words_pattern=r"conversion account\b[\w ]{0,20}\b(not (yet )?active|pending)",
        advice="the conversion account must be active: run lab.conversion_accounts.wait(id) first",
    ),
)
SUBSCRIPTION = (
    Refusal(
        400,
        "url is not https (http is for loopback addresses only), or has user information, a "
        "fragment or an invalid port",
        source="webhook.url",
        fields=("url",),
    ),
)
ONE_SUBSCRIPTION = (
    Refusal(NOT_FOUND, "the subscription does not exist", source="webhook.operations"),
)
