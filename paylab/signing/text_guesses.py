"""Canonical requests with one rare mistake each."""

from __future__ import annotations

import re
from collections.abc import Iterator

from .canonical import EMPTY_HASH
from .corrections import Mistake, known
from .mistakes import Guess, Recipe


def texts(right: Recipe) -> Iterator[Guess]:
    """Recipes of which one line, or what joins the lines, is not that of the spec."""
    for make in (_joined, _parts_left_out, _escapes, _targets, _header_lines, _names, _last):
        yield from make(right)


def _mistake(text: str) -> Mistake:
    return Mistake("unknown", f"in the canonical request that was signed, {text}")


def _joined(right: Recipe) -> Iterator[Guess]:
    for joint, name in ((" ", "spaces"), ("", "nothing"), ("|", "|"), (",", ","), (";", ";")):
        mistake = _mistake(f"the lines are separated by {name} instead of newlines")
        yield mistake, right._replace(join_canonical=joint.join)
    mistake = _mistake("lines have a space at their end or beginning")
    for joint in (" \n", "\n "):
        yield mistake, right._replace(join_canonical=joint.join)
    ending, names, last = known("wrong-line-ending"), right.names, right.content_hash
    yield ending, right._replace(join_canonical="\n\n".join)
    yield ending, right._replace(method=f"\n{right.method}")
    yield ending, right._replace(content_hash=f"{last}\n\n")
    yield ending, right._replace(content_hash=f"\n{last}")
    yield ending, right._replace(names=f"\n{names}\n")
    yield _mistake("a byte order mark comes first"), right._replace(method=f"\ufeff{right.method}")


def _parts_left_out(right: Recipe) -> Iterator[Guess]:
    parts = {"method": "method", "path": "path", "names": "names", "content_hash": "hash"}
    absent, blank = "there is no line for the {}", "the line for the {} is blank"
    for part, name in parts.items():
        for words, line in ((absent, None), (blank, "")):
            yield _mistake(words.format(name)), right._replace(**{part: line})  # type: ignore[arg-type] # any field
    yield _mistake(absent.format("headers")), right._replace(headers=())
    yield _mistake(blank.format("headers")), right._replace(headers=(("", ""),), line="")
    swapped = right._replace(names=right.content_hash, content_hash=right.names)
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
        yield mistake, right._replace(path=other)
        if query is not None:
            yield mistake, right._replace(path=other, query=None)
            yield mistake, right._replace(path=f"{other}?{query}", query=None)
    if query is None:
        return
    items = query.split("&")
    fewer = ["&".join(items[:at] + items[at + 1 :]) for at in range(len(items))]
    names = "&".join(item.partition("=")[0] for item in items)
    mistake = _mistake("the query is not the one sent: it has more, fewer or other parameters")
    for other in (
        f"{query}&",
        query.lower(),
        query.upper(),
        query.replace("&", ";"),
        *fewer,
        names,
    ):
        yield mistake, right._replace(query=other)


def _escapes(right: Recipe) -> Iterator[Guess]:
    """Percent-escapes in the other case, or added or removed."""
    mistake, queries = known("query-decoded"), [right.query]
    if right.query:
        queries = [*dict.fromkeys(_spellings(right.query))]
    for path in dict.fromkeys(_spellings(right.path)):
        for query in queries:
            yield mistake, right._replace(path=path, query=query)


def _spellings(text: str) -> Iterator[str]:
    yield text
    yield re.sub("%[0-9A-Fa-f]{2}", lambda match: match[0].lower(), text)
    yield re.sub("%[0-9A-Fa-f]{2}", lambda match: match[0].upper(), text)
    yield text.replace("%", "%25")
    for signs in ("/", "[/=&]", "[/=&%]"):
        yield re.sub(signs, lambda match: f"%{ord(match[0]):02X}", text)


def _header_lines(right: Recipe) -> Iterator[Guess]:
    pairs = right.headers
    for form in ("{0}: {1}", "{0} :{1}", "{0} : {1}", "{0}={1}", "{1}", "{0}:{1} ", '{0}:"{1}"'):
        shown = form.format("name", "value")
        mistake = _mistake(f"header lines have the form {shown!r}: name:value")
        yield mistake, right._replace(line=form)
    for case in (str.lower, str.upper):
        changed = tuple((name, case(value)) for name, value in pairs)
        yield _mistake("the values of headers are in another case"), right._replace(headers=changed)
    for at, (name, value) in enumerate(pairs):
        twice = (*pairs[: at + 1], *pairs[at:])
        yield _mistake(f"the line of {name} stands twice"), right._replace(headers=twice)
        words = f"{name} has another value than the one sent: make it once, and send it"
        mistake = known("host-differs") if name == "host" else _mistake(words)
        for other in (
            "",
            value.lower(),
            value.upper(),
            f" {value}",
            f"{value} ",
            value[:13],
            value[:10],
        ):
            yield mistake, right.with_header(name, other)
    for joint in (",", ";", ""):
        line = joint.join(f"{name}:{value}" for name, value in pairs)
        whole = right._replace(headers=((line, ""),), line="{}")
        yield _mistake("all headers stand in one line"), whole


def _names(right: Recipe) -> Iterator[Guess]:
    names = right.names
    others = (names.replace(";", each) for each in (",", ", ", "; ", " ", ":"))
    for other in (*others, f"{names};", f"SignedHeaders={names}", f";{names}"):
        mistake = _mistake(f"the line of names is {other!r}; it must be {names!r}")
        yield mistake, right._replace(names=other)


def _last(right: Recipe) -> Iterator[Guess]:
    for other in ("UNSIGNED-PAYLOAD", "null", "{}"):
        mistake = _mistake(f"the last line is {other}; it must be X-Content-SHA256 as sent")
        yield mistake, right._replace(content_hash=other)
    empty = right.with_header("x-content-sha256", EMPTY_HASH)
    yield known("body-changed"), empty._replace(content_hash=EMPTY_HASH)
