"""The files that readiness is judged by: HAR files, and the report of a test run."""

from __future__ import annotations

import json
from base64 import b64decode
from collections.abc import Iterable, Mapping
from hashlib import sha256
from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

from .. import files
from ..errors.base import ConfigError
from ..redaction.personal import hide_personal_data
from ..spec import timestamps
from ..spec.service.service import Service
from ..spec.text import JsonMapping, JsonObject, JsonValue
from .row_forms import require_forms

EXTENSION = "_paylab"
"""The member of a HAR file in which paylab writes what HAR has no place for."""

ERROR = "_error"
"""The member of a response that says why it is missing or incomplete."""

REPORT = "paylab_ready"
"""The member of a report of a test run that names its version."""

REPORT_VERSION = 1

REPORT_START = f'{{"{REPORT}": '.encode()
"""The first bytes of a report of a test run."""


UNREADABLE = (*(ValueError, LookupError, TypeError, AttributeError), RecursionError, OverflowError)
"""The errors that reading a file of another form can raise."""


def read_har_rows(path: Path) -> list[JsonMapping]:
    """The entries of a HAR file of any program as journal rows; ConfigError for any other file."""
    har_text = _read_text(path)
    try:
        har_log = json.loads(har_text)["log"]
        extension_members = har_log.get(EXTENSION) or {}
        # The extension of paylab also has notes that are no requests.
        record_rows: list[JsonMapping] = [*extension_members.get("records", [])]
        request_rows = [
            _read_entry(har_entry, entry_number)
            for entry_number, har_entry in enumerate(har_log["entries"], 1)
        ]
        require_forms([*record_rows, *request_rows])
    except UNREADABLE:
        raise ConfigError(f"{path} is not a HAR file") from None
    _add_first_nonce_uses(request_rows)
    return [*record_rows, *request_rows]


def _read_text(path: Path) -> str:
    """Read a file as UTF-8, unpaired surrogates included; ConfigError if it is no text."""
    files.require_regular(path)
    try:
        return path.read_text("utf-8", "surrogatepass")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or error
        raise ConfigError(f"{path} cannot be read: {reason}") from None


def _read_entry(entry: JsonMapping, number: int) -> JsonObject:
    """An entry of a HAR file as a row of a journal.

    What paylab wrote in its extension replaces what was computed from the entry.
    """
    har_request = entry["request"]
    har_response = entry["response"]
    url_parts = urlsplit(str(har_request["url"]))
    sent_body = _read_content(har_request.get("postData"))
    received_body = _read_content(har_response.get("content"))
    start_time = timestamps.read_or_none(entry.get("startedDateTime"))
    start_text = timestamps.to_text(start_time) if start_time else "1970-01-01T00:00:00.000Z"
    status_code = int(har_response["status"])
    sent_extent = "part" if har_response.get(ERROR) else "whole"
    if status_code == 0:
        sent_extent = "nothing"
    request_row: JsonObject = {
        "kind": "request",
        "sequence": number,
        "number": number,
        "at": start_text,
        "real_at": start_text,
        "test": None,
        "expects": None,
        "method": str(har_request["method"]).upper(),
        "path": url_parts.path,
        "query": dict(parse_qsl(url_parts.query, keep_blank_values=True)),
        "headers": _read_headers(har_request),
        "body": _read_value(sent_body),
        "body_bytes": len(sent_body),
        "body_sha256": sha256(sent_body).hexdigest(),
        "non_ascii": not sent_body.isascii() or b"\\u" in sent_body,
        "operation": None,
        "verdicts": {},
        "status": status_code,
        "answer_headers": _read_headers(har_response),
        "answer": _read_value(received_body),
        "sent": sent_extent,
        "hung_up": False,
        "duration": float(entry.get("time") or 0) / 1000,
    }
    request_row |= entry.get(EXTENSION) or {}
    if request_row["operation"] is None:
        request_row["operation"] = _find_operation(request_row["method"], request_row["path"])
    return request_row


def _find_operation(method: str, path: str) -> str | None:
    """The operation of a request, by its path below any base address; None for an unknown path."""
    path_start = path.find("/v1/")
    route_by_method, _ = Service().match(path[max(path_start, 0) :])
    route = route_by_method.get(method)
    return route.operation if route else None


def _read_headers(message: JsonMapping) -> dict[str, str]:
    """The headers of a request or response of a HAR file, by name in lower case."""
    header_pairs: Iterable[JsonMapping] = message.get("headers") or ()
    return {
        str(header_pair["name"]).lower(): str(header_pair["value"]) for header_pair in header_pairs
    }


def _read_content(content_record: JsonMapping | None) -> bytes:
    """The bytes of a body in a HAR file; empty without a body."""
    content_text = str((content_record or {}).get("text") or "")
    if content_record and content_record.get("encoding") == "base64":
        return b64decode(content_text)
    return content_text.encode("utf-8", "surrogatepass")


def _read_value(body: bytes) -> JsonValue:
    """Read a body as JSON, or else as text; None if it is empty."""
    body_text = body.decode(errors="replace")
    try:
        return json.loads(body_text)
    except (ValueError, RecursionError):
        return body_text or None


def _add_first_nonce_uses(request_rows: Iterable[JsonObject]) -> None:
    """Add `nonce_first_used` to rows without it: the number of the first request with the nonce.

    It is None for that request itself, and without a nonce.
    """
    first_number_by_nonce: dict[str, int] = {}
    for request_row in request_rows:
        request_number = request_row["number"]
        nonce = request_row["headers"].get("x-nonce")
        first_use_number = (
            first_number_by_nonce.setdefault(nonce, request_number) if nonce else request_number
        )
        is_reused = first_use_number != request_number
        request_row.setdefault("nonce_first_used", first_use_number if is_reused else None)


def write_report(rows_by_world: Mapping[str, Iterable[JsonMapping]], path: Path) -> None:
    """Write the report of a test run. `paylab ready --pytest` judges from it."""
    world_objects = [
        {"world": world_name, "records": hide_personal_data([*rows])}
        for world_name, rows in rows_by_world.items()
    ]
    report_text = json.dumps({REPORT: REPORT_VERSION, "worlds": world_objects}, ensure_ascii=False)
    with files.replace(path, private=True) as report_file:
        report_file.write(report_text.encode("utf-8", "backslashreplace"))


def is_replaceable(path: Path) -> bool:
    """Whether a report can be written to a path: nothing is there, or an older report."""
    if not path.exists():
        return True
    return path.is_file() and path.read_bytes()[: len(REPORT_START)] in (b"", REPORT_START)


def read_report(path: Path) -> dict[str, list[JsonMapping]]:
    """The rows of each world in the report of a test run; ConfigError for any other file."""
    report_text = _read_text(path)
    try:
        report_object = json.loads(report_text)
        is_of_this_version = report_object[REPORT] == REPORT_VERSION
        rows_by_world = _read_worlds(report_object) if is_of_this_version else {}
    except UNREADABLE:
        raise ConfigError(
            f"{path} is no report of a test run: `pytest --paylab-ready` writes one"
        ) from None
    if not is_of_this_version:
        raise ConfigError(f"{path} is of another version of paylab: run the tests again")
    return rows_by_world


def _read_worlds(report: JsonMapping) -> dict[str, list[JsonMapping]]:
    """The rows of each world in a report; one of the errors `UNREADABLE` for another form."""
    rows_by_world = {
        str(world_object["world"]): [*world_object["records"]] for world_object in report["worlds"]
    }
    for world_rows in rows_by_world.values():
        require_forms(world_rows)
    return rows_by_world
