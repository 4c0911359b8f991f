"""Mistakes that only a comparison tries: another body, another key, another date."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import timedelta
from hashlib import sha256

from ..spec import timestamps
from .body_mistakes import rewrite_body
from .corrections import make_known_mistake
from .inputs import SignatureInputs
from .known_mistakes import decode_secret
from .mistakes import Guess

KEY_LENGTHS = (16, 32, 64)
"""Lengths in bytes to which other programs cut a key."""

DATE_MILLISECONDS_MAX = 1_000
"""Maximum distance between the date that was sent and one that was made again for signing."""


def guess_bodies(expected_inputs: SignatureInputs, body: bytes) -> Iterator[Guess]:
    """Yield guesses that sign the hash of the body as another program writes it."""
    for description, rewritten_body in rewrite_body(body):
        evidence = f"the body that was signed is the one sent, but {description}"
        mistake = make_known_mistake("body-changed", evidence)
        yield Guess(
            mistake, expected_inputs._replace(content_hash=sha256(rewritten_body).hexdigest())
        )


def guess_keys(expected_inputs: SignatureInputs) -> Iterator[Guess]:
    """Yield guesses whose key is a part of the secret, or the text after its prefix decoded."""
    expected_key = expected_inputs.secret
    key_segments = expected_key.decode(errors="replace").split("_")
    key_suffixes = ["_".join(key_segments[index:]) for index in range(1, len(key_segments))]
    cut_keys = [key_suffix.encode() for key_suffix in key_suffixes]
    cut_keys += [expected_key[:-1], expected_key[1:]]
    cut_keys += [expected_key[:length] for length in KEY_LENGTHS]
    for cut_key in cut_keys:
        yield Guess(make_known_mistake("key-trimmed"), expected_inputs._replace(secret=cut_key))
    for key_suffix in key_suffixes:
        for decoded_key in decode_secret(key_suffix):
            yield Guess(
                make_known_mistake("key-decoded"), expected_inputs._replace(secret=decoded_key)
            )


def guess_secrets(expected_inputs: SignatureInputs, secrets: Iterable[str]) -> Iterator[Guess]:
    """Yield guesses with another secret: the API key, none, or one of `secrets`."""
    message_by_secret = {}
    api_key = dict(expected_inputs.headers).get("x-api-key", "")
    if api_key:
        message_by_secret[api_key] = "the API key was used in place of the secret key"
    message_by_secret[""] = "the secret key was empty when it was used"
    for secret in secrets:
        message = "it was signed with the secret of another API key"
        message_by_secret.setdefault(secret, message)
    for secret, message in message_by_secret.items():
        secret_bytes = secret.encode()
        if secret_bytes != expected_inputs.secret:
            yield Guess(
                make_known_mistake("wrong-secret", message),
                expected_inputs._replace(secret=secret_bytes),
            )


def guess_dates(expected_inputs: SignatureInputs) -> Iterator[Guess]:
    """Yield guesses with another date than the one sent: in the payload, in the header, or in both.

    These are many times as many as all other guesses, so they are tried last.
    """
    mistake = make_known_mistake("stale-date", "the date that was signed was made anew, or cut")
    for other_date in _write_other_dates(expected_inputs.date):
        inputs_with_date_line = expected_inputs.with_header("x-date", other_date)
        yield Guess(mistake, expected_inputs._replace(date=other_date))
        yield Guess(mistake, inputs_with_date_line._replace(date=other_date))
        yield Guess(mistake, inputs_with_date_line)


def _write_other_dates(date_text: str) -> Iterator[str]:
    """Yield a date in other formats, then all dates up to a second before and after it.

    Nothing for a text that is no date.
    """
    try:
        signed_at = timestamps.from_text(date_text)
    except ValueError:
        return
    date_without_fraction = date_text.partition(".")[0].rstrip("Z")
    yield from (
        date_without_fraction,
        f"{date_without_fraction}Z",
        f"{date_without_fraction}.000Z",
        f"{date_without_fraction}+00:00",
    )
    yield date_text.removesuffix("Z")
    yield str(int(signed_at.timestamp()))
    yield f"{signed_at:%Y%m%dT%H%M%SZ}"
    for milliseconds in range(1, DATE_MILLISECONDS_MAX + 1):
        yield timestamps.to_text(signed_at + timedelta(milliseconds=milliseconds))
        yield timestamps.to_text(signed_at - timedelta(milliseconds=milliseconds))
