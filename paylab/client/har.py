"""Calls as HAR 1.2: the file that the network panel of a browser opens."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from ..files import replace
from ..redaction.personal import impersonal
from ..spec.timestamps import to_text
from .call import Body, Call

NOT_MEASURED = -1
"""HAR's word for a part of the time that does not apply."""


def har(
    calls: Iterable[Call], to: Path | None = None, *, keep_personal: bool = False
) -> dict[str, Any]:
    """The calls as one HAR object, without what tells who a person is unless that is kept."""
    creator = {"name": "paylab", "version": "1"}
    entries = [_entry(call) for call in calls]
    kept = entries if keep_personal else impersonal(entries)
    log = {"version": "1.2", "creator": creator, "entries": kept}
    if to is not None:
        to.parent.mkdir(parents=True, exist_ok=True)
        with replace(to, private=True) as sink:
            sink.write(json.dumps({"log": log}, indent=2, ensure_ascii=False).encode())
    return {"log": log}


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
        "httpVersion": "HTTP/1.1",
        "cookies": [],
        "headers": _pairs(call.request_headers),
        "queryString": [{"name": name, "value": value} for name, value in query],
        "headersSize": -1,
        "bodySize": call.request_body.size,
    }
    if call.request_body:
        kind = call.request_headers.get("content-type", "application/json")
        request["postData"] = {"mimeType": kind, "text": call.request_body.text}
    return request


def _response(call: Call) -> dict[str, Any]:
    return {
        "status": call.status or 0,
        "statusText": "" if call.status else (call.error or "no answer"),
        "httpVersion": "HTTP/1.1",
        "cookies": [],
        "headers": _pairs(call.response_headers),
        "content": _content(call.response_body, call.response_headers),
        "redirectURL": "",
        "headersSize": -1,
        "bodySize": call.response_body.size,
    }


def _content(body: Body, headers: Mapping[str, str]) -> dict[str, Any]:
    kind = headers.get("content-type", "application/octet-stream")
    return {"size": body.size, "mimeType": kind, "text": body.text}


def _pairs(headers: Mapping[str, str]) -> list[dict[str, str]]:
    return [{"name": name, "value": value} for name, value in headers.items()]
