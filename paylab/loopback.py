"""Refuse requests to a local server that come from web pages of other sites.

A page can resolve its own name to this machine (DNS rebinding) or post to a known port. It cannot
choose the Host and Origin headers, which are checked here.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from functools import lru_cache
from ipaddress import IPv4Address, IPv6Address, ip_address
from urllib.parse import urlsplit


def is_loopback(host: str) -> bool:
    """Whether a host is a loopback name or address."""
    if host.lower() == "localhost":
        return True
    address = _read_address(host)
    return address is not None and address.is_loopback


def host_refusal(
    headers: Iterable[tuple[bytes, bytes]], allowed: Collection[str] = ()
) -> tuple[int, str] | None:
    """Find out by its headers whether a request has to be refused: status and text; None if not.

    `allowed` are additional host names. IP addresses are always allowed: they are not resolved.
    """
    host_texts: list[str] = []
    origins: list[str] = []
    for name_bytes, value_bytes in headers:
        lower_name = name_bytes.lower()
        if lower_name == b"host":
            host_texts.append(value_bytes.decode("latin-1"))
        elif lower_name == b"origin":
            origins.append(value_bytes.decode("latin-1"))
    if len(host_texts) > 1:  # programs on the way may have read different ones
        return 400, f"a request has one Host header, not {len(host_texts)}"
    for host in host_texts:
        host_name = _read_host_name(f"//{host}")
        is_address = _read_address(host_name) is not None
        is_allowed = host_name in allowed or is_address or _is_local_name(host_name)
        if not is_allowed:
            return 421, f"the Host {host[:80]!a} is not a name of this server"
    for origin in origins:
        if not _is_local_name(_read_host_name(origin)):
            return 403, f"requests from other web sites are refused: the Origin is {origin[:80]!a}"
    return None


def _read_host_name(url: str) -> str:
    """Read the host of a URL in lower case; "" if it has none."""
    try:
        return (urlsplit(url).hostname or "").lower()
    except ValueError:
        return ""


def _is_local_name(host_name: str) -> bool:
    """Whether a name is always that of this machine."""
    return is_loopback(host_name) or host_name.endswith(".localhost")


@lru_cache(maxsize=64)  # every request has the Host of its server
def _read_address(host_name: str) -> IPv4Address | IPv6Address | None:
    """Read a host as an IP address; None if it is a name."""
    try:
        return ip_address(host_name)
    except ValueError:
        return None
