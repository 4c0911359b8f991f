"""HTTP statuses."""

from __future__ import annotations

from typing import Annotated, Literal

from ...light_dataclass import light_dataclass
from .setting import Setting


@light_dataclass(frozen=True)
class SuccessCodeSettings:
    """The statuses of a success."""

    individuals: Annotated[
        Literal[200, 201, 202],
        Setting(
            "Which status does a successful POST /v1/individuals get?",
            row="individual.create-status",
            origin="public",
        ),
    ] = 201
    quotes: Annotated[
        Literal[200, 201],
        Setting("Which status does a new quote get?", row="quote.operation", origin="public"),
    ] = 201
    transfers: Annotated[
        Literal[200, 201],
        Setting("Which status does a new transfer get?", row="transfer.create", origin="public"),
    ] = 201
    sandbox_deposits: Annotated[
        Literal[200, 201, 202, 204],
        Setting("Which status does a sandbox deposit get?", row="deposit.path"),
    ] = 201
    webhook_subscriptions: Annotated[
        Literal[200, 201],
        Setting(
            "Which status does a new webhook subscription get?",
            row="webhook.create-status",
        ),
    ] = 201
    webhook_subscription: Annotated[
        Literal[204, 200, 202],
        Setting(
            "Which status does the deletion of a webhook subscription get?",
            row="webhook.operations",
            origin="public",
        ),
    ] = 204


@light_dataclass(frozen=True)
class ErrorCodeSettings:
    """The statuses of refusals."""

    signature: Annotated[
        Literal[401, 403],
        Setting(
            "Which status do a missing, wrong or stale signature and a reused nonce get?",
            row="signing.errors",
        ),
    ] = 401
    validation: Annotated[
        Literal[400, 422],
        Setting(
            "Which status does an invalid body get where the interface description shows none?",
            row="transfer.create",
            origin="public",
        ),
    ] = 400
    state: Annotated[
        Literal[422, 400, 409],
        Setting(
            "Which status does a good request get that the state of its objects does not "
            "allow, such as a used quote?",
            row="transfer.create",
            origin="public",
        ),
    ] = 422
