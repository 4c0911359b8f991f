"""The details of financial accounts: one named schema per account type and country."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain

from ..corridors import countries
from ..corridors.account_types import Account, DetailField, Format
from ..corridors.corridor import Corridor
from ..corridors.country_names import NAMES
from ..spec import codes
from ..spec.field_names import make_account_names
from ..spec.service.accounts import ACCOUNTS, AccountDetails
from ..spec.service.service import Service
from ..spec.service.setting import SPEC
from ..spec.service.tree import ServiceSettings
from .schemas import (
    NOT_BLANK,
    Components,
    Schema,
    any_of,
    closed_object,
    make_origin_members,
    ref_to,
    words_schema,
)


class DetailSchemas:
    """The schemas of the details of every account type, in the names of one service."""

    def __init__(self, service: Service, components: Components) -> None:
        """Add the schemas of all account types to `components`."""
        self._service = service
        self._components = components
        self.names_by_type: dict[str, list[str]] = {
            account_type: [] for account_type in codes.ACCOUNT_TYPES
        }
        corridors = countries.of(service)
        for country in codes.COUNTRIES:
            corridor = corridors.get(country)
            for account in corridor.accounts if corridor else ():
                self._add_account(country, account)

    def _add_account(self, country: str, account: Account) -> None:
        """Add the schema of an account in a country, unless another country has added it."""
        account_settings = self._service.account(country, account.type)
        if account_settings is None:
            return
        details_schema_name = schema_name(account_settings)
        if details_schema_name not in self._components.schemas:
            schema = _make_details_schema(self._service, country, account, account_settings)
            self._components.add(details_schema_name, schema)
            self.names_by_type[account.type].append(details_schema_name)

    def references(self) -> list[Schema]:
        """References to the schemas of all details, by account type."""
        return [
            ref_to(details_schema_name)
            for details_schema_name in chain.from_iterable(self.names_by_type.values())
        ]

    def by_account_type(self) -> Schema:
        """The schema of an account in any country, with the details of its type."""
        account_schemas = []
        for account_type, schema_names in self.names_by_type.items():
            details_schema = any_of(map(ref_to, schema_names))
            account_schemas.append(_make_account_schema(account_type, details_schema))
        return any_of(account_schemas)

    def in_country(self, corridor: Corridor) -> Schema:
        """The schema of an account in a country: one of its types, with the details of the type."""
        account_schemas = []
        for account_type in corridor.account_types:
            account_settings = self._service.account(corridor.country, account_type)
            if account_settings is not None:
                details_schema = ref_to(schema_name(account_settings))
                account_schemas.append(_make_account_schema(account_type, details_schema))
        return any_of(account_schemas)


def schema_name(settings: AccountDetails) -> str:
    """The name of the schema of an account's details, such as MXBankAccountDetails."""
    name_words = settings.place.replace(".", "_").split("_")
    title_words = [
        name_word if name_word.isupper() else name_word.title() for name_word in name_words
    ]
    return f"{''.join(title_words)}Details"


def _make_account_schema(account_type: str, details: Mapping[str, object]) -> Schema:
    """The schema of an account of one type, with the schema of its details."""
    schema_by_field = {"type": {"const": account_type}, "details": details}
    return {"properties": schema_by_field, "required": ["type"]}


def _make_details_schema(
    service: Service, country: str, account: Account, settings: AccountDetails
) -> Schema:
    """The schema of the details of an account, with conditions between its fields."""
    their_names = make_account_names(settings).their_names
    required_names: list[str] = []
    conditions: list[Schema] = []
    schema_by_field: dict[str, Schema] = {}
    for field in account.fields:
        their_name = their_names.get(field.name, field.name)
        schema_by_field[their_name] = _make_field_schema(service, field, settings)
        if field.required:
            required_names.append(their_name)
        if field.selected_by and field.forms:
            word_field_name = their_names.get(field.selected_by, field.selected_by)
            conditions.append(
                schema_by_discriminator(
                    word_field_name, their_name, field.forms, required=[word_field_name]
                )
            )
    details_schema = {
        "description": f"The details of a {account.type} {_describe_place(country, account)}.",
        **closed_object(schema_by_field, required_names),
        **make_origin_members(service, account.source),
    }
    return {**details_schema, "allOf": conditions} if conditions else details_schema


def _describe_place(country: str, account: Account) -> str:
    """Say where an account with these details is used: "in Mexico", or "anywhere" for wallets."""
    if account.type == codes.CRYPTO_WALLET:
        return "anywhere"
    return "in the SEPA countries" if country in codes.SEPA else f"in {NAMES[country]}"


def format_schema(text_format: Format) -> Schema:
    """The schema of a text with a format.

    If only an assumption limits it to some words, any other word is valid, too.
    """
    if text_format.choices:
        return words_schema(text_format.choices, is_open=text_format.source != SPEC)
    narrowest_format = text_format.also or text_format
    pattern = NOT_BLANK
    if narrowest_format.pattern:
        # In patterns of JSON Schema a dot matches no line break.
        pattern = f"^(?:{narrowest_format.pattern})$".replace(".*", r"[\s\S]*")
    text_schema: Schema = {
        "type": "string",
        "minLength": max(text_format.least, 1),
        "pattern": pattern,
    }
    if text_format.most:
        text_schema["maxLength"] = text_format.most
    return text_schema


def _make_field_schema(service: Service, field: DetailField, settings: AccountDetails) -> Schema:
    """The schema of a field of details, with its format also in words."""
    text_format = field.form
    sentence_parts = [text_format.message]
    if text_format.check and not text_format.message:  # the one check in code is that of QR Ph
        sentence_parts = ["must be a valid QR Ph text"]
    if text_format.also:
        sentence_parts.append(text_format.also.message)
    sentence_parts.append(text_format.note)
    description_text = "; ".join(filter(None, sentence_parts))
    description_member = {}
    if description_text:
        description_member["description"] = f"{description_text[0].upper()}{description_text[1:]}."
    read_account = ACCOUNTS[settings.place]

    def read_name(service_settings: ServiceSettings) -> str:
        """The service's name of the field."""
        return read_account(service_settings.financial_accounts).fields[field.name]

    origin_members = make_origin_members(service, field.source, read_name)
    return {**format_schema(text_format), **description_member, **origin_members}


def schema_by_discriminator(
    discriminator_field: str,
    field_name: str,
    format_by_word: Mapping[str, Format],
    **other_members: list[str],
) -> Schema:
    """The schema of an object in which one field says the format of another.

    A `pix_key` has one format if `pix_key_type` is "cpf", and another one if it is "email". With a
    word that has no format, the field is any text. `other_members` are added to the schema of each
    word that has one.
    """
    case_schemas: list[Schema] = []
    for word, text_format in format_by_word.items():
        schema_by_field = {
            discriminator_field: {"const": word},
            field_name: format_schema(text_format),
        }
        case_schemas.append({"properties": schema_by_field, **other_members})
    no_listed_word = {"not": {"enum": list(format_by_word)}}
    other_case_schema = {"properties": {discriminator_field: no_listed_word}}
    return {"anyOf": [*case_schemas, other_case_schema]}
