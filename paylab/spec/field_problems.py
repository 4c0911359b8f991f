"""The problems of single fields in an error body, from messages, sentences, codes and names."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..errors.base import Problem
from .complaints import read_sentence, says_missing, says_unknown, to_dotted_path
from .error_words import strip_markup
from .text import JsonValue, plain

SOURCE = "service"
"""The source of problems that the service reports; no rule of ours is behind them."""
FIELD_CHARACTERS_MAX = 100

BARE_CODE = re.compile(r"[A-Z][A-Z\d_]*")
FIELD_CODE = re.compile(r"(?P<field>[a-z]\w*)_(?P<words>required|invalid)")


def make_problem(field: object, message: str) -> Problem:
    """The problem of a field, by its name or path in any spelling; both texts are printable."""
    field_path = plain(to_dotted_path(field), FIELD_CHARACTERS_MAX)
    return Problem(field_path, plain(strip_markup(message)), SOURCE)


def read_sentence_problem(sentence: str) -> Problem:
    """The problem in a sentence, with the field that it names."""
    complaint = read_sentence(" ".join(sentence.split()))
    return make_problem(complaint.field, complaint.words)


def read_field_codes(error_codes: JsonValue) -> Iterator[Problem]:
    """Yield the problems in a list of codes: `email_required` says that `email` is required."""
    if not isinstance(error_codes, list):
        return
    for code in error_codes:
        code_match = FIELD_CODE.fullmatch(str(code))
        if code_match:
            yield make_problem(code_match["field"], f"is {code_match['words']}")


def read_name_list(name_list: JsonValue, message: str) -> Iterator[Problem]:
    """Yield a problem for each name in a list such as `{"missing_fields": ["amount"]}`."""
    if isinstance(name_list, list) and all(isinstance(field_name, str) for field_name in name_list):
        yield from (make_problem(field_name, message) for field_name in name_list)


def is_about_field(problem: Problem) -> bool:
    """Whether a text from a body of unknown shape is about a field: "amount: must be a number".

    "status: FAILED" is only a key and its value.
    """
    message = problem.message
    if BARE_CODE.fullmatch(message):
        return False
    is_demand = message.startswith(("must ", "should "))
    return says_missing(message) or says_unknown(message) or is_demand
