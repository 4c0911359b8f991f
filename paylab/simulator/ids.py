"""Generated values: ids, digits of deposit instructions, addresses, hashes.

They are derived from the seed and a counter, so a world can be reproduced exactly. They are
recognisable: no bank has the code 999, no issuer is called SIMULATOR.
"""

from __future__ import annotations

from datetime import datetime
from hashlib import sha256

_BASE32 = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_PAIRS = [high + low for high in _BASE32 for low in _BASE32]  # 10 bits each
_BASE58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"


def seeded_number(seed: int, *words: object) -> int:
    """A 256-bit number derived from the seed and the words."""
    seed_text = ":".join(map(str, (seed, *words)))
    return int.from_bytes(sha256(seed_text.encode()).digest(), "big")


def last_digits(number: int, length: int) -> str:
    """The last `length` decimal digits of a number."""
    return f"{number % 10**length:0{length}}"


def hex_digits(number: int, length: int) -> str:
    """The last `length` hexadecimal digits of a number."""
    return f"{number % 16**length:0{length}x}"


def _write_in_base58(number: int, character_count: int) -> str:
    """The last `character_count` digits of a number to the base 58."""
    digit_characters = []
    for _ in range(character_count):
        number, digit_value = divmod(number, 58)
        digit_characters.append(_BASE58[digit_value])
    return "".join(reversed(digit_characters))


def new_id(prefix: str, seed: int, moment: datetime, count: int) -> str:
    """An opaque id that sorts by time, then by count: prefix + 10 + 6 + 10 characters."""
    # From the left: milliseconds since 1970, 30 bits of the count, 50 bits from the seed.
    id_number = int(moment.timestamp() * 1000) << 80 | count % 2**30 << 50
    id_number |= seeded_number(seed, prefix, count) % 2**50
    id_characters = "".join([_PAIRS[id_number >> shift & 1023] for shift in range(120, -1, -10)])
    return f"{prefix}_{id_characters}"


def instruction_digits(seed: int, account_id: str, word: str, length: int) -> str:
    """Digits for the deposit instructions of a conversion account.

    They differ by `word`, such as "account", and are the same whenever they are made again.
    """
    return last_digits(seeded_number(seed, word, account_id), length)


def wallet_address(seed: int, network: str, owner: str) -> str:
    """A wallet address in the network's form."""
    address_number = seeded_number(seed, "address", network, owner)
    if network == "solana":
        return _write_in_base58(address_number, character_count=44)
    return f"0x{hex_digits(address_number, 40)}"


def transaction_hash(seed: int, network: str, owner: str) -> str:
    """A blockchain transaction hash in the network's form."""
    high_bits = seeded_number(seed, "transaction", owner)
    low_bits = seeded_number(seed, "more", owner)
    hash_number = high_bits << 256 | low_bits  # a hash of Solana has more than 256 bits
    if network == "solana":
        return _write_in_base58(hash_number, character_count=88)
    return f"0x{hex_digits(hash_number, 64)}"


def settlement_reference(seed: int, transfer_id: str) -> str:
    """The settlement reference of a payout rail."""
    return last_digits(seeded_number(seed, "settlement", transfer_id), 20)
