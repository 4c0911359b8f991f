"""Generated values: ids, CLABEs, QR payloads, addresses, hashes.

All of them follow from the seed and a counter, so a world can be reproduced exactly, and
all are clearly the simulator's: no bank has the code 999, no issuer is called SIMULATOR.
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


def number(seed: int, *words: object) -> int:
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
    millis = int(moment.timestamp() * 1000)
    tail = digits(number(seed, prefix, count), 10, _BASE32)
    return f"{prefix}_{digits(millis, 10, _BASE32)}{digits(count, 6, _BASE32)}{tail}"


def clabe(seed: int, account_id: str) -> str:
    """A CLABE with a valid check digit at a bank that does not exist."""
    from ..rules.accounts import check_digit

    body = BANK + PLAZA + digits(number(seed, "clabe", account_id), 11)
    return body + check_digit(body)


def new_qrph(seed: int, account_id: str) -> str:
    """A scannable QR Ph payload of an issuer that does not exist."""
    from .. import emvqr

    return emvqr.qrph(
        acquirer=ACQUIRER,
        account=digits(number(seed, "qrph", account_id), 12),
        reference=digits(number(seed, "reference", account_id), 10),
        name=MERCHANT,
        city="SIMULATED",
    )


def address(seed: int, network: str, owner: str) -> str:
    """A wallet address in the network's form."""
    value = number(seed, "address", network, owner)
    return digits(value, 44, _BASE58) if network == "solana" else f"0x{digits(value, 40, _HEX)}"


def transaction(seed: int, network: str, owner: str) -> str:
    """A blockchain transaction hash in the network's form."""
    value = number(seed, "transaction", owner) << 256 | number(seed, "more", owner)
    return digits(value, 88, _BASE58) if network == "solana" else f"0x{digits(value, 64, _HEX)}"


def settlement(seed: int, transfer_id: str) -> str:
    """The settlement reference of a payout rail."""
    return digits(number(seed, "settlement", transfer_id), 20)


_HEX = "0123456789abcdef"
