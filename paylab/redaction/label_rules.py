"""The rules for keys and signatures beside a label in prose and commands, and for web tokens."""

from __future__ import annotations

import json
import re
from base64 import urlsafe_b64decode

from .placeholders import is_stand_in, is_word
from .scrub_rules import Rule, Spans, make_pattern_rule

_KEY_LABELS = (
    r"(?:api|secret|access|private|signing|secreta?)[ _-]?key|secret|(?:share |access |api |auth )?"
    r"token|password|passphrase|passcode"
    r"|contrase(?:\u00f1|n)a|clave(?: de (?:la )?api| de acceso| secreta| privada)?"
    r"|senha|chave (?:d[ea] (?:api|acesso)|secreta|privada)"
)
_SIGNATURE_LABELS = (
    r"(?:[\w-]{1,40}-)?signature(?:-\w{1,10}){0,2}|hmac(?:[_-]?sha[_-]?\d{1,3})?|firma|assinatura"
)
_QUOTE_OR_EMPHASIS = r"[\"'`*_]{0,3}"
_LABEL_TO_VALUE = (
    rf"{_QUOTE_OR_EMPHASIS}\s{{0,3}}(?:[:=]{{1,2}}|-{{1,3}}|\((?=\S)|\b(?:is|es|\u00e9|was|to)\b:?)"
    rf"\s{{0,3}}{_QUOTE_OR_EMPHASIS}\s{{0,3}}{_QUOTE_OR_EMPHASIS}"
)
"""What stands between a label and its value: `:`, `=`, a dash, a bracket, or a verb."""
_TOKEN = r"([A-Za-z0-9][\w.~+/=-]{6,}[A-Za-z0-9=_-])"
_DIGEST = (
    r"(?:\w{1,12}=)?([0-9A-Fa-f]{64}(?![0-9A-Fa-f])|[A-Za-z0-9+/_-]{40,}={0,2}|[\w+/=.-]{16,})"
)
# The value of a label ends at a colon: then a time has its hour only.
_DATE = re.compile(r"\d{4}-\d\d-\d\d(T\d\d(\d\d){0,2}([.,]\d{1,9})?Z?)?", re.IGNORECASE)
_WEB_TOKEN_HEADER = re.compile(r"e[wy][\w-]{8,}")


def _is_harmless_value(labelled_value: str) -> bool:
    """Whether the value of a label is a word, a number, a date or a URL, and no key."""
    has_digits = any(map(str.isdigit, labelled_value))
    has_letters = any(map(str.isalpha, labelled_value))
    if not has_digits or not has_letters:
        return True  # a word or a number
    is_date_or_url = bool(_DATE.fullmatch(labelled_value)) or "://" in labelled_value
    return is_word(labelled_value) or is_date_or_url


def _find_web_tokens(text: str) -> Spans:
    """Yield the places of JSON Web Tokens.

    A token has three parts. The first part names an algorithm.
    """
    for token_match in _WEB_TOKEN.finditer(text):
        if _has_algorithm(token_match[1]):
            yield token_match.span()


_WEB_TOKEN = re.compile(
    rf"(?<![\w.-])({_WEB_TOKEN_HEADER.pattern})\.[\w-]{{2,}}\.[\w-]{{8,}}(?![\w-])"
)


def _has_algorithm(encoded_header: str) -> bool:
    """Whether the first part of a web token is Base64 of JSON that names an algorithm."""
    padding = "=" * (-len(encoded_header) % 4)
    try:
        token_header = json.loads(urlsafe_b64decode(encoded_header + padding))
    except (ValueError, RecursionError):
        return False
    return isinstance(token_header, dict) and "alg" in token_header


LABELS: tuple[Rule, ...] = (
    Rule("key", _find_web_tokens, ("eyj", "eya", "ewo", "ewk", "ew0")),
    make_pattern_rule(  # the user and password of curl, wget, HTTPie
        "key",
        r"(?i)\b(?:curl|wget|https?)\s(?:[^\n]{0,400}?\s)?(?:-[a-z]{0,8}u|-a|--auth|--(?:proxy-)?user)"
        r"[\s=]{0,3}[\"']?[^\s:\"']{1,80}:([^\s\"'\\]{4,})",
        is_stand_in,
        ("curl", "wget", "http ", "https "),
    ),
    make_pattern_rule(
        "signature",
        rf"(?i)(?<![\w-])(?:{_SIGNATURE_LABELS}){_LABEL_TO_VALUE}{_DIGEST}",
        _is_harmless_value,
        ("signature", "hmac", "firma", "assinatura"),
    ),
    make_pattern_rule(
        "key",
        rf"(?i)(?<![\w-])(?:proxy-)?authorization{_QUOTE_OR_EMPHASIS}\s{{0,3}}[:=]\s{{0,3}}{_QUOTE_OR_EMPHASIS}(?!\S*hmac){_TOKEN}",
        _is_harmless_value,
        ("authorization",),
    ),
    make_pattern_rule(
        "key",
        rf"(?i)(?<![\w-])(?:{_KEY_LABELS}){_LABEL_TO_VALUE}{_TOKEN}(?![\w(])",
        _is_harmless_value,
        (
            "key",
            "secret",
            "token",
            "passw",
            "passphrase",
            "passcode",
            "clave",
            "contrase",
            "senha",
            "chave",
        ),
    ),
)
