"""Find text behind escapes in the decoded text, and replace it in the original.

Escapes are those of JSON, HTML, URLs, and of string and bytes literals in Python. They may be
nested: JSON in a string of JSON, a URL in HTML. The ANSI codes of a coloured text are left out.
"""

from __future__ import annotations

import ast
import re
import warnings
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from html import unescape
from itertools import accumulate, chain
from typing import NamedTuple

KEY_NAME = re.compile(
    r"\w*(?:api|secret|access|private|signing)[_-]?keys?\w*|\w*secret|x-api-key|\w*password",
    re.IGNORECASE,
)
CONNECTING = frozenset({"connect", "Settings", "Client"})
"""Functions whose second and third argument are the two keys."""

# Without the words around a name, whose search would be slow in a long text.
_MARKS = re.compile(
    r"(?:api|secret|access|private|signing)[_-]?key|secret|password|submit_token"
    r"|\b(?:connect|settings|client)\b",
    re.IGNORECASE,
)
_MAGIC = re.compile(r"^([ \t]*)[%!?]", re.MULTILINE)
_FRAME = re.compile(r"[ \t]*(?:-+>)?[ \t]*(?:\d+[ \t]+)?")
"""The prefix of a line of code in a traceback."""

_QUOTES = re.compile(r"[rbfuRBFU]{0,2}(\"\"\"|'''|[\"'])")
LONGEST = 2**18


def key_literals(text: str) -> Iterator[tuple[int, int]]:
    """The places of literals that hold a key, without quotes; parsed whole or by line."""
    if len(text) > LONGEST or not _MARKS.search(text):
        return
    code = _MAGIC.sub(r"\1#", text)
    spans = _parsed(code)
    if spans is not None:
        yield from spans
        return
    at = 0
    for line in code.splitlines(keepends=True):
        if _MARKS.search(line):
            start = at + (_FRAME.match(line) or re.match("", line)).end()  # type: ignore[union-attr]
            found = _parsed(text[start : at + len(line)]) or ()
            yield from ((start + first, start + last) for first, last in found)
        at += len(line)


def _parsed(code: str) -> Sequence[tuple[int, int]] | None:
    """The places of literals that hold a key in code; None when it is not Python."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    parts = re.split(r"(?<=\n)|(?<=\r)(?!\n)", code)  # lines as Python splits them
    lines = [0, *accumulate(len(line.encode("utf-8")) for line in parts)]
    data = code.encode("utf-8")

    def place(line: int, column: int) -> int:
        return len(data[: lines[line - 1] + column].decode("utf-8"))

    spans = []
    nodes = (node for node in ast.walk(tree) if type(node) in KEYS)
    for value in chain.from_iterable(KEYS[type(node)](node) for node in nodes):
        for literal in _literals(value):
            start = place(literal.lineno, literal.col_offset)
            end = place(literal.end_lineno or 0, literal.end_col_offset or 0)
            spans.append(_inside(code, start, end))
    return spans


def _inside(code: str, start: int, end: int) -> tuple[int, int]:
    quotes = _QUOTES.match(code, start, end)
    if quotes is None:
        return start, end
    return quotes.end(), end - len(quotes[1])


def _assigned(node: ast.Assign) -> Iterator[ast.expr]:
    for target in node.targets:
        yield from _paired(target, node.value)


def _paired(target: ast.expr, value: ast.expr) -> Iterator[ast.expr]:
    if isinstance(target, ast.Tuple | ast.List) and isinstance(value, ast.Tuple | ast.List):
        for one, other in zip(target.elts, value.elts, strict=False):
            yield from _paired(one, other)
    elif isinstance(target, ast.Tuple | ast.List):
        yield from [value] if any(map(_is_key, target.elts)) else []
    elif _is_key(target):
        yield value


def _single(node: ast.AnnAssign | ast.AugAssign | ast.NamedExpr) -> Iterator[ast.expr]:
    if node.value is not None and _is_key(node.target):
        yield node.value


def _passed(node: ast.keyword) -> Iterator[ast.expr]:
    if node.arg and KEY_NAME.fullmatch(node.arg):
        yield node.value


def _called(node: ast.Call) -> Iterator[ast.expr]:
    name = getattr(node.func, "attr", None) or getattr(node.func, "id", None)
    if name in CONNECTING:
        yield from node.args[1:3]
    if name == "submit_token":
        yield from node.args[1:2]
        yield from (given.value for given in node.keywords if given.arg == "token")
    if node.args and _is_key(node.args[0]):
        yield from node.args[1:]
    elif len(node.args) > 1 and _is_key(node.args[1]):  # setattr(settings, "secret_key", ...)
        yield from node.args[2:]


def _beside(nodes: Sequence[ast.expr]) -> Iterator[ast.expr]:
    # A call may look up a key by its name, as in `os.getenv("API_KEY") or "..."`.
    calls = (node.args for node in nodes if isinstance(node, ast.Call))
    if any(map(_is_key, (*nodes, *chain.from_iterable(calls)))):
        yield from (node for node in nodes if not _is_key(node))


def _entries(node: ast.Dict) -> Iterator[ast.expr]:
    for name, value in zip(node.keys, node.values, strict=True):
        if name is not None and _is_key(name):
            yield value


def _sequence(node: ast.Tuple | ast.List) -> Iterator[ast.expr]:
    if len(node.elts) == 2 and isinstance(node.elts[0], ast.Constant) and _is_key(node.elts[0]):
        yield node.elts[1]


def _defaults(node: ast.arguments) -> Iterator[ast.expr]:
    named = [*node.posonlyargs, *node.args]
    pairs = [
        *zip(named[len(named) - len(node.defaults) :], node.defaults, strict=True),
        *zip(node.kwonlyargs, node.kw_defaults, strict=True),
    ]
    for argument, default in pairs:
        if default is not None and KEY_NAME.fullmatch(argument.arg):
            yield default


KEYS: dict[type, Callable[..., Iterator[ast.expr]]] = {
    ast.Assign: _assigned,
    ast.AnnAssign: _single,
    ast.AugAssign: _single,
    ast.NamedExpr: _single,
    ast.keyword: _passed,
    ast.Call: _called,
    ast.Compare: lambda node: _beside([node.left, *node.comparators]),
    ast.BoolOp: lambda node: _beside(node.values),
    ast.Dict: _entries,
    ast.Tuple: _sequence,
    ast.List: _sequence,
    ast.arguments: _defaults,
}
"""The expressions of a node whose literals are keys, because of a name beside them."""


def _is_key(node: ast.expr) -> bool:
    """Whether a name, attribute, item or string is the name of a key."""
    if isinstance(node, ast.Subscript):
        return _is_key(node.slice)
    name = getattr(node, "id", None) or getattr(node, "attr", None) or getattr(node, "value", None)
    return isinstance(name, str) and KEY_NAME.fullmatch(name) is not None


def _literals(node: ast.expr) -> Iterator[ast.expr]:
    """The string and bytes literals of a value, without the names of items."""
    if isinstance(node, ast.JoinedStr):
        yield node
    elif isinstance(node, ast.Constant):
        yield from [node] if isinstance(node.value, str | bytes) else []
    elif isinstance(node, ast.Subscript):
        yield from _literals(node.value)
    elif not isinstance(node, ast.Lambda):
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.expr):
                yield from _literals(child)


MOST_LAYERS = 5
"""Decoding depths: the text itself, and up to four nested escapes."""

_HEX = "[0-9a-fA-F]"
# A leading character set and no flag for case make the search fast.
_ESCAPE = re.compile(
    rf"""[&%\\](?:
      (?<=&)(?:\#[0-9]{{1,12}}|\#[xX]{_HEX}{{1,12}}|[a-zA-Z][a-zA-Z0-9]{{1,30}})(?:;|(?![\\%]))
    | (?<=\\)[uU](?P<pair>[dD][89abAB]{_HEX}{{2}}\\[uU][dD][c-fC-F]{_HEX}{{2}})
    | (?<=\\)(?P<code>U0{_HEX}{{7}}|[uU](?:\{{{_HEX}{{1,6}}\}}|{_HEX}{{4}}))
    | (?P<bytes>(?<=%)[0-7]{_HEX}|(?<=\\)[xX][0-7]{_HEX}
        |(?<=%)[89a-fA-F]{_HEX}(?:%[89a-fA-F]{_HEX}){{0,3}}
        |(?<=\\)[xX][89a-fA-F]{_HEX}(?:\\[xX][89a-fA-F]{_HEX}){{0,3}})
    | (?<=\\)(?P<sign>["'\\/bfnrt])
    )""",
    re.VERBOSE,
)
_HEAD = re.compile(r"%|\\[xX]")
_COLOUR = re.compile(r"\x1b(?:\[[0-9;:?]{0,40}[A-Za-z]|\(B)")
_SIGNS = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}


class Found(NamedTuple):
    """A part of a text from `start` to `end`, and its replacement."""

    start: int
    end: int
    put: str


Find = Callable[[str, int], Iterable[Found]]
"""Finds parts in a text that was decoded so many times."""


def replace_found(text: str, find: Find) -> str:
    """The text without the matches of `find`, in the text and in its decoded layers."""
    layers = _uncoloured(text)
    for depth in range(MOST_LAYERS):
        decoded = layers[-1].text if layers else text
        found = [_mapped(each, layers) for each in find(decoded, depth)]
        if found:
            text = _replaced(text, found)
            layers = _layers(text, depth)
        layer = _layer(layers[-1].text if layers else text)
        if layer is None:
            break
        layers += [layer, *_uncoloured(layer.text)]
    return text


def replace_plain(text: str, find: Find) -> str:
    """The text without the matches of `find`, without decoding."""
    return _replaced(text, list(find(text, 0)))


def decode(text: str) -> str:
    """The text with every layer of escapes decoded."""
    for _ in range(MOST_LAYERS):
        layer = _layer(text)
        if layer is None:
            break
        text = layer.text
    return text


@dataclass
class _Layer:
    """Decoded text in segments: offsets `at` in it, `start` and `end` in the original."""

    text: str = ""
    at: list[int] = field(default_factory=list)
    start: list[int] = field(default_factory=list)
    end: list[int] = field(default_factory=list)
    escaped: list[bool] = field(default_factory=list)

    def first(self, place: int) -> int:
        """The offset in the original where the character at `place` begins."""
        row = bisect_right(self.at, place) - 1
        return self.start[row] if self.escaped[row] else self.start[row] + place - self.at[row]

    def last(self, place: int) -> int:
        """The offset in the original where the character before `place` ends."""
        row = bisect_right(self.at, place - 1) - 1
        return self.end[row] if self.escaped[row] else self.start[row] + place - self.at[row]


def _layers(text: str, depth: int) -> list[_Layer]:
    """The text decoded up to `depth` times."""
    layers = _uncoloured(text)
    for _ in range(depth):
        layer = _layer(layers[-1].text if layers else text)
        if layer is None:
            break
        layers += [layer, *_uncoloured(layer.text)]
    return layers


def _uncoloured(text: str) -> list[_Layer]:
    """The text without ANSI codes; nothing if it has none."""
    layer = _changed(text, _COLOUR, lambda _: "") if "\x1b" in text else None
    return [layer] if layer else []


def _layer(text: str) -> _Layer | None:
    if "\\" not in text and "&" not in text and "%" not in text:
        return None
    return _changed(text, _ESCAPE, _plain)


def _changed(
    text: str, form: re.Pattern[str], read: Callable[[re.Match[str]], str | None]
) -> _Layer | None:
    """The text with each match of a form as it is read; None when nothing changes."""
    layer, parts, size, done = _Layer(), list[str](), 0, 0

    def add(part: str, start: int, end: int, *, escaped: bool) -> None:
        nonlocal size
        parts.append(part)
        for rows, value in ((layer.at, size), (layer.start, start), (layer.end, end)):
            rows.append(value)
        layer.escaped.append(escaped)
        size += len(part)

    for match in form.finditer(text):
        plain = read(match)
        if plain is None:
            continue
        if match.start() > done:
            add(text[done : match.start()], done, match.start(), escaped=False)
        add(plain, match.start(), match.end(), escaped=True)
        done = match.end()
    if not parts:
        return None
    if done < len(text):
        add(text[done:], done, len(text), escaped=False)
    layer.text = "".join(parts)
    return layer


def _plain(match: re.Match[str]) -> str | None:
    """The text of an escape; None when it is not an escape."""
    kind, text = match.lastgroup, match[0]
    if kind == "sign":
        return _SIGNS.get(match["sign"], match["sign"])
    if kind == "bytes":
        return _decoded(bytes.fromhex(_HEAD.sub("", text)))
    if kind == "pair":
        units = (int(text[at : at + 4], 16) for at in (2, 8))
        return b"".join(unit.to_bytes(2, "big") for unit in units).decode("utf-16-be")
    if kind == "code":
        number = int(match["code"][1:].strip("{}"), 16)
        return chr(number) if number < 0x110000 else None
    plain = unescape(text)
    return None if plain == text else plain


def _decoded(data: bytes) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError:
        return data.decode("latin-1")


def _mapped(found: Found, layers: list[_Layer]) -> Found:
    start, end = found.start, found.end
    for layer in reversed(layers):
        start, end = layer.first(start), layer.last(end)
    return Found(start, end, found.put)


def _replaced(text: str, found: list[Found]) -> str:
    """The text with each part replaced; overlapping parts are merged."""
    parts, done = list[str](), 0
    for start, end, put in sorted(found):
        if start >= done:
            parts += [text[done:start], put]
        done = max(done, end)
    return "".join([*parts, text[done:]])
