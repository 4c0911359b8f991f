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
        """Send through this pool."""
        self._pool = pool

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Send a request. Its body and the body of the response are streams."""
        url = request.url
        # "target" is set for a request that a proxy passes on.
        target_bytes = request.extensions.get("target", url.raw_path)
        core_request = httpcore.Request(
            request.method,
            httpcore.URL(
                scheme=url.raw_scheme, host=url.raw_host, port=url.port, target=target_bytes
            ),
            headers=request.headers.raw,
            content=request.stream,
            extensions=request.extensions,
        )
        with _raise_httpx_errors():
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
        """Read the body of this response."""
        self._response = response

    def __iter__(self) -> Iterator[bytes]:
        with _raise_httpx_errors():
            yield from self._response.iter_stream()

    def close(self) -> None:
        """Give the connection back to the pool."""
        self._response.close()


@contextmanager
def _raise_httpx_errors() -> Iterator[None]:
    """Raise an error of httpcore as the httpx error with the same name, or its parent's name."""
    try:
        yield
    except Exception as error:
        for error_class in type(error).__mro__:
            httpx_class = getattr(httpx, error_class.__name__, None)
            if error_class.__module__.startswith("httpcore") and httpx_class is not None:
                raise httpx_class(str(error)) from error
        raise


def pool_transport(cap: Cap, *, is_encrypted: bool) -> PoolTransport:
    """A transport without a proxy, whose waits end at the deadline of `cap`."""
    # Reading the certificates takes 30 ms, which an address without encryption saves.
    ssl_context = _load_certificates() if is_encrypted else None
    backend = BoundedBackend(httpcore.SyncBackend(), cap)
    return PoolTransport(
        httpcore.ConnectionPool(ssl_context=ssl_context, network_backend=backend, **LIMITS)
    )


def _load_certificates() -> ssl.SSLContext:
    """The certificates of SSL_CERT_FILE, SSL_CERT_DIR or certifi; ConfigError for a bad file."""
    try:
        return httpx.create_ssl_context()
    except OSError as error:  # its message lacks the file's name; an ssl.SSLError is an OSError
        certificates_path = os.environ.get("SSL_CERT_FILE")
        if not certificates_path:
            raise
        message = f"the certificates of SSL_CERT_FILE={certificates_path} cannot be read"
        raise ConfigError(f"{message}: {error.strerror}") from None


def proxy_transport(proxy_address: str, cap: Cap) -> PoolTransport:
    """A transport through the proxy at an address; ConfigError for an address of another form."""
    proxy_url = None
    with suppress(ValueError, httpx.InvalidURL):  # their messages can contain the password
        proxy = httpx.Proxy(proxy_address)
        proxy.url.raw_host.decode().encode("idna")  # fails here, as in a socket, for its length
        proxy_url = httpcore.URL(str(proxy.url))
    if proxy_url is None or not proxy_url.host:
        raise ConfigError(
            "the address of a proxy in HTTP_PROXY, HTTPS_PROXY or ALL_PROXY must be "
            "http://HOST:PORT, https://HOST:PORT or socks5://HOST:PORT"
        )
    is_socks = proxy_url.scheme.startswith(b"socks")
    proxy_class = httpcore.SOCKSProxy if is_socks else httpcore.HTTPProxy
    try:
        pool = proxy_class(
            proxy_url,
            proxy_auth=proxy.raw_auth,  # bytes: httpcore takes no text beyond ASCII
            ssl_context=_load_certificates(),
            network_backend=BoundedBackend(httpcore.SyncBackend(), cap),
            **LIMITS,
        )
    except RuntimeError:  # httpcore says so without naming the package's extra
        raise ConfigError("a SOCKS proxy needs socksio: pip install 'httpx[socks]'") from None
    return PoolTransport(pool)


def proxy_mounts(cap: Cap) -> dict[str, httpx.BaseTransport | None]:
    """A transport for each scheme with a proxy in the environment; None for hosts of NO_PROXY.

    The keys are URL patterns of httpx, such as `https://`. Empty without proxies.
    """
    proxy_settings = getproxies()
    address_by_scheme = {
        scheme: proxy_settings[scheme]
        for scheme in ("http", "https", "all")
        if proxy_settings.get(scheme)
    }
    # Without proxies, an unreadable NO_PROXY does no harm, and is not read.
    unproxied_hosts = read_unproxied_hosts(proxy_settings) if address_by_scheme else {}
    if "*" in unproxied_hosts:
        return {}
    proxy_transports: dict[str, httpx.BaseTransport | None] = {}
    for scheme, address in address_by_scheme.items():
        full_address = address if "://" in address else f"http://{address}"
        proxy_transports[f"{scheme}://"] = proxy_transport(full_address, cap)
    return {**proxy_transports, **unproxied_hosts}


def read_unproxied_hosts(proxy_settings: Mapping[str, str]) -> dict[str, None]:
    """The hosts of NO_PROXY as URL patterns of httpx; `*` means all hosts.

    ConfigError for an entry that is no host.

    >>> read_unproxied_hosts({"no": "localhost, example.com"})
    {'all://localhost': None, 'all://*example.com': None}
    """
    proxy_by_url_pattern: dict[str, None] = {}
    hosts = [host.strip() for host in proxy_settings.get("no", "").split(",")]
    for host in filter(None, hosts):
        if host == "*" or "://" in host:
            url_pattern = host
        elif host.startswith("["):  # an IPv6 address, with a port or without
            url_pattern = f"all://{host}"
        elif _is_address(host) or host.lower() == "localhost":
            url_pattern = f"all://[{host}]" if ":" in host else f"all://{host}"
        else:  # a domain with its subdomains
            url_pattern = f"all://*{host}"
        try:
            httpx.URL(url_pattern)
        except httpx.InvalidURL as error:
            raise ConfigError(f"NO_PROXY has {host!r}, which is no host: {error}") from None
        proxy_by_url_pattern[url_pattern] = None
    return proxy_by_url_pattern


def _is_address(host: str) -> bool:
    """Whether an entry of NO_PROXY is an IP address or a network, and not a name."""
    try:
        ip_address(host.partition("/")[0])
    except ValueError:
        return False
    return True
