"""Results, lists, the simulator and a reconciliation as HTML cards and tables.

Each function takes a value and returns HTML; `lab.displays` registers them by type name.
None of them sends a request.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from decimal import Decimal
from typing import Any

from ..redaction.redaction import Redaction
from .html import (
    card,
    column,
    escape,
    folded,
    grid,
    heading,
    notice,
    table,
    text_block,
)

COLUMNS: Mapping[str, tuple[str, ...]] = {
    "Transfer": ("id", "status", "source", "destination", "created_at"),
    "Quote": ("id", "source", "destination", "exchange_rate", "total_fee", "expires_at"),
    "Individual": ("id", "status", "given_name", "family_name", "country", "created_at"),
    "FinancialAccount": ("id", "type", "details", "created_at"),
    "ConversionAccount": ("id", "status", "source_currency", "individual_id", "created_at"),
    "Conversion": ("id", "status", "deposit", "payout", "created_at"),
    "WebhookSubscription": ("id", "url", "event_types", "is_active"),
}
"""The columns of a table, by the type of its items."""

SUMS = {
    "source": ("source_amount", "source_currency"),
    "destination": ("destination_amount", "destination_currency"),
    "deposit": ("amount", "currency"),
    "payout": ("amount", "currency"),
}
"""Columns that show an amount with its currency, and their fields."""

UNFETCHED = "Nothing is fetched yet. [:20] fetches the first 20, a loop fetches all pages."


def resource_card(resource: Any) -> str:
    """The fields that have a value; nested fields and the JSON open on click."""
    fields = _clean(resource)
    flat = {name: value for name, value in fields.items() if not isinstance(value, dict | list)}
    nested = {name: value for name, value in fields.items() if name not in flat}
    lists = {name: value for name, value in nested.items() if _is_words(value)}
    rows = [(name, _words(value)) for name, value in (flat | lists).items()]
    blocks = [
        folded(name, text_block(json.dumps(value, indent=2, ensure_ascii=False, default=str)))
        for name, value in nested.items()
        if name not in lists
    ]
    title = heading(type(resource).__name__)
    return card(column(title, table(rows), *blocks), label=resource._place())


def pager_table(pager: Any) -> str:
    """The items that were fetched last, or how to fetch items."""
    items, count = pager.fetched()
    if count is None:
        return card(column(heading("List"), escape(UNFETCHED)), label=pager.place)
    return items_table(items, count, pager.place)


def items_table(items: Sequence[Any], total: int | None = None, place: str = "") -> str:
    """A table of resources of one type; `place` names the service."""
    if not items:
        return card(column(heading("List"), "no items"), label=place)
    kind = type(items[0]).__name__
    cleaned = [_clean(item) for item in items]
    names = COLUMNS.get(kind) or tuple(cleaned[0])[:6]
    rows = [[_column(item, name) for name in names] for item in cleaned]
    count = total or len(items)
    title = heading(f"{count:,} {kind}{'' if count == 1 else 's'}")
    return card(column(title, grid(names, rows, total)), label=place)


def page_table(page: Any) -> str:
    """One page of a list."""
    return items_table(page.data, place=page.data[0]._place() if page.data else "")


def simulator_card(simulator: Any) -> str:
    """The embedded simulator: its clock and the number of its objects."""
    summary = simulator.world.summary()
    clock = summary["clock"]
    runs = "frozen" if clock["frozen"] else f"running, {clock['speed']:g} times real time"
    counts = [(kind, str(count)) for kind, count in summary["counts"].items() if count]
    rows = [("clock", f"{clock['now']} ({runs})"), ("seed", str(summary["seed"])), *counts]
    return card(column(heading("Simulator"), table(rows)), label=SIMULATOR)


SIMULATOR = "SIMULATOR"

CONTROLS = (
    ("clock", "advance(seconds), freeze(), run(speed)"),
    ("faults", "faults to inject"),
    ("scenarios", "values that cause an outcome"),
    ("requests", "the requests that it received, with verdicts"),
    ("deliveries", "wait(type), redeliver(), pause(), resume()"),
    ("pay_in(amount)", "gives the account a balance"),
    ("seed(transfers=, conversions=)", "add finished transfers and conversions"),
    ("move(id, to)", "move an object to a status"),
    ("events(id)", "the events of an object"),
    ("summary()", "get the clock and the number of objects"),
    ("snapshot(), save(path), load(path)", "the whole state"),
    ("reset()", "delete all objects"),
)


def controls_card(_: Any) -> str:
    """A table of the simulator's controls."""
    table_html = grid(("lab.simulator", "description"), CONTROLS)
    return card(column(heading("Controls"), table_html), label=SIMULATOR)


def scenarios_table(scenarios: Any) -> str:
    """A table of the values that cause an outcome."""
    rows = scenarios.rows()
    parts = []
    for where in dict.fromkeys(row["where"] for row in rows):
        cells = [[row[name] for name in SCENARIO] for row in rows if row["where"] == where]
        parts.append(folded(f"{where}: {len(cells)}", grid(SCENARIO, cells, most=len(cells))))
    return card(column(heading(f"{len(rows)} scenarios"), *parts), label=SIMULATOR)


SCENARIO = ("name", "value", "outcome")


def faults_table(faults: Any) -> str:
    """A table of the kinds of fault; `list()` gets the active ones."""
    return card(column(grid(("fault", "the service"), faults.kinds())), label=SIMULATOR)


def reconciliation_card(result: Any) -> str:
    """The verdict, the problems by kind and one by one, the totals, and what was compared."""
    verdict, *_ = result.report().split("\n", 1)
    parts = [heading("Reconciliation"), notice(verdict)]
    if not result:
        parts.append(_table_of(result.summary()))
        names = [name for name in PROBLEM_COLUMNS if name != "side" or len(result.sides) > 2]
        parts.append(_table_of(result.frame()[names]))
    parts.append(folded("Totals", _table_of(result.totals())))
    compared = [line.strip() for line in (*result.columns_lines(), *result.notes)]
    parts.append(folded("What was compared", text_block("\n".join(compared))))
    return card(column(*parts), label=result.place)


PROBLEM_COLUMNS = (
    *("kind", "side", "key", "column", "currency", "service_value", "other_value"),
    *("difference", "time_difference", "row"),
)
"""The columns of the problems in a card."""


def _table_of(frame: Any) -> str:
    """The first rows of a frame, without the columns that have no value."""
    from .frames import frame_table  # needs pandas, which a reconciliation has

    return frame_table(frame.loc[:, frame.notna().any()])


def lab_card(lab: Any) -> str:
    """The settings of a lab and their sources."""
    settings = grid(("setting", "value", "from"), lab.sources())
    drift = escape(lab.drift.line) if lab.calls and lab.drift else ""
    return card(column(heading("Lab"), settings, drift), label=lab.client.place())


def _clean(resource: Any) -> dict[str, Any]:
    """The fields without document numbers, images and signatures."""
    return dict(Redaction([]).json(resource.to_dict()))


def _column(fields: Mapping[str, Any], name: str) -> str:
    """A field, or an amount with its currency."""
    inner = fields.get(name)
    holder = inner if isinstance(inner, dict) else fields
    if name in SUMS:
        amount, currency = (holder.get(field) for field in SUMS[name])
        return "" if amount is None else f"{amount} {currency or ''}".rstrip()
    return _words(inner)


def _is_words(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


def _words(value: object) -> str:
    """The text of a cell: short times, exact amounts, and JSON for nested values."""
    if value is None:
        return ""
    if isinstance(value, datetime):
        return f"{value:%Y-%m-%d %H:%M:%S}"
    if isinstance(value, str | Decimal | int | float):
        return str(value)
    if isinstance(value, list) and _is_words(value):
        return ", ".join(value) or "none"
    return json.dumps(value, ensure_ascii=False, default=str)
