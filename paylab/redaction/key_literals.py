"""Keys as literals in source code: assigned to a name, passed to a call, in a row of values."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from .key_names import BOUNDED_KEY_NAME, KEY_NAME, find_named_regions, looks_like_key
from .placeholders import is_stand_in, is_word
from .scrub_rules import Spans

_LITERAL_CHARACTER = r"""(?:[^"'\\\n]|\\.)"""
_PREFIX = "[rbfuRBFU]{0,2}"
_NEXT_LITERAL = rf"""["']\s*\+?\s*{_PREFIX}["']{_LITERAL_CHARACTER}+"""
_JOINED_LITERALS = (
    rf"""{_PREFIX}(?:\"\"\"|'''|["'])(?P<text>{_LITERAL_CHARACTER}{{4,}}(?:{_NEXT_LITERAL})*)"""
)
"""A literal, or several joined ones; the group is the text between the outer quotes."""
_CALL_OF_VALUE = (
    r"(?:(?:[\w.]{1,40}\.)?(?:fromhex|b64decode|bytes|Secret\w{0,9})?\(\s*+"
    r"|(?P<call>\w+)\(\s*+)"
)
"""A call that makes a key of its text, brackets alone, or another call."""
_TYPE_ANNOTATION = (
    r"""(?::\s*["']?[\w.]{1,80}(?:\[[\w.,|\s\[\]]{1,80}\])?(?:\s*\|\s*[\w.]{1,80}){0,4}["']?)"""
)
"""The annotation of a variable or parameter."""
_GAP_BEFORE_VALUE = r"(?:\s|\\\n|#[^\n]{0,200}\n)*+"
"""White space, comments and continued lines before a value."""
_ALTERNATIVE = (
    r"""(?:[^\n"'=,]{1,80}\b(?:or|else)\s+"""
    r"""|(?P<lookup>[\w.]{1,80}[(\[]\s*["'][^"'\n]{1,80}["'](?:\s*,\s*|[)\]]+\s*(?:or|else)\s+)))"""
)
"""What stands before the second of two values, such as the default of a lookup."""

_LITERAL_BESIDE_NAME = re.compile(
    rf"""(?i)(?<!\w){BOUNDED_KEY_NAME}(?:["'\])]*\s*(?:{_TYPE_ANNOTATION}\s*)?(?:[:=!]?=|:)|["']\s*,"""
    rf"""|["'\])]+\s*or\b){_GAP_BEFORE_VALUE}(?:[\w.]{{1,80}}+\s*+=\s*+){{0,3}}+{_ALTERNATIVE}?{_CALL_OF_VALUE}?{_GAP_BEFORE_VALUE}{_JOINED_LITERALS}"""
)
_TARGET = r"\*?[A-Za-z_][\w.]{0,80}"
_ASSIGNMENT = re.compile(
    rf"(?<![\w.,])(?:[(\[][ \t]{{0,80}})?({_TARGET}(?:\s*+,\s*+{_TARGET}){{0,20}})"
    r"(?:\s*+,)?+(?:\s*+[)\]])?+"
    rf"(?:\s*+=(?!=)(?:\s*+{_TARGET}\s*+=(?!=)){{0,3}}|(?P<loop>\s++in\s))\s*[(\[{{]?"
)
_GAP_BETWEEN_VALUES = r"(?:\s|#[^\n]{0,200}\n)*+"
"""White space and comments between two values."""
_OTHER_VALUE = r"""[^,"'()\[\]{}\n]{0,100}"""
_VALUE = re.compile(
    rf"""{_GAP_BETWEEN_VALUES}(?:{_JOINED_LITERALS}["']{{1,3}}|{_PREFIX}(?:"[^"\n]{{0,3}}"|'[^'\n]{{0,3}}')|{_OTHER_VALUE}(?:[(\[][^()\[\]\n]{{0,100}}[)\]]{_OTHER_VALUE}){{0,3}})"""
    r"\s*(?P<more>,?)"
)


class _AssignedLiteral(NamedTuple):
    """A literal on the right of an assignment, and whether its name is a name of a key."""

    start: int
    end: int
    is_of_key: bool


def _find_assigned_literals(text: str) -> Iterator[_AssignedLiteral]:
    """Yield the literals of assignments such as `api_key, host = "k4f9", "b"`.

    An assignment of one value to one name is left to the rule for a literal beside a name.
    """
    for assignment_match in _ASSIGNMENT.finditer(text):
        target_names = [target_name.strip() for target_name in assignment_match[1].split(",")]
        spans = list(_find_literal_spans(text, assignment_match.end()))
        is_loop = assignment_match["loop"] is not None
        if len(target_names) == len(spans) == 1 and not is_loop:
            continue
        key_flags = [_is_name_of_key(target_name) for target_name in target_names]
        has_one_value_each = len(target_names) == len(spans) and "*" not in assignment_match[1]
        for index, span in enumerate(spans):
            if span is not None:
                # Where it is not clear which name a value has, any key among the names counts.
                is_of_key = key_flags[index] if has_one_value_each else any(key_flags)
                yield _AssignedLiteral(*span, is_of_key)


def _is_name_of_key(target: str) -> bool:
    """Whether the target of an assignment, such as `self.api_key`, is named after a key."""
    return KEY_NAME.fullmatch(target.rpartition(".")[2].lstrip("*")) is not None


def _find_literal_spans(text: str, start: int) -> Iterator[tuple[int, int] | None]:
    """Yield the place of each value in a row that starts at an offset; None for no literal."""
    value_start = start
    has_more_values = True
    while has_more_values:
        literal_match = _VALUE.match(text, value_start)
        if literal_match is None or literal_match.end() == value_start:
            return
        yield literal_match.span("text") if literal_match["text"] is not None else None
        has_more_values = bool(literal_match["more"])
        value_start = literal_match.end()


def find_key_literals(text: str) -> Spans:
    """Yield the places of the literals that source code gives to the name of a key."""
    other_spans = set()  # literals of names beside that of a key
    for assigned_literal in _find_assigned_literals(text):
        span = (assigned_literal.start, assigned_literal.end)
        if not assigned_literal.is_of_key:
            other_spans.add(span)
        elif not _is_harmless_literal(text[assigned_literal.start : assigned_literal.end]):
            yield span
    # There is a region: a text without the name of a key is not searched (`has_key_name`).
    first_region_start = find_named_regions(text)[0][0]
    for literal_match in _LITERAL_BESIDE_NAME.finditer(text, first_region_start):
        literal_text = literal_match["text"]
        # The text of another call or lookup may be a name, such as `os.environ["API_KEY"]`.
        may_be_name = bool(literal_match["call"] or literal_match["lookup"])
        is_harmless = is_word(literal_text) if may_be_name else _is_harmless_literal(literal_text)
        if literal_match.span("text") not in other_spans and not is_harmless:
            yield literal_match.span("text")


def _is_harmless_literal(literal: str) -> bool:
    """Whether a literal is a placeholder, or the name of a key."""
    return is_stand_in(literal) or KEY_NAME.fullmatch(literal) is not None


_BRACKETED_ASSIGNMENT = re.compile(
    r"(?m)^[ \t]*([^\n=]{0,200}[(\[][^\n=]{0,200}[)\]][^\n=]{0,80})=(?!=)([^\n]{1,2000})"
)
"""An assignment to names in brackets."""
_LITERAL = re.compile(r"""["']([^"'\n\\]{8,})["']""")


def find_bracketed_literals(text: str) -> Spans:
    """Yield the places of literals that are assigned to names in brackets, one of them a key's."""
    for assignment_match in _BRACKETED_ASSIGNMENT.finditer(text):
        targets_text = assignment_match[1]
        assigned_names = re.findall(r"\w+", targets_text)
        has_several_names = "," in targets_text
        if not has_several_names or not any(map(KEY_NAME.fullmatch, assigned_names)):
            continue
        for literal_match in _LITERAL.finditer(text, *assignment_match.span(2)):
            if looks_like_key(literal_match[1]):
                yield literal_match.span(1)
