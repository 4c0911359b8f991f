"""A status that refreshes itself on the page."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import datetime
from typing import Any

import traitlets
from IPython.core.getipython import get_ipython

from ...errors.base import PaylabError
from ...spec.status import Machine
from .. import html
from ..html import Row
from .nodes import Button, Group, Heading, Html, Node
from .refresher import Read, Refresher
from .timeline import CREATED, History, Timeline, Times
from .view import FormPage

STOP = "Stop refreshing"
REFRESH = "Refresh"


class LiveStatus(traitlets.HasTraits, FormPage):
    """A timeline and facts of the resource that `read` returns, refreshed until its state is final.

    `resource` is the latest one, and can be observed. In the states `timed_states`, `pass_time`
    advances a frozen simulator between two calls. `read_history(id)` returns the states that it
    has had, as far as they are known. `refresh_options` are those of `Refresher`.
    """

    USER_NAMES = ("observe", "refresh", "resource", "rows", "start", "stop", "title", "unobserve")

    resource = traitlets.Any(None, allow_none=True)

    machine: Machine
    timed_states: Sequence[str] = ()
    title = "Status"

    def __init__(
        self,
        read: Read,
        *,
        pass_time: Callable[[float], object] = lambda _: None,
        read_history: Callable[[str], History] = lambda _: (),
        **refresh_options: Any,
    ) -> None:
        """Read the resource once, and refresh it until its state is final."""
        super().__init__()
        self._read_history = read_history
        self._read = read
        self._pass_time = pass_time
        self.timeline = Timeline(self.machine)
        self.heading = Heading(self.title)
        self.timeline_node = Html()
        self.facts_node = Html()
        self.announcement = Html(live=True, style="unseen")
        self.error_node = Html(live=True)
        self.button = Button(STOP, self._toggle_refreshing)
        self._actions = Group([self.button], "actions")
        self.refresher = Refresher(
            read,
            self.show_resource,
            self._is_final,
            on_error=self.show_error,
            pass_time=self._advance_clock,
            **refresh_options,
        )
        self.refresh()
        self.start()

    def nodes(self) -> Sequence[Node]:
        """The timeline, the facts, and a button."""
        return [
            self.heading,
            self.timeline_node,
            self.facts_node,
            self.announcement,
            self.error_node,
            self._actions,
        ]

    def start(self) -> None:
        """Refresh on the event loop and after every cell; without an event loop do nothing."""
        is_refreshing = not self._is_final(self.resource) and self.refresher.start()
        self._set_cell_hook(is_refreshing)
        self._update_button(is_refreshing)

    def stop(self) -> None:
        """Stop refreshing."""
        self.refresher.stop()
        self._set_cell_hook(False)
        self._update_button(False)

    def refresh(self) -> Any:
        """Refresh once, now; return the resource."""
        try:
            self.show_resource(self._read())
        except PaylabError as error:
            self.show_error(error)
        return self.resource

    def show_resource(self, resource: Any) -> None:
        """Show the resource as it was just read, and announce a new state to screen readers."""
        earlier_state = self.timeline.current
        current_state = self._read_state(resource)
        resource_id = getattr(resource, "id", None)
        history: History = ()
        if resource_id and current_state != earlier_state:
            history = self._read_history(resource_id)
        self.timeline.add(current_state, self._read_times(resource), history)
        self.error_node.html = ""
        self.timeline_node.html = self.timeline.html()
        self.facts_node.html = html.table(self._make_fact_rows(resource))
        if earlier_state != self.timeline.current:
            announcement_text = (
                f"{self.title}: {current_state}. {self.timeline.next_states_sentence()}"
            )
            self.announcement.html = html.escape(announcement_text)
        self.resource = resource
        if self._is_final(resource):
            self._update_button(False)
        self.redraw()
        self.update_saved()

    def show_error(self, error: PaylabError) -> None:
        """Show an error, and stop refreshing until you start it again."""
        self.error_node.html = html.warning(f"The status could not be read: {error}")
        self.stop()

    def _read_state(self, resource: Any) -> str | None:
        """The state of a resource; None if it has none."""
        return getattr(resource, "status", None)

    def _read_times(self, resource: Any) -> Times:
        """The time of creation, and of the latest change as the start of the current state."""
        current_state = str(self._read_state(resource))
        return {
            CREATED: datetime_or_none(resource.created_at),
            current_state: datetime_or_none(resource.updated_at),
        }

    def _make_fact_rows(self, resource: Any) -> Sequence[Row]:
        """The rows below the timeline."""
        return [("Id", str(getattr(resource, "id", "")))]

    def _is_final(self, resource: Any) -> bool:
        """Whether no state follows the one of a resource."""
        return self.machine.is_final(self._read_state(resource))

    def rows(self) -> Sequence[Row]:
        """The rows saved in the notebook: the latest state."""
        timeline_rows = [*self.timeline.rows(), ("Next", self.timeline.next_states_sentence())]
        if self.resource is not None:
            timeline_rows.extend(self._make_fact_rows(self.resource))
        return timeline_rows

    def _advance_clock(self, seconds: float) -> None:
        """Advance a frozen simulator, in the states that end with time."""
        if self._read_state(self.resource) in self.timed_states:
            self._pass_time(seconds)

    def _set_cell_hook(self, is_on: bool) -> None:
        """Begin or stop to refresh after each cell: in Run All no event loop runs between cells."""
        shell = get_ipython()
        if shell is None:
            return
        with suppress(ValueError):
            shell.events.unregister("post_run_cell", self._refresh_after_cell)
        if is_on:
            shell.events.register("post_run_cell", self._refresh_after_cell)

    def _refresh_after_cell(self, _: object = None) -> None:
        """Refresh after a cell has run, until the state is final."""
        if not self._is_final(self.resource):
            self.refresh()
        if self._is_final(self.resource):
            self._set_cell_hook(False)

    def _toggle_refreshing(self) -> None:
        """Stop refreshing after a click, or start again."""
        if self.refresher.is_running:
            self.stop()
            return
        self.refresh()
        self.start()

    def _update_button(self, is_refreshing: bool) -> None:
        """Show what a click on the button does next."""
        self.button.text = STOP if is_refreshing else REFRESH
        self.redraw()


def datetime_or_none(value: object) -> datetime | None:
    """The value if it is a time; None for any other value."""
    return value if isinstance(value, datetime) else None
