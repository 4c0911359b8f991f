"""The signature of a delivery, by the settings of a service."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ..errors.arguments import explain_arguments
from ..errors.base import ConfigError
from ..redaction.hiding import Secret
from ..signing.canonical import is_delivery_signature, key_bytes
from ..spec.service.service import Service
from ..spec.service.value_types import NONE
from .event import Event, UnreadableEventError, Wrapper, read_event

DeliveryCheck = Callable[[Mapping[str, str], bytes], str]
"""A function of headers (lower-case names) and body.

It returns why a delivery is refused, or "" for one that is accepted.
"""

UNSIGNED = (
    "the spec does not show how deliveries are signed: ask your provider, and name the header as "
    "webhooks.signature_header in a service.toml; without a signature, put a long random word "
    "into the path of your URL, and read a payment with a signed GET before you act on it"
)


@explain_arguments
def verify_delivery(
    body: bytes, headers: Mapping[str, str], secret_key: str, service: Service
) -> Event:
    """Check the signature of a delivery, and return its event.

    `body` are the raw bytes, and `service`, such as `lab.service`, names the header. ConfigError if
    it names none, as `Service()`: the spec shows no signature. ConfigError for an empty
    `secret_key`, too. UnreadableEventError, a ValueError, if the signature is missing or wrong:
    answer 401. Assumption `webhook.delivery`.

    >>> paylab.events.verify_delivery(b"{}", {}, "secret", lab.service)
    Traceback (most recent call last):
    paylab.errors.base.ConfigError: ...
    """
    has_key = isinstance(secret_key, str) and bool(secret_key.strip())
    if not has_key:
        raise ConfigError(
            "secret_key is empty: anybody could sign with it; give that of your account"
        )
    check_signature = make_signature_check(service, Secret(secret_key))
    if check_signature is None:
        raise ConfigError(UNSIGNED)
    headers_by_lower_name = {
        header_name.lower(): header_text
        for header_name, header_text in headers.items()
        if header_text is not None
    }
    refusal_text = check_signature(headers_by_lower_name, body)
    if refusal_text:
        raise UnreadableEventError(refusal_text)
    return read_event(body, Wrapper.of(service))


def make_signature_check(service: Service, secret: Secret) -> DeliveryCheck | None:
    """Make a check that refuses deliveries without the service's signature.

    It is None if the service does not sign deliveries.
    """
    header_name = service.webhooks.signature_header
    if header_name == NONE:
        return None
    encoding = service.signing.key_encoding

    def check(headers: Mapping[str, str], body: bytes) -> str:
        """Why a delivery is refused; "" for one with a right signature."""
        secret_bytes = key_bytes(secret.reveal(), encoding)
        if is_delivery_signature(headers.get(header_name.lower(), ""), secret_bytes, body):
            return ""
        refusal_text = f"the delivery has no {header_name} that is the HMAC-SHA256 of its body"
        return f"{refusal_text}: check webhooks.signature_header in service.toml"

    return check
