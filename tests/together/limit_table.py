"""The limits of the spec with values on both sides: one table for rules, forms and simulator."""

from __future__ import annotations

from base64 import b64encode
from typing import NamedTuple

KEY = "123e4567-e89b-42d3-a456-426614174000"
TOO_SMALL, SMALLEST, LARGEST, TOO_LARGE = 10_239, 10_240, 15_728_640, 15_728_641

BEGINNINGS = {
    "image/png": b"\x89PNG\r\n\x1a\n",
    "image/jpeg": b"\xff\xd8\xff\xe0",
    "image/heic": b"\0\0\0\x18ftypheic",
    "image/heif": b"\0\0\0\x18ftypmif1",
    "image/tiff": b"II*\0",
    "application/pdf": b"%PDF-1.7\n",
}


class Limit(NamedTuple):
    """What is limited, for which country and field, with valid and invalid values."""

    kind: str
    country: str
    field: str
    good: tuple
    bad: tuple
    account: str = ""

    def __str__(self):
        return f"{self.kind} {self.country} {self.field}"


def digits(count, *, apart=1):
    """Valid runs of `count` digits; invalid ones that are too short, too long or not digits."""
    return ("0" * count, "9" * count), ("1" * (count - apart), "1" * (count + apart), "x" * count)


def lengths(least, most, letter="A"):
    """Texts of the least and the most length; texts one character shorter and longer."""
    return (letter * least, letter * most), (letter * (least - 1), letter * (most + 1))


def image(size, kind="image/png"):
    """A list with one image of `size` bytes as a data URI."""
    content = b64encode(BEGINNINGS.get(kind, b"").ljust(size, b"\0")).decode()
    return [{"type": "selfie", "content": f"data:{kind};base64,{content}"}]


PICTURES = ("image/jpeg", "image/png", "image/heic", "image/heif", "image/tiff")
DOCUMENTS = (
    ("AR", "document.type", ("cuit", "cuil"), ("cpf", "passport")),
    ("BR", "document.type", ("cpf", "cnpj"), ("cuit",)),
    ("CO", "document.type", ("cc", "ce", "nit", "pep", "passport"), ("cpf", "national_id")),
    ("MX", "document.type", ("curp",), ("passport", "tin")),
    ("PH", "document.type", ("tin",), ("passport", "curp")),
    ("GB", "document.type", ("passport", "national_id", "driver_licence"), ("identity",)),
)

LIMITS = (
    Limit("account", "AR", "account_number", *digits(22)),
    Limit("account", "MX", "clabe", *digits(18)),
    Limit("account", "GB", "sort_code", *digits(6)),
    Limit("account", "GB", "account_number", *digits(8)),
    Limit("account", "GB", "account_holder_name", *lengths(2, 140)),
    Limit("account", "GB", "bank_account_country", ("GB",), ("DE", "gb")),
    Limit("account", "DE", "account_holder_name", *lengths(2, 140)),
    Limit("account", "CH", "iban", ("DE89" + "A" * 11, "DE89" + "0" * 30), ("DE89" + "A" * 10,)),
    Limit("account", "NO", "iban", (), ("DE89" + "A" * 31, "8989" + "A" * 11, "DEAA" + "A" * 11)),
    Limit("account", "DE", "bic", ("A" * 8, "A" * 11), ("A" * 7, "A" * 9, "A" * 10, "A" * 12)),
    Limit("account", "DE", "bank_account_country", ("DE", "FR", "CH"), ("GB", "MX")),
    Limit("account", "IN", "upi_id", ("a@b", "a" * 43 + "@b"), ("a" * 44 + "@b", "ab", "a@b@c")),
    Limit("account", "PH", "issuer", ("gcash", "maya"), ("bdo", "GCASH")),
    Limit("pix", "BR", "cpf", ("39053344705",), ("3905334470", "390533447050", "a@b.co")),
    Limit("pix", "BR", "cnpj", ("16727230000197", "12ABC34501DE35"), ("1672723000019", "1" * 15)),
    Limit("pix", "BR", "email", ("a@b.co",), ("a.b.co", "39053344705")),
    Limit("pix", "BR", "phone", ("+5511987654321",), ("5511987654321", "a@b.co")),
    Limit("pix", "BR", "evp", (KEY,), (KEY[:-1], "39053344705")),
    Limit("document", "BR", "cpf", *digits(11)),
    Limit("document", "BR", "cnpj", ("0" * 14,), ("1" * 13, "1" * 15, "12ABC34501DE35")),
    Limit("document", "MX", "curp", ("XEXX010101HNEXXXA4",), ("XEXX010101HNEXXXA", "x" * 18)),
    Limit("document", "MX", "curp", (), ("XEXX010101XNEXXXA4", "XEXX010101HNEXXXAA")),
    Limit("individual", "IN", "phone", ("+91", "+91" + "0" * 17), ("+92000", "+91" + "0" * 18)),
    Limit("deposit", "MX", "amount", ("50", "50.00", "0.01"), ("50.01", "51", "0", "0.001")),
    Limit("deposit", "PH", "amount", ("100", "99.99"), ("100.01", "101", "0.00")),
    Limit("quote", "MX", "source_amount", ("10.25", "1"), ("10.255", "0", "-1", "1e2")),
    Limit("quote", "MX", "destination_amount", ("10.25",), ("10.255",)),
    Limit("usdc", "MX", "source_amount", ("10.123456",), ("10.1234567",)),
    Limit("transfer", "MX", "client_reference_id", ("r", "r" * 64), ("r" * 65,)),
    Limit("token", "US", "token", ("t", "t" * 4096), ("t" * 4097, " ")),
    Limit("terms", "US", "applicant_id", ("a",), (" ", "", None)),
    Limit("terms", "US", "provider", ("idv_provider",), ("other", "", None)),
    Limit("terms", "US", "partner_terms_accepted_at", ("2026-01-15T12:00:00Z",), ("15/01/26",)),
    *(Limit("kind", *one) for one in DOCUMENTS),
    Limit("images", "MX", "images", (image(SMALLEST), image(LARGEST)), (image(TOO_SMALL),)),
    *(Limit("images", "MX", "images", (image(SMALLEST, kind),), ()) for kind in PICTURES),
    Limit("images", "MX", "images", (), (image(SMALLEST, "image/gif"), image(SMALLEST, "text/x"))),
    Limit("images", "MX", "images", (image(SMALLEST) * 10,), (image(SMALLEST) * 11, [])),
    Limit("images", "MX", "images", (image(SMALLEST, "application/pdf"),), (image(TOO_LARGE),)),
    Limit("page", "transfers", "limit", (1, 100), (0, 101)),
    Limit("page", "conversions", "limit", (1, 100), (0, 101)),
    Limit("key", "conversion_accounts", "idempotency_key", (KEY,), (KEY[:-1], KEY + "0")),
    Limit(
        "key", "transfers", "idempotency_key", (KEY, KEY.upper()), (KEY[:-1], KEY + "0", "x" * 36)
    ),
)


def shown(value):
    """A short text of a value, also of an image of 15 MB."""
    text = str(value) if isinstance(value, str | int) else f"{len(str(value))} characters"
    return text if len(text) < 50 else f"{text[:12]} {len(text)}"
