"""The base URL of a service: which ones are valid, and whether it is a sandbox or a proxy."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from ..errors.base import ConfigError
from ..loopback import is_loopback
from ..spec.text import plain

if TYPE_CHECKING:
    from httpx import URL

EMBEDDED = "http://localhost"
"""The base URL of an embedded simulator, which listens on no port."""

PORT_MAX = 65_535
# A list of allowed forms, so that two parsers cannot read an address differently.
HOST = r"(?:[A-Za-z0-9][A-Za-z0-9.-]*|\[[0-9A-Fa-f:.]+\])"
PATH = r"(?:/[A-Za-z0-9._~%!$&'()*+,;=:-]*)*"
FORM = re.compile(rf"https?://{HOST}(?::[0-9]{{1,5}})?{PATH}", re.IGNORECASE)

NOT_ALLOWED = (
    (r"^(?!https?://)", "must begin with https://, like https://sandbox.example.com"),
    (r"^[^/]*//[^/?#]*@", "must not contain a user name or password"),
    (r"#", "must not have a fragment (#...)"),
    (r"\?", "must not have a query (?...)"),
    (r"/\.{1,2}(/|$)", "must not have . or .. in its path"),
)


def check_base_url(text: str) -> str:
    """The address without a trailing / and /v1; ConfigError if it is not valid."""
    if text == EMBEDDED:
        return text  # httpx, which reads the others, takes long to import
    for pattern, reason in NOT_ALLOWED:
        if re.search(pattern, text, re.IGNORECASE):
            raise ConfigError(f"the base URL {reason}")
    if not FORM.fullmatch(text):
        quoted_text = repr(plain(text, 80))
        raise ConfigError(f"the base URL {quoted_text} is not an address like https://host/path")
    # Read twice: the text of the first URL is normalised (lower case, no default port).
    url = _parse_url(str(_parse_url(text)))
    if (url.port or 0) > PORT_MAX:
        raise ConfigError(f"the base URL has a port above {PORT_MAX}")
    address_text = f"{url.scheme}://{url.netloc.decode()}{url.raw_path.decode()}"
    # Every path begins with /v1, so it is removed from the address.
    return address_text.rstrip("/").removesuffix("/v1").rstrip("/")


def check_encrypted(base_url: str) -> None:
    """ConfigError for an address without encryption, except on this machine."""
    url = _parse_url(base_url)
    if url.scheme != "https" and not is_loopback(url.host):
        reason = "only requests to this machine may be unencrypted"
        raise ConfigError(f"the base URL must begin with https:// for {url.host}: {reason}")


def _parse_url(url_text: str) -> URL:
    """A base URL; ConfigError, which quotes it, if it cannot be read."""
    from httpx import URL, InvalidURL

    try:
        url = URL(url_text)
        _ = url.host  # fails here for a label that IDNA does not allow
        url.raw_host.decode().encode("idna")  # and here, as in a socket, for its length
        return url
    except (InvalidURL, UnicodeError) as error:
        quoted_url = repr(plain(url_text, 80))
        raise ConfigError(
            f"the base URL {quoted_url} cannot be read: {plain(str(error))}"
        ) from None


NOT_SANDBOX = frozenset({"live", "no", "non", "not", "off", "prd", "prod", "production"})
"""Words of a host that contradict `sandbox`."""
COUNTRY_SUFFIX = re.compile(r"(?:ac|co|com|edu|gob|gov|mil|ne|net|nom|or|org)\.[a-z]{2}")


def is_sandbox_host(base_url: str) -> bool:
    """Whether the name of the host says that it is a sandbox.

    The word `sandbox` counts only before the registered domain: the domain is a company's name.

    >>> is_sandbox_host("https://api.sandbox.example.com"), is_sandbox_host("https://sandbox.co.in")
    (True, False)
    """
    host_name = (urlsplit(base_url).hostname or "").rstrip(".")
    host_labels = host_name.split(".")
    country_suffix_match = COUNTRY_SUFFIX.fullmatch(".".join(host_labels[-2:]))
    suffix_length = 2 if country_suffix_match else 1
    labels_to_company = host_labels[:-suffix_length]
    # The last of these labels is the company's; those in Punycode hold no readable words.
    readable_labels = [label for label in labels_to_company[:-1] if not label.startswith("xn--")]
    label_words = "-".join(readable_labels).split("-")
    return "sandbox" in label_words and NOT_SANDBOX.isdisjoint([*label_words, *labels_to_company])


PORTS = {"http": 80, "https": 443}


def address(base_url: str) -> str:
    """The address of a service: scheme, host, port and base path.

    >>> address("https://API.example.com:443/sandbox/")
    'https://api.example.com:443/sandbox'
    """
    url_parts = urlsplit(base_url)
    scheme = url_parts.scheme.lower()
    port = url_parts.port or PORTS.get(scheme)
    return f"{scheme}://{url_parts.hostname}:{port}{url_parts.path.rstrip('/')}"


PROXY_PRODUCT = "paylab-proxy"
"""The name of `paylab proxy` in the headers Server and Via. RFC 9110, section 7.6.3."""

_VIA_ENTRY = re.compile(rf"(?:^|,\s*)1\.1 {PROXY_PRODUCT} \(([^()\s]+)\)$")


def add_via(headers: Mapping[str, str], host: str) -> dict[str, str]:
    """The headers of an answer with the host of the service that the proxy asked.

    >>> add_via({"via": "1.1 cache"}, "sandbox.example.com")
    {'via': '1.1 cache, 1.1 paylab-proxy (sandbox.example.com)'}
    """
    earlier_via = headers.get("via")
    via_entry = f"1.1 {PROXY_PRODUCT} ({host})"
    return {**headers, "via": f"{earlier_via}, {via_entry}" if earlier_via else via_entry}


def read_proxied_host(headers: Mapping[str, str]) -> str:
    """The host of the service behind a proxy of paylab. Empty if no such proxy answered.

    >>> read_proxied_host({"via": "1.1 cache, 1.1 paylab-proxy (sandbox.example.com)"})
    'sandbox.example.com'
    """
    entry_match = _VIA_ENTRY.search(headers.get("via", ""))
    return entry_match[1] if entry_match else ""
