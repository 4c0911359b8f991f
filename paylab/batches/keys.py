"""The Idempotency-Key of a payout, which follows from its reference alone."""

from __future__ import annotations

from hashlib import sha256
from uuid import UUID


def key(reference: str) -> str:
    """A UUID in the form of version 4 that is the same whenever the reference is.

    >>> key("invoice-1")
    '55c9b931-ad2d-443e-9cb5-5b830db19dc3'
    """
    digest = sha256(b"paylab payout\0" + reference.encode("utf-8", "surrogatepass")).digest()
    return str(UUID(bytes=digest[:16], version=4))
