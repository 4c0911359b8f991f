"""The fields of answers beyond the types of the models: presence, words and sources.

A field without a value is absent, null, or as the spec shows each.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field, replace
from typing import Any

from ..light_dataclass import light_dataclass
from . import codes
from .operations.field import Field
from .operations.records import OPERATIONS
from .service.setting import SPEC
from .service.tree import ServiceSettings
from .text import JsonObject


@light_dataclass(frozen=True)
class FieldWords:
    """The words that a field can have: those of the spec, and those that a setting adds."""

    words: tuple[str, ...] = ()
    read_setting: Callable[[ServiceSettings], tuple[str, ...]] | None = None


@light_dataclass(frozen=True)
class AnswerShape:
    """Which fields of a model an answer can leave out, and which words they can have.

    `absent` are the fields that an answer may leave out, `nullable` those that are null without a
    value; fields that repeat an optional one of the request are null too, or absent if it
    `omits` them. `words` are the enumerations by field. `source` is where the fields are stated,
    and `assumed` are the fields with another source.
    """

    absent: tuple[str, ...] = ()
    nullable: tuple[str, ...] = ()
    omits: bool = False
    words: Mapping[str, FieldWords] = field(default_factory=dict)
    source: str = SPEC
    assumed: Mapping[str, str] = field(default_factory=dict)


_COUNTRY = FieldWords(codes.COUNTRIES)
_TERM_WORDS = {
    "source_currency": FieldWords(codes.SOURCE_CURRENCIES),
    "destination_currency": FieldWords(codes.DESTINATION_CURRENCIES),
    "payout_method": FieldWords(codes.PAYOUT_METHODS),
}
_STATUS = FieldWords(codes.INDIVIDUAL_STATUSES, lambda service: service.statuses.individuals)

ANSWERS: Mapping[str, AnswerShape] = {
    "Address": AnswerShape(
        ("line_1", "line_2", "city", "state", "postal_code"), words={"country": _COUNTRY}
    ),
    "Document": AnswerShape(("number",), words={"type": FieldWords(codes.DOCUMENT_TYPES)}),
    "StatusDetail": AnswerShape(
        words={
            "code": FieldWords(
                codes.STATUS_DETAIL_CODES,
                lambda service: service.statuses.detail_codes,
            )
        }
    ),
    "FinancialAccount": AnswerShape(words={"type": FieldWords(codes.ACCOUNT_TYPES)}),
    "Individual": AnswerShape(
        ("document", "status_details"),
        omits=True,
        words={"country": _COUNTRY, "status": _STATUS, "product_types": FieldWords(codes.PRODUCTS)},
    ),
    "StatusChange": AnswerShape(
        ("status_details",), words={"status": _STATUS, "previous_status": _STATUS}
    ),
    "VerificationImage": AnswerShape(
        words={"type": FieldWords(codes.IMAGE_SIDES), "content_type": FieldWords(codes.IMAGE_TYPES)}
    ),
    "DepositInstructions": AnswerShape(
        ("deadline",), words={"type": FieldWords(codes.DEPOSIT_INSTRUCTION_TYPES)}
    ),
    "Quote": AnswerShape(nullable=("source_network",), words=_TERM_WORDS, source="quote.operation"),
    "Balance": AnswerShape(("reserved", "awaiting_funds"), source="balance.read"),
    "BalanceList": AnswerShape(source="balance.read"),
    "Transfer": AnswerShape(
        ("deposit_instructions",),
        nullable=("completed_in", "failure_reason", "settlement_reference_id"),
        words={
            **_TERM_WORDS,
            "status": FieldWords(
                codes.TRANSFER_STATUSES, lambda service: service.statuses.transfers
            ),
        },
    ),
    "ConversionPayout": AnswerShape(nullable=("tx_hash", "initiated_at", "completed_at")),
    "Conversion": AnswerShape(
        words={
            "status": FieldWords(
                codes.CONVERSION_STATUSES, lambda service: service.statuses.conversions
            )
        }
    ),
    "ConversionAccount": AnswerShape(
        ("deposit_instructions",),
        omits=True,
        words={
            "status": FieldWords(
                codes.CONVERSION_ACCOUNT_STATUSES,
                lambda service: service.statuses.conversion_accounts,
            ),
            "source_currency": FieldWords(codes.ON_RAMP_CURRENCIES),
            "destination_currency": FieldWords(tuple(sorted(codes.STABLECOINS))),
        },
        assumed=dict.fromkeys(
            (
                *("individual_id", "client_reference_id", "destination_currency"),
                *("created_at", "updated_at"),
            ),
            "ca.create",
        ),
    ),
    "Deposit": AnswerShape(source="deposit.path"),
    "WebhookSubscription": AnswerShape(
        words={
            "event_types": FieldWords(
                codes.EVENT_TYPES, lambda service: service.webhooks.event_types
            )
        }
    ),
}
"""The models of `paylab.spec.models` by name."""


NESTED: Mapping[str, str] = {
    "address": "Address",
    "document": "Document",
    "deposit_instructions": "DepositInstructions",
}
"""The models of the objects inside others that can have missing values."""


def answer_shape(model: str) -> AnswerShape:
    """The shape of a model's answers; a model that is not in `ANSWERS` always has all its fields.

    Optional fields of the request that the answer repeats are absent or null in it, too.
    """
    shape = ANSWERS.get(model, AnswerShape())
    optional_echo_names: list[str] = []
    for operation in OPERATIONS.values():
        if operation.answer == model:
            optional_echo_names += [
                field.name for field in operation.fields if _is_optional_echo(field)
            ]
    if shape.omits:
        return replace(shape, absent=(*shape.absent, *optional_echo_names))
    return replace(shape, nullable=(*shape.nullable, *optional_echo_names))


def _is_optional_echo(field: Field) -> bool:
    """Whether an answer repeats a field of the request that the request may leave out."""
    return field.echoed and not field.required


def list_missing_fields(
    model: str, service: ServiceSettings
) -> tuple[frozenset[str], frozenset[str]]:
    """The names of fields that an answer may leave out, and of fields that it may have as null."""
    shape = answer_shape(model)
    missing_names = frozenset((*shape.absent, *shape.nullable))
    missing_form = _read_missing_form(model, service)
    if missing_form == "absent":
        return missing_names, frozenset()
    if missing_form == "null":
        return frozenset(), missing_names
    return frozenset(shape.absent), frozenset(shape.nullable)


def add_missing_values(service: ServiceSettings, model: str, fields: JsonObject) -> JsonObject:
    """Make the fields without a value absent or null, as in answers of the service.

    `fields` are an object of the model `model`. Assumptions `object.missing`, `transfer.nulls`.
    """
    missing_form = _read_missing_form(model, service)
    if missing_form == "absent":
        return dict(drop_nulls(fields))
    if missing_form == "as_specified":
        return fields
    # The form is "null": what the spec leaves out is added.
    completed_fields = {**dict.fromkeys(answer_shape(model).absent), **fields}
    for field_name, nested_model_name in NESTED.items():
        nested_object = completed_fields.get(field_name)
        if isinstance(nested_object, dict):
            completed_fields[field_name] = add_missing_values(
                service, nested_model_name, nested_object
            )
    return completed_fields


def _read_missing_form(model: str, service: ServiceSettings) -> str:
    """The setting for missing values in answers of a model: absent, null or as_specified."""
    # Transfers have a setting of their own, which the general one overrules.
    is_as_specified = service.objects.missing == "as_specified"
    if is_as_specified and model == "Transfer" and service.transfers.missing == "absent":
        return "absent"
    return service.objects.missing


def drop_nulls(value: object) -> Any:
    """Return a JSON value without the null fields and null items inside it, at any depth."""
    if isinstance(value, list):
        return [drop_nulls(inner_value) for inner_value in value if inner_value is not None]
    if not isinstance(value, dict):
        return value
    return {
        # Most fields are text: a look at the type is quicker than a call.
        member_name: inner_value if type(inner_value) is str else drop_nulls(inner_value)
        for member_name, inner_value in value.items()
        if inner_value is not None
    }
