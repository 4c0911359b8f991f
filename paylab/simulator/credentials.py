"""The keys of a simulator, where it is served with them, and the nonces that were used."""

from __future__ import annotations

from collections import deque
from contextlib import AbstractContextManager
from datetime import datetime, timedelta
from secrets import token_hex
from typing import Protocol

from ..errors.arguments import explain_arguments
from ..errors.base import SimulatorError
from ..signing.canonical import key_bytes
from . import ids


@explain_arguments
def random_keys(key_encoding: str = "utf-8") -> tuple[str, str]:
    """A random API key and secret for a simulator that other processes can reach."""
    return f"pk_simulator_{token_hex(8)}", _make_secret(token_hex(20), key_encoding)


def seeded_keys(seed: int, key_encoding: str = "utf-8") -> tuple[str, str]:
    """The API key and secret derived from a seed; useless elsewhere."""
    key_digits = ids.hex_digits(ids.seeded_number(seed, "api key"), 16)
    secret_digits = ids.hex_digits(ids.seeded_number(seed, "secret key"), 40)
    return f"pk_simulator_{key_digits}", _make_secret(secret_digits, key_encoding)


def _make_secret(digits: str, key_encoding: str) -> str:
    """Make a secret from 40 hex digits. It has a prefix unless it must be hex or Base64."""
    if key_encoding == "utf-8":
        return f"sk_simulator_{digits}"
    return digits


def check_secret(secret: str, key_encoding: str) -> None:
    """SimulatorError when requests cannot be signed with this secret."""
    try:
        key_bytes(secret, key_encoding)
    except ValueError as error:
        raise SimulatorError(f"{error}: pass other keys to the simulator, or none") from None


class ServedSimulator(AbstractContextManager["ServedSimulator"], Protocol):
    """A simulator that listens on a port until it is stopped, with random keys of its own."""

    @property
    def base_url(self) -> str:
        """Its address."""

    api_key: str
    secret_key: str
    control_token: str
    """The bearer token of its controls."""

    def stop(self) -> None:
        """Stop listening; the simulator continues in this process."""


class UsedNonces:
    """Used nonces, kept for twice the tolerance because a date may lie in the future."""

    def __init__(self, tolerance: float) -> None:
        """Start without nonces; `tolerance` is in seconds."""
        self._lifetime = timedelta(seconds=2 * tolerance)
        self._nonces: set[str] = set()
        self._order: deque[tuple[datetime, str]] = deque()

    def __contains__(self, nonce: object) -> bool:
        return nonce in self._nonces

    def add(self, nonce: str, now: datetime) -> None:
        """Store a nonce and drop expired ones."""
        self._nonces.add(nonce)
        self._order.append((now, nonce))
        first_kept_time = now - self._lifetime
        while self._order and self._order[0][0] < first_kept_time:
            _, expired_nonce = self._order.popleft()
            self._nonces.discard(expired_nonce)
