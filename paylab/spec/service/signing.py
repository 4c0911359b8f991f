"""How requests are signed."""

from __future__ import annotations

from typing import Annotated, Literal

from ...light_dataclass import light_dataclass
from .setting import Setting
from .value_types import IntegerLimit, PathLimit

SAMPLE_ORDER = ("host", "x-api-key", "x-date", "x-content-sha256", "x-nonce")
"""The order of signed headers in the sample of the spec."""


@light_dataclass(frozen=True)
class SigningSettings:
    """The dialect of signatures and its checks; headers have the names of the specification."""

    empty_query: Annotated[
        Literal["omit", "blank"],
        Setting(
            "When a request has no query, does its canonical request leave the query line "
            "out (omit) or keep it as an empty line (blank)?",
            row="signing.empty-query",
            origin="spec",
        ),
    ] = "omit"
    key_encoding: Annotated[
        Literal["utf-8", "hex", "base64"],
        Setting(
            "Are the HMAC key bytes the UTF-8 bytes of the secret as issued, or the bytes "
            "that its hex or Base64 text stands for?",
            row="signing.key-encoding",
        ),
    ] = "utf-8"
    hash_encoding: Annotated[
        Literal["hex", "base64"],
        Setting(
            "Is X-Content-SHA256 the SHA-256 of the body in lower-case hex, or in Base64?",
            row="signing.body-hash",
            origin="public",
        ),
    ] = "hex"
    empty_body: Annotated[
        Literal["hash", "blank"],
        Setting(
            "What is X-Content-SHA256 of a request without a body: the hash of zero bytes "
            "(hash), or an empty value (blank)?",
            row="signing.body-hash",
            origin="public",
        ),
    ] = "hash"
    signed_path: Annotated[
        Literal["whole", "unversioned"],
        Setting(
            "Is the path signed as sent (whole), or without its version prefix such as /v1 "
            "(unversioned)?",
            row="signing.path",
        ),
    ] = "whole"
    base_path: Annotated[
        str,
        PathLimit(may_be_none=True),
        Setting(
            "Which path of the base address is not signed, such as /payments (none: the path is "
            "signed from its first slash on)?",
            row="signing.base",
            others=("/payments",),
        ),
    ] = "none"
    nonce_form: Annotated[
        Literal["digits", "uuid"],
        Setting(
            "Is X-Nonce the Unix time in milliseconds and 6 random digits (digits), or a UUID?",
            row="signing.nonce-absent",
            origin="spec",
        ),
    ] = "digits"
    nonce: Annotated[
        Literal["optional", "required", "refused"],
        Setting(
            "Is a request without X-Nonce accepted (optional) or not (required), or is one that "
            "has it refused?",
            row="signing.nonce-absent",
            origin="spec",
        ),
    ] = "optional"
    date_form: Annotated[
        Literal["milliseconds", "seconds", "compact", "unix"],
        Setting(
            "How is X-Date written: as 2026-01-31T09:30:00.123Z (milliseconds), "
            "2026-01-31T09:30:00Z (seconds), 20260131T093000Z (compact), or as a Unix time in "
            "seconds?",
            row="signing.date-form",
            origin="spec",
        ),
    ] = "milliseconds"
    query_order: Annotated[
        Literal["sent", "sorted"],
        Setting(
            "Are the parameters of the query signed in the order sent, or sorted?",
            row="signing.query",
        ),
    ] = "sent"
    header_order: Annotated[
        Literal["sorted", "sample"],
        Setting(
            "Are the signed headers sorted by name, or in the order of the sample in the "
            "specification (x-date before x-content-sha256)?",
            row="signing.header-order",
        ),
    ] = "sorted"
    signed_host: Annotated[
        Literal["whole", "portless"],
        Setting(
            "Is Host signed as sent (whole), or without its port (portless)?", row="signing.host"
        ),
    ] = "whole"
    signature: Annotated[
        Literal["base64_hex", "hex", "base64"],
        Setting(
            "Is the signature the Base64 of the hex text of the HMAC (base64_hex), that hex text "
            "itself (hex), or the Base64 of the bytes of the HMAC (base64)?",
            row="signing.hex",
            origin="spec",
        ),
    ] = "base64_hex"
    tolerance: Annotated[
        int,
        IntegerLimit(1, 86400),
        Setting(
            "By how many seconds may X-Date differ from your clock?",
            row="signing.tolerance",
            others=(60, 900),
        ),
    ] = 300
