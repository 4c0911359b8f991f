"""When a request is sent again, and how long to wait before that."""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from random import Random

from ..spec.timestamps import from_http, to_text
from .exchange import Exchange

FIRST_WAIT = 0.5
LONGEST_WAIT = 8.0
# A service that asks for more patience than this is not asked again: a cell would hang.
LONGEST_RETRY_AFTER = 60.0
# More digits are more seconds than anybody waits.
MOST_DIGITS = 18
TOO_MANY_REQUESTS = 429
SERVER_ERRORS = 500


def wait_before_retry(
    repeatable: bool, exchange: Exchange, attempt: int, now: datetime, random: Random
) -> float | None:
    """Seconds to wait before asking again; None when asking again is not right.

    `repeatable` is whether sending the request twice does no more than sending it once.
    """
    # What is answered 429 was refused before it was carried out, whatever it was.
    refused = exchange.status == TOO_MANY_REQUESTS
    if not refused and not (repeatable and may_pass(exchange)):
        return None
    asked = retry_after(exchange.headers.get("retry-after", ""), now)
    if asked is None:
        return backoff(attempt, random)
    return asked if asked <= LONGEST_RETRY_AFTER else None


def may_pass(exchange: Exchange) -> bool:
    """Whether the trouble may be over on the next try."""
    if exchange.trouble is not None:
        return exchange.trouble.may_pass
    status = exchange.status or 0
    return status == TOO_MANY_REQUESTS or status >= SERVER_ERRORS


def is_lost(exchange: Exchange) -> bool:
    """Whether the request may have been carried out although no usable answer came."""
    if exchange.trouble is not None:
        return exchange.trouble.arrived and exchange.status != TOO_MANY_REQUESTS
    return (exchange.status or 0) >= SERVER_ERRORS


def backoff(attempt: int, random: Random) -> float:
    """Full jitter: anything up to a bound that doubles with each attempt."""
    return random.uniform(0, min(LONGEST_WAIT, FIRST_WAIT * 2 ** (attempt - 1)))


def retry_after(text: str, now: datetime) -> float | None:
    """Seconds a Retry-After header asks for, given as seconds or as a date; None if unreadable."""
    text = text.strip()
    if re.fullmatch(r"[0-9]+(\.[0-9]+)?", text, re.ASCII):
        return float(text[:MOST_DIGITS])
    moment = from_http(text)
    return None if moment is None else max(0.0, (moment - now).total_seconds())


def not_before(text: str, now: datetime) -> str | None:
    """Until when a Retry-After header asks not to call again; None when that is not long."""
    asked = retry_after(text, now)
    if asked is None or asked <= LONGEST_RETRY_AFTER:
        return None
    try:
        return to_text(now + timedelta(seconds=asked))
    except OverflowError:
        return "the year 9999"
