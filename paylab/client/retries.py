"""When a request is sent again, and how long to wait before."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime, timedelta
from math import ceil
from random import Random
from typing import TYPE_CHECKING

from ..spec.service.limits import RateLimitSettings
from ..spec.timestamps import from_http, to_text

if TYPE_CHECKING:
    from ..spec.service.limits import RateLimitSettings
    from .exchange import Exchange

FIRST_WAIT_SECONDS = 0.5
WAIT_SECONDS_MAX = 8.0
# No retry if the service asks to wait longer: a cell would hang.
RETRY_AFTER_SECONDS_MAX = 60.0
# More digits would be an unreasonable wait.
DIGITS_MAX = 18
TOO_MANY_REQUESTS = 429
NOT_FOUND = 404
RETRY_AFTER = "retry-after"
NUMBER_TEXT = re.compile(r"[0-9]+(\.[0-9]+)?", re.ASCII)
SERVER_ERRORS = 500


def wait_before_retry(
    exchange: Exchange, limits: RateLimitSettings, now: datetime, random: Random, retries_max: int
) -> float | None:
    """Seconds to wait before the next attempt; None if there must be no further one."""
    # A request answered 429 was refused before it was carried out, so it may be repeated.
    was_refused = exchange.status == TOO_MANY_REQUESTS
    is_worth_repeating = was_refused or (exchange.request.repeatable and may_pass(exchange))
    if exchange.number > retries_max or not is_worth_repeating:
        return None
    requested_seconds = requested_wait(exchange.headers, now, limits.header, limits.unit)
    if requested_seconds is None:
        return backoff(exchange.number, random)
    return requested_seconds if requested_seconds <= RETRY_AFTER_SECONDS_MAX else None


def may_pass(exchange: Exchange) -> bool:
    """Whether the next attempt may succeed."""
    if exchange.failure is not None:
        return exchange.failure.may_pass
    return exchange.status == TOO_MANY_REQUESTS or exchange.status >= SERVER_ERRORS


def is_lost(exchange: Exchange) -> bool:
    """Whether the request may have been carried out although there is no usable response."""
    if exchange.failure is not None:
        return exchange.failure.arrived and exchange.status != TOO_MANY_REQUESTS
    return exchange.status >= SERVER_ERRORS


def backoff(attempt: int, random: Random) -> float:
    """Random seconds up to a limit that doubles with each attempt, at most 8 (full jitter)."""
    limit_seconds = min(WAIT_SECONDS_MAX, FIRST_WAIT_SECONDS * 2 ** (attempt - 1))
    return random.uniform(0, limit_seconds)


def requested_wait(
    headers: Mapping[str, str], now: datetime, header: str, unit: str
) -> float | None:
    """Seconds that an answer asks to wait, by the header of its service or by Retry-After.

    `unit` is the unit of that header: seconds, milliseconds or unix_time. None if neither header
    has a readable value.
    """
    header_text = headers.get(header.lower(), "").strip()
    is_own_header_missing = header.lower() != RETRY_AFTER and not header_text
    if is_own_header_missing:
        return retry_after(headers.get(RETRY_AFTER, ""), now)
    if unit in ("milliseconds", "unix_time") and NUMBER_TEXT.fullmatch(header_text):
        header_number = float(header_text[:DIGITS_MAX])
        if unit == "milliseconds":
            return header_number / 1000
        return max(0.0, header_number - now.timestamp())
    return retry_after(header_text, now)


def retry_after(text: str, now: datetime) -> float | None:
    """The seconds of a Retry-After header (seconds or a date); None if unreadable."""
    text = text.strip()
    if NUMBER_TEXT.fullmatch(text):
        return float(text[:DIGITS_MAX])
    retry_at = from_http(text)
    return None if retry_at is None else max(0.0, (retry_at - now).total_seconds())


RESET = re.compile(r"(x-)?rate-?limit-reset(-after)?|retry-after-ms|x-retry-after", re.IGNORECASE)
"""Headers of a refusal for its rate that say when to call again, beside Retry-After."""
SINCE_1970 = 1_000_000_000
"""A larger number is a Unix time."""


def wait_advice(
    headers: Mapping[str, str], now: datetime, limits: RateLimitSettings, *, is_rate: bool
) -> str | None:
    """How long an answer asks to wait, in words; None if it does not say.

    The header of the service, or Retry-After, counts first, as for a retry. Other headers (`RESET`)
    are read only for a refusal for the rate (`is_rate`): a service may send them with every answer.
    Of several, the last one that is readable counts.
    """
    seconds = requested_wait(headers, now, limits.header, limits.unit)
    if is_rate and seconds is None:
        for header_name, header_text in headers.items():
            if RESET.fullmatch(header_name):
                reset_seconds = _read_reset_seconds(header_name.lower(), header_text, now)
                if reset_seconds is not None:
                    seconds = reset_seconds
    if not seconds:  # unknown, or 0
        return None
    if seconds <= RETRY_AFTER_SECONDS_MAX:
        return f"the service asks to wait {ceil(seconds)} s"
    try:
        retry_time_text = to_text(now + timedelta(seconds=seconds))
    except OverflowError:
        retry_time_text = "the year 9999"
    return f"the service asks not to be called again before {retry_time_text}"


def _read_reset_seconds(header_name: str, header_text: str, now: datetime) -> float | None:
    """The seconds of a header that says when to call again: a number, a Unix time, or a date."""
    if header_name.endswith("-ms") and NUMBER_TEXT.fullmatch(header_text.strip()):
        return float(header_text.strip()[:DIGITS_MAX]) / 1000
    seconds = retry_after(header_text, now)
    if seconds is None or seconds < SINCE_1970:
        return seconds
    # So large a number is a Unix time.
    return max(0.0, seconds - now.timestamp())
