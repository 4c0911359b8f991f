"""Store an unfinished probe, and read calls from HAR files."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from .. import files
from ..client.call import Body, Call, DeferredCall
from ..client.har import har
from ..client.request import Exchange
from ..errors import ConfigError
from ..redaction.redaction import Redaction
from ..spec import timestamps
from .answers import ServiceReply
from .inquiry import Inquiry
from .report import ANSWERED, UNCLEAR, ProbeFinding


def record_path(to: Path) -> Path:
    """The record of an unfinished probe that will write this service.toml."""
    return to.with_name(f".{to.name}.probe")


def save(path: Path, inquiry: Inquiry) -> None:
    """Store findings and created objects with their redacted calls."""
    calls: dict[int, Call] = {}
    rows = []
    for each in inquiry.found.values():
        calls |= {id(call): call for call in each.calls}
        numbers = [[*calls].index(id(call)) for call in each.calls]
        kept = {"key": each.key, "outcome": each.outcome, "value": each.value, "why": each.why}
        rows.append({**kept, "calls": numbers})
    traffic = har([])
    traffic["log"]["entries"] = [_entry(inquiry, call) for call in calls.values()]
    whole = {
        "address": inquiry.requests.sender.settings.identity,
        "findings": rows,
        "made": inquiry.made,
        "calls": traffic,
    }
    with files.replace(path, private=True) as sink:
        sink.write(json.dumps(whole).encode())


def _entry(inquiry: Inquiry, call: Call) -> dict[str, Any]:
    """The HAR entry of a call, cached because redaction is slow."""
    entries: dict[int, tuple[Call, Any]] = inquiry.memory.setdefault("entries", {})
    if id(call) not in entries:
        entries[id(call)] = call, har([call])["log"]["entries"][0]
    found: dict[str, Any] = entries[id(call)][1]
    return found


def resume(path: Path, inquiry: Inquiry) -> None:
    """Continue an unfinished probe of the same account and service."""
    try:
        whole = json.loads(path.read_text(encoding="utf-8"))
        if whole["address"] != inquiry.requests.sender.settings.identity:
            return
        findings, made = list(_findings(whole)), dict(whole["made"])
    except FileNotFoundError:
        return
    except (OSError, ValueError) as error:
        raise ConfigError(f"{path} cannot be read: {error}; remove it to begin again") from None
    except (LookupError, TypeError, AttributeError):
        message = f"{path} is not the record of a probe: remove it to begin again"
        raise ConfigError(message) from None
    for finding in findings:
        inquiry.note(finding)
    inquiry.made.update(made)


def _findings(whole: Mapping[str, Any]) -> Iterator[ProbeFinding]:
    """The answered findings of an unfinished probe, with their calls."""
    calls = [_call(entry) for entry in whole["calls"]["log"]["entries"]]
    for row in whole["findings"]:
        if row["outcome"] in (*ANSWERED, UNCLEAR):
            value = tuple(row["value"]) if isinstance(row["value"], list) else row["value"]
            evidence = tuple(calls[number] for number in row["calls"])
            yield ProbeFinding(row["key"], row["outcome"], value, row["why"], evidence)


def read_har(path: Path) -> list[Call]:
    """The calls of a HAR file; ConfigError if it is not one."""
    try:
        entries = json.loads(path.read_text(encoding="utf-8"))["log"]["entries"]
        return [_call(entry) for entry in entries]
    except OSError as error:
        raise ConfigError(f"{path} cannot be read: {error.strerror or error}") from None
    except (ValueError, KeyError, TypeError, AttributeError):
        raise ConfigError(f"{path} is not a HAR file") from None


def _call(entry: Mapping[str, Any]) -> Call:
    request, response = entry["request"], entry["response"]
    url = str(request["url"])
    return Call(
        _when(entry.get("startedDateTime")),
        str(request["method"]),
        urlsplit(url).path,
        url,
        int(response["status"]) or None,
        request_headers=_headers(request),
        response_headers=_headers(response),
        request_body=_body((request.get("postData") or {}).get("text")),
        response_body=_body((response.get("content") or {}).get("text")),
    )


def _when(text: object) -> datetime:
    try:
        return timestamps.from_text(str(text))
    except ValueError:
        return datetime.fromtimestamp(0, UTC)


def _headers(message: Mapping[str, Any]) -> dict[str, str]:
    pairs: Iterable[Mapping[str, Any]] = message.get("headers") or ()
    return {str(each["name"]).lower(): str(each["value"]) for each in pairs}


def _body(text: object) -> Body:
    content = str(text).encode() if text else b""
    return Body(content.decode(), len(content)) if content else Body()


def reply(call: Call, redaction: Redaction) -> ServiceReply:
    """A recorded call as a reply."""
    content = call.response_body.text.encode()
    exchange = Exchange(call.status, call.response_headers, content)
    deferred = DeferredCall(lambda _: call, call.path, len(content))
    return ServiceReply(exchange, deferred, redaction)
