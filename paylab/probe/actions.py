"""What a run does with a client: read a page, create a person, pay a quote."""

from __future__ import annotations

from base64 import b64decode
from decimal import Decimal
from itertools import islice
from math import ceil
from typing import Any

from .. import corridors
from ..client.client import Client
from ..corridors import examples
from ..corridors.on_ramps import OnRamp
from ..errors.api import APIStatusError
from ..errors.base import PagingError
from ..spec import codes, status
from .accepted_values import accepts_one_item, find_accepted_sizes
from .refused_request import describe_error

SHORT_PAGE = 2
LARGEST_PAGE = codes.PAGE_MAX
"""The numbers of rows: of a page that probably has a next one, and of the largest page."""

SMALLEST_IMAGE_BYTES = 32_768
LARGEST_IMAGE_BYTES = 2**20
"""The size of an example image, and of the largest that is made if a service asks for it."""
EXTRA_IMAGE_BYTES = 2048
"""How much larger an image is than the size that a service asks for."""

COMMENT_BYTES = 8_192
"""The size of one comment in an example image."""
COMMENT_MARKER = b"\xff\xfe"
"""The bytes before the length of a comment in a JPEG."""
PIXEL = b64decode(
    "/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAP////////////////////////////////////////////////////////"
    "//////////////////////////////wAALCAABAAEBAREA/8QAFAABAAAAAAAAAAAAAAAAAAAAA//EABQQAQAAAAAA"
    "AAAAAAAAAAAAAAD/2gAIAQEAAD8AR//Z"
)
"""A white JPEG of one pixel."""

REFERENCE = "paylab-probe"
HOOK_URL = "https://example.com/paylab-probe"
AMOUNT = "10.00"
"""The US dollars of a payout."""
DEPOSIT = "20.00"
"""The units of the currency of the on-ramp in a deposit."""


def read_first_page(client: Client, name: str, limit: int = SHORT_PAGE) -> Any:
    """Read the first page of a list, with at most `limit` rows; None for a list without pages."""
    return next(iter(_make_pager(client, name, limit).pages()), None)


def read_second_page(client: Client, name: str) -> Any:
    """Read the second page of a list; PagingError if it repeats the first."""
    pages = list(islice(_make_pager(client, name, SHORT_PAGE).pages(), 2))
    first_ids, second_ids = (
        {listed_row.id for listed_row in page.data} for page in (pages[0], pages[-1])
    )
    if len(pages) == 2 and second_ids <= first_ids:  # a pager leaves out repeated rows
        raise PagingError(f"the second page repeats the first: see lists.{name}.cursor_parameter")
    return pages[-1]


def read_one(client: Client, name: str, object_id: str) -> Any:
    """Read one object of a list."""
    return getattr(client, name).get(object_id)


def _make_pager(client: Client, list_name: str, limit: int) -> Any:
    """Make a pager of a list, with pages of `limit` rows, or fewer if the service allows fewer."""
    resource = getattr(client, list_name)
    if list_name == "webhook_subscriptions":  # the whole list in one answer, as assumed
        return resource.list()
    return resource.list(limit=min(limit, client.service.list(list_name).max_limit))


def create_person(client: Client, country: str) -> Any:
    """Create an example person with consent."""
    person_fields = examples.individual(country, consent_at=client.clock())
    return _create_individual(client, examples.add_required_fields(client.service, person_fields))


def create_recipient(client: Client, country: str) -> Any:
    """Create an example recipient."""
    return _create_individual(client, examples.recipient(country, client.service))


def _create_individual(client: Client, person_fields: dict[str, Any]) -> Any:
    """Create a person with a new e-mail address and phone number: one in use may be refused."""
    random_text = client.new_key()[:8]
    if "email" in person_fields:
        person_fields = {**person_fields, "email": f"probe.{random_text}@example.com"}
    if "phone" in person_fields:
        person_fields = {
            **person_fields,
            "phone": f"{person_fields['phone'][:-7]}{int(random_text, 16) % 10**7:07d}",
        }
    return client.individuals.create(**person_fields)


def make_needed_images(individual: Any) -> dict[str, bytes]:
    """Make an image for each side of a document that an individual still needs, by its side."""
    detail_advices = (
        status.detail(status_detail.code) for status_detail in individual.status_details or ()
    )
    return {
        image_side: make_image()
        for detail_advice in detail_advices
        if detail_advice.asks
        for image_side in detail_advice.sides
    }


def send_images(client: Client, person_id: str, images: dict[str, bytes]) -> Any:
    """Upload images together; after a refusal that asks for it, each alone, or larger ones.

    Returns the answer to the last upload.
    """
    try:
        return client.individuals.upload_images(person_id, images)
    except APIStatusError as error:
        uploads = _divide_uploads(describe_error(error), images)
        if not uploads:
            raise
    answers = [client.individuals.upload_images(person_id, upload) for upload in uploads]
    return answers[-1]


def _divide_uploads(refusal_words: str, images: dict[str, bytes]) -> list[dict[str, bytes]]:
    """Make the uploads that a refusal asks for: each image alone, or larger images together.

    Each upload has images by their side. Empty if the refusal asks for neither.
    """
    if accepts_one_item(refusal_words):
        return [{image_side: image} for image_side, image in images.items()]
    sizes = [size for size in find_accepted_sizes(refusal_words) if size > SMALLEST_IMAGE_BYTES]
    if sizes and sizes[0] <= LARGEST_IMAGE_BYTES:
        return [dict.fromkeys(images, make_image(sizes[0] + EXTRA_IMAGE_BYTES))]
    return []


def needs_token(client: Client, individual: Any) -> bool:
    """Whether an individual verifies with a token, not with images."""
    detail_codes = [status_detail.code for status_detail in individual.status_details or ()]
    return status.verifies_by_token(individual.country, detail_codes, client.service.verification)


def send_token(client: Client, individual_id: str) -> Any:
    """Submit an example token of the identity-verification provider."""
    token_fields = examples.verification_token(accepted_at=client.clock())
    return client.individuals.submit_token(individual_id, **token_fields)


def create_wallet(client: Client, individual_id: str) -> Any:
    """Create an example wallet."""
    details = examples.wallet(client.service)
    return client.financial_accounts.create(individual_id, codes.CRYPTO_WALLET, details)


def create_conversion_account(
    client: Client, individual_id: str, wallet_id: str, currency: str
) -> Any:
    """Create a conversion account, with the additional fields that the service requires."""
    required_fields = make_required_fields(client, "conversion_accounts")
    return client.conversion_accounts.create(individual_id, wallet_id, currency, **required_fields)


def create_deposit(client: Client, account_id: str, on_ramp: OnRamp, amount: str) -> Any:
    """Make a sandbox deposit of an amount, or of the limit of the rail if that is less."""
    possible_amount = min(Decimal(amount), on_ramp.cap)
    return client.sandbox.deposit(account_id, possible_amount, on_ramp.currency)


def create_payout(client: Client, reference: str, **order: Any) -> Any:
    """Create a transfer of an account and terms, or of a `quote_id`; `reference` may be ""."""
    own_fields = {"client_reference_id": reference} if reference else {}
    required_fields = make_required_fields(client, "transfers")
    return client.transfers.create(**order, **(required_fields | own_fields))


def make_terms(client: Client, country: str, amount: str) -> dict[str, Any]:
    """Make the terms of a payout to a country: amount, currencies and method."""
    corridor = corridors.of(client.service).get(country)
    return {
        "source_amount": amount,
        "source_currency": "USD",
        "destination_currency": corridor.currency if corridor else None,
        "payout_method": corridor.payout_methods[0] if corridor else None,
    }


def make_required_fields(client: Client, table: str) -> dict[str, Any]:
    """Make values of the additional fields that the service requires, by name."""
    reference = f"{REFERENCE}-{client.new_key()[:8]}"
    extra_values = {"client_reference_id": reference, "destination_currency": "USDC"}
    required_names = getattr(client.service, table).required
    return {
        field_name: extra_values[field_name]
        for field_name in required_names
        if field_name in extra_values
    }


def make_image(size: int = SMALLEST_IMAGE_BYTES) -> bytes:
    """Make a JPEG of one pixel, with comments that make it at least `size` bytes long."""
    comment_length = (COMMENT_BYTES + 2).to_bytes(2, "big")  # these two bytes included
    filler = b"specimen"
    comment_text = filler * (COMMENT_BYTES // len(filler))
    comment = COMMENT_MARKER + comment_length + comment_text
    comment_count = ceil(size / COMMENT_BYTES)
    pixel_start = PIXEL[:2]  # the marker with which a JPEG starts
    return pixel_start + comment * comment_count + PIXEL[2:]
