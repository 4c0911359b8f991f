"""The rules for keys, tokens and signatures: each finds what its example shows."""

from __future__ import annotations

import re
from collections.abc import Callable

from .fields import find_share_tokens
from .key_literals import find_bracketed_literals, find_key_literals
from .key_names import (
    BOUNDED_KEY_NAME,
    KEY_NAME,
    KEY_WORDS,
    find_named_regions,
    has_key_name,
    looks_like_key,
)
from .placeholders import is_placeholder, is_stand_in, is_word
from .scrub_rules import Rule, Spans, is_never_harmless, make_pattern_rule
from .search import LABELLED_PATTERNS, SIGNATURE, is_signature
from .tables import find_column_values

_NAME = BOUNDED_KEY_NAME
_NAME_END = (
    r"(?:(?:api|secret|access|private|signing)[ _-]?keys?\w{0,40}|secret|password|control[_-]token)"
)
"""The name of a key from the word that tells it."""
_SPACED_NAME = rf"(?:{_NAME}|(?:api|secret|access|private|signing|control) (?:key|token))"
_TAG = r"</?(?!t(?:r|head|body)\b)\w[^<>]{0,200}>"
"""A tag within one row of a table."""
_BARE_VALUE = r"""([^\s"'`,;()\[\]{}<>&\\]{8,}+)"""
_LONG_VALUE = r"([A-Za-z0-9][\w+/=-]{14,}+)"
"""So long that it is no word of a sentence."""
_COLUMN = re.compile(
    rf"(?i)(?:^|[|\t;,>\s])[\"'`*]{{0,3}}({_NAME})[\"'`*]{{0,3}}\s*?(?=[|\t;,<\n]|\Z|  )"
)


def _make_named_rule(pattern_text: str, is_harmless: Callable[[str], bool], example: str) -> Rule:
    """Make a rule for a key beside its name, such as `api_key`; the first group is the key.

    A text without the name of a key is not searched.
    """
    pattern = re.compile(pattern_text)

    def find(text: str) -> Spans:
        """Yield the places of keys in the parts of a text that have the name of a key."""
        for region in find_named_regions(text):
            for match in pattern.finditer(text, *region):
                if not is_harmless(match[1]):
                    yield match.span(1)

    return Rule("key", find, KEY_WORDS, has_key_name, example)


def _find_token_spans(text: str) -> Spans:
    """Yield the places of the share tokens of identity verification, except placeholders."""
    for token, token_start, token_end in find_share_tokens(text):
        is_quoted = text[token_start - 1] in "\"'"
        is_harmless = is_stand_in(token) if is_quoted else is_placeholder(token)
        if not is_harmless:
            yield token_start, token_end


def _find_column_keys(text: str) -> Spans:
    """The places of values in columns of a table that are named after a key."""
    for region in find_named_regions(text):
        label_match = _COLUMN.search(text, *region)
        if label_match:  # the columns are read from the first label on: the rest is searched too
            return find_column_values(
                text, KEY_NAME, looks_like_key, label_start=label_match.start(1)
            )
    return iter(())


# In this order: text found by one rule is skipped by the next ones.
LONG_SECRETS: tuple[Rule, ...] = (
    make_pattern_rule(
        "signature",
        r"Signature=((?:[A-Za-z0-9+/]\s{0,8}){86}==|[A-Za-z0-9+/]{40,}={0,2}"
        r"|[A-Za-z0-9+/]{8,}(?:[\r\n]+[A-Za-z0-9+/]{8,})+={0,2})",
        is_never_harmless,
        ("signature",),
    ),
    make_pattern_rule("signature", SIGNATURE, lambda text: not is_signature(text), ("==",)),
    make_pattern_rule(
        "key",
        r"(?<![A-Za-z0-9])(?:[ps]k|ct)_[A-Za-z]+_[0-9A-Za-z]{16,}",
        is_never_harmless,
        ("pk_", "sk_", "ct_"),
        example="sk_live_4f9a8c7b6d5e4f3a",
    ),
)
"""The secrets that are often cut into pieces: they are also searched in the joined pieces."""

_HEADERS = tuple(
    make_pattern_rule("key", pattern, is_placeholder, (name,))
    for name, pattern in LABELLED_PATTERNS
    if name != "signature"
)
"""The headers that carry keys."""

_SOURCE_CODE = (
    Rule("key", find_key_literals, KEY_WORDS, has_key_name, 'api_key, host = "k4f9a8c7", "b"'),
    Rule(
        "key",
        find_bracketed_literals,
        ("(", "["),
        has_key_name,
        '(api_key, host), user = ("k4f9a8c7", "b"), "c"',
    ),
    _make_named_rule(
        rf"(?i){_NAME_END}[\"'\])]{{0,4}}[ \t]{{0,9}}=[ \t]{{0,9}}{_BARE_VALUE}(?![(\[\\])",
        is_word,
        "my api-key = k4f9a8c7b6",
    ),
)

_DOCUMENTS = (
    _make_named_rule(
        rf"(?i)(?<!\w){_NAME}[\"'\])]*:[ \t]*([^\s\"'`,;()\[\]{{}}<>]{{8,}}+)(?![(\[])",
        is_placeholder,
        "api_key: k4f9a8c7",
    ),
    Rule("key", _find_column_keys, ("\n", "<tr"), has_key_name, "api_key,host\nk4f9a8c7,b"),
    _make_named_rule(  # white space, an arrow or a remark before the value; not after a $NAME
        rf"(?i)(?<![\w/$]){_SPACED_NAME}[\"'`*]{{0,3}}(?:[ \t]{{1,9}}\([^()\n]{{1,30}}\))?"
        rf"[ \t]{{1,20}}(?:(?:-{{1,3}}|=)>|\u2192)?[ \t]{{0,20}}[\"'`*]{{0,3}}{_LONG_VALUE}",
        lambda text: not looks_like_key(text),
        "secret key (test) -> k4f9a8c7b6d5e4f3",
    ),
    _make_named_rule(  # an attribute of HTML before the value
        rf"(?i)\b(?:name|id|key)\s?=\s?[\"']?{_NAME}[\"']?"
        rf"(?:\s[^<>]{{0,200}}?\bvalue\s?=\s?[\"']?|[^<>]{{0,200}}>\s{{0,20}}){_BARE_VALUE}",
        is_word,
        '<input name="api_key" value="k4f9a8c7">',
    ),
    _make_named_rule(  # an attribute of HTML after the value
        rf"(?i)\bvalue\s?=\s?[\"']?{_BARE_VALUE}[\"']?\s[^<>]{{0,200}}?"
        rf"\b(?:name|id|key)\s?=\s?[\"']?{_NAME}[\"'\s/>]",
        is_word,
        '<input value="k4f9a8c7" name="api_key">',
    ),
    _make_named_rule(  # a tag between the name and the value
        rf"(?i){_NAME_END}[\s:=\"']{{0,40}}{_TAG}(?:[\s:=\"']|{_TAG}){{0,40}}{_BARE_VALUE}"
        r"(?=[\"']?\s{0,40}<)",
        is_word,
        "<td>api_key</td><td>k4f9a8c7</td>",
    ),
    _make_named_rule(  # an element of XML, emphasis or code of Markdown, a row of its table
        rf"(?i)(?<!\w){_NAME}(?:>|[`*_]{{1,3}}\s{{0,9}}[:=]|[`*_]{{0,3}}\s{{0,40}}\|)"
        rf"[\s`*]{{0,40}}{_BARE_VALUE}(?=\s{{0,40}}(?:</|[`*|]|$|\n))",
        is_word,
        "| api_key | k4f9a8c7 |",
    ),
    _make_named_rule(  # a block of YAML
        rf"(?i)(?<!\w){_NAME}(?::\s*[|>][+-]?[ \t]*\n\s+{_BARE_VALUE})",
        is_word,
        "api_key: |\n  k4f9a8c7",
    ),
)

_COMMANDS = (
    make_pattern_rule(
        "key",
        r"(?i)[?&](?:\w*[_-])?(?:key|token|secret|sig|signature|password)=([^\s&#\"'<>\\]{6,})",
        is_stand_in,
        ("?", "&"),
        example="https://example.com/?key=k4f9a8c7",
    ),
    make_pattern_rule(
        "key",
        r"PAYLAB_(?:(?:API|SECRET)_KEY|CONTROL_TOKEN)[\"'\])]*\s*[=:]\s*[\"']?([^\s\"']{8,})",
        is_word,
        ("paylab_",),
        example="PAYLAB_API_KEY=k4f9a8c7",
    ),
    _make_named_rule(
        rf"(?i)(?:%(?:set_)?env|export|setenv|set)\s+{_NAME}\s*[= ]\s*[\"']?([^\s\"']{{8,}})",
        is_placeholder,
        "export API_KEY=k4f9a8c7",
    ),
    _make_named_rule(  # an option, or a variable of the fish shell
        rf"(?i)(?:(?<![\w-])--{_NAME}|\bset\s+-\w{{1,4}}\s+{_NAME})[ \t]+[\"']?{_BARE_VALUE}",
        is_word,
        "--api-key k4f9a8c7",
    ),
)

_KNOWN_FORMS = (
    make_pattern_rule(
        "key",
        r"(?i)\bbearer\s+([A-Za-z0-9._~+/-]{16,}={0,2})",
        is_placeholder,
        ("bearer",),
        example="Bearer k4f9a8c7b6d5e4f3",
    ),
    make_pattern_rule(
        "key",
        r"(?i)\b(?:set-)?cookie[\"']?\s*[:=]\s*[\"']?[\w.-]+=([^\s;\"']{6,})",
        is_placeholder,
        ("cookie",),
        example="Cookie: session=k4f9a8c7",
    ),
    make_pattern_rule(
        "key",
        r"(?i)\b[a-z][a-z0-9+.-]{1,20}://[^\s/:@\"']{0,80}:([^\s/@\"']{4,})@",
        is_stand_in,
        ("://",),
        example="postgres://ana:k4f9a8c7@db.example.com/books",
    ),
    make_pattern_rule(
        "key",
        r"-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----((?:[\w+/=\s]|\\[nr]){20,}+)",
        is_never_harmless,
        ("private key",),
        example="-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0B",
    ),
    make_pattern_rule(  # keys of GitHub, AWS, Slack and of webhooks
        "key",
        r"(?<![A-Za-z0-9])(?:gh[pousr]_[A-Za-z0-9]{36}|AKIA[0-9A-Z]{16}|xox[abprs]-[\w-]{10,}"
        r"|whsec_[\w+/=]{16,})",
        is_never_harmless,
        ("gh", "akia", "xox", "whsec_"),
        example="whsec_k4f9a8c7b6d5e4f3",
    ),
)

KEYS: tuple[Rule, ...] = (*_HEADERS, *_SOURCE_CODE, *_DOCUMENTS, *_COMMANDS, *_KNOWN_FORMS)
TOKENS: tuple[Rule, ...] = (Rule("share token", _find_token_spans, ("token",)),)
