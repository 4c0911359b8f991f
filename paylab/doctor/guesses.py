"""What else a signer may have signed: tried only by the doctor, who has time and the secret."""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import timedelta
from functools import partial
from hashlib import sha256
from itertools import groupby, islice

from .. import instants
from ..signing import SPELLING
from ..signing.bodies import other_spellings
from ..signing.canonical import SCHEME
from ..signing.mistakes import Mistake, Recipe, all_mistakes

Guess = tuple[Mistake, Recipe]

METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD")
NEAR_MILLISECONDS = 2000
ZONES = 14 * 4
"""Quarters of an hour that a zone's time is from UTC, at most."""

MOST_WAYS = 16
CUTS = (16, 32, 64)
"""Bytes that other programs take a key to have."""


def guesses(right: Recipe, headers: Mapping[str, str], body: bytes) -> Iterator[Guess]:
    """Single mistakes, the common ones first."""
    yield from all_mistakes(right, headers)
    yield from _bodies(right, body)
    yield from _spelled(right)
    yield from _dates(right)
    yield from _hosts(right, headers)
    yield from _keys(right)
    yield from _payloads(right)
    yield from _others(right)


def pairs(right: Recipe, headers: Mapping[str, str]) -> Iterator[Guess]:
    """Two known mistakes at once; the first to be mended names it."""
    for first, once in _few(right, headers):
        for second, twice in _few(once, headers):
            also = f"{first.message}; and also ({second.id}): {second.message}"
            yield Mistake(first.id, also), twice


def _few(right: Recipe, headers: Mapping[str, str]) -> Iterator[Guess]:
    """Not every way to make a mistake: some can be made in hundreds."""
    for _, ways in groupby(all_mistakes(right, headers), key=lambda each: each[0].id):
        yield from islice(ways, MOST_WAYS)


def _bodies(right: Recipe, body: bytes) -> Iterator[Guess]:
    for way, text in other_spellings(body):
        said = Mistake("body-changed", f"the body that was signed is the one sent, but {way}")
        yield said, replace(right, content_hash=sha256(text).hexdigest())


def _spelled(right: Recipe) -> Iterator[Guess]:
    """One header's line alone in another case."""
    said = Mistake("header-name-case", "write header names in lower case")
    for at, (name, value) in enumerate(right.headers):
        for spelled in (SPELLING.get(name, name.title()), name.title(), name.upper()):
            headers = (*right.headers[:at], (spelled, value), *right.headers[at + 1 :])
            yield said, replace(right, headers=headers)


def _dates(right: Recipe) -> Iterator[Guess]:
    """The date that was signed is not the one that was sent: made twice, or cut."""
    said = Mistake("stale-date", "sign the very X-Date that is sent: it was made anew, or cut")
    for date in _near(right.date):
        headers = tuple((n, date if n == "x-date" else v) for n, v in right.headers)
        yield said, replace(right, date=date)
        yield said, replace(right, date=date, headers=headers)


def _near(date: str) -> Iterator[str]:
    try:
        moment = instants.from_text(date)
    except ValueError:
        return
    whole = date.partition(".")[0].rstrip("Z")
    yield from (whole, f"{whole}Z", f"{whole}.000Z", f"{whole}+00:00", date.removesuffix("Z"))
    yield str(int(moment.timestamp()))
    for milliseconds in range(-NEAR_MILLISECONDS, NEAR_MILLISECONDS + 1):
        if milliseconds:
            yield instants.to_text(moment + timedelta(milliseconds=milliseconds))
    for quarters in range(-ZONES, ZONES + 1):
        yield instants.to_text(moment + timedelta(minutes=15 * quarters))


def _hosts(right: Recipe, headers: Mapping[str, str]) -> Iterator[Guess]:
    said = Mistake("host-differs", "sign the Host header as it arrives, behind every proxy")
    name = headers.get("host", "").partition(":")[0]
    ports = (f"{name}:{port}" for port in (80, 443, 3000, 5000, 8000, 8080, 8443, 9000))
    for host in (*ports, f"www.{name}", name.removeprefix("api."), f"{name}.", ""):
        changed = tuple((n, host if n == "host" else v) for n, v in right.headers)
        yield said, replace(right, headers=changed)


def _keys(right: Recipe) -> Iterator[Guess]:
    said = Mistake("key-trimmed", "use the secret exactly as issued, with its prefix and whole")
    text = right.secret.decode(errors="replace")
    parts = text.split("_")
    for at in range(1, len(parts)):
        if rest := "_".join(parts[at:]):
            yield said, replace(right, secret=rest.encode())
    for cut in (right.secret[:-1], right.secret[1:], *(right.secret[:size] for size in CUTS)):
        yield said, replace(right, secret=cut)
    decoded = Mistake("key-decoded", "use the secret's text as issued, not decoded")
    for part in ("_".join(parts[at:]) for at in range(1, len(parts))):
        for decode in (bytes.fromhex, b64decode):
            try:
                yield decoded, replace(right, secret=decode(part))
            except ValueError:
                continue


def _payloads(right: Recipe) -> Iterator[Guess]:
    """Other texts under the HMAC than the three lines of the spec."""
    said = Mistake("unknown", "the HMAC is of three lines: HMAC-SHA256, X-Date, and the hash")
    canonical, date = right.canonical(), right.date
    hashed = sha256(canonical.encode(errors="surrogateescape")).hexdigest()
    texts = (
        *(canonical, hashed, f"{date}\n{hashed}", f"{SCHEME}\n{date}\n{canonical}"),
        *(f"{SCHEME}\n{hashed}", f"{SCHEME}\n{hashed}\n{date}", f"{SCHEME}{date}{hashed}"),
    )
    for text in texts:
        yield said, replace(right, join_payload=partial(_instead, text))


def _instead(text: str, _: Iterable[str]) -> str:
    return text


def _others(right: Recipe) -> Iterator[Guess]:
    """What has no name of its own; that it is found shows at least that the secret is right."""
    for method in (*METHODS, right.method.lower(), right.method.title()):
        if method != right.method:
            said = f"the method that was signed is {method}, the one sent is {right.method}"
            yield Mistake("unknown", said), replace(right, method=method)
    head = right.path.strip("/").partition("/")[2]
    for path in (f"{right.path}/", right.path.rstrip("/"), f"/{head}", f"/api{right.path}", ""):
        said = f"the path that was signed is {path!r}, the one sent is {right.path!r}"
        yield Mistake("unknown", said), replace(right, path=path)
    if right.query:
        said = "the query that was signed is not the one sent: it was left out, or has its ?"
        yield Mistake("unknown", said), replace(right, query=None)
        yield Mistake("unknown", said), replace(right, query=f"?{right.query}")
        whole = f"{right.path}?{right.query}"
        yield Mistake("unknown", said), replace(right, path=whole, query=None)
