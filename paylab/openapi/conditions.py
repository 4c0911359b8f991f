"""Which fields of a body are required, and what they require of each other."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ..corridors import countries
from ..corridors.account_types import DOCUMENT_NUMBERS
from ..corridors.corridor import RAMP_FIELDS, Corridor
from ..rules import individuals, transfers
from ..spec import codes
from ..spec.operations.operation import Operation
from ..spec.operations.records import OPERATIONS
from ..spec.service.service import Service
from ..spec.service.value_types import NONE
from .details import DetailSchemas, by_word
from .schemas import NEVER, Schema, at_place, has, merged_schemas
from .values import any_case, formatted

ONE_AMOUNT: Schema = {"oneOf": [{"required": [name]} for name in transfers.AMOUNTS]}


def asked_of(service: Service, operation: Operation) -> list[str]:
    """Our names of the required fields of a body."""
    if operation.name == "individuals.create":
        return list(has(individuals.base_fields(service))["required"])
    if operation.name == "transfers.create":
        return [*service.transfers.required]
    names = [field.name for field in operation.fields if field.required]
    if operation.name == "quotes.create" and not transfers.default_currency(service):
        names.append("source_currency")
    if operation.name == "conversion_accounts.create":
        settings = service.conversion_accounts
        names += settings.required
        if settings.default_destination_currency == NONE:
            names.append("destination_currency")
    moved = moved_references(service, operation)
    names = [moved.get(name, name) for name in names]
    return [name for name in names if not is_in_path(service, operation, name)]


def moved_references(service: Service, operation: Operation) -> dict[str, str]:
    """The references whose id is not in an object of our name, with the name of the id."""
    return {
        field.name: field.by_id
        for field in operation.references
        if operation.id_place(field, service) != field.place
    }


def is_in_path(service: Service, operation: Operation, name: str) -> bool:
    """Whether the path of the sandbox deposit has the id of the account."""
    is_id = name == "conversion_account_id"
    return operation.is_sandbox and is_id and "{" in operation.path(service)


def further(service: Service, operation: Operation, details: DetailSchemas) -> list[Schema]:
    """The conditions on several fields of a body, in our names."""
    if operation.name == "individuals.create":
        return _individual(service, details)
    if operation.name == "financial_accounts.create":
        return [details.by_kind()]
    if operation.name == "quotes.create":
        return [_account(service), ONE_AMOUNT, _network(service)]
    return [_transfer(service)] if operation.name == "transfers.create" else []


def on_fields_of(name: str, details: DetailSchemas) -> list[Schema]:
    """The conditions on the fields of a nested object."""
    if name == "document":
        forms_by_type = {kind: form for kind, form in DOCUMENT_NUMBERS.items() if form.pattern}
        return [by_word("type", "number", forms_by_type)]
    return [details.by_kind()] if name == "financial_accounts" else []


def renamed(schema: Any, names: Mapping[str, str]) -> Any:
    """A condition in the names of a service."""
    if isinstance(schema, list):
        return [renamed(part, names) for part in schema]
    if not isinstance(schema, dict) or not names:
        return schema
    new_schema = {key: renamed(part, names) for key, part in schema.items() if key != "properties"}
    if "required" in schema:
        new_schema |= has(names.get(name, name) for name in schema["required"])
    for name, part in schema.get("properties", {}).items():
        place = at_place(names.get(name, name), renamed(part, names))
        new_schema["properties"] = merged_schemas(new_schema.get("properties", {}), place)
    return new_schema


def _individual(service: Service, details: DetailSchemas) -> list[Schema]:
    """What the country and the products of an individual require."""
    ramp = [*RAMP_FIELDS, *service.individuals.ramp_required]
    payouts = {"product_types": {"items": {"const": codes.GLOBAL_PAYOUTS}}}
    products: Schema = {"anyOf": [{"properties": payouts}, has(dict.fromkeys(ramp))]}
    alternatives = [
        {"anyOf": [_country(service, alike, details) for alike in _alike(service)]},
        products,
    ]
    inside = [name for name in individuals.base_fields(service) if "." in name]
    return [*alternatives, has(inside)] if inside else alternatives


def _alike(service: Service) -> Iterable[list[Corridor]]:
    """The countries with equal rules."""
    groups: dict[tuple[object, ...], list[Corridor]] = {}
    for corridor in filter(None, map(countries.of(service).get, codes.COUNTRIES)):
        rules = (
            corridor.documents,
            corridor.account_types,
            corridor.open_products,
            corridor.required,
        )
        groups.setdefault((*rules, service.account(corridor.country, "bank_account")), []).append(
            corridor
        )
    return groups.values()


def _country(service: Service, alike: list[Corridor], details: DetailSchemas) -> Schema:
    first = alike[0]
    country_codes = [corridor.country for corridor in alike]
    properties: Schema = {
        "country": {"enum": country_codes},
        "address": {"properties": {"country": {"enum": country_codes}}},
        "financial_accounts": {"items": details.in_country(first)},
    }
    if first.documents != codes.DOCUMENT_TYPES:
        properties["document"] = {"properties": {"type": {"enum": list(first.documents)}}}
    if first.open_products != codes.PRODUCTS:
        properties["product_types"] = {"items": {"enum": list(first.open_products)}}
    if first.phone:
        properties["phone"] = formatted(first.phone)
    title = first.name if len(alike) == 1 else f"{', '.join(country_codes)}"
    required = ["country", *first.required]
    return {"title": title, "properties": properties, "required": required}


def _account(service: Service) -> Schema:
    """The account of a quote, in a form that the service takes."""
    is_moved = bool(moved_references(service, OPERATIONS["quotes.create"]))
    names = ["financial_account_id"] if is_moved else ["financial_account", "financial_account_id"]
    return {"anyOf": [{"required": [name]} for name in names]}


def _transfer(service: Service) -> Schema:
    """A transfer is from a quote, or names its account, rail, currencies and one amount."""
    quoted: Schema = {
        "title": "From a quote",
        "required": ["quote_id"],
        "properties": dict.fromkeys(transfers.AMOUNTS, NEVER),
    }
    names = ["payout_method", "source_currency", "destination_currency"]
    # The id alone is a deprecated spelling where the service has the object.
    is_moved = bool(moved_references(service, OPERATIONS["transfers.create"]))
    forms = ["financial_account", *(["financial_account_id"] if is_moved else [])]
    accounts = [{"required": [name]} for name in forms]
    direct: Schema = {
        "title": "Without a quote",
        "required": names,
        "properties": {"quote_id": NEVER},
        "allOf": [{"anyOf": accounts}, ONE_AMOUNT],
    }
    if service.transfers.default_network == NONE:
        direct["allOf"].append(_network(service))
    return {"anyOf": [direct, quoted]}


def _network(service: Service) -> Schema:
    """A stablecoin source needs its network."""
    usual = transfers.default_currency(service)
    coins = any_case(sorted(codes.STABLECOINS))
    other_currencies: Schema = {"properties": {"source_currency": {"not": coins}}}
    if usual and codes.is_stablecoin(usual):
        other_currencies["required"] = ["source_currency"]
    return {"anyOf": [other_currencies, {"required": ["source_network"]}]}
