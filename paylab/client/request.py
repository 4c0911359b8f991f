"""A request: what is sent, with which options, and as which bytes."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import field, replace
from datetime import date, datetime
from decimal import Decimal
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Protocol, TypedDict

from ..errors.base import Problem, RuleError
from ..light_dataclass import light_dataclass
from ..spec.money import Amount
from ..spec.service.value_types import HEADER_NAME, MESSAGE_HEADERS
from ..spec.text import plain, write_json
from ..spec.timestamps import to_text

if TYPE_CHECKING:
    from uuid import UUID

    from httpx import URL

# Headers that paylab sets itself.
OWN_HEADERS = MESSAGE_HEADERS | {"idempotency-key"}

# Returns the id of the object that a lost attempt made, or None. It is given the status of its
# answer, 0 without one.
Find = Callable[[int], str | None]


KEY = re.compile("[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")

# Written out, a large exponent could take megabytes.
DIGITS_MAX = 100
TIMEOUT_SECONDS_MAX = 10**6
WRONG_TIMEOUT = f"must be a number of seconds above 0 and at most {TIMEOUT_SECONDS_MAX:,}"

CONTROLS = "/_simulator"
"""The path prefix of the control API, whose calls are not calls of the service."""

STREAMED = "paylab.streamed"
"""The extension of a request with its StreamedBody, if it has one."""

CAP = "paylab.cap"
"""The extension of a request with the Cap of its call, for a transport that waits by itself."""


class Options(TypedDict, total=False):
    """The options of every call, which are never part of a body.

    `timeout` is the maximum seconds to connect, read or write; `headers` are added and not
    signed.
    """

    idempotency_key: str | UUID | None
    timeout: float | None
    headers: Mapping[str, str] | None


class StreamedBody(Protocol):
    """A body that is not held in memory: it is read once for each attempt.

    `digest` is its SHA-256 in hex, and `outline` its fields without the images.
    """

    length: int
    digest: str
    outline: bytes

    def __iter__(self) -> Iterator[bytes]:
        """The body in pieces."""


@light_dataclass(frozen=True, repr=False)
class OutgoingRequest:
    """A request without the headers that differ between attempts.

    `operation` is empty for a path of no known operation; `takes_key` is whether it takes an
    Idempotency-Key, and `asked` is the body in our names.
    """

    method: str
    path: str
    url: URL
    content: bytes | StreamedBody | None = None
    idempotency_key: str | None = None
    timeout: float | None = None
    given_headers: Mapping[str, str] = field(default_factory=dict)
    find: Find | None = None
    any_answer: bool = False
    operation: str = ""
    takes_key: bool = False
    asked: object = None

    @property
    def is_control(self) -> bool:
        """Whether it controls a simulator."""
        return f"{self.path}/".startswith(f"{CONTROLS}/") and self.url.path.endswith(self.path)

    @property
    def repeatable(self) -> bool:
        """Whether the request is safe to send twice."""
        if self.method == "POST":
            return self.idempotency_key is not None and self.takes_key
        return self.method in {"GET", "HEAD"}


def build_url(base_url: str, path: str, params: Mapping[str, Any] | None = None) -> URL:
    """The URL of a path and its query; RuleError when it cannot be sent as HTTP."""
    from httpx import InvalidURL, QueryParams

    if not path.startswith("/"):
        message = f"must begin with /, as in /v1/transfers, not {plain(path, 60)}"
        raise RuleError([Problem("path", message)])
    if "#" in path:
        raise RuleError([Problem("path", "must not have a fragment (#...)")])
    if not isinstance(params, Mapping | None):
        raise RuleError([Problem("params", "must be a dict of names and values")])
    query_parameters = {
        parameter_name: parameter_value
        for parameter_name, parameter_value in (params or {}).items()
        if parameter_value is not None
    }
    try:
        if query_parameters and "?" not in path:  # merging parses the URL three times
            return _parse_url(f"{base_url}{path}?{QueryParams(query_parameters)}")
        url = _parse_url(base_url + path)
        return url.copy_merge_params(query_parameters) if query_parameters else url
    except (InvalidURL, UnicodeEncodeError) as error:
        raise RuleError([Problem("path", f"cannot be sent: {error}")]) from None


@lru_cache
def _parse_url(url_text: str) -> URL:
    """Parse a URL, the same one once: orders and polls ask one path again and again."""
    from httpx import URL

    return URL(url_text)


def encode(body: object, *, numbers: bool = False) -> bytes:
    """Compact JSON in UTF-8; exactly these bytes are signed and sent.

    A Decimal is written as text, with `numbers` as a number of the same digits.
    """
    try:
        if numbers:
            return write_json(body).encode()
        json_text = json.dumps(
            body, ensure_ascii=False, separators=(",", ":"), allow_nan=False, default=json_value
        )
        return json_text.encode()
    except (ValueError, TypeError, RecursionError) as error:
        has_surrogate = isinstance(error, UnicodeEncodeError)
        reason = "contains an unpaired surrogate" if has_surrogate else str(error)
        raise RuleError([Problem("", f"the body cannot be sent as JSON: {reason}")]) from None


def json_value(value: object) -> Any:
    """A value as JSON can hold it exactly; TypeError says why another cannot be sent."""
    for value_type, convert in CONVERT:
        if isinstance(value, value_type):
            return convert(value)
    from uuid import UUID  # only for such a value

    if isinstance(value, UUID):
        return str(value)
    from ..spec.resource import Resource  # imports pydantic

    if isinstance(value, Resource):
        return value.raw
    raise TypeError(f"a value of type {type(value).__name__} cannot be sent as JSON")


def _write_amount(amount: Decimal) -> str:
    """An amount with its digits, without an exponent.

    TypeError, as the JSON encoder raises it for what it cannot write, if it is not finite or too
    long.
    """
    if isinstance(amount, Amount):
        return amount.text
    if not amount.is_finite():
        raise TypeError("must be a finite amount")
    exponent = amount.adjusted()
    if abs(exponent) > DIGITS_MAX:
        raise TypeError(f"must be an amount of at most {DIGITS_MAX} digits")
    return format(amount, "f")


def _write_instant(instant: datetime) -> str:
    """A time as the service writes it; TypeError without a time zone."""
    if instant.tzinfo is None:
        raise TypeError("must be a time with a time zone, such as lab.clock()")
    try:
        return to_text(instant)
    except OverflowError:
        raise TypeError("must be between the years 1 and 9999 in UTC") from None


NO_FLOAT = "must be text or a Decimal: a float is not exact"


def _refuse_float(value: float) -> str:
    """TypeError for any float."""
    raise TypeError(NO_FLOAT)


# In this order: a datetime is also a date, and a bool an int.
CONVERT: tuple[tuple[type | tuple[type, ...], Callable[[Any], Any]], ...] = (
    ((str, int, type(None)), lambda value: value),
    (float, _refuse_float),
    (Decimal, _write_amount),
    (datetime, _write_instant),
    (date, date.isoformat),
)


NO_KEY = "must be a UUID of 36 characters"


def check_key(idempotency_key: str) -> str:
    """The Idempotency-Key; RuleError when it is not a UUID of 36 characters."""
    if not KEY.fullmatch(idempotency_key):
        raise RuleError([Problem("idempotency_key", NO_KEY)])
    return idempotency_key


def with_options(request: OutgoingRequest, options: Options) -> OutgoingRequest:
    """The request with the options of its call; RuleError for one that cannot be sent."""
    return replace(
        request,
        idempotency_key=_read_key(options.get("idempotency_key")),
        timeout=_read_timeout(options.get("timeout")),
        given_headers=_read_headers(options.get("headers")),
    )


def _read_key(idempotency_key: str | UUID | None) -> str | None:
    """An Idempotency-Key as text; None stays None."""
    if idempotency_key is None:
        return None
    from uuid import UUID  # only for a key that is given

    key_text = str(idempotency_key) if isinstance(idempotency_key, UUID) else idempotency_key
    if not isinstance(key_text, str):
        raise RuleError([Problem("idempotency_key", NO_KEY)])
    return _require_header_text("idempotency_key", key_text)


def _read_timeout(timeout: float | None) -> float | None:
    """A timeout in seconds; None stays None."""
    if timeout is None:
        return None
    is_number = isinstance(timeout, int | float) and not isinstance(timeout, bool)
    if not is_number or not 0 < timeout <= TIMEOUT_SECONDS_MAX:
        raise RuleError([Problem("timeout", WRONG_TIMEOUT)])
    return timeout


def _read_headers(headers: Mapping[str, str] | None) -> dict[str, str]:
    """The headers of a call; RuleError for a header that cannot be sent. Empty for None."""
    if not isinstance(headers, Mapping | None):
        raise RuleError([Problem("headers", "must be a dict of names and texts")])
    return {
        header_name: _check_header(header_name, header_text)
        for header_name, header_text in (headers or {}).items()
    }


def _check_header(name: str, value: str) -> str:
    """The value of a header of a call; RuleError if it cannot be sent, or is one of ours."""
    field_path = f"headers.{name}"
    if not isinstance(name, str) or not HEADER_NAME.fullmatch(name):
        raise RuleError([Problem(field_path, "is not a valid name of an HTTP header")])
    if name.lower() in OWN_HEADERS:
        raise RuleError([Problem(field_path, "is set by paylab: leave it out")])
    if not isinstance(value, str):
        raise RuleError([Problem(field_path, "must be text")])
    return _require_header_text(field_path, value)


def _require_header_text(field: str, value: str) -> str:
    """The value of a header; RuleError if it is not valid in HTTP."""
    is_printable_ascii = isinstance(value, str) and value.isascii() and value.isprintable()
    if not is_printable_ascii:
        raise RuleError([Problem(field, "must be printable ASCII")])
    return value
