"""When a request is sent again, and how long to wait before that."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from random import Random

from .exchange import Exchange
from .outgoing import Outgoing

FIRST_WAIT = 0.5
LONGEST_WAIT = 8.0
# A service that asks for more patience than this is not asked again: a cell would hang.
LONGEST_RETRY_AFTER = 60.0
TOO_MANY_REQUESTS = 429
SERVER_ERRORS = 500


def wait_before_retry(
    outgoing: Outgoing, exchange: Exchange, attempt: int, now: datetime, random: Random
) -> float | None:
    """Seconds to wait before asking again; None when asking again is not right."""
    if not outgoing.repeatable or not may_pass(exchange):
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


def backoff(attempt: int, random: Random) -> float:
    """Full jitter: anything up to a bound that doubles with each attempt."""
    return random.uniform(0, min(LONGEST_WAIT, FIRST_WAIT * 2 ** (attempt - 1)))


def retry_after(text: str, now: datetime) -> float | None:
    """Seconds a Retry-After header asks for, given as seconds or as a date; None if unreadable."""
    if re.fullmatch(r"[0-9]{1,9}(\.[0-9]{1,9})?", text.strip()):
        return float(text)
    try:
        moment = parsedate_to_datetime(text)
    except ValueError:
        return None
    aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return max(0.0, (aware - now).total_seconds())
