"""Every operation of the service, one record each."""

from __future__ import annotations

from collections.abc import Mapping

from .. import codes
from . import bodies, refusals
from .field import AMOUNT, ENUM, INTEGER, Field
from .operation import Operation

_PAGE = (Field("limit", INTEGER), Field("cursor"))
_PRODUCT = Field("product_type", ENUM, words=codes.PRODUCTS)

_RECORDS = (
    Operation(
        name="individuals.create",
        method="POST",
        path="create_individual",
        summary="Create an individual",
        fields=bodies.INDIVIDUAL,
        answer="Individual",
        success=("success_codes.individuals",),
        refusals=refusals.INDIVIDUAL,
    ),
    Operation(
        name="individuals.list",
        method="GET",
        path="individuals",
        summary="List individuals",
        query=_PAGE,
        answer="Individual",
    ),
    Operation(
        name="individuals.get",
        method="GET",
        path="individual",
        summary="Read one individual",
        answer="Individual",
        refusals=refusals.ONE_INDIVIDUAL,
    ),
    Operation(
        name="individuals.submit_token",
        method="POST",
        path="submit_verification_token",
        summary="Submit a share token of the external identity-verification provider",
        fields=bodies.TOKEN,
        answer="Individual",
        success=(202,),
        body="VerificationToken",
        call="submitVerificationToken",
        refusals=refusals.TOKEN,
    ),
    Operation(
        name="individuals.upload_images",
        method="POST",
        path="upload_verification_images",
        summary="Upload verification images by side",
        fields=bodies.IMAGES,
        answer="VerificationImages",
        body="ImageUpload",
        call="uploadVerificationImages",
        refusals=refusals.IMAGES,
    ),
    Operation(
        name="individuals.images",
        method="GET",
        path="verification_images",
        summary="Read the metadata of the stored images",
        answer="VerificationImages",
        call="getVerificationImages",
        refusals=refusals.ONE_INDIVIDUAL,
    ),
    Operation(
        name="financial_accounts.create",
        method="POST",
        path="create_financial_account",
        summary="Add a financial account to an individual",
        fields=bodies.FINANCIAL_ACCOUNT,
        answer="FinancialAccount",
        success=(201,),
        refusals=refusals.FINANCIAL_ACCOUNT,
    ),
    Operation(
        name="financial_accounts.update",
        method="POST",
        path="update_financial_account",
        summary="Replace the details of a financial account",
        fields=bodies.NEW_DETAILS,
        answer="FinancialAccount",
        success=(201,),
        body="AccountUpdate",
        refusals=refusals.NEW_DETAILS,
    ),
    Operation(
        name="quotes.create",
        method="POST",
        path="quotes",
        summary="Ask for a quote, which locks rate and fees",
        fields=bodies.QUOTE,
        answer="Quote",
        success=("success_codes.quotes",),
        names="quotes",
        answer_names="quotes",
        refusals=refusals.QUOTE,
    ),
    Operation(
        name="transfers.create",
        method="POST",
        path="create_transfer",
        summary="Create a transfer from a quote, or from an account, a rail and one amount",
        fields=bodies.TRANSFER,
        answer="Transfer",
        success=("success_codes.transfers",),
        names="transfers",
        is_idempotent=True,
        refusals=refusals.TRANSFER,
    ),
    Operation(
        name="transfers.list",
        method="GET",
        path="transfers",
        summary="List transfers",
        query=(*_PAGE, _PRODUCT),
        answer="Transfer",
        is_shown=True,
    ),
    Operation(
        name="transfers.get",
        method="GET",
        path="transfer",
        summary="Read one transfer",
        answer="Transfer",
        refusals=refusals.ONE_TRANSFER,
    ),
    Operation(
        name="conversion_accounts.create",
        method="POST",
        path="create_conversion_account",
        summary="Create a conversion account, into which an individual pays fiat",
        fields=bodies.CONVERSION_ACCOUNT,
        answer="ConversionAccount",
        success=(201, 202),
        names="conversion_accounts",
        answer_names="conversion_accounts",
        is_idempotent=True,
        refusals=refusals.CONVERSION_ACCOUNT,
    ),
    Operation(
        name="conversion_accounts.list",
        method="GET",
        path="conversion_accounts",
        summary="List conversion accounts",
        query=_PAGE,
        answer="ConversionAccount",
        answer_names="conversion_accounts",
    ),
    Operation(
        name="conversion_accounts.get",
        method="GET",
        path="conversion_account",
        summary="Read one conversion account with its deposit instructions",
        answer="ConversionAccount",
        answer_names="conversion_accounts",
        refusals=refusals.ONE_CONVERSION_ACCOUNT,
    ),
    Operation(
        name="conversions.list",
        method="GET",
        path="conversions",
        summary="List conversions",
        query=_PAGE,
        answer="Conversion",
        is_shown=True,
    ),
    Operation(
        name="conversions.get",
        method="GET",
        path="conversion",
        summary="Read one conversion",
        answer="Conversion",
        refusals=refusals.ONE_CONVERSION,
    ),
    Operation(
        name="sandbox.deposit",
        method="POST",
        path="sandbox_deposits",
        summary="Simulate a fiat deposit",
        fields=bodies.DEPOSIT,
        answer="Deposit",
        success=("success_codes.sandbox_deposits",),
        names="sandbox_deposits",
        answer_names="sandbox_deposits",
        is_sandbox=True,
        body="NewDeposit",
        call="simulateDeposit",
        refusals=refusals.DEPOSIT,
    ),
    Operation(
        name="webhook_subscriptions.create",
        method="POST",
        path="create_webhook_subscription",
        summary="Subscribe a URL to event types",
        fields=bodies.SUBSCRIPTION,
        answer="WebhookSubscription",
        success=("success_codes.webhook_subscriptions",),
        refusals=refusals.SUBSCRIPTION,
    ),
    Operation(
        name="webhook_subscriptions.list",
        method="GET",
        path="webhook_subscriptions",
        summary="List webhook subscriptions",
        query=_PAGE,
        answer="WebhookSubscription",
    ),
    Operation(
        name="webhook_subscriptions.get",
        method="GET",
        path="webhook_subscription",
        summary="Read one webhook subscription",
        answer="WebhookSubscription",
        refusals=refusals.ONE_SUBSCRIPTION,
    ),
    Operation(
        name="webhook_subscriptions.delete",
        method="DELETE",
        path="delete_webhook_subscription",
        summary="End a webhook subscription",
        success=("success_codes.webhook_subscription",),
        refusals=refusals.ONE_SUBSCRIPTION,
    ),
)

OPERATIONS: Mapping[str, Operation] = {operation.name: operation for operation in _RECORDS}
"""Every operation of the service by name."""

RESOURCES = tuple(dict.fromkeys(operation.resource for operation in _RECORDS))
"""The resources of the operations."""

LISTS = tuple(operation.resource for operation in _RECORDS if operation.is_list)
"""The resources that an operation lists."""

IDEMPOTENT = frozenset(operation.name for operation in _RECORDS if operation.is_idempotent)
"""The operations that take an Idempotency-Key. Spec, "Idempotency"."""

AMOUNTS = tuple(dict.fromkeys(name for each in _RECORDS for name in each.of_kind(AMOUNT)))
"""The fields of requests that hold an amount."""

ANSWERED_AMOUNTS = frozenset({*AMOUNTS, "exchange_rate", "total_fee", "total_tax"})
"""The fields of answers that hold an amount, a rate or a fee."""

ANSWER_NAMES: Mapping[str, str] = {
    operation.answer: operation.answer_names for operation in _RECORDS if operation.answer_names
}
"""The table of names of the models that a service may answer with other names."""
