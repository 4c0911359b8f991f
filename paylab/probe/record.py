"""Store an unfinished probe, and answer from recorded calls."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from .. import files
from ..client.call import Call, DeferredCall
from ..client.har import call_of, har
from ..client.request import Exchange
from ..errors import ConfigError
from ..redaction.redaction import Redaction
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
    calls = [call_of(entry) for entry in whole["calls"]["log"]["entries"]]
    for row in whole["findings"]:
        if row["outcome"] in (*ANSWERED, UNCLEAR):
            value = tuple(row["value"]) if isinstance(row["value"], list) else row["value"]
            evidence = tuple(calls[number] for number in row["calls"])
            yield ProbeFinding(row["key"], row["outcome"], value, row["why"], evidence)


def reply(call: Call, redaction: Redaction) -> ServiceReply:
    """A recorded call as a reply."""
    content = call.response_body.text.encode()
    exchange = Exchange(call.status, call.response_headers, content)
    deferred = DeferredCall(lambda _: call, call.path, len(content))
    return ServiceReply(exchange, deferred, redaction)
