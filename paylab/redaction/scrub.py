"""Finds, names and removes what a notebook, HAR file or snapshot must not share.

Images stay when they are smaller than any image the service accepts (10 KB), or are
QR codes: square, two colours, at most 64 KB. Document numbers stay when they are
those of `paylab.examples`, or only zeros.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from ..errors.arguments import explain_arguments
from ..errors.text import printable_lines
from .cleaner import Cleaner, join_lines
from .personal import hide_personal_data, hide_url_secrets
from .scrub_rules import Rule, Spans, is_placeholder
from .search import SECRET_LENGTH_MIN
from .text_cleaner import RULES

_NUMBER_LENGTH_MIN = 7
"""Minimum characters of a document number that is also searched where it has no label."""

CleanAt = Callable[[str, Any], Any]
"""Cleans a part of a document: `clean_at("cell 3, outputs", outputs)`, with the place first."""


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

    def report_leak(where: str, kind: str, secret_text: str = "") -> None:
        leaks.append(Leak(where, kind))
        if kind == "key":
            if len(secret_text) >= SECRET_LENGTH_MIN and not is_placeholder(secret_text):
                secrets[secret_text] = kind
        elif kind not in ("signature", "share token"):
            secrets.update(dict.fromkeys(_number_spellings(secret_text), kind))

    def clean_at(where: str, document_part: object) -> Any:
        """A part of the document, cleaned by what stands at its place."""
        cleaner = Cleaner(partial(report_leak, where), rules, is_encoded=not is_notebook)
        # What stands across several outputs is searched first: a part of it may look like a whole.
        if where.endswith(", outputs"):
            document_part = _clean_across_outputs(document_part, cleaner)
        clean_part = cleaner.clean(document_part)
        if "webhook" in where:
            part_before = clean_part
            clean_part = hide_url_secrets(part_before)
            if clean_part != part_before:
                report_leak(where, "webhook URL")
        if is_private:
            part_before = clean_part
            clean_part = hide_personal_data(part_before, personal)
            if clean_part != part_before:
                report_leak(where, "personal data")
        return clean_part

    clean_parts = _clean_notebook if is_notebook else _clean_entries
    clean_document = clean_parts(document, clean_at)
    if secrets:  # what was found in one place is removed from the others
        rules = (*RULES, *_make_value_rules(secrets))
        clean_document = clean_parts(clean_document, clean_at)
    return clean_document, leaks


def _number_spellings(number: str) -> tuple[str, ...]:
    """A document number as it stands, and its letters and digits. Empty if it is too short."""
    number_characters = "".join(filter(str.isalnum, number))
    digit_count = sum(map(str.isdigit, number_characters))
    is_distinctive = len(number_characters) >= _NUMBER_LENGTH_MIN and digit_count >= 5
    return (number, number_characters) if is_distinctive else ()


def _make_value_rules(secrets: Mapping[str, str]) -> Iterator[Rule]:
    """The rules that find keys and numbers by value, of `secrets` with their kinds."""
    for secret_kind in dict.fromkeys(secrets.values()):
        secret_texts = sorted(
            (secret_text for secret_text in secrets if secrets[secret_text] == secret_kind),
            key=len,
            reverse=True,
        )
        alternatives = "|".join(map(re.escape, secret_texts))
        pattern = re.compile(
            alternatives if secret_kind == "key" else rf"(?<![\w.])(?:{alternatives})(?!\w)"
        )

        def find(text: str, pattern: re.Pattern[str] = pattern) -> Spans:
            return (match.span() for match in pattern.finditer(text))

        yield Rule(secret_kind, find)


def _clean_entries(document: Mapping[str, Any], clean_at: CleanAt) -> dict[str, Any]:
    """A HAR file or a snapshot: every entry of its log or row of its tables is cleaned."""
    return {
        part_name: _clean_records(part_name, part, clean_at) for part_name, part in document.items()
    }


def _clean_notebook(document: Mapping[str, Any], clean_at: CleanAt) -> dict[str, Any]:
    """A notebook of which every cell is cleaned, and then its other members, such as metadata."""
    cells = [
        _clean_cell(cell, cell_number, clean_at)
        for cell_number, cell in enumerate(document["cells"], 1)
    ]
    # The cells are clean already: None keeps their place among the other members.
    other_members = clean_at("notebook", {**document, "cells": None})
    return {**other_members, "cells": cells}


def _clean_records(record_kind: str, records: object, clean_at: CleanAt) -> Any:
    """The entries of a log or the rows of a table, cleaned one by one; another value as one."""
    if isinstance(records, Mapping) and record_kind in ("log", "tables"):
        return {
            record_name: _clean_records(record_name, record, clean_at)
            for record_name, record in records.items()
        }
    if isinstance(records, list):
        return [
            clean_at(f"{record_kind} {record_number}", record)
            for record_number, record in enumerate(records, 1)
        ]
    return clean_at(record_kind, records)


def _clean_cell(cell: object, cell_number: int, clean_at: CleanAt) -> Any:
    """A cell of a notebook, cleaned by its source, outputs and metadata."""
    if not isinstance(cell, Mapping):
        return cell
    return {
        part_name: clean_at(f"cell {cell_number}, {part_name}", cell_part)
        for part_name, cell_part in cell.items()
    }


def _clean_across_outputs(outputs: object, cleaner: Cleaner) -> Any:
    """Outputs without what stands across several of them: of one stream, then of all outputs."""
    if not isinstance(outputs, list):
        return outputs
    stream_names = dict.fromkeys(filter(None, map(_stream_name, outputs)))
    clean_outputs: list[Any] = list(outputs)
    for stream_name in stream_names:
        stream_indexes = [
            index for index, output in enumerate(outputs) if _stream_name(output) == stream_name
        ]
        _clean_neighbours(clean_outputs, stream_indexes, cleaner)
    _clean_neighbours(clean_outputs, range(len(outputs)), cleaner)
    return [output for output in clean_outputs if output is not None]


def _clean_neighbours(outputs: list[Any], indexes: Iterable[int], cleaner: Cleaner) -> None:
    """Remove from some of the outputs what stands across them. An empty stream becomes None."""
    text_by_index: dict[int, str] = {}
    for index in indexes:
        output_text = _output_text(outputs[index])
        if output_text is not None:
            text_by_index[index] = output_text
    if len(text_by_index) < 2:
        return
    clean_texts = cleaner.pieces(cleaner.pieces([*text_by_index.values()]), "\n")
    for (index, output_text), clean_text in zip(text_by_index.items(), clean_texts, strict=True):
        if output_text != clean_text:
            outputs[index] = _replace_output_text(outputs[index], clean_text)


def _replace_output_text(output: Mapping[str, Any], new_text: str) -> Mapping[str, Any] | None:
    """An output with another text; None if it is a stream of which nothing is left."""
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
