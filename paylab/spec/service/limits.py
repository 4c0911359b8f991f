"""Limits of rates, and what is stored under an Idempotency-Key."""

from __future__ import annotations

from typing import Annotated, Literal

from ...light_dataclass import light_dataclass
from .setting import Setting
from .value_types import HeaderName, IntegerListLimit


@light_dataclass(frozen=True)
class RateLimitSettings:
    """What a 429 says."""

    header: Annotated[
        HeaderName,
        Setting(
            "Which header of a 429 says when to send again?",
            row="errors.server",
            others=("X-RateLimit-Reset", "RateLimit-Reset"),
        ),
    ] = "Retry-After"
    unit: Annotated[
        Literal["seconds", "milliseconds", "unix_time", "date"],
        Setting(
            "Does that header hold seconds, milliseconds, a Unix time or an HTTP date?",
            row="errors.server",
        ),
    ] = "seconds"


@light_dataclass(frozen=True)
class IdempotencySettings:
    """Which requests take an Idempotency-Key, and which answers are stored."""

    stored: Annotated[
        tuple[int, ...],
        IntegerListLimit(200, 299),
        Setting(
            "Which statuses are stored under an Idempotency-Key and answered again?",
            row="ca.idempotency-202",
            origin="spec",
            others=((200, 201, 202),),
        ),
    ] = (200, 201)
    operations: Annotated[
        Literal["as_specified", "every_post"],
        Setting(
            "Does every POST take an Idempotency-Key (every_post), or only those of transfers and "
            "conversion accounts (as_specified)?",
            row="idempotency.operations",
            origin="spec",
        ),
    ] = "as_specified"
    header: Annotated[
        HeaderName,
        Setting(
            "Which header takes the idempotency key?",
            row="idempotency.operations",
            origin="spec",
            others=("X-Idempotency-Key", "X-Request-Id"),
        ),
    ] = "Idempotency-Key"
    key: Annotated[
        Literal["optional", "required"],
        Setting(
            "Is a POST that takes an Idempotency-Key accepted without one?",
            row="idempotency.same",
        ),
    ] = "optional"
