"""Wallet addresses: what looks mistyped, which is a warning and never a refusal."""

from __future__ import annotations

import re

from ..errors import Problem

RATE = 136
_MASK = (1 << 64) - 1


def _round_constants() -> list[int]:
    """The 24 constants, from the shift register the standard defines them by."""
    register, constants = 1, []
    for _ in range(24):
        constant = 0
        for power in range(7):
            constant |= (register & 1) << ((1 << power) - 1)
            register = (register << 1) ^ ((register >> 7) * 0x171)
        constants.append(constant)
    return constants


_CONSTANTS = _round_constants()


def keccak256(data: bytes) -> bytes:
    """The 32 bytes of the digest."""
    padded = bytearray(data) + b"\x01"
    padded += bytes(-len(padded) % RATE)
    padded[-1] |= 0x80
    lanes = [[0] * 5 for _ in range(5)]
    for start in range(0, len(padded), RATE):
        _absorb(lanes, padded[start : start + RATE])
    return b"".join(lanes[x][0].to_bytes(8, "little") for x in range(4))


def _absorb(lanes: list[list[int]], block: bytearray) -> None:
    for at in range(RATE // 8):
        lanes[at % 5][at // 5] ^= int.from_bytes(block[at * 8 : at * 8 + 8], "little")
    for constant in _CONSTANTS:
        _mix(lanes)
        _turn(lanes)
        _bend(lanes)
        lanes[0][0] ^= constant


def _mix(lanes: list[list[int]]) -> None:
    """Theta: every lane meets the parities of two columns."""
    columns = [lane[0] ^ lane[1] ^ lane[2] ^ lane[3] ^ lane[4] for lane in lanes]
    for x in range(5):
        parity = columns[x - 1] ^ _rotated(columns[(x + 1) % 5], 1)
        lanes[x] = [lane ^ parity for lane in lanes[x]]


def _turn(lanes: list[list[int]]) -> None:
    """Rho and pi: lanes are rotated and change places."""
    x, y, current = 1, 0, lanes[1][0]
    for step in range(24):
        x, y = y, (2 * x + 3 * y) % 5
        moved = _rotated(current, (step + 1) * (step + 2) // 2)
        current, lanes[x][y] = lanes[x][y], moved


def _bend(lanes: list[list[int]]) -> None:
    """Chi: the one step that is not linear."""
    for y in range(5):
        row = [lanes[x][y] for x in range(5)]
        for x in range(5):
            lanes[x][y] = row[x] ^ (~row[(x + 1) % 5] & row[(x + 2) % 5] & _MASK)


def _rotated(lane: int, by: int) -> int:
    by %= 64
    return ((lane << by) | (lane >> (64 - by))) & _MASK


_HEX = re.compile("0x[0-9a-fA-F]{40}")
_ALPHABET = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
_SOURCE = "check-digits"
SOLANA = "solana"
SOLANA_BYTES = 32


def warn_address(network: object, address: object, field: str = "address") -> list[Problem]:
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
