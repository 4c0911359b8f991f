"""Warnings about mistyped wallet addresses."""

from __future__ import annotations

import re

from ..errors.base import Problem
from .keccak import keccak_256

SOLANA = "solana"
SOLANA_BYTES = 32
_ETHEREUM_ADDRESS = re.compile("0x[0-9a-fA-F]{40}")
_BASE58_ALPHABET = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
_SOURCE = "check-digits"


def find_address_warnings(
    network: object, address: object, field: str = "address"
) -> list[Problem]:
    """Return a warning if an address looks mistyped on this network."""
    if not isinstance(address, str) or not address:
        return []
    describe_mistake = _describe_solana_mistake if network == SOLANA else _describe_ethereum_mistake
    message = describe_mistake(address)
    return [Problem(field, message, _SOURCE)] if message else []


def add_checksum(address: str) -> str:
    """Return the address with the capitals that EIP-55 gives it."""
    address_digits = address[2:].lower()
    hash_digits = keccak_256(address_digits.encode()).hex()
    digit_pairs = zip(address_digits, hash_digits, strict=False)
    cased_digits = (
        digit.upper() if hash_digit >= "8" else digit for digit, hash_digit in digit_pairs
    )
    return "0x" + "".join(cased_digits)


def decode_base58(base58_text: str) -> bytes | None:
    """Return the bytes of a Base58 text; None if the text is empty or has another character."""
    if not base58_text or any(character not in _BASE58_ALPHABET for character in base58_text):
        return None
    base58_number = 0
    for character in base58_text:
        base58_number = base58_number * 58 + _BASE58_ALPHABET.index(character)
    zero_count = len(base58_text) - len(base58_text.lstrip("1"))
    byte_count = (base58_number.bit_length() + 7) // 8
    return bytes(zero_count) + base58_number.to_bytes(byte_count, "big")


def _describe_ethereum_mistake(address: str) -> str:
    """Return what looks wrong with an Ethereum address, or "" if it looks right."""
    if not _ETHEREUM_ADDRESS.fullmatch(address):
        return "does not look like an address of this network: 0x and 40 hex digits"
    if not address[2:].strip("0"):
        return "is the zero address, of which nobody has the key: what is sent there is lost"
    # The checksum is in the letter case: an address in one letter case has none.
    has_checksum = address not in (address.lower(), f"0x{address[2:].upper()}")
    if has_checksum and address != add_checksum(address):
        return "looks mistyped: its checksum (EIP-55) is wrong, compare every character"
    return ""


def _describe_solana_mistake(address: str) -> str:
    """Return what looks wrong with a Solana address, or "" if it looks right."""
    # Decoding takes quadratic time, so a long text is not decoded.
    address_bytes = decode_base58(address) if len(address) <= 2 * SOLANA_BYTES else None
    if address_bytes is None:
        return "does not look like a Solana address: 32 to 44 letters and digits without 0, O, I, l"
    if len(address_bytes) != SOLANA_BYTES:
        byte_count = len(address_bytes)
        return f"looks mistyped: it has {byte_count} bytes, a Solana address has {SOLANA_BYTES}"
    return ""
