"""Finds, names and removes what a notebook, HAR file or snapshot must not share.

Images stay when they are smaller than any image the service accepts (10 KB), or are
QR codes: square, two colours, at most 64 KB. Document numbers stay when they are
those of `paylab.examples`, or only zeros.
"""

from __future__ import annotations

import binascii
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol

from . import escapes
from .escapes import Found
from .fields import has_share_token
from .personal import bare_urls, impersonal
from .redaction import DOCUMENT_TYPES, HEADERS, SHORTEST_SECRET, find_images, image_bytes, places
from .scrub_rules import (
    KEY_NAME,
    LONG,
    RULES,
    Rule,
    is_example,
    is_placeholder,
    is_small,
    is_small_image,
    is_stand_in,
)

WIDGET_STATE = "application/vnd.jupyter.widget-state+json"

Clean = Callable[[Any], Any]


class NoteFinding(Protocol):
    """Called with the kind of each finding, and the text of a secret."""

    def __call__(self, kind: str, secret: str = "") -> None:
        """Note a finding."""


@dataclass(frozen=True)
class Leak:
    """Something to remove: its place (`cell 3, outputs`) and its kind (`CURP`)."""

    where: str
    kind: str

    def __str__(self) -> str:
        return f"{self.where}: {self.kind}"


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
    private = None if keep_personal else partial(impersonal, names=personal)
    found: list[Leak] = []
    secrets: set[str] = set()

    def report(where: str, kind: str, secret: str = "") -> None:
        found.append(Leak(where, kind))
        if kind == "key" and len(secret) >= SHORTEST_SECRET and not is_placeholder(secret):
            secrets.add(secret)

    if "cells" not in document:
        clean = {name: _traffic(name, value, report, private) for name, value in document.items()}
        return clean, found
    cells = [_cell(cell, at, report) for at, cell in enumerate(document["cells"], 1)]
    clean = _clean({**document, "cells": None}, partial(report, "notebook"))
    if secrets:
        cells = [_cell(cell, at, report, secrets) for at, cell in enumerate(cells, 1)]
        clean = _without(clean, partial(report, "notebook"), secrets)
    return {**clean, "cells": cells}, found


def _traffic(name: str, value: Any, report: Callable[..., None], private: Clean | None) -> Any:
    """Clean a part of a HAR file or snapshot, lists entry by entry."""
    if isinstance(value, Mapping) and name in ("log", "tables"):
        return {part: _traffic(part, item, report, private) for part, item in value.items()}
    if isinstance(value, list):
        return [_entry(f"{name} {at}", item, report, private) for at, item in enumerate(value, 1)]
    return _entry(name, value, report, private)


def _entry(where: str, value: Any, report: Callable[..., None], private: Clean | None) -> Any:
    clean = _clean(value, partial(report, where))
    if "webhook" in where and (bare := bare_urls(clean)) != clean:
        report(where, "webhook URL")
        clean = bare
    if private is not None and (without := private(clean)) != clean:
        report(where, "personal data")
        clean = without
    return clean


def _cell(
    cell: Any, number: int, report: Callable[..., None], secrets: Iterable[str] | None = None
) -> Any:
    """Clean a cell, of everything or of these secrets only."""
    if not isinstance(cell, Mapping):
        return cell
    clean = _clean if secrets is None else partial(_without, secrets=secrets)
    whole = {name: _joined(one) if name == "outputs" else one for name, one in cell.items()}
    parts = ((name, value, f"cell {number}, {name}") for name, value in whole.items())
    return {name: clean(value, partial(report, where)) for name, value, where in parts}


def _without(value: Any, report: NoteFinding, secrets: Iterable[str]) -> Any:
    """A value without secrets that were found in another place."""
    if isinstance(value, str):
        return escapes.replace_found(value, partial(_repeated, report, secrets))
    if isinstance(value, list):
        return [_without(item, report, secrets) for item in value]
    if not isinstance(value, Mapping):
        return value
    return {
        _without(name, report, secrets): _without(item, report, secrets)
        for name, item in value.items()
    }


def _repeated(report: NoteFinding, secrets: Iterable[str], text: str, _: int) -> Iterator[Found]:
    for secret in secrets:
        for at in places(secret, text):
            report("key")
            yield Found(at, at + len(secret), "[removed: key]")


def _joined(outputs: Any) -> Any:
    """Outputs; the outputs of one stream are joined when a secret spans two of them."""
    made: list[Any] = []
    for output in outputs if isinstance(outputs, list) else ():
        if made and _is_cut(made[-1], output):
            made[-1] = {**output, "text": _as_text(made[-1]["text"]) + _as_text(output["text"])}
        else:
            made.append(output)
    return made if isinstance(outputs, list) else outputs


def _is_cut(one: Any, other: Any) -> bool:
    streams = [
        isinstance(each, Mapping) and each.get("output_type") == "stream" and "text" in each
        for each in (one, other)
    ]
    if not all(streams) or one.get("name") != other.get("name"):
        return False
    first, second = _as_text(one["text"]), _as_text(other["text"])

    def clean(text: str) -> str:
        return _text(text, lambda kind, secret="": None, LONG)

    return clean(first + second) != clean(first) + clean(second)


def _as_text(value: Any) -> str:
    return "".join(map(str, value)) if isinstance(value, list) else str(value)


def _clean(value: Any, report: NoteFinding) -> Any:
    """Clean any part of a document."""
    if isinstance(value, str):
        return _text(value, report)
    if isinstance(value, list):
        return _list(value, report)
    if not isinstance(value, Mapping):
        return value
    kept = {name: one for name, one in value.items() if not _dropped(name, one, report)}
    clean = {_text(name, report): _item(name, one, report) for name, one in kept.items()}
    if str(clean.get("type")).lower() in DOCUMENT_TYPES:
        clean = _numberless(clean, report)
    if has_share_token(clean):
        clean["token"] = _keyless(clean["token"], report)
    return _decoded(_pair(clean, report), report)


def _item(name: str, value: Any, report: NoteFinding) -> Any:
    """Clean the value of a name: hide document numbers, and the whole value of a key."""
    if _is_key(name):
        return _keyless(value, report)
    if name.lower() == "cookies" and isinstance(value, list):
        value = [
            {**each, "value": _keyless(each["value"], report)}
            if isinstance(each, Mapping) and "value" in each
            else each
            for each in value
        ]
    clean = _clean(value, report)
    return _numberless(clean, report) if name == "document" else clean


def _is_key(name: object) -> bool:
    return isinstance(name, str) and (
        KEY_NAME.fullmatch(name) is not None or name.lower() in HEADERS
    )


def _keyless(value: Any, report: NoteFinding) -> Any:
    """A value without keys; placeholders stay."""
    if isinstance(value, list):
        return [_keyless(item, report) for item in value]
    if not isinstance(value, str) or not value or is_stand_in(value):
        return _clean(value, report)
    report("key", value)
    return "[removed: key]"


def _decoded(item: dict[str, Any], report: NoteFinding) -> dict[str, Any]:
    """Clean a body that a HAR file holds as Base64."""
    text = item.get("text")
    if item.get("encoding") != "base64" or not isinstance(text, str):
        return item
    try:
        body = binascii.a2b_base64(text).decode()
    except ValueError:
        return item
    clean = _text(body, report)
    if clean == body:
        return item
    return {**item, "text": binascii.b2a_base64(clean.encode(), newline=False).decode()}


def _pair(item: dict[str, Any], report: NoteFinding) -> dict[str, Any]:
    """Clean a name/value pair, such as a header of a HAR file."""
    named = any(_is_key(item.get(name)) for name in ("name", "key", "header", "field"))
    if not named or not isinstance(item.get("value"), str) or is_placeholder(item["value"]):
        return item
    return {**item, "value": _keyless(item["value"], report)}


def _numberless(clean: Any, report: NoteFinding) -> Any:
    """Clean a document; the kind of its number is named if its form identifies it."""
    number = clean.get("number") if isinstance(clean, dict) else None
    if number in (None, "") or isinstance(number, dict | bool) or is_example(str(number)):
        return clean
    if not any(map(str.isdigit, str(number))):
        return clean
    report("document number")
    return {**clean, "number": "[removed: document number]"}


def _list(items: list[Any], report: NoteFinding) -> list[Any]:
    """Clean a list; its texts count as one when they are lines or pieces of one text."""
    if len(items) == 2 and _is_key(items[0]):
        return [items[0], _keyless(items[1], report)]
    if len(items) < 2 or not all(isinstance(item, str) for item in items):
        return [_clean(item, report) for item in items]
    whole = "".join(items)
    if all(item.endswith("\n") for item in items[:-1]):
        clean = _text(whole, report)
        return items if clean == whole else [line for line in re.split(r"(?<=\n)", clean) if line]
    clean = _text(whole, report, LONG)
    return [_clean(item, report) for item in items] if clean == whole else [clean]


def _dropped(name: str, value: Any, report: NoteFinding) -> bool:
    """Whether an entry is removed whole: widget state, or an image by its MIME type."""
    if name == WIDGET_STATE or (isinstance(value, Mapping) and WIDGET_STATE in value):
        report("widget state")
        return True
    if name != PDF and (not name.startswith("image/") or name.startswith("image/svg")):
        return False
    if name != PDF and is_small(_as_text(value)):
        return False
    report("PDF" if name == PDF else "image")
    return True


def _text(text: str, report: NoteFinding, rules: Iterable[Rule] | None = None) -> str:
    text = escapes.replace_plain(text, partial(_images, report))
    return escapes.replace_found(text, partial(_found, report, rules or RULES))


def _images(report: NoteFinding, text: str, depth: int) -> Iterator[Found]:
    for found in find_images(_image)(text, depth):
        report(found.put[len("[removed: ") : -1])
        yield found


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


def _found(report: NoteFinding, rules: Iterable[Rule], text: str, depth: int) -> list[Found]:
    """The matches of the rules; text matched by one rule is skipped by the next."""
    found = [*_images(report, text, depth)] if depth else []
    for rule in rules:
        for start, end in rule.find(text):
            if not any(start < other.end and other.start < end for other in found):
                report(rule.kind, text[start:end])
                found.append(Found(start, end, f"[removed: {rule.kind}]"))
    return found
