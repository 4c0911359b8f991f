"""The texts of the document: what it is, how requests are signed, what each tag has."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from ..spec.operations.operation import Operation
from ..spec.service.service import YOURS, Service
from ..spec.service.setting import SPEC, setting_key_of
from ..spec.service.signing import SAMPLE_ORDER
from ..spec.service.tree import ServiceSettings
from ..spec.service.value_types import NONE
from .schemas import Schema, make_origin_members

TITLE = "Cross-border payments service"

ABOUT = """\
Individuals and their verification, financial accounts, payouts, on-ramp conversions and webhooks.

**Origins.** Every operation and field has `x-origin`: `spec` is stated by the interface
description, `public` by public descriptions of such services, `chosen` is an assumption of
paylab, `yours` was set in a service.toml. `x-assumption` is the id of the assumption. Words that
are only assumed are open: other values are valid.

**Money** is exact decimal text such as `"10.50"`, never a float. **Times** are ISO 8601 in UTC.
**Currencies** are compared without case; bodies below show the usual one.

**Absent values.** Leave a field out that has no value: null is not valid in a request. Answers
may have further fields, which a client ignores.

**Pages.** Lists are read by cursor: send the cursor of a page, and the same filters, to get the
next one, until no other page follows. A cursor is opaque.

**Idempotency.** {keyed} an `Idempotency-Key`, a UUID.
The same key and body return the stored answer for 24 hours, with `Idempotency-Replayed: true`;
another body is refused with 409. Errors and 202 are not stored.

**Signing.** The security scheme `signature` says how a request is signed.

**Refusals.** `x-rules` of an error response lists what a schema cannot express, with the fields
that the answer names."""

TAGS = {
    "individuals": "End users and recipients, and the verification of their identity.",
    "financial_accounts": "Payout destinations and crypto wallets of individuals.",
    "quotes": "A rate and fees, locked for a short time.",
    "transfers": "Payouts to the financial accounts of individuals.",
    "conversion_accounts": "Where an individual pays fiat that is converted to stablecoin.",
    "conversions": "One conversion for each deposit, paid to a crypto wallet.",
    "sandbox": "Operations that exist in the sandbox only.",
    "webhook_subscriptions": "URLs that receive events.",
}
"""What the tag of a resource says, if its name does not say it all."""

EVENTS_TAG = "Events"
"""The tag of the deliveries. Generators lose operations that share a tag with a webhook."""

CONTACT = {"name": "The support of your service"}
LICENSE = {
    "name": "As agreed with the provider of your service",
    "identifier": "LicenseRef-Provider",
}


def describe_service(service: Service) -> str:
    """The description of the whole document."""
    is_every_post_keyed = service.idempotency.operations == "every_post"
    keyed_text = "Creating a transfer or a conversion account takes"
    if is_every_post_keyed:
        keyed_text = "Every POST takes"
    return ABOUT.replace("{keyed}", keyed_text)


def describe_operation(service: Service, operation: Operation) -> str:
    """Describe an operation beside its summary: its pages, its key, and who states it."""
    sentences = []
    if operation.is_sandbox:
        sentences.append("In the sandbox only; elsewhere it answers 403.")
    if operation.is_list and not service.list(operation.resource).is_array:
        sentences.append("Read further pages with the cursor of the answer.")
    if operation.takes_key(service):
        header_name = service.idempotency.header
        sentences.append(f"Repeat it with the same {header_name}, and it is carried out once.")
    path_origin = make_origin_members(service, read=operation.path)["x-origin"]
    sentences.append(_ORIGIN_SENTENCES[path_origin])
    return " ".join(sentences)


_ORIGIN_SENTENCES = {
    SPEC: "The path is stated by the interface description.",
    YOURS: "The path was set in a service.toml.",
    "public": "The path is that of public descriptions of such services.",
    "chosen": "The path is an assumption of paylab.",
}


def tag_name(resource: str) -> str:
    """The name of the tag of a resource: "Financial accounts" for "financial_accounts"."""
    return resource.replace("_", " ").capitalize()


def make_tags(resources: Iterable[str]) -> list[Schema]:
    """The tags of resources with their descriptions. The last tag is for events."""
    tag_objects = []
    for resource_name in resources:
        description_member = {"description": TAGS[resource_name]} if resource_name in TAGS else {}
        tag_objects.append({"name": tag_name(resource_name), **description_member})
    return [*tag_objects, {"name": EVENTS_TAG, "description": "What is sent to subscribed URLs."}]


def _describe_canonical_lines(service: Service) -> list[str]:
    """Describe each line of the canonical request, in order."""
    signing_settings = service.signing
    path_text = "the path without its version prefix"
    if signing_settings.signed_path == "whole":
        path_text = "the path as on the request line"
    if signing_settings.base_path != NONE:
        path_text += f", without {signing_settings.base_path} in front"
    empty_query_text = "an empty line" if signing_settings.empty_query == "blank" else "no line"
    sorting_note = "" if signing_settings.query_order == "sent" else ", with its parameters sorted"
    header_order_text = "sorted by name" if signing_settings.header_order == "sorted" else _SAMPLE
    port_note = "" if signing_settings.signed_host == "whole" else ", Host without its port"
    return [
        "the method",
        path_text,
        f"the query string as on the request line{sorting_note}; {empty_query_text} without one",
        f"each signed header as lowercase-name:value, {header_order_text}{port_note}",
        "the names of these headers in this order, joined by semicolons",
        "X-Content-SHA256",
    ]


_SAMPLE = f"in the order {', '.join(SAMPLE_ORDER)}"
_SIGNATURES = {
    "base64_hex": "lower-case hex text, and that text in Base64",
    "hex": "lower-case hex text",
    "base64": "the Base64 of its bytes",
}
_DATES = {
    "milliseconds": "with milliseconds, such as `2026-01-31T09:30:00.123Z`",
    "seconds": "without a fraction, such as `2026-01-31T09:30:00Z`",
    "compact": "in compact form, such as `20260131T093000Z`",
    "unix": "as a Unix time in seconds, such as `1769851800`",
}
_NONCES = {
    "digits": "the Unix time in milliseconds and 6 random digits, never twice",
    "uuid": "a new UUID",
}


def _order_signed_names(service: Service) -> list[str]:
    """The names of the signed headers, in the order of the code sample of the spec, or sorted."""
    signing_settings = service.signing
    header_names = list(SAMPLE_ORDER)
    if signing_settings.header_order != "sample":
        header_names.sort()
    if signing_settings.nonce == "refused":
        header_names.remove("x-nonce")
    return header_names


def _describe_body_hash(service: Service) -> str:
    """How the hash of a body is written, and what it is without a body."""
    signing_settings = service.signing
    encoding_name = "lower-case hex" if signing_settings.hash_encoding == "hex" else "Base64"
    empty_body_note = "empty" if signing_settings.empty_body == "blank" else "of zero bytes"
    return f"the SHA-256 of the body in {encoding_name}, {empty_body_note} without a body"


def _describe_signing(service: Service) -> str:
    """How a request is signed, in words."""
    canonical_lines_text = "\n".join(
        f"{line_number}. {line_text}"
        for line_number, line_text in enumerate(_describe_canonical_lines(service), 1)
    )
    signing_settings = service.signing
    nonce_text = (
        "recommended" if signing_settings.nonce == "optional" else str(signing_settings.nonce)
    )
    if signing_settings.nonce != "refused":
        nonce_text += f"; {_NONCES[signing_settings.nonce_form]}"
    return f"""\
Every request is signed with HMAC-SHA256 and has these headers:

- `Host`
- `X-API-Key`: the API key
- `X-Date`: the time in UTC {_DATES[signing_settings.date_form]}, at most
  {signing_settings.tolerance} seconds from the clock of the service
- `X-Content-SHA256`: {_describe_body_hash(service)}
- `X-Nonce`: {nonce_text}
- `Authorization`: `HMAC-SHA256 Credential=<API_KEY>,SignedHeaders=<names>,Signature=<signature>`

The canonical request has these lines, joined by newlines:

{canonical_lines_text}

The payload has three lines: `HMAC-SHA256`, the value of X-Date, and the SHA-256 of the canonical
request in hex. The signature is the HMAC-SHA256 of the payload with the secret key
({signing_settings.key_encoding} bytes), written as {_SIGNATURES[signing_settings.signature]}."""


_SIGNING_SETTINGS: tuple[Callable[[ServiceSettings], str | int], ...] = (
    lambda service: service.signing.empty_query,
    lambda service: service.signing.key_encoding,
    lambda service: service.signing.hash_encoding,
    lambda service: service.signing.empty_body,
    lambda service: service.signing.signed_path,
    lambda service: service.signing.base_path,
    lambda service: service.signing.nonce,
    lambda service: service.signing.nonce_form,
    lambda service: service.signing.date_form,
    lambda service: service.signing.query_order,
    lambda service: service.signing.header_order,
    lambda service: service.signing.signed_host,
    lambda service: service.signing.signature,
    lambda service: service.signing.tolerance,
)
"""The settings of the security scheme."""


def security_schemes(service: Service) -> Schema:
    """The security schemes: the signature, with its settings as data, and the API key."""
    setting_by_name = {
        setting_key_of(read_setting).partition(".")[2]: {
            "value": read_setting(service),
            **make_origin_members(service, read=read_setting),
        }
        for read_setting in _SIGNING_SETTINGS
    }
    return {
        "signature": {
            # Tools know no scheme of type http called HMAC-SHA256, and would refuse every request.
            "type": "apiKey",
            "in": "header",
            "name": "Authorization",
            "description": _describe_signing(service),
            "x-canonical-request": _describe_canonical_lines(service),
            "x-signed-headers": _order_signed_names(service),
            "x-settings": setting_by_name,
        },
        "apiKey": {
            "type": "apiKey",
            "in": "header",
            "name": "X-API-Key",
            "description": "The API key, which is also the Credential of the signature.",
        },
    }


def describe_delivery(service: Service) -> str:
    """How events are delivered, in words."""
    webhook_settings = service.webhooks
    delays_text = ", ".join(f"{delay_seconds} s" for delay_seconds in webhook_settings.delays)
    signature_sentence = "Deliveries are not signed."
    if webhook_settings.signature_header != NONE:
        header_name = webhook_settings.signature_header
        signature_sentence = (
            f"{header_name} is the HMAC-SHA256 of the body with the secret key, in hex."
        )
    return (
        f"Assumed: any 2xx within {webhook_settings.timeout} seconds is success. A failed delivery "
        f"is sent again after {delays_text}. An event may come twice or late. {signature_sentence}"
    )
