"""The resources as pydantic models that accept unknown fields, words and types."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, NoReturn

from pydantic import AfterValidator, Field, StrictBool

from . import codes
from .members import Members
from .resource import Instant, Item, Money, Resource, Word
from .text import plain

Details = Annotated[dict[str, Any], AfterValidator(Members)]
"""Members that depend on the type of the object."""


class Address(Resource):
    """The address of an individual."""

    country: Word[codes.Country] | None = None
    line_1: str | None = None
    line_2: str | None = None
    city: str | None = None
    state: str | None = None
    postal_code: str | None = None


class Document(Resource):
    """An identity document; its number stays out of the repr."""

    type: Word[codes.DocumentType] | None = None
    number: str | None = Field(default=None, repr=False)


class StatusDetail(Resource):
    """Why an individual has its status: branch on `code`, show `message`."""

    code: Word[codes.StatusDetailCode] | None = None
    message: str | None = None


class FinancialAccount(Resource):
    """A payout destination or a crypto wallet; `details` depends on `type`."""

    id: str = ""
    type: Word[codes.AccountType] | None = None
    details: Details | None = None
    created_at: Instant | None = None
    updated_at: Instant | None = None


class Individual(Resource):
    """An end user or recipient, with the status of their verification."""

    id: str = ""
    given_name: str | None = None
    family_name: str | None = None
    email: str | None = None
    phone: str | None = None
    date_of_birth: str | None = None
    idv_consent_recorded_at: Instant | None = None
    address: Address | None = None
    country: Word[codes.Country] | None = None
    status: Word[codes.IndividualStatus] | None = None
    product_types: list[Word[codes.Product]] | None = None
    financial_accounts: list[Item[FinancialAccount]] | None = None
    document: Document | None = None
    status_details: list[Item[StatusDetail]] | None = None
    created_at: Instant | None = None
    updated_at: Instant | None = None


class StatusChange(Resource):
    """The payload of individual.status_changed."""

    id: str = ""
    status: Word[codes.IndividualStatus] | None = None
    previous_status: Word[codes.IndividualStatus] | None = None
    status_details: list[StatusDetail] | None = None
    updated_at: Instant | None = None


class VerificationImage(Resource):
    """The metadata of a stored image."""

    id: str = ""
    type: Word[codes.ImageSide] | None = None
    content_type: Word[codes.ImageType] | None = None
    created_at: Instant | None = None
    updated_at: Instant | None = None


class VerificationImages(Resource):
    """The images stored for an individual, one per side."""

    individual_id: str | None = None
    images: list[Item[VerificationImage]] | None = None


class DepositInstructions(Resource):
    """How to pay a deposit; `details` depends on `type`."""

    type: Word[codes.DepositInstructionType] | None = None
    currency: Word[codes.Currency] | None = None
    payment_methods: list[Word[codes.PayoutMethod]] | None = None
    details: Details | None = None
    deadline: Instant | None = None


class Quote(Resource):
    """A rate and its fees, locked until `expires_at`."""

    id: str = ""
    source_amount: Money | None = None
    source_currency: Word[codes.SourceCurrency] | None = None
    source_network: Word[codes.Network] | None = None
    derived_source_amount: StrictBool | None = None
    net_source_amount: Money | None = None
    destination_amount: Money | None = None
    destination_currency: Word[codes.DestinationCurrency] | None = None
    exchange_rate: Money | None = None
    total_fee: Money | None = None
    fee_currency: Word[codes.Currency] | None = None
    total_tax: Money | None = None
    tax_currency: Word[codes.Currency] | None = None
    payout_method: Word[codes.PayoutMethod] | None = None
    financial_account_id: str | None = None
    recipient_id: str | None = None
    expires_at: Instant | None = None
    created_at: Instant | None = None


class Balance(Resource):
    """The prefunded money of the account in one currency.

    `reserved` is for payouts that have started, `awaiting_funds` what other payouts wait for.
    """

    currency: Word[codes.Currency] | None = None
    available: Money | None = None
    reserved: Money | None = None
    awaiting_funds: Money | None = None


class BalanceList(Resource):
    """The balances of the account, one per currency."""

    balances: list[Item[Balance]] | None = None


class Transfer(Resource):
    """A payout to a recipient's financial account."""

    id: str = ""
    client_reference_id: str | None = None
    source_amount: Money | None = None
    source_currency: Word[codes.SourceCurrency] | None = None
    destination_amount: Money | None = None
    destination_currency: Word[codes.DestinationCurrency] | None = None
    exchange_rate: Money | None = None
    recipient_id: str | None = None
    financial_account_id: str | None = None
    payout_method: Word[codes.PayoutMethod] | None = None
    status: Word[codes.TransferStatus] | None = None
    total_fee: Money | None = None
    fee_currency: Word[codes.Currency] | None = None
    total_tax: Money | None = None
    tax_currency: Word[codes.Currency] | None = None
    net_source_amount: Money | None = None
    completed_in: str | None = None
    created_at: Instant | None = None
    updated_at: Instant | None = None
    failure_reason: str | None = None
    settlement_reference_id: str | None = None
    deposit_instructions: DepositInstructions | None = None


class ConversionDeposit(Resource):
    """The fiat deposit of a conversion."""

    amount: Money | None = None
    currency: Word[codes.Currency] | None = None
    received_at: Instant | None = None


class ConversionPayout(Resource):
    """The stablecoin payout of a conversion; the last three fields are None until known."""

    amount: Money | None = None
    currency: Word[codes.Currency] | None = None
    payout_account_id: str | None = None
    tx_hash: str | None = None
    initiated_at: Instant | None = None
    completed_at: Instant | None = None


class Conversion(Resource):
    """The conversion of one fiat deposit to stablecoin."""

    id: str = ""
    conversion_account_id: str | None = None
    individual_id: str | None = None
    status: Word[codes.ConversionStatus] | None = None
    deposit: ConversionDeposit | None = None
    payout: ConversionPayout | None = None
    total_fee: Money | None = None
    fee_currency: Word[codes.Currency] | None = None
    exchange_rate: Money | None = None
    created_at: Instant | None = None
    updated_at: Instant | None = None


class PendingInstructions:
    """The deposit instructions of a pending account: false, equal to None, and without fields.

    >>> bool(paylab.models.PendingInstructions("ca_1"))
    False
    """

    def __init__(self, account_id: str) -> None:
        """Prepare the advice to wait for the account with this id."""
        wait_call = f'lab.conversion_accounts.wait("{plain(account_id, 60)}")'
        self.advice = f"the account is pending: call {wait_call}"

    def __bool__(self) -> bool:
        return False

    def __eq__(self, other: object) -> bool:
        return other is None or isinstance(other, PendingInstructions)

    def __hash__(self) -> int:
        return hash(None)

    def __repr__(self) -> str:
        return f"None ({self.advice})"

    def __getattr__(self, name: str) -> NoReturn:
        if name.startswith("_"):  # attributes that Python and IPython look up on any object
            raise AttributeError(name)
        raise AttributeError(f"there are no deposit instructions yet: {self.advice}")

    def __getitem__(self, name: str) -> NoReturn:
        raise KeyError(f"{name}: {self.advice}")


class ConversionAccount(Resource):
    """An account for fiat deposits that are converted and paid to a crypto wallet.

    While it is pending, `deposit_instructions` are false, and their use says what to call.
    """

    id: str = ""
    individual_id: str | None = None
    client_reference_id: str | None = None
    status: Word[codes.ConversionAccountStatus] | None = None
    source_currency: Word[codes.OnRampCurrency] | None = None
    destination_currency: Word[codes.DestinationCurrency] | None = None
    payout_account: FinancialAccount | None = None
    deposit_instructions: DepositInstructions | None = None
    created_at: Instant | None = None
    updated_at: Instant | None = None

    if not TYPE_CHECKING:

        def __getattribute__(self, name: str) -> Any:
            """Read a field; missing instructions of a pending account say what to wait for."""
            field_value = super().__getattribute__(name)
            is_missing = field_value is None and name == "deposit_instructions"
            if is_missing and self.status == "pending":
                return PendingInstructions(self.id)
            return field_value


class Deposit(Resource):
    """A simulated fiat deposit, in the sandbox only."""

    id: str = ""
    conversion_account_id: str | None = None
    amount: Money | None = None
    currency: Word[codes.Currency] | None = None
    sender_name: str | None = None
    created_at: Instant | None = None


class WebhookSubscription(Resource):
    """A URL that receives events of the given types."""

    id: str = ""
    url: str | None = None
    event_types: list[Word[codes.EventType]] | None = None
    is_active: StrictBool | None = None
    created_at: Instant | None = None
    updated_at: Instant | None = None


__all__ = [
    "Address",
    "Conversion",
    "ConversionAccount",
    "ConversionDeposit",
    "ConversionPayout",
    "Deposit",
    "DepositInstructions",
    "Document",
    "FinancialAccount",
    "Individual",
    "PendingInstructions",
    "Quote",
    "StatusChange",
    "StatusDetail",
    "Transfer",
    "VerificationImage",
    "VerificationImages",
    "WebhookSubscription",
]


def __dir__() -> list[str]:
    return sorted(__all__)
