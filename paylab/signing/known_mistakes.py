"""The mistakes that have an id, each made on purpose in all its variants for a request."""

from __future__ import annotations

import re
from base64 import b64decode, b64encode, urlsafe_b64decode
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import permutations, product
from urllib.parse import quote, unquote, unquote_plus

from .canonical import EMPTY_HASH, SIGNATURE_FORMS, SPELLINGS, VERSION_PATTERN, to_bytes
from .inputs import (
    HeaderLines,
    JoinLines,
    SignatureInputs,
    hash_text,
    join_without_date,
    join_without_scheme,
    take_last_line,
)

ORDERED_MAX = 5
"""Maximum number of headers or query parameters that are tried in every order."""

DEVELOPMENT_PORTS = (3000, 5000, 8000, 8080, 8443, 9000)

ESCAPE = re.compile("%[0-9A-Fa-f]{2}")


def _send_hex_text(expected_inputs: SignatureInputs) -> Iterator[SignatureInputs]:
    """Yield inputs whose signature is the hex text of the HMAC, without Base64."""
    if expected_inputs.encode is SIGNATURE_FORMS["base64_hex"]:
        yield expected_inputs._replace(encode=SIGNATURE_FORMS["hex"])


def _encode_in_every_form(expected_inputs: SignatureInputs) -> Iterator[SignatureInputs]:
    """Yield inputs whose signature is in each form that a client could use by mistake.

    For a service with Base64 of the hex text that is Base64 of the raw digest. For a service with
    another form, all known forms are tried.
    """
    if expected_inputs.encode is SIGNATURE_FORMS["base64_hex"]:
        yield expected_inputs._replace(encode=b64encode)
        return
    for encode in SIGNATURE_FORMS.values():
        yield expected_inputs._replace(encode=encode)


def _write_signature_in_upper_case(expected_inputs: SignatureInputs) -> Iterator[SignatureInputs]:
    """Yield inputs whose signature is Base64 of the HMAC's hex text in capitals."""
    yield expected_inputs._replace(encode=lambda digest: b64encode(digest.hex().upper().encode()))


def _encode_signature_twice(expected_inputs: SignatureInputs) -> Iterator[SignatureInputs]:
    """Yield inputs whose signature is Base64 of the right signature."""
    encode = SIGNATURE_FORMS["base64_hex"]
    yield expected_inputs._replace(encode=lambda digest: b64encode(encode(digest)))


def _sign_unhashed_text(expected_inputs: SignatureInputs) -> Iterator[SignatureInputs]:
    """Yield inputs that sign the canonical request itself, in place of its hash or alone."""
    unhashed_inputs = expected_inputs._replace(hash_canonical=str)
    for join_lines in ("\n".join, take_last_line, join_without_scheme, join_without_date):
        yield unhashed_inputs._replace(join_payload=join_lines)


def _leave_out_algorithm(expected_inputs: SignatureInputs) -> Iterator[SignatureInputs]:
    """Yield inputs that sign the payload without its first line, or its last line alone."""
    for join_lines in (join_without_scheme, take_last_line):
        yield expected_inputs._replace(join_payload=join_lines)


def _change_method_case(expected_inputs: SignatureInputs) -> Iterator[SignatureInputs]:
    """Yield inputs with the method in lower case or title case."""
    for method in (expected_inputs.method.lower(), expected_inputs.method.title()):
        yield expected_inputs._replace(method=method)


def _keep_question_mark(expected_inputs: SignatureInputs) -> Iterator[SignatureInputs]:
    """Yield inputs with a question mark before the query, also before an empty one."""
    yield expected_inputs._replace(query=f"?{expected_inputs.query or ''}")


def _sign_query_in_path_line(expected_inputs: SignatureInputs) -> Iterator[SignatureInputs]:
    """Yield inputs with the query in the line of the path, with or without a blank line below."""
    if expected_inputs.query:
        path_with_query = f"{expected_inputs.path}?{expected_inputs.query}"
        yield expected_inputs._replace(path=path_with_query, query=None)
        yield expected_inputs._replace(path=path_with_query, query="")


def _add_blank_query(expected_inputs: SignatureInputs) -> Iterator[SignatureInputs]:
    """Yield inputs with a blank line for the query of a request that has none."""
    if expected_inputs.query is None:
        yield expected_inputs._replace(query="")


def _leave_out_blank_query(expected_inputs: SignatureInputs) -> Iterator[SignatureInputs]:
    """Yield inputs without a query line, for a service that has a blank one for an empty query."""
    if expected_inputs.query == "":
        yield expected_inputs._replace(query=None)


def _leave_out_version(expected_inputs: SignatureInputs) -> Iterator[SignatureInputs]:
    """Yield inputs with the path without its version, and without what is before the version."""
    path_before, version, path_after = expected_inputs.path.partition("/v1/")
    if version:
        yield expected_inputs._replace(path=f"/{path_after}")
        yield expected_inputs._replace(path=f"{path_before}/{path_after}")


def _add_version(expected_inputs: SignatureInputs) -> Iterator[SignatureInputs]:
    """Yield inputs with a version in the path, for a service that signs the path without one."""
    if not VERSION_PATTERN.search(expected_inputs.path):
        yield expected_inputs._replace(path=f"/v1{expected_inputs.path}")


def _write_hashes_in_upper_case(expected_inputs: SignatureInputs) -> Iterator[SignatureInputs]:
    """Yield inputs with capitals in the hash of the canonical request, of the body, or of both."""

    def hash_in_upper_case(text: str) -> str:
        return hash_text(text).upper()

    inputs_with_upper_body_hash = expected_inputs._replace(
        content_hash=expected_inputs.content_hash.upper()
    )
    yield expected_inputs._replace(hash_canonical=hash_in_upper_case)
    yield inputs_with_upper_body_hash
    yield inputs_with_upper_body_hash._replace(hash_canonical=hash_in_upper_case)


def _sign_empty_body(expected_inputs: SignatureInputs) -> Iterator[SignatureInputs]:
    """Yield inputs with the hash of an empty body."""
    yield expected_inputs._replace(content_hash=EMPTY_HASH)


def _replace_headers(
    expected_inputs: SignatureInputs, headers: HeaderLines
) -> Iterator[SignatureInputs]:
    """Yield inputs with other headers: in their lines, in the line of names, or in both."""
    header_names = ";".join(header_name for header_name, _ in headers)
    yield expected_inputs._replace(headers=headers, signed_names=header_names)
    yield expected_inputs._replace(headers=headers)
    yield expected_inputs._replace(signed_names=header_names)


def _leave_out_header(expected_inputs: SignatureInputs) -> Iterator[SignatureInputs]:
    """Yield inputs without one of the headers, for each of them."""
    for missing_name, _ in expected_inputs.request_headers:
        headers = tuple(
            header_line for header_line in expected_inputs.headers if header_line[0] != missing_name
        )
        yield from _replace_headers(expected_inputs, headers)


def _write_names_in_capitals(expected_inputs: SignatureInputs) -> Iterator[SignatureInputs]:
    """Yield inputs with all names of headers in capitals or title case, then with one of them."""

    def spell_as_sent(header_name: str) -> str:
        return SPELLINGS.get(header_name, header_name.title())

    for spell in (str.title, str.upper, spell_as_sent):
        headers = tuple(
            (spell(header_name), header_value)
            for header_name, header_value in expected_inputs.headers
        )
        yield from _replace_headers(expected_inputs, headers)
    for index, (header_name, header_value) in enumerate(expected_inputs.headers):
        for spelled_name in (spell_as_sent(header_name), header_name.title(), header_name.upper()):
            spelled_headers = ((spelled_name, header_value),)
            yield expected_inputs._replace(
                headers=expected_inputs.headers[:index]
                + spelled_headers
                + expected_inputs.headers[index + 1 :]
            )


def _add_space_after_colon(expected_inputs: SignatureInputs) -> Iterator[SignatureInputs]:
    """Yield inputs with a space in each header line, with the names as they are or in capitals."""
    spaced_inputs = expected_inputs._replace(header_format="{}: {}")
    yield spaced_inputs
    for inputs in _write_names_in_capitals(expected_inputs):
        yield inputs._replace(header_format="{}: {}")


def _reorder_headers(expected_inputs: SignatureInputs) -> Iterator[SignatureInputs]:
    """Yield inputs with the headers in every order; of many headers only as sent and sorted."""
    sorted_headers = tuple(sorted(expected_inputs.request_headers))
    header_orders: Iterable[HeaderLines] = [expected_inputs.request_headers, sorted_headers]
    if len(expected_inputs.request_headers) <= ORDERED_MAX:
        header_orders = permutations(expected_inputs.request_headers)
    for headers in header_orders:
        yield from _replace_headers(expected_inputs, headers)


def _change_host(expected_inputs: SignatureInputs) -> Iterator[SignatureInputs]:
    """Yield inputs with hosts of proxies and development servers, and the host with a scheme."""
    signed_host = dict(expected_inputs.request_headers)["host"]
    host_without_port = re.sub(r":\d*\Z", "", signed_host)
    port_match = re.search(r":\d+\Z", signed_host)
    sent_port_suffix = port_match[0] if port_match else ""
    host_names = (host_without_port, host_without_port.lower(), "localhost", "127.0.0.1", "[::1]")
    port_suffixes = ("", sent_port_suffix, ":80", ":443")
    hosts = ["".join(name_and_port) for name_and_port in product(host_names, port_suffixes)]
    hosts += [f"http://{signed_host}", f"https://{signed_host}", signed_host.upper()]
    hosts += [f"{host_without_port}:{port}" for port in DEVELOPMENT_PORTS]
    for host in hosts:
        yield expected_inputs.with_header("host", host)


def _change_spaces(expected_inputs: SignatureInputs) -> Iterator[SignatureInputs]:
    """Yield inputs with the spaces of the query as plus signs, or as %20."""
    query_text = expected_inputs.query or ""
    yield expected_inputs._replace(query=query_text.replace("%20", "+"))
    yield expected_inputs._replace(query=query_text.replace("+", "%20"))


def _reorder_query(expected_inputs: SignatureInputs) -> Iterator[SignatureInputs]:
    """Yield inputs with the parameters in every order; of many only sorted and reversed."""
    parameters = (expected_inputs.query or "").split("&")
    sorted_parameters = sorted(parameters)
    query_orders: Iterable[Iterable[str]] = [
        sorted_parameters,
        sorted_parameters[::-1],
        parameters[::-1],
    ]
    if len(parameters) <= ORDERED_MAX:
        query_orders = permutations(parameters)
    for ordered_parameters in query_orders:
        yield expected_inputs._replace(query="&".join(ordered_parameters))


def _change_escapes(expected_inputs: SignatureInputs) -> Iterator[SignatureInputs]:
    """Yield inputs with path and query decoded, encoded again, or with escapes in another case."""
    path = expected_inputs.path
    paths = (path, unquote(path), _quote(path), _quote(unquote(path)), *_change_escape_case(path))
    queries: Iterable[str | None] = (None,)
    if expected_inputs.query is not None:
        query_text = expected_inputs.query
        decoded_query = unquote(query_text)
        queries = (
            query_text,
            decoded_query,
            unquote_plus(query_text),
            _quote(query_text, "=&"),
            _quote(decoded_query, "=&"),
            _quote(decoded_query, "=&/:@,+"),
            *_change_escape_case(query_text),
        )
    for changed_path, changed_query in product(paths, queries):
        yield expected_inputs._replace(path=changed_path, query=changed_query)


def _quote(query_text: str, safe: str = "/") -> str:
    """Percent-encode a path or a query, except the characters in `safe`."""
    return quote(to_bytes(query_text), safe)


def _change_escape_case(escaped_text: str) -> Iterator[str]:
    """Yield a text with the hex digits of its escapes in lower case, and in capitals."""
    yield ESCAPE.sub(lambda match: match[0].lower(), escaped_text)
    yield ESCAPE.sub(lambda match: match[0].upper(), escaped_text)


def _decode_key(expected_inputs: SignatureInputs) -> Iterator[SignatureInputs]:
    """Yield inputs whose key is the secret decoded from hex or Base64."""
    try:
        secret_text = expected_inputs.secret.decode()
    except UnicodeDecodeError:  # the key of a service whose secrets are hex or Base64
        return
    for decoded_key in decode_secret(secret_text):
        yield expected_inputs._replace(secret=decoded_key)


def decode_secret(secret_text: str) -> Iterator[bytes]:
    """Yield what a secret can be decoded to: from hex, Base64, and Base64 of any alphabet."""
    for decode in (bytes.fromhex, b64decode, _decode_base64_leniently):
        try:
            decoded_key = decode(secret_text)
        except ValueError:
            continue
        if decoded_key:
            yield decoded_key


def _decode_base64_leniently(secret_text: str) -> bytes:
    """Decode Base64 of either alphabet, with or without padding."""
    return urlsafe_b64decode(secret_text.replace("+", "-").replace("/", "_") + "==")


def _trim_key(expected_inputs: SignatureInputs) -> Iterator[SignatureInputs]:
    """Yield inputs with white space, quotes or padding added to the secret, or removed from it."""
    secret_bytes = expected_inputs.secret
    changed_keys = [secret_bytes.strip(), secret_bytes.rstrip(b"="), secret_bytes.strip(b"\"'")]
    changed_keys += [secret_bytes + suffix for suffix in (b"\n", b"\r\n", b" ", b"\t")]
    changed_keys += [b" " + secret_bytes, b'"' + secret_bytes + b'"', b"'" + secret_bytes + b"'"]
    for changed_key in changed_keys:
        if changed_key:
            yield expected_inputs._replace(secret=changed_key)


_LINE_JOINS: tuple[JoinLines, ...] = (
    "\r\n".join,
    "\\n".join,
    lambda lines: "\n".join([*lines, ""]),
    lambda lines: "\r\n".join([*lines, ""]),
)


def _change_line_endings(expected_inputs: SignatureInputs) -> Iterator[SignatureInputs]:
    """Yield inputs with other line ends in both texts or in one, or with one line end too many."""
    for join_lines in _LINE_JOINS:
        yield expected_inputs._replace(join_canonical=join_lines, join_payload=join_lines)
        yield expected_inputs._replace(join_canonical=join_lines)
        yield expected_inputs._replace(join_payload=join_lines)
    # An empty line between the headers and the line of their names.
    yield expected_inputs._replace(signed_names=f"\n{expected_inputs.signed_names}")
    # A line end after the hex digest, before it is encoded as Base64.
    yield expected_inputs._replace(encode=lambda digest: b64encode(digest.hex().encode() + b"\n"))


KNOWN_MISTAKES: Mapping[str, Callable[[SignatureInputs], Iterable[SignatureInputs]]] = {
    "hex-signature": _send_hex_text,
    "raw-digest": _encode_in_every_form,
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
