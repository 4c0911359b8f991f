"""The meanings of the fields of requests and answers. A name has one meaning everywhere."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from ..light_dataclass import light_dataclass

FieldKind = Literal["text", "list", "word", "currency", "amount", "rate", "time", "seconds"]


@light_dataclass(frozen=True)
class FieldMeaning:
    """How a value is read, and a sentence for a name that does not say what it means."""

    kind: FieldKind = "text"
    note: str = ""


FIELD_MEANINGS: Mapping[str, FieldMeaning] = {
    "account_holder_name": FieldMeaning(note="The name of the holder of the account."),
    "amount": FieldMeaning("amount"),
    "applicant_id": FieldMeaning(note="The id of the individual at the identity provider."),
    "at": FieldMeaning("time"),
    "attempt": FieldMeaning("seconds"),
    "available": FieldMeaning("amount", "What payouts can be paid from."),
    "awaiting_funds": FieldMeaning("amount", "What payouts need that await funds."),
    "client_reference_id": FieldMeaning(note="Your own reference, returned as sent."),
    "completed_at": FieldMeaning("time"),
    "completed_in": FieldMeaning(
        "seconds", "Seconds from the start to the completion; null until then."
    ),
    "conversion_account_id": FieldMeaning(note="The conversion account that is paid into."),
    "country": FieldMeaning("word"),
    "created_at": FieldMeaning("time", "When it was created, in UTC."),
    "currency": FieldMeaning("currency"),
    "cursor": FieldMeaning(note="The opaque cursor of a page."),
    "date_of_birth": FieldMeaning(note="As YYYY-MM-DD."),
    "deadline": FieldMeaning("time", "Until when the funds must arrive."),
    "deposit_instructions": FieldMeaning(
        note="Where and how to pay; absent while there is nothing to pay."
    ),
    "derived_source_amount": FieldMeaning(
        note="Whether the source amount was computed from another amount."
    ),
    "destination_amount": FieldMeaning(
        "amount", "What the recipient receives, in destination_currency."
    ),
    "destination_currency": FieldMeaning("currency"),
    "details": FieldMeaning(note="Depends on the type, and of accounts on the country."),
    "document": FieldMeaning(note="The identity document."),
    "event_type": FieldMeaning("word"),
    "event_types": FieldMeaning(note="The events that are sent to the URL."),
    "exchange_rate": FieldMeaning("rate", "Destination units for one source unit."),
    "expires_at": FieldMeaning("time", "Until when rate and fees hold."),
    "failure_reason": FieldMeaning(note="Why it failed; null unless it did."),
    "fee_currency": FieldMeaning("currency"),
    "idv_consent_recorded_at": FieldMeaning(
        "time", "When the person consented to the verification of their identity."
    ),
    "individual_id": FieldMeaning(note="The individual that it belongs to."),
    "initiated_at": FieldMeaning("time", "When the payout was broadcast; null until then."),
    "is_active": FieldMeaning(note="Whether events are sent."),
    "net_source_amount": FieldMeaning("amount", "The source amount without fees and taxes."),
    "partner_terms_accepted_at": FieldMeaning(
        note="When the person accepted the terms of the provider."
    ),
    "payment_methods": FieldMeaning("list", "The rails on which the deposit can be paid."),
    "payout_account": FieldMeaning(note="The crypto wallet that receives the stablecoin."),
    "payout_account_id": FieldMeaning(
        note="The id of the crypto wallet that receives the stablecoin."
    ),
    "payout_method": FieldMeaning("word", "The rail of the payout."),
    "previous_status": FieldMeaning(note="The status before."),
    "product_types": FieldMeaning("list", "The products that the individual uses."),
    "provider": FieldMeaning(note="The identity-verification provider."),
    "quote_id": FieldMeaning(note="The quote to pay; it sets amounts, currencies and account."),
    "received_at": FieldMeaning("time", "When the deposit arrived."),
    "recipient_id": FieldMeaning(note="The individual who is paid."),
    "reserved": FieldMeaning("amount", "For payouts that have started."),
    "sender_name": FieldMeaning(
        note="Who pays; without it the individual, empty for a missing name."
    ),
    "settlement_reference_id": FieldMeaning(
        note="The reference of the settlement; null until completed."
    ),
    "source_amount": FieldMeaning("amount", "What is paid, in source_currency, fees included."),
    "source_currency": FieldMeaning("currency"),
    "source_network": FieldMeaning("word", "The network that the stablecoin comes from."),
    "source_type": FieldMeaning(
        note="Whether the transfer is paid from prefunded money or by a deposit."
    ),
    "status": FieldMeaning("word"),
    "status_details": FieldMeaning(
        note="What is needed, or why it was rejected; absent otherwise."
    ),
    "tax_currency": FieldMeaning("currency"),
    "token": FieldMeaning(note="The share token of the provider."),
    "total_fee": FieldMeaning("amount", "All fees, in fee_currency."),
    "total_tax": FieldMeaning("amount", "All taxes, in tax_currency."),
    "tx_hash": FieldMeaning(note="The transaction on the network; null until it is broadcast."),
    "type": FieldMeaning("word"),
    "updated_at": FieldMeaning("time", "When it changed last, in UTC."),
    "url": FieldMeaning(note="The address that receives events, by POST."),
}
"""By the name of the field; a field that is not here holds text."""


def find_field_kind(name: str) -> FieldKind:
    """How the value of a field is read, by the name of the field: "amount", "time", ..."""
    meaning = FIELD_MEANINGS.get(name)
    return meaning.kind if meaning else "text"


def find_field_note(name: str) -> str:
    """The meaning of a field in a sentence; empty if its name says it."""
    meaning = FIELD_MEANINGS.get(name)
    return meaning.note if meaning else ""


def list_fields_of_kind(*kinds: FieldKind) -> frozenset[str]:
    """The names of all fields of these kinds."""
    return frozenset(
        field_name for field_name, meaning in FIELD_MEANINGS.items() if meaning.kind in kinds
    )


CURRENCY_FIELDS = list_fields_of_kind("currency")
"""Fields that hold a currency code: upper case when read, lower case in events."""

ANSWER_AMOUNTS = list_fields_of_kind("amount", "rate")
"""The fields of answers that hold an amount, a rate or a fee."""
