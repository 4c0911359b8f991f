"""The mistakes that people make when they sign, recognised by the signatures they produce.

A signature that equals the result of a mistake was made by that mistake. All use the correct
secret, so a signature that was made with another secret never matches.
"""

from __future__ import annotations

import hmac
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from .corrections import Mistake, known_mistake
from .inputs import SignatureInputs
from .known_mistakes import KNOWN_MISTAKES

CANONICAL_MAX = 20_000
"""Maximum length of a canonical request for which mistakes are tried."""


class Guess(NamedTuple):
    """A mistake, and the inputs of the signature that it makes."""

    mistake: Mistake
    inputs: SignatureInputs


def find_mistake(claimed: str, correct: SignatureInputs) -> Mistake | None:
    """The mistake that makes the signature `claimed`; None if it is not a known one."""
    if len(correct.canonical()) > CANONICAL_MAX:
        return None
    guess = find_guess(make_guesses(correct), claimed)
    return None if guess is None else guess.mistake


def find_guess(guesses: Iterable[Guess], claimed: str) -> Guess | None:
    """The first guess that makes the signature `claimed`; None if no guess does."""
    claimed_bytes = claimed.encode(errors="replace")
    for guess in guesses:
        if hmac.compare_digest(guess.inputs.signature(), claimed_bytes):
            return guess
    return None


def make_guesses(correct: SignatureInputs) -> Iterator[Guess]:
    """Every mistake with each of its variants for a request."""
    for mistake_id, make_variants in KNOWN_MISTAKES.items():
        mistake = known_mistake(mistake_id)
        for inputs in make_variants(correct):
            yield Guess(mistake, inputs)
    for make_messages in OTHER_MISTAKES:
        for message, inputs in make_messages(correct):
            yield Guess(Mistake("unknown", message), inputs)


Messages = Iterator[tuple[str, SignatureInputs]]
"""Sentences that describe a mistake without an id, each with the inputs that it signs."""


def _sign_another_path(correct: SignatureInputs) -> Messages:
    """The whole URL, the path without its first slash, or with another end or beginning."""
    path = correct.path
    host = dict(correct.headers).get("host", "")
    urls = (f"https://{host}{path}", f"http://{host}{path}")
    other_paths = (f"{host}{path}", path.lstrip("/"), f"{path}/", path.rstrip("/"), f"/api{path}")
    for changed_path in (*urls, *other_paths):
        message = f"the path that was signed is {changed_path!r}, the one sent is {path!r}"
        yield message, correct._replace(path=changed_path)
        if correct.query:
            one_line = f"{changed_path}?{correct.query}"
            yield message, correct._replace(path=changed_path, query=None)
            yield message, correct._replace(path=one_line, query=None)


def _sign_another_query(correct: SignatureInputs) -> Messages:
    """No query, or the query without a parameter."""
    query = correct.query
    if not query:
        return
    yield (
        "no query was signed: write it in a line of its own, below the path",
        correct._replace(query=None),
    )
    parameters = query.split("&")
    for index, parameter in enumerate(parameters):
        remaining = "&".join(parameters[:index] + parameters[index + 1 :])
        message = f"the query was signed without {parameter!r}: sign it as it is sent"
        yield message, correct._replace(query=remaining)


def _leave_out_date(correct: SignatureInputs) -> Messages:
    message = "the HMAC is of three lines: HMAC-SHA256, X-Date, and the hash of the canonical text"
    yield message, correct._replace(join_payload=_all_but_date)


def _all_but_date(canonical_lines: Iterable[str]) -> str:
    scheme, _, *other_lines = canonical_lines
    return "\n".join([scheme, *other_lines])


OTHER_MISTAKES: tuple[Callable[[SignatureInputs], Messages], ...] = (
    _leave_out_date,
    _sign_another_query,
    _sign_another_path,
)
"""The functions that make the mistakes without an id."""
