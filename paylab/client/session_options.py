"""The options of a session: its transport, time, randomness and records, each with a default."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from datetime import datetime
from random import Random
from typing import TYPE_CHECKING, TypedDict

if TYPE_CHECKING:
    from ..redaction.redaction import Redaction
    from .call_log import CallLog
    from .exchange import Transport, Watcher
    from .fresh_ids import FreshIds
    from .request_signer import Nonces
    from .service_clock import ServiceClock

WaitShown = Callable[[], AbstractContextManager[Callable[[str], None]]]
"""Shows how a wait goes: what it yields takes each state as text."""


class SessionOptions(TypedDict, total=False):
    """Parts of a session that a lab or a test replaces.

    `calls` holds the latest attempts, oldest first; `watchers` are called after each attempt,
    `wait_shown` shows how a wait goes, `show_notice` shows a sentence, and `place` names the
    service. `service_clock` estimates the time at the service, and `nonces` are shared by all
    sessions with one key. `is_own` is whether the service is known to do what its settings say;
    with `tries_dialects`, a refused signature is tried once in other dialects.
    """

    transport: Transport | None
    clock: Callable[[], datetime]
    sleep: Callable[[float], None]
    perf: Callable[[], float]
    random: Random
    nonces: Nonces
    max_retries: int | None
    timeout: float | None
    watchers: list[Watcher]
    calls: CallLog
    fresh_ids: FreshIds
    service_clock: ServiceClock
    redaction: Redaction
    place: Callable[[], str]
    wait_shown: WaitShown
    show_notice: Callable[[str], None]
    is_own: bool
    tries_dialects: bool
