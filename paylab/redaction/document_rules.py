"""The rules for numbers of documents: beside their label, or in a form that no other number has."""

from __future__ import annotations

import re
from functools import lru_cache

from stdnum.ar import cuit

from ..corridors import examples
from .fields import TYPE_NAMES
from .scrub_rules import Rule, Spans, make_pattern_rule
from .search import find_document_numbers
from .tables import DOCUMENT_LABEL, find_column_values, is_document_number

_EXAMPLE_DOCUMENTS = (
    *examples.DOCUMENTS.values(),
    *(person["document"] for person in examples.PEOPLE.values()),
)
EXAMPLE_NUMBERS = frozenset(str(document["number"]) for document in _EXAMPLE_DOCUMENTS)

_TYPES = (
    r"cuit|cuil|cpf|cnpj|cc|ce|nit|pep|curp|tin|eu[ _-]residence[ _-]permit|emirates[ _-]id"
    r"|driv(?:er'?s?|ing)[ _-]licen[cs]e|national[ _-]id|passport"
    r"|tax[ _-]?(?:id|number)|ssn|social[ _-]security[ _-]number"
)
_LABEL_TO_NUMBER = (
    r"""(?:[\s:=,#"'|()\[\]{]|\s-\s|\(\w[\w ]{0,30}\)|(?<![a-z])(?:is|was|no|number|id|value"""
    r"""|of(?:\s\w{1,20}){1,3}(?=\s(?:is|was)\b|:))(?![a-z])\.?|</?\w[^<>]{0,200}>){1,40}"""
)
"""Words, quotes, commas and tags between a label and its number, or between two cells."""
_DIGIT_GROUPS = r"\d{2,4}(?: \d{2,4}){2,4}"
_NUMBER = (
    rf"({_DIGIT_GROUPS}(?![\w.-])|(?=(?:[A-Z.\-/ ]{{0,6}}\d){{5}})"
    # Letters before a space are capitals: "tin can 123456" has no number.
    r"(?:(?-i:[A-Z]{1,3})[ -]|[A-Z]{0,3}-?)\d[A-Z0-9.\-/]{3,20}[A-Z0-9])"
)
_TIME = re.compile(
    r"(?:[A-Za-z]{1,3} )?\d{4}[-/.]\d\d[-/.]\d\d(?:[^\d-].*)?|\d{4} \d\d \d\d", re.DOTALL
)
_URL_OR_PATH = re.compile(
    r"(?:[a-z][a-z0-9+.-]*:)?//|.*/.*[a-z]|.*\.[a-z]\w{1,4}\Z", re.IGNORECASE | re.DOTALL
)
"""The address of something, a path, and the name of a file."""
_LABEL = re.compile(
    rf"""(?:document[._ -]?numbers?|\b(?:{"|".join(TYPE_NAMES)})\w{{0,8}})["'\]]{{0,2}}\s*[:=]""",
    re.IGNORECASE,
)
_ANY_LABEL = re.compile(rf"(?<![^\W_])(?:{_TYPES}|document)(?![a-z])", re.IGNORECASE)
_IN_BRACKETS = re.compile(rf"\(\s?(?:{_TYPES})\s?\)", re.IGNORECASE)
_COLUMN = re.compile(
    rf"(?<!\w)(?:{DOCUMENT_LABEL.pattern})(?=\W*?(?:[|\t;,<\s]|\Z))", re.IGNORECASE
)
_DIGITS = re.compile(r"\d(?:[A-Za-z.\-/ ]{0,6}\d){4}", re.ASCII)
"""Five digits close together. Only numbers in fields and columns can have fewer."""
_DOCUMENT = re.compile(r"""document\w{0,20}["']{0,2}\s*[:=(\[{]|["']type["']""", re.IGNORECASE)
_LABEL_DISTANCE_MAX = 200
"""Maximum characters from the name of a document to that of its number."""
_OWN_LABEL_LENGTH_MAX = 60
"""Maximum characters of the label directly before a number."""


def is_example_number(number: str) -> bool:
    """Whether a document number belongs to an example person, or has no digit but zeros."""
    return number in EXAMPLE_NUMBERS or not set(number) & set("123456789")


def is_harmless_number(number: str) -> bool:
    """Whether a text beside a label is an example's number, a time or an address."""
    return is_example_number(number) or bool(_TIME.fullmatch(number) or _URL_OR_PATH.match(number))


def _find_column_numbers(text: str) -> Spans:
    """The places of numbers in columns of a table that are named after a document."""
    label_match = _COLUMN.search(text)
    if label_match is None:
        return iter(())
    return find_column_values(
        text, DOCUMENT_LABEL, _is_secret_number, label_start=label_match.start()
    )


def _is_secret_number(text: str) -> bool:
    """Whether a cell is a document number, and neither an example's nor a time."""
    return is_document_number(text) and not is_harmless_number(text)


def _find_labelled_numbers(text: str) -> Spans:
    """Yield the places of numbers in fields of a document: in JSON, a repr, a query, XML, YAML."""
    for number, number_start, number_end in find_document_numbers(text):
        if not is_harmless_number(number) and _has_document_label(text, number_start):
            yield number_start, number_end


def _has_document_label(text: str, number_start: int) -> bool:
    """Whether a number in a field is that of a document, by the text before it.

    A value in quotes always is. Without quotes, the text before it must have the word "document" or
    the type of a document, since `number` alone can be the name of any number.
    """
    text_before = text[max(0, number_start - _LABEL_DISTANCE_MAX) : number_start]
    is_quoted = text_before[-1:] in ("'", '"', ">")
    has_own_label = _LABEL.search(text_before[-_OWN_LABEL_LENGTH_MAX:]) is not None
    return is_quoted or has_own_label or _DOCUMENT.search(text_before) is not None


def _is_harmless_cuit(number: str) -> bool:
    """Whether a number is the CUIT of an example, or no CUIT, since its check digit is wrong."""
    return is_example_number(number) or not cuit.is_valid(number)


@lru_cache(maxsize=2)
def _has_digits(text: str) -> bool:
    """Whether a text has five digits close together, as every document number has."""
    return _DIGITS.search(text) is not None


@lru_cache(maxsize=2)
def _has_label(text: str) -> bool:
    """Whether a text has digits and the type of a document, such as "passport"."""
    return _has_digits(text) and _ANY_LABEL.search(text) is not None


@lru_cache(maxsize=2)
def _has_label_in_brackets(text: str) -> bool:
    """Whether a text has digits and the type of a document in brackets, as in "number (CURP)"."""
    return _has_digits(text) and _IN_BRACKETS.search(text) is not None


def _make_labelled_rule(
    pattern_text: str, *words: str, number_kind: str = "document number"
) -> Rule:
    """Make a rule for a number beside its label; the group of the pattern is the number.

    A text without any label, or without any of `words`, is not searched.
    """
    rule = make_pattern_rule(number_kind, pattern_text, is_harmless_number, words)
    return rule._replace(is_searched=_has_label)


DOCUMENTS: tuple[Rule, ...] = (
    *(
        rule._replace(is_searched=_has_digits)
        for rule in (
            make_pattern_rule(
                "CURP",
                r"(?i)(?<![A-Z0-9])[A-Z]{4}\d{6}[HM][A-Z]{5}[A-Z0-9]\d(?!\w)",
                lambda number: is_example_number(number.upper()),
            ),
            make_pattern_rule(
                "CNPJ",
                r"(?<![\w.])\d{2}\.\d{3}\.\d{3}/\d{4}-\d{2}(?!\w)",
                is_example_number,
                ("/",),
            ),
            make_pattern_rule(
                "CPF", r"(?<![\w.])\d{3}\.\d{3}\.\d{3}-\d{2}(?!\w)", is_example_number, ("-",)
            ),
            make_pattern_rule(
                "Emirates ID",
                r"(?<![\w-])784-\d{4}-\d{7}-\d(?![\w-])",
                is_example_number,
                ("784-",),
            ),
            make_pattern_rule(
                "CUIT", r"(?<![\w-])(?:2[03-7]|3[034])-\d{8}-\d(?![\w-])", _is_harmless_cuit, ("-",)
            ),
        )
    ),
    *(
        _make_labelled_rule(
            rf"(?i)(?<!\w){label}{_LABEL_TO_NUMBER}{form}(?![\w-])",
            label,
            number_kind=label.upper(),
        )
        for label, form in (
            ("cpf", r"(\d{11}|\d{3}\.?\d{3}\.?\d{3}-\d{2})"),
            ("cnpj", r"(\d{14})"),
            ("tin", r"(\d{3}-\d{3}-\d{3}(?:-\d{3,5})?)"),
            ("nit", r"(\d{1,3}(?:\.\d{3}){2}(?:-\d)?|\d{9}-?\d)"),
            ("cuit", r"(\d{11})"),
            ("cuil", r"(\d{11})"),
            ("curp", r"([A-Z]{4}[ -]?\d{6}[ -]?[HM][A-Z]{5}[ -]?[A-Z0-9]\d)"),
        )
    ),
    Rule("document number", _find_labelled_numbers, ("document", "number", *TYPE_NAMES)),
    _make_labelled_rule(
        rf"(?i)(?<!\w)(?:{_TYPES})(?:[ _-](?:no|number|id)\b\.?)?{_LABEL_TO_NUMBER}"
        rf"(?:number{_LABEL_TO_NUMBER})?{_NUMBER}(?!\w)"
    ),
    _make_labelled_rule(
        rf"(?i)(?<!\w)number{_LABEL_TO_NUMBER}{_NUMBER}{_LABEL_TO_NUMBER}type{_LABEL_TO_NUMBER}(?:{_TYPES})(?!\w)",
        "number",
    ),
    _make_labelled_rule(rf"(?i)(?<![\w.-]){_NUMBER}\s?\(\s?(?:{_TYPES})\s?\)", "(")._replace(
        is_searched=_has_label_in_brackets
    ),
    Rule(
        "document number",
        _find_column_numbers,
        ("\n", "<tr"),
        _has_label,
    ),
)
