"""The texts of the document: what it is, how requests are signed, what each tag has."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from ..spec.service.service import Service
from ..spec.service.setting import key_of
from ..spec.service.signing import SAMPLE_ORDER
from ..spec.service.tree import ServiceSettings
from ..spec.service.value_types import NONE
from .schemas import Schema, origin

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


def about(service: Service) -> str:
    """What the document is about."""
    is_general = service.idempotency.operations == "every_post"
    usual = "Creating a transfer or a conversion account takes"
    return ABOUT.replace("{keyed}", "Every POST takes" if is_general else usual)


def tag(resource: str) -> str:
    """The name of the tag of a resource."""
    return resource.replace("_", " ").capitalize()


def tags(resources: Iterable[str]) -> list[Schema]:
    """The tags of resources, with what they say."""
    tag_objects = {
        resource_name: {"description": TAGS[resource_name]} if resource_name in TAGS else {}
        for resource_name in resources
    }
    return [{"name": tag(resource), **tag_facts} for resource, tag_facts in tag_objects.items()]


def _lines(service: Service) -> list[str]:
    """The lines of the canonical request."""
    signed = service.signing
    query = "the query string as on the request line"
    is_blank = signed.empty_query == "blank"
    is_whole = signed.signed_path == "whole"
    form = "as on the request line" if is_whole else "without its version prefix"
    in_order = "" if signed.query_order == "sent" else ", with its parameters sorted"
    order = "sorted by name" if signed.header_order == "sorted" else _SAMPLE
    portless = "" if signed.signed_host == "whole" else ", Host without its port"
    base = "" if signed.base_path == NONE else f", without {signed.base_path} in front"
    return [
        "the method",
        f"the path {form}{base}",
        f"{query}{in_order}; {'an empty line' if is_blank else 'no line'} without one",
        f"each signed header as lowercase-name:value, {order}{portless}",
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


def _signed_names(service: Service) -> list[str]:
    """The signed headers in their order."""
    signing = service.signing
    names = SAMPLE_ORDER if signing.header_order == "sample" else sorted(SAMPLE_ORDER)
    return [name for name in names if name != "x-nonce" or signing.nonce != "refused"]


def _hash(service: Service) -> str:
    signed = service.signing
    form = "lower-case hex" if signed.hash_encoding == "hex" else "Base64"
    empty = (
        "empty without a body" if signed.empty_body == "blank" else "of zero bytes without a body"
    )
    return f"the SHA-256 of the body in {form}, {empty}"


def _signing(service: Service) -> str:
    """How a request is signed, in words."""
    numbered_lines = "\n".join(f"{at}. {line}" for at, line in enumerate(_lines(service), 1))
    signing = service.signing
    nonce = {"optional": "recommended"}.get(signing.nonce, signing.nonce)
    if signing.nonce != "refused":
        nonce += f"; {_NONCES[signing.nonce_form]}"
    return f"""\
Every request is signed with HMAC-SHA256 and has these headers:

- `Host`
- `X-API-Key`: the API key
- `X-Date`: the time in UTC {_DATES[signing.date_form]}, at most
  {signing.tolerance} seconds from the clock of the service
- `X-Content-SHA256`: {_hash(service)}
- `X-Nonce`: {nonce}
- `Authorization`: `HMAC-SHA256 Credential=<API_KEY>,SignedHeaders=<names>,Signature=<signature>`

The canonical request has these lines, joined by newlines:

{numbered_lines}

The payload has three lines: `HMAC-SHA256`, the value of X-Date, and the SHA-256 of the canonical
request in hex. The signature is the HMAC-SHA256 of the payload with the secret key
({signing.key_encoding} bytes), written as {_SIGNATURES[signing.signature]}."""


_SIGNING: tuple[Callable[[ServiceSettings], str | int], ...] = (
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
    """The signature, with its settings as data, and the API key beside it."""
    settings = {
        key_of(read).partition(".")[2]: {"value": read(service), **origin(service, read=read)}
        for read in _SIGNING
    }
    return {
        "signature": {
            "type": "http",
            "scheme": "HMAC-SHA256",
            "description": _signing(service),
            "x-canonical-request": _lines(service),
            "x-signed-headers": _signed_names(service),
            "x-settings": settings,
        },
        "apiKey": {
            "type": "apiKey",
            "in": "header",
            "name": "X-API-Key",
            "description": "The API key, which is also the Credential of the signature.",
        },
    }


def delivery(service: Service) -> str:
    """How events are delivered, in words."""
    settings = service.webhooks
    delays = ", ".join(f"{delay} s" for delay in settings.delays)
    signed = "Deliveries are not signed."
    if settings.signature_header != NONE:
        name = settings.signature_header
        signed = f"{name} is the HMAC-SHA256 of the body with the secret key, in hex."
    return (
        f"Assumed: any 2xx within {settings.timeout} seconds is success. A failed delivery is sent "
        f"again after {delays}. An event may come twice or late. {signed}"
    )
