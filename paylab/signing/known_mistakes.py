"""The mistakes that have an id, each made on purpose in all its variants for a request."""

from __future__ import annotations

import re
from base64 import b64decode, b64encode, urlsafe_b64decode
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import permutations, product
from urllib.parse import quote, unquote, unquote_plus

from .canonical import EMPTY_HASH, SIGNATURE_FORMS, SPELLINGS, VERSION_PATTERN, to_bytes
from .inputs import HeaderLines, JoinLines, SignatureInputs, hash_text

ORDERED_MAX = 5
"""Maximum number of headers or query parameters that are tried in every order."""

DEVELOPMENT_PORTS = (3000, 5000, 8000, 8080, 8443, 9000)

ESCAPE = re.compile("%[0-9A-Fa-f]{2}")


def _send_hex_text(correct: SignatureInputs) -> Iterator[SignatureInputs]:
    if correct.encode is SIGNATURE_FORMS["base64_hex"]:
        yield correct._replace(encode=SIGNATURE_FORMS["hex"])


def _encode_in_another_form(correct: SignatureInputs) -> Iterator[SignatureInputs]:
    """The raw digest in Base64; for a service of another form, each form of a signature."""
    if correct.encode is SIGNATURE_FORMS["base64_hex"]:
        yield correct._replace(encode=b64encode)
        return
    for encode in SIGNATURE_FORMS.values():
        yield correct._replace(encode=encode)


def _write_signature_in_upper_case(correct: SignatureInputs) -> Iterator[SignatureInputs]:
    yield correct._replace(encode=lambda digest: b64encode(digest.hex().upper().encode()))


def _encode_signature_twice(correct: SignatureInputs) -> Iterator[SignatureInputs]:
    encode = SIGNATURE_FORMS["base64_hex"]
    yield correct._replace(encode=lambda digest: b64encode(encode(digest)))


def _sign_unhashed_text(correct: SignatureInputs) -> Iterator[SignatureInputs]:
    """The canonical request in place of its hash, in the payload or alone."""
    unhashed = correct._replace(hash_canonical=str)
    for join in ("\n".join, _last_line, _all_but_scheme, _all_but_date):
        yield unhashed._replace(join_payload=join)


def _leave_out_algorithm(correct: SignatureInputs) -> Iterator[SignatureInputs]:
    """The payload without its first line, or only its last line."""
    for join in (_all_but_scheme, _last_line):
        yield correct._replace(join_payload=join)


def _last_line(canonical_lines: Sequence[str]) -> str:
    return canonical_lines[-1]


def _all_but_scheme(canonical_lines: Sequence[str]) -> str:
    return "\n".join(canonical_lines[1:])


def _all_but_date(canonical_lines: Sequence[str]) -> str:
    return "\n".join([canonical_lines[0], *canonical_lines[2:]])


def _change_method_case(correct: SignatureInputs) -> Iterator[SignatureInputs]:
    for method in (correct.method.lower(), correct.method.title()):
        yield correct._replace(method=method)


def _keep_question_mark(correct: SignatureInputs) -> Iterator[SignatureInputs]:
    """A question mark before the query, also before a query that is empty."""
    yield correct._replace(query=f"?{correct.query or ''}")


def _sign_query_in_path_line(correct: SignatureInputs) -> Iterator[SignatureInputs]:
    if correct.query:
        yield correct._replace(path=f"{correct.path}?{correct.query}", query=None)
        yield correct._replace(path=f"{correct.path}?{correct.query}", query="")


def _add_blank_query(correct: SignatureInputs) -> Iterator[SignatureInputs]:
    if correct.query is None:
        yield correct._replace(query="")


def _leave_out_blank_query(correct: SignatureInputs) -> Iterator[SignatureInputs]:
    if correct.query == "":
        yield correct._replace(query=None)


def _leave_out_version(correct: SignatureInputs) -> Iterator[SignatureInputs]:
    prefix, version, suffix = correct.path.partition("/v1/")
    if version:
        yield correct._replace(path=f"/{suffix}")
        yield correct._replace(path=f"{prefix}/{suffix}")


def _add_version(correct: SignatureInputs) -> Iterator[SignatureInputs]:
    if not VERSION_PATTERN.search(correct.path):
        yield correct._replace(path=f"/v1{correct.path}")


def _write_hashes_in_upper_case(correct: SignatureInputs) -> Iterator[SignatureInputs]:
    def hash_in_upper_case(text: str) -> str:
        return hash_text(text).upper()

    upper_body_hash = correct._replace(content_hash=correct.content_hash.upper())
    yield correct._replace(hash_canonical=hash_in_upper_case)
    yield upper_body_hash
    yield upper_body_hash._replace(hash_canonical=hash_in_upper_case)


def _sign_empty_body(correct: SignatureInputs) -> Iterator[SignatureInputs]:
    yield correct._replace(content_hash=EMPTY_HASH)


def _replace_headers(correct: SignatureInputs, headers: HeaderLines) -> Iterator[SignatureInputs]:
    """Other header lines, other names in the line of names, and both."""
    header_names = ";".join(name for name, _ in headers)
    yield correct._replace(headers=headers, names=header_names)
    yield correct._replace(headers=headers)
    yield correct._replace(names=header_names)


def _leave_out_header(correct: SignatureInputs) -> Iterator[SignatureInputs]:
    for missing_name, _ in correct.request_headers:
        headers = tuple(pair for pair in correct.headers if pair[0] != missing_name)
        yield from _replace_headers(correct, headers)


def _write_names_in_capitals(correct: SignatureInputs) -> Iterator[SignatureInputs]:
    """All names in capitals or title case, then one name at a time."""

    def spell_as_sent(header_name: str) -> str:
        return SPELLINGS.get(header_name, header_name.title())

    for spell in (str.title, str.upper, spell_as_sent):
        headers = tuple(
            (spell(header_name), header_value) for header_name, header_value in correct.headers
        )
        yield from _replace_headers(correct, headers)
    for index, (header_name, header_value) in enumerate(correct.headers):
        for spelled_name in (spell_as_sent(header_name), header_name.title(), header_name.upper()):
            header_pair = ((spelled_name, header_value),)
            yield correct._replace(
                headers=correct.headers[:index] + header_pair + correct.headers[index + 1 :]
            )


def _add_space_after_colon(correct: SignatureInputs) -> Iterator[SignatureInputs]:
    """A space in each header line, with the names as they are or in capitals."""
    spaced = correct._replace(header_format="{}: {}")
    yield spaced
    for inputs in _write_names_in_capitals(correct):
        yield inputs._replace(header_format="{}: {}")


def _reorder_headers(correct: SignatureInputs) -> Iterator[SignatureInputs]:
    """The headers in every order, or only as sent and sorted if there are many."""
    sorted_headers = tuple(sorted(correct.request_headers))
    orders: Iterable[HeaderLines] = [correct.request_headers, sorted_headers]
    if len(correct.request_headers) <= ORDERED_MAX:
        orders = permutations(correct.request_headers)
    for headers in orders:
        yield from _replace_headers(correct, headers)


def _change_host(correct: SignatureInputs) -> Iterator[SignatureInputs]:
    """The hosts of proxies and development servers, and the host with a scheme."""
    signed_host = dict(correct.request_headers)["host"]
    name = re.sub(r":\d*\Z", "", signed_host)
    port_match = re.search(r":\d+\Z", signed_host)
    signed_port = port_match[0] if port_match else ""
    host_names = (name, name.lower(), "localhost", "127.0.0.1", "[::1]")
    ports = ("", signed_port, ":80", ":443")
    hosts = [host_name + port for host_name, port in product(host_names, ports)]
    hosts += [f"http://{signed_host}", f"https://{signed_host}", signed_host.upper()]
    hosts += [f"{name}:{port}" for port in DEVELOPMENT_PORTS]
    for host in hosts:
        yield correct.with_header("host", host)


def _change_spaces(correct: SignatureInputs) -> Iterator[SignatureInputs]:
    query = correct.query or ""
    yield correct._replace(query=query.replace("%20", "+"))
    yield correct._replace(query=query.replace("+", "%20"))


def _reorder_query(correct: SignatureInputs) -> Iterator[SignatureInputs]:
    """The parameters in every order, or only sorted and reversed if there are many."""
    parameters = (correct.query or "").split("&")
    sorted_parameters = sorted(parameters)
    orders: Iterable[Iterable[str]] = [
        sorted_parameters,
        sorted_parameters[::-1],
        parameters[::-1],
    ]
    if len(parameters) <= ORDERED_MAX:
        orders = permutations(parameters)
    for query_order in orders:
        yield correct._replace(query="&".join(query_order))


def _change_escapes(correct: SignatureInputs) -> Iterator[SignatureInputs]:
    """Path and query decoded, encoded again, or with escapes in the other case."""
    path = correct.path
    paths = (path, unquote(path), _quote(path), _quote(unquote(path)), *_change_escape_case(path))
    queries: Iterable[str | None] = (None,)
    if correct.query is not None:
        query = correct.query
        decoded_query = unquote(query)
        queries = (
            query,
            decoded_query,
            unquote_plus(query),
            _quote(query, "=&"),
            _quote(decoded_query, "=&"),
            _quote(decoded_query, "=&/:@,+"),
            *_change_escape_case(query),
        )
    for changed_path, changed_query in product(paths, queries):
        yield correct._replace(path=changed_path, query=changed_query)


def _quote(query_text: str, safe: str = "/") -> str:
    return quote(to_bytes(query_text), safe)


def _change_escape_case(escaped_text: str) -> Iterator[str]:
    yield ESCAPE.sub(lambda match: match[0].lower(), escaped_text)
    yield ESCAPE.sub(lambda match: match[0].upper(), escaped_text)


def _decode_key(correct: SignatureInputs) -> Iterator[SignatureInputs]:
    try:
        secret_text = correct.secret.decode()
    except UnicodeDecodeError:  # the key of a service whose secrets are hex or Base64
        return
    for decoded_key in decode_secret(secret_text):
        yield correct._replace(secret=decoded_key)


def decode_secret(text: str) -> Iterator[bytes]:
    """The keys that a secret contains as hex, as Base64, and as Base64 read leniently."""
    for decode in (bytes.fromhex, b64decode, _decode_base64_leniently):
        try:
            decoded_key = decode(text)
        except ValueError:
            continue
        if decoded_key:
            yield decoded_key


def _decode_base64_leniently(secret_text: str) -> bytes:
    """Decode Base64 of either alphabet, with or without padding."""
    return urlsafe_b64decode(secret_text.replace("+", "-").replace("/", "_") + "==")


def _trim_key(correct: SignatureInputs) -> Iterator[SignatureInputs]:
    """The secret without its padding, or with white space or quotes around it or without."""
    secret_bytes = correct.secret
    keys = [secret_bytes.strip(), secret_bytes.rstrip(b"="), secret_bytes.strip(b"\"'")]
    keys += [secret_bytes + end for end in (b"\n", b"\r\n", b" ", b"\t")]
    keys += [b" " + secret_bytes, b'"' + secret_bytes + b'"', b"'" + secret_bytes + b"'"]
    for changed_key in keys:
        if changed_key:
            yield correct._replace(secret=changed_key)


_LINE_JOINS: tuple[JoinLines, ...] = (
    "\r\n".join,
    "\\n".join,
    lambda lines: "\n".join([*lines, ""]),
    lambda lines: "\r\n".join([*lines, ""]),
)


def _change_line_endings(correct: SignatureInputs) -> Iterator[SignatureInputs]:
    for join in _LINE_JOINS:
        yield correct._replace(join_canonical=join, join_payload=join)
        yield correct._replace(join_canonical=join)
        yield correct._replace(join_payload=join)
    yield correct._replace(names="\n" + correct.names)
    yield correct._replace(encode=lambda digest: b64encode(digest.hex().encode() + b"\n"))


KNOWN_MISTAKES: Mapping[str, Callable[[SignatureInputs], Iterable[SignatureInputs]]] = {
    "hex-signature": _send_hex_text,
    "raw-digest": _encode_in_another_form,
    "uppercase-signature": _write_signature_in_upper_case,
    "double-base64": _encode_signature_twice,
    "unhashed-canonical": _sign_unhashed_text,
    "no-algorithm-line": _leave_out_algorithm,
    "method-case": _change_method_case,
    "query-mark": _keep_question_mark,
    "query-in-path-line": _sign_query_in_path_line,
    "blank-query-line": _add_blank_query,
    "no-query-line": _leave_out_blank_query,
    "path-without-version": _leave_out_version,
    "path-with-version": _add_version,
    "uppercase-hash": _write_hashes_in_upper_case,
    "body-changed": _sign_empty_body,
    "missing-header": _leave_out_header,
    "header-name-case": _write_names_in_capitals,
    "space-after-colon": _add_space_after_colon,
    "host-differs": _change_host,  # before the orders, which have Host as it is sent
    "unsorted-headers": _reorder_headers,
    "plus-for-space": _change_spaces,
    "query-reordered": _reorder_query,
    "query-decoded": _change_escapes,
    "key-decoded": _decode_key,
    "key-trimmed": _trim_key,
    "wrong-line-ending": _change_line_endings,
}
"""The function that makes each mistake which has an id, the most frequent mistakes first."""
