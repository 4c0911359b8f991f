"""Generated values: ids, CLABEs, QR payloads, addresses, hashes.

They are derived from the seed and a counter, so a world can be reproduced exactly. They are
recognisable: no bank has the code 999, no issuer is called SIMULATOR.
"""

from __future__ import annotations

from datetime import datetime
from functools import cache
from hashlib import sha256

_BASE32 = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_BASE58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"

BANK, PLAZA = "999", "999"
ACQUIRER = "SIMUPHM2XXX"
MERCHANT = "PAYLAB SIMULATOR"


def seeded_number(seed: int, *words: object) -> int:
    """A 256-bit number derived from the seed and the words."""
    text = ":".join(map(str, (seed, *words)))
    return int.from_bytes(sha256(text.encode()).digest(), "big")


def digits(value: int, length: int, alphabet: str = "0123456789") -> str:
    """The last `length` digits of a number, in the alphabet's base."""
    value %= len(alphabet) ** length  # a small number is divided faster
    if alphabet.isdecimal():
        return str(value).zfill(length)
    pairs, signs = _pairs(alphabet), []
    for _ in range((length + 1) // 2):
        value, pair = divmod(value, len(pairs))
        signs.append(pairs[pair])
    return "".join(reversed(signs))[-length:]


@cache
def _pairs(alphabet: str) -> list[str]:
    return [high + low for high in alphabet for low in alphabet]


def new_id(prefix: str, seed: int, moment: datetime, count: int) -> str:
    """An opaque id that sorts by time, then by count: prefix + 10 + 6 + 10 characters."""
    value = int(moment.timestamp() * 1000) << 80 | count % 2**30 << 50
    value |= seeded_number(seed, prefix, count) % 2**50
    pairs = _pairs(_BASE32)  # 10 bits each
    return f"{prefix}_{''.join([pairs[value >> at & 1023] for at in range(120, -1, -10)])}"


def clabe(seed: int, account_id: str) -> str:
    """A CLABE with a valid check digit at a bank that is fictitious."""
    from ..rules.accounts import check_digit

    body = BANK + PLAZA + digits(seeded_number(seed, "clabe", account_id), 11)
    return body + check_digit(body)


def new_qrph(seed: int, account_id: str) -> str:
    """A scannable QR Ph payload of an issuer that is fictitious."""
    from .. import emvqr

    return emvqr.qrph(
        acquirer=ACQUIRER,
        account=digits(seeded_number(seed, "qrph", account_id), 12),
        reference=digits(seeded_number(seed, "reference", account_id), 10),
        name=MERCHANT,
        city="SIMULATED",
    )


def address(seed: int, network: str, owner: str) -> str:
    """A wallet address in the network's form."""
    value = seeded_number(seed, "address", network, owner)
    return digits(value, 44, _BASE58) if network == "solana" else f"0x{digits(value, 40, _HEX)}"


def transaction(seed: int, network: str, owner: str) -> str:
    """A blockchain transaction hash in the network's form."""
    value = seeded_number(seed, "transaction", owner) << 256 | seeded_number(seed, "more", owner)
    return digits(value, 88, _BASE58) if network == "solana" else f"0x{digits(value, 64, _HEX)}"


def settlement(seed: int, transfer_id: str) -> str:
    """The settlement reference of a payout rail."""
    return digits(seeded_number(seed, "settlement", transfer_id), 20)


_HEX = "0123456789abcdef"
