"""Individuals and their verification."""

from __future__ import annotations

from typing import Annotated, Literal

from ...light_dataclass import light_dataclass
from .. import codes
from .frozen import FrozenDict, make_name_table
from .setting import Setting
from .value_types import Name, Place, Words, WordsLimit


@light_dataclass(frozen=True)
class IndividualSettings:
    """What a new individual must have, and its status."""

    required: Annotated[
        Words,
        WordsLimit(
            (
                "product_types",
                "given_name",
                "family_name",
                "country",
                "email",
                "phone",
                "date_of_birth",
                "idv_consent_recorded_at",
                "address",
                "document",
                "financial_accounts",
                "address.country",
                "address.line_1",
                "address.line_2",
                "address.city",
                "address.state",
                "address.postal_code",
            )
        ),
        Setting(
            "Which fields does every individual need, whatever its country and products (in "
            "paylab's names)?",
            row="individual.required",
            origin="public",
            others=(
                ("product_types", "given_name", "family_name", "country"),
                (
                    "product_types",
                    "given_name",
                    "family_name",
                    "country",
                    "address",
                    "email",
                    "address.line_1",
                    "address.city",
                ),
            ),
        ),
    ] = ("product_types", "given_name", "family_name", "country", "address")
    ramp_required: Annotated[
        Words,
        WordsLimit(
            (
                "product_types",
                "given_name",
                "family_name",
                "country",
                "email",
                "phone",
                "date_of_birth",
                "idv_consent_recorded_at",
                "address",
                "document",
                "financial_accounts",
                "address.country",
                "address.line_1",
                "address.line_2",
                "address.city",
                "address.state",
                "address.postal_code",
            )
        ),
        Setting(
            "Which fields do on_ramp and off_ramp need besides phone, document, "
            "date_of_birth and idv_consent_recorded_at (in paylab's names)?",
            row="individual.required",
            origin="public",
            others=(("email",),),
        ),
    ] = ()
    fields: Annotated[
        FrozenDict[Place],
        Setting(
            "Under which name does an individual, sent or answered, hold what paylab calls {name}?",
            row="field.names",
            others={
                "product_types": ("products",),
                "given_name": ("first_name",),
                "family_name": ("last_name",),
                "country": ("country_code",),
                "phone": ("phone_number",),
                "date_of_birth": ("birth_date",),
                "idv_consent_recorded_at": ("consent_at",),
            },
        ),
    ] = make_name_table(
        "product_types",
        "given_name",
        "family_name",
        "country",
        "phone",
        "date_of_birth",
        "idv_consent_recorded_at",
    )
    initial_status: Annotated[
        Literal["active", "pending", "under_review"],
        Setting(
            "Which status does a new individual have that has global_payouts only?",
            row="individual.initial-payouts",
            origin="public",
        ),
    ] = "active"


@light_dataclass(frozen=True)
class VerificationSettings:
    """How individuals are verified."""

    terminal_codes: Annotated[
        Words,
        WordsLimit(codes.STATUS_DETAIL_CODES),
        Setting(
            "Which status detail codes end the verification for good?",
            row="kyc.terminal",
            others=(
                ("verification_disallowed_country",),
                ("verification_disallowed_country", "verification_document_expired"),
            ),
        ),
    ] = (
        "verification_disallowed_country",
        "verification_age_mismatch",
        "verification_identity_unverified",
    )
    one_sided_documents: Annotated[
        Words,
        WordsLimit(codes.DOCUMENT_TYPES),
        Setting(
            "Of which documents is the back not asked for?",
            row="kyc.initial-details",
            others=(("passport",), ("curp", "passport", "tin")),
        ),
    ] = ("curp", "passport")
    provider: Annotated[
        Name,
        Setting(
            "Which word stands for the identity-verification provider in a verification token?",
            row="idv.provider",
            others=("example_idv",),
        ),
    ] = "idv_provider"
    token_countries: Annotated[
        Words,
        WordsLimit(codes.COUNTRIES),
        Setting(
            "In which countries do individuals verify with a token in place of images?",
            row="idv.who",
            others=(("US",), ()),
        ),
    ] = ("US", "SG", "VN", "AE")
