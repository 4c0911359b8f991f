"""Canonical requests with one rare mistake each, as texts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from .canonical import EMPTY_HASH
from .corrections import Mistake, known
from .mistakes import Recipe

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
        yield (
            _mistake(f"the lines are separated by {name} instead of newlines"),
            _whole(right, joint),
        )
    for joint in (" \n", "\n "):
        yield _mistake("lines have a space at their end or beginning"), _whole(right, joint)
    text, names, ending = _whole(right), right.names, known("wrong-line-ending")
    yield ending, _whole(right, "\n\n")
    yield ending, f"\n{text}"
    yield ending, f"{text}\n\n"
    yield ending, _whole(right, names=["", names])
    yield ending, _whole(right, hash=["", right.content_hash])
    yield ending, _whole(right, names=["", names, ""])
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
    mistake, query = known("query-decoded"), right.query or ""
    for path in dict.fromkeys(_spellings(right.path)):
        for each in dict.fromkeys(_spellings(query)):
            yield mistake, _whole(right, path=path, query=[each] if query else [])


def _spellings(text: str) -> tuple[str, ...]:
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
        mistake = known("host-differs")
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
    yield known("body-changed"), _whole(right, headers=lines, hash=EMPTY_HASH)
