"""A probe's report as HTML: a table for a notebook, and a self-contained page.

The views know no probe: a report and its findings are `Any`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Any

from ..spec.text import JsonMapping
from .html import (
    card,
    collapsible_block,
    column,
    escape,
    grid,
    heading,
    plural,
    table,
    text_block,
    verdict,
)
from .style import BORDER, MONO

OUTCOME_TITLES = {
    "proven": "Differs from what is assumed",
    "refused": "Refused: ask your provider",
    "not reached": "Not reached",
    "assumed": "As assumed",
}
"""The groups of the report; those that need action come first."""

STYLE = """
:root{color-scheme:light dark}
body{font:15px/1.5 system-ui,sans-serif;max-width:1000px;margin:24px auto;padding:0 16px;
overflow-wrap:anywhere;background:Canvas;color:CanvasText}
h1{font-size:24px;margin:0 0 4px}h2{font-size:18px;margin:28px 0 8px}
table{border-collapse:collapse;width:100%}td,th{text-align:left;vertical-align:top;padding:4px 12px
4px 0;border-bottom:1px solid rgba(128,128,128,.3)}
td:first-child{width:34%}code{font-size:13px}a{color:inherit}
details{margin:8px 0}summary{cursor:pointer}pre{overflow-x:auto}
.muted{opacity:.75}
@media(max-width:600px){td,td:first-child{display:block;width:auto}td:first-child{border:0;
padding-bottom:0}}
"""


PART_PATTERN = re.compile(r"([A-Z][A-Za-z -]*): ")
"""The name of a part of the walk at the start of a line, such as `MX on-ramp: `."""

BODY_LENGTH_MAX = 6000
"""Maximum characters of a body on the page."""


def report_table(report: Any) -> str:
    """The progress of the probe, what differs and what to ask; the rest opens on click."""
    # Proven: the service differs from the settings. Refused: the provider must be asked.
    action_rows = [(finding.key, finding.words) for finding in report.where("proven")]
    for finding in report.where("refused"):
        action_rows.append((finding.key, f"{finding.words}: {finding.ask}"))
    action_table_html = ""
    if action_rows:
        action_table_html = grid(("Key", "Outcome"), action_rows, row_max=len(action_rows))
    other_blocks_html = "".join(
        _outcome_block(outcome, report.where(outcome)) for outcome in ("not reached", "assumed")
    )
    return card(
        column(heading("Probe"), _progress_html(report), action_table_html, other_blocks_html)
    )


def _progress_html(report: Any) -> str:
    """How far the probe came, a row for each part, above the number of requests and findings."""
    part_rows = []
    sentences_html = ""
    for line in report.summary.splitlines():
        part_match = PART_PATTERN.match(line)
        if part_match:
            part_rows.append((part_match[1], line[part_match.end() :]))
        else:
            sentences_html += f'<div style="margin:8px 0">{escape(line)}</div>'
    return f"{table(part_rows)}{sentences_html}"


def _outcome_block(outcome: str, findings: Iterable[Any]) -> str:
    """The settings with an outcome, which open on click; empty without one."""
    finding_rows = [(finding.key, finding.words) for finding in findings]
    if not finding_rows:
        return ""
    table_html = grid(("Key", "Outcome"), finding_rows, row_max=len(finding_rows))
    return collapsible_block(f"{len(finding_rows)} {outcome}", table_html)


def report_page(report: Any) -> str:
    """The whole report as a self-contained page, with the redacted calls."""
    title_html = f"Probe of {escape(report.address)}"
    summary_items_html = "".join(f"<li>{escape(line)}</li>" for line in report.summary.splitlines())
    findings_html = "".join(
        _findings_html(heading_text, report.where(outcome_name))
        for outcome_name, heading_text in OUTCOME_TITLES.items()
    )
    calls_and_entries = zip(report.calls, report.har()["log"]["entries"], strict=True)
    calls_html = "".join(
        _call_html(call.number, har_entry) for call, har_entry in calls_and_entries
    )
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        f"<title>{title_html}</title><style>{STYLE}</style></head><body><main>"
        f"<h1>{title_html}</h1>"
        f'<p class="muted">{escape(report.on or "")}</p><ul>{summary_items_html}</ul>'
        f"{findings_html}{_created_html(report.made)}"
        f"<details><summary>Calls</summary>{calls_html}</details></main></body></html>"
    )


def _created_html(resources: Iterable[object]) -> str:
    """The resources that the probe created; empty if it created none."""
    list_items_html = "".join(f"<li>{escape(resource)}</li>" for resource in resources)
    if not list_items_html:
        return ""
    return f"<details><summary>What the walk created</summary><ul>{list_items_html}</ul></details>"


def _findings_html(title: str, findings: Iterable[object]) -> str:
    """The findings with one outcome below their title; empty without findings."""
    finding_rows_html = "".join(map(_finding_row, findings))
    return (
        f"<h2>{escape(title)}</h2><table>{finding_rows_html}</table>" if finding_rows_html else ""
    )


def _finding_row(finding: Any) -> str:
    """A finding with its key, its text, and a link to the call that shows it."""
    link_html = ""
    if finding.call:
        link_html = f'<br><a href="#call-{finding.call}">call {finding.call}</a>'
    return (
        f"<tr><td><code>{escape(finding.key)}</code></td>"
        f'<td>{escape(finding.words)}<br><span class="muted">{escape(finding.ask)}</span>'
        f"{link_html}</td></tr>"
    )


def _call_html(call_number: int, har_entry: JsonMapping) -> str:
    """A call of the HAR, whose request and response open on click."""
    har_request = har_entry["request"]
    har_response = har_entry["response"]
    outcome_text = har_response["status"] or "no answer"
    title = f"{call_number}. {har_request['method']} {har_request['url']} → {outcome_text}"
    sent_body = (har_request.get("postData") or {}).get("text", "")
    request_text = _message_text(har_request["headers"], sent_body)
    response_text = _message_text(har_response["headers"], har_response["content"].get("text", ""))
    details_style = f"border:{BORDER};border-radius:6px;padding:4px 10px"
    return (
        f'<details id="call-{call_number}" style="{details_style}">'
        f'<summary style="{MONO};font-size:13px;overflow-wrap:anywhere">{escape(title)}</summary>'
        f"<b>Request</b>{text_block(request_text)}<b>Response</b>{text_block(response_text)}</details>"
    )


def _message_text(headers: Iterable[Mapping[str, str]], body_text: str) -> str:
    """The headers and the body, truncated if long; JSON is indented."""
    header_lines = [f"{http_header['name']}: {http_header['value']}" for http_header in headers]
    with suppress(ValueError):
        body_text = json.dumps(json.loads(body_text), indent=2, ensure_ascii=False)
    if len(body_text) > BODY_LENGTH_MAX:
        body_text = f"{body_text[:BODY_LENGTH_MAX]}…"
    if body_text:
        header_lines += ["", body_text]
    return "\n".join(header_lines)


DRIFT_COLUMNS = ("Kind", "Where", "What", "Times", "First call", "Set")


def drift_table(differences: Any) -> str:
    """Differences between the responses of a session and the settings."""
    drift_rows = [
        (
            difference.kind,
            difference.where,
            difference.what,
            str(difference.times),
            str(difference.first),
            difference.key,
        )
        for difference in differences
    ]
    if not drift_rows:
        verdict_html = verdict("No drift: every answer was as expected.", is_good=True)
        return card(column(heading("Drift"), verdict_html))
    differences_text = plural(len(drift_rows), "difference")
    verdict_html = verdict(f"{differences_text} to the settings", is_good=False)
    grid_html = grid(DRIFT_COLUMNS, drift_rows, number_columns=(3, 4))
    return card(column(heading("Drift"), verdict_html, grid_html))
