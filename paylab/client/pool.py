"""The transport of a client: connections of httpcore whose waits end at the deadline of a call."""

from __future__ import annotations

import os
import ssl
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from ipaddress import ip_address
from typing import Any
from urllib.request import getproxies

import httpcore
import httpx

from ..errors.base import ConfigError
from .bounded import BoundedBackend
from .deadline import Cap

LIMITS: dict[str, Any] = {
    "max_connections": 100,
    "max_keepalive_connections": 20,
    "keepalive_expiry": 5.0,
}
"""The usual limits of httpx, in connections and seconds."""


class PoolTransport(httpx.BaseTransport):
    """Sends the requests of httpx through a pool of httpcore."""

    def __init__(self, pool: httpcore.ConnectionPool) -> None:
        self._pool = pool

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Send a request; its body and that of the response are streams."""
        url = request.url
        target = request.extensions.get("target", url.raw_path)  # of a request that is sent on
        core_request = httpcore.Request(
            request.method,
            httpcore.URL(scheme=url.raw_scheme, host=url.raw_host, port=url.port, target=target),
            headers=request.headers.raw,
            content=request.stream,
            extensions=request.extensions,
        )
        with _httpx_errors():
            response = self._pool.handle_request(core_request)
        return httpx.Response(
            response.status,
            headers=response.headers,
            stream=PoolStream(response),
            extensions=response.extensions,
        )

    def close(self) -> None:
        """Close the connections."""
        self._pool.close()


class PoolStream(httpx.SyncByteStream):
    """The body of a response of httpcore."""

    def __init__(self, response: httpcore.Response) -> None:
        self._response = response

    def __iter__(self) -> Iterator[bytes]:
        with _httpx_errors():
            yield from self._response.iter_stream()

    def close(self) -> None:
        """Give the connection back to the pool."""
        self._response.close()


@contextmanager
def _httpx_errors() -> Iterator[None]:
    """Raise an error of httpcore as that of httpx with its name, or that of its parent."""
    try:
        yield
    except Exception as error:
        for error_class in type(error).__mro__:
            if error_class.__module__.startswith("httpcore") and hasattr(
                httpx, error_class.__name__
            ):
                raise getattr(httpx, error_class.__name__)(str(error)) from error
        raise


def pool_transport(cap: Cap, *, is_encrypted: bool) -> PoolTransport:
    """A transport without a proxy. Reading the certificates takes 30 ms, which http can save."""
    context = _load_certificates() if is_encrypted else None
    backend = BoundedBackend(httpcore.SyncBackend(), cap)
    return PoolTransport(
        httpcore.ConnectionPool(ssl_context=context, network_backend=backend, **LIMITS)
    )


def _load_certificates() -> ssl.SSLContext:
    """The certificates of SSL_CERT_FILE, SSL_CERT_DIR or certifi; ConfigError for a bad file."""
    try:
        return httpx.create_ssl_context()
    except OSError as error:  # without the name of the file; ssl.SSLError is one too
        path = os.environ.get("SSL_CERT_FILE")
        if not path:
            raise
        reason = f"the certificates of SSL_CERT_FILE={path} cannot be read: {error.strerror}"
        raise ConfigError(reason) from None


def proxy_transport(address: str, cap: Cap) -> PoolTransport:
    """A transport through a proxy; ConfigError for an address that names none."""
    url = None
    with suppress(ValueError, httpx.InvalidURL):  # whose messages can have the password
        proxy = httpx.Proxy(address)
        url = httpcore.URL(str(proxy.url))
    if url is None or not url.host:
        raise ConfigError(
            "the address of a proxy in HTTP_PROXY, HTTPS_PROXY or ALL_PROXY must be "
            "http://HOST:PORT, https://HOST:PORT or socks5://HOST:PORT"
        )
    proxy_class = httpcore.SOCKSProxy if url.scheme.startswith(b"socks") else httpcore.HTTPProxy
    context = _load_certificates()
    backend = BoundedBackend(httpcore.SyncBackend(), cap)
    auth = proxy.raw_auth  # httpcore takes no text beyond ASCII
    try:
        pool = proxy_class(
            url, proxy_auth=auth, ssl_context=context, network_backend=backend, **LIMITS
        )
    except RuntimeError:  # httpcore says so without naming the package's extra
        raise ConfigError("a SOCKS proxy needs socksio: pip install 'httpx[socks]'") from None
    return PoolTransport(pool)


def proxy_mounts(cap: Cap) -> dict[str, httpx.BaseTransport | None]:
    """The proxies of the environment by the URLs they serve; None for those of NO_PROXY."""
    proxies = getproxies()
    addresses = {each: proxies[each] for each in ("http", "https", "all") if proxies.get(each)}
    exceptions = read_unproxied_hosts(proxies) if addresses else {}
    if "*" in exceptions:
        return {}
    mounts: dict[str, httpx.BaseTransport | None] = {}
    for scheme, address in addresses.items():
        full_address = address if "://" in address else f"http://{address}"
        mounts[f"{scheme}://"] = proxy_transport(full_address, cap)
    return {**mounts, **exceptions}


def read_unproxied_hosts(proxies: Mapping[str, str]) -> dict[str, None]:
    """The patterns of httpx for the hosts of NO_PROXY, or `*` for all; ConfigError for others."""
    patterns: dict[str, None] = {}
    for host_pattern in filter(None, map(str.strip, proxies.get("no", "").split(","))):
        if host_pattern == "*" or "://" in host_pattern:
            pattern = host_pattern
        elif host_pattern.startswith("["):  # an IPv6 address, with a port or without
            pattern = f"all://{host_pattern}"
        elif _is_address(host_pattern) or host_pattern.lower() == "localhost":
            pattern = f"all://[{host_pattern}]" if ":" in host_pattern else f"all://{host_pattern}"
        else:  # a domain, with what is below it
            pattern = f"all://*{host_pattern}"
        try:
            httpx.URL(pattern)
        except httpx.InvalidURL as error:
            raise ConfigError(f"NO_PROXY has {host_pattern!r}, which is no host: {error}") from None
        patterns[pattern] = None
    return patterns


def _is_address(host_pattern: str) -> bool:
    """Whether a pattern of NO_PROXY is an address or a network, and not a name."""
    try:
        ip_address(host_pattern.partition("/")[0])
    except ValueError:
        return False
    return True
