"""Results, lists, the simulator and a reconciliation as HTML cards and tables.

Each function takes a value and returns HTML; `lab.displays` registers them by type name.
None of them sends a request.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..spec.text import JsonMapping, JsonObject
from .html import (
    card,
    collapsible_block,
    column,
    escape,
    grid,
    heading,
    notice,
    plural,
    table,
    text_block,
    verdict,
)
from .resource_fields import redacted_fields, resource_parts, value_text

if TYPE_CHECKING:
    from ..spec.page import Page
    from ..spec.paging import Pager
    from ..spec.resource import Resource
    from ..webhooks.report import Reconciliation

COLUMNS_BY_TYPE: Mapping[str, tuple[str, ...]] = {
    "Transfer": ("id", "status", "source", "destination", "created_at"),
    "Quote": ("id", "source", "destination", "exchange_rate", "total_fee", "expires_at"),
    "Individual": ("id", "status", "given_name", "family_name", "country", "created_at"),
    "FinancialAccount": ("id", "type", "details", "created_at"),
    "ConversionAccount": ("id", "status", "source_currency", "individual_id", "created_at"),
    "Conversion": ("id", "status", "deposit", "payout", "created_at"),
    "WebhookSubscription": ("id", "url", "event_types", "is_active"),
}
"""The columns of a table, by the type of its items."""

AMOUNT_FIELDS = {
    "source": ("source_amount", "source_currency"),
    "destination": ("destination_amount", "destination_currency"),
    "deposit": ("amount", "currency"),
    "payout": ("amount", "currency"),
}
"""Columns that show an amount with its currency, and their fields."""

OTHER_COLUMNS_MAX = 6
"""Maximum columns of a table of items of any other type."""

NOT_FETCHED = "Nothing is fetched yet. [:20] fetches the first 20, a loop fetches all pages."
SIMULATOR = "SIMULATOR"
"""The name of the service of simulator controls."""


def resource_card(resource: Resource) -> str:
    """The fields that have a value; nested fields and the JSON open on click."""
    field_rows, html_blocks = resource_parts(resource)
    title_html = heading(type(resource).__name__)
    return card(column(title_html, table(field_rows), *html_blocks), source=resource._place())


def pager_table(pager: Pager[Any]) -> str:
    """The items that were fetched last, or how to fetch items."""
    fetched_items, total_count = pager.fetched()
    if total_count is None:
        return card(column(heading("List"), notice(NOT_FETCHED)), source=pager.place)
    return items_table(
        fetched_items, total_count, service_name=pager.place, all_rows_hint="to_list() has all"
    )


def items_table(
    items: Sequence[Resource],
    total: int | None = None,
    service_name: str = "",
    all_rows_hint: str = "",
) -> str:
    """A table of resources of one type.

    `total` is the length of the whole list, and `all_rows_hint` says what has all of it.
    """
    if not items:
        return card(column(heading("List"), notice("No items")), source=service_name)
    type_name = type(items[0]).__name__
    fields_of_items = [redacted_fields(item) for item in items]
    first_names = tuple(fields_of_items[0])[:OTHER_COLUMNS_MAX]
    column_names = COLUMNS_BY_TYPE.get(type_name, first_names)
    table_rows = []
    for item_fields in fields_of_items:
        row_cells = [_column_text(item_fields, column_name) for column_name in column_names]
        table_rows.append(row_cells)
    title_html = heading(plural(total or len(items), type_name))
    grid_html = grid(column_names, table_rows, total, all_rows_hint=all_rows_hint)
    return card(column(title_html, grid_html), source=service_name)


def page_table(page: Page[Any]) -> str:
    """One page of a list."""
    return items_card(page.data)


def items_card(items: Sequence[Any]) -> str:
    """Some items of a list, with the service that they are from."""
    return items_table(items, service_name=items[0]._place() if items else "")


def simulator_card(simulator: Any) -> str:
    """The embedded simulator: its clock and the number of its objects."""
    world_summary: JsonObject = simulator.world.summary()
    clock_summary = world_summary["clock"]
    speed_text = (
        "frozen"
        if clock_summary["frozen"]
        else f"running, {clock_summary['speed']:g} times real time"
    )
    simulator_rows = [
        ("Clock", f"{clock_summary['now']} ({speed_text})"),
        ("Seed", str(world_summary["seed"])),
    ]
    for resource_name, object_count in world_summary["counts"].items():
        if object_count:
            simulator_rows.append((resource_name, str(object_count)))
    return card(column(heading("Simulator"), table(simulator_rows)), source=SIMULATOR)


CONTROL_ROWS = (
    ("clock", "advance(seconds), freeze(), run(speed)"),
    ("faults", "faults to inject"),
    ("scenarios", "values that cause an outcome"),
    ("requests", "the requests that it received, with verdicts"),
    ("name_test(name)", "name the test of the requests that follow"),
    ("readiness(), rehearse()", "judge an integration by its requests; play what is not shown yet"),
    ("deliveries", "wait(type), redeliver(), pause(), resume()"),
    ("pay_in(amount), funds()", "pay into the balance; its amounts by currency"),
    ("coin_returns()", "the stablecoins of failed off-ramps"),
    ("add_person(country), add_account(person)", "add an individual or a financial account"),
    ("seed(transfers=, conversions=)", "add finished transfers and conversions"),
    ("move(id, to)", "move an object to a status"),
    ("events(id), history(id)", "the events and the statuses of an object"),
    ("send_event(type, id)", "send any event, also of an unknown type"),
    ("journal(), har(path)", "requests, deliveries and events; as a HAR file"),
    ("summary()", "the clock and the number of objects"),
    ("snapshot(), restore(snapshot), save(path), load(path)", "keep and return to the whole state"),
    ("reset()", "delete all objects"),
)


def controls_card(_: object) -> str:
    """A table of the simulator's controls."""
    table_html = grid(("lab.simulator", "Description"), CONTROL_ROWS)
    return card(column(heading("Controls"), table_html), source=SIMULATOR)


def scenarios_table(scenarios: Any) -> str:
    """A table of the values that cause an outcome."""
    scenario_rows = scenarios.rows()
    rows_by_field: dict[str, list[list[Any]]] = {}
    for scenario_row in scenario_rows:
        row_cells = [scenario_row[column_title.lower()] for column_title in SCENARIO_COLUMNS]
        rows_by_field.setdefault(scenario_row["where"], []).append(row_cells)
    html_blocks = []
    for field_name, rows_of_field in rows_by_field.items():
        table_html = grid(SCENARIO_COLUMNS, rows_of_field, row_max=len(rows_of_field))
        html_blocks.append(collapsible_block(f"{field_name}: {len(rows_of_field)}", table_html))
    return card(column(heading(f"{len(scenario_rows)} scenarios"), *html_blocks), source=SIMULATOR)


SCENARIO_COLUMNS = ("Name", "Value", "Outcome")


def faults_table(faults: Any) -> str:
    """A table of the kinds of fault; `list()` gets the active ones."""
    return card(column(grid(("Fault", "The service"), faults.kinds())), source=SIMULATOR)


def reconciliation_card(reconciliation: Reconciliation) -> str:
    """The verdict, the problems by kind and one by one, the totals, and what was compared."""
    verdict_text, *_ = reconciliation.report().split("\n", 1)
    is_good = bool(reconciliation)
    html_parts = [heading("Reconciliation"), verdict(verdict_text, is_good=is_good)]
    if reconciliation.problems:
        html_parts.append(_filled_columns_table(reconciliation.summary()))
        column_names = list(PROBLEM_COLUMNS)
        if len(reconciliation.sides) <= 2:
            column_names.remove("side")
        problem_frame = reconciliation.frame()[column_names]
        problem_table = _filled_columns_table(
            problem_frame, all_rows_hint="frame() has all problems"
        )
        html_parts.append(problem_table)
        if "missing_in_books" in set(problem_frame["kind"]):
            html_parts.append(notice(PERIOD_ADVICE))
    totals_table = _filled_columns_table(reconciliation.totals())
    html_parts.append(collapsible_block("Totals", totals_table))
    note_lines = [line.strip() for line in (*reconciliation.columns_lines(), *reconciliation.notes)]
    html_parts.append(collapsible_block("What was compared", text_block("\n".join(note_lines))))
    return card(column(*html_parts), source=reconciliation.place)


PROBLEM_COLUMNS = (
    "kind",
    "key",
    "column",
    "difference",
    "service_value",
    "other_value",
    "currency",
    "time_difference",
    "side",
    "row",
)
"""The columns of the problems in a card: a narrow page shows the first ones without scrolling."""


PERIOD_ADVICE = (
    "If your books cover a shorter time than the list of the service, compare that time only: "
    "lab.reconcile(books, since=..., until=...)."
)


def _filled_columns_table(frame: Any, all_rows_hint: str = "") -> str:
    """The first rows of a frame, without the columns that have no value.

    `all_rows_hint` says what has all rows.
    """
    from .frames import frame_table  # needs pandas, which a reconciliation has

    return frame_table(frame.loc[:, frame.notna().any()], all_rows_hint)


def lab_card(lab: Any) -> str:
    """The settings of a lab and their sources."""
    settings_html = grid(("Setting", "Value", "From"), lab.sources())
    drift_html = escape(lab.drift.line) if lab.calls and lab.drift else ""
    return card(column(heading("Lab", lab.client.place()), settings_html, drift_html))


def _column_text(fields: JsonMapping, field_name: str) -> str:
    """The text of a field, or of an amount with its currency."""
    field_value = fields.get(field_name)
    if field_name not in AMOUNT_FIELDS:
        return value_text(field_value)
    amount_holder = field_value if isinstance(field_value, dict) else fields
    amount_field_name, currency_field_name = AMOUNT_FIELDS[field_name]
    amount = amount_holder.get(amount_field_name)
    if amount is None:
        return ""
    return f"{amount} {amount_holder.get(currency_field_name) or ''}".rstrip()
