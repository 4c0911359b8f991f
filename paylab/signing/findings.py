"""The headers of another program, and the result of checking them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from ..errors import ConfigError
from .canonical import EMPTY_HASH
from .mistakes import Mistake, Recipe

DEFAULT_PORTS = {"https": ":443", "http": ":80"}

# Format of curl -v and most logs: the arrow is the direction of the header.
_LINE = re.compile(
    r"\s*([<>*]?)\s*(?:-H\s+)?['\"]?([A-Za-z][A-Za-z0-9-]*)\s*:\s?(.*?)['\"]?\s*\\?\s*"
)
_FORM = re.compile(
    r"\s*HMAC-SHA256\s+Credential=([^,\s]+)\s*,\s*SignedHeaders=([^,\s]+)\s*,\s*Signature=(\S+)\s*",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
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
        """The valid forms of Host: as in the URL, and without the default port."""
        parts = urlsplit(self.url)
        host = parts.netloc.rpartition("@")[2]
        return tuple(dict.fromkeys((host.removesuffix(DEFAULT_PORTS.get(parts.scheme, ":")), host)))


def check_url(url: str) -> None:
    """ConfigError unless it is a full URL or a path under the base URL."""
    try:
        parts = urlsplit(url)
        whole = bool(parts.hostname) and parts.scheme in ("http", "https")
    except ValueError:
        parts, whole = urlsplit(""), False
    if not whole and (parts.netloc or not parts.path.startswith("/")):
        raise ConfigError(f"{url!r} is not a URL to sign: write https://host/v1/... or /v1/...")


def read_headers(text: str) -> dict[str, str]:
    """The headers of a request by lower-case name, from `Name: value` lines or from curl -v.

    Of response headers (marked with <) only Date is read, as the service's clock.
    """
    found: dict[str, str] = {}
    for match in filter(None, map(_LINE.fullmatch, text.splitlines())):
        arrow, name, value = match[1], match[2].lower(), match[3]
        if arrow == "<" and name == "date":
            found["date"] = value
        elif arrow not in ("<", "*"):
            found.setdefault(name, value)
    return found


def headers_of(theirs: Mapping[str, str] | str) -> dict[str, str]:
    """Headers by lower-case name, given as text or as a mapping."""
    if isinstance(theirs, str):
        return read_headers(theirs)
    return {name.lower(): str(value).strip() for name, value in theirs.items()}


_STRICT = re.compile(
    r"HMAC-SHA256 Credential=([^,]+), ?"
    r"SignedHeaders=([^,;\s]+(?:;[^,;\s]+)*), ?"
    r"Signature=(\S+)"
)


@dataclass(frozen=True, slots=True)
class Authorization:
    """The three parts of the Authorization header."""

    credential: str
    names: tuple[str, ...]
    signature: str

    @classmethod
    def parse(cls, text: str) -> Authorization | None:
        """Read the header; None when it does not have the form of the spec.

        >>> paylab.signing.Authorization.parse(headers["authorization"]).credential
        'key'
        """
        match = _STRICT.fullmatch(text)
        return match and cls(match[1], tuple(match[2].split(";")), match[3])


def authorization_of(headers: Mapping[str, str]) -> Authorization | None:
    """The three parts of the Authorization header, read more leniently than by `verify`."""
    match = _FORM.fullmatch(headers.get("authorization", ""))
    return match and Authorization(match[1], tuple(match[2].split(";")), match[3])


@dataclass(frozen=True, slots=True)
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
            return f"match: {self.message}"
        rows = [f"{self.mistake}: {self.message}"]
        rows += [f"  layer   {self.layer}", f"  line    {self.line}"]
        rows += [f"  theirs  {self.theirs}"] if self.theirs is not None else []
        return "\n".join([*rows, *([f"  ours    {self.ours}"] if self.ours is not None else [])])


_ENDING = Mistake(
    "wrong-line-ending", "join lines with one newline: no blank line, none at the end"
)

Guess = tuple[Mistake, str]


def texts(right: Recipe) -> Iterator[Guess]:
    """Canonical requests with one mistake each."""
    for make in (_joined, _parts_left_out, _escapes, _targets, _header_lines, _names, _last):
        yield from make(right)


def _whole(right: Recipe, joint: str = "\n", /, **parts: Any) -> str:
    """The canonical request with some parts replaced; a part is a line or a list of lines."""
    usual: dict[str, Any] = {
        "method": right.method,
        "path": right.path,
        "query": [] if right.query is None else [right.query],
        "headers": [f"{name}:{value}" for name, value in right.headers],
        "names": right.names,
        "hash": right.content_hash,
    }
    lines: list[str] = []
    for part in (usual | parts).values():
        lines += part if isinstance(part, list) else [str(part)]
    return joint.join(lines)


def _mistake(text: str) -> Mistake:
    return Mistake("unknown", f"in the canonical request that was signed, {text}")


def _joined(right: Recipe) -> Iterator[Guess]:
    for joint, name in ((" ", "spaces"), ("", "nothing"), ("|", "|"), (",", ","), (";", ";")):
        yield _mistake(f"{name} stands between the lines instead of newlines"), _whole(right, joint)
    for joint in (" \n", "\n "):
        yield _mistake("lines have a space at their end or beginning"), _whole(right, joint)
    text, names = _whole(right), right.names
    yield _ENDING, _whole(right, "\n\n")
    yield _ENDING, f"\n{text}"
    yield _ENDING, f"{text}\n\n"
    yield _ENDING, _whole(right, names=["", names])
    yield _ENDING, _whole(right, hash=["", right.content_hash])
    yield _ENDING, _whole(right, names=["", names, ""])
    yield _mistake("a byte order mark comes first"), f"\ufeff{text}"


def _parts_left_out(right: Recipe) -> Iterator[Guess]:
    for part in ("method", "path", "headers", "names", "hash"):
        yield _mistake(f"there is no line for the {part}"), _whole(right, **{part: []})
        yield _mistake(f"the line for the {part} is blank"), _whole(right, **{part: ""})
    swapped = _whole(right, names=right.content_hash, hash=right.names)
    yield _mistake("the hash comes before the names"), swapped


def _targets(right: Recipe) -> Iterator[Guess]:
    """Mistakes in path and query."""
    path, query = right.path, right.query
    host = dict(right.headers).get("host", "")
    paths = (
        *(f"https://{host}{path}", f"http://{host}{path}", f"{host}{path}", path.lstrip("/")),
        *(f"/{path}", path.upper(), path.lower(), path.replace("//", "/")),
    )
    for other in dict.fromkeys(paths):
        mistake = _mistake(f"the path is {other!r}; it must be {path!r}")
        yield mistake, _whole(right, path=other)
        if query is not None:
            yield mistake, _whole(right, path=other, query=[])
            yield mistake, _whole(right, path=f"{other}?{query}", query=[])
    if query is None:
        return
    items = query.split("&")
    fewer = ["&".join(items[:at] + items[at + 1 :]) for at in range(len(items))]
    others = (f"{query}&", query.lower(), query.upper(), query.replace("&", ";"), *fewer)
    names = "&".join(item.partition("=")[0] for item in items)
    for other in dict.fromkeys((*others, names)):
        mistake = _mistake("the query is not the one sent: it has more, fewer or other parameters")
        yield mistake, _whole(right, query=other)


def _escapes(right: Recipe) -> Iterator[Guess]:
    """Percent-escapes in the other case, or added or removed."""
    message = "sign path and query as sent, each percent-escape as it is spelled"
    mistake, query = Mistake("query-decoded", message), right.query or ""
    for path in dict.fromkeys(_spelled(right.path)):
        for each in dict.fromkeys(_spelled(query)):
            yield mistake, _whole(right, path=path, query=[each] if query else [])


def _spelled(text: str) -> tuple[str, ...]:
    plain = text.replace("%", "%25")
    whole = [
        re.sub(sign, lambda match: f"%{ord(match[0]):02X}", text)
        for sign in ("/", "[/=&]", "[/=&%]")
    ]
    lower = re.sub("%[0-9A-Fa-f]{2}", lambda match: match[0].lower(), text)
    upper = re.sub("%[0-9A-Fa-f]{2}", lambda match: match[0].upper(), text)
    return (text, lower, upper, plain, *whole)


def _header_lines(right: Recipe) -> Iterator[Guess]:
    pairs = right.headers
    for form in ("{0}: {1}", "{0} :{1}", "{0} : {1}", "{0}={1}", "{1}", "{0}:{1} ", '{0}:"{1}"'):
        lines = [form.format(*pair) for pair in pairs]
        mistake = _mistake(
            f"header lines have the form {form.format('name', 'value')!r}: name:value"
        )
        yield mistake, _whole(right, headers=lines)
    for case in (str.lower, str.upper):
        lines = [f"{name}:{case(value)}" for name, value in pairs]
        yield _mistake("the values of headers are in another case"), _whole(right, headers=lines)
    for at, (name, value) in enumerate(pairs):
        yield from _one_line(right, at, name, value)
    for joint in (",", ";", ""):
        lines = [joint.join(f"{name}:{value}" for name, value in pairs)]
        yield _mistake("all headers stand in one line"), _whole(right, headers=lines)


def _one_line(right: Recipe, at: int, name: str, value: str) -> Iterator[Guess]:
    """A header signed with another value than sent."""
    lines = [f"{each}:{text}" for each, text in right.headers]
    before, after = lines[:at], lines[at + 1 :]
    twice = _whole(right, headers=[*before, lines[at], lines[at], *after])
    yield _mistake(f"the line of {name} stands twice"), twice
    mistake = _mistake(f"{name} has another value than the one sent: make it once, and send it")
    if name == "host":
        mistake = Mistake("host-differs", "sign the Host header as sent")
    others = ("", value.lower(), value.upper(), f" {value}", f"{value} ", value[:13], value[:10])
    for other in dict.fromkeys(others):
        yield mistake, _whole(right, headers=[*before, f"{name}:{other}", *after])


def _names(right: Recipe) -> Iterator[Guess]:
    names = right.names
    others = (names.replace(";", each) for each in (",", ", ", "; ", " ", ":"))
    for other in (*others, f"{names};", f"SignedHeaders={names}", f";{names}"):
        mistake = _mistake(f"the line of names is {other!r}; it must be {names!r}")
        yield mistake, _whole(right, names=other)


def _last(right: Recipe) -> Iterator[Guess]:
    for other in ("UNSIGNED-PAYLOAD", "null", "{}"):
        mistake = _mistake(f"the last line is {other}; it must be X-Content-SHA256 as sent")
        yield mistake, _whole(right, hash=other)
    body = f"x-content-sha256:{EMPTY_HASH}"
    lines = [
        body if name == "x-content-sha256" else f"{name}:{value}" for name, value in right.headers
    ]
    changed = Mistake("body-changed", "sign X-Content-SHA256 as sent, in its line and at the end")
    yield changed, _whole(right, headers=lines, hash=EMPTY_HASH)
