"""The settings of a service as one frozen tree: a group for each subject."""

from __future__ import annotations

from dataclasses import field
from typing import Annotated, Any

from ...light_dataclass import light_dataclass
from .accounts import AccountSettings
from .amounts import AmountSettings, CurrencySettings, RequestSettings
from .codes import ErrorCodeSettings, SuccessCodeSettings
from .error_bodies import ErrorSettings
from .frozen import FrozenDict
from .individuals import IndividualSettings, VerificationSettings
from .limits import IdempotencySettings, RateLimitSettings
from .lists import ListSettings
from .objects import ObjectSettings
from .on_ramp import ConversionAccountSettings, InstructionSettings, SandboxDepositSettings
from .paths import PathSettings
from .payouts import QuoteSettings, TransferSettings
from .rails import RailSettings
from .setting import Setting
from .signing import SigningSettings
from .statuses import StatusSettings
from .webhooks import WebhookSettings


@light_dataclass(frozen=True, kw_only=True)
class ServiceSettings:
    """The settings of a service: what the spec leaves open and a service can do differently.

    `extra` are constant fields of requests, by the name of an operation, in the names of the
    service.
    """

    signing: SigningSettings = SigningSettings()
    paths: PathSettings = PathSettings()
    errors: ErrorSettings = ErrorSettings()
    error_codes: ErrorCodeSettings = ErrorCodeSettings()
    success_codes: SuccessCodeSettings = SuccessCodeSettings()
    rate_limits: RateLimitSettings = RateLimitSettings()
    idempotency: IdempotencySettings = IdempotencySettings()
    currencies: CurrencySettings = CurrencySettings()
    amounts: AmountSettings = AmountSettings()
    requests: RequestSettings = RequestSettings()
    extra: Annotated[
        FrozenDict[FrozenDict[Any]],
        Setting(
            "Which constant fields must the body of an operation have that the specification "
            'does not name (the operation in quotes: [extra."transfers.create"])?',
            row="request.extra",
        ),
    ] = field(default_factory=FrozenDict)
    objects: ObjectSettings = ObjectSettings()
    lists: ListSettings = ListSettings()
    individuals: IndividualSettings = IndividualSettings()
    verification: VerificationSettings = VerificationSettings()
    financial_accounts: AccountSettings = AccountSettings()
    rails: RailSettings = RailSettings()
    quotes: QuoteSettings = QuoteSettings()
    transfers: TransferSettings = TransferSettings()
    conversion_accounts: ConversionAccountSettings = ConversionAccountSettings()
    deposit_instructions: InstructionSettings = InstructionSettings()
    sandbox_deposits: SandboxDepositSettings = SandboxDepositSettings()
    statuses: StatusSettings = StatusSettings()
    webhooks: WebhookSettings = WebhookSettings()
