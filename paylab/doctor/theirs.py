"""Somebody else's headers, and the request they are said to be for."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

from ..signing import Authorization

DEFAULT_PORTS = {"https": ":443", "http": ":80"}

# As curl -v and most logs write them: the arrow says which way the header went.
_LINE = re.compile(
    r"\s*([<>*]?)\s*(?:-H\s+)?['\"]?([A-Za-z][A-Za-z0-9-]*)\s*:\s?(.*?)['\"]?\s*\\?\s*"
)
_FORM = re.compile(
    r"\s*HMAC-SHA256\s+Credential=([^,\s]+)\s*,\s*SignedHeaders=([^,\s]+)\s*,\s*Signature=(\S+)\s*",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Request:
    """A request as it goes over the wire: its method, whole URL and body."""

    method: str
    url: str
    body: bytes = b""

    @property
    def path(self) -> str:
        """The path as on the request line."""
        return urlsplit(self.url).path or "/"

    @property
    def query(self) -> str:
        """The query as on the request line, without its question mark."""
        return urlsplit(self.url).query

    @property
    def hosts(self) -> tuple[str, ...]:
        """Host as it may be sent: as in the URL, and without the port that goes without saying."""
        parts = urlsplit(self.url)
        host = parts.netloc.rpartition("@")[2]
        return tuple(dict.fromkeys((host.removesuffix(DEFAULT_PORTS.get(parts.scheme, ":")), host)))


def read_headers(text: str) -> dict[str, str]:
    """The headers of a request by lower-case name, from `Name: value` lines or from curl -v.

    Of a response's headers (marked with <) only Date is of interest: it is the service's clock.
    """
    found: dict[str, str] = {}
    for arrow, name, value in _lines(text):
        if arrow == "<":
            found |= {"date": value} if name == "date" else {}
        elif name not in found:
            found[name] = value
    return found


def _lines(text: str) -> Iterator[tuple[str, str, str]]:
    for line in text.splitlines():
        match = _LINE.fullmatch(line)
        if match and match[1] != "*":
            yield match[1], match[2].lower(), match[3]


def headers_of(theirs: Mapping[str, str] | str) -> dict[str, str]:
    """Headers by lower-case name, given as text or as a mapping."""
    if isinstance(theirs, str):
        return read_headers(theirs)
    return {name.lower(): str(value).strip() for name, value in theirs.items()}


def authorization_of(headers: Mapping[str, str]) -> Authorization | None:
    """The three parts of the Authorization header, read more kindly than a verifier does."""
    match = _FORM.fullmatch(headers.get("authorization", ""))
    return match and Authorization(match[1], tuple(match[2].split(";")), match[3])
