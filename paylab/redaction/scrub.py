"""Finds, names and removes what a notebook, HAR file or snapshot must not share.

Images stay when they are smaller than any image the service accepts (10 KB), or are
QR codes: square, two colours, at most 64 KB. Document numbers stay when they are
those of `paylab.examples`, or only zeros.
"""

from __future__ import annotations

import binascii
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from ..errors.text import printable_lines
from . import escapes
from .escapes import Found
from .fields import has_share_token
from .personal import bare_urls, impersonal
from .redaction import HEADERS
from .scrub_rules import (
    KEY_NAME,
    LONG,
    RULES,
    Rule,
    Spans,
    is_example,
    is_placeholder,
    is_small,
    is_small_image,
    is_stand_in,
)
from .search import DOCUMENT_TYPES, SHORTEST_SECRET, find_images, image_bytes, places

WIDGET_STATE = "application/vnd.jupyter.widget-state+json"

Report = Callable[[str, str], None]
"""Called with the kind of each finding and its text."""


@dataclass(frozen=True)
class Leak:
    """Something to remove: its place (`cell 3, outputs`) and its kind (`CURP`)."""

    where: str
    kind: str

    def __str__(self) -> str:
        return printable_lines(f"{self.where}: {self.kind}")


def scrub(
    document: Mapping[str, Any],
    *,
    keep_personal: bool = False,
    personal: frozenset[str] = frozenset(),
) -> tuple[dict[str, Any], list[Leak]]:
    """A cleaned notebook, HAR or snapshot, and the list of what was removed.

    HAR files and snapshots also lose personal data, unless `keep_personal` is set; `personal` are
    names of a service for fields that hold such data.
    """
    is_private = not keep_personal and "cells" not in document
    found: list[Leak] = []
    secrets: dict[str, None] = {}
    rules = RULES

    def report(where: str, kind: str, text: str = "") -> None:
        found.append(Leak(where, kind))
        if kind == "key" and len(text) >= SHORTEST_SECRET and not is_placeholder(text):
            secrets[text] = None

    def clean(where: str, value: Any) -> Any:
        value = Cleaner(partial(report, where), rules).clean(value)
        if "webhook" in where and (bare := bare_urls(value)) != value:
            report(where, "webhook URL")
            value = bare
        if is_private and (without := impersonal(value, personal)) != value:
            report(where, "personal data")
            value = without
        return value

    cleaned = _by_part(document, clean)
    if secrets:  # a key that was found in one place is removed from the others
        rules = (*RULES, Rule("key", partial(_occurrences, [*secrets])))
        cleaned = _by_part(cleaned, clean)
    return cleaned, found


def _occurrences(secrets: Iterable[str], text: str) -> Spans:
    return ((at, at + len(each)) for each in secrets for at in places(each, text))


def _by_part(document: Mapping[str, Any], clean: Callable[[str, Any], Any]) -> dict[str, Any]:
    """A document of which every cell, entry or row is cleaned by its place and value."""
    if "cells" not in document:
        return {name: _traffic(name, value, clean) for name, value in document.items()}
    cells = [_cell(cell, at, clean) for at, cell in enumerate(document["cells"], 1)]
    return {**clean("notebook", {**document, "cells": None}), "cells": cells}


def _traffic(name: str, value: Any, clean: Callable[[str, Any], Any]) -> Any:
    if isinstance(value, Mapping) and name in ("log", "tables"):
        return {part: _traffic(part, item, clean) for part, item in value.items()}
    if isinstance(value, list):
        return [clean(f"{name} {at}", item) for at, item in enumerate(value, 1)]
    return clean(name, value)


def _cell(cell: Any, number: int, clean: Callable[[str, Any], Any]) -> Any:
    if not isinstance(cell, Mapping):
        return cell
    whole = {name: _joined(one) if name == "outputs" else one for name, one in cell.items()}
    return {name: clean(f"cell {number}, {name}", value) for name, value in whole.items()}


def _joined(outputs: Any) -> Any:
    """The outputs; neighbours of one stream become one, since a secret may span them."""
    if not isinstance(outputs, list):
        return outputs
    made: list[Any] = []
    for output in outputs:
        if made and _stream(output) and _stream(output) == _stream(made[-1]):
            made[-1] = {**output, "text": _as_text(made[-1]["text"]) + _as_text(output["text"])}
        else:
            made.append(output)
    return made


def _stream(output: Any) -> object:
    """The name of the stream of an output; None for another output."""
    is_stream = isinstance(output, Mapping) and output.get("output_type") == "stream"
    return output.get("name") if is_stream and "text" in output else None


def _as_text(value: Any) -> str:
    return "".join(map(str, value)) if isinstance(value, list) else str(value)


class Cleaner:
    """Cleans any part of a document by rules, and reports what it removes."""

    def __init__(self, report: Report, rules: Sequence[Rule] = RULES) -> None:
        self._report, self._rules = report, rules

    def clean(self, value: Any) -> Any:
        """A part of a document without what must not be shared."""
        if isinstance(value, str):
            return self._text(value)
        if isinstance(value, list):
            return self._list(value)
        if not isinstance(value, Mapping):
            return value
        kept = {name: one for name, one in value.items() if not self._is_dropped(name, one)}
        clean = {self._text(name): self._item(name, one) for name, one in kept.items()}
        if str(clean.get("type")).lower() in DOCUMENT_TYPES:
            clean = self._numberless(clean)
        if has_share_token(clean):
            clean["token"] = self._keyless(clean["token"])
        return self._decoded(self._pair(clean))

    def _item(self, name: str, value: Any) -> Any:
        """Clean the value of a name: hide document numbers, and the whole value of a key."""
        if _is_key(name):
            return self._keyless(value)
        if name.lower() == "cookies" and isinstance(value, list):
            value = [
                {**each, "value": self._keyless(each["value"])}
                if isinstance(each, Mapping) and "value" in each
                else each
                for each in value
            ]
        clean = self.clean(value)
        return self._numberless(clean) if name == "document" else clean

    def _keyless(self, value: Any) -> Any:
        """A value without keys; placeholders stay."""
        if isinstance(value, list):
            return [self._keyless(item) for item in value]
        if not isinstance(value, str) or not value or is_stand_in(value):
            return self.clean(value)
        self._report("key", value)
        return "[removed: key]"

    def _decoded(self, item: dict[str, Any]) -> dict[str, Any]:
        """Clean a body that a HAR file holds as Base64."""
        text = item.get("text")
        if item.get("encoding") != "base64" or not isinstance(text, str):
            return item
        try:
            body = binascii.a2b_base64(text).decode()
        except ValueError:
            return item
        clean = self._text(body)
        if clean == body:
            return item
        return {**item, "text": binascii.b2a_base64(clean.encode(), newline=False).decode()}

    def _pair(self, item: dict[str, Any]) -> dict[str, Any]:
        """Clean a name/value pair, such as a header of a HAR file."""
        named = any(_is_key(item.get(name)) for name in ("name", "key", "header", "field"))
        if not named or not isinstance(item.get("value"), str) or is_placeholder(item["value"]):
            return item
        return {**item, "value": self._keyless(item["value"])}

    def _numberless(self, clean: Any) -> Any:
        """Clean a document; the kind of its number is named if its form identifies it."""
        number = clean.get("number") if isinstance(clean, dict) else None
        if number in (None, "") or isinstance(number, dict | bool) or is_example(str(number)):
            return clean
        if not any(map(str.isdigit, str(number))):
            return clean
        self._report("document number", "")
        return {**clean, "number": "[removed: document number]"}

    def _list(self, items: list[Any]) -> list[Any]:
        """Clean a list; its texts count as one when they are lines or pieces of one text."""
        if len(items) == 2 and _is_key(items[0]):
            return [items[0], self._keyless(items[1])]
        if len(items) < 2 or not all(isinstance(item, str) for item in items):
            return [self.clean(item) for item in items]
        whole = "".join(items)
        if all(item.endswith("\n") for item in items[:-1]):
            clean = self._text(whole)
            return items if clean == whole else [*filter(None, re.split(r"(?<=\n)", clean))]
        clean = self._text(whole, LONG)
        return [self.clean(item) for item in items] if clean == whole else [self._text(clean)]

    def _is_dropped(self, name: str, value: Any) -> bool:
        """Whether an entry is removed whole: widget state, or an image by its MIME type."""
        if name == WIDGET_STATE or (isinstance(value, Mapping) and WIDGET_STATE in value):
            self._report("widget state", "")
            return True
        if name != PDF and (not name.startswith("image/") or name.startswith("image/svg")):
            return False
        if name != PDF and is_small(_as_text(value)):
            return False
        self._report("PDF" if name == PDF else "image", "")
        return True

    def _text(self, text: str, rules: Sequence[Rule] | None = None) -> str:
        text = escapes.replace_plain(text, self._images)
        return escapes.replace_found(text, partial(self._found, rules or self._rules))

    def _images(self, text: str, depth: int) -> Iterator[Found]:
        for found in find_images(_image)(text, depth):
            self._report(found.put[len("[removed: ") : -1], "")
            yield found

    def _found(self, rules: Sequence[Rule], text: str, depth: int) -> list[Found]:
        """The matches of the rules; text matched by one rule is skipped by the next."""
        found = [*self._images(text, depth)] if depth else []
        for rule in rules:
            for start, end in rule.find(text):
                if not any(start < other.end and other.start < end for other in found):
                    self._report(rule.kind, text[start:end])
                    found.append(Found(start, end, f"[removed: {rule.kind}]"))
        return found


def _is_key(name: object) -> bool:
    return isinstance(name, str) and (
        KEY_NAME.fullmatch(name) is not None or name.lower() in HEADERS
    )


def _image(match: re.Match[str]) -> str | None:
    """The replacement of an image; None for a small one that is not a PDF."""
    data = image_bytes(match)
    kind = (match["type"] or match["kind"] or "").replace("\\", "").lower()
    is_pdf = kind == PDF or data.startswith((b"%PDF", b"b'%PDF", b'b"%PDF'))
    if not is_pdf and is_small_image(data):
        return None
    named = "data URI" if kind else "PDF" if is_pdf else "image"
    return None if len(match[0]) < SHORTEST_URI else f"[removed: {named}]"


PDF = "application/pdf"
SHORTEST_URI = 60
