"""Named enumerations: words that several fields share are one schema, and one type of a client."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..spec import codes
from ..spec.service import Service
from .schemas import Schema, ref_to

_OF_SPEC: Mapping[str, Sequence[str]] = {
    "AccountType": codes.ACCOUNT_TYPES,
    "Country": codes.COUNTRIES,
    "DepositInstructionType": codes.DEPOSIT_INSTRUCTION_TYPES,
    "DestinationCurrency": codes.DESTINATION_CURRENCIES,
    "DocumentType": codes.DOCUMENT_TYPES,
    "ImageSide": codes.IMAGE_SIDES,
    "ImageType": codes.IMAGE_TYPES,
    "OnRampCurrency": tuple(codes.ON_RAMP.values()),
    "PayoutMethod": codes.PAYOUT_METHODS,
    "Product": codes.PRODUCTS,
    "SourceCurrency": codes.SOURCE_CURRENCIES,
}


def names(service: Service) -> dict[str, tuple[str, ...]]:
    """The enumerations by name, with the further words of a service."""
    more, found = service.statuses, {name: tuple(words) for name, words in _OF_SPEC.items()}
    return found | {
        "ConversionAccountStatus": (
            *codes.CONVERSION_ACCOUNT_STATUSES,
            *more.conversion_accounts,
        ),
        "ConversionStatus": (*codes.CONVERSION_STATUSES, *more.conversions),
        "EventType": (*codes.EVENT_TYPES, *service.webhooks.event_types),
        "IndividualStatus": (*codes.INDIVIDUAL_STATUSES, *more.individuals),
        "Network": tuple(service.financial_accounts.crypto_wallet.allowed),
        "StatusDetailCode": (*codes.STATUS_DETAIL_CODES, *more.detail_codes),
        "TransferStatus": (*codes.TRANSFER_STATUSES, *more.transfers),
    }


def named(made: Any, service: Service) -> Any:
    """A part of the document in which enumerations are references to their names."""
    return _replaced(made, {words: name for name, words in names(service).items()})


def schemas(service: Service) -> dict[str, Schema]:
    """The schemas of the enumerations."""
    return {
        name: {"type": "string", "enum": list(dict.fromkeys(words))}
        for name, words in names(service).items()
    }


def _replaced(made: Any, found: Mapping[tuple[str, ...], str]) -> Any:
    if isinstance(made, list):
        return [_replaced(each, found) for each in made]
    if not isinstance(made, dict):
        return made
    words = made.get("enum")
    name = found.get(tuple(words)) if isinstance(words, list) and "type" in made else None
    if name is None:
        return {key: _replaced(each, found) for key, each in made.items()}
    kept = {key: each for key, each in made.items() if key not in ("type", "enum")}
    return {**ref_to(name), **kept}
