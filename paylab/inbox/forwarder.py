"""Passing an event on: the body as it came, posted to somebody's own handler."""

from __future__ import annotations

from urllib.parse import urlsplit

import httpx

from ..errors import ConfigError
from ..rules.webhooks import is_loopback

TIMEOUT = 10.0
UNREACHABLE = 502
"""What a handler that gives no answer counts as."""


def check_target(url: str) -> str:
    """The address an event may be sent to: https, or http on this machine."""
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname or "", parts.port
    except ValueError:
        host, parts = "", urlsplit("")
    if not host or parts.scheme not in ("http", "https"):
        raise ConfigError(f"{url[:80]!a} is no address to send events to")
    if parts.scheme == "http" and not is_loopback(host):
        raise ConfigError("events leave this machine by https alone")
    return url


def forward(url: str, body: bytes, *, timeout: float = TIMEOUT) -> int:
    """The status a handler answers; 502 when it cannot be reached."""
    return post(url, body, timeout=timeout) or UNREACHABLE


def post(url: str, body: bytes, *, timeout: float = TIMEOUT) -> int | None:
    """The status a handler answers; None when it cannot be reached. No redirect is followed."""
    headers = {"content-type": "application/json", "user-agent": "paylab-inbox"}
    local = is_loopback(urlsplit(check_target(url)).hostname or "")
    try:
        with httpx.Client(timeout=timeout, trust_env=not local, verify=not local) as client:
            return client.post(url, content=body, headers=headers).status_code
    except (httpx.HTTPError, httpx.InvalidURL):
        return None
