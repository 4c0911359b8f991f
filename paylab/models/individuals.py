"""Individuals, their documents, images and financial accounts."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from .resource import Instant, Kept, Resource


class Address(Resource):
    """Where an individual lives."""

    country: str | None = None
    line_1: str | None = None
    line_2: str | None = None
    city: str | None = None
    state: str | None = None
    postal_code: str | None = None


class Document(Resource):
    """An identity document; its number stays out of the repr."""

    type: str | None = None
    number: str | None = Field(default=None, repr=False)


class StatusDetail(Resource):
    """Why an individual has its status: branch on `code`, show `message`."""

    code: str | None = None
    message: str | None = None


class FinancialAccount(Resource):
    """A payout destination or a crypto wallet; `details` depends on `type`."""

    id: str = ""
    type: str | None = None
    details: dict[str, Any] | None = None
    created_at: Instant | None = None
    updated_at: Instant | None = None


class Individual(Resource):
    """An end user or recipient, and how far their verification has come."""

    id: str = ""
    given_name: str | None = None
    family_name: str | None = None
    email: str | None = None
    phone: str | None = None
    date_of_birth: str | None = None
    idv_consent_recorded_at: Instant | None = None
    address: Address | None = None
    country: str | None = None
    status: str | None = None
    product_types: list[str] | None = None
    financial_accounts: list[Annotated[FinancialAccount, Kept]] | None = None
    document: Document | None = None
    status_details: list[Annotated[StatusDetail, Kept]] | None = None
    created_at: Instant | None = None
    updated_at: Instant | None = None


class VerificationImage(Resource):
    """What the service says about one stored image."""

    id: str = ""
    type: str | None = None
    content_type: str | None = None
    created_at: Instant | None = None
    updated_at: Instant | None = None


class VerificationImages(Resource):
    """The images stored for an individual, one a side."""

    individual_id: str | None = None
    images: list[Annotated[VerificationImage, Kept]] | None = None
