"""Examples of request bodies that a service accepts once it has the objects that they name."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

from ..corridors import countries, examples, on_ramps
from ..corridors.corridor import NAMES
from ..spec import codes, timestamps
from ..spec.field_names import detail_names
from ..spec.operations.operation import Operation
from ..spec.service.service import Service
from ..spec.service.value_types import NONE
from ..spec.text import write_json
from ..spec.translation import Translation
from .schemas import Schema

Body = dict[str, Any]
Named = tuple[str, str, Body]
"""The key of an example, its summary, and its body in our names."""

_CONSENT = datetime(2026, 1, 15, 11, tzinfo=UTC)
_PNG = b"\x89PNG\r\n\x1a\n"
_QUOTE = "qt_01KF0Y6ZG0AAAAAAAAAAAAAAAA"


def of(service: Service, operation: Operation) -> Schema:
    """The examples of an operation, in the names of the service."""
    translation = Translation(service)
    examples_by_key = {}
    usual: Iterable[Named] = [("example", operation.summary, operation.example)]
    maker = _MAKERS.get(operation.name)
    for key, summary, body in maker(service, operation) if maker else usual:
        value = json.loads(write_json(translation.request(operation.name, body)))
        examples_by_key[key] = {"summary": summary, "value": value}
    return examples_by_key


def _individuals(service: Service, _: Operation) -> Iterator[Named]:
    for country in on_ramps.COUNTRIES:
        individual = examples.completed(service, examples.individual(country, consent_at=_CONSENT))
        individual["idv_consent_recorded_at"] = timestamps.to_text(_CONSENT)
        yield f"{country}_on_ramp", f"On-ramp in {NAMES[country]}", individual
    for country in _paid(service):
        about = f"A recipient of payouts in {NAMES[country]}"
        yield country, about, examples.recipient(country, service)


def _paid(service: Service) -> Iterator[str]:
    """The countries with payouts, one for all SEPA countries."""
    country_codes = [corridor.country for corridor in countries.of(service).all]
    yield from (country for country in country_codes if country not in codes.SEPA)
    yield "DE"


def _token(service: Service, operation: Operation) -> Iterator[Named]:
    provider = service.verification.provider
    yield "token", "The token of the provider", {**operation.example, "provider": provider}


def _images(_service: Service, _: Operation) -> Iterator[Named]:
    content = b64encode(_PNG + bytes(codes.IMAGE_MIN)).decode()
    side = {"type": codes.IMAGE_SIDES[0], "content": f"data:image/png;base64,{content}"}
    yield "front", "The front of a document, as small as it may be", {"images": [side]}


def _accounts(service: Service, operation: Operation) -> Iterator[Named]:
    owner = {"individual_id": operation.example["individual_id"]}
    wallet = {"type": codes.CRYPTO_WALLET, "details": examples.wallet(service)}
    yield "wallet", "A crypto wallet", {**owner, **wallet}
    for country in _paid(service):
        account = examples.account(country, service)
        yield country, f"A {account['type']} in {NAMES[country]}", {**owner, **account}


def _details(service: Service, _: Operation) -> Iterator[Named]:
    account = examples.account("MX", service)
    form = service.account("MX", account["type"])
    # The body has no type by which a translation could tell whose names these are.
    details = detail_names(form).send(account["details"]) if form else account["details"]
    yield "MX", "The account of a recipient in Mexico", {"details": details}


def _terms(service: Service, operation: Operation, country: str) -> Body:
    currency = next(
        corridor.currency for corridor in countries.of(service).all if corridor.country == country
    )
    rail = service.payout_methods(country)[0]
    return {**operation.example, "payout_method": rail, "destination_currency": currency}


def _quotes(service: Service, operation: Operation) -> Iterator[Named]:
    for country in _paid(service):
        if service.payout_methods(country):
            summary = f"100 US dollars to {NAMES[country]}"
            yield country, summary, _terms(service, operation, country)
    coin = {"source_currency": "USDC", "source_network": countries.of(service).networks[0]}
    yield "off_ramp", "100 USDC to Mexico", {**_terms(service, operation, "MX"), **coin}


def _transfers(service: Service, operation: Operation) -> Iterator[Named]:
    required = service.transfers.required
    extra = {
        "client_reference_id": "invoice-7",
        "source_network": countries.of(service).networks[0],
        "source_type": codes.SOURCE_TYPES[0],
    }
    required_values = {name: extra[name] for name in required if name in extra}
    if "quote_id" not in required:
        for country in ("MX", "PH"):
            summary = f"100 US dollars to {NAMES[country]}"
            yield country, summary, {**_terms(service, operation, country), **required_values}
    if service.paths.quotes == NONE:
        return
    reference = {"client_reference_id": operation.example["client_reference_id"]}
    yield "from_quote", "From a quote", {"quote_id": _QUOTE, **reference, **required_values}


def _conversion_accounts(service: Service, operation: Operation) -> Iterator[Named]:
    required = service.conversion_accounts.required
    coin = {"destination_currency": sorted(codes.STABLECOINS)[0]}
    needs_coin = service.conversion_accounts.default_destination_currency == NONE
    extra_values = {"client_reference_id": "account-7"} if "client_reference_id" in required else {}
    extra_values |= coin if needs_coin or "destination_currency" in required else {}
    for on_ramp in on_ramps.ON_RAMPS:
        body = {**operation.example, "source_currency": on_ramp.currency, **extra_values}
        yield on_ramp.country, f"Deposits in {NAMES[on_ramp.country]}", body


def _deposits(_: Service, operation: Operation) -> Iterator[Named]:
    for on_ramp in on_ramps.ON_RAMPS:
        paid = {"amount": f"{on_ramp.cap:.2f}", "currency": on_ramp.currency}
        summary = f"The largest deposit in {NAMES[on_ramp.country]}"
        yield on_ramp.country, summary, {**operation.example, **paid}


_MAKERS: Mapping[str, Callable[[Service, Operation], Iterator[Named]]] = {
    "individuals.create": _individuals,
    "individuals.submit_token": _token,
    "individuals.upload_images": _images,
    "financial_accounts.create": _accounts,
    "financial_accounts.update": _details,
    "quotes.create": _quotes,
    "transfers.create": _transfers,
    "conversion_accounts.create": _conversion_accounts,
    "sandbox.deposit": _deposits,
}
"""The examples of operations whose record has not enough of them."""
