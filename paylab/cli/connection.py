"""The lab of a command, and the confirmation before sending to a real service."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from ..errors import ConfigError
from ..spec.text import printable
from .terminal import warn_user

if TYPE_CHECKING:
    from ..lab.lab import Lab
    from ..lab.place import Place


def open_lab(**options: Any) -> Lab:
    """The lab of a command; prints the service in use to stderr."""
    from ..lab.connection import connect

    lab = connect(**options)
    warn_user(f"paylab: {lab.place.notice}")
    return lab


def confirm(place: Place, what: str, *, yes: bool) -> None:
    """Ask before sending to a service that is not a simulator; ConfigError unless confirmed."""
    if yes or place.is_simulator:
        return
    if not sys.stdin.isatty():
        raise ConfigError(f"{what} at {place} must be confirmed: use a terminal, or add --yes")
    print(printable(f"{what} at {place}? Type yes: "), end="", file=sys.stderr, flush=True)
    if sys.stdin.readline().strip().lower() not in ("y", "yes"):
        raise ConfigError("nothing was sent")
