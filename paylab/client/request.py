"""A request: what is sent, as which bytes, and how it is signed."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from decimal import Decimal
from itertools import count
from random import Random
from typing import TYPE_CHECKING, Any, Protocol, TypedDict

from ..errors.base import Problem, RuleError
from ..redaction.hiding import Secret, hide_frames
from ..signing.canonical import (
    body_hash,
    encode_hash,
    key_bytes,
    keyed,
    signed_headers,
    signed_path,
    signed_query,
)
from ..signing.dates import date_text
from ..spec.money import Amount
from ..spec.service.signing import SigningSettings
from ..spec.service.value_types import HEADER_NAME, MESSAGE_HEADERS
from ..spec.text import write_json
from ..spec.timestamps import to_text

if TYPE_CHECKING:
    from uuid import UUID

    from httpx import URL, Request

# Headers that paylab sets itself.
OWN_HEADERS = MESSAGE_HEADERS | {"idempotency-key"}

# Returns the id of the object that a lost attempt made, or None. It is given the status of its
# answer, 0 without one, and the earliest time at the service at which it was made.
Find = Callable[[int, datetime], str | None]


KEY = re.compile("[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")

# Written out, a large exponent could take megabytes.
DIGITS_MAX = 100
TIMEOUT_SECONDS_MAX = 10**6

CONTROLS = "/_simulator"
"""The path prefix of the control API, whose calls are not calls of the service."""

STREAMED = "paylab.streamed"
"""The extension of a request with its StreamedBody, if it has one."""

SIGNATURE = "paylab.signature"
"""Set by the signing: the signature with its working, for the call log."""


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


@dataclass(frozen=True, repr=False)
class OutgoingRequest:
    """A request without the headers that differ between attempts.

    `operation` is empty where none is known; `takes_key` is whether it takes an Idempotency-Key,
    and `asked` is its body in our names.
    """

    method: str
    path: str
    url: URL
    content: bytes | StreamedBody | None = None
    idempotency_key: str | None = None
    timeout: float | None = None
    given_headers: Mapping[str, str] = field(default_factory=dict)
    find: Find | None = None
    any_body: bool = False
    operation: str = ""
    takes_key: bool = False
    asked: Any = None

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


def url_of(base_url: str, path: str, params: Mapping[str, Any] | None = None) -> URL:
    """The URL of a path and its query; RuleError when it cannot be sent as HTTP."""
    from httpx import URL, InvalidURL, QueryParams

    if not path.startswith("/"):
        raise RuleError([Problem("path", "must begin with /")])
    if "#" in path:
        raise RuleError([Problem("path", "must not have a fragment (#...)")])
    if not isinstance(params, Mapping | None):
        raise RuleError([Problem("params", "must be a dict of names and values")])
    query = {
        parameter_name: parameter_value
        for parameter_name, parameter_value in (params or {}).items()
        if parameter_value is not None
    }
    try:
        if query and "?" not in path:  # merging parses the URL three times
            return URL(f"{base_url}{path}?{QueryParams(query)}")
        url = URL(base_url + path)
        return url.copy_merge_params(query) if query else url
    except (InvalidURL, UnicodeEncodeError) as error:
        raise RuleError([Problem("path", f"cannot be sent: {error}")]) from None


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
    """A value as JSON can hold it exactly; TypeError says what is wrong with one that it cannot."""
    for value_type, convert in CONVERT:
        if isinstance(value, value_type):
            return convert(value)
    from uuid import UUID  # like the next one only for such a value

    if isinstance(value, UUID):
        return str(value)
    from ..spec.resource import Resource  # imports pydantic

    if isinstance(value, Resource):
        return value.raw
    raise TypeError(f"a {type(value).__name__} cannot be sent as JSON")


def _amount_text(amount: Decimal) -> str:
    if isinstance(amount, Amount):
        return amount.text
    if not amount.is_finite() or abs(amount.adjusted()) > DIGITS_MAX:
        raise TypeError("must be a finite amount")
    return format(amount, "f")


def _instant_text(instant: datetime) -> str:
    if instant.tzinfo is None:
        raise TypeError("must be a time with a time zone, such as datetime.now(UTC)")
    try:
        return to_text(instant)
    except OverflowError:
        raise TypeError("must be between the years 1 and 9999 in UTC") from None


def _refuse_float(value: float) -> str:
    raise TypeError("must be text or a Decimal: a float is not exact")


# In this order: a datetime is also a date, and a bool an int.
CONVERT: tuple[tuple[type | tuple[type, ...], Callable[[Any], Any]], ...] = (
    ((str, int, type(None)), lambda value: value),
    (float, _refuse_float),
    (Decimal, _amount_text),
    (datetime, _instant_text),
    (date, date.isoformat),
)


def check_key(idempotency_key: str) -> str:
    """The Idempotency-Key; RuleError when it is not a UUID of 36 characters."""
    if not KEY.fullmatch(idempotency_key):
        raise RuleError([Problem("idempotency_key", "must be a UUID of 36 characters")])
    return idempotency_key


def with_options(request: OutgoingRequest, options: Options) -> OutgoingRequest:
    """The request with the options of its call; RuleError for one that cannot be sent."""
    timeout = options.get("timeout")
    headers_given = options.get("headers") or {}
    if not isinstance(headers_given, Mapping):
        raise RuleError([Problem("headers", "must be a dict of names and texts")])
    is_number = isinstance(timeout, int | float) and not isinstance(timeout, bool)
    if timeout is not None and not (is_number and 0 < timeout <= TIMEOUT_SECONDS_MAX):
        raise RuleError([Problem("timeout", "must be a number of seconds above 0")])
    idempotency_key = options.get("idempotency_key")
    if idempotency_key is not None:
        from uuid import UUID  # only for a key that is given

        if isinstance(idempotency_key, UUID):
            idempotency_key = str(idempotency_key)
        idempotency_key = _header_text("idempotency_key", idempotency_key)
    headers = {header: _check_header(header, text) for header, text in headers_given.items()}
    return replace(request, idempotency_key=idempotency_key, timeout=timeout, given_headers=headers)


def _check_header(name: str, value: str) -> str:
    """The value of a header of a call; RuleError if it cannot be sent, or is one of ours."""
    field = f"headers.{name}"
    if not isinstance(name, str) or not HEADER_NAME.fullmatch(name):
        raise RuleError([Problem(field, "is not a valid name of an HTTP header")])
    if name.lower() in OWN_HEADERS:
        raise RuleError([Problem(field, "is set by paylab: leave it out")])
    if not isinstance(value, str):
        raise RuleError([Problem(field, "must be text")])
    return _header_text(field, value)


def _header_text(field: str, value: str) -> str:
    """The value of a header; RuleError if it is not valid in HTTP."""
    if not (isinstance(value, str) and value.isascii() and value.isprintable()):
        raise RuleError([Problem(field, "must be printable ASCII")])
    return value


NONCE_VALUES = 10**6
# Coprime to 10^6, so that stepping by it visits every 6-digit value once.
NONCE_STEP = 618_033


class Nonces:
    """Nonces that never repeat: unix milliseconds and a 6-digit counter with a random start."""

    def __init__(self, random: Random) -> None:
        self.restart(random)

    def restart(self, random: Random) -> None:
        """Start anew, as a forked child must."""
        self._random = random
        self._start = random.randrange(NONCE_VALUES)
        self._count = count()

    def next(self, now: datetime) -> str:
        """The nonce of a request sent now, unique even on a frozen clock."""
        # After a million values the counter restarts, with the next millisecond.
        rounds, number = divmod(next(self._count), NONCE_VALUES)
        value = (self._start + number * NONCE_STEP) % NONCE_VALUES
        return f"{int(now.timestamp() * 1000) + rounds}{value:06d}"

    def next_uuid(self, now: datetime) -> str:
        """A random UUID as the nonce of a request sent now."""
        from uuid import UUID  # only for a service with such nonces

        return str(UUID(int=self._random.getrandbits(128), version=4))


Sign = Callable[["Request"], None]


def _nonce_maker(dialect: SigningSettings, nonces: Nonces) -> Callable[[datetime], str | None]:
    """A function that makes the nonce of a request sent at a time, None for no nonce."""
    if dialect.nonce == "refused":
        return lambda now: None
    return nonces.next_uuid if dialect.nonce_form == "uuid" else nonces.next


@hide_frames
def request_signer(
    api_key: Secret,
    secret_key: Secret,
    dialect: SigningSettings,
    clock: Callable[[], datetime],
    nonces: Nonces,
) -> Sign:
    """A function that signs a request: path and query exactly as on the request line, Host as sent.

    `dialect` are the [signing] of a service.
    """
    next_nonce = _nonce_maker(dialect, nonces)
    key_text = api_key.reveal()
    secret = keyed(key_bytes(secret_key.reveal(), dialect.key_encoding))
    empty_query = dialect.empty_query
    encoding = dialect.hash_encoding
    no_body = body_hash(b"", encoding, dialect.empty_body)

    # A closure, because a secret in an attribute would show in `vars`.
    def sign(request: Request) -> None:
        """Add the signed headers to a request, and keep the working of its signature."""
        now = clock()
        path, _, query = request.url.raw_path.decode("ascii").partition("?")
        streamed: StreamedBody | None = request.extensions.get(STREAMED)
        if streamed is not None:
            content_hash = encode_hash(streamed.digest, encoding)
        elif request.content:
            content_hash = body_hash(request.content, encoding)
        else:
            content_hash = no_body
        headers, request.extensions[SIGNATURE] = signed_headers(
            key_text,
            secret,
            request.method,
            request.headers["Host"],
            signed_path(path, dialect.signed_path, dialect.base_path),
            signed_query(query, dialect.query_order),
            content_hash=content_hash,
            date=date_text(now, dialect.date_form),
            nonce=next_nonce(now),
            empty_query=empty_query,
            header_order=dialect.header_order,
            host_form=dialect.signed_host,
            form=dialect.signature,
        )
        # Three times faster than `update`.
        own_headers = [(header.encode(), text.encode()) for header, text in headers.items()]
        own_names = {header.lower() for header, _ in own_headers}
        other_headers = [pair for pair in request.headers.raw if pair[0].lower() not in own_names]
        request.headers = type(request.headers)([*other_headers, *own_headers])

    return sign
