"""What outlives a run: the record of an unfinished probe, and calls that were recorded as HAR."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from .. import files
from ..client.call import Body, Call, Later
from ..client.calls import har
from ..client.exchange import Exchange
from ..errors import ConfigError
from ..redaction.redaction import Redaction
from ..spec import timestamps
from .answers import Reply
from .inquiry import Inquiry
from .report import ANSWERED, UNCLEAR, Finding


def beside(to: Path) -> Path:
    """The record of an unfinished probe that will write this service.toml."""
    return to.with_name(f".{to.name}.probe")


def save(path: Path, inquiry: Inquiry) -> None:
    """Keep what was found and made, with the redacted calls behind it."""
    calls: list[Call] = []
    rows = []
    for each in inquiry.found.values():
        numbers = [_place(calls, call) for call in each.calls]
        kept = {"key": each.key, "outcome": each.outcome, "value": each.value, "why": each.why}
        rows.append({**kept, "calls": numbers})
    whole = {
        "address": inquiry.requests.sender.settings.identity,
        "findings": rows,
        "made": inquiry.made,
        "calls": har(calls),
    }
    with files.replace(path, private=True) as sink:
        sink.write(json.dumps(whole).encode())


def _place(calls: list[Call], call: Call) -> int:
    if call not in calls:
        calls.append(call)
    return calls.index(call)


def load(path: Path, inquiry: Inquiry) -> None:
    """Go on from an unfinished probe of the same account at the same service."""
    try:
        whole = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return
    except (OSError, ValueError) as error:
        raise ConfigError(f"{path} cannot be read: {error}; remove it to begin again") from None
    if whole["address"] != inquiry.requests.sender.settings.identity:
        return
    calls = [_call(entry) for entry in whole["calls"]["log"]["entries"]]
    for row in whole["findings"]:
        if row["outcome"] in (*ANSWERED, UNCLEAR):
            value = tuple(row["value"]) if isinstance(row["value"], list) else row["value"]
            evidence = tuple(calls[number] for number in row["calls"])
            inquiry.resume(Finding(row["key"], row["outcome"], value, row["why"], evidence))
    inquiry.made.update(whole["made"])


def read_har(path: Path) -> list[Call]:
    """The calls of a HAR file; ConfigError when it is none."""
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


def reply(call: Call, redaction: Redaction | None = None) -> Reply:
    """A recorded call as the probe reads an answer."""
    content = call.response_body.text.encode()
    exchange = Exchange(call.status, call.response_headers, content)
    later = Later(lambda _: call, call.path, len(content), None, patient=True)
    return Reply(exchange, later, redaction or Redaction([]), call.number)
