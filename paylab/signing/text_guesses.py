"""Canonical requests with one rare mistake each."""

from __future__ import annotations

import re
from collections.abc import Iterator

from .canonical import EMPTY_HASH
from .corrections import Mistake, known
from .mistakes import Guess, SignatureInputs


def texts(right: SignatureInputs) -> Iterator[Guess]:
    """Recipes of which one line, or what joins the lines, is not that of the spec."""
    for make in (_joined, _parts_left_out, _escapes, _targets, _header_lines, _names, _last):
        yield from make(right)


def _mistake(text: str) -> Mistake:
    return Mistake("unknown", f"in the canonical request that was signed, {text}")


def _joined(right: SignatureInputs) -> Iterator[Guess]:
    for joint, name in ((" ", "spaces"), ("", "nothing"), ("|", "|"), (",", ","), (";", ";")):
        mistake = _mistake(f"the lines are separated by {name} instead of newlines")
        yield mistake, right._replace(join_canonical=joint.join)
    mistake = _mistake("lines have a space at their end or beginning")
    for joint in (" \n", "\n "):
        yield mistake, right._replace(join_canonical=joint.join)
    ending = known("wrong-line-ending")
    names = right.names
    last = right.content_hash
    yield ending, right._replace(join_canonical="\n\n".join)
    yield ending, right._replace(method=f"\n{right.method}")
    yield ending, right._replace(content_hash=f"{last}\n\n")
    yield ending, right._replace(content_hash=f"\n{last}")
    yield ending, right._replace(names=f"\n{names}\n")
    yield _mistake("a byte order mark comes first"), right._replace(method=f"\ufeff{right.method}")


def _parts_left_out(right: SignatureInputs) -> Iterator[Guess]:
    parts = {"method": "method", "path": "path", "names": "names", "content_hash": "hash"}
    absent = "there is no line for the {}"
    blank = "the line for the {} is blank"
    for part, name in parts.items():
        for words, line in ((absent, None), (blank, "")):
            yield _mistake(words.format(name)), right._replace(**{part: line})  # type: ignore[arg-type] # any field
    yield _mistake(absent.format("headers")), right._replace(headers=())
    yield _mistake(blank.format("headers")), right._replace(headers=(("", ""),), line="")
    swapped = right._replace(names=right.content_hash, content_hash=right.names)
    yield _mistake("the hash comes before the names"), swapped


def _targets(right: SignatureInputs) -> Iterator[Guess]:
    """Mistakes in path and query."""
    path = right.path
    query = right.query
    host = dict(right.headers).get("host", "")
    paths = (
        *(f"https://{host}{path}", f"http://{host}{path}", f"{host}{path}", path.lstrip("/")),
        *(f"/{path}", path.upper(), path.lower(), path.replace("//", "/")),
    )
    for other_text in dict.fromkeys(paths):
        mistake = _mistake(f"the path is {other_text!r}; it must be {path!r}")
        yield mistake, right._replace(path=other_text)
        if query is not None:
            yield mistake, right._replace(path=other_text, query=None)
            yield mistake, right._replace(path=f"{other_text}?{query}", query=None)
    if query is None:
        return
    items = query.split("&")
    fewer = ["&".join(items[:at] + items[at + 1 :]) for at in range(len(items))]
    names = "&".join(item.partition("=")[0] for item in items)
    mistake = _mistake("the query is not the one sent: it has more, fewer or other parameters")
    for other_text in (
        f"{query}&",
        query.lower(),
        query.upper(),
        query.replace("&", ";"),
        *fewer,
        names,
    ):
        yield mistake, right._replace(query=other_text)


def _escapes(right: SignatureInputs) -> Iterator[Guess]:
    """Percent-escapes in the other case, or added or removed."""
    mistake = known("query-decoded")
    queries = [right.query]
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


def _header_lines(right: SignatureInputs) -> Iterator[Guess]:
    pairs = right.headers
    for form in ("{0}: {1}", "{0} :{1}", "{0} : {1}", "{0}={1}", "{1}", "{0}:{1} ", '{0}:"{1}"'):
        example = form.format("name", "value")
        mistake = _mistake(f"header lines have the form {example!r}: name:value")
        yield mistake, right._replace(line=form)
    for case in (str.lower, str.upper):
        changed = tuple((name, case(value)) for name, value in pairs)
        yield _mistake("the values of headers are in another case"), right._replace(headers=changed)
    for at, (name, value) in enumerate(pairs):
        with_repeat = (*pairs[: at + 1], *pairs[at:])
        yield _mistake(f"the line of {name} stands twice"), right._replace(headers=with_repeat)
        words = f"{name} has another value than the one sent: make it once, and send it"
        mistake = known("host-differs") if name == "host" else _mistake(words)
        for other_value in (
            "",
            value.lower(),
            value.upper(),
            f" {value}",
            f"{value} ",
            value[:13],
            value[:10],
        ):
            yield mistake, right.with_header(name, other_value)
    for joint in (",", ";", ""):
        line = joint.join(f"{name}:{value}" for name, value in pairs)
        one_line = right._replace(headers=((line, ""),), line="{}")
        yield _mistake("all headers stand in one line"), one_line


def _names(right: SignatureInputs) -> Iterator[Guess]:
    names = right.names
    other_separators = (names.replace(";", separator) for separator in (",", ", ", "; ", " ", ":"))
    for names_text in (*other_separators, f"{names};", f"SignedHeaders={names}", f";{names}"):
        mistake = _mistake(f"the line of names is {names_text!r}; it must be {names!r}")
        yield mistake, right._replace(names=names_text)


def _last(right: SignatureInputs) -> Iterator[Guess]:
    for last_line in ("UNSIGNED-PAYLOAD", "null", "{}"):
        mistake = _mistake(f"the last line is {last_line}; it must be X-Content-SHA256 as sent")
        yield mistake, right._replace(content_hash=last_line)
    empty = right.with_header("x-content-sha256", EMPTY_HASH)
    yield known("body-changed"), empty._replace(content_hash=EMPTY_HASH)
