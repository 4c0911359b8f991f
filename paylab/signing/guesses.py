"""Mistakes that only a comparison tries: another body, another key, another date."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import timedelta
from hashlib import sha256

from ..spec import timestamps
from .body_mistakes import rewrite_body
from .corrections import known_mistake
from .inputs import SignatureInputs
from .known_mistakes import decode_secret
from .mistakes import Guess

KEY_LENGTHS = (16, 32, 64)
"""Lengths in bytes to which other programs cut a key."""

DATE_MILLISECONDS_MAX = 1_000
"""Maximum distance between the date that was sent and one that was made again for signing."""


def guess_bodies(correct: SignatureInputs, body: bytes) -> Iterator[Guess]:
    """The hash of the body as another program writes it, in the last line."""
    for description, content in rewrite_body(body):
        evidence = f"the body that was signed is the one sent, but {description}"
        mistake = known_mistake("body-changed", evidence)
        yield Guess(mistake, correct._replace(content_hash=sha256(content).hexdigest()))


def guess_keys(correct: SignatureInputs) -> Iterator[Guess]:
    """The secret cut or without its prefix, and the text after the prefix decoded."""
    correct_key = correct.secret
    key_segments = correct_key.decode(errors="replace").split("_")
    suffixes = ["_".join(key_segments[index:]) for index in range(1, len(key_segments))]
    cut_keys = [suffix.encode() for suffix in suffixes]
    cut_keys += [correct_key[:-1], correct_key[1:]]
    cut_keys += [correct_key[:length] for length in KEY_LENGTHS]
    for cut_key in cut_keys:
        yield Guess(known_mistake("key-trimmed"), correct._replace(secret=cut_key))
    for suffix in suffixes:
        for decoded_key in decode_secret(suffix):
            yield Guess(known_mistake("key-decoded"), correct._replace(secret=decoded_key))


def guess_secrets(correct: SignatureInputs, secrets: Iterable[str]) -> Iterator[Guess]:
    """A correct signature with another secret, which proves that the wrong one was used."""
    messages_by_secret = {}
    api_key = dict(correct.headers).get("x-api-key", "")
    if api_key:
        messages_by_secret[api_key] = "the API key was used in place of the secret key"
    messages_by_secret[""] = "the secret key was empty when it was used"
    for secret in secrets:
        message = "it was signed with the secret of another API key"
        messages_by_secret.setdefault(secret, message)
    for secret, message in messages_by_secret.items():
        secret_bytes = secret.encode()
        if secret_bytes != correct.secret:
            yield Guess(
                known_mistake("wrong-secret", message), correct._replace(secret=secret_bytes)
            )


def guess_dates(correct: SignatureInputs) -> Iterator[Guess]:
    """Another date than the one sent, in the payload, in its header line, or in both.

    These are many times as many as all other guesses, so they are tried last.
    """
    mistake = known_mistake("stale-date", "the date that was signed was made anew, or cut")
    for date in _other_dates(correct.date):
        with_date_line = correct.with_header("x-date", date)
        yield Guess(mistake, correct._replace(date=date))
        yield Guess(mistake, with_date_line._replace(date=date))
        yield Guess(mistake, with_date_line)


def _other_dates(date: str) -> Iterator[str]:
    """The same date in other formats, then all dates up to a second before and after it."""
    try:
        signed_at = timestamps.from_text(date)
    except ValueError:
        return
    to_seconds = date.partition(".")[0].rstrip("Z")
    yield from (to_seconds, f"{to_seconds}Z", f"{to_seconds}.000Z", f"{to_seconds}+00:00")
    yield date.removesuffix("Z")
    yield str(int(signed_at.timestamp()))
    yield f"{signed_at:%Y%m%dT%H%M%SZ}"
    for milliseconds in range(1, DATE_MILLISECONDS_MAX + 1):
        yield timestamps.to_text(signed_at + timedelta(milliseconds=milliseconds))
        yield timestamps.to_text(signed_at - timedelta(milliseconds=milliseconds))
