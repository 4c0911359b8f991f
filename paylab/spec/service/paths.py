"""The paths of the operations."""

from __future__ import annotations

from typing import Annotated

from ...light_dataclass import light_dataclass
from .setting import Setting
from .value_types import PathLimit


@light_dataclass(frozen=True)
class PathSettings:
    """The paths of the operations; "none" for an operation that the service does not have."""

    create_individual: Annotated[
        str,
        PathLimit(),
        Setting(
            "To which path is a new individual posted?",
            row="paths.shown",
            origin="spec",
            others=(
                "/v1/customers",
                "/v1/users",
            ),
        ),
    ] = "/v1/individuals"
    submit_verification_token: Annotated[
        str,
        PathLimit(holds=("id",)),
        Setting(
            "To which path is a verification token posted?",
            row="paths.shown",
            origin="spec",
            others=("/v1/individuals/{id}/verification-token",),
        ),
    ] = "/v1/individuals/{id}/verification_token"
    upload_verification_images: Annotated[
        str,
        PathLimit(holds=("id",)),
        Setting(
            "To which path are verification images posted?",
            row="paths.shown",
            origin="spec",
            others=(
                "/v1/individuals/{id}/verification-images",
                "/v1/individuals/{id}/documents",
                "/v1/individuals/{id}/images",
            ),
        ),
    ] = "/v1/individuals/{id}/verification_images"
    create_financial_account: Annotated[
        str,
        PathLimit(),
        Setting(
            "To which path is a new financial account posted?",
            row="paths.shown",
            origin="spec",
            others=("/v1/financial-accounts",),
        ),
    ] = "/v1/financial_accounts"
    update_financial_account: Annotated[
        str,
        PathLimit(holds=("id",)),
        Setting(
            "To which path are new details of a financial account posted?",
            row="paths.shown",
            origin="spec",
            others=("/v1/financial-accounts/{id}",),
        ),
    ] = "/v1/financial_accounts/{id}"
    create_transfer: Annotated[
        str,
        PathLimit(),
        Setting(
            "To which path is a new transfer posted?",
            row="paths.shown",
            origin="spec",
            others=(
                "/v1/payouts",
                "/v1/payments",
            ),
        ),
    ] = "/v1/transfers"
    create_conversion_account: Annotated[
        str,
        PathLimit(),
        Setting(
            "To which path is a new conversion account posted?",
            row="paths.shown",
            origin="spec",
            others=(
                "/v1/conversion-accounts",
                "/v1/virtual_accounts",
                "/v1/onramp/conversion_accounts",
                "/v1/conversions/accounts",
            ),
        ),
    ] = "/v1/conversion_accounts"
    create_webhook_subscription: Annotated[
        str,
        PathLimit(may_be_none=True),
        Setting(
            "To which path is a new webhook subscription posted (none: there are no webhooks)?",
            row="paths.shown",
            origin="spec",
            others=(
                "/v1/webhooks",
                "/v1/webhooks/subscriptions",
                "none",
            ),
        ),
    ] = "/v1/webhook_subscriptions"
    individuals: Annotated[
        str,
        PathLimit(may_be_none=True),
        Setting(
            "At which path are individuals listed?",
            row="individual.list",
            others=("/v1/individuals/list", "none"),
        ),
    ] = "/v1/individuals"
    individual: Annotated[
        str,
        PathLimit(holds=("id",), may_be_none=True),
        Setting(
            "At which path is one individual read?",
            row="individual.get",
            origin="public",
            others=("/v1/individual/{id}", "none"),
        ),
    ] = "/v1/individuals/{id}"
    verification_images: Annotated[
        str,
        PathLimit(holds=("id",), may_be_none=True),
        Setting(
            "At which path is the metadata of uploaded images read?",
            row="images.read",
            origin="public",
            others=(
                "/v1/individuals/{id}/images",
                "/v1/individuals/{id}/documents",
                "none",
            ),
        ),
    ] = "/v1/individuals/{id}/verification_images"
    quotes: Annotated[
        str,
        PathLimit(may_be_none=True),
        Setting(
            "To which path is a request for a quote posted?",
            row="quote.operation",
            origin="public",
            others=(
                "/v1/quote",
                "/v1/transfers/quotes",
                "/v1/transfer_quotes",
                "/v1/transfers/quote",
                "/v1/quotes/create",
                "/v1/fx/quotes",
                "none",
            ),
        ),
    ] = "/v1/quotes"
    transfer: Annotated[
        str,
        PathLimit(holds=("id",), may_be_none=True),
        Setting(
            "At which path is one transfer read?",
            row="transfer.get",
            origin="public",
            others=("/v1/transfer/{id}", "none"),
        ),
    ] = "/v1/transfers/{id}"
    balances: Annotated[
        str,
        PathLimit(may_be_none=True),
        Setting(
            "At which path are the account's balances read, if they can be?",
            row="balance.read",
            others=("/v1/balances", "/v1/account/balances"),
        ),
    ] = "none"
    transfers: Annotated[
        str,
        PathLimit(may_be_none=True),
        Setting(
            "At which path are transfers listed?",
            row="transfer.list",
            origin="spec",
            others=("/v1/transfers/list", "none"),
        ),
    ] = "/v1/transfers"
    conversion_accounts: Annotated[
        str,
        PathLimit(may_be_none=True),
        Setting(
            "At which path are conversion accounts listed?",
            row="ca.list",
            origin="public",
            others=("/v1/conversion_accounts/list", "none"),
        ),
    ] = "/v1/conversion_accounts"
    conversion_account: Annotated[
        str,
        PathLimit(holds=("id",), may_be_none=True),
        Setting(
            "At which path is one conversion account read?",
            row="ca.get",
            origin="spec",
            others=("/v1/conversion_account/{id}", "none"),
        ),
    ] = "/v1/conversion_accounts/{id}"
    sandbox_deposits: Annotated[
        str,
        PathLimit(may_hold=("id", "conversion_account_id"), may_be_none=True),
        Setting(
            "To which path is a sandbox deposit posted?",
            row="deposit.path",
            others=(
                "/v1/sandbox/deposit",
                "/v1/sandbox/simulate_deposit",
                "/v1/conversion_accounts/{id}/deposits",
                "/v1/simulations/deposits",
                "/v1/sandbox_deposits",
                "/v1/conversion_accounts/{id}/deposit",
                "/v1/simulate/deposits",
                "none",
            ),
        ),
    ] = "/v1/sandbox/deposits"
    conversion: Annotated[
        str,
        PathLimit(holds=("id",), may_be_none=True),
        Setting(
            "At which path is one conversion read, if it can be?",
            row="conversion.get",
            origin="public",
            others=("/v1/conversions/{id}",),
        ),
    ] = "none"
    conversions: Annotated[
        str,
        PathLimit(may_be_none=True),
        Setting(
            "At which path are conversions listed?",
            row="conversion.list",
            origin="spec",
            others=(
                "/v1/conversions/list",
                "/v1/onramp/conversions",
                "/v1/on_ramp/conversions",
                "none",
            ),
        ),
    ] = "/v1/conversions"
    webhook_subscriptions: Annotated[
        str,
        PathLimit(may_be_none=True),
        Setting(
            "At which path are webhook subscriptions listed?",
            row="webhook.operations",
            origin="public",
            others=("/v1/webhook_subscriptions/list", "none"),
        ),
    ] = "/v1/webhook_subscriptions"
    webhook_subscription: Annotated[
        str,
        PathLimit(holds=("id",), may_be_none=True),
        Setting(
            "At which path is one webhook subscription read and deleted?",
            row="webhook.operations",
            origin="public",
            others=("/v1/webhook_subscription/{id}", "none"),
        ),
    ] = "/v1/webhook_subscriptions/{id}"
    delete_webhook_subscription: Annotated[
        Annotated[str, PathLimit(holds=("id",), may_be_none=True)] | None,
        Setting(
            "At which path is a webhook subscription deleted, if not where it is read?",
            row="webhook.operations",
            origin="public",
            others=("/v1/webhook_subscriptions/{id}/delete", "none"),
            base="paths.webhook_subscription",
        ),
    ] = None
