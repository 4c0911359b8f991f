"""Keccak-256, the hash behind the checksum of a wallet address (EIP-55).

The standard library has SHA3-256, which pads differently. Source: the Keccak reference, version
3.0, and its compact form, which computes all constants.
"""

from __future__ import annotations

BLOCK_BYTES = 136
"""Bytes per block: 1600 bits less twice the digest."""
_ROUNDS = 24
_MASK = 2**64 - 1


def keccak_256(data: bytes) -> bytes:
    """Return the digest, which has 32 bytes.

    >>> keccak_256(b"").hex()[:16]
    'c5d2460186f7233c'
    """
    padded_data = bytearray(data + bytes(BLOCK_BYTES - len(data) % BLOCK_BYTES))
    padded_data[len(data)] = 0x01
    padded_data[-1] |= 0x80
    lanes = [[0] * 5 for _ in range(5)]  # by x, then y
    for block_start in range(0, len(padded_data), BLOCK_BYTES):
        for lane_number in range(BLOCK_BYTES // 8):
            offset = block_start + 8 * lane_number
            lane = int.from_bytes(padded_data[offset : offset + 8], "little")
            lanes[lane_number % 5][lane_number // 5] ^= lane
        _permute(lanes)
    return b"".join(lanes[x][0].to_bytes(8, "little") for x in range(4))


def _permute(lanes: list[list[int]]) -> None:
    """Apply the 24 rounds of Keccak-f[1600] to the lanes in place.

    The steps of a round have the names of the reference.
    """
    register = 1  # of 8 bits, shifted: it yields the bits of the round constants
    for _ in range(_ROUNDS):
        # The step theta.
        column_parities = [
            lane_row[0] ^ lane_row[1] ^ lane_row[2] ^ lane_row[3] ^ lane_row[4]
            for lane_row in lanes
        ]
        for x, lane_row in enumerate(lanes):
            parity_change = column_parities[x - 1] ^ _rotate_left(
                column_parities[(x + 1) % 5], bits=1
            )
            lane_row[:] = [lane ^ parity_change for lane in lane_row]
        x = 1
        y = 0
        moved_lane = lanes[1][0]
        for lane_step in range(24):  # rho and pi
            x, y = y, (2 * x + 3 * y) % 5
            rotated_lane = _rotate_left(moved_lane, (lane_step + 1) * (lane_step + 2) // 2)
            moved_lane = lanes[x][y]
            lanes[x][y] = rotated_lane
        for y in range(5):  # chi
            lane_row = [lanes[x][y] for x in range(5)]
            for x in range(5):
                lanes[x][y] = lane_row[x] ^ (~lane_row[(x + 1) % 5] & lane_row[(x + 2) % 5])
        for bit_number in range(7):  # iota
            register = (register << 1 ^ (register >> 7) * 0x71) % 256
            constant_bit = (register >> 1) & 1
            bit_position = 2**bit_number - 1
            lanes[0][0] ^= constant_bit << bit_position


def _rotate_left(lane: int, bits: int) -> int:
    """Rotate a lane of 64 bits."""
    bits %= 64
    return (lane << bits | lane >> 64 - bits) & _MASK
