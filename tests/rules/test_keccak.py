"""Keccak-256 against another program."""

import pytest
from Crypto.Hash import keccak

from paylab.rules.keccak import BLOCK_BYTES, keccak_256

LENGTHS = (
    0,
    1,
    40,
    BLOCK_BYTES - 2,
    BLOCK_BYTES - 1,
    BLOCK_BYTES,
    BLOCK_BYTES + 1,
    2 * BLOCK_BYTES,
    1_000,
)


@pytest.mark.parametrize("length", LENGTHS)
def test_digests_are_equal_also_where_the_padding_fills_a_block_or_needs_another_one(length):
    """Digests are equal, also where the padding fills a block or needs another one."""
    data = bytes(at * 37 % 256 for at in range(length))
    assert keccak_256(data) == keccak.new(digest_bits=256, data=data).digest()
