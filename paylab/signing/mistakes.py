"""The mistakes that people make when they sign, recognised by the signatures they produce.

A signature that equals the result of a mistake was made by that mistake. All use the correct
secret, so a signature that was made with another secret never matches.
"""

from __future__ import annotations

import hmac
import re
from base64 import b64decode
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from .corrections import Mistake, make_known_mistake
from .inputs import SignatureInputs, join_without_date
from .known_mistakes import KNOWN_MISTAKES

CANONICAL_MAX = 20_000
"""Maximum length of a canonical request for which mistakes are tried."""


HEX_DIGEST = re.compile(rb"[0-9a-f]{64}")
_HEX_SIGNATURE = re.compile(r"[0-9a-f]{64}")
_HEX_MD5 = re.compile(rb"[0-9a-fA-F]{32}")
_DIGEST_LENGTH = 32  # bytes

WRONG_CONTENTS: tuple[tuple[str, str], ...] = (
    (r"[0-9A-F]{64}", "uppercase-signature"),
    (r"[0-9a-fA-F]{64}\s+", "wrong-line-ending"),
    (r"[A-Za-z0-9+/]{43}=|[A-Za-z0-9+/]{86}==", "double-base64"),
)
"""Patterns of wrong texts inside the Base64 of a signature, and the mistake that makes each."""


class Guess(NamedTuple):
    """A mistake, and the inputs of the signature that it makes."""

    mistake: Mistake
    inputs: SignatureInputs


def find_mistake(claimed_signature: str, expected_inputs: SignatureInputs) -> Mistake | None:
    """The mistake that makes a signature from these inputs.

    None if it is not a known one, and for a canonical request longer than `CANONICAL_MAX`.
    """
    if len(expected_inputs.canonical()) > CANONICAL_MAX:
        return None
    guess = find_guess(make_guesses(expected_inputs), claimed_signature)
    return None if guess is None else guess.mistake


def find_guess(guesses: Iterable[Guess], claimed_signature: str) -> Guess | None:
    """The first guess whose inputs make this signature; None if no guess does."""
    claimed_signature_bytes = claimed_signature.encode(errors="replace")
    for guess in guesses:
        if hmac.compare_digest(guess.inputs.signature(), claimed_signature_bytes):
            return guess
    return None


def make_guesses(expected_inputs: SignatureInputs) -> Iterator[Guess]:
    """Yield every known mistake, each with all inputs that it makes of the right ones."""
    for mistake_id, make_variants in KNOWN_MISTAKES.items():
        mistake = make_known_mistake(mistake_id)
        for inputs in make_variants(expected_inputs):
            yield Guess(mistake, inputs)
    for make_described_inputs in OTHER_MISTAKES:
        for message, inputs in make_described_inputs(expected_inputs):
            yield Guess(Mistake("unknown", message), inputs)


def find_form_mistake(signature: str) -> Mistake | None:
    """The mistake that the form of a signature shows; None if it is Base64 of 64 hex digits."""
    if _HEX_SIGNATURE.fullmatch(signature):
        return make_known_mistake("hex-signature")
    try:
        decoded_signature = b64decode(signature, validate=True)
    except ValueError:
        return Mistake("unknown", "the signature is not Base64")
    if HEX_DIGEST.fullmatch(decoded_signature):
        return None
    # 32 bytes that are all hex digits are text, such as an MD5, and not a digest as bytes.
    is_hex_text = _HEX_MD5.fullmatch(decoded_signature) is not None
    if len(decoded_signature) == _DIGEST_LENGTH and not is_hex_text:
        return make_known_mistake("raw-digest")
    decoded_text = decoded_signature.decode("latin-1")
    for pattern, mistake_id in WRONG_CONTENTS:
        if re.fullmatch(pattern, decoded_text):
            return make_known_mistake(mistake_id)
    return Mistake("unknown", "inside the Base64 there must be 64 lower-case hex digits")


DescribedInputs = Iterator[tuple[str, SignatureInputs]]
"""Sentences that describe a mistake without an id, each with the inputs that it signs."""


def _sign_another_path(expected_inputs: SignatureInputs) -> DescribedInputs:
    """Yield inputs with the whole URL as path, without its first slash, or with another end."""
    path = expected_inputs.path
    host = dict(expected_inputs.headers).get("host", "")
    urls = (f"https://{host}{path}", f"http://{host}{path}")
    other_paths = (f"{host}{path}", path.lstrip("/"), f"{path}/", path.rstrip("/"), f"/api{path}")
    for changed_path in (*urls, *other_paths):
        message = f"the path that was signed is {changed_path!r}, the one sent is {path!r}"
        yield message, expected_inputs._replace(path=changed_path)
        if expected_inputs.query:
            path_with_query = f"{changed_path}?{expected_inputs.query}"
            yield message, expected_inputs._replace(path=changed_path, query=None)
            yield message, expected_inputs._replace(path=path_with_query, query=None)


def _sign_another_query(expected_inputs: SignatureInputs) -> DescribedInputs:
    """Yield inputs without the query, or with the query without one parameter."""
    query_text = expected_inputs.query
    if not query_text:
        return
    yield (
        "no query was signed: write it in a line of its own, below the path",
        expected_inputs._replace(query=None),
    )
    parameters = query_text.split("&")
    for index, parameter in enumerate(parameters):
        remaining_query = "&".join(parameters[:index] + parameters[index + 1 :])
        message = f"the query was signed without {parameter!r}: sign it as it is sent"
        yield message, expected_inputs._replace(query=remaining_query)


def _leave_out_date(expected_inputs: SignatureInputs) -> DescribedInputs:
    """Yield inputs that sign a payload of two lines: the scheme and the hash."""
    message = "the HMAC is of three lines: HMAC-SHA256, X-Date, and the hash of the canonical text"
    yield message, expected_inputs._replace(join_payload=join_without_date)


OTHER_MISTAKES: tuple[Callable[[SignatureInputs], DescribedInputs], ...] = (
    _leave_out_date,
    _sign_another_query,
    _sign_another_path,
)
"""The functions that make the mistakes without an id."""
