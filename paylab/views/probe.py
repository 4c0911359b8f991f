"""A probe's report as HTML: a table for a notebook, and a self-contained page."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Any

from .html import BORDER, CELL, MONO, badge, escape, folded, grid, heading, text_block

TITLES = {
    "proven": "Differs from what is assumed",
    "refused": "Refused: ask your provider",
    "not reached": "Not reached",
    "assumed": "As assumed",
}
"""The groups of the report; those that need action come first."""

STYLE = """
:root{color-scheme:light dark}
body{font:15px/1.5 system-ui,sans-serif;max-width:1000px;margin:24px auto;padding:0 16px}
h1{font-size:24px;margin:0 0 4px}h2{font-size:18px;margin:28px 0 8px}
table{border-collapse:collapse;width:100%}td,th{text-align:left;vertical-align:top;padding:4px 12px
4px 0;border-bottom:1px solid rgba(128,128,128,.3);overflow-wrap:anywhere}
td:first-child{width:34%}code{font-size:13px}a{color:inherit}
details{margin:8px 0}summary{cursor:pointer}pre{overflow-x:auto}
.muted{opacity:.75}
"""


def report_table(report: Any) -> str:
    """How far the walk came, what differs and what to ask; the rest is folded."""
    lines = "".join(f"<div>{escape(line)}</div>" for line in report.summary.splitlines())
    rows = [(finding.key, finding.words) for finding in report.where("proven")]
    rows += [
        (finding.key, f"{finding.words}: {finding.ask}") for finding in report.where("refused")
    ]
    other_rows = [
        (finding.key, finding.words) for finding in report.where("not reached", "assumed")
    ]
    other_findings = folded(
        f"{len(other_rows)} others", grid(("key", "outcome"), other_rows, most=len(other_rows))
    )
    finding_table = grid(("key", "outcome"), rows, most=len(rows)) if rows else ""
    return f"{heading('Probe')}{lines}{finding_table}{other_findings}"


def report_page(report: Any) -> str:
    """The whole report as a self-contained page, with the redacted calls."""
    groups = "".join(_group(title, report.where(outcome)) for outcome, title in TITLES.items())
    reached = "".join(f"<li>{escape(line)}</li>" for line in report.summary.splitlines())
    created_items = "".join(f"<li>{escape(created)}</li>" for created in report.made)
    if created_items:
        created_items = (
            f"<details><summary>What the walk created</summary><ul>{created_items}</ul></details>"
        )
    numbered = zip(report.calls, report.har()["log"]["entries"], strict=True)
    evidence = "".join(_call(call.number, entry) for call, entry in numbered)
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        f"<title>Probe of {escape(report.address)}</title><style>{STYLE}</style></head><body>"
        f"<h1>Probe of {escape(report.address)}</h1>"
        f'<p class="muted">{escape(report.on or "")}</p><ul>{reached}</ul>'
        f"{groups}{created_items}<details><summary>Calls</summary>{evidence}</details></body></html>"
    )


def _group(title: str, findings: Iterable[Any]) -> str:
    rows = "".join(
        f"<tr><td><code>{escape(finding.key)}</code></td>"
        f'<td>{escape(finding.words)}<br><span class="muted">{escape(finding.ask)}</span>'
        + (f'<br><a href="#call-{finding.call}">call {finding.call}</a>' if finding.call else "")
        + "</td></tr>"
        for finding in findings
    )
    return f"<h2>{escape(title)}</h2><table>{rows}</table>" if rows else ""


def _call(number: int, entry: Mapping[str, Any]) -> str:
    request = entry["request"]
    response = entry["response"]
    title = f"{number}. {request['method']} {request['url']} → {response['status'] or 'no answer'}"
    request_text = _message(request["headers"], (request.get("postData") or {}).get("text", ""))
    response_text = _message(response["headers"], response["content"].get("text", ""))
    return (
        f'<details id="call-{number}" style="border:{BORDER};border-radius:6px;padding:4px 10px">'
        f'<summary style="{MONO};font-size:13px;overflow-wrap:anywhere">{escape(title)}</summary>'
        f"<b>Request</b>{text_block(request_text)}<b>Response</b>{text_block(response_text)}</details>"
    )


def _message(headers: Iterable[Mapping[str, str]], text: str) -> str:
    """The headers and the body, truncated if long; JSON is indented."""
    lines = [f"{header['name']}: {header['value']}" for header in headers]
    with suppress(ValueError):
        text = json.dumps(json.loads(text), indent=2, ensure_ascii=False)
    body = text if len(text) <= LONGEST else f"{text[:LONGEST]}…"
    return "\n".join([*lines, "", body] if body else lines)


LONGEST = 6000
"""Maximum characters of a body on the page."""


def drift_table(drift: Any) -> str:
    """Differences between the responses of a session and the settings."""
    columns = ("kind", "where", "what", "times", "first call", "set")
    rows = [
        (
            difference.kind,
            difference.where,
            difference.what,
            str(difference.times),
            str(difference.first),
            difference.key,
        )
        for difference in drift
    ]
    if not rows:
        return f'<div style="{CELL}">No drift: every answer was as expected.</div>'
    return f"{badge('DRIFT')}{grid(columns, rows)}"
