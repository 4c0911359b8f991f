"""The rows of a journal as a HAR 1.2 file: what was sent, and what the client received.

An answer that was dropped has status 0. Each entry has the other facts of its row in `_paylab`,
with the length and the SHA-256 of each body as it came; `log._paylab` has the other records.
"""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from collections.abc import Iterable
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from .. import files
from ..redaction.personal import hide_personal_data
from ..spec.text import JsonMapping, JsonObject, JsonValue

CREATOR = {"name": "paylab", "version": "1"}
EXTENSION = "_paylab"
"""The member of the log and of each entry with what HAR has no place for."""

ERROR_MEMBER = "_error"
"""The member of a response that says why it is missing or incomplete, as browsers write it."""

RAW_COMMENT = "The bodies are as they came, with personal data: keep this file private."

IN_HAR = ("method", "path", "query", "headers", "body", "answer_headers", "raw_body", "raw_answer")
"""The fields of a row that an entry has in places of its own."""


def write_har(rows: Iterable[JsonMapping], base_url: str, to: Path) -> Path:
    """Write a HAR file that only its owner can read, from rows of a journal.

    Bodies are redacted, without personal data, unless the rows have them as they came.
    """
    request_rows: list[JsonMapping] = []
    other_rows: list[JsonMapping] = []
    for journal_row in rows:
        if journal_row["kind"] == "request":
            request_rows.append(journal_row)
        else:
            other_rows.append(journal_row)
    is_raw = any("raw_body" in journal_row for journal_row in request_rows)
    har_log: JsonObject = {
        "version": "1.2",
        "creator": CREATOR,
        EXTENSION: {"base_url": base_url, "raw": is_raw, "records": hide_personal_data(other_rows)},
        "entries": [har_entry(journal_row, base_url) for journal_row in request_rows],
    }
    if is_raw:
        har_log["comment"] = RAW_COMMENT
    har_text = json.dumps({"log": har_log}, ensure_ascii=False, indent=1)
    with files.replace(to, private=True) as har_file:
        har_file.write(har_text.encode("utf-8", "backslashreplace"))
    return to


def har_entry(row: JsonMapping, base_url: str) -> JsonObject:
    """A request of a journal as an entry of a HAR file."""
    milliseconds = round((row["duration"] or 0) * 1000, 3)
    fact_by_name = {
        row_field: field_value for row_field, field_value in row.items() if row_field not in IN_HAR
    }
    if row["sent"] == "whole":
        fact_by_name.pop("answer")  # the response of the entry has it
    return {
        "startedDateTime": row["real_at"],
        "time": milliseconds,
        "request": _write_request(row, base_url),
        "response": _write_response(row),
        "cache": {},
        "timings": {"send": 0, "wait": milliseconds, "receive": 0},
        EXTENSION: hide_personal_data(fact_by_name),
    }


def _write_request(journal_row: JsonMapping, base_url: str) -> JsonObject:
    """The request of a row as HAR has it, without personal data."""
    value_by_parameter = hide_personal_data(journal_row["query"])
    query_text = urlencode(value_by_parameter)
    url_without_query = f"{base_url}{hide_personal_data(journal_row['path'])}"
    headers = hide_personal_data(journal_row["headers"])
    har_request: JsonObject = {
        "method": journal_row["method"],
        "url": f"{url_without_query}?{query_text}" if query_text else url_without_query,
        **_write_common_facts(headers, journal_row["body_bytes"]),
        "queryString": [
            {"name": parameter_name, "value": parameter_value}
            for parameter_name, parameter_value in value_by_parameter.items()
        ],
    }
    if journal_row["body_bytes"]:
        content_type = headers.get("content-type", "application/json")
        har_content = _write_content(
            journal_row["body"], journal_row.get("raw_body"), journal_row["body_bytes"]
        )
        har_request["postData"] = {"mimeType": content_type, **har_content}
    return har_request


def _write_response(journal_row: JsonMapping) -> JsonObject:
    """The response of a row as HAR has it: as much of it as the client received."""
    if journal_row["sent"] == "nothing":
        return {
            "status": 0,
            "statusText": "no answer",
            **_write_common_facts({}, size=0),
            "content": {"size": 0, "mimeType": "x-unknown", "text": ""},
            "redirectURL": "",
            ERROR_MEMBER: "the client hung up"
            if journal_row["hung_up"]
            else "the connection was dropped",
        }
    headers = hide_personal_data(journal_row["answer_headers"])
    content_type = headers.get("content-type", "application/octet-stream")
    is_cut = journal_row["sent"] == "part"
    answer_json = None if is_cut else journal_row["answer"]
    har_content = _write_content(
        answer_json, journal_row.get("raw_answer"), journal_row["sent_bytes"]
    )
    har_response: JsonObject = {
        "status": journal_row["status"],
        "statusText": "",
        **_write_common_facts(headers, journal_row["sent_bytes"]),
        "content": {"size": journal_row["sent_bytes"], "mimeType": content_type, **har_content},
        "redirectURL": "",
    }
    if is_cut:
        extent_text = f"{journal_row['sent_bytes']} of {journal_row['answer_bytes']} bytes"
        har_response[ERROR_MEMBER] = f"the answer was cut after {extent_text}"
    return har_response


def _write_content(content_value: JsonValue, raw: str | None, size: int) -> dict[str, Any]:
    """The text of a body as HAR has it: as it came if `raw` has it in Base64, else redacted.

    `size` is the number of bytes that were sent, of which the rest is left out.
    """
    if raw is None:
        clean_value = hide_personal_data(content_value)
        if clean_value is None:
            return {"text": ""}
        return {"text": clean_value if isinstance(clean_value, str) else json.dumps(clean_value)}
    body_bytes = b64decode(raw)[:size]
    try:
        return {"text": body_bytes.decode()}
    except UnicodeDecodeError:
        return {"text": b64encode(body_bytes).decode(), "encoding": "base64"}


def _write_common_facts(headers: JsonMapping, size: int) -> JsonObject:
    """The members that a request and a response of HAR both have; `size` is that of the body."""
    return {
        "httpVersion": "HTTP/1.1",
        "cookies": [],
        "headers": [
            {"name": header_name, "value": header_value}
            for header_name, header_value in headers.items()
        ],
        "headersSize": -1,
        "bodySize": size,
    }
