"""Examples of request bodies that a service accepts once it has the objects that they name."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import UTC, datetime

from ..corridors import countries, examples, on_ramps
from ..corridors.country_names import NAMES
from ..spec import codes, timestamps
from ..spec.field_names import make_account_names
from ..spec.operations.operation import Operation
from ..spec.service.service import Service
from ..spec.service.value_types import NONE
from ..spec.text import JsonObject, write_json
from ..spec.translation import Translation
from .schemas import Schema

Body = JsonObject
NamedExample = tuple[str, str, Body]
"""The key of an example, its summary, and its body in our names."""

_CONSENT_TIME = datetime(2026, 1, 15, 11, tzinfo=UTC)
_PNG_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_QUOTE_ID = "qt_01KF0Y6ZG0AAAAAAAAAAAAAAAA"


def make_examples(service: Service, operation: Operation) -> Schema:
    """The examples of the body of an operation by key, in the names of the service."""
    translation = Translation(service)
    named_examples: Iterable[NamedExample] = [("example", operation.summary, operation.example)]
    if operation.name in _EXAMPLE_MAKERS:
        named_examples = _EXAMPLE_MAKERS[operation.name](service, operation)
    example_by_key = {}
    for example_key, summary_text, body in named_examples:
        example_body = json.loads(write_json(translation.translate_request(operation.name, body)))
        example_by_key[example_key] = {"summary": summary_text, "value": example_body}
    return example_by_key


def _make_individual_examples(service: Service, _: Operation) -> Iterator[NamedExample]:
    """A person for each on-ramp, and a recipient for each country with payouts."""
    for country in on_ramps.COUNTRIES:
        on_ramp_body = examples.individual(country, consent_at=_CONSENT_TIME)
        individual_body = examples.add_required_fields(service, on_ramp_body)
        # A datetime is not JSON: the example has the text that is sent.
        individual_body["idv_consent_recorded_at"] = timestamps.to_text(_CONSENT_TIME)
        yield f"{country}_on_ramp", f"On-ramp in {NAMES[country]}", individual_body
    for country in _list_payout_countries(service):
        summary_text = f"A recipient of payouts in {NAMES[country]}"
        yield country, summary_text, examples.recipient(country, service)


def _list_payout_countries(service: Service) -> Iterator[str]:
    """The countries with payouts, one for all SEPA countries."""
    country_codes = [corridor.country for corridor in countries.of(service).all]
    yield from (country for country in country_codes if country not in codes.SEPA)
    yield "DE"


def _make_token_examples(service: Service, operation: Operation) -> Iterator[NamedExample]:
    """A share token of the provider that the settings name."""
    provider_name = service.verification.provider
    yield "token", "The token of the provider", {**operation.example, "provider": provider_name}


def _make_image_examples(_service: Service, _: Operation) -> Iterator[NamedExample]:
    """The front of a document, as the smallest image that the service accepts."""
    image_base64 = b64encode(_PNG_SIGNATURE + bytes(codes.IMAGE_MIN)).decode()
    image_entry = {"type": codes.IMAGE_SIDES[0], "content": f"data:image/png;base64,{image_base64}"}
    yield "front", "The front of a document, as small as it may be", {"images": [image_entry]}


def _make_account_examples(service: Service, operation: Operation) -> Iterator[NamedExample]:
    """A crypto wallet, and a bank account for each country with payouts."""
    owner_member = {"individual_id": operation.example["individual_id"]}
    wallet_body = {"type": codes.CRYPTO_WALLET, "details": examples.wallet(service)}
    yield "wallet", "A crypto wallet", {**owner_member, **wallet_body}
    for country in _list_payout_countries(service):
        account_body = examples.account(country, service)
        summary_text = f"A {account_body['type']} in {NAMES[country]}"
        yield country, summary_text, {**owner_member, **account_body}


def _make_account_update_examples(service: Service, _: Operation) -> Iterator[NamedExample]:
    """New details of an account in Mexico."""
    account_body = examples.account("MX", service)
    account_settings = service.account("MX", account_body["type"])
    details = account_body["details"]
    # An update has no type: its names are translated here, not by `Translation`.
    if account_settings:
        details = make_account_names(account_settings).to_theirs(details)
    yield "MX", "The account of a recipient in Mexico", {"details": details}


def _make_payout_body(service: Service, operation: Operation, country: str) -> Body:
    """The example body of an operation, with the rail and the currency of a country."""
    corridors = countries.of(service).all
    currency = next(corridor.currency for corridor in corridors if corridor.country == country)
    payout_method = service.payout_methods(country)[0]
    return {**operation.example, "payout_method": payout_method, "destination_currency": currency}


def _make_quote_examples(service: Service, operation: Operation) -> Iterator[NamedExample]:
    """A quote for each country with payouts, and one of an off-ramp."""
    for country in _list_payout_countries(service):
        if service.payout_methods(country):
            summary_text = f"100 US dollars to {NAMES[country]}"
            yield country, summary_text, _make_payout_body(service, operation, country)
    stablecoin_values = {
        "source_currency": "USDC",
        "source_network": countries.of(service).networks[0],
    }
    off_ramp_body = {**_make_payout_body(service, operation, "MX"), **stablecoin_values}
    yield "off_ramp", "100 USDC to Mexico", off_ramp_body


def _make_transfer_examples(service: Service, operation: Operation) -> Iterator[NamedExample]:
    """Transfers without a quote, if the service takes them, and one from a quote."""
    required_names = service.transfers.required
    value_by_field = {
        "client_reference_id": "invoice-7",
        "source_network": countries.of(service).networks[0],
        "source_type": codes.SOURCE_TYPES[0],
    }
    required_values = {
        field_name: value_by_field[field_name]
        for field_name in required_names
        if field_name in value_by_field
    }
    if "quote_id" not in required_names:
        for country in ("MX", "PH"):
            transfer_body = {**_make_payout_body(service, operation, country), **required_values}
            yield country, f"100 US dollars to {NAMES[country]}", transfer_body
    if service.paths.quotes == NONE:
        return
    reference = operation.example["client_reference_id"]
    quoted_body = {"quote_id": _QUOTE_ID, "client_reference_id": reference, **required_values}
    yield "from_quote", "From a quote", quoted_body


def _make_conversion_account_examples(
    service: Service, operation: Operation
) -> Iterator[NamedExample]:
    """A conversion account for each on-ramp."""
    account_settings = service.conversion_accounts
    required_values = {}
    if "client_reference_id" in account_settings.required:
        required_values["client_reference_id"] = "account-7"
    has_no_default = account_settings.default_destination_currency == NONE
    if has_no_default or "destination_currency" in account_settings.required:
        required_values["destination_currency"] = min(codes.STABLECOINS)
    for on_ramp in on_ramps.ON_RAMPS:
        account_body = {**operation.example, "source_currency": on_ramp.currency, **required_values}
        yield on_ramp.country, f"Deposits in {NAMES[on_ramp.country]}", account_body


def _make_deposit_examples(_: Service, operation: Operation) -> Iterator[NamedExample]:
    """The largest sandbox deposit of each on-ramp."""
    for on_ramp in on_ramps.ON_RAMPS:
        amount_and_currency = {"amount": f"{on_ramp.cap:.2f}", "currency": on_ramp.currency}
        summary_text = f"The largest deposit in {NAMES[on_ramp.country]}"
        yield on_ramp.country, summary_text, {**operation.example, **amount_and_currency}


_EXAMPLE_MAKERS: Mapping[str, Callable[[Service, Operation], Iterator[NamedExample]]] = {
    "individuals.create": _make_individual_examples,
    "individuals.submit_token": _make_token_examples,
    "individuals.upload_images": _make_image_examples,
    "financial_accounts.create": _make_account_examples,
    "financial_accounts.update": _make_account_update_examples,
    "quotes.create": _make_quote_examples,
    "transfers.create": _make_transfer_examples,
    "conversion_accounts.create": _make_conversion_account_examples,
    "sandbox.deposit": _make_deposit_examples,
}
"""The examples of operations whose record has not enough of them."""
