"""Keccak-256, the hash behind the checksum of a wallet address (EIP-55).

The standard library has SHA3-256, which pads differently. Source: the Keccak reference, version
3.0, and its compact form, which computes all constants.
"""

from __future__ import annotations

RATE = 136
"""Bytes per block: 1600 bits less twice the digest."""
_ROUNDS = 24
_MASK = 2**64 - 1


def keccak_256(data: bytes) -> bytes:
    """The digest of 32 bytes.

    >>> keccak_256(b"").hex()[:16]
    'c5d2460186f7233c'
    """
    padded = bytearray(data + bytes(RATE - len(data) % RATE))
    padded[len(data)] = 0x01
    padded[-1] |= 0x80
    lanes = [[0] * 5 for _ in range(5)]  # by x, then y
    for start in range(0, len(padded), RATE):
        for at in range(RATE // 8):
            word = padded[start + 8 * at : start + 8 * at + 8]
            lanes[at % 5][at // 5] ^= int.from_bytes(word, "little")
        _permute(lanes)
    return b"".join(lanes[x][0].to_bytes(8, "little") for x in range(4))


def _permute(lanes: list[list[int]]) -> None:
    register = 1
    for _ in range(_ROUNDS):
        parity = [row[0] ^ row[1] ^ row[2] ^ row[3] ^ row[4] for row in lanes]  # theta
        for x, row in enumerate(lanes):
            change = parity[x - 1] ^ _rotated(parity[(x + 1) % 5], 1)
            row[:] = [lane ^ change for lane in row]
        x = 1
        y = 0
        current = lanes[1][0]
        for step in range(24):  # rho and pi
            x, y = y, (2 * x + 3 * y) % 5
            current, lanes[x][y] = lanes[x][y], _rotated(current, (step + 1) * (step + 2) // 2)
        for y in range(5):  # chi
            row = [lanes[x][y] for x in range(5)]
            for x in range(5):
                lanes[x][y] = row[x] ^ (~row[(x + 1) % 5] & row[(x + 2) % 5])
        for bit in range(7):  # iota
            register = (register << 1 ^ (register >> 7) * 0x71) % 256
            lanes[0][0] ^= (register >> 1 & 1) << (1 << bit) - 1


def _rotated(lane: int, by: int) -> int:
    by %= 64
    return (lane << by | lane >> 64 - by) & _MASK
