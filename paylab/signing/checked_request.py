"""Signs a request by its parts, and refuses parts that no request has."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from hmac import HMAC

from ..errors.arguments import explain_arguments
from ..errors.base import ArgumentError, Problem, RuleWarning, warn_caller
from ..spec.text import plain
from .canonical import (
    HEADER_ORDERS,
    SIGNATURE_FORMS,
    EmptyQuery,
    HeaderOrder,
    Signature,
    make_signature,
)

DATE = "x-date"
EMPTY_QUERIES = ("omit", "blank")
_SHOWN_MAX = 40
_HASH_FORM = re.compile(r"[0-9a-f]{64}|[A-Za-z0-9+/]{43}=|")
"""A SHA-256 in hex or Base64, or the blank value that a service may want without a body."""


@explain_arguments
def sign(  # noqa: PLR0913 - the key and the six parts the spec lists
    secret: str | bytes | HMAC,
    method: str,
    path: str,
    query: str,
    headers: Mapping[str, str],
    content_hash: str,
    *,
    empty_query: EmptyQuery = "omit",
    header_order: HeaderOrder = "sorted",
    form: str = "base64_hex",
) -> Signature:
    """Sign a request; the date is the `x-date` among the headers.

    The secret is the HMAC key as bytes or `keyed`, or text, whose UTF-8 bytes are the key.
    `method`, `path` and `query` are as on the request line, `headers` have lower-case names.
    `empty_query`, `header_order` and `form` are the settings signing.empty_query,
    signing.header_order and signing.signature. ArgumentError names a part that no request has;
    a RuleWarning a hash that is no SHA-256, which is signed.

    >>> headers = {"x-date": "now"}
    >>> paylab.signing.sign("key", "GET", "/v1", "", headers, paylab.signing.EMPTY_HASH).value[:8]
    'MDkwMjVi'
    """
    if not isinstance(secret, HMAC) and not secret:
        raise ArgumentError("secret is empty", "secret")
    _check_line(method, path, query)
    _check_headers(headers)
    _require_text("content_hash", content_hash)
    if not _HASH_FORM.fullmatch(content_hash):
        message = (
            "is no SHA-256 in lower-case hex, as body_hash(body) makes it: most services refuse it"
        )
        warn_caller(str(Problem("content_hash", message)), RuleWarning)
    _require_choice("empty_query", empty_query, EMPTY_QUERIES)
    _require_choice("header_order", header_order, HEADER_ORDERS)
    _require_choice("form", form, SIGNATURE_FORMS)
    return make_signature(
        secret,
        method,
        path,
        query,
        headers,
        content_hash,
        empty_query=empty_query,
        header_order=header_order,
        form=form,
    )


def _check_line(method: str, path: str, query: str) -> None:
    """Check the parts of the request line; ArgumentError for the first that is wrong."""
    for part_name, part in (("method", method), ("path", path), ("query", query)):
        _require_text(part_name, part)
    if not method.isupper():
        raise _make_error("method", method, "must be in upper case, such as GET")
    if not path.startswith("/"):
        raise _make_error("path", path, "must begin with /")
    if "?" in path:
        raise _make_error("path", path, "must not contain a query: pass what follows ? as query")
    if query.startswith("?"):
        raise _make_error("query", query, "must not begin with ?")


def _check_headers(headers: Mapping[str, str]) -> None:
    """Check the signed headers; ArgumentError for the first that is wrong."""
    if not isinstance(headers, Mapping):
        raise _make_error("headers", headers, "must be a dict of names and values")
    for header_name, header_value in headers.items():
        _require_text("a name of headers", header_name)
        if header_name != header_name.lower():
            raise _make_error("headers", header_name, "must have lower-case names")
        _require_text(f"headers[{header_name!r}]", header_value)
    if DATE not in headers:
        names_text = ", ".join(headers) or "none"
        raise ArgumentError(
            f"headers: {DATE} is missing, whose value is signed; they are {names_text}", "headers"
        )


def _require_text(part_name: str, part: object) -> None:
    """Raise ArgumentError for a part that is no text."""
    if not isinstance(part, str):
        raise _make_error(part_name, part, "must be the text as it is sent")


def _require_choice(option_name: str, value: object, choices: Iterable[str]) -> None:
    """Raise ArgumentError for a value that is none of the choices of an option."""
    if value not in tuple(choices):
        raise _make_error(option_name, value, f"must be one of {', '.join(choices)}")


def _make_error(part_name: str, part: object, rule_text: str) -> ArgumentError:
    """The error for a part that breaks a rule; the part is repeated, if it is no secret."""
    part_text = plain(repr(part), _SHOWN_MAX)
    return ArgumentError(f"{part_name} {rule_text}, not {part_text}", part_name)
