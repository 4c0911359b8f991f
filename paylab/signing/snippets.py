"""Code that signs and sends a request: bash with curl, Python, Node, Go and Java.

The code reads the keys from PAYLAB_API_KEY and PAYLAB_SECRET_KEY, and the host from
PAYLAB_BASE_URL; keys are never arguments of a program. A body with redacted parts (an image, a
document number) is read from the file `body.json`. Each language has one template, whose lines
begin with the settings of signing that they are for.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit

from ..errors.base import ArgumentError
from ..errors.suggestions import find_nearest_name
from ..spec.service.signing import SigningSettings
from ..spec.service.value_types import NONE
from .canonical import order_header_names, path_to_sign, query_to_sign
from .findings import list_valid_hosts
from .text_literals import go_literal, java_literal, json_literal, python_literal

SIGNED_NAMES = ("host", "x-api-key", "x-content-sha256", "x-date", "x-nonce")
"""The names of the signed headers."""

EMBEDDED_HOST = "localhost"
"""The host of calls to a simulator in a notebook, where no server listens."""

LanguageName = Literal["curl", "python", "httpx", "node", "go", "java"]

_TEMPLATES = Path(__file__).parent / "templates"
_CONDITION = re.compile(r"\[((?:\w+=[\w,-]+,?)+)\](.*)")
_PLACEHOLDER = re.compile(r"\{\{(\w+)\}\}")


@dataclass(frozen=True)
class SnippetRequest:
    """The request of a snippet, and how its service is signed for.

    `body` is None if it must not be shown; `key_header` has the idempotency key.
    """

    method: str
    url: str
    body: str | None = ""
    idempotency_key: str | None = None
    key_header: str = "Idempotency-Key"
    signing: SigningSettings = field(default_factory=SigningSettings)

    @property
    def host(self) -> str:
        """Host as it is sent, without the default port."""
        return list_valid_hosts(self.url)[0]

    @property
    def origin(self) -> str:
        """The scheme and host, which PAYLAB_BASE_URL replaces."""
        return f"{urlsplit(self.url).scheme}://{self.host}"

    @property
    def target(self) -> str:
        """The path and the query as on the request line."""
        url_parts = urlsplit(self.url)
        return (url_parts.path or "/") + (f"?{url_parts.query}" if url_parts.query else "")

    @property
    def lines(self) -> list[str]:
        """The first lines of the canonical request: method, path and query."""
        url_parts = urlsplit(self.url)
        signing = self.signing
        path = path_to_sign(url_parts.path or "/", signing.signed_path, signing.base_path)
        canonical_lines = [self.method, path]
        if url_parts.query or signing.empty_query == "blank":
            canonical_lines.append(query_to_sign(url_parts.query, signing.query_order))
        return canonical_lines

    @property
    def names(self) -> list[str]:
        """The names of the signed headers, in the order of the signature."""
        header_names = [*SIGNED_NAMES]
        if self.signing.nonce == "refused":
            header_names.remove("x-nonce")
        return order_header_names(header_names, self.signing.header_order)

    @property
    def headers(self) -> dict[str, str]:
        """The headers that are not signed."""
        headers: dict[str, str] = {}
        if self.body != "":
            headers["Content-Type"] = "application/json"
        if self.idempotency_key:
            headers[self.key_header] = self.idempotency_key
        return headers


@dataclass(frozen=True)
class Language:
    """A template, how it writes a text and headers, and its line for each signed header.

    `variables` are the expressions of the values of the signed headers.
    """

    template: str
    write_text: Callable[[str], str]
    write_headers: Callable[[Mapping[str, str]], str]
    field_line: str
    variables: Mapping[str, str]


_CAMEL_CASE = {
    "host": "signedHost",
    "x-api-key": "apiKey",
    "x-content-sha256": "bodyHash",
    "x-date": "date",
    "x-nonce": "nonce",
}
_SNAKE_CASE = {**_CAMEL_CASE, "host": "signed_host", "x-api-key": "api_key"}
_SNAKE_CASE["x-content-sha256"] = "body_hash"


def _write_javascript_object(headers: Mapping[str, str]) -> str:
    """Write headers as an object of JavaScript."""
    return json.dumps(headers)


def _write_go_map(headers: Mapping[str, str]) -> str:
    """Write headers as a map of Go."""
    go_pairs = (
        f"{go_literal(header_name)}: {go_literal(header_value)}"
        for header_name, header_value in headers.items()
    )
    return f"map[string]string{{{', '.join(go_pairs)}}}"


def _write_java_map(headers: Mapping[str, str]) -> str:
    """Write headers as a Map of Java."""
    java_literals = (
        java_literal(header_text) for header_pair in headers.items() for header_text in header_pair
    )
    return f"Map.of({', '.join(java_literals)})"


_PYTHON = Language("python", python_literal, repr, '        "{name}": {value},', _SNAKE_CASE)
_JAVASCRIPT = Language(
    "javascript", json_literal, _write_javascript_object, '    ["{name}", {value}],', _CAMEL_CASE
)
LANGUAGES: Mapping[str, Language] = {
    "python": _PYTHON,
    "httpx": _PYTHON,
    "node": _JAVASCRIPT,
    "collection": _JAVASCRIPT,
    "go": Language("go", go_literal, _write_go_map, '\t\t{{"{name}", {value}}},', _CAMEL_CASE),
    "java": Language(
        "java", java_literal, _write_java_map, '    signed.put("{name}", {value});', _CAMEL_CASE
    ),
}
"""The languages by their name; bash with curl has an expression of its own for each part."""


def write_snippet(request: SnippetRequest, language: str) -> str:
    """Write the code of a request in a language; ArgumentError for another than the known ones.

    >>> from paylab.signing.snippets import SnippetRequest, write_snippet
    >>> "node:crypto" in write_snippet(SnippetRequest("GET", "https://a.test/v1"), "node")
    True
    """
    if language == "curl":
        return curl(request)
    if language not in LANGUAGES or language == "collection":
        known_languages = [
            "curl",
            *(language_name for language_name in LANGUAGES if language_name != "collection"),
        ]
        nearest_language = find_nearest_name(str(language), known_languages)
        hint = f" (is {nearest_language!r} meant?)" if nearest_language else ""
        message = (
            f"language must be one of {', '.join(known_languages)}, not {language!r:.60}{hint}"
        )
        raise ArgumentError(message, "language")
    return _write_code(request, language)


def python(request: SnippetRequest) -> str:
    """Write the code of a request in Python, with the standard library alone."""
    return _write_code(request, "python")


def httpx(request: SnippetRequest) -> str:
    """Write the code of a request in Python with httpx, with an Auth that signs every request."""
    return _write_code(request, "httpx")


def signing_script(signing: SigningSettings) -> str:
    """Write a JavaScript function `sign` for the scripts of a collection of requests."""
    return _write_code(SnippetRequest("GET", "https://host", signing=signing), "collection")


def _write_code(request: SnippetRequest, program: str) -> str:
    """Write the code of a request with the template of a program that is not bash."""
    language = LANGUAGES[program]
    signing = request.signing
    write_text = language.write_text
    header_code_lines = [
        language.field_line.format(name=header_name, value=language.variables[header_name])
        for header_name in request.names
    ]
    value_by_placeholder = {
        "origin": write_text(request.origin),
        "target": write_text(request.target),
        "method": write_text(request.method),
        "body": write_text(request.body or ""),
        "base_path": write_text(signing.base_path),
        "headers": language.write_headers(request.headers),
        "fields": "\n".join(header_code_lines),
        "hash_encoding": signing.hash_encoding,
        "key_encoding": signing.key_encoding,
        "signature": signing.signature,
    }
    # The facts choose lines of the template; the values fill its placeholders.
    facts = {**_read_facts(request), "program": program}
    return _fill_template(language.template, facts, value_by_placeholder)


BASH_VARIABLES = {
    "host": '"host:$SIGNED_HOST"',
    "x-api-key": '"x-api-key:$PAYLAB_API_KEY"',
    "x-content-sha256": '"x-content-sha256:$HASH"',
    "x-date": '"x-date:$DATE"',
    "x-nonce": '"x-nonce:$NONCE"',
}
_HASH_COMMANDS = {
    "hex": "dgst -sha256 -r | cut -d' ' -f1",
    "base64": "dgst -sha256 -binary | openssl base64 -A",
}
"""Arguments of openssl that print the hash of its input, by the encoding of the hash."""


def curl(request: SnippetRequest) -> str:
    """Write the code of a request in bash, with openssl and curl."""
    signing = request.signing
    header_options = "".join(
        f" \\\n  -H {shlex.quote(f'{header_name}: {header_value}')}"
        for header_name, header_value in request.headers.items()
    )
    has_glob_characters = any(character in request.url for character in "[]{}")
    hmac_encoding = "base64" if signing.signature == "base64" else "hex"
    body_option = "" if request.body == "" else ' \\\n  --data-raw "$BODY"'
    # For an empty hash: curl sends a header without a value only if it is written as "Name;".
    hash_header_rest = "${HASH:+: }${HASH:-;}" if signing.empty_body == "blank" else ": $HASH"
    value_by_placeholder = {
        "origin": shlex.quote(request.origin),
        "target": shlex.quote(request.target),
        "method": shlex.quote(request.method),
        "body": shlex.quote(request.body or ""),
        "lines": " ".join(map(shlex.quote, request.lines)),
        "names": ";".join(request.names),
        "fields": " ".join(BASH_VARIABLES[header_name] for header_name in request.names),
        "hash_command": _HASH_COMMANDS[signing.hash_encoding],
        "mac_command": _HASH_COMMANDS[hmac_encoding],
        "no_globs": "g" if has_glob_characters else "",
        "nonce_option": '-H "X-Nonce: $NONCE" ' if "x-nonce" in request.names else "",
        "hash_header": hash_header_rest,
        "options": header_options + body_option,
    }
    return _fill_template("curl", _read_facts(request), value_by_placeholder)


_CONDITION_NAMES = (
    "date_form", "empty_body", "empty_query", "hash_encoding", "key_encoding", "query_order",
    "signature", "signed_host", "signed_path",
)  # fmt: skip
"""The settings of signing for which templates have lines."""


def _read_facts(request: SnippetRequest) -> dict[str, str]:
    """The facts of a request that choose lines of a template, by name: `nonce=digits`."""
    signing = request.signing
    return {
        "body": _name_body_form(request.body),
        "headers": "some" if request.headers else "none",
        "place": "embedded" if request.host == EMBEDDED_HOST else "address",
        "nonce": "none" if signing.nonce == "refused" else signing.nonce_form,
        "base_path": "no" if signing.base_path == NONE else "yes",
        **{setting_name: str(getattr(signing, setting_name)) for setting_name in _CONDITION_NAMES},
    }


def _name_body_form(body_text: str | None) -> str:
    """Name how a template shows a body: `shown`, `none` for an empty one, `hidden` for None."""
    if body_text is None:
        return "hidden"
    return "shown" if body_text else "none"


@cache
def _read_template(template_name: str) -> tuple[str, ...]:
    """Read the lines of a template of the package; they are kept for the next call."""
    return tuple((_TEMPLATES / f"{template_name}.txt").read_text(encoding="utf-8").splitlines())


def _fill_template(
    template: str, facts: Mapping[str, str], value_by_placeholder: Mapping[str, str]
) -> str:
    """Fill a template: keep the lines whose condition the facts meet, and insert the values.

    A line such as `[nonce=digits,uuid]code` is kept if the fact `nonce` is one of these words.
    """
    code_lines = []
    for template_line in _read_template(template):
        condition_match = _CONDITION.fullmatch(template_line)
        if condition_match is None:
            code_lines.append(template_line)
        elif _is_met(condition_match[1], facts):
            code_lines.append(condition_match[2])
    code_text = "\n".join(code_lines) + "\n"
    return _PLACEHOLDER.sub(lambda placeholder: value_by_placeholder[placeholder[1]], code_text)


def _is_met(condition: str, facts: Mapping[str, str]) -> bool:
    """Whether facts meet a condition such as `nonce=digits,uuid,body=none`, name by name."""
    words_by_fact_name: dict[str, list[str]] = {}
    fact_name = ""
    for name_and_word in condition.split(","):
        name_before, equals_sign, fact_word = name_and_word.rpartition("=")
        # A word without a name is another allowed word of the name before it.
        fact_name = name_before if equals_sign else fact_name
        words_by_fact_name.setdefault(fact_name, []).append(fact_word)
    return all(
        facts[fact_name] in allowed_words for fact_name, allowed_words in words_by_fact_name.items()
    )
