"""A recipient in every corridor who does not exist, with an account that is nobody's.

Numbers are of zeros, or those that standards print as examples; their check digits are right.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from . import codes, corridors
from .account_fields import BANK_COUNTRY
from .errors import Problem, RuleError

_HOLDER = {"account_holder_name": "Alex Example"}

ACCOUNTS: Mapping[str, tuple[str, Mapping[str, str]]] = {
    "AR": (
        codes.BANK_ACCOUNT,
        {"account_number": "0000003100000000000000", "account_type": "cvu"},
    ),
    "BR": (codes.PIX, {"pix_key": "alex@example.com", "pix_key_type": "email"}),
    "CO": (
        codes.BANK_ACCOUNT,
        {"bank_code": "0000", "account_number": "000000000000", "account_type": "savings"},
    ),
    "IN": (codes.UPI, {"upi_id": "alex@example"}),
    "MX": (codes.BANK_ACCOUNT, {"clabe": "999999000000000002"}),
    "PH": (codes.DIGITAL_WALLET, {"issuer": "gcash", "account_number": "09000000000", **_HOLDER}),
    "GB": (
        codes.BANK_ACCOUNT,
        {BANK_COUNTRY: "GB", "sort_code": "000000", "account_number": "00000000", **_HOLDER},
    ),
}
SEPA_ACCOUNT = (
    codes.BANK_ACCOUNT,
    {BANK_COUNTRY: "DE", "iban": "DE89370400440532013000", **_HOLDER},
)
"""The IBAN is the one its registry prints as Germany's example."""

# What a country asks for on top, by the field's name.
EXTRAS: Mapping[str, Any] = {
    "email": "alex@example.com",
    "phone": "+910000000000",
    "document": {"type": "cc", "number": "0000000000"},
}


def account(country: str) -> dict[str, Any]:
    """An account of the country's, as `type` and `details`; KeyError without a corridor."""
    kind, details = SEPA_ACCOUNT if country in codes.SEPA else ACCOUNTS[country]
    return {"type": kind, "details": dict(details)}


def recipient(country: str) -> dict[str, Any]:
    """The fields of a recipient of payouts, ready for `lab.individuals.create(**fields)`."""
    if country not in ACCOUNTS and country not in codes.SEPA:
        listed = ", ".join([*ACCOUNTS, *codes.SEPA])
        raise RuleError([Problem("country", f"must be one of {listed}")])
    corridor = corridors.get(country)
    required = corridor.required_for([codes.GLOBAL_PAYOUTS]) if corridor else ()
    return {
        "product_types": [codes.GLOBAL_PAYOUTS],
        "given_name": "Alex",
        "family_name": "Example",
        "country": country,
        "address": {"country": country},
        **{name: EXTRAS[name] for name in required},
        "financial_accounts": [account(country)],
    }
