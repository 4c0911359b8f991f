"""Wallet addresses: what looks mistyped, which is a warning and never a refusal."""

from __future__ import annotations

import re

from ..errors import Problem
from .keccak import keccak256

_HEX = re.compile("0x[0-9a-fA-F]{40}")
_ALPHABET = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
_SOURCE = "check-digits"
SOLANA = "solana"
SOLANA_BYTES = 32


def warn(network: object, address: object, field: str = "address") -> list[Problem]:
    """What in an address looks like a typing mistake on this network."""
    if not isinstance(address, str) or not address:
        return []
    message = _solana(address) if network == SOLANA else _ethereum(address)
    return [Problem(field, message, _SOURCE)] if message else []


def checksummed(address: str) -> str:
    """The address with the capitals that EIP-55 gives it."""
    digits = address[2:].lower()
    signs = keccak256(digits.encode()).hex()
    pairs = zip(digits, signs, strict=False)
    return "0x" + "".join(one.upper() if int(sign, 16) >= 8 else one for one, sign in pairs)


def base58(text: str) -> bytes | None:
    """The bytes of a Base58 text, or None where it is none."""
    if not text or any(sign not in _ALPHABET for sign in text):
        return None
    number = 0
    for sign in text:
        number = number * 58 + _ALPHABET.index(sign)
    zeros = len(text) - len(text.lstrip("1"))
    return bytes(zeros) + number.to_bytes((number.bit_length() + 7) // 8, "big")


def _ethereum(address: str) -> str:
    if not _HEX.fullmatch(address):
        return "does not look like an address of this network: 0x and 40 hex digits"
    if address in (checksummed(address), address.lower(), f"0x{address[2:].upper()}"):
        return ""
    return "looks mistyped: its capitals do not fit its digits (EIP-55), compare every digit"


def _solana(address: str) -> str:
    if len(address) > 2 * SOLANA_BYTES or (decoded := base58(address)) is None:
        return "does not look like a Solana address: 32 to 44 letters and digits without 0, O, I, l"
    if len(decoded) != SOLANA_BYTES:
        return f"looks mistyped: it holds {len(decoded)} bytes, a Solana address has {SOLANA_BYTES}"
    return ""
