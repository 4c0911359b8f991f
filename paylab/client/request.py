"""A request as it is sent: method, URL, body, options, and the headers that sign it."""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import count
from math import isfinite
from random import Random
from typing import Any, TypedDict
from uuid import UUID

import httpx

from ..errors import Problem, ReadOnlyError, RuleError
from ..loopback import is_loopback
from ..redaction.redaction import Redaction
from ..signing.canonical import EMPTY_HASH, Signature, body_hash, key_bytes, signed_headers
from ..spec.timestamps import to_text
from . import encoding
from .call import CONTROLS
from .exchange import BODY_HASH, OUTLINE, CookielessClient, stop_at_redirect
from .settings import Settings, check_encrypted

# The two operations the service carries out once for one Idempotency-Key (spec, "Idempotency").
IDEMPOTENT = frozenset({"transfers.create", "conversion_accounts.create"})
# Headers that paylab sets itself: those of the signature, of the body and of the connection.
OWN_HEADERS = frozenset(
    {
        *("authorization", "host", "x-api-key", "x-date", "x-content-sha256", "x-nonce"),
        *("idempotency-key", "content-type", "content-length", "content-encoding"),
        *("transfer-encoding", "accept-encoding", "connection", "expect", "te", "upgrade"),
    }
)
HEADER_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")

# Gives the id of what a lost attempt made at or after a time, None when there is nothing.
Find = Callable[[datetime], str | None]


HEADERS = {
    "Accept-Encoding": "gzip, deflate",  # those that can be decoded within bounds
    "Connection": "keep-alive",
    "User-Agent": "paylab",
    "Accept": "application/json",
}


class Options(TypedDict, total=False):
    """The options of every call, which are never part of a body.

    `timeout` is how many seconds the service may take to connect, read or write; `headers` are
    added and are not signed.
    """

    idempotency_key: str | UUID | None
    timeout: float | None
    headers: Mapping[str, str] | None


@dataclass(frozen=True)
class Outgoing:
    """A request without the headers that differ between attempts.

    `length` and `digest` (SHA-256 in hex) are those of a content that is not held in memory, and
    `outline` its fields without the images.
    `operation` is empty where none is known; `asked` is its body in our names.
    """

    method: str
    path: str
    url: httpx.URL
    content: bytes | Iterable[bytes] | None = field(default=None, repr=False)
    length: int | None = None
    digest: str | None = None
    outline: bytes | None = None
    idempotency_key: str | None = None
    timeout: float | None = None
    given_headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    find: Find | None = None
    any_body: bool = False
    operation: str = ""
    asked: Any = field(default=None, repr=False)

    @property
    def repeatable(self) -> bool:
        """Whether the request is safe to send twice."""
        if self.method == "POST":
            return self.idempotency_key is not None and self.operation in IDEMPOTENT
        return self.method in {"GET", "HEAD"}

    @property
    def headers(self) -> dict[str, str]:
        """The headers every attempt shares."""
        headers = {"Content-Type": "application/json"} if self.content is not None else {}
        if self.length is not None:
            headers["Content-Length"] = str(self.length)
        if self.idempotency_key is not None:
            headers["Idempotency-Key"] = self.idempotency_key
        return headers

    @property
    def extensions(self) -> dict[str, Any]:
        """What must be known of a body that is not held in memory: its hash and its fields."""
        if self.digest is None:
            return {}
        return {BODY_HASH: self.digest, OUTLINE: self.outline}


def outgoing(  # noqa: PLR0913 - the parts of a request
    base_url: str,
    method: str,
    path: str,
    json: Any = None,
    params: Mapping[str, Any] | None = None,
    options: Options | None = None,
    *,
    operation: str = "",
    asked: Any = None,
    numbers: bool = False,
) -> Outgoing:
    """Build a request; RuleError when it cannot be sent as HTTP.

    `numbers` is whether Decimals in `json` are written as numbers.
    """
    content = None if json is None else encoding.encode(json, numbers=numbers)
    url = _url(base_url, path, {k: v for k, v in (params or {}).items() if v is not None})
    request = Outgoing(
        *(method.upper(), path.partition("?")[0], url, content), operation=operation, asked=asked
    )
    return _with_options(request, options) if options else request


def _with_options(request: Outgoing, options: Options) -> Outgoing:
    timeout, given = options.get("timeout"), options.get("headers") or {}
    if not isinstance(given, Mapping):
        raise RuleError([Problem("headers", "must be a dict of names and texts")])
    if timeout is not None and not _is_seconds(timeout):
        raise RuleError([Problem("timeout", "must be a number of seconds above 0")])
    return replace(
        request,
        idempotency_key=encoding.header("idempotency_key", options.get("idempotency_key")),
        timeout=timeout,
        given_headers={name: _header(name, value) for name, value in given.items()},
    )


def _is_seconds(value: object) -> bool:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return number and isfinite(value) and value > 0  # type: ignore[operator,arg-type] # a number


def _header(name: str, value: str) -> str:
    field = f"headers.{name}"
    if not isinstance(name, str) or not HEADER_NAME.fullmatch(name):
        raise RuleError([Problem(field, "is no name of an HTTP header")])
    if name.lower() in OWN_HEADERS:
        raise RuleError([Problem(field, "is set by paylab and cannot be given")])
    if not isinstance(value, str):
        raise RuleError([Problem(field, "must be text")])
    encoding.header(field, value)
    return value


def _url(base_url: str, path: str, params: Mapping[str, Any]) -> httpx.URL:
    if not path.startswith("/"):
        raise RuleError([Problem("path", "must begin with /")])
    if "#" in path:
        raise RuleError([Problem("path", "must not have a fragment (#...)")])
    try:
        url = httpx.URL(base_url + path)
        return url.copy_merge_params(params) if params else url
    except httpx.InvalidURL as error:
        raise RuleError([Problem("path", f"cannot be sent: {error}")]) from None


# Set on a request whose body is streamed: its hash must be known before the first byte.
# Set by the signing: the signature with its working, for the call log.
SIGNATURE = "paylab.signature"
VALUES = 10**6
# Coprime to 10^6, so that stepping by it visits every 6-digit value before any comes again.
STEP = 618_033


class Nonces:
    """Nonces that never repeat: unix milliseconds and a 6-digit counter with a random start."""

    def __init__(self, random: Random) -> None:
        self._start = random.randrange(VALUES)
        self._count = count()

    def next(self, now: datetime) -> str:
        """The nonce of a request sent now, unique even on a frozen clock."""
        # After a million the values come round; the milliseconds then step ahead by one.
        rounds, number = divmod(next(self._count), VALUES)
        value = (self._start + number * STEP) % VALUES
        return f"{int(now.timestamp() * 1000) + rounds}{value:06d}"


class SignatureAuth(httpx.Auth):
    """Signs a request: method, path and query exactly as on the request line, Host as sent."""

    def __init__(self, settings: Settings, clock: Callable[[], datetime], random: Random) -> None:
        self._api_key, self._clock, self._nonces = settings.api_key, clock, Nonces(random)
        self._secret, self._dialect = settings.secret_key, settings.service.signing

    def auth_flow(self, request: httpx.Request) -> Generator[httpx.Request, httpx.Response, None]:
        """Add the signed headers to the request."""
        headers, signature = self._signed(request)
        request.headers = _with(request.headers, headers)
        request.extensions[SIGNATURE] = signature
        yield request

    def _signed(self, request: httpx.Request) -> tuple[dict[str, str], Signature]:
        now = self._clock()
        path, _, query = request.url.raw_path.decode("ascii").partition("?")
        return signed_headers(
            self._api_key.reveal(),
            key_bytes(self._secret.reveal(), self._dialect.key_encoding),
            request.method,
            request.headers["Host"],
            path,
            query,
            content_hash=_content_hash(request),
            date=to_text(now),
            nonce=self._nonces.next(now),
            empty_query=self._dialect.empty_query,
        )


def _with(headers: httpx.Headers, signed: dict[str, str]) -> httpx.Headers:
    """The headers with the signed ones replaced; three times faster than `update`."""
    ours = [(name.encode("ascii"), value.encode("ascii")) for name, value in signed.items()]
    names = {name.lower() for name, _ in ours}
    others = [pair for pair in headers.raw if pair[0].lower() not in names]
    return httpx.Headers([*others, *ours])


def _content_hash(request: httpx.Request) -> str:
    known = request.extensions.get(BODY_HASH)
    if known is not None:
        return str(known)
    return body_hash(request.content) if request.content else EMPTY_HASH


LIFT = (
    "to send it, connect with read_only=False, or set PAYLAB_READ_ONLY=0, "
    "or read_only = false in the profile"
)


def require_writing(request: Outgoing, settings: Settings, redaction: Redaction) -> None:
    """ReadOnlyError for a request that is not a GET, unless it controls a simulator."""
    control = request.url.path.endswith(request.path) and request.path.startswith(f"{CONTROLS}/")
    if not settings.read_only or request.method == "GET" or control:
        return
    source = settings.where.get("read_only", "argument")
    error = ReadOnlyError(
        f"{request.method} {redaction.text(request.path)} was not sent: "
        f"this lab is read-only ({source}) and sends nothing but GETs"
    )
    error.hint = LIFT
    raise error


def http_client(settings: Settings, transport: httpx.BaseTransport | None) -> httpx.Client:
    """The httpx client of a service: no cookies, no redirects, proxies only off this machine."""
    url = httpx.URL(settings.base_url)
    if transport is None:  # One that is given answers for where it leads.
        check_encrypted(settings.base_url)
    return CookielessClient(
        transport=transport,
        timeout=settings.timeout,
        headers=HEADERS,
        follow_redirects=False,
        event_hooks={"response": [stop_at_redirect]},
        # Proxies from the environment serve people behind one; what is meant for this
        # machine must not leave it.
        trust_env=not is_loopback(url.host.strip("[]")),
        # Plain http has nothing to verify, and loading the certificates takes 30 ms.
        verify=url.scheme == "https",
    )
