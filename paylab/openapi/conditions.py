"""Which fields of a body are required, and what they require of each other."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ..corridors import countries
from ..corridors.account_types import DOCUMENT_NUMBERS
from ..corridors.corridor import RAMP_FIELDS, Corridor
from ..rules import transfers
from ..spec import codes
from ..spec.operations.operation import Operation
from ..spec.operations.records import OPERATIONS
from ..spec.service.service import Service
from ..spec.service.value_types import NONE
from .details import DetailSchemas, format_schema, schema_by_discriminator
from .schemas import NEVER, Schema, any_of, merge_schemas, property_at, required_fields_schema
from .values import any_case_schema

ONE_AMOUNT: Schema = {"oneOf": [{"required": [name]} for name in transfers.AMOUNTS]}


def required_fields(service: Service, operation: Operation) -> list[str]:
    """The names of the required fields of a body, in our names; empty if none is required."""
    if operation.name == "individuals.create":
        # Of a dotted name, such as `address.city`, the body must have the outer field.
        required_paths = service.individuals.required
        return list(required_fields_schema(required_paths)["required"])
    if operation.name == "transfers.create":
        return [*service.transfers.required]
    required_names = [field.name for field in operation.fields if field.required]
    if operation.name == "quotes.create" and not transfers.default_currency(service):
        required_names.append("source_currency")
    if operation.name == "conversion_accounts.create":
        account_settings = service.conversion_accounts
        required_names += account_settings.required
        if account_settings.default_destination_currency == NONE:
            required_names.append("destination_currency")
    id_name_by_reference = find_references_sent_as_ids(service, operation)
    body_names = [id_name_by_reference.get(field_name, field_name) for field_name in required_names]
    return [
        field_name for field_name in body_names if not is_in_path(service, operation, field_name)
    ]


def find_references_sent_as_ids(service: Service, operation: Operation) -> dict[str, str]:
    """The references of which the service takes the id alone: the name of the id, by reference.

    It is empty for most services: like the spec, they take an object with an id.
    """
    id_name_by_reference: dict[str, str] = {}
    for reference in operation.references:
        service_id_path = operation.id_path(reference, service)
        if service_id_path != reference.default_id_path:
            id_name_by_reference[reference.name] = reference.id_name
    return id_name_by_reference


def is_in_path(service: Service, operation: Operation, field_name: str) -> bool:
    """Whether a field is in the path and not in the body: the account of some sandbox deposits."""
    is_id = field_name == "conversion_account_id"
    return operation.is_sandbox and is_id and "{" in operation.path(service)


def body_conditions(service: Service, operation: Operation, details: DetailSchemas) -> list[Schema]:
    """The conditions between fields of a body, as schemas; empty without any.

    They have our names of the fields, which are those of the spec: see `rename_fields`.
    """
    if operation.name == "individuals.create":
        return _make_individual_conditions(service, details)
    if operation.name == "financial_accounts.create":
        return [details.by_account_type()]
    if operation.name == "quotes.create":
        return [_make_account_condition(service), ONE_AMOUNT, _make_network_condition(service)]
    if operation.name == "transfers.create":
        return [_make_transfer_condition(service)]
    return []


def nested_conditions(field_name: str, details: DetailSchemas) -> list[Schema]:
    """The conditions on the fields of a nested object; empty for most."""
    if field_name == "document":
        format_by_document_type = {
            document_type: number_format
            for document_type, number_format in DOCUMENT_NUMBERS.items()
            if number_format.pattern
        }
        return [schema_by_discriminator("type", "number", format_by_document_type)]
    if field_name == "financial_accounts":
        return [details.by_account_type()]
    return []


def rename_fields(condition: object, names: Mapping[str, str]) -> Any:
    """Rename the fields in a condition. A condition is a schema.

    `names` has the service's name by our name. A dotted name moves a field into an object.
    """
    if isinstance(condition, list):
        return [rename_fields(inner_condition, names) for inner_condition in condition]
    if not isinstance(condition, dict) or not names:
        return condition
    renamed_condition = {
        keyword: rename_fields(keyword_value, names)
        for keyword, keyword_value in condition.items()
        if keyword != "properties"
    }
    if "required" in condition:
        service_names = [names.get(our_name, our_name) for our_name in condition["required"]]
        renamed_condition.update(required_fields_schema(service_names))
    for our_name, field_schema in condition.get("properties", {}).items():
        service_path = names.get(our_name, our_name)
        moved_property = property_at(service_path, rename_fields(field_schema, names))
        other_properties = renamed_condition.get("properties", {})
        renamed_condition["properties"] = merge_schemas(other_properties, moved_property)
    return renamed_condition


def _make_individual_conditions(service: Service, details: DetailSchemas) -> list[Schema]:
    """The conditions that the country and the products of an individual set."""
    corridor_groups = _group_corridors(service)
    country_condition = {
        "anyOf": [_make_country_condition(corridors, details) for corridors in corridor_groups]
    }
    conditions: list[Schema] = [country_condition, _make_product_condition(service)]
    # The `required` of the body lists names of its own fields only: a field inside an object, such
    # as `address.city`, is required by a condition.
    nested_required_fields = [
        field_path for field_path in service.individuals.required if "." in field_path
    ]
    if nested_required_fields:
        conditions.append(required_fields_schema(nested_required_fields))
    return conditions


def _make_product_condition(service: Service) -> Schema:
    """The condition that an individual is for payouts only, or has the fields of a ramp."""
    payouts_only_schema = {
        "properties": {"product_types": {"items": {"const": codes.GLOBAL_PAYOUTS}}},
    }
    # `dict.fromkeys` removes duplicates and keeps the order.
    ramp_field_names = dict.fromkeys([*RAMP_FIELDS, *service.individuals.ramp_required])
    return {"anyOf": [payouts_only_schema, required_fields_schema(ramp_field_names)]}


def _group_corridors(service: Service) -> Iterable[list[Corridor]]:
    """The corridors in groups: countries with equal rules share one condition."""
    corridors_by_country = countries.of(service)
    corridors_by_rules: dict[tuple[object, ...], list[Corridor]] = {}
    for country in codes.COUNTRIES:
        corridor = corridors_by_country.get(country)
        if corridor is not None:
            corridor_rules = _read_rules(corridor, service)
            corridors_by_rules.setdefault(corridor_rules, []).append(corridor)
    return corridors_by_rules.values()


def _read_rules(corridor: Corridor, service: Service) -> tuple[object, ...]:
    """All that the condition of a country is made of."""
    return (
        corridor.documents,
        corridor.account_types,
        corridor.open_products,
        corridor.required,
        service.account(corridor.country, "bank_account"),
    )


def _make_country_condition(corridors: list[Corridor], details: DetailSchemas) -> Schema:
    """The condition that a country sets, for the corridors of countries with equal rules."""
    corridor = corridors[0]
    country_codes = [same_corridor.country for same_corridor in corridors]
    schema_by_field: Schema = {
        "country": {"enum": country_codes},
        "address": {"properties": {"country": {"enum": country_codes}}},
        "financial_accounts": {"items": details.in_country(corridor)},
    }
    if corridor.documents != codes.DOCUMENT_TYPES:
        schema_by_field["document"] = {"properties": {"type": {"enum": list(corridor.documents)}}}
    if corridor.open_products != codes.PRODUCTS:
        schema_by_field["product_types"] = {"items": {"enum": list(corridor.open_products)}}
    if corridor.phone:
        schema_by_field["phone"] = format_schema(corridor.phone)
    title = corridor.name if len(corridors) == 1 else ", ".join(country_codes)
    required_names = ["country", *corridor.required]
    return {"title": title, "properties": schema_by_field, "required": required_names}


def _make_account_condition(service: Service) -> Schema:
    """Require the account of a quote: the object or its id, or only the id without an object."""
    account_field_names = ["financial_account", "financial_account_id"]
    if find_references_sent_as_ids(service, OPERATIONS["quotes.create"]):
        account_field_names = ["financial_account_id"]
    return any_of({"required": [field_name]} for field_name in account_field_names)


def _make_transfer_condition(service: Service) -> Schema:
    """Require of a transfer a quote, or else its account, rail, currencies and one amount."""
    quoted_schema: Schema = {
        "title": "From a quote",
        "required": ["quote_id"],
        "properties": dict.fromkeys(transfers.AMOUNTS, NEVER),
    }
    account_field_names = ["financial_account"]
    # The id alone is a deprecated spelling where the service has the object.
    if find_references_sent_as_ids(service, OPERATIONS["transfers.create"]):
        account_field_names.append("financial_account_id")
    account_conditions = [{"required": [field_name]} for field_name in account_field_names]
    unquoted_schema: Schema = {
        "title": "Without a quote",
        "required": ["payout_method", "source_currency", "destination_currency"],
        "properties": {"quote_id": NEVER},
        "allOf": [any_of(account_conditions), ONE_AMOUNT],
    }
    if service.transfers.default_network == NONE:
        unquoted_schema["allOf"].append(_make_network_condition(service))
    return {"anyOf": [unquoted_schema, quoted_schema]}


def _make_network_condition(service: Service) -> Schema:
    """Require `source_network` if the source currency is a stablecoin, stated or by default."""
    default_currency = transfers.default_currency(service)
    stablecoin_schema = any_case_schema(sorted(codes.STABLECOINS))
    other_currency_schema: Schema = {"properties": {"source_currency": {"not": stablecoin_schema}}}
    if default_currency and codes.is_stablecoin(default_currency):
        other_currency_schema["required"] = ["source_currency"]
    return {"anyOf": [other_currency_schema, {"required": ["source_network"]}]}
