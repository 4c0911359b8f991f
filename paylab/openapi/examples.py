"""Examples of request bodies that a service accepts once it has the objects that they name."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

from ..corridors import countries, examples, on_ramps
from ..corridors.country_names import NAMES
from ..spec import codes, timestamps
from ..spec.field_names import make_account_names
from ..spec.operations.operation import Operation
from ..spec.service.service import Service
from ..spec.service.value_types import NONE
from ..spec.text import write_json
from ..spec.translation import Translation
from .schemas import Schema

Body = dict[str, Any]
NamedExample = tuple[str, str, Body]
"""The key of an example, its summary, and its body in our names."""

_CONSENT_TIME = datetime(2026, 1, 15, 11, tzinfo=UTC)
_PNG_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_QUOTE_ID = "qt_01KF0Y6ZG0AAAAAAAAAAAAAAAA"


def make_examples(service: Service, operation: Operation) -> Schema:
    """The examples of the body of an operation by key, in the names of the service."""
    translation = Translation(service)
    examples: Iterable[NamedExample] = [("example", operation.summary, operation.example)]
    if operation.name in _EXAMPLE_MAKERS:
        examples = _EXAMPLE_MAKERS[operation.name](service, operation)
    examples_by_key = {}
    for example_key, summary, body in examples:
        example_body = json.loads(write_json(translation.translate_request(operation.name, body)))
        examples_by_key[example_key] = {"summary": summary, "value": example_body}
    return examples_by_key


def _make_individual_examples(service: Service, _: Operation) -> Iterator[NamedExample]:
    """A person for each on-ramp, and a recipient for each country with payouts."""
    for country in on_ramps.COUNTRIES:
        person = examples.individual(country, consent_at=_CONSENT_TIME)
        individual = examples.add_required_fields(service, person)
        # A datetime is not JSON: the example has the text that is sent.
        individual["idv_consent_recorded_at"] = timestamps.to_text(_CONSENT_TIME)
        yield f"{country}_on_ramp", f"On-ramp in {NAMES[country]}", individual
    for country in _list_payout_countries(service):
        summary = f"A recipient of payouts in {NAMES[country]}"
        yield country, summary, examples.recipient(country, service)


def _list_payout_countries(service: Service) -> Iterator[str]:
    """The countries with payouts, one for all SEPA countries."""
    country_codes = [corridor.country for corridor in countries.of(service).all]
    yield from (country for country in country_codes if country not in codes.SEPA)
    yield "DE"


def _make_token_examples(service: Service, operation: Operation) -> Iterator[NamedExample]:
    """A share token of the provider that the settings name."""
    provider = service.verification.provider
    yield "token", "The token of the provider", {**operation.example, "provider": provider}


def _make_image_examples(_service: Service, _: Operation) -> Iterator[NamedExample]:
    """The front of a document, as the smallest image that the service accepts."""
    image_base64 = b64encode(_PNG_SIGNATURE + bytes(codes.IMAGE_MIN)).decode()
    image_side = {"type": codes.IMAGE_SIDES[0], "content": f"data:image/png;base64,{image_base64}"}
    yield "front", "The front of a document, as small as it may be", {"images": [image_side]}


def _make_account_examples(service: Service, operation: Operation) -> Iterator[NamedExample]:
    """A crypto wallet, and a bank account for each country with payouts."""
    owner = {"individual_id": operation.example["individual_id"]}
    wallet = {"type": codes.CRYPTO_WALLET, "details": examples.wallet(service)}
    yield "wallet", "A crypto wallet", {**owner, **wallet}
    for country in _list_payout_countries(service):
        account = examples.account(country, service)
        yield country, f"A {account['type']} in {NAMES[country]}", {**owner, **account}


def _make_account_update_examples(service: Service, _: Operation) -> Iterator[NamedExample]:
    """New details of an account in Mexico."""
    account = examples.account("MX", service)
    settings = service.account("MX", account["type"])
    details = account["details"]
    if settings:  # an update has no type: its names are translated here, not by `Translation`
        details = make_account_names(settings).to_theirs(details)
    yield "MX", "The account of a recipient in Mexico", {"details": details}


def _make_payout_body(service: Service, operation: Operation, country: str) -> Body:
    """The example body of an operation, with the rail and the currency of a country."""
    corridors = countries.of(service).all
    currency = next(corridor.currency for corridor in corridors if corridor.country == country)
    rail = service.payout_methods(country)[0]
    return {**operation.example, "payout_method": rail, "destination_currency": currency}


def _quote_examples(service: Service, operation: Operation) -> Iterator[NamedExample]:
    """A quote for each country with payouts, and one of an off-ramp."""
    for country in _list_payout_countries(service):
        if service.payout_methods(country):
            summary = f"100 US dollars to {NAMES[country]}"
            yield country, summary, _make_payout_body(service, operation, country)
    stablecoin = {"source_currency": "USDC", "source_network": countries.of(service).networks[0]}
    off_ramp = {**_make_payout_body(service, operation, "MX"), **stablecoin}
    yield "off_ramp", "100 USDC to Mexico", off_ramp


def _make_transfer_examples(service: Service, operation: Operation) -> Iterator[NamedExample]:
    """Transfers without a quote, if the service takes them, and one from a quote."""
    required_names = service.transfers.required
    optional_values = {
        "client_reference_id": "invoice-7",
        "source_network": countries.of(service).networks[0],
        "source_type": codes.SOURCE_TYPES[0],
    }
    required_values = {
        field_name: optional_values[field_name]
        for field_name in required_names
        if field_name in optional_values
    }
    if "quote_id" not in required_names:
        for country in ("MX", "PH"):
            transfer = {**_make_payout_body(service, operation, country), **required_values}
            yield country, f"100 US dollars to {NAMES[country]}", transfer
    if service.paths.quotes == NONE:
        return
    reference = {"client_reference_id": operation.example["client_reference_id"]}
    yield "from_quote", "From a quote", {"quote_id": _QUOTE_ID, **reference, **required_values}


def _make_conversion_account_examples(
    service: Service, operation: Operation
) -> Iterator[NamedExample]:
    """A conversion account for each on-ramp."""
    settings = service.conversion_accounts
    extra_values = {}
    if "client_reference_id" in settings.required:
        extra_values["client_reference_id"] = "account-7"
    has_no_default = settings.default_destination_currency == NONE
    if has_no_default or "destination_currency" in settings.required:
        extra_values["destination_currency"] = min(codes.STABLECOINS)
    for on_ramp in on_ramps.ON_RAMPS:
        body = {**operation.example, "source_currency": on_ramp.currency, **extra_values}
        yield on_ramp.country, f"Deposits in {NAMES[on_ramp.country]}", body


def _make_deposit_examples(_: Service, operation: Operation) -> Iterator[NamedExample]:
    """The largest sandbox deposit of each on-ramp."""
    for on_ramp in on_ramps.ON_RAMPS:
        deposit = {"amount": f"{on_ramp.cap:.2f}", "currency": on_ramp.currency}
        summary = f"The largest deposit in {NAMES[on_ramp.country]}"
        yield on_ramp.country, summary, {**operation.example, **deposit}


_EXAMPLE_MAKERS: Mapping[str, Callable[[Service, Operation], Iterator[NamedExample]]] = {
    "individuals.create": _make_individual_examples,
    "individuals.submit_token": _make_token_examples,
    "individuals.upload_images": _make_image_examples,
    "financial_accounts.create": _make_account_examples,
    "financial_accounts.update": _make_account_update_examples,
    "quotes.create": _quote_examples,
    "transfers.create": _make_transfer_examples,
    "conversion_accounts.create": _make_conversion_account_examples,
    "sandbox.deposit": _make_deposit_examples,
}
"""The examples of operations whose record has not enough of them."""
