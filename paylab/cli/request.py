"""Send any signed request and print the response.

A path without a leading slash belongs to version 1: `transfers` means /v1/transfers. The output
contains no keys, signatures or document numbers.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any
from urllib.parse import parse_qsl

from ..client.call import Call
from ..client.lists import read_filters
from ..errors.base import ConfigError, PaylabError
from ..lab.lab import Lab, connect
from ..spec.operations.records import OPERATIONS
from ..spec.page import RawPage, read_page
from ..spec.paging import Pager
from ..spec.query_parameters import warn_of_unknown_parameters
from ..spec.row_filter import RowFilter
from ..spec.text import format_json, read_json, show_json
from ..spec.translation import Translation
from .filters import add_filters, read_filter_options
from .terminal import announce, confirm, in_range, read_input, say, sections, warn_user

EXAMPLE = {
    "get": "paylab get 'transfers?limit=2' -v",
    "post": "paylab post webhook_subscriptions --json @subscription.json",
    "list": "paylab list transfers --limit 5",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command, which is the last word of the parser's name."""
    command_name = parser.prog.split()[-1]
    parser.add_argument("path", metavar="PATH", help="such as /v1/transfers?limit=2 or transfers")
    parser.add_argument(
        "-v", "--verbose", action="store_true", help="show each layer of the signature and headers"
    )
    if command_name == "post":
        parser.add_argument(
            "--json",
            metavar="BODY",
            help="the body: JSON, @FILE, or - for stdin (default: no body)",
        )
        parser.add_argument(
            "--key",
            metavar="UUID",
            help="the Idempotency-Key (default: that of the body)",
        )
        parser.add_argument("--yes", action="store_true", help="do not ask, as for a simulator")
    if command_name == "list":
        parser.add_argument(
            "--limit", type=in_range(0), metavar="N", help="print N items (default: all)"
        )
        add_filters(parser)


def run(options: argparse.Namespace) -> int:
    """Send, and print the response; with -v also the request, on stderr."""
    path = _absolute_path(options.path)
    is_post = options.command == "post"
    json_body = _read_body(options.json) if is_post else None
    lab = connect(max_retries=0 if is_post else None)
    if is_post and json_body is None and _operation_at(lab, "POST", path):
        raise ConfigError("the body is missing: give it with --json BODY, @FILE, or - for stdin")
    announce(lab.place)
    try:
        if options.command == "list":
            is_empty = True
            for listed_item in _read_items(lab, path, options):
                is_empty = False
                say(show_json(lab.client.redaction.json(listed_item)))
            if is_empty:
                warn_user("paylab: the list is empty, or no item passes the filters")
        else:
            response_body = _send_request(lab, path, json_body, options)
            say(format_json(lab.client.redaction.json(response_body)))
    finally:
        for call in lab.calls if options.verbose else ():
            warn_user(_describe_call(call))
    return 0


def _absolute_path(path: str) -> str:
    """The path with its version: `v1/transfers` and `transfers` are /v1/transfers.

    ConfigError for an address.
    """
    if not path.strip():
        raise ConfigError("the path is empty: name one, such as /v1/transfers")
    if "://" in path:
        raise ConfigError(
            f"{path:.80} is an address: give the path only, such as /v1/transfers; the address of "
            "the service is PAYLAB_BASE_URL"
        )
    if path.startswith(("/", "v1/")):
        return f"/{path.removeprefix('/')}"
    return f"/v1/{path}"


def _send_request(lab: Lab, path: str, body: object, options: argparse.Namespace) -> Any:
    """Send the GET or the POST of a command, and return the JSON of its response."""
    if options.command == "get":
        return lab.request("GET", path)
    confirm(lab.place, f"send POST {path}", yes=options.yes)
    return lab.request("POST", path, json=body, idempotency_key=options.key)


def _read_items(lab: Lab, path: str, options: argparse.Namespace) -> Iterator[Any]:
    """Read all pages of a list; return the items that the filters keep, at most `--limit`."""
    bare_path, _, query_text = path.partition("?")
    value_by_parameter: dict[str, Any] = dict(parse_qsl(query_text, keep_blank_values=True))
    warn_of_unknown_parameters(lab.client.service, "GET", bare_path, params=value_by_parameter)

    resource_name, _, verb = _operation_at(lab, "GET", bare_path).partition(".")
    list_form = lab.client.service.list(resource_name) if verb == "list" else None
    filter_by_name = read_filter_options(options, resource_name if list_form else None)
    filter_by_parameter, row_filter = _split_filters(lab, resource_name, filter_by_name)
    value_by_parameter |= filter_by_parameter
    cursor_name = list_form.cursor_parameter if list_form else "cursor"

    def fetch_page(cursor: str | None) -> RawPage:
        """Fetch a page of the list; PaylabError if the response is no page."""
        response = lab.client.send(
            "GET", bare_path, params={**value_by_parameter, cursor_name: cursor}
        )
        try:
            return read_page(response.body, list_form, bare=True)
        except ValueError as error:
            raise PaylabError(f"GET {bare_path} is not a list: its response {error}") from None

    translation = Translation(lab.client.service)

    def keeps_row(row: Any) -> bool:
        """Whether a row passes the filters that the service does not apply."""
        model_name = OPERATIONS[f"{resource_name}.{verb}"].answer
        return row_filter.keeps(translation.translate_answer(model_name, row).get)

    pager = Pager(
        fetch_page,
        read=lambda row: row,  # a row is printed as it is, not as a model
        start=value_by_parameter.get(cursor_name),
        keep=keeps_row if row_filter else None,
    )
    return islice(pager, options.limit)


def _split_filters(
    lab: Lab, resource_name: str, filters: Mapping[str, str]
) -> tuple[dict[str, Any], RowFilter]:
    """The query parameters of the filters that the service applies, and a filter for the others.

    Both are empty without filters, as for a list that the specification does not have.
    """
    if not filters:
        return {}, RowFilter()
    filter_by_parameter, row_filter = read_filters(lab.client.service, resource_name, filters)
    value_by_parameter = {
        parameter_name: filter_value
        for parameter_name, filter_value in filter_by_parameter.items()
        if filter_value is not None
    }
    return value_by_parameter, row_filter


def _operation_at(lab: Lab, method: str, path: str) -> str:
    """The operation of a method at a path; empty if there is none."""
    route_by_method, _ = lab.client.service.match(path)
    route = route_by_method.get(method)
    return route.operation if route else ""


def _read_body(body_text: str | None) -> Any:
    """The JSON of --json: text, a file, or stdin; ConfigError if it is not JSON."""
    if body_text is None:
        return None
    json_text = body_text
    try:
        if body_text == "-" or body_text.startswith("@"):
            # Windows editors write a mark first.
            json_text = read_input(body_text.removeprefix("@")).decode("utf-8-sig")
        return read_json(json_text)
    except UnicodeDecodeError:
        raise ConfigError("--json is not text in UTF-8") from None
    except ValueError as error:
        raise ConfigError(f"--json is not JSON: {error}") from None


def _describe_call(call: Call) -> str:
    """A call in full, redacted: the signed texts, the headers and the body of the request."""
    request_text = _message_text(call.request_headers, call.request_body.text)
    text_by_title = {
        "Canonical request": call.canonical,
        "Payload": call.payload,
        f"Request: {call.method} {call.url}": request_text,
        f"Answer: {call.outcome()}": _message_text(call.response_headers, body_text=""),
    }
    return sections(text_by_title)


def _message_text(headers: Any, body_text: str) -> str:
    """The headers of a message, and below them its body if it has one."""
    message_lines = [
        f"{header_name}: {header_value}" for header_name, header_value in headers.items()
    ]
    if body_text:
        message_lines += ["", body_text]
    return "\n".join(message_lines)
