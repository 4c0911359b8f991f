"""HAR 1.2, the format of recorded calls: call to entry, and entry to call."""

from __future__ import annotations

import json
from base64 import b64decode
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import parse_qsl, urlsplit

from .. import files
from ..errors.base import ConfigError
from ..redaction.personal import hide_personal_data
from ..spec.text import JsonMapping, JsonObject
from ..spec.timestamps import read_or_none, to_text
from .call import Body, Call, Har, is_replay

CREATOR = {"name": "paylab", "version": "1"}
LAB = "_paylab"
"""The member of `log` with what only a replay needs: base URL, service settings, clock."""

STATUS_MAX = 999
"""The highest status that HTTP can hold."""

ERROR_MEMBER = "_error"
"""The member of a response that says why it is missing or incomplete, as browsers write it."""

EPOCH = datetime.fromtimestamp(0, UTC)
ENDING = b"\n]}}\n"

Facts = Mapping[str, Any]
"""The content of `_paylab`."""


class RecordedLog(NamedTuple):
    """The calls of a HAR file in its order, who wrote it, and its `_paylab` member."""

    calls: list[Call]
    creator: str
    facts: Facts


def write_calls(
    calls: Iterable[Call],
    har_path: Path | None = None,
    *,
    keep_personal: bool = False,
    facts: Facts | None = None,
) -> Har:
    """The calls as one HAR 1.2 object, without personal data unless it is kept."""
    entries = []
    for call in calls:
        har_entry = write_entry(call)
        entries.append(har_entry if keep_personal else hide_personal_data(har_entry, call.personal))
    if har_path is not None:
        with files.replace(har_path, private=True) as har_file:
            har_file.write(write_start(facts or {}))
            har_file.write(b",".join(write_line(har_entry) for har_entry in entries) + ENDING)
    har = Har(log={**_make_head_members(facts or {}), "entries": entries})
    har.path = har_path
    har.count = len(entries)
    return har


def write_start(facts: Facts) -> bytes:
    """A HAR file up to its first entry; the lines of entries and `ENDING` complete it."""
    har_without_entries = {"log": {**_make_head_members(facts), "entries": []}}
    return _write_json(har_without_entries).removesuffix(b"]}}")


def _make_head_members(facts: Facts) -> JsonObject:
    """The members of `log` before its entries."""
    return {"version": "1.2", "creator": CREATOR, **({LAB: dict(facts)} if facts else {})}


def write_line(entry: Mapping[str, object]) -> bytes:
    """An entry on a line of its own."""
    return b"\n" + _write_json(entry)


def _write_json(value: object) -> bytes:
    """JSON in UTF-8; an unpaired surrogate is written as its escape."""
    return json.dumps(value, ensure_ascii=False).encode("utf-8", "backslashreplace")


def write_entry(call: Call) -> dict[str, Any]:
    """A call as an entry of a HAR file."""
    milliseconds_by_part = _write_timings(call)
    return {
        "startedDateTime": to_text(call.when),
        "time": sum(milliseconds_by_part.values()),
        "request": _write_request(call),
        "response": _write_response(call),
        "cache": {},
        "timings": milliseconds_by_part,
        "comment": f"attempt {call.attempt}" + (", replayed" if call.replayed else ""),
    }


def _write_timings(call: Call) -> dict[str, float]:
    """The milliseconds of each part of an attempt; zeros if they were not measured."""
    spent_times = call.spent
    if spent_times is None:
        return {"send": 0, "wait": 0, "receive": 0}
    # A connection that was used again needed no time to connect: HAR leaves the member out.
    connect_timing = {"connect": spent_times.connecting * 1000} if spent_times.connecting else {}
    return {
        **connect_timing,
        "send": 0,
        "wait": spent_times.waiting * 1000,
        "receive": spent_times.reading * 1000,
    }


def _write_request(call: Call) -> dict[str, Any]:
    """The request of a call as HAR."""
    query_pairs = parse_qsl(urlsplit(call.url).query, keep_blank_values=True)
    har_request = {
        "method": call.method,
        "url": call.url,
        **_write_shared_members(call.request_headers, call.request_body),
        "queryString": [
            {"name": parameter_name, "value": parameter_value}
            for parameter_name, parameter_value in query_pairs
        ],
    }
    if call.request_body:
        media_type = call.request_headers.get("content-type", "application/json")
        har_request["postData"] = {"mimeType": media_type, "text": call.request_body.text}
    return har_request


def _write_response(call: Call) -> dict[str, Any]:
    """The response of a call as HAR; status 0 and the error if there was none."""
    body = call.response_body
    headers = call.response_headers
    media_type = headers.get("content-type", "application/octet-stream")
    har_response = {
        "status": call.status or 0,
        "statusText": "" if call.status else (call.error or "no answer"),
        **_write_shared_members(headers, body),
        "content": {"size": body.size, "mimeType": media_type, "text": body.text},
        "redirectURL": "",
    }
    if call.error:
        har_response[ERROR_MEMBER] = call.error
    return har_response


def _write_shared_members(headers: Mapping[str, str], body: Body) -> JsonObject:
    """The members that a request and a response share in HAR."""
    return {
        "httpVersion": "HTTP/1.1",
        "cookies": [],
        "headers": [
            {"name": header_name, "value": header_value}
            for header_name, header_value in headers.items()
        ],
        "headersSize": -1,  # not known
        "bodySize": body.size,
    }


def read_har(path: Path) -> RecordedLog:
    """The calls of a HAR file, of any program; ConfigError if it is not one."""
    files.require_regular(path)
    try:
        log_object = json.loads(path.read_bytes())["log"]
        calls = [read_call(har_entry) for har_entry in log_object["entries"]]
        creator_name = str((log_object.get("creator") or {}).get("name", ""))
        return RecordedLog(calls, creator_name, _read_facts(log_object.get(LAB) or {}))
    except OSError as error:
        raise ConfigError(f"{path} cannot be read: {error.strerror or error}") from None
    except (ValueError, ArithmeticError, LookupError, TypeError, AttributeError, RecursionError):
        raise ConfigError(f"{path} is not a HAR file") from None


def _read_facts(facts: Facts) -> Facts:
    """The facts that only a replay needs; ValueError when one has another type."""
    type_by_fact = {"service": Mapping, "base_url": str, "started": str}
    for fact_name, fact_type in type_by_fact.items():
        if not isinstance(facts.get(fact_name), fact_type | None):
            raise ValueError(f"{LAB}.{fact_name} has the wrong type")
    return dict(facts)


def read_call(har_entry: Mapping[str, Any]) -> Call:
    """The call of an entry of a HAR file; ValueError, KeyError or TypeError for another value."""
    har_request = har_entry["request"]
    har_response = har_entry["response"]
    url_text = str(har_request["url"])
    status = int(har_response["status"]) or None  # 0 stands for no answer
    if status is not None and not 0 < status <= STATUS_MAX:
        raise ValueError(f"{status} is not a status")
    error_text = har_response.get(ERROR_MEMBER)
    if not error_text and status is None:
        error_text = har_response.get("statusText") or "no answer"
    response_headers = _read_headers(har_response)
    return Call(
        when=read_or_none(har_entry.get("startedDateTime")) or EPOCH,
        method=str(har_request["method"]),
        path=urlsplit(url_text).path,
        url=url_text,
        status=status,
        error=str(error_text) if error_text else None,
        request_headers=_read_headers(har_request),
        replayed=is_replay(response_headers),
        response_headers=response_headers,
        request_body=_read_body(har_request.get("postData")),
        response_body=_read_body(har_response.get("content")),
    )


def _read_headers(message: JsonMapping) -> dict[str, str]:
    """The headers of a request or response of HAR, by lower-case name."""
    har_headers: Iterable[Mapping[str, object]] = message.get("headers") or ()
    return {str(har_header["name"]).lower(): str(har_header["value"]) for har_header in har_headers}


def _read_body(content: Mapping[str, object] | None) -> Body:
    """The body in `postData` or `content` of HAR; an empty one if there is none."""
    body_text = str((content or {}).get("text") or "")
    if content and content.get("encoding") == "base64":
        body_text = b64decode(body_text).decode(errors="replace")
    return Body(body_text, len(body_text.encode("utf-8", "surrogatepass"))) if body_text else Body()
