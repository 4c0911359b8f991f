"""Refuse requests to a local server that come from web pages of other sites.

A page can resolve its own name to this machine (DNS rebinding) or post to a known port. It cannot
choose the Host and Origin headers, which are checked here.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from ipaddress import IPv4Address, IPv6Address, ip_address
from urllib.parse import urlsplit


def is_loopback(host: str) -> bool:
    """Whether a host is a loopback name or address."""
    address = _address(host)
    return host.lower() == "localhost" or bool(address and address.is_loopback)


def host_refusal(
    headers: Iterable[tuple[bytes, bytes]], allowed: Collection[str] = ()
) -> tuple[int, str] | None:
    """Status and text for a request to refuse by its headers; None if it is allowed.

    `allowed` are additional host names. IP addresses are always allowed: they are not resolved.
    """
    pairs = [(name.lower(), value.decode("latin-1")) for name, value in headers]
    hosts = [value for name, value in pairs if name == b"host"]
    if len(hosts) > 1:  # programs on the way may each have read another one
        return 400, f"a request has one Host header, not {len(hosts)}"
    for host in hosts:
        name = _name(f"//{host}")
        if not (name in allowed or _address(name) or _is_here(name)):
            return 421, f"the Host {host[:80]!a} is not a name of this server"
    for origin in (value for name, value in pairs if name == b"origin"):
        if not _is_here(_name(origin)):
            return 403, f"requests from other web sites are refused: the Origin is {origin[:80]!a}"
    return None


def _name(url: str) -> str:
    try:
        return (urlsplit(url).hostname or "").lower()
    except ValueError:
        return ""


def _is_here(name: str) -> bool:
    return is_loopback(name) or name.endswith(".localhost")


def _address(name: str) -> IPv4Address | IPv6Address | None:
    try:
        return ip_address(name)
    except ValueError:
        return None
