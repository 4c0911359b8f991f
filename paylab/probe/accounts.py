"""Find the details of each account type: field names, required fields, accepted words.

Accounts are sent in an individual that must be refused because its names are missing: the
service checks all accounts and creates nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from .answers import ServiceReply
from .inquiry import PREFIX, REFUSALS, Inquiry, Question, field_keys, keys_of, known_words, ordered
from .names import known_names
from .objects import DETAILS

COUNTRIES = {"SEPA": "DE", "": "MX"}
"""The country of an individual with a SEPA account or a wallet."""
PIX = {
    "cpf": "52998224725",
    "cnpj": "11222333000181",
    "email": "alex@example.com",
    "phone": "+5511999999999",
}
RANDOM_PIX_KEY = "123e4567-e89b-42d3-a456-426614174000"
WORDS = {
    "network": ("arbitrum", "avalanche", "optimism", "tron", "BASE", "POLYGON"),
    "issuer": ("BDO", "BPI", "LANDBANK", "GCASH", "GRABPAY", "MAYA", "paymaya", "PAYMAYA"),
    "account_type": ("CBU", "CVU", "current", "SAVINGS", "CHECKING"),
    "pix_key_type": ("random", "CPF", "CNPJ", "EMAIL", "PHONE", "EVP", "RANDOM"),
}
"""Words that known services accept, in addition to the assumed ones."""


class _Account(NamedTuple):
    """An account type in a country or scheme, and its field with fixed words, if any."""

    place: str
    key: str
    kind: str
    country: str
    field: str


def accounts(inquiry: Inquiry) -> list[_Account]:
    """Every account type that has keys."""
    found = []
    for place in DETAILS:
        group, _, kind = place.rpartition(".")
        country = COUNTRIES.get(group, group)
        form = inquiry.assumed.account(None if not group else country, kind)
        if form is not None:
            found.append(_Account(place, form.key, kind, country, form.field))
    return found


def _ask(inquiry: Inquiry) -> None:
    """Send empty, wrong and valid details for each country, and read the refusals."""
    every = accounts(inquiry)
    for country in dict.fromkeys(each.country for each in every):
        here = [each for each in every if each.country == country]
        _ask_about(inquiry, country, here)


def _ask_about(inquiry: Inquiry, country: str, here: list[_Account]) -> None:
    """Send two requests: one for names and required fields, one for words."""
    first = _send(inquiry, country, [(each, body) for each in here for body in _empty(each)])
    inquiry.memory.setdefault("nested", first)
    for number, each in enumerate(here):
        _names(inquiry, each, first, 2 * number)
    worded = [each for each in here if each.field]
    trials = [(each, word) for each in worded for word in _words(each)]
    if not trials:
        return
    second = _send(inquiry, country, [(each, _with(inquiry, each, w)) for each, w in trials])
    for each in worded:
        at = {
            word: f"financial_accounts.{number}.details"
            for number, (one, word) in enumerate(trials)
            if one is each
        }
        _allowed(inquiry, each, second, at)


def _send(inquiry: Inquiry, country: str, bodies: list[tuple[_Account, Any]]) -> ServiceReply:
    """Send an individual without a name, which must be refused, with these accounts."""
    held = [{"type": each.kind, "details": details} for each, details in bodies]
    return inquiry.refused_individual({"country": country, "financial_accounts": held})


def _empty(account: _Account) -> tuple[dict[str, Any], dict[str, Any]]:
    """Empty details, and details with a wrong value for every possible name."""
    names = [name for key in field_keys(account.key).values() for name in known_names(key)]
    return {}, dict.fromkeys(names, 0)


def _names(inquiry: Inquiry, account: _Account, reply: ServiceReply, number: int) -> None:
    """Find the field names and required fields: empty details, then wrong ones, were refused."""
    required = reply.missing(f"financial_accounts.{number}.details")
    wrong = reply.below(f"financial_accounts.{number + 1}.details")
    accepted = [name for name, each in wrong.items() if not each.unknown]
    theirs = list(dict.fromkeys([*required, *(name.split(".")[0] for name in accepted if name)]))
    if not theirs:
        return
    keys = field_keys(account.key)
    found = inquiry.match(keys, theirs)
    for our, name in found.items():
        inquiry.answer(keys[our], name, reply)
    for key in keys.values():
        inquiry.unclear(key, f"the service names {', '.join(theirs)}", reply)
    back = {their: our for our, their in found.items()}
    ours = ordered([back.get(name, name) for name in required], f"{account.key}.required")
    if required:
        inquiry.answer(f"{account.key}.required", ours, reply)


def _words(account: _Account) -> dict[str, None]:
    """The words to try for a field: a wrong one, and those of this and of other services."""
    words = known_words(f"{account.key}.allowed")
    return dict.fromkeys([PREFIX, *words, *WORDS.get(account.field, ())])


def _with(inquiry: Inquiry, account: _Account, word: str) -> dict[str, Any]:
    """Valid details with a given word, in the service's names."""
    details: dict[str, Any] = {**DETAILS[account.place], account.field: word}
    if account.field == "pix_key_type":
        details["pix_key"] = PIX.get(word.lower(), RANDOM_PIX_KEY)
    return inquiry.service.detail_names(account.country, account.kind).send(details)


def _allowed(
    inquiry: Inquiry, account: _Account, reply: ServiceReply, at: Mapping[str, str]
) -> None:
    """The accepted words: those without a complaint, and those that the refusal lists."""
    key = f"{account.key}.allowed"
    field = str(inquiry.value(f"{account.key}.fields.{account.field}"))
    by_word = {word: reply.about(f"{place}.{field}") for word, place in at.items()}
    if not by_word.pop(PREFIX):
        inquiry.unclear(key, "a wrong word was not refused where it was looked for", reply)
        return
    named = [word for each in reply.about(f"{at[PREFIX]}.{field}") for word in each.choices]
    taken = [word for word, complaints in by_word.items() if not complaints]
    spelled = {word.casefold() for word in taken}
    if named and spelled <= {word.casefold() for word in named}:
        inquiry.answer(key, ordered(named, key), reply)
    elif taken:
        tried = f"of {len(by_word)} words that were tried"
        inquiry.answer(key, ordered(taken, key), reply, why=tried)


_KEYS = tuple(key for key in keys_of("financial_accounts.") if key != "financial_accounts.update")
QUESTIONS = (Question(REFUSALS, _ask, *_KEYS),)
