"""The headers of another program, and the result of checking them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from urllib.parse import urlsplit

from ..errors.base import ConfigError
from ..errors.text import printable, printable_lines
from ..light_dataclass import light_dataclass

# Format of curl -v and most logs: the arrow is the direction of the header.
_LINE = re.compile(
    r"\s*([<>*]?)\s*(?:-H\s+)?['\"]?([A-Za-z][A-Za-z0-9-]*)\s*:\s?(.*?)['\"]?\s*\\?\s*"
)
LENIENT = re.compile(
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
        return hosts_of(self.url)


def hosts_of(url: str) -> tuple[str, ...]:
    """The valid forms of the Host of a URL: as it is sent, and with the port of the URL."""
    parts = urlsplit(url)
    host = parts.netloc.rpartition("@")[2]
    default = {"https": ":443", "http": ":80"}
    return tuple(dict.fromkeys((host.removesuffix(default.get(parts.scheme, ":")), host)))


def check_url(url: str) -> None:
    """ConfigError unless it is a full URL or a path under the base URL."""
    try:
        parts = urlsplit(url)
        is_whole = bool(parts.hostname) and parts.scheme in ("http", "https")
    except ValueError:
        is_whole = False
    if not is_whole and (not url.startswith("/") or url.startswith("//")):
        raise ConfigError(f"{url!r} is not a URL to sign: write https://host/v1/... or /v1/...")


def read_headers(text: str) -> dict[str, str]:
    """The headers of a request by lower-case name, from `Name: value` lines or from curl -v.

    Of response headers (marked with <) only Date is read, as the service's clock.
    """
    headers: dict[str, str] = {}
    for match in filter(None, map(_LINE.fullmatch, text.splitlines())):
        arrow = match[1]
        name = match[2].lower()
        value = match[3]
        if arrow == "<" and name == "date":
            headers["date"] = value
        elif arrow not in ("<", "*"):
            headers.setdefault(name, value)
    return headers


def headers_of(theirs: Mapping[str, str] | str) -> dict[str, str]:
    """Headers by lower-case name, given as text or as a mapping."""
    if isinstance(theirs, str):
        return read_headers(theirs)
    return {name.lower(): str(value).strip() for name, value in theirs.items()}


STRICT = re.compile(
    r"HMAC-SHA256 Credential=([^,]+), ?"
    r"SignedHeaders=([^,;\s]+(?:;[^,;\s]+)*), ?"
    r"Signature=(\S+)"
)


@light_dataclass(frozen=True)
class Authorization:
    """The three parts of the Authorization header."""

    credential: str
    names: tuple[str, ...]
    signature: str

    @classmethod
    def parse(cls, text: str, form: re.Pattern[str] = STRICT) -> Authorization | None:
        """Read the header; None when it does not have the form, by default that of the spec."""
        match = form.fullmatch(text)
        return match and cls(match[1], tuple(match[2].split(";")), match[3])


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
        return {name: getattr(self, name) for name in ("match", "layer", "line", "mistake")}

    def __repr__(self) -> str:
        if self.match:
            return printable_lines(f"match: {self.message}")
        rows = [f"{self.mistake}: {self.message}"]
        rows += [f"  layer   {self.layer}", f"  line    {self.line}"]
        rows += [f"  theirs  {self.theirs}"] if self.theirs is not None else []
        rows += [f"  ours    {self.ours}"] if self.ours is not None else []
        return "\n".join(map(printable, rows))
