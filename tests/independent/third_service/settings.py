"""What a deviation may set; the defaults keep the specification."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from third_service.wire import Refusal


def plain_errors(refusal: Refusal) -> Any:
    """The error body of the service without deviations."""
    problems = [{"field": name, "message": message} for name, message in refusal.problems]
    body = {"error": refusal.text}
    return body | {"errors": problems} if problems else body


@dataclass(frozen=True)
class Settings:
    """How this service reads requests and words its answers."""

    base_path: str = ""
    base_path_signed: bool = True
    version_signed: bool = True
    query_line: str = "omit"
    query_sorted: bool = False
    port_signed: bool = True
    header_order: str = "sorted"
    key: str = "text"
    body_hash: str = "hex"
    signature: str = "hex text in base64"
    date_form: str = "milliseconds"
    nonce: str = "optional"
    nonce_form: str = ".+"
    tolerance: int = 300
    clock_ahead: int = 0
    signature_status: int = 401
    signature_words: Any = None
    errors: Callable[[Refusal], Any] = plain_errors
    invalid_status: int = 400
    conflict_status: int = 409
    paths: dict[str, tuple[str, str]] = field(default_factory=dict)  # operation: method, path
    late: dict[str, float] = field(default_factory=dict)  # kind: seconds until it can be read
    late_lists: float = 0
    cap: dict[str, str] = field(default_factory=lambda: {"MXN": "50", "PHP": "100"})
    # 201 is active at once, other statuses become active later; -201 says 201 all the same
    provisioning: dict[str, int] = field(default_factory=lambda: {"MX": 201, "PH": 202})
    images_most: int = 10
    image_bytes_least: int = 10_240
    image_types: tuple[str, ...] = (
        "application/pdf",
        "image/jpeg",
        "image/png",
        "image/heic",
        "image/heif",
        "image/tiff",
    )
    image_prefix: bool = True
    sides: tuple[str, ...] = ("document-front", "selfie")
    kyc: str = "images"  # or "none": active at once; "never": it stays pending
    limit_most: int = 100
    newest_first: bool = True
    next_page: bool = True
    networks: tuple[str, ...] = ("base", "ethereum", "polygon", "solana")
    pix_key_types: tuple[str, ...] = ("cpf", "cnpj", "email", "phone", "evp")
    issuers: tuple[str, ...] = (
        "bdo",
        "bpi",
        "landbank",
        "metrobank",
        "unionbank",
        "gcash",
        "grabpay",
        "maya",
    )
