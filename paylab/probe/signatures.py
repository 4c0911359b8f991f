"""Refusals of a signature, and the other ways to sign."""

from __future__ import annotations

import re

from ..client.dialects import is_explained
from ..client.exchange import Exchange
from ..errors.api import AuthenticationError, PermissionDeniedError
from ..errors.base import PaylabError
from ..spec.service.keys import setting_keys
from ..spec.service.service import Service
from ..spec.service.value_types import NONE
from .refused_request import Guesses

ABOUT_SIGNATURES = re.compile(
    r"signature|signed|hmac|credential|unauthori[sz]ed|x-(date|nonce|content-sha256)",
    re.IGNORECASE,
)
OTHER_SCHEME = re.compile(r"bearer|oauth|(?<!x-)\bapi.?key|ed25519|rsa|certificate", re.IGNORECASE)
"""Words of a refusal that no other signature of this kind answers."""
PARTIAL = ("signing.empty_query", "signing.query_order", "signing.hash_encoding")
"""How a query or a body is signed, which a request without one does not show."""
CLOCK_SECONDS = 300
"""A clock that is off by more explains why a signature is refused."""


def is_about_signature(error: PaylabError) -> bool:
    """Whether another signature may help: a 401, or a 403 that says so, without another reason."""
    if not isinstance(error, AuthenticationError | PermissionDeniedError):
        return False
    refusal_text = str(error)
    if error.call:
        refusal_text += f" {error.call.response_headers.get('www-authenticate', '')}"
    names_signature = ABOUT_SIGNATURES.search(refusal_text) is not None
    if isinstance(error, PermissionDeniedError):
        return names_signature
    if OTHER_SCHEME.search(refusal_text):
        return False
    return names_signature or not is_explained(error)


def suggest_signatures(exchange: Exchange, service: Service, *, has_signed: bool) -> Guesses:
    """Each setting of signatures with each other word, one at a time.

    After a request that succeeded (`has_signed`), only those of a query or a body. Nothing if the
    clock of this machine is wrong, since no other signature helps then.
    """
    clock_error_seconds = abs(exchange.skew or 0)
    if clock_error_seconds > CLOCK_SECONDS:
        return
    if not has_signed:
        yield from _omit_base_path(exchange, service)
    for setting in setting_keys().values():
        if not setting.name.startswith(PARTIAL if has_signed else "signing."):
            continue
        # "required" changes no request: a nonce is sent also if it is optional.
        words_without_effect = (service.value(setting.name), "required")
        yield from (
            {setting.name: word} for word in setting.words if word not in words_without_effect
        )


def _omit_base_path(exchange: Exchange, service: Service) -> Guesses:
    """Yield the path of the base URL as one that is not signed; nothing if the URL has no path."""
    request = exchange.request
    base_path = request.url.path.removesuffix(request.path)
    if base_path and service.signing.base_path == NONE:
        yield {"signing.base_path": base_path}
