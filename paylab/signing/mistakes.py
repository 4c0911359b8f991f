"""Known mistakes, recognised by the signatures that they produce.

Each row of the table is a mistake and functions that make it on purpose; a signature that equals
the result was made by that mistake. All use the right secret, so a signature made with another
secret never matches.
"""

from __future__ import annotations

import hmac
import json
import re
from base64 import b64decode, b64encode, urlsafe_b64decode
from collections.abc import Callable, Iterable, Iterator, Mapping
from hashlib import sha256
from itertools import permutations, product
from typing import Any, NamedTuple
from urllib.parse import quote, unquote, unquote_plus

from ..spec.service.signing import SigningSettings
from .canonical import (
    EMPTY_HASH,
    SCHEME,
    SIGNATURE_FORMS,
    SPELLING,
    VERSION,
    in_order,
    signed_host,
    to_bytes,
)
from .corrections import Mistake, known

MOST_ORDERED = 5
"""Maximum number of headers or query parameters that are tried in every order."""

MOST_SEARCHED = 20_000
"""Maximum length of a canonical request for which mistakes are tried."""


Pairs = tuple[tuple[str, str], ...]
Join = Callable[[Iterable[str]], str]


class SignatureInputs(NamedTuple):
    """The parts of a signature, each of which can be replaced; a part that is None has no line.

    `headers` are the header lines, each in the form `line`; `given` are those of the request, in
    the order of SignedHeaders.
    """

    secret: bytes
    method: str
    path: str
    query: str | None
    headers: Pairs
    names: str
    content_hash: str
    date: str
    given: Pairs
    line: str = "{}:{}"
    hash_case: Callable[[str], str] = str
    join_canonical: Join = "\n".join
    join_payload: Join = "\n".join
    finish: Callable[[bytes], bytes] = SIGNATURE_FORMS["base64_hex"]

    def canonical(self) -> str:
        """The canonical request of these parts."""
        headers = [self.line.format(name, value) for name, value in self.headers]
        lines = [self.method, self.path, self.query, *headers, self.names, self.content_hash]
        return self.join_canonical([line for line in lines if line is not None])

    def with_header(self, name: str, value: str) -> SignatureInputs:
        """These parts with another value of a header."""
        headers = tuple(
            (header_name, value if header_name == name else text)
            for header_name, text in self.headers
        )
        return self._replace(headers=headers)

    def made(self) -> bytes:
        """The signature of these parts."""
        hashed = self.hash_case(sha256(to_bytes(self.canonical())).hexdigest())
        text = self.join_payload([SCHEME, self.date, hashed])
        return self.finish(hmac.digest(self.secret, to_bytes(text), "sha256"))


def right_inputs(  # noqa: PLR0913 - the key and the parts that the spec lists
    key: bytes,
    method: str,
    path: str,
    query: str,
    headers: Mapping[str, str],
    signing: SigningSettings,
) -> SignatureInputs:
    """The recipe of a service; `headers` are the signed ones, in the order of SignedHeaders.

    Path and query are given as they are signed.
    """
    line = query if query or signing.empty_query == "blank" else None
    names = in_order(headers, signing.header_order)
    signed = {**headers, "host": signed_host(headers["host"], signing.signed_host)}
    lines = tuple((name, signed[name]) for name in names)
    hash_and_date = headers["x-content-sha256"], headers["x-date"]
    recipe = SignatureInputs(
        key, method, path, line, lines, ";".join(names), *hash_and_date, tuple(headers.items())
    )
    return recipe._replace(finish=SIGNATURE_FORMS[signing.signature])


def signature_mistake(claimed: str, right: SignatureInputs) -> Mistake | None:
    """The known mistake that produces `claimed`, or None."""
    if len(right.canonical()) > MOST_SEARCHED:
        return None
    guess = first_made(all_mistakes(right), claimed)
    return guess and guess[0]


Guess = tuple[Mistake, SignatureInputs]


def first_made(guesses: Iterable[Guess], claimed: str) -> Guess | None:
    """The first mistake that produces the claimed signature, and its recipe."""
    claimed_bytes = claimed.encode(errors="replace")
    return next(
        (guess for guess in guesses if hmac.compare_digest(guess[1].made(), claimed_bytes)), None
    )


def all_mistakes(right: SignatureInputs) -> Iterator[Guess]:
    """Every known mistake with every variant for this request."""
    for name, wrongs in _variants(right):
        mistake = known(name)
        yield from ((mistake, wrong) for wrong in wrongs)


def _variants(right: SignatureInputs) -> Iterator[tuple[str, Iterable[SignatureInputs]]]:
    change = right._replace
    query = right.query
    path = right.path
    is_spec = right.finish is SIGNATURE_FORMS["base64_hex"]
    forms = [b64encode] if is_spec else SIGNATURE_FORMS.values()
    yield "raw-digest", [change(finish=form) for form in forms]
    yield "uppercase-signature", [change(finish=lambda it: b64encode(it.hex().upper().encode()))]
    yield "double-base64", [change(finish=lambda it: b64encode(b64encode(it.hex().encode())))]
    yield "blank-query-line", [change(query="")] if query is None else []
    yield "no-query-line", [change(query=None)] if query == "" else []
    yield "path-without-version", _unversioned(right)
    yield "path-with-version", [] if VERSION.search(path) else [change(path=f"/v1{path}")]
    upper = change(content_hash=right.content_hash.upper())
    hashes = [change(hash_case=str.upper), upper, upper._replace(hash_case=str.upper)]
    yield "uppercase-hash", hashes
    yield "body-changed", [change(content_hash=EMPTY_HASH)]
    yield "missing-header", _left_out(right)
    yield "header-name-case", _spelled(right)
    yield "host-differs", _hosts(right)  # before the orders, which have Host as it is sent
    yield "unsorted-headers", _unsorted(right)
    spaces = (("%20", "+"), ("+", "%20"))
    yield (
        "plus-for-space",
        [change(query=(query or "").replace(*replacement)) for replacement in spaces],
    )
    yield "query-reordered", _reordered(right)
    yield "query-decoded", _decoded(right)
    yield "key-decoded", _decoded_keys(right)
    yield "key-trimmed", _trimmed_keys(right)
    yield "wrong-line-ending", _endings(right)


def _relined(right: SignatureInputs, headers: Pairs) -> Iterator[SignatureInputs]:
    """Other header lines with their own names line or the right one, and the reverse."""
    names = ";".join(name for name, _ in headers)
    yield right._replace(headers=headers, names=names)
    yield right._replace(headers=headers)
    yield right._replace(names=names)


def _unsorted(right: SignatureInputs) -> Iterator[SignatureInputs]:
    few = len(right.given) <= MOST_ORDERED
    for order in permutations(right.given) if few else [right.given, tuple(sorted(right.given))]:
        yield from _relined(right, order)


def _spelled(right: SignatureInputs) -> Iterator[SignatureInputs]:
    for spell in (str.title, str.upper, lambda name: SPELLING.get(name, name.title())):
        yield from _relined(right, tuple((spell(name), value) for name, value in right.headers))


def _left_out(right: SignatureInputs) -> Iterator[SignatureInputs]:
    for missing, _ in right.given:
        yield from _relined(right, tuple(pair for pair in right.headers if pair[0] != missing))


def _hosts(right: SignatureInputs) -> Iterator[SignatureInputs]:
    signed_host = dict(right.given)["host"]
    name = re.sub(r":\d*\Z", "", signed_host)
    port = re.search(r":\d+\Z", signed_host)
    names = (name, name.lower(), "localhost", "127.0.0.1", "[::1]")
    ports = ("", port[0] if port else "", ":80", ":443")
    for host in (
        *map("".join, product(names, ports)),
        f"http://{signed_host}",
        f"https://{signed_host}",
    ):
        yield right.with_header("host", host)


def _reordered(right: SignatureInputs) -> Iterator[SignatureInputs]:
    parts = (right.query or "").split("&")
    few = len(parts) <= MOST_ORDERED
    orders = permutations(parts) if few else [sorted(parts), sorted(parts)[::-1], parts[::-1]]
    yield from (right._replace(query="&".join(order)) for order in orders)


def _decoded(right: SignatureInputs) -> Iterator[SignatureInputs]:
    paths = (right.path, unquote(right.path), _quoted(right.path), _quoted(unquote(right.path)))
    if right.query is None:
        yield from (right._replace(path=path) for path in paths)
        return
    decoded_query = unquote(right.query)
    quoted_again = (
        _quoted(right.query, "=&"),
        _quoted(decoded_query, "=&"),
        _quoted(decoded_query, "=&/:@,+"),
    )
    queries = (right.query, decoded_query, unquote_plus(right.query), *quoted_again)
    for path, query in product(paths, queries):
        yield right._replace(path=path, query=query)


def _quoted(text: str, safe: str = "/") -> str:
    return quote(to_bytes(text), safe)


def _unversioned(right: SignatureInputs) -> Iterator[SignatureInputs]:
    prefix, version, suffix = right.path.partition("/v1/")
    if version:
        yield right._replace(path=f"/{suffix}")
        yield right._replace(path=f"{prefix}/{suffix}")


def _decoded_keys(right: SignatureInputs) -> Iterator[SignatureInputs]:
    for decode in (bytes.fromhex, b64decode, _lenient_decode):
        try:
            key = decode(right.secret.decode())
        except ValueError:
            continue
        if key:
            yield right._replace(secret=key)


def _lenient_decode(text: str) -> bytes:
    """Decode Base64 leniently: either alphabet, optional padding."""
    return urlsafe_b64decode(text.replace("+", "-").replace("/", "_") + "==")


def _trimmed_keys(right: SignatureInputs) -> Iterator[SignatureInputs]:
    key = right.secret
    with_additions = (key + b"\n", key + b"\r\n", key + b" ", b'"' + key + b'"', b"'" + key + b"'")
    for other_key in (key.strip(), key.rstrip(b"="), key.strip(b"\"'"), *with_additions):
        if other_key:
            yield right._replace(secret=other_key)


_JOINS: tuple[Join, ...] = (
    "\r\n".join,
    "\\n".join,
    lambda lines: "\n".join([*lines, ""]),
    lambda lines: "\r\n".join([*lines, ""]),
)


def _endings(right: SignatureInputs) -> Iterator[SignatureInputs]:
    for join in _JOINS:
        yield right._replace(join_canonical=join, join_payload=join)
        yield right._replace(join_canonical=join)
        yield right._replace(join_payload=join)
    yield right._replace(names="\n" + right.names)
    yield right._replace(finish=lambda digest: b64encode(digest.hex().encode() + b"\n"))


MOST_REWRITTEN = 1_000_000
"""Maximum bytes of a body for which other formats are tried."""


def body_mistake(claimed: str, body: bytes) -> Mistake | None:
    """The mistake behind `claimed`, an X-Content-SHA256 that is not the hash of the body."""
    if claimed.lower() == sha256(body).hexdigest():
        return known("uppercase-hash")
    if body and claimed == EMPTY_HASH:
        return known("body-changed", "it is the hash of an empty body")
    for spelling, text in other_spellings(body):
        if claimed in (sha256(text).hexdigest(), sha256(text + b"\n").hexdigest()):
            return known("body-changed", f"it is the hash of the body {spelling}")
    return None


def other_spellings(body: bytes) -> Iterator[tuple[str, bytes]]:
    """The body in the formats of other programs, with descriptions of the differences."""
    if len(body) > MOST_REWRITTEN:
        return
    yield "with a line break at its end", body
    yield "without the white space around it", body.strip()
    yield from _as_text(body)
    try:
        yield from _as_json(json.loads(body))
    except (ValueError, RecursionError):
        return


def _as_text(body: bytes) -> Iterator[tuple[str, bytes]]:
    try:
        text = body.decode()
    except ValueError:
        return
    for form in ("latin-1", "utf-16", "utf-16-le", "utf-8-sig"):
        yield f"encoded as {form}", text.encode(form, "replace")
    yield "with line breaks of Windows", text.replace("\n", "\r\n").encode()


def _as_json(value: Any) -> Iterator[tuple[str, bytes]]:
    for escaped, ordered, (form, options) in product((False, True), (False, True), _FORMS):
        spelling = f"as JSON {form}{', keys sorted' * ordered}{', letters escaped' * escaped}"
        text = json.dumps(value, ensure_ascii=escaped, sort_keys=ordered, **options)
        yield spelling, text.encode(errors="replace")


_FORMS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("without spaces", {"separators": (",", ":")}),
    ("with spaces after commas and colons", {}),
    ("indented by 2", {"indent": 2}),
    ("indented by 4", {"indent": 4}),
)
