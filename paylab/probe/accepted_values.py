"""The words, amounts and sizes that a refusal says are accepted."""

from __future__ import annotations

import re
from decimal import Decimal

from ..spec.envelope import walk_values
from ..spec.json_path import last_name

_CHOICE = re.compile(
    r"(?:(?:one|array|list) of|either|expected|(?:should|must) be|allowed(?: values)?(?: are)?"
    r"|supported)[ :]+"
    r"\[?((?:['\"]?[\w.+-]+['\"]?(?:\s*(?:,|\||\bor\b|\band\b)\s*|$|\]|\)))+)",
    re.IGNORECASE,
)
_WORD = re.compile(r"['\"]?([\w.+-]+)['\"]?")
_NOT_CHOICES = frozenset({
    "or", "and", "a", "an", "one", "of", "text", "string", "number", "object", "either", "true",
})  # fmt: skip
_LIST_NAME = re.compile(r"allowed|options|enum|accepted|values|choices|one_?of", re.IGNORECASE)
_AMOUNT = re.compile(r"\d+(?:\.\d+)?")
_LIMIT = re.compile(r"at least|at most|min|max|less|more|greater|below|above|exceed", re.IGNORECASE)
_WHOLE = re.compile(r"(?:no|not have|without) decimals|whole number", re.IGNORECASE)
_SIZE = re.compile(r"\b(\d+)\s*(kb|kib|kilobytes?|mb|bytes?)?", re.IGNORECASE)
_ITEMS = re.compile(r"\b1 items?\b|(?:one|single|1) (?:image|file|item)|at most 1\b", re.IGNORECASE)
_UNITS = {"k": 1024, "m": 1024**2, "b": 1, "": 1}
_LEVELS_MAX = 4
"""The levels of objects inside each other in which a list of words is looked for."""


def find_accepted_words(message: str) -> tuple[str, ...]:
    """Find the words of the longest list in a message; empty without a list.

    In "must be one of cpf, cnpj" they are "cpf" and "cnpj".
    """
    choice_texts = [choice_match[1] for choice_match in _CHOICE.finditer(message)]
    listed_words = _WORD.findall(max(choice_texts, key=len)) if choice_texts else []
    return tuple(
        listed_word for listed_word in listed_words if listed_word.lower() not in _NOT_CHOICES
    )


def find_listed_words(body: object) -> tuple[str, ...]:
    """Find the words that a refusal lists beside its message, as `"allowed_values": ["a", "b"]`.

    Empty if it has no such list.
    """
    refusal_body = body[0] if isinstance(body, list) and body else body  # or a list of errors
    for path, field_value in walk_values(refusal_body, _LEVELS_MAX):
        is_list = isinstance(field_value, list) and bool(_LIST_NAME.search(last_name(path)))
        if is_list and field_value and all(isinstance(member, str) for member in field_value):
            return tuple(field_value)
    return ()


def find_accepted_amount(message: str, amount: str) -> str:
    """Find the amount that a message asks for in place of `amount`; "" if it asks for none.

    After "amount must be at most 5.00" it is 5.00, the limit. After "must not have decimals" it is
    10 for 10.00.
    """
    if _WHOLE.search(message):
        return str(int(Decimal(amount)))
    message = re.sub(r"^\d{3} ", "", message)  # the status is no amount
    amount_texts = [
        amount_text for amount_text in _AMOUNT.findall(message) if Decimal(amount_text) > 0
    ]
    names_limit = "amount" in message.lower() and _LIMIT.search(message) is not None
    if not names_limit or len(amount_texts) != 1:  # of two, either may be the limit
        return ""
    limit_text = amount_texts[0]
    return "" if Decimal(limit_text) == Decimal(amount) else limit_text


def accepts_one_item(message: str) -> bool:
    """Whether a message says that a list may have one item: "must have 1 to 1 items"."""
    return bool(_ITEMS.search(message))


def find_accepted_sizes(message: str) -> list[int]:
    """Find the sizes in a message, in bytes or items, smallest first: 51,200 in "at least 50 KB".

    A number of ten or more digits is an id rather than a size.
    """
    digits_and_units = _SIZE.findall(message)
    return sorted(
        int(digits) * _UNITS[unit[:1].lower()]
        for digits, unit in digits_and_units
        if len(digits) < 10
    )
