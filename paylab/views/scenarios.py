"""The simulated outcomes as a card of buttons, and the way of the object that a click creates."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from functools import partial
from typing import Any

from ..errors.base import PaylabError
from ..spec.status import CONVERSION, INDIVIDUAL, TRANSFER
from . import html
from .forms.code import write_call
from .forms.nodes import Button, Code, Group, Heading, Html, Node, form_section
from .forms.view import FormPage
from .html import Row, escape

SUBJECT_TITLES = {
    "individual": "Verification of a person",
    "deposit": "A deposit",
    "transfer": "A payout",
    "conversion account": "A conversion account",
    "call": "A call and an event",
    "event": "A call and an event",
}
"""The title above the buttons of a scenario, by the object that it is about."""

MACHINES_BY_SUBJECT = {"individual": INDIVIDUAL, "deposit": CONVERSION, "transfer": TRANSFER}
"""The states of what a scenario creates, by the object that it is about."""

INTRODUCTION = "A click creates the objects in the simulator and shows the statuses they reach."
WAY_COLUMNS = ("Time (UTC)", "Status", "What happened")


class ScenarioPage(FormPage):
    """A button for each scenario; `run(name)` carries it out and returns what it created.

    `problem` says why no scenario can run; there are no buttons then.
    """

    USER_NAMES = ("click", "rows", "title")

    title = "Scenarios"

    def __init__(
        self, scenarios: Sequence[Any], run: Callable[[str], Any], problem: str = ""
    ) -> None:
        """Make the buttons, or say why there are none."""
        self._run = run
        self._problem = problem
        self.scenarios = {scenario.name: scenario for scenario in scenarios}
        self.result: Any = None
        self.heading = Heading(self.title)
        introduction_text = problem or INTRODUCTION
        self._introduction = Html(f"<p>{escape(introduction_text)}</p>")
        self.buttons = {
            scenario.name: Button(scenario.label, partial(self.click, scenario.name))
            for scenario in scenarios
        }
        self._sections = [] if problem else list(self._make_sections())
        self.message = Html(live=True)
        self.way_node = Html()
        self.code = Code()
        self.code.visible = False

    def nodes(self) -> Sequence[Node]:
        """The buttons, and what the last click created."""
        return [
            self.heading,
            self._introduction,
            *self._sections,
            self.message,
            self.way_node,
            self.code,
        ]

    def _make_sections(self) -> Iterable[Node]:
        """The buttons below the title of their subject."""
        buttons_by_title: dict[str, list[Node]] = {}
        for scenario in self.scenarios.values():
            title = SUBJECT_TITLES[scenario.subject]
            buttons_by_title.setdefault(title, []).append(self.buttons[scenario.name])
        for title, buttons in buttons_by_title.items():
            yield form_section(title, Group(buttons, "actions"))

    def click(self, name: str) -> None:
        """Run a scenario, and show the statuses of what it created, or why it failed."""
        self._show_running(name)
        try:
            self.result = self._run(name)
        except PaylabError as error:
            self.message.html = f'<p class="paylab-error">{escape(error)}</p>'
        else:
            self._show_result()
        finally:
            self._set_disabled(False)
            self.redraw(self.message)
            self.update_saved()

    def _show_running(self, scenario_name: str) -> None:
        """Show which scenario runs; the buttons are disabled until it has ended."""
        label_html = escape(self.scenarios[scenario_name].label)
        self.message.html = f"<p>{label_html} is running …</p>"
        self.way_node.html = ""
        self.code.text = write_call("lab.scenarios.run", scenario_name)
        self.code.visible = True
        self._set_disabled(True)
        self.redraw()

    def _set_disabled(self, is_disabled: bool) -> None:
        """Disable or enable all buttons."""
        for button in self.buttons.values():
            button.disabled = is_disabled

    def _show_result(self) -> None:
        """Show what was created, and its way."""
        scenario_run = self.result
        self.message.html = f'<p class="paylab-good">{escape(_headline(scenario_run))}</p>'
        self.way_node.html = _way_html(scenario_run)

    def rows(self) -> Sequence[Row]:
        """What the last click created, or the names of all scenarios."""
        if self._problem:
            return [("No scenarios", self._problem)]
        if self.result is not None:
            return way_rows(self.result)
        return [("Names", ", ".join(self.scenarios))]

    def saved_html(self) -> str:
        """The texts of the buttons, and what the last click created."""
        labels_by_title: dict[str, list[str]] = {}
        runnable_scenarios = [] if self._problem else self.scenarios.values()
        for scenario in runnable_scenarios:
            labels_by_title.setdefault(SUBJECT_TITLES[scenario.subject], []).append(scenario.label)
        label_rows = [(title, ", ".join(labels)) for title, labels in labels_by_title.items()]
        return self._introduction.static() + html.table(label_rows) + self.way_node.static()


def run_card(run: Any) -> str:
    """A card of what a scenario created, and the way that it took."""
    title_html = html.heading(_headline(run))
    return html.card(html.column(title_html, _way_html(run)), source=run.place)


def way_rows(run: Any) -> list[Row]:
    """What a scenario created, its outcome, and a row for each step of its way."""
    run_rows = [("Created", _headline(run)), ("Outcome", run.scenario.outcome), *_next_rows(run)]
    for way_step in run.way:
        status_text = f", {way_step.status}" if way_step.status else ""
        run_rows.append((_time_text(way_step.at), f"{way_step.what}{status_text}"))
    return run_rows


def _headline(run: Any) -> str:
    """What was created, and its last status."""
    return f"{run.scenario.label}: {run.id} is {run.status}"


def _way_html(run: Any) -> str:
    """The outcome and the facts of the object, and a table of the statuses that it had."""
    history_rows = [
        (_time_text(way_step.at), way_step.status, way_step.what) for way_step in run.way
    ]
    fact_rows = [("Outcome", run.scenario.outcome), ("Id", run.id), *_reason_rows(run.resource)]
    fact_rows += _next_rows(run)
    return html.table(fact_rows) + html.grid(WAY_COLUMNS, history_rows)


def _reason_rows(resource: object) -> list[Row]:
    """Why the object has its status, in the words of the service."""
    reason_rows = [("Reason", str(getattr(resource, "failure_reason", None) or ""))]
    for status_detail in getattr(resource, "status_details", None) or []:
        reason_rows.append((str(status_detail.code), str(status_detail.message)))
    return [(label, text) for label, text in reason_rows if text]


def _next_rows(run: Any) -> list[Row]:
    """Which states may follow, and how to reach one; no row for a final state."""
    status_machine = MACHINES_BY_SUBJECT.get(run.scenario.subject)
    next_states = status_machine.onward(run.status) if status_machine else ()
    if not next_states:
        return []
    return [("May follow", f"{', '.join(next_states)}: lab.simulator.move(id, state) decides")]


def _time_text(moment: datetime | None) -> str:
    """The time of day; empty if it is not known."""
    return f"{moment:%H:%M:%S}" if moment else ""
