"""The Via header of `paylab proxy`, which names the service behind it. RFC 9110, section 7.6.3."""

from __future__ import annotations

import re
from collections.abc import Mapping

PROXY_PRODUCT = "paylab-proxy"
"""The name of the proxy in the headers Server and Via."""

_LAST_ENTRY = re.compile(rf"(?:^|,\s*)1\.1 {PROXY_PRODUCT} \(([^()\s]+)\)$")


def add_via(headers: Mapping[str, str], host: str) -> dict[str, str]:
    """The headers of an answer with the host of the service that the proxy asked.

    >>> add_via({"via": "1.1 cache"}, "sandbox.example.com")
    {'via': '1.1 cache, 1.1 paylab-proxy (sandbox.example.com)'}
    """
    earlier_entries = headers.get("via")
    entry = f"1.1 {PROXY_PRODUCT} ({host})"
    return {**headers, "via": f"{earlier_entries}, {entry}" if earlier_entries else entry}


def read_proxied_host(headers: Mapping[str, str]) -> str:
    """The host of the service behind a proxy of paylab. Empty if no such proxy answered.

    >>> read_proxied_host({"via": "1.1 cache, 1.1 paylab-proxy (sandbox.example.com)"})
    'sandbox.example.com'
    """
    last_entry = _LAST_ENTRY.search(headers.get("via", ""))
    return last_entry[1] if last_entry else ""
