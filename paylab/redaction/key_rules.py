"""The rules for keys, tokens and signatures: by their form, by a name, by assignment."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import lru_cache

from .fields import casefolded, share_tokens
from .scrub_rules import Rule, Spans, form_rule, is_placeholder, is_stand_in, is_word
from .search import PLACES, SIGNATURE, is_signature, places
from .tables import values_in_columns

KEY_NAME = re.compile(
    r"(?:\w+-){0,4}\w*(?:(?:api|secret|access|private|signing)[_-]?keys?\w*|secrets?)"
    r"|\w*(?:password|passwd|passphrase)"
    r"|(?:x-)?\w*(?:control|access|auth|refresh|bearer)[_-]?token",
    re.IGNORECASE,
)

_KEY_WORDS = ("key", "secret", "passw", "passphrase", "token")
_ANY_NAME = re.compile(
    r"(?:api|secret|access|private|signing)[ _-]?key|secret|passw|passphrase"
    r"|(?:control|access|auth|refresh|bearer)[_-]?token",
    re.IGNORECASE,
)
"""What every name of a key has in it."""


_BEFORE = 300
_AFTER = 1_000
"""Characters before and after the word of a name, in which a rule for a key beside it matches."""
_SPACE_SIGN = re.compile(r"\s")


@lru_cache(maxsize=2)
def _parts_with_names(text: str) -> tuple[tuple[int, int], ...]:
    """The parts of a text around the names of keys, each to the end of a word."""
    words = casefolded(text)
    parts = list[tuple[int, int]]()
    for at in sorted(at for word in _KEY_WORDS for at in places(word, words)):
        is_inside = parts and min(at + _AFTER, len(text)) <= parts[-1][1]
        if is_inside or not _ANY_NAME.search(text, max(0, at - 10), at + 12):
            continue
        space = _SPACE_SIGN.search(text, at + _AFTER)
        start = max(0, at - _BEFORE)
        if parts and start <= parts[-1][1]:
            start = parts.pop()[0]
        parts.append((start, space.start() if space else len(text)))
    return tuple(parts)


def _has_name(text: str) -> bool:
    return bool(_parts_with_names(text))


def _never(_: str) -> bool:
    return False


def _is_name(text: str) -> bool:
    return is_stand_in(text) or KEY_NAME.fullmatch(text) is not None


def _named_form(form: str, is_allowed: Callable[[str], bool]) -> Rule:
    """A rule for a key beside its name; a text without such a name is not searched."""
    pattern = re.compile(form)

    def find(text: str) -> Spans:
        for part in _parts_with_names(text):
            for match in pattern.finditer(text, *part):
                if not is_allowed(match[1]):
                    yield match.span(1)

    return Rule("key", find, _KEY_WORDS, _has_name)


# Bounded: a long word of many such names would be searched from each of them to its end.
_KEY_NAME = rf"(?:{KEY_NAME.pattern})".replace(r"\w*", r"\w{0,80}").replace(r"\w+-", r"\w{1,40}-")
_KEY_END = (
    r"(?:(?:api|secret|access|private|signing)[ _-]?keys?\w{0,40}|secret|password|control[_-]token)"
)
"""The name of a key from the word that tells it."""
_PART = r"""(?:[^"'\\\n]|\\.)"""
_PREFIX = "[rbfuRBFU]{0,2}"
_NEXT = rf"""["']\s*\+?\s*{_PREFIX}["']{_PART}+"""
_JOINED = rf"""{_PREFIX}(?:\"\"\"|'''|["'])(?P<text>{_PART}{{4,}}(?:{_NEXT})*)"""
"""A literal, or several joined ones; the group is the text between the outer quotes."""
_CALL = (
    r"(?:(?:[\w.]{1,40}\.)?(?:fromhex|b64decode|bytes|Secret\w{0,9})?\(\s*+"
    r"|(?P<call>\w+)\(\s*+)"
)
"""A call that makes a key of its text, brackets alone, or another call."""
_TYPE = r"""(?::\s*["']?[\w.]{1,80}(?:\[[\w.,|\s\[\]]{1,80}\])?(?:\s*\|\s*[\w.]{1,80}){0,4}["']?)"""
"""The annotation of a variable or parameter."""
_GAP = r"(?:\s|\\\n|#[^\n]{0,200}\n)*+"
"""White space, comments and continued lines before a value."""
_CHOICE = (
    r"""(?:[^\n"'=,]{1,80}\b(?:or|else)\s+"""
    r"""|(?P<lookup>[\w.]{1,80}[(\[]\s*["'][^"'\n]{1,80}["'](?:\s*,\s*|[)\]]+\s*(?:or|else)\s+)))"""
)
"""What stands before the second of two values, such as the default of a lookup."""
_TAG = r"</?(?!t(?:r|head|body)\b)\w[^<>]{0,200}>"
"""A tag within one row of a table."""
_BARE = r"""([^\s"'`,;()\[\]{}<>&\\]{8,}+)"""

_SPACED_NAME = rf"(?:{_KEY_NAME}|(?:api|secret|access|private|signing|control) (?:key|token))"
_LONG_KEY = r"([A-Za-z0-9][\w+/=-]{14,}+)"
"""So long that it is no word of a sentence."""

_BESIDE_NAME = re.compile(
    rf"""(?i)(?<!\w){_KEY_NAME}(?:["'\])]*\s*(?:{_TYPE}\s*)?(?:[:=!]?=|:)|["']\s*,"""
    rf"""|["'\])]+\s*or\b){_GAP}(?:[\w.]{{1,80}}+\s*+=\s*+){{0,3}}+{_CHOICE}?{_CALL}?{_GAP}{_JOINED}"""
)
_TARGET = r"\*?[A-Za-z_][\w.]{0,80}"
_ASSIGNMENT = re.compile(
    rf"(?<![\w.,])(?:[(\[][ \t]{{0,80}})?({_TARGET}(?:\s*+,\s*+{_TARGET}){{0,20}})"
    r"(?:\s*+,)?+(?:\s*+[)\]])?+"
    rf"(?:\s*+=(?!=)(?:\s*+{_TARGET}\s*+=(?!=)){{0,3}}|(?P<loop>\s++in\s))\s*[(\[{{]?"
)
_SPACE = r"(?:\s|#[^\n]{0,200}\n)*+"
"""White space and comments between two values."""
_PLAIN = r"""[^,"'()\[\]{}\n]{0,100}"""
_VALUE = re.compile(
    rf"""{_SPACE}(?:{_JOINED}["']{{1,3}}|{_PREFIX}(?:"[^"\n]{{0,3}}"|'[^'\n]{{0,3}}')|{_PLAIN}(?:[(\[][^()\[\]\n]{{0,100}}[)\]]{_PLAIN}){{0,3}})"""
    r"\s*(?P<more>,?)"
)


def _assigned(text: str) -> Iterator[tuple[str, int, int, bool]]:
    """The literals of assignments with several names or values, and whether a key's name has it."""
    for match in _ASSIGNMENT.finditer(text):
        names = [name.strip() for name in match[1].split(",")]
        values = list(_values(text, match.end()))
        if len(names) == len(values) == 1 and not match["loop"]:
            continue
        is_key = [KEY_NAME.fullmatch(name.rpartition(".")[2].lstrip("*")) for name in names]
        for at, value in enumerate(values):
            if value is not None:
                is_pair = len(names) == len(values) and "*" not in match[1]
                yield text[slice(*value)], *value, bool(is_key[at] if is_pair else any(is_key))


def _values(text: str, at: int) -> Iterator[tuple[int, int] | None]:
    """The places of the literals in a row of values; None for another value."""
    while match := _VALUE.match(text, at):
        if match.end() == at:
            return
        yield match.span("text") if match["text"] is not None else None
        if not match["more"]:
            return
        at = match.end()


def _literals(text: str) -> Spans:
    """The literals that are given to the name of a key."""
    assigned = list(_assigned(text))
    for value, start, end, is_key in assigned:
        if is_key and not _is_name(value):
            yield start, end
    other_spans = {(start, end) for _, start, end, is_key in assigned if not is_key}
    for match in _BESIDE_NAME.finditer(text, _parts_with_names(text)[0][0]):
        is_allowed = is_word if match["call"] or match["lookup"] else _is_name
        if match.span("text") not in other_spans and not is_allowed(match["text"]):
            yield match.span("text")


def _share_tokens(text: str) -> Spans:
    """The share tokens of identity verification."""
    return (
        (start, end)
        for value, start, end in share_tokens(text)
        if not (is_stand_in if text[start - 1] in "\"'" else is_placeholder)(value)
    )


_NESTED = re.compile(
    r"(?m)^[ \t]*([^\n=]{0,200}[(\[][^\n=]{0,200}[)\]][^\n=]{0,80})=(?!=)([^\n]{1,2000})"
)
"""An assignment to names in brackets."""
_LITERAL = re.compile(r"""["']([^"'\n\\]{8,})["']""")


def _nested_literals(text: str) -> Spans:
    """The literals of an assignment to names in brackets, one of which is that of a key."""
    for match in _NESTED.finditer(text):
        names = re.findall(r"\w+", match[1])
        for literal in _LITERAL.finditer(text, *match.span(2)) if "," in match[1] else ():
            if any(map(KEY_NAME.fullmatch, names)) and is_key(literal[1]):
                yield literal.span(1)


def _in_columns(text: str) -> Spans:
    """The values in columns that are named after a key."""
    for part in _parts_with_names(text):
        if label := _COLUMN.search(text, *part):
            return values_in_columns(text, KEY_NAME, is_key, label.start(1))
    return iter(())


def is_key(text: str) -> bool:
    """Whether a text has the form of a key: 8 characters or more, with letters and digits."""
    has_both = any(map(str.isdigit, text)) and any(map(str.isalpha, text))
    return has_both and _KEY.fullmatch(text) is not None and not is_word(text)


_KEY = re.compile(r"(?!\d{4}-\d\d-\d\d)[A-Za-z0-9][\w.~+/=-]{7,}")

_COLUMN = re.compile(
    rf"(?i)(?:^|[|\t;,>\s])[\"'`*]{{0,3}}({_KEY_NAME})[\"'`*]{{0,3}}\s*?(?=[|\t;,<\n]|\Z|  )"
)

# In this order: text found by one rule is skipped by the next ones.
LONG: tuple[Rule, ...] = (
    form_rule(
        "signature",
        r"Signature=((?:[A-Za-z0-9+/]\s{0,8}){86}==|[A-Za-z0-9+/]{40,}={0,2}"
        r"|[A-Za-z0-9+/]{8,}(?:[\r\n]+[A-Za-z0-9+/]{8,})+={0,2})",
        _never,
        ("signature",),
    ),
    form_rule("signature", SIGNATURE, lambda text: not is_signature(text), ("==",)),
    form_rule(
        "key",
        r"(?<![A-Za-z0-9])(?:[ps]k|ct)_[A-Za-z]+_[0-9A-Za-z]{16,}",
        _never,
        ("pk_", "sk_", "ct_"),
    ),
)
"""What a text has at once that is cut into pieces."""

KEYS: tuple[Rule, ...] = (
    *(
        form_rule("key", pattern, is_placeholder, (name,))
        for name, pattern in PLACES
        if name != "signature"
    ),
    Rule("key", _literals, _KEY_WORDS, _has_name),
    _named_form(
        rf"(?i)(?<!\w){_KEY_NAME}[\"'\])]*:[ \t]*([^\s\"'`,;()\[\]{{}}<>]{{8,}}+)(?![(\[])",
        is_placeholder,
    ),
    Rule("key", _nested_literals, ("(", "["), _has_name),
    Rule("key", _in_columns, ("\n", "<tr"), _has_name),
    # A value after its name and only white space, an arrow or a remark; not after a $NAME.
    _named_form(
        rf"(?i)(?<![\w/$]){_SPACED_NAME}[\"'`*]{{0,3}}(?:[ \t]{{1,9}}\([^()\n]{{1,30}}\))?"
        rf"[ \t]{{1,20}}(?:(?:-{{1,3}}|=)>|\u2192)?[ \t]{{0,20}}[\"'`*]{{0,3}}{_LONG_KEY}",
        lambda text: not is_key(text),
    ),
    _named_form(  # an attribute of HTML, and the value beside it or in its element
        rf"(?i)\b(?:name|id|key)\s?=\s?[\"']?{_KEY_NAME}[\"']?(?:\s[^<>]{{0,200}}?\bvalue\s?=\s?[\"']?"
        rf"|[^<>]{{0,200}}>\s{{0,20}}){_BARE}",
        is_word,
    ),
    _named_form(
        rf"(?i)\bvalue\s?=\s?[\"']?{_BARE}[\"']?\s[^<>]{{0,200}}?\b(?:name|id|key)\s?=\s?[\"']?"
        rf"{_KEY_NAME}[\"'\s/>]",
        is_word,
    ),
    form_rule(
        "key",
        r"(?i)[?&](?:\w*[_-])?(?:key|token|secret|sig|signature|password)=([^\s&#\"'<>\\]{6,})",
        is_stand_in,
        ("?", "&"),
    ),
    form_rule(
        "key",
        r"PAYLAB_(?:(?:API|SECRET)_KEY|CONTROL_TOKEN)[\"'\])]*\s*[=:]\s*[\"']?([^\s\"']{8,})",
        is_word,
        ("paylab_",),
    ),
    _named_form(
        rf"(?i)(?:%(?:set_)?env|export|setenv|set)\s+{_KEY_NAME}\s*[= ]\s*"
        r"[\"']?([^\s\"']{8,})",
        is_placeholder,
    ),
    _named_form(
        rf"(?i){_KEY_END}[\"'\])]{{0,4}}[ \t]{{0,9}}=[ \t]{{0,9}}{_BARE}(?![(\[\\])",
        is_word,
    ),
    _named_form(
        rf"(?i){_KEY_END}[\s:=\"']{{0,40}}{_TAG}(?:[\s:=\"']|{_TAG}){{0,40}}{_BARE}"
        r"(?=[\"']?\s{0,40}<)",
        is_word,
    ),
    _named_form(  # an element of XML, emphasis or code of Markdown, a row of its table
        rf"(?i)(?<!\w){_KEY_NAME}(?:>|[`*_]{{1,3}}\s{{0,9}}[:=]|[`*_]{{0,3}}\s{{0,40}}\|)"
        rf"[\s`*]{{0,40}}{_BARE}(?=\s{{0,40}}(?:</|[`*|]|$|\n))",
        is_word,
    ),
    _named_form(  # a block of YAML, an option of a command, a variable of a shell
        rf"(?i)(?<!\w){_KEY_NAME}(?::\s*[|>][+-]?[ \t]*\n\s+{_BARE})",
        is_word,
    ),
    _named_form(
        rf"(?i)(?:(?<![\w-])--{_KEY_NAME}|\bset\s+-\w{{1,4}}\s+{_KEY_NAME})[ \t]+[\"']?{_BARE}",
        is_word,
    ),
    form_rule("key", r"(?i)\bbearer\s+([A-Za-z0-9._~+/-]{16,}={0,2})", is_placeholder, ("bearer",)),
    form_rule(
        "key",
        r"(?i)\b(?:set-)?cookie[\"']?\s*[:=]\s*[\"']?[\w.-]+=([^\s;\"']{6,})",
        is_placeholder,
        ("cookie",),
    ),
    form_rule(
        "key",
        r"(?i)\b[a-z][a-z0-9+.-]{1,20}://[^\s/:@\"']{0,80}:([^\s/@\"']{4,})@",
        is_stand_in,
        ("://",),
    ),
    form_rule(
        "key",
        r"-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----((?:[\w+/=\s]|\\[nr]){20,}+)",
        _never,
        ("private key",),
    ),
    form_rule(
        "key",
        r"(?<![A-Za-z0-9])(?:gh[pousr]_[A-Za-z0-9]{36}|AKIA[0-9A-Z]{16}|xox[abprs]-[\w-]{10,}"
        r"|whsec_[\w+/=]{16,})",
        _never,
        ("gh", "akia", "xox", "whsec_"),
    ),
)
TOKENS: tuple[Rule, ...] = (Rule("share token", _share_tokens, ("token",)),)
