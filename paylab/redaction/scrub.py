"""Finds, names and removes what a notebook, HAR file or snapshot must not share.

Images stay when they are smaller than any image the service accepts (10 KB), or are
QR codes: square, two colours, at most 64 KB. Document numbers stay when they are
those of `paylab.examples`, or only zeros.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from ..errors.arguments import explain_arguments
from ..errors.text import printable_lines
from .cleaner import Cleaner, join_lines
from .personal import hide_personal_data, hide_url_secrets
from .scrub_rules import Rule, Spans, is_placeholder
from .search import SHORTEST_SECRET
from .text_cleaner import RULES

_MIN_NUMBER = 7
"""Minimum characters of a document number that is also searched where it has no label."""

Clean = Callable[[str, Any], Any]
"""Cleans a part of a document by its place."""


@dataclass(frozen=True)
class Leak:
    """Something to remove: its place (`cell 3, outputs`) and its kind (`CURP`)."""

    where: str
    kind: str

    def __str__(self) -> str:
        return printable_lines(f"{self.where}: {self.kind}")


@explain_arguments
def scrub(
    document: Mapping[str, object],
    *,
    keep_personal: bool = False,
    personal: frozenset[str] = frozenset(),
) -> tuple[dict[str, Any], list[Leak]]:
    """A cleaned notebook, HAR or snapshot, and the list of what was removed.

    HAR files and snapshots also lose personal data, unless `keep_personal` is set; `personal` are
    names of a service for fields that hold such data.
    """
    is_notebook = "cells" in document
    is_private = not keep_personal and not is_notebook
    leaks: list[Leak] = []
    secrets: dict[str, str] = {}
    rules = RULES

    def report(where: str, kind: str, text: str = "") -> None:
        leaks.append(Leak(where, kind))
        if kind == "key" and len(text) >= SHORTEST_SECRET and not is_placeholder(text):
            secrets[text] = kind
        elif text and kind not in ("key", "signature", "share token"):
            number = "".join(filter(str.isalnum, text))
            if len(number) >= _MIN_NUMBER and sum(map(str.isdigit, number)) >= 5:
                secrets.update({text: kind, number: kind})

    def clean(where: str, clean_value: object) -> Any:
        cleaner = Cleaner(partial(report, where), rules, is_encoded=not is_notebook)
        # What stands across several outputs is searched first: a part of it may look like a whole.
        clean_value = cleaner.clean(
            _clean_across_outputs(clean_value, cleaner)
            if where.endswith(", outputs")
            else clean_value
        )
        if "webhook" in where and (short_urls := hide_url_secrets(clean_value)) != clean_value:
            report(where, "webhook URL")
            clean_value = short_urls
        if is_private and (anonymous := hide_personal_data(clean_value, personal)) != clean_value:
            report(where, "personal data")
            clean_value = anonymous
        return clean_value

    cleaned = _clean_parts(document, clean)
    if secrets:  # what was found in one place is removed from the others
        rules = (*RULES, *_make_value_rules(secrets))
        cleaned = _clean_parts(cleaned, clean)
    return cleaned, leaks


def _make_value_rules(secrets: Mapping[str, str]) -> Iterator[Rule]:
    """The rules that find keys and numbers by value."""
    for secret_kind in dict.fromkeys(secrets.values()):
        secret_texts = sorted(
            (text for text in secrets if secrets[text] == secret_kind), key=len, reverse=True
        )
        alternatives = "|".join(map(re.escape, secret_texts))
        pattern = re.compile(
            alternatives if secret_kind == "key" else rf"(?<![\w.])(?:{alternatives})(?!\w)"
        )

        def find(text: str, pattern: re.Pattern[str] = pattern) -> Spans:
            return (match.span() for match in pattern.finditer(text))

        yield Rule(secret_kind, find)


def _clean_parts(document: Mapping[str, Any], clean_value: Clean) -> dict[str, Any]:
    """A document of which every cell, entry or row is cleaned by its place and value."""
    if "cells" not in document:
        return {name: _clean_records(name, value, clean_value) for name, value in document.items()}
    cells = [_clean_cell(cell, at, clean_value) for at, cell in enumerate(document["cells"], 1)]
    return {**clean_value("notebook", {**document, "cells": None}), "cells": cells}


def _clean_records(record_kind: str, records: object, clean_value: Clean) -> Any:
    if isinstance(records, Mapping) and record_kind in ("log", "tables"):
        return {part: _clean_records(part, item, clean_value) for part, item in records.items()}
    if isinstance(records, list):
        return [clean_value(f"{record_kind} {at}", item) for at, item in enumerate(records, 1)]
    return clean_value(record_kind, records)


def _clean_cell(cell: object, number: int, clean_value: Clean) -> Any:
    if not isinstance(cell, Mapping):
        return cell
    return {name: clean_value(f"cell {number}, {name}", value) for name, value in cell.items()}


def _clean_across_outputs(outputs: object, cleaner: Cleaner) -> Any:
    """Outputs without what stands across several of them: first those of one stream."""
    if not isinstance(outputs, list):
        return outputs
    stream_names = dict.fromkeys(filter(None, map(_stream_name, outputs)))
    stream_rows = [
        [
            output_number
            for output_number, output in enumerate(outputs)
            if _stream_name(output) == name
        ]
        for name in stream_names
    ]
    clean_outputs: list[Any] = list(outputs)
    for output_numbers in (*stream_rows, range(len(outputs))):
        shown_numbers = [
            output_number
            for output_number in output_numbers
            if _output_text(clean_outputs[output_number]) is not None
        ]
        output_texts = [
            _output_text(clean_outputs[output_number]) or "" for output_number in shown_numbers
        ]
        clean_texts = (
            cleaner.pieces(cleaner.pieces(output_texts), "\n")
            if len(output_texts) > 1
            else output_texts
        )
        for output_number, text, clean_text in zip(
            shown_numbers, output_texts, clean_texts, strict=True
        ):
            if text != clean_text:
                clean_outputs[output_number] = _replace_output_text(
                    clean_outputs[output_number], clean_text
                )
    return [output for output in clean_outputs if output is not None]


def _replace_output_text(output: Mapping[str, Any], new_text: str) -> Mapping[str, Any] | None:
    """An output with another text; nothing if it is a stream of which nothing is left."""
    if not _stream_name(output):
        return {**output, "data": {**output["data"], "text/plain": new_text}}
    return {**output, "text": new_text} if new_text else None


def _output_text(output: Any) -> str | None:
    """The text of a stream or of a value; None for another output."""
    if _stream_name(output):
        return join_lines(output["text"])
    mime_data = output.get("data") if isinstance(output, Mapping) else None
    plain_text = mime_data.get("text/plain") if isinstance(mime_data, Mapping) else None
    return None if plain_text is None else join_lines(plain_text)


def _stream_name(output: Any) -> object:
    """The name of the stream of an output; None for another output."""
    is_stream = isinstance(output, Mapping) and output.get("output_type") == "stream"
    return output.get("name") if is_stream and "text" in output else None
