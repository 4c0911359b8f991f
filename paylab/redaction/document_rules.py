"""The rules for numbers of documents: beside their label, or in a form that no other number has."""

from __future__ import annotations

import re
from functools import lru_cache

from stdnum.ar import cuit

from .fields import TYPES as TYPE_NAMES
from .scrub_rules import Rule, Spans, form_rule, is_example
from .search import numbers
from .tables import DOCUMENT, is_document_number, values_in_columns

_TYPES = (
    r"cuit|cuil|cpf|cnpj|cc|ce|nit|pep|curp|tin|eu[ _-]residence[ _-]permit|emirates[ _-]id"
    r"|driv(?:er'?s?|ing)[ _-]licen[cs]e|national[ _-]id|passport"
    r"|tax[ _-]?(?:id|number)|ssn|social[ _-]security[ _-]number"
)
_BETWEEN = (
    r"""(?:[\s:=,#"'|()\[\]{]|\s-\s|\(\w[\w ]{0,30}\)|(?<![a-z])(?:is|was|no|number|id|value"""
    r"""|of(?:\s\w{1,20}){1,3}(?=\s(?:is|was)\b|:))(?![a-z])\.?|</?\w[^<>]{0,200}>){1,40}"""
)
"""Words, quotes, commas and tags between a label and its number, or between two cells."""
_GROUPS = r"\d{2,4}(?: \d{2,4}){2,4}"
_NUMBER = (
    rf"({_GROUPS}(?![\w.-])|(?=(?:[A-Z.\-/ ]{{0,6}}\d){{5}})"
    # Letters before a space are capitals: "tin can 123456" has no number.
    r"(?:(?-i:[A-Z]{1,3})[ -]|[A-Z]{0,3}-?)\d[A-Z0-9.\-/]{3,20}[A-Z0-9])"
)
_TIME = re.compile(
    r"(?:[A-Za-z]{1,3} )?\d{4}[-/.]\d\d[-/.]\d\d(?:[^\d-].*)?|\d{4} \d\d \d\d", re.DOTALL
)
_PLACE = re.compile(
    r"(?:[a-z][a-z0-9+.-]*:)?//|.*/.*[a-z]|.*\.[a-z]\w{1,4}\Z", re.IGNORECASE | re.DOTALL
)
"""The address of something, a path, and the name of a file."""
_LABEL = re.compile(
    rf"""(?:document[._ -]?numbers?|\b(?:{"|".join(TYPE_NAMES)})\w{{0,8}})["'\]]{{0,2}}\s*[:=]""",
    re.IGNORECASE,
)
_ANY_LABEL = re.compile(rf"(?<![^\W_])(?:{_TYPES}|document)(?![a-z])", re.IGNORECASE)
_IN_BRACKETS = re.compile(rf"\(\s?(?:{_TYPES})\s?\)", re.IGNORECASE)
_COLUMN = re.compile(rf"(?<!\w)(?:{DOCUMENT.pattern})(?=\W*?(?:[|\t;,<\s]|\Z))", re.IGNORECASE)
_DIGITS = re.compile(r"\d(?:[A-Za-z.\-/ ]{0,6}\d){4}", re.ASCII)
"""What every number of these rules has, except those in fields and columns."""
_DOCUMENT = re.compile(r"""document\w{0,20}["']{0,2}\s*[:=(\[{]|["']type["']""", re.IGNORECASE)
_NEAR = 200
"""Maximum characters from the name of a document to that of its number."""


def is_allowed(number: str) -> bool:
    """Whether a text beside a label is an example's number, a time or an address."""
    return is_example(number) or bool(_TIME.fullmatch(number) or _PLACE.match(number))


def _in_columns(text: str) -> Spans:
    """The numbers in columns that are named after a document."""
    label = _COLUMN.search(text)
    return values_in_columns(text, DOCUMENT, _is_number, label.start()) if label else iter(())


def _is_number(text: str) -> bool:
    return is_document_number(text) and not is_allowed(text)


def _beside_label(text: str) -> Spans:
    """The numbers in the fields of a document, in JSON, a repr, a query, XML and YAML."""
    for number, start, end in numbers(text):
        if not is_allowed(number) and _is_labelled(text, start):
            yield start, end


def _is_labelled(text: str, start: int) -> bool:
    """Whether the field before a place is that of a document; `number` alone is any number."""
    text_before = text[max(0, start - _NEAR) : start]
    is_quoted = text_before[-1:] in ("'", '"', ">")
    return is_quoted or bool(_LABEL.search(text_before[-60:]) or _DOCUMENT.search(text_before))


def _invalid_cuit(number: str) -> bool:
    return is_example(number) or not cuit.is_valid(number)


@lru_cache(maxsize=2)
def _has_digits(text: str) -> bool:
    return _DIGITS.search(text) is not None


@lru_cache(maxsize=2)
def _has_label(text: str) -> bool:
    return _has_digits(text) and _ANY_LABEL.search(text) is not None


@lru_cache(maxsize=2)
def _has_label_in_brackets(text: str) -> bool:
    return _has_digits(text) and _IN_BRACKETS.search(text) is not None


def _labelled(form: str, *words: str, kind: str = "document number") -> Rule:
    """A rule for a number beside its label; a text without a label is not searched."""
    return form_rule(kind, form, is_allowed, words)._replace(is_searched=_has_label)


DOCUMENTS: tuple[Rule, ...] = (
    *(
        rule._replace(is_searched=_has_digits)
        for rule in (
            form_rule(
                "CURP",
                r"(?i)(?<![A-Z0-9])[A-Z]{4}\d{6}[HM][A-Z]{5}[A-Z0-9]\d(?!\w)",
                lambda number: is_example(number.upper()),
            ),
            form_rule(
                "CNPJ", r"(?<![\w.])\d{2}\.\d{3}\.\d{3}/\d{4}-\d{2}(?!\w)", is_example, ("/",)
            ),
            form_rule("CPF", r"(?<![\w.])\d{3}\.\d{3}\.\d{3}-\d{2}(?!\w)", is_example, ("-",)),
            form_rule(
                "Emirates ID", r"(?<![\w-])784-\d{4}-\d{7}-\d(?![\w-])", is_example, ("784-",)
            ),
            form_rule(
                "CUIT", r"(?<![\w-])(?:2[03-7]|3[034])-\d{8}-\d(?![\w-])", _invalid_cuit, ("-",)
            ),
        )
    ),
    *(
        _labelled(rf"(?i)(?<!\w){name}{_BETWEEN}{form}(?![\w-])", name, kind=name.upper())
        for name, form in (
            ("cpf", r"(\d{11}|\d{3}\.?\d{3}\.?\d{3}-\d{2})"),
            ("cnpj", r"(\d{14})"),
            ("tin", r"(\d{3}-\d{3}-\d{3}(?:-\d{3,5})?)"),
            ("nit", r"(\d{1,3}(?:\.\d{3}){2}(?:-\d)?|\d{9}-?\d)"),
            ("cuit", r"(\d{11})"),
            ("cuil", r"(\d{11})"),
            ("curp", r"([A-Z]{4}[ -]?\d{6}[ -]?[HM][A-Z]{5}[ -]?[A-Z0-9]\d)"),
        )
    ),
    Rule("document number", _beside_label, ("document", "number", *TYPE_NAMES)),
    _labelled(
        rf"(?i)(?<!\w)(?:{_TYPES})(?:[ _-](?:no|number|id)\b\.?)?{_BETWEEN}"
        rf"(?:number{_BETWEEN})?{_NUMBER}(?!\w)"
    ),
    _labelled(
        rf"(?i)(?<!\w)number{_BETWEEN}{_NUMBER}{_BETWEEN}type{_BETWEEN}(?:{_TYPES})(?!\w)", "number"
    ),
    _labelled(rf"(?i)(?<![\w.-]){_NUMBER}\s?\(\s?(?:{_TYPES})\s?\)", "(")._replace(
        is_searched=_has_label_in_brackets
    ),
    Rule(
        "document number",
        _in_columns,
        ("\n", "<tr"),
        _has_label,
    ),
)
