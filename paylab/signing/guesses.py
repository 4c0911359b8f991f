"""Rare mistakes, tried only in a comparison, which has the secret and more time than a server."""

from __future__ import annotations

import hmac
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from datetime import timedelta
from hashlib import new, sha256
from itertools import groupby, islice, product
from typing import TypeVar

from ..spec import timestamps
from .canonical import SCHEME, SPELLING, payload, to_bytes
from .corrections import Mistake, known
from .mistakes import Guess, SignatureInputs, all_mistakes, other_spellings
from .text_guesses import texts

T = TypeVar("T")

METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD")
NEAR_MILLISECONDS = 2000
ZONES = 14 * 4
"""Maximum offset of a time zone from UTC, in quarters of an hour."""

MOST_WAYS = 16
CUTS = (16, 32, 64)
"""Key lengths in bytes of other programs."""


def guesses(right: SignatureInputs, body: bytes) -> Iterator[Guess]:
    """Single mistakes, the common ones first."""
    yield from all_mistakes(right)
    yield from _bodies(right, body)
    yield from _one_respelled(right)
    yield from _other_hosts(right)
    yield from _keys(right)
    yield from _payloads(right)
    yield from _others(right)
    yield from texts(right)
    yield from _plain_body(right, body)
    yield from _macs(right)


def pairs(right: SignatureInputs) -> Iterator[Guess]:
    """Two known mistakes at once, named by the one to fix first.

    A pair is tried in one order only, and each mistake in a few of its variants.
    """
    ids_seen = set[str]()
    for first, first_applied in _few(right):
        ids_seen.add(first.id)
        for second, both_applied in _few(first_applied):
            if second.id == first.id or second.id not in ids_seen:
                also = f"{first.message}; and also ({second.id}): {second.message}"
                yield Mistake(first.id, also), both_applied


def _few(right: SignatureInputs) -> Iterator[Guess]:
    for _, same_id_guesses in groupby(all_mistakes(right), key=lambda guess: guess[0].id):
        yield from islice(same_id_guesses, MOST_WAYS)


def _bodies(right: SignatureInputs, body: bytes) -> Iterator[Guess]:
    for spelling, text in other_spellings(body):
        mistake = known("body-changed", f"the body that was signed is the one sent, but {spelling}")
        yield mistake, right._replace(content_hash=sha256(text).hexdigest())


def _one_respelled(right: SignatureInputs) -> Iterator[Guess]:
    """One header line in another case."""
    mistake = known("header-name-case")
    for name, _ in right.headers:
        for spelled in (SPELLING.get(name, name.title()), name.title(), name.upper()):
            lines = (
                (spelled if header_name == name else header_name, text)
                for header_name, text in right.headers
            )
            yield mistake, right._replace(headers=tuple(lines))


def dates(right: SignatureInputs) -> Iterator[Guess]:
    """The signed date differs from the one sent: created twice, or truncated.

    These are ten times as many as all others together.
    """
    mistake = known("stale-date", "the date that was signed was made anew, or cut")
    for date in _near(right.date):
        relined = right.with_header("x-date", date)
        yield mistake, right._replace(date=date)
        yield mistake, relined._replace(date=date)
        yield mistake, relined


def _near(date: str) -> Iterator[str]:
    try:
        moment = timestamps.from_text(date)
    except ValueError:
        return
    to_seconds = date.partition(".")[0].rstrip("Z")
    yield from (
        to_seconds,
        f"{to_seconds}Z",
        f"{to_seconds}.000Z",
        f"{to_seconds}+00:00",
        date.removesuffix("Z"),
    )
    yield str(int(moment.timestamp()))
    yield f"{moment:%Y%m%dT%H%M%SZ}"
    for milliseconds in range(-NEAR_MILLISECONDS, NEAR_MILLISECONDS + 1):
        if milliseconds:
            yield timestamps.to_text(moment + timedelta(milliseconds=milliseconds))
    for quarters in range(-ZONES, ZONES + 1):
        yield timestamps.to_text(moment + timedelta(minutes=15 * quarters))


def _other_hosts(right: SignatureInputs) -> Iterator[Guess]:
    """Hosts of development servers and proxies, which `mistakes` does not try."""
    mistake = known("host-differs")
    signed_host = dict(right.given)["host"]
    name = signed_host.partition(":")[0]
    ports = (f"{name}:{port}" for port in (3000, 5000, 8000, 8080, 8443, 9000))
    other_names = (f"www.{name}", name.removeprefix("api."), f"{name}.", "")
    for host in (*ports, signed_host.upper(), *other_names):
        yield mistake, right.with_header("host", host)


def _keys(right: SignatureInputs) -> Iterator[Guess]:
    mistake = known("key-trimmed")
    parts = right.secret.decode(errors="replace").split("_")
    rests = [suffix for at in range(1, len(parts)) if (suffix := "_".join(parts[at:]))]
    for suffix in rests:
        yield mistake, right._replace(secret=suffix.encode())
    for shortened in (right.secret[:-1], right.secret[1:], *(right.secret[:size] for size in CUTS)):
        yield mistake, right._replace(secret=shortened)
    for added in (b"\t", b" ", b"\n", b"\r\n", b'"', b"'"):
        yield mistake, right._replace(secret=added + right.secret)
        yield mistake, right._replace(secret=right.secret + added)
        yield mistake, right._replace(secret=added + right.secret + added)
    for change, key in _changed_keys(right.secret):
        mistake = Mistake(
            "unknown", f"the secret was {change} before it was used: use it as issued"
        )
        yield mistake, right._replace(secret=key)
    decoded = known("key-decoded")
    for suffix, decode in product(rests, (bytes.fromhex, b64decode)):
        with suppress(ValueError):
            yield decoded, right._replace(secret=decode(suffix))


def _changed_keys(secret: bytes) -> Iterator[tuple[str, bytes]]:
    digest = sha256(secret)
    yield "encoded as Base64", b64encode(secret)
    yield "encoded as hex", secret.hex().encode()
    yield "hashed", digest.digest()
    yield "hashed", digest.hexdigest().encode()
    yield "hashed", b64encode(digest.digest())
    for form in ("utf-16-le", "utf-16-be", "utf-16"):
        yield "encoded as UTF-16", secret.decode(errors="replace").encode(form)
    yield "put into another case", secret.upper()
    yield "put into another case", secret.lower()
    yield "reversed", secret[::-1]
    yield "doubled", secret * 2
    for prefix in (b"AWS4", b"HMAC-SHA256"):
        yield "given a prefix", prefix + secret


def _payloads(right: SignatureInputs) -> Iterator[Guess]:
    """Other payloads than the three lines of the spec."""
    mistake = Mistake("unknown", "the HMAC is of three lines: HMAC-SHA256, X-Date, and the hash")
    canonical = right.canonical()
    date = right.date
    hashed = sha256(to_bytes(canonical)).hexdigest()
    texts = (
        *(canonical, hashed, f"{date}\n{hashed}", f"{SCHEME}\n{date}\n{canonical}"),
        *(f"{SCHEME}\n{hashed}", f"{SCHEME}\n{hashed}\n{date}", f"{SCHEME}{date}{hashed}"),
    )
    for text in (*texts, *_other_payloads(right, hashed)):
        yield mistake, right._replace(join_payload=_always(text))


def _other_payloads(right: SignatureInputs, hashed: str) -> Iterator[str]:
    canonical = to_bytes(right.canonical())
    date = right.date
    for joint in (" ", ";", ",", "|", ":", "\n\n"):
        yield joint.join((SCHEME, date, hashed))
    for scheme in (SCHEME.lower(), "AWS4-HMAC-SHA256", "HMAC_SHA256", "HMACSHA256", "SHA256"):
        yield f"{scheme}\n{date}\n{hashed}"
    api_key = dict(right.headers).get("x-api-key", "")
    yield f"{SCHEME}\n{api_key}\n{date}\n{hashed}"
    yield f"{SCHEME}\n{date}\n{api_key}\n{hashed}"
    other_hashes = [
        new(name, canonical).hexdigest() for name in ("sha1", "md5", "sha512", "sha384")
    ]
    other_hashes += [sha256(hashed.encode()).hexdigest(), sha256(bytes.fromhex(hashed)).hexdigest()]
    for other_hash in (*other_hashes, b64encode(bytes.fromhex(hashed)).decode()):
        yield f"{SCHEME}\n{date}\n{other_hash}"


def _always(result: T) -> Callable[[object], T]:
    return lambda _: result


def _plain_body(right: SignatureInputs, body: bytes) -> Iterator[Guess]:
    message = "the canonical request that was signed ends with the body, not with its hash"
    body_text = body.decode(errors="surrogateescape")
    yield Mistake("unknown", message), right._replace(content_hash=body_text)


def _macs(right: SignatureInputs) -> Iterator[Guess]:
    """Digests other than one HMAC-SHA256 with the secret."""
    key = right.secret
    text = to_bytes(payload(right.date, right.canonical()))
    digests_by_message = {
        "the HMAC is HMAC-SHA256": [hmac.digest(key, text, name) for name in _DIGESTS],
        "the secret is the HMAC's key, the payload its text": [hmac.digest(text, key, "sha256")],
        "the signature is an HMAC, not a plain hash": [
            sha256(data).digest() for data in (key + text, text + key, text, key + b"\n" + text)
        ],
        "the HMAC is of the payload's text, once": [
            hmac.digest(key, sha256(text).digest(), "sha256"),
            hmac.digest(key, sha256(text).hexdigest().encode(), "sha256"),
            hmac.digest(key, hmac.digest(key, text, "sha256"), "sha256"),
            hmac.digest(key, hmac.digest(key, text, "sha256").hex().encode(), "sha256"),
        ],
        "the key is the secret, not one derived from it": [
            hmac.digest(hmac.digest(key, day.encode(), "sha256"), text, "sha256")
            for day in (right.date[:10], right.date[:10].replace("-", ""), right.date)
        ],
    }
    for message, digests in digests_by_message.items():
        for digest in digests:
            for form in (digest.hex().encode(), digest):
                finish = _always(b64encode(form))
                yield Mistake("unknown", message), right._replace(finish=finish)


_DIGESTS = ("sha1", "sha512", "md5", "sha384", "sha224")


def other_secrets(right: SignatureInputs, secrets: Iterable[str]) -> Iterator[Guess]:
    """A correct signature by another secret: proof that the wrong one was used."""
    api_key = dict(right.headers).get("x-api-key", "")
    secrets_with_messages = (
        [(api_key, "the API key was used in place of the secret key")] if api_key else []
    )
    secrets_with_messages.append(("", "the secret key was empty when it was used"))
    secrets_with_messages += [
        (secret, "it was signed with the secret of another API key") for secret in secrets
    ]
    for secret, message in secrets_with_messages:
        if secret.encode() != right.secret:
            yield known("wrong-secret", message), right._replace(secret=secret.encode())


def _others(right: SignatureInputs) -> Iterator[Guess]:
    """Mistakes without an id; finding one proves that the secret is right."""
    for method in (*METHODS, right.method.lower(), right.method.title()):
        if method != right.method:
            message = f"the method that was signed is {method}, the one sent is {right.method}"
            yield Mistake("unknown", message), right._replace(method=method)
    without_first_part = right.path.strip("/").partition("/")[2]
    for path in (
        f"{right.path}/",
        right.path.rstrip("/"),
        f"/{without_first_part}",
        f"/api{right.path}",
        "",
    ):
        message = f"the path that was signed is {path!r}, the one sent is {right.path!r}"
        yield Mistake("unknown", message), right._replace(path=path)
    if right.query:
        message = "the query that was signed is not the one sent: it was left out, or has its ?"
        yield Mistake("unknown", message), right._replace(query=None)
        yield Mistake("unknown", message), right._replace(query=f"?{right.query}")
        path_and_query = f"{right.path}?{right.query}"
        yield Mistake("unknown", message), right._replace(path=path_and_query, query=None)
