"""The shape of an error body: where its words stand, where its field problems, and how each looks.

A body is searched for a list of objects with words and a field, an object with the words of each
field, or a list of sentences, at any depth.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

FIELDS = (
    *("field", "path", "pointer", "source.pointer", "source.parameter", "param", "parameter"),
    *("loc", "property", "name", "attribute", "key", "in", "target"),
)
MESSAGES = (
    *("message", "msg", "detail", "reason", "description", "text", "error", "issue", "title"),
    "code",
)
WORDS = (
    *("error", "message", "detail", "error_description", "errorMessage", "title", "description"),
    *("reason", "msg", "text"),
)
NO_FIELDS = frozenset({"message", "code", "error", "detail", "title", "msg", "reason", "type"})
"""Keys of an object that is one error itself, and holds no fields."""
STEPS = re.compile(r"^/?(?:data/attributes/?)?")
MOST = 3
"""How deep the words and the problems of an error are looked for."""


@dataclass(frozen=True)
class Problems:
    """The field problems of one error body: under which key, in which form, and what they say."""

    key: str
    form: str
    field: str
    message: str
    listed: tuple[tuple[str, str], ...]
    field_form: str = ""


def problems(body: object) -> Problems | None:
    """The field problems of a body; None when it lists none."""
    for key, value in _inside(body, ""):
        found = _read(key, value)
        if found is not None:
            return found
    return None


def words_key(body: object, listed: Problems | None) -> str | None:
    """The key of the words of an error, dots step into objects; None when there are none."""
    texts = {
        key: value
        for key, value in _inside(body, "")
        if isinstance(value, str) and key and not (listed and key.startswith(f"{listed.key}."))
    }
    known = {word.lower(): place for place, word in enumerate(WORDS)}
    texts = {
        key: text
        for key, text in texts.items()
        if " " in text or key.rpartition(".")[2].lower() in known
    }

    def rank(key: str) -> tuple[bool, int, int]:
        last = key.rpartition(".")[2].lower()
        return " " not in texts[key], known.get(last, len(WORDS)), key.count(".")

    return min(texts, key=rank, default=None)


def _inside(body: object, at: str, depth: int = 0) -> Iterator[tuple[str, Any]]:
    """A body and what is inside its objects, by dotted keys, the outermost first."""
    yield at, body
    if isinstance(body, Mapping) and depth < MOST:
        for name, value in body.items():
            yield from _inside(value, f"{at}.{name}" if at else str(name), depth + 1)


def _read(key: str, value: object) -> Problems | None:
    if isinstance(value, list) and value:
        if all(isinstance(each, Mapping) for each in value):
            return _objects(key, value)
        if all(isinstance(each, str) for each in value):
            return Problems(key, "sentences", "", "", tuple(("", each) for each in value))
    if isinstance(value, Mapping) and key and value and all(map(_is_words, value.values())):
        if NO_FIELDS & {str(name).lower() for name in value}:
            return None
        rows = {
            str(name): [each] if isinstance(each, str) else each for name, each in value.items()
        }
        listed = tuple((_dotted(name), text) for name, each in rows.items() for text in each)
        return Problems(key, "by_field", "", "", listed, _field_form(list(rows)))
    return None


def _is_words(value: object) -> bool:
    if isinstance(value, str):
        return bool(value)
    return isinstance(value, list) and bool(value) and all(isinstance(each, str) for each in value)


def _objects(key: str, rows: list[Mapping[str, Any]]) -> Problems | None:
    message = next((name for name in MESSAGES if all(_text(row, name) for row in rows)), "")
    field = next((name for name in FIELDS if any(_at(row, name) for row in rows)), "")
    if not message:
        return None
    if not field:
        field = next(
            (name for name in FIELDS if any(_at(row, name) is not None for row in rows)), ""
        )
    raw = [_at(row, field) if field else None for row in rows]
    listed = tuple(
        (_dotted(each), str(_at(row, message))) for each, row in zip(raw, rows, strict=True)
    )
    return Problems(key, "objects", field, message, listed, _field_form(raw))


def _at(row: Mapping[str, Any], name: str) -> Any:
    value: Any = row
    for step in name.split("."):
        value = value.get(step) if isinstance(value, Mapping) else None
    return value


def _text(row: Mapping[str, Any], name: str) -> bool:
    return isinstance(_at(row, name), str)


def _field_form(names: list[Any]) -> str:
    """How nested fields are named; empty when no name shows it."""
    if any(isinstance(each, list) for each in names):
        return "list"
    if any(isinstance(each, str) and each.startswith("/") for each in names):
        return "pointer"
    return "dotted" if any(isinstance(each, str) and "." in each for each in names) else ""


def _dotted(field: object) -> str:
    """`a.0.b` from a list of steps, a JSON pointer or a dotted name."""
    if isinstance(field, list):
        return ".".join(map(str, field))
    text = "" if field is None else str(field)
    if text.startswith("/"):
        return STEPS.sub("", text).replace("/", ".")
    return text.replace("[", ".").replace("]", "").strip(".")
