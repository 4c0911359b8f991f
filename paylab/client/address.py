"""The service's base address, and what is accepted as one."""

from __future__ import annotations

import re

import httpx

from ..errors import ConfigError
from ..printable import plain
from ..rules.webhooks import is_loopback

HIGHEST_PORT = 65_535
# A whitelist, so that nothing can be read in two ways by two parsers.
HOST = r"(?:[A-Za-z0-9][A-Za-z0-9.-]*|\[[0-9A-Fa-f:.]+\])"
PATH = r"(?:/[A-Za-z0-9._~%!$&'()*+,;=:-]*)*"
FORM = re.compile(rf"https?://{HOST}(?::[0-9]{{1,5}})?{PATH}", re.IGNORECASE)

NOT_ALLOWED = (
    (r"^(?!https?://)", "must begin with https://"),
    (r"^[^/]*//[^/?#]*@", "must not hold a user name or password"),
    (r"#", "must not have a fragment (#...)"),
    (r"\?", "must not have a query (?...)"),
    (r"/\.{1,2}(/|$)", "must not have . or .. in its path"),
)


def check_base_url(text: str) -> str:
    """The address without its trailing / and /v1; ConfigError says why it cannot be one."""
    for pattern, reason in NOT_ALLOWED:
        if re.search(pattern, text, re.IGNORECASE):
            raise ConfigError(f"the base URL {reason}")
    if not FORM.fullmatch(text):
        raise ConfigError(f"the base URL {_shown(text)} is not an address like https://host/path")
    if (_parsed(text).port or 0) > HIGHEST_PORT:
        raise ConfigError(f"the base URL has a port above {HIGHEST_PORT}")
    # Every path begins with /v1, so an address that ends with it would say it twice.
    return text.rstrip("/").removesuffix("/v1").rstrip("/")


def check_encrypted(base_url: str) -> None:
    """ConfigError for an address that signed requests would reach in the clear."""
    url = _parsed(base_url)
    if url.scheme != "https" and not is_loopback(url.host):
        reason = "only this machine may be spoken to without encryption"
        raise ConfigError(f"the base URL must begin with https:// for {url.host}: {reason}")


def _parsed(text: str) -> httpx.URL:
    try:
        return httpx.URL(text)
    except httpx.InvalidURL as error:
        raise ConfigError(
            f"the base URL {_shown(text)} cannot be read: {plain(str(error))}"
        ) from None


def _shown(text: str) -> str:
    return repr(plain(text, 80))
