"""The live panel of a lab: `lab.panel()`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from ..client.parameters import strict_keywords
from ..errors.arguments import explain_arguments
from ..errors.base import OptionError, Problem, UnknownItemError
from ..errors.extras import bundle_or_text, display_or_text
from ..errors.names import with_name_suggestions
from ..errors.text import printable_lines
from ..spec.text import JsonMapping
from ..views.panel_rows import SELECTIONS, PanelRow, is_shown, read_payload, row_details
from .panel_feed import PanelFeed

if TYPE_CHECKING:
    from ..client.client import Client
    from ..simulator.simulator import Simulator
    from ..views.panel import PanelView, Selection
    from ..webhooks.inbox import Inbox
    from .place import ServiceLocator

SHOWN_ROWS = 20
"""Maximum rows of the text of a panel."""

NOBODY_RECEIVES = (
    "nobody received this event: no webhook subscription asks for it. Open lab.inbox() first"
)


class ReceivedEvents(Protocol):
    """The inboxes of a lab, and a function that reads the object of an event."""

    inboxes: list[Inbox]

    def current(self, family: str, row_id: str) -> JsonMapping | None:
        """The object as the service has it now; None if it is not found."""


@explain_arguments
class Panels:
    """Makes the panels of a lab, all of the same calls and events."""

    def __init__(
        self,
        client: Client,
        simulator: Simulator | None,
        webhooks: ReceivedEvents,
        locator: ServiceLocator,
    ) -> None:
        self._client = client
        self._simulator = simulator
        self._inboxes = webhooks.inboxes
        self._current = webhooks.current
        self._locator = locator

    @strict_keywords()
    def panel(self, filter: str = "", *, show: Selection = "everything") -> Panel:  # noqa: A002
        """Calls and events as they happen, to filter, explain and send again.

        In JupyterLab, right-click it and choose "Create New View for Cell Output" to keep it beside
        the notebook. `filter` is a text that rows have, `show` what to begin with. The latest 200
        rows are kept. Events are those of a simulator in this process, else those of `lab.inbox()`.

        >>> lab.panel("transfers").stop()
        """
        if show not in SELECTIONS:
            raise OptionError([Problem("show", f"must be one of {', '.join(SELECTIONS)}")])
        feed = PanelFeed(self._client.calls, self._inboxes)
        if self._simulator is not None:
            feed.add_world(self._simulator.world.journal, self._simulator.followers)
        panel_options = {"filter": str(filter), "show": show}
        return Panel(feed, self._explain_row, self._resend_event, self._client.place, panel_options)

    def _explain_row(self, panel_row: PanelRow) -> str:
        """The details of a row as HTML, and how an event differs from what GET returns now."""
        details_html = row_details(panel_row)
        if panel_row.kind == "call":
            return details_html
        from ..views.inbox import comparison_html
        from ..webhooks.difference import differences

        event_family = str(panel_row.source.get("event_type")).partition(".")[0]
        current_object = self._current(event_family, str(panel_row.source.get("resource_id")))
        event_differences = None
        if current_object is not None:
            event_differences = differences(read_payload(panel_row.source), current_object)
        return comparison_html(event_differences) + details_html

    def _resend_event(self, panel_row: PanelRow) -> str:
        """Deliver the event of a row again, and say how; UnknownItemError if nobody receives it.

        An event of an inbox goes to that inbox; any other is delivered by the simulator.
        """
        arrival = panel_row.source.get("arrival")
        if arrival is not None:
            for inbox in self._inboxes:
                if arrival in inbox.newest(len(inbox)):
                    return f"Sent again: the inbox answered {inbox.replay(arrival)}."
        controls = self._locator.find_controls()
        delivery_ids = self._find_delivery_ids(panel_row.source)
        if controls is None or not delivery_ids:
            raise UnknownItemError(NOBODY_RECEIVES)
        sent_count = 0
        for delivery_id in delivery_ids:
            sent_count += controls.deliveries.redeliver({"id": delivery_id})
        return f"Sent again: {sent_count} {'delivery' if sent_count == 1 else 'deliveries'}."

    def _find_delivery_ids(self, facts: Mapping[str, object]) -> list[str]:
        """The ids of the latest delivery of an event to each URL, or to the URL of the row.

        `facts` are the facts of the row: the event, and the URL if the row is a delivery.
        """
        if self._simulator is None:
            return []
        world = self._simulator.world
        id_by_url: dict[str, str] = {}
        with world.lock:
            for delivery_row in world.tables["deliveries"].rows.values():
                # "_" has the simulator's internal fields, which are not sent.
                is_of_event = delivery_row["_"].get("event_id") == facts.get("event_id")
                is_to_url = facts.get("url") in (None, delivery_row["url"])
                if is_of_event and is_to_url:
                    id_by_url[delivery_row["url"]] = delivery_row["id"]  # a later one replaces it
        return list(id_by_url.values())


@with_name_suggestions
@explain_arguments
class Panel:
    """A live panel; a notebook shows it. `stop` ends it, and the rows that it has stay.

    `explain` returns the details of a row as HTML, and `resend` delivers its event again.
    """

    def __init__(
        self,
        feed: PanelFeed,
        explain: Callable[[PanelRow], str],
        resend: Callable[[PanelRow], str],
        describe_place: Callable[[], str],
        options: Mapping[str, str],
    ) -> None:
        """A panel of a feed; `options` are the `filter` and the `show` that it begins with.

        `describe_place` returns the name of the service, to show with the rows.
        """
        self._feed = feed
        self._explain = explain
        self._resend = resend
        self._describe_place = describe_place
        self._options = options
        self._view: PanelView | None = None
        self._unfollow: Callable[[], None] | None = None  # ends the feed; None if not followed
        self._last_rows: Sequence[PanelRow] | None = None

    @property
    def is_live(self) -> bool:
        """Whether new rows are shown."""
        return self._last_rows is None

    def rows(self) -> list[tuple[str, ...]]:
        """The latest rows that match `filter` and `show` as text, oldest first.

        Each has its time, what it is, what it is about, and the verdict.

        >>> len(lab.panel().rows()[-1])
        4
        """
        filter_text = self._options["filter"]
        selection_name = self._options["show"]
        return [
            panel_row.cells
            for panel_row in self._read_rows()
            if is_shown(panel_row, filter_text, selection_name)
        ]

    def clear(self) -> None:
        """Drop all rows; what happens from now on is shown.

        >>> panel = lab.panel()
        >>> panel.clear()
        >>> panel.rows()
        []
        """
        self._feed.clear()
        if self._view is not None:
            self._view.refresh(from_start=True)

    def stop(self) -> None:
        """Show nothing new any more.

        >>> lab.panel().stop()
        """
        if self._last_rows is None:
            self._last_rows = self._feed.read()
        if self._unfollow is not None:
            self._unfollow()
            self._unfollow = None

    def close(self) -> None:
        """Stop, and remove the panel from the notebook.

        >>> lab.panel().close()
        """
        self.stop()
        if self._view is not None:
            self._view.close()
            self._view = None

    def _read_rows(self) -> Sequence[PanelRow]:
        """The current rows, or those of the moment when the panel was stopped."""
        return self._feed.read() if self._last_rows is None else self._last_rows

    def __repr__(self) -> str:
        """The last rows as text."""
        row_lines = ["  ".join(cell_texts).rstrip() for cell_texts in self.rows()[-SHOWN_ROWS:]]
        return printable_lines("\n".join([f"Panel  [{self._describe_place()}]", *row_lines]))

    def _make_view(self) -> PanelView:
        """Make the widget on first use. All displays show this one; it follows until `stop`."""
        from ..views.panel import PanelView

        if self._view is None:
            self._view = PanelView(
                self._read_rows,
                self._explain,
                self._resend,
                service_name=self._describe_place(),
                options=self._options,
            )
            if self.is_live:
                self._unfollow = self._feed.follow(self._view.refresh_soon)
        return self._view

    def _repr_mimebundle_(self, **_: object) -> Any:
        """The widget for Jupyter, by MIME type."""
        return bundle_or_text(self._make_view, repr(self))

    def _ipython_display_(self) -> None:
        """Show the widget in a notebook."""
        display_or_text(self._make_view)
