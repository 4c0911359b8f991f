"""What a signature's own form tells, whatever the secret: how its digest was written."""

from __future__ import annotations

import re
from base64 import b64decode

from .finding import Finding

LAYER, LINE = "signature", "encoding"
HEX = re.compile(rb"[0-9a-f]{64}")

FORMS: tuple[tuple[str, str, str], ...] = (
    (r"[0-9A-F]{64}", "uppercase-signature", "write the HMAC's hex text in lower case"),
    (r"[0-9a-fA-F]{64}\s+", "wrong-line-ending", "Base64 the hex text without a line break"),
    (r"[A-Za-z0-9+/]{43}=|[A-Za-z0-9+/]{86}==", "double-base64", "Base64 the hex text once"),
)


def shape(signature: str) -> Finding | None:
    """What is wrong with a signature at first sight; None when it has the right form."""
    try:
        inside = b64decode(signature, validate=True)
    except ValueError:
        return _found("unknown", "the signature is not Base64")
    if HEX.fullmatch(inside):
        return None
    if len(inside) == 32 and not re.fullmatch(rb"[0-9a-fA-F]{32}", inside):
        return _found("raw-digest", "Base64 the HMAC's lower-case hex text, not its raw bytes")
    text = inside.decode("latin-1")
    for pattern, mistake, message in FORMS:
        if re.fullmatch(pattern, text):
            return _found(mistake, message)
    return _found("unknown", "inside the Base64 there must be 64 lower-case hex digits")


def _found(mistake: str, message: str) -> Finding:
    return Finding(False, LAYER, LINE, mistake, message)
