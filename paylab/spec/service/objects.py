"""How an answer holds a single object, what it does with missing values, and constant fields."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Annotated, Literal

from ...light_dataclass import light_dataclass
from .setting import Setting
from .value_types import OptionalPlace


@light_dataclass(frozen=True)
class OneObjectSettings:
    """How an answer holds the object of one resource; None is as for all."""

    item: OptionalPlace | None = None


@light_dataclass(frozen=True)
class ObjectSettings:
    """How an answer holds a single object; each resource can have its own key."""

    item: Annotated[
        OptionalPlace,
        Setting(
            "Under which key of an answer does a single object stand (dots step into objects; "
            "none: the answer is the object)?",
            row="object.envelope",
            origin="spec",
            others=("data", "result.item"),
        ),
    ] = "none"
    missing: Annotated[
        Literal["as_specified", "absent", "null"],
        Setting(
            "Is a field without a value left out of an answer (absent), null, or as the "
            "specification says for each resource (as_specified)?",
            row="object.missing",
            origin="spec",
        ),
    ] = "as_specified"
    individuals: Annotated[OneObjectSettings, Setting(inherits="Individuals")] = OneObjectSettings()
    financial_accounts: Annotated[OneObjectSettings, Setting(inherits="Financial accounts")] = (
        OneObjectSettings()
    )
    quotes: Annotated[OneObjectSettings, Setting(inherits="Quotes")] = OneObjectSettings()
    transfers: Annotated[OneObjectSettings, Setting(inherits="Transfers")] = OneObjectSettings()
    conversion_accounts: Annotated[OneObjectSettings, Setting(inherits="Conversion accounts")] = (
        OneObjectSettings()
    )
    conversions: Annotated[OneObjectSettings, Setting(inherits="Conversions")] = OneObjectSettings()
    sandbox_deposits: Annotated[OneObjectSettings, Setting(inherits="Sandbox deposits")] = (
        OneObjectSettings()
    )
    webhook_subscriptions: Annotated[
        OneObjectSettings, Setting(inherits="Webhook subscriptions")
    ] = OneObjectSettings()


ITEMS: Mapping[str, Callable[[ObjectSettings], OneObjectSettings]] = {
    "Individual": lambda objects: objects.individuals,
    "FinancialAccount": lambda objects: objects.financial_accounts,
    "Quote": lambda objects: objects.quotes,
    "Transfer": lambda objects: objects.transfers,
    "ConversionAccount": lambda objects: objects.conversion_accounts,
    "Conversion": lambda objects: objects.conversions,
    "Deposit": lambda objects: objects.sandbox_deposits,
    "WebhookSubscription": lambda objects: objects.webhook_subscriptions,
}
"""How answers hold the object of each model that has its own key."""
