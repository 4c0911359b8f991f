"""The resources as pydantic models that accept unknown fields, words and types."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, Any, Self

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    PlainSerializer,
    PlainValidator,
    PrivateAttr,
    StrictBool,
    ValidationError,
    ValidationInfo,
    WrapValidator,
    field_validator,
    model_validator,
)

from . import names
from .money import Amount
from .text import plain
from .timestamps import from_text


def _instant(value: object) -> datetime:
    if isinstance(value, datetime) and value.tzinfo is not None:
        return value.astimezone(UTC)
    if not isinstance(value, str):
        raise ValueError("a time is ISO 8601 text")
    return from_text(value)


def _keep(value: object, handler: Callable[[object], object]) -> object:
    try:
        return handler(value)
    except ValidationError:
        return value


def _names_id(field: str) -> bool:
    return field == "id" or field.endswith("_id")


def _is_number(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


Money = Annotated[Amount, PlainValidator(Amount), PlainSerializer(str, str, when_used="json")]
Instant = Annotated[datetime, PlainValidator(_instant)]
# An item that cannot be read must not cost its neighbours their types.
Kept = WrapValidator(_keep)


class Resource(BaseModel):
    """Something the service sent."""

    model_config = ConfigDict(frozen=True, extra="allow", protected_namespaces=())

    _raw: dict[str, Any] = PrivateAttr(default_factory=dict)
    _replayed: bool = PrivateAttr(default=False)

    @property
    def raw(self) -> dict[str, Any]:
        """The JSON object exactly as sent."""
        return self._raw

    @property
    def replayed(self) -> bool:
        """Whether the service answered from its memory of an Idempotency-Key."""
        return self._replayed

    @field_validator("*", mode="wrap")
    @classmethod
    def _read_field(
        cls, value: object, handler: Callable[[object], object], info: ValidationInfo
    ) -> object:
        if value is None:
            return cls.model_fields[info.field_name or ""].default
        try:
            return handler(value)
        except ValidationError:
            return str(value) if _is_number(value) and _names_id(info.field_name or "") else value

    @model_validator(mode="wrap")
    @classmethod
    def _read_whole(cls, value: object, handler: Callable[[object], Self]) -> Self:
        resource = handler(value)
        if isinstance(value, Mapping):
            resource._raw = dict(value) if not isinstance(value, dict) else value
        return resource

    def model_dump(self, **options: Any) -> dict[str, Any]:
        """The fields as a dict; a value kept although its type was wrong is no reason to warn."""
        return super().model_dump(**{"warnings": False, **options})

    def model_dump_json(self, **options: Any) -> str:
        """The fields as JSON text; `.raw` is what the service sent."""
        try:
            return super().model_dump_json(**{"warnings": False, **options})
        except (ValueError, RecursionError):  # half a character, or nested too deep for pydantic
            return json.dumps(self._raw, default=str)

    def __eq__(self, other: object) -> bool:
        """Equal when they say the same; null, absent and replayed make no difference."""
        return isinstance(other, type(self)) and _said(self) == _said(other)

    def __hash__(self) -> int:
        return hash((type(self), str(getattr(self, "id", ""))))

    def __repr_args__(self) -> Iterable[tuple[str | None, Any]]:
        """Only what the service said: a page of None hides what matters."""
        return ((name, value) for name, value in super().__repr_args__() if value is not None)

    def __repr__(self) -> str:
        """One line of the most important fields; `str` and `to_dict()` give all of them."""
        said = {str(name): value for name, value in self.__repr_args__()}
        chosen = [name for name in IMPORTANT if name in said] or list(said)
        shown = (f"{name}={plain(repr(said[name]), LONGEST)}" for name in chosen[:MOST_SHOWN])
        return f"{type(self).__name__}({', '.join(shown)})"

    def to_dict(self) -> dict[str, Any]:
        """The fields that have a value, as plain JSON values.

        >>> lab.transfers.list()[0].to_dict()["source_currency"]
        'USD'
        """
        try:
            return self.model_dump(mode="json", exclude_none=True)
        except (ValueError, RecursionError):  # nested too deep for pydantic
            return dict(self._raw)

    def to_json(self, indent: int | None = None) -> str:
        """The fields that have a value, as JSON text.

        >>> lab.transfers.list()[0].to_json()[:9]
        '{"id": "t'
        """
        return json.dumps(self.to_dict(), indent=indent, default=str)

    def __getitem__(self, name: str) -> Any:
        """A field by its name, as of a dictionary; KeyError names a similar one."""
        if name in self:
            return getattr(self, name)
        instead = names.meant(name, self.keys())
        raise KeyError(f"{name}: use {instead}" if instead else name)

    def __contains__(self, name: object) -> bool:
        return name in self.keys()

    def get(self, name: str, default: Any = None) -> Any:
        """A field by its name, or the default when it is missing or null.

        >>> lab.transfers.list()[0].get("status")
        'completed'
        """
        value = getattr(self, name) if name in self else None
        return default if value is None else value

    def keys(self) -> list[str]:
        """The names of the fields, those that the service added included.

        >>> lab.transfers.list()[0].keys()[:2]
        ['id', 'client_reference_id']
        """
        return [*type(self).model_fields, *(self.model_extra or ())]

    def items(self) -> list[tuple[str, Any]]:
        """The names and values of the fields.

        >>> dict(lab.transfers.list()[0].items())["status"]
        'completed'
        """
        return [(name, getattr(self, name)) for name in self.keys()]

    def __dir__(self) -> list[str]:
        methods = (name for name in vars(Resource) if not name.startswith("_"))
        return sorted({*self.keys(), *methods} - {"model_config"})

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            try:
                return super().__getattr__(name)
            except AttributeError:
                names.suggest(self, name)


IMPORTANT = (
    *("id", "status", "type", "status_details", "given_name", "family_name", "country"),
    *("source_amount", "source_currency", "destination_amount", "destination_currency"),
    *("amount", "currency", "deposit", "url", "failure_reason", "code", "message"),
)
"""The fields of a repr, of which it shows the first that have a value."""

MOST_SHOWN, LONGEST = 6, 60
"""Fields of a repr, and characters of a value."""


def _said(resource: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    return {name: value for name, value in resource if value is not None}


class Address(Resource):
    """Where an individual lives."""

    country: str | None = None
    line_1: str | None = None
    line_2: str | None = None
    city: str | None = None
    state: str | None = None
    postal_code: str | None = None


class Document(Resource):
    """An identity document; its number stays out of the repr."""

    type: str | None = None
    number: str | None = Field(default=None, repr=False)


class StatusDetail(Resource):
    """Why an individual has its status: branch on `code`, show `message`."""

    code: str | None = None
    message: str | None = None


class FinancialAccount(Resource):
    """A payout destination or a crypto wallet; `details` depends on `type`."""

    id: str = ""
    type: str | None = None
    details: dict[str, Any] | None = None
    created_at: Instant | None = None
    updated_at: Instant | None = None


class Individual(Resource):
    """An end user or recipient, and how far their verification has come."""

    id: str = ""
    given_name: str | None = None
    family_name: str | None = None
    email: str | None = None
    phone: str | None = None
    date_of_birth: str | None = None
    idv_consent_recorded_at: Instant | None = None
    address: Address | None = None
    country: str | None = None
    status: str | None = None
    product_types: list[str] | None = None
    financial_accounts: list[Annotated[FinancialAccount, Kept]] | None = None
    document: Document | None = None
    status_details: list[Annotated[StatusDetail, Kept]] | None = None
    created_at: Instant | None = None
    updated_at: Instant | None = None


class VerificationImage(Resource):
    """What the service says about one stored image."""

    id: str = ""
    type: str | None = None
    content_type: str | None = None
    created_at: Instant | None = None
    updated_at: Instant | None = None


class VerificationImages(Resource):
    """The images stored for an individual, one a side."""

    individual_id: str | None = None
    images: list[Annotated[VerificationImage, Kept]] | None = None


class DepositInstructions(Resource):
    """Where and how to pay in; `details` depends on `type`."""

    type: str | None = None
    currency: str | None = None
    payment_methods: list[str] | None = None
    details: dict[str, Any] | None = None
    deadline: Instant | None = None


class Quote(Resource):
    """A rate and its fees, locked until `expires_at`."""

    id: str = ""
    source_amount: Money | None = None
    source_currency: str | None = None
    source_network: str | None = None
    derived_source_amount: StrictBool | None = None
    net_source_amount: Money | None = None
    destination_amount: Money | None = None
    destination_currency: str | None = None
    exchange_rate: Money | None = None
    total_fee: Money | None = None
    fee_currency: str | None = None
    total_tax: Money | None = None
    tax_currency: str | None = None
    payout_method: str | None = None
    financial_account_id: str | None = None
    recipient_id: str | None = None
    expires_at: Instant | None = None
    created_at: Instant | None = None


class Transfer(Resource):
    """A payout to a recipient's financial account."""

    id: str = ""
    client_reference_id: str | None = None
    source_amount: Money | None = None
    source_currency: str | None = None
    destination_amount: Money | None = None
    destination_currency: str | None = None
    exchange_rate: Money | None = None
    recipient_id: str | None = None
    financial_account_id: str | None = None
    payout_method: str | None = None
    status: str | None = None
    total_fee: Money | None = None
    fee_currency: str | None = None
    total_tax: Money | None = None
    tax_currency: str | None = None
    net_source_amount: Money | None = None
    completed_in: str | None = None
    created_at: Instant | None = None
    updated_at: Instant | None = None
    failure_reason: str | None = None
    settlement_reference_id: str | None = None
    deposit_instructions: DepositInstructions | None = None


class ConversionDeposit(Resource):
    """The fiat that came in."""

    amount: Money | None = None
    currency: str | None = None
    received_at: Instant | None = None


class ConversionPayout(Resource):
    """The stablecoin that goes out; the last three fields are None until they happen."""

    amount: Money | None = None
    currency: str | None = None
    payout_account_id: str | None = None
    tx_hash: str | None = None
    initiated_at: Instant | None = None
    completed_at: Instant | None = None


class Conversion(Resource):
    """One fiat deposit on its way to becoming stablecoin."""

    id: str = ""
    conversion_account_id: str | None = None
    individual_id: str | None = None
    status: str | None = None
    deposit: ConversionDeposit | None = None
    payout: ConversionPayout | None = None
    total_fee: Money | None = None
    fee_currency: str | None = None
    exchange_rate: Money | None = None
    created_at: Instant | None = None
    updated_at: Instant | None = None


class ConversionAccount(Resource):
    """Where an individual pays in fiat that is converted to their crypto wallet."""

    id: str = ""
    individual_id: str | None = None
    client_reference_id: str | None = None
    status: str | None = None
    source_currency: str | None = None
    destination_currency: str | None = None
    payout_account: FinancialAccount | None = None
    deposit_instructions: DepositInstructions | None = None
    created_at: Instant | None = None
    updated_at: Instant | None = None


class Deposit(Resource):
    """A simulated fiat deposit, which exists in the sandbox only."""

    id: str = ""
    conversion_account_id: str | None = None
    amount: Money | None = None
    currency: str | None = None
    sender_name: str | None = None
    created_at: Instant | None = None


class WebhookSubscription(Resource):
    """A URL that receives events of the given types."""

    id: str = ""
    url: str | None = None
    event_types: list[str] | None = None
    is_active: StrictBool | None = None
    created_at: Instant | None = None
    updated_at: Instant | None = None


__all__ = [
    "Address",
    "Amount",
    "Conversion",
    "ConversionAccount",
    "ConversionDeposit",
    "ConversionPayout",
    "Deposit",
    "DepositInstructions",
    "Document",
    "FinancialAccount",
    "Individual",
    "Instant",
    "Money",
    "Quote",
    "Resource",
    "StatusDetail",
    "Transfer",
    "VerificationImage",
    "VerificationImages",
    "WebhookSubscription",
]
