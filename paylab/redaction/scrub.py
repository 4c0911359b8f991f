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
from ..spec.text import JsonMapping, JsonObject
from .cleaner import Cleaner, join_lines
from .personal import hide_personal_data, hide_url_secrets
from .placeholders import is_placeholder
from .scrub_rules import Rule, is_never_harmless, make_pattern_rule
from .search import SECRET_LENGTH_MIN
from .text_cleaner import RULES

_NUMBER_LENGTH_MIN = 7
"""Minimum characters of a document number that is also searched where it has no label."""
_DIGIT_COUNT_MIN = 5
"""Minimum digits among them."""

CleanAt = Callable[[str, Any], Any]
"""Cleans a part of a document: `clean_at("cell 3, outputs", outputs)`, with the place first."""


@dataclass(frozen=True)
class Leak:
    """Something to remove: its place (`cell 3, outputs`) and its kind (`CURP`)."""

    where: str
    kind: str

    def __str__(self) -> str:
        """The place and the kind, escaped."""
        return printable_lines(f"{self.where}: {self.kind}")


@explain_arguments
def scrub(
    document: Mapping[str, object],
    *,
    keep_personal: bool = False,
    personal: frozenset[str] = frozenset(),
) -> tuple[dict[str, Any], list[Leak]]:
    """Clean a notebook, HAR file or snapshot; return it with the list of what was removed.

    HAR files and snapshots also lose personal data, unless `keep_personal` is set; `personal` are
    names of a service for fields that hold such data.
    """
    is_notebook = "cells" in document
    is_private = not keep_personal and not is_notebook
    part_cleaner = _PartCleaner(personal, is_encoded=not is_notebook, is_private=is_private)
    clean_document_parts = _clean_notebook if is_notebook else _clean_entries
    clean_document = clean_document_parts(document, part_cleaner.clean_at)
    if part_cleaner.kind_by_secret:  # what was found in one place is removed from the others
        part_cleaner.rules = (*RULES, *_make_value_rules(part_cleaner.kind_by_secret))
        clean_document = clean_document_parts(clean_document, part_cleaner.clean_at)
    return clean_document, part_cleaner.leaks


class _PartCleaner:
    """Cleans the parts of one document, and collects what it removes.

    `kind_by_secret` are the secrets that can be searched for by value. With `is_private` personal
    data is removed, too.
    """

    def __init__(self, personal: frozenset[str], *, is_encoded: bool, is_private: bool) -> None:
        self.leaks: list[Leak] = []
        self.kind_by_secret: dict[str, str] = {}
        self.rules: tuple[Rule, ...] = RULES
        self._personal = personal
        self._is_encoded = is_encoded
        self._is_private = is_private

    def clean_at(self, where: str, document_part: object) -> Any:
        """Clean the part of the document at a place such as "cell 3, outputs"."""
        report_leak = partial(self._report_leak, where)
        cleaner = Cleaner(report_leak, self.rules, is_encoded=self._is_encoded)
        # What stands across several outputs is searched first: a part of it may look like a whole.
        if where.endswith(", outputs"):
            document_part = _clean_across_outputs(document_part, cleaner)
        clean_part = cleaner.clean(document_part)
        if "webhook" in where:
            part_before = clean_part
            clean_part = hide_url_secrets(part_before)
            if clean_part != part_before:
                self._report_leak(where, "webhook URL")
        if self._is_private:
            part_before = clean_part
            clean_part = hide_personal_data(part_before, self._personal)
            if clean_part != part_before:
                self._report_leak(where, "personal data")
        return clean_part

    def _report_leak(self, where: str, kind: str, secret_text: str = "") -> None:
        """Record what is removed. A distinctive secret is searched for in the other parts, too."""
        self.leaks.append(Leak(where, kind))
        self.kind_by_secret |= dict.fromkeys(_choose_texts_to_search(kind, secret_text), kind)


def _choose_texts_to_search(kind: str, secret_text: str) -> tuple[str, ...]:
    """The texts of a secret to search for in other parts; empty if they are not distinctive.

    Signatures and share tokens are removed only where a rule finds them.
    """
    if kind in ("signature", "share token"):
        return ()
    if kind == "key":
        is_long = len(secret_text) >= SECRET_LENGTH_MIN
        return (secret_text,) if is_long and not is_placeholder(secret_text) else ()
    return _list_number_spellings(secret_text)


def _list_number_spellings(number: str) -> tuple[str, ...]:
    """The spellings of a document number: as it stands, and its letters and digits alone.

    "12.345.678-9" also gives "123456789". Empty for a number with so few characters or digits that
    others are like it.
    """
    number_characters = "".join(filter(str.isalnum, number))
    digit_count = sum(map(str.isdigit, number_characters))
    is_distinctive = (
        len(number_characters) >= _NUMBER_LENGTH_MIN and digit_count >= _DIGIT_COUNT_MIN
    )
    return (number, number_characters) if is_distinctive else ()


def _make_value_rules(kind_by_secret: Mapping[str, str]) -> Iterator[Rule]:
    """Make a rule for each kind of secret, to find secrets that are known by value."""
    for secret_kind in dict.fromkeys(kind_by_secret.values()):
        secret_texts = [
            secret_text
            for secret_text in kind_by_secret
            if kind_by_secret[secret_text] == secret_kind
        ]
        sorted_texts = sorted(secret_texts, key=len, reverse=True)
        pattern_text = "|".join(map(re.escape, sorted_texts))
        if secret_kind != "key":  # a number is not a part of a longer one
            pattern_text = rf"(?<![\w.])(?:{pattern_text})(?!\w)"
        yield make_pattern_rule(secret_kind, pattern_text, is_never_harmless)


def _clean_entries(document: JsonMapping, clean_at: CleanAt) -> JsonObject:
    """Clean a HAR file or a snapshot: every entry of its log, or every row of its tables."""
    return {
        part_name: _clean_records(part_name, part, clean_at) for part_name, part in document.items()
    }


def _clean_notebook(document: JsonMapping, clean_at: CleanAt) -> JsonObject:
    """Clean a notebook: every cell, and then its other members, such as metadata."""
    cells = [
        _clean_cell(cell, cell_number, clean_at)
        for cell_number, cell in enumerate(document["cells"], 1)
    ]
    # The cells are clean already: None keeps their place among the other members.
    other_members = clean_at("notebook", {**document, "cells": None})
    return {**other_members, "cells": cells}


def _clean_records(record_kind: str, records: object, clean_at: CleanAt) -> Any:
    """Clean the entries of a log or the rows of a table one by one, and any other value as one."""
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
    """Clean the source, the outputs and the metadata of a cell of a notebook, each by itself."""
    if not isinstance(cell, Mapping):
        return cell
    return {
        part_name: clean_at(f"cell {cell_number}, {part_name}", notebook_part)
        for part_name, notebook_part in cell.items()
    }


def _clean_across_outputs(outputs: object, cleaner: Cleaner) -> Any:
    """Remove secrets that stand across several outputs: first of one stream, then of all."""
    if not isinstance(outputs, list):
        return outputs
    stream_names = dict.fromkeys(filter(None, map(_read_stream_name, outputs)))
    clean_outputs: list[Any] = list(outputs)
    for stream_name in stream_names:
        stream_indexes = [
            output_index
            for output_index, output in enumerate(outputs)
            if _read_stream_name(output) == stream_name
        ]
        _clean_neighbouring_outputs(clean_outputs, stream_indexes, cleaner)  # changes the list
    _clean_neighbouring_outputs(clean_outputs, range(len(outputs)), cleaner)
    # A stream of which nothing is left is None.
    return [output for output in clean_outputs if output is not None]


def _clean_neighbouring_outputs(
    outputs: list[Any], indexes: Iterable[int], cleaner: Cleaner
) -> None:
    """Remove secrets that stand across the outputs at these indexes, in the list itself.

    A stream becomes None if nothing of it is left.
    """
    text_by_index: dict[int, str] = {}
    for output_index in indexes:
        output_text = _read_output_text(outputs[output_index])
        if output_text is not None:
            text_by_index[output_index] = output_text
    if len(text_by_index) < 2:
        return
    # A secret may go on in the next output directly, or after a line break.
    clean_texts = cleaner.clean_pieces(cleaner.clean_pieces([*text_by_index.values()]), "\n")
    for (output_index, output_text), clean_text in zip(
        text_by_index.items(), clean_texts, strict=True
    ):
        if output_text != clean_text:
            outputs[output_index] = _replace_output_text(outputs[output_index], clean_text)


def _replace_output_text(output: Mapping[str, Any], new_text: str) -> Mapping[str, Any] | None:
    """Copy an output with another text; None if it is a stream and the text is empty."""
    if not _read_stream_name(output):
        return {**output, "data": {**output["data"], "text/plain": new_text}}
    return {**output, "text": new_text} if new_text else None


def _read_output_text(output: Any) -> str | None:
    """The text of an output that is a stream or a value; None for any other, such as an error."""
    if _read_stream_name(output):
        return join_lines(output["text"])
    mime_data = output.get("data") if isinstance(output, Mapping) else None
    plain_text = mime_data.get("text/plain") if isinstance(mime_data, Mapping) else None
    return None if plain_text is None else join_lines(plain_text)


def _read_stream_name(output: Any) -> object:
    """The name of the stream that an output belongs to, such as "stdout"; None for others."""
    is_stream = isinstance(output, Mapping) and output.get("output_type") == "stream"
    return output.get("name") if is_stream and "text" in output else None
