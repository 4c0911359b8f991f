"""The readiness of an integration as HTML: a card for a notebook, and a self-contained page.

The views know no readiness: reports and their items are `Any`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from typing import Any

from .html import card, collapsible_block, column, escape, heading, table_of_html
from .style import MONO, MUTED
from .tones import BAD, GOOD, tone_dot

TITLES: Mapping[str, str] = {
    "broken": "Broken",
    "not seen": "Not seen yet",
    "shown": "Shown",
    "not applicable": "Not applicable",
    "question": "Questions that only you can answer",
}
"""The title of each verdict; what needs action comes first."""

MARKS: Mapping[str, str] = {
    "broken": "✗",
    "not seen": "○",
    "shown": "✓",
    "not applicable": "·",
    "question": "?",
}

COUNTED = {"question": "questions"}
"""What is counted, where it is not the verdict itself."""

STYLE = """
:root{color-scheme:light dark;--text:#1b1f24;--muted:#545b64;--page:#fff;--line:#c9ced4;
--panel:#f4f6f8;--broken:#b00020;--shown:#14632f;--open:#7a4b00}
@media (prefers-color-scheme:dark){:root{--text:#e7eaee;--muted:#a9b1bb;--page:#14171a;
--line:#3c434b;--panel:#1e2328;--broken:#ff9a9a;--shown:#86dba3;--open:#f2c46d}}
*{box-sizing:border-box}
body{font:16px/1.5 system-ui,sans-serif;color:var(--text);background:var(--page);margin:0}
main{max-width:900px;margin:0 auto;padding:24px 16px}
h1{font-size:26px;line-height:1.25;margin:0 0 4px}
h2{font-size:20px;margin:32px 0 8px}
h3{font-size:16px;margin:0}
p{margin:4px 0}
.muted{color:var(--muted)}
code{font-size:13px;overflow-wrap:anywhere}
.counts{display:flex;flex-wrap:wrap;gap:8px;list-style:none;margin:16px 0;padding:0}
.counts li{border:1px solid var(--line);border-radius:8px;padding:6px 12px;background:var(--panel)}
.counts a{color:inherit}
.counts b{font-size:20px}
article{border:1px solid var(--line);border-left-width:4px;border-radius:6px;padding:10px 14px;
margin:10px 0;overflow-wrap:anywhere;break-inside:avoid}
article ul{margin:6px 0;padding-left:20px}
.broken{border-left-color:var(--broken)}.broken h3,.broken b{color:var(--broken)}
.shown{border-left-color:var(--shown)}.shown h3,.shown b{color:var(--shown)}
.open{border-left-color:var(--open)}.open h3,.open b{color:var(--open)}
summary{cursor:pointer}
@media (max-width:600px){main{padding:16px 10px}h1{font-size:22px}}
@media print{:root{color-scheme:light;--text:#000;--muted:#333;--page:#fff;--panel:#fff;
--line:#999;--broken:#b00020;--shown:#14632f;--open:#7a4b00}
main{max-width:none;padding:0}article{padding:6px 10px}a{text-decoration:none}}
"""

_CLASSES = {"broken": "broken", "shown": "shown", "not seen": "open"}


def readiness_card(report: Any) -> str:
    """The verdicts for a notebook: what is broken in full, all else by group on click."""
    html_parts = [heading("Readiness"), f"<div>{escape(report.summary)}</div>"]
    broken_items = report.of("broken")
    if broken_items:
        html_parts += [_section_title(TITLES["broken"]), _items_html(broken_items)]
    unseen_items = report.of("not seen")
    if unseen_items:
        html_parts += [_section_title(TITLES["not seen"]), *_group_blocks(unseen_items)]
    other_html_blocks = []
    for verdict in ("shown", "not applicable", "question"):
        judged_items = report.of(verdict)
        if judged_items:
            title_text = TITLES[verdict]
            title = f"{len(judged_items)} {title_text[0].lower()}{title_text[1:]}"
            other_html_blocks.append(collapsible_block(title, _items_html(judged_items)))
    if other_html_blocks:
        html_parts.append(_section_title("All else"))
    return card(column(*html_parts, *other_html_blocks))


def _section_title(title: str) -> str:
    """The title of a section of the card."""
    return f'<div style="font-weight:600;margin:16px 0 0">{title}</div>'


def _group_blocks(judged_items: Sequence[Any]) -> list[str]:
    """A line per group of items, such as "Signing  query, body", which opens on click."""
    html_blocks = []
    for group_name, items_of_group in groupby(judged_items, key=_read_group):
        group_items = list(items_of_group)
        names_text = ", ".join(judged_item.item.id.partition(".")[2] for judged_item in group_items)
        html_blocks.append(
            collapsible_block(group_name.capitalize(), _items_html(group_items), names_text)
        )
    return html_blocks


def _read_group(judged_item: Any) -> str:
    """The group of an item, such as "signing" of the id "signing.query"."""
    return str(judged_item.item.id.partition(".")[0])


def _items_html(judged_items: Iterable[Any]) -> str:
    """A table with the id of each item, what it is, and below that its evidence."""
    return table_of_html(map(_card_row, judged_items))


def _card_row(judged_item: Any) -> tuple[str, str]:
    """The id of an item, and its description as HTML with evidence, a remark and how to show it."""
    item = judged_item.item
    detail_texts = [str(evidence) for evidence in judged_item.evidence[:2]]
    if judged_item.verdict != "question":
        detail_texts.append(judged_item.remark)
    if judged_item.verdict == "not seen" and item.show:
        detail_texts.append(f"To show it: {item.show[0].lower()}{item.show[1:]}")
    dot_html = tone_dot(TONES_OF_VERDICTS.get(judged_item.verdict, ""))
    details_html = "".join(
        f'<div style="{MUTED};font-size:12px">{_with_code(detail_text)}</div>'
        for detail_text in detail_texts
        if detail_text
    )
    return item.id, f"<div>{dot_html}{escape(item.what)}</div>{details_html}"


TONES_OF_VERDICTS = {"broken": BAD, "shown": GOOD}
"""The tone of the dot before an item."""

CALL_PATTERN = re.compile(r"(@?[\w.]+\([^()]*\))")
"""A call in a text, such as `faults.on("transfers.list", status=503)`."""


def _with_code(text: str) -> str:
    """A text as HTML, with its calls as code."""
    style = f"{MONO};font-size:12px;background:none;padding:0"
    # Split by a pattern with a group, every second piece is a call.
    return "".join(
        f'<code style="{style}">{escape(piece)}</code>' if index % 2 else escape(piece)
        for index, piece in enumerate(CALL_PATTERN.split(text))
    )


def readiness_page(report: Any) -> str:
    """The report as one self-contained page without scripts, light, dark and to print."""
    html_items = []
    for verdict, item_count in report.counts.items():
        if item_count:
            count_html = f"<b>{item_count}</b> {COUNTED.get(verdict, verdict)}"
            html_items.append(f'<li><a href="#{_anchor(verdict)}">{count_html}</a></li>')
    counts_html = "".join(html_items)
    sections_html = "".join(
        _section(verdict, report.of(verdict)) for verdict in TITLES if report.of(verdict)
    )
    worlds_text = "one world" if report.worlds == 1 else f"{report.worlds} worlds"
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        f"<title>Readiness</title><style>{STYLE}</style></head><body><main>"
        "<h1>Is this integration ready?</h1>"
        f'<p class="muted">Judged by {report.request_count} requests in {worlds_text}. '
        "Nothing was sent to any service.</p>"
        f'<ul class="counts">{counts_html}</ul>{sections_html}</main></body></html>'
    )


def _anchor(verdict: str) -> str:
    """The id of the section of a verdict, such as `not-seen`."""
    return verdict.replace(" ", "-")


def _section(verdict: str, judged_items: Iterable[object]) -> str:
    """The items of a verdict, below its title."""
    articles_html = "".join(_article(judged_item) for judged_item in judged_items)
    return f'<section><h2 id="{_anchor(verdict)}">{TITLES[verdict]}</h2>{articles_html}</section>'


def _article(judged_item: Any) -> str:
    """An item with its verdict, why it matters, the evidence, and how to show it."""
    item = judged_item.item
    evidence_items_html = "".join(
        f"<li>{escape(evidence_item)}</li>" for evidence_item in judged_item.evidence
    )
    evidence_list_html = f"<ul>{evidence_items_html}</ul>" if evidence_items_html else ""
    remark_html = f"<p>{escape(judged_item.remark)}</p>" if judged_item.remark else ""
    show_html = ""
    if judged_item.verdict == "not seen" and item.show:
        show_html = f"<p>To show it: {escape(item.show)}</p>"
    return (
        f'<article class="{_CLASSES.get(judged_item.verdict, "other")}">'
        f"<h3>{MARKS[judged_item.verdict]} {escape(item.what)}</h3>"
        f'<p class="muted">{escape(item.why)} <code>{escape(item.source)}</code> '
        f"<code>{escape(item.id)}</code></p>{evidence_list_html}{remark_html}{show_html}</article>"
    )
