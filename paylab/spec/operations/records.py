"""Every operation of the service, one record each."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NoReturn

from ...errors.base import UnknownItemError
from ...errors.suggestions import find_nearest_names
from .. import codes
from ..field_names import rename_instruction_details
from ..renames import SAME_NAMES, Body, Convert, Names
from ..service.tree import ServiceSettings
from . import bodies, refusals
from .field import AMOUNT, ENUM, INTEGER, Field
from .operation import Operation


def _read_deletion_path(service: ServiceSettings) -> str:
    """The path at which a subscription is deleted: where it is read, unless it has its own."""
    return service.paths.delete_webhook_subscription or service.paths.webhook_subscription


_PAGE = (Field("limit", INTEGER), Field("cursor"))
_PRODUCT = Field("product_type", ENUM, words=codes.PRODUCTS)

_RECORDS = (
    Operation(
        name="individuals.create",
        method="POST",
        path=lambda service: service.paths.create_individual,
        summary="Create an individual",
        fields=bodies.INDIVIDUAL,
        answer="Individual",
        names=lambda service: service.individuals.fields,
        success=(lambda service: service.success_codes.individuals,),
        refusals=refusals.INDIVIDUAL,
    ),
    Operation(
        name="individuals.list",
        method="GET",
        listing=lambda lists: lists.individuals,
        path=lambda service: service.paths.individuals,
        summary="List individuals",
        query=_PAGE,
        answer="Individual",
    ),
    Operation(
        name="individuals.get",
        method="GET",
        path=lambda service: service.paths.individual,
        summary="Read one individual",
        answer="Individual",
        refusals=refusals.ONE_INDIVIDUAL,
    ),
    Operation(
        name="individuals.submit_token",
        method="POST",
        path=lambda service: service.paths.submit_verification_token,
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
        path=lambda service: service.paths.upload_verification_images,
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
        path=lambda service: service.paths.verification_images,
        summary="Read the metadata of the stored images",
        answer="VerificationImages",
        call="getVerificationImages",
        refusals=refusals.ONE_INDIVIDUAL,
    ),
    Operation(
        name="financial_accounts.create",
        method="POST",
        path=lambda service: service.paths.create_financial_account,
        summary="Add a financial account to an individual",
        fields=bodies.FINANCIAL_ACCOUNT,
        names=lambda service: service.financial_accounts.fields,
        answer="FinancialAccount",
        success=(201,),
        refusals=refusals.FINANCIAL_ACCOUNT,
    ),
    Operation(
        name="financial_accounts.update",
        method="POST",
        path=lambda service: service.paths.update_financial_account,
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
        path=lambda service: service.paths.quotes,
        summary="Ask for a quote, which locks rate and fees",
        fields=bodies.QUOTE,
        answer="Quote",
        success=(lambda service: service.success_codes.quotes,),
        names=lambda service: service.quotes.fields,
        refusals=refusals.QUOTE,
    ),
    Operation(
        name="transfers.create",
        method="POST",
        path=lambda service: service.paths.create_transfer,
        summary="Create a transfer from a quote, or from an account, a rail and one amount",
        fields=bodies.TRANSFER,
        answer="Transfer",
        success=(lambda service: service.success_codes.transfers,),
        names=lambda service: service.transfers.fields,
        is_idempotent=True,
        refusals=refusals.TRANSFER,
    ),
    Operation(
        name="transfers.list",
        method="GET",
        listing=lambda lists: lists.transfers,
        path=lambda service: service.paths.transfers,
        summary="List transfers",
        query=(*_PAGE, _PRODUCT),
        answer="Transfer",
        is_shown=True,
    ),
    Operation(
        name="transfers.get",
        method="GET",
        path=lambda service: service.paths.transfer,
        summary="Read one transfer",
        answer="Transfer",
        refusals=refusals.ONE_TRANSFER,
    ),
    Operation(
        name="balances.get",
        method="GET",
        path=lambda service: service.paths.balances,
        summary="Read the prefunded balances of the account",
        answer="BalanceList",
        call="getBalances",
    ),
    Operation(
        name="conversion_accounts.create",
        method="POST",
        path=lambda service: service.paths.create_conversion_account,
        summary="Create a conversion account, into which an individual pays fiat",
        fields=bodies.CONVERSION_ACCOUNT,
        answer="ConversionAccount",
        success=(201, 202),
        names=lambda service: service.conversion_accounts.fields,
        is_idempotent=True,
        refusals=refusals.CONVERSION_ACCOUNT,
    ),
    Operation(
        name="conversion_accounts.list",
        method="GET",
        listing=lambda lists: lists.conversion_accounts,
        path=lambda service: service.paths.conversion_accounts,
        summary="List conversion accounts",
        query=_PAGE,
        answer="ConversionAccount",
    ),
    Operation(
        name="conversion_accounts.get",
        method="GET",
        path=lambda service: service.paths.conversion_account,
        summary="Read one conversion account with its deposit instructions",
        answer="ConversionAccount",
        refusals=refusals.ONE_CONVERSION_ACCOUNT,
    ),
    Operation(
        name="conversions.list",
        method="GET",
        listing=lambda lists: lists.conversions,
        path=lambda service: service.paths.conversions,
        summary="List conversions",
        query=_PAGE,
        answer="Conversion",
        is_shown=True,
    ),
    Operation(
        name="conversions.get",
        method="GET",
        path=lambda service: service.paths.conversion,
        summary="Read one conversion",
        answer="Conversion",
        refusals=refusals.ONE_CONVERSION,
    ),
    Operation(
        name="sandbox.deposit",
        method="POST",
        path=lambda service: service.paths.sandbox_deposits,
        summary="Simulate a fiat deposit",
        fields=bodies.DEPOSIT,
        answer="Deposit",
        success=(lambda service: service.success_codes.sandbox_deposits,),
        names=lambda service: service.sandbox_deposits.fields,
        is_sandbox=True,
        call="simulateDeposit",
        refusals=refusals.DEPOSIT,
    ),
    Operation(
        name="webhook_subscriptions.create",
        method="POST",
        path=lambda service: service.paths.create_webhook_subscription,
        summary="Subscribe a URL to event types",
        fields=bodies.SUBSCRIPTION,
        answer="WebhookSubscription",
        success=(lambda service: service.success_codes.webhook_subscriptions,),
        refusals=refusals.SUBSCRIPTION,
    ),
    Operation(
        name="webhook_subscriptions.list",
        method="GET",
        listing=lambda lists: lists.webhook_subscriptions,
        path=lambda service: service.paths.webhook_subscriptions,
        summary="List webhook subscriptions",
        query=_PAGE,
        answer="WebhookSubscription",
    ),
    Operation(
        name="webhook_subscriptions.get",
        method="GET",
        path=lambda service: service.paths.webhook_subscription,
        summary="Read one webhook subscription",
        answer="WebhookSubscription",
        refusals=refusals.ONE_SUBSCRIPTION,
    ),
    Operation(
        name="webhook_subscriptions.delete",
        method="DELETE",
        path=_read_deletion_path,
        summary="End a webhook subscription",
        success=(lambda service: service.success_codes.webhook_subscription,),
        refusals=refusals.ONE_SUBSCRIPTION,
    ),
)


class Operations(dict[str, Operation]):
    """The operations by name; UnknownItemError names those that are similar to a wrong name."""

    def __missing__(self, name: object) -> NoReturn:
        """Raise UnknownItemError with the nearest names, or with all if none is near."""
        nearest_names = find_nearest_names(str(name), self)
        choices_text = (
            f"nearest: {', '.join(nearest_names)}"
            if nearest_names
            else f"known are {', '.join(self)}"
        )
        raise UnknownItemError(f"no operation is called {name!r}; {choices_text}")


OPERATIONS: Mapping[str, Operation] = Operations({each.name: each for each in _RECORDS})
"""Every operation of the service by name."""

RESOURCES = tuple(dict.fromkeys(operation.resource for operation in _RECORDS))
"""The resources of the operations."""

LISTED_RESOURCES = tuple(operation.resource for operation in _RECORDS if operation.is_list)
"""The resources that an operation lists."""

IDEMPOTENT_OPERATIONS = frozenset(
    operation.name for operation in _RECORDS if operation.is_idempotent
)
"""The operations that take an Idempotency-Key as the spec says it, "Idempotency"."""

REQUEST_AMOUNTS = tuple(
    dict.fromkeys(name for each in _RECORDS for name in each.field_names_of_kind(AMOUNT))
)
"""The fields of requests that hold an amount."""

NAMED: Mapping[str, Operation] = {
    operation.answer: operation for operation in _RECORDS if operation.names
}
"""The models with a table of names, each with the operation whose body has that table.

The names of a body are those of its object in every answer, list and event too.
"""


def answer_names(model: str, service: ServiceSettings) -> Names:
    """The names that a service has for the fields of a model in answers."""
    naming_operation = NAMED.get(model)
    return naming_operation.answer_names(service) if naming_operation else SAME_NAMES


def rename_event_object(
    service: ServiceSettings, event_type: str, payload: Mapping[str, object], convert: Convert
) -> Body:
    """Rename the fields of an event's object; `convert` is `Names.to_ours` or `Names.to_theirs`.

    They have the names of answers: those in `transfer.failed` are the names of a Transfer.
    """
    model_name = event_type.partition(".")[0].title()
    renamed_object = convert(answer_names(model_name, service), payload)
    # The details of deposit instructions have a table of names of their own.
    return rename_instruction_details(service, renamed_object, convert)
