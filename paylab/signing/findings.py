"""The headers of another program, and the result of checking them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple
from urllib.parse import urlsplit

from ..errors.base import ConfigError
from ..errors.text import printable, printable_lines
from ..light_dataclass import light_dataclass

# Format of curl -v and most logs: the arrow is the direction of the header.
HEADER_LINE = re.compile(
    r"\s*(?P<arrow>[<>*]?)\s*(?:-H\s+)?['\"]?(?P<name>[A-Za-z][A-Za-z0-9-]*)\s*:"
    r"\s?(?P<value>.*?)['\"]?\s*\\?\s*"
)
LENIENT_FORM = re.compile(
    r"\s*HMAC-SHA256\s+Credential=([^,\s]+)\s*,\s*SignedHeaders=([^,\s]+)\s*,\s*Signature=(\S+)\s*",
    re.IGNORECASE,
)


@light_dataclass(frozen=True)
class SignedRequest:
    """A request as sent: method, full URL and body."""

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
        """The valid forms of Host: without the default port, and as in the URL."""
        return list_valid_hosts(self.url)


def list_valid_hosts(url: str) -> tuple[str, ...]:
    """List the valid forms of the Host of a URL: as it is sent, and with the port of the URL."""
    url_parts = urlsplit(url)
    url_host = url_parts.netloc.rpartition("@")[2]
    # Clients leave out the port that the scheme has by default.
    default_port = {"https": ":443", "http": ":80"}.get(url_parts.scheme, ":")
    sent_host = url_host.removesuffix(default_port)
    if sent_host == url_host:
        return (url_host,)
    return (sent_host, url_host)


def check_url(url: str) -> None:
    """ConfigError unless it is a full URL or a path under the base URL."""
    is_path = url.startswith("/") and not url.startswith("//")
    if is_path or _is_full_url(url):
        return
    raise ConfigError(f"{url!r} is not a URL to sign: write https://host/v1/... or /v1/...")


def _is_full_url(url: str) -> bool:
    """Whether it is an http or https URL with a host."""
    try:
        url_parts = urlsplit(url)
        return bool(url_parts.hostname) and url_parts.scheme in ("http", "https")
    except ValueError:
        return False


def read_headers(header_text: str) -> dict[str, str]:
    """The headers of a request by lower-case name, from `Name: value` lines or from curl -v.

    In the output of curl -v, lines with * are curl's own messages and are skipped. Of the response
    headers, whose lines have <, only Date is read: it is the service's clock.
    """
    headers: dict[str, str] = {}
    for header_line in header_text.splitlines():
        header_match = HEADER_LINE.fullmatch(header_line)
        if header_match is None:
            continue
        arrow = header_match["arrow"]
        header_name = header_match["name"].lower()
        header_value = header_match["value"]
        if arrow == "<" and header_name == "date":
            headers["date"] = header_value
        elif arrow not in ("<", "*"):
            headers.setdefault(header_name, header_value)
    return headers


def read_any_headers(theirs: Mapping[str, str] | str) -> dict[str, str]:
    """The headers by lower-case name, read from text or from a mapping."""
    if isinstance(theirs, str):
        return read_headers(theirs)
    return {
        header_name.lower(): str(header_value).strip()
        for header_name, header_value in theirs.items()
    }


STRICT_FORM = re.compile(
    r"HMAC-SHA256 Credential=([^,]+), ?"
    r"SignedHeaders=([^,;\s]+(?:;[^,;\s]+)*), ?"
    r"Signature=(\S+)"
)


class Authorization(NamedTuple):
    """The three parts of the Authorization header."""

    credential: str
    names: tuple[str, ...]
    signature: str

    @classmethod
    def parse(
        cls, header_text: str, pattern: re.Pattern[str] = STRICT_FORM
    ) -> Authorization | None:
        """Read the header. None if it does not match the pattern, by default that of the spec."""
        header_match = pattern.fullmatch(header_text)
        if header_match is None:
            return None
        header_names = tuple(header_match[2].split(";"))
        return cls(credential=header_match[1], names=header_names, signature=header_match[3])


@light_dataclass(frozen=True)
class Finding:
    """The result of checking a signature; without a difference `match` is true.

    `reason` is the fixed word of a 401 body, `mistake` the id of a known mistake. `theirs` and
    `ours` are the differing line of both sides, if there is one to show.
    """

    match: bool
    layer: str | None = None
    line: str | None = None
    mistake: str | None = None
    message: str = "the signature is the one the spec gives"
    theirs: str | None = None
    ours: str | None = None
    reason: str | None = None

    def json(self) -> dict[str, object]:
        """The result as JSON for programs.

        >>> paylab.signing.compare(headers, request, "wrong").json()["match"]
        False
        """
        return {
            field_name: getattr(self, field_name)
            for field_name in ("match", "layer", "line", "mistake")
        }

    def __repr__(self) -> str:
        if self.match:
            return printable_lines(f"match: {self.message}")
        is_named = self.mistake not in (None, "unknown")
        repr_lines = [
            f"{self.mistake}: {self.message}" if is_named else self.message,
            f"  layer   {self.layer}",
            f"  line    {self.line}",
        ]
        if self.theirs is not None:
            repr_lines.append(f"  theirs  {self.theirs or '(an empty line)'}")
        if self.ours is not None:
            repr_lines.append(f"  ours    {self.ours or '(an empty line)'}")
        return "\n".join(map(printable, repr_lines))
