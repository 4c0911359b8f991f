"""Calls as HAR 1.2, without secrets and personal data."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from .. import files
from ..redaction.scrub_rules import impersonal
from ..spec.timestamps import to_text
from .call import Body, Call

NOT_MEASURED = -1
"""HAR's value of a time that does not apply."""


def har(
    calls: Iterable[Call], to: Path | None = None, *, keep_personal: bool = False
) -> dict[str, Any]:
    """The calls as one HAR 1.2 object, without personal data unless it is kept."""
    creator = {"name": "paylab", "version": "1"}
    entries = [
        _entry(call) if keep_personal else impersonal(_entry(call), call.personal) for call in calls
    ]
    whole = {"log": {"version": "1.2", "creator": creator, "entries": entries}}
    if to is not None:
        to.parent.mkdir(parents=True, exist_ok=True)
        with files.replace(to, private=True) as sink:
            sink.write(json.dumps(whole, indent=2, ensure_ascii=False).encode())
    return whole


def _entry(call: Call) -> dict[str, Any]:
    timings = _timings(call)
    return {
        "startedDateTime": to_text(call.when),
        "time": sum(value for value in timings.values() if value != NOT_MEASURED),
        "request": _request(call),
        "response": _response(call),
        "cache": {},
        "timings": timings,
        "comment": f"attempt {call.attempt}" + (", replayed" if call.replayed else ""),
    }


def _timings(call: Call) -> dict[str, float]:
    spent = call.spent
    if spent is None:
        return {"send": 0, "wait": 0, "receive": 0}
    connect = spent.connecting * 1000 or NOT_MEASURED
    wait, receive = spent.waiting * 1000, spent.reading * 1000
    return {"connect": connect, "send": 0, "wait": wait, "receive": receive}


def _request(call: Call) -> dict[str, Any]:
    query = parse_qsl(urlsplit(call.url).query, keep_blank_values=True)
    request = {
        "method": call.method,
        "url": call.url,
        **_shared(call.request_headers, call.request_body),
        "queryString": [{"name": name, "value": value} for name, value in query],
    }
    if call.request_body:
        kind = call.request_headers.get("content-type", "application/json")
        request["postData"] = {"mimeType": kind, "text": call.request_body.text}
    return request


def _response(call: Call) -> dict[str, Any]:
    body, headers = call.response_body, call.response_headers
    kind = headers.get("content-type", "application/octet-stream")
    return {
        "status": call.status or 0,
        "statusText": "" if call.status else (call.error or "no answer"),
        **_shared(headers, body),
        "content": {"size": body.size, "mimeType": kind, "text": body.text},
        "redirectURL": "",
    }


def _shared(headers: Mapping[str, str], body: Body) -> dict[str, Any]:
    return {
        "httpVersion": "HTTP/1.1",
        "cookies": [],
        "headers": [{"name": name, "value": value} for name, value in headers.items()],
        "headersSize": -1,
        "bodySize": body.size,
    }
