"""Keccak-256 as blockchains use it: SHA-3 with the padding it had before it was a standard."""

from __future__ import annotations

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
