"""The events of a lab: an inbox, polling, reconciliation, and lookups of their objects."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, MutableMapping
from datetime import date, datetime, timedelta
from functools import partial
from itertools import count
from os import PathLike
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from ..client.client import Client
from ..errors.api import NotFoundError
from ..errors.arguments import explain_arguments
from ..errors.base import ConfigError, PaylabError
from ..runtime import require_sockets
from ..spec import codes
from .event_ids import read_event_id
from .place import is_local

if TYPE_CHECKING:
    from ..simulator.controls import Controls
    from ..simulator.simulator import Simulator
    from ..webhooks.arrival import Arrival
    from ..webhooks.compared_sides import BookSource
    from ..webhooks.equality_rules import Tolerance
    from ..webhooks.event import Event
    from ..webhooks.event_file import EventHistory
    from ..webhooks.inbox import Inbox, InboxFunctions
    from ..webhooks.polling import PolledList, Watch
    from ..webhooks.receiver import Handler, Receiver
    from ..webhooks.report import Reconciliation
    from ..webhooks.router import Router


Receivers = MutableMapping[str, Callable[..., int]]

UNREACHABLE = (
    "the service cannot reach this machine: pass port=PORT and the url=https://... of a"
    " tunnel to that port, or poll with lab.watch(router)"
)


def _operations_by_family(client: Client) -> dict[str, Any]:
    """The operations on the objects of events, such as `client.transfers`, by family of events."""
    return {
        "transfer": client.transfers,
        "conversion": client.conversions,
        "individual": client.individuals,
    }


def read_current(client: Client, family: str, row_id: str) -> Mapping[str, Any] | None:
    """The object of an event as the service sends it now; None if it has none that can be read."""
    operations = _operations_by_family(client).get(family)
    if operations is None or not row_id:
        return None
    try:
        sent_row: Mapping[str, Any] = operations.get(row_id).raw
    except NotFoundError:
        return None
    return sent_row


def _make_polled_list(client: Client, family: str, operations: Any) -> PolledList:
    """Make the description of a list to poll: how to read its pages, and one of its objects."""
    from ..webhooks.polling import PolledList

    # Not every service can read a single conversion.
    get_row = None if family == "conversion" else lambda row_id: operations.get(row_id).raw
    read_pages = operations.list(codes.PAGE_MAX).raw_pages
    list_order = client.session.lists.order(f"{family}s")
    return PolledList(family, read_pages, get_row, list_order, service=client.service)


def _make_inbox_functions(
    client: Client, subscription_id: str, stop_receiving: Callable[[], None]
) -> InboxFunctions:
    """Make the functions of an inbox: to wait, to read an object, to show it, and to close it."""
    from ..webhooks.inbox import InboxFunctions

    shown_views: list[Any] = []  # empty, or the only view

    def close() -> None:
        """Delete the subscription, and stop receiving and showing."""
        try:
            client.webhook_subscriptions.delete(subscription_id)
        except PaylabError:
            pass  # the service or the subscription no longer exists, or the lab was closed
        finally:
            stop_receiving()
            for view in shown_views:
                view.stop()

    def show(inbox: Inbox) -> Any:
        """Show one table for all displays of the inbox; update it while the inbox is open."""
        from ..views.inbox import InboxView

        if not shown_views:
            shown_views.append(InboxView(inbox, client.place()))
        if not inbox.is_open:
            shown_views[0].stop()
        return shown_views[0]

    return InboxFunctions(client.sleep, partial(read_current, client), show, close)


def _make_handler(
    router: Router | None, forward_to: str | None, signature_header: str
) -> Handler | None:
    """Make the function that handles an arrived event; None without a router and a URL.

    It calls the router, then sends the event, as it was signed, to the URL `forward_to`.
    """
    from ..webhooks.inbox import check_target, post_event
    from ..webhooks.receiver import UNANSWERED
    from ..webhooks.router import require_router

    if router is not None:
        require_router(router)
    target_url = check_target(forward_to) if forward_to else None
    if router is None and target_url is None:
        return None
    header_name = signature_header.lower()

    def handle_arrival(arrival: Arrival) -> int:
        """Handle an arrived event and forward it; return the status of the answer to it."""
        if router is not None:
            router.handle(arrival.event)
        if target_url is None:
            return 200
        headers = arrival.headers
        signature_headers = {header_name: headers[header_name]} if header_name in headers else {}
        return post_event(target_url, arrival.body, signature=signature_headers) or UNANSWERED

    return handle_arrival


def _listen(receiver: Receiver, port: int, url: str | None) -> tuple[str, Callable[[], None]]:
    """Receive on a loopback port; return its URL and a stop function."""
    from ..webhooks.port import Port  # only this inbox needs a server

    public_host = urlsplit(url).hostname if url else None
    started_port = Port(receiver, port, {public_host} if public_host else ()).start()
    return started_port.url, started_port.stop


def _receive_in_process(receivers: Receivers, receiver: Receiver) -> tuple[str, Callable[[], None]]:
    """Receive from the simulator in this process; return a new URL and a stop function."""
    candidate_urls = (f"http://localhost/inbox/{inbox_number}" for inbox_number in count(1))
    free_url = next(url for url in candidate_urls if url not in receivers)
    receivers[free_url] = receiver.deliver

    def stop() -> None:
        """Receive no more; a second call does nothing."""
        receivers.pop(free_url, None)

    return free_url, stop


@explain_arguments
class Webhooks:
    """The events of a lab: it receives, polls, lists and reconciles them.

    `embedded` is a simulator in this process, or None. `controls()` finds those of any simulator.
    """

    def __init__(
        self, client: Client, embedded: Simulator | None, controls: Callable[[], Controls | None]
    ) -> None:
        self._client = client
        self._receivers = None if embedded is None else embedded.delivery.local_receivers
        self._find_controls = controls
        self.inboxes: list[Inbox] = []

    def current(self, family: str, row_id: str) -> Mapping[str, Any] | None:
        """The object of an event as the service sends it now; None if it is not found."""
        return read_current(self._client, family, row_id)

    def events(self, resource_id: object = None) -> list[Event]:
        """The events that the simulator recorded: of one resource or its id, or all.

        A real service has no such record: the result is empty. OptionError for a type of event.

        >>> lab.events(transfer.id)
        []
        """
        controls = self._find_controls()
        if resource_id is None:
            return controls.events() if controls else []
        row_id = read_event_id(resource_id, is_simulator=controls is not None)
        return controls.events(row_id) if controls else []

    def inbox(  # noqa: PLR0913 - each has a default
        self,
        event_types: codes.EventType | str | Iterable[codes.EventType | str] = codes.EVENT_TYPES,
        *,
        router: Router | None = None,
        forward_to: str | None = None,
        path: str | PathLike[str] | None = None,
        port: int | None = None,
        url: str | None = None,
    ) -> Inbox:
        """Receive events from now on: a live table in a notebook, until it is closed.

        Events are passed to `router` or to the URL `forward_to`; if that fails, the service
        delivers again. `path` is a file to which events are appended, one per line; the inbox shows
        those that it already has. The inbox listens on a loopback `port` (no port for an embedded
        simulator); `url` is its public URL for a service elsewhere. One event type may be a text.

        >>> with lab.inbox(["transfer.completed"]) as inbox:  # doctest: +SKIP
        ...     inbox.wait(timeout=60)
        """
        from ..webhooks.event import Wrapper
        from ..webhooks.event_log import EventLog
        from ..webhooks.inbox import Inbox
        from ..webhooks.receiver import Receiver
        from ..webhooks.verification import make_signature_check

        subscribed_types = (event_types,) if isinstance(event_types, str) else tuple(event_types)
        client = self._client
        service = self._client.service
        if url is None and not is_local(client.settings):
            raise ConfigError(UNREACHABLE)
        event_log = EventLog(path, Wrapper.of(service))
        check_signature = make_signature_check(service, client.settings.secret_key)
        handler = _make_handler(router, forward_to, service.webhooks.signature_header)
        receiver = Receiver(event_log, client.clock, handler, check_signature)
        local_url, stop_receiving = self._start_receiving(receiver, port, url)
        try:
            subscription = client.webhook_subscriptions.create(url or local_url, subscribed_types)
        except BaseException:
            stop_receiving()
            raise
        inbox_functions = _make_inbox_functions(client, subscription.id, stop_receiving)
        try:
            event_log.start(subscription.created_at or client.clock())
        except OSError as error:
            inbox_functions.close()
            raise ConfigError(f"{path} cannot be written: {error}") from None
        inbox = Inbox(event_log, receiver, inbox_functions, local_url)
        self.inboxes.append(inbox)
        return inbox

    def _start_receiving(
        self, receiver: Receiver, port: int | None, url: str | None
    ) -> tuple[str, Callable[[], None]]:
        """Begin to receive; return the local URL and a stop function.

        A simulator in this process needs no port: one is opened only if `port` or `url` is given.
        """
        if self._receivers is not None and port is None and url is None:
            return _receive_in_process(self._receivers, receiver)
        require_sockets("an inbox with a port")
        return _listen(receiver, port or 0, url)

    def watch(self, router: Router, *, every: float = 5.0, since: datetime | None = None) -> Watch:
        """Poll every `every` real seconds and pass changes to a router, until `stop()`.

        Existing objects count as changed only if they were updated at or after `since`.
        Each round reads whole lists, unless the service's settings have `lists.order`.

        >>> lab.watch(router, every=30).stop()
        """
        from ..webhooks.polling import Watch
        from ..webhooks.router import require_router

        require_router(router)
        polled_lists = [
            _make_polled_list(self._client, event_family, operations)
            for event_family, operations in _operations_by_family(self._client).items()
        ]
        return Watch(polled_lists, router, every, since).start()

    def reconcile(  # noqa: PLR0913 - each has a default
        self,
        books: BookSource | None = None,
        *,
        events: Inbox | str | PathLike[str] | Iterable[Event] | None = None,
        columns: Mapping[str, str] | None = None,
        status_map: Mapping[str, str] | None = None,
        tolerance: Tolerance | None = None,
        window: timedelta | str | None = None,
        tz: str = "UTC",
        since: date | str | None = None,
        until: date | str | None = None,
        delimiter: str | None = None,
        decimal: str | None = None,
        date_format: str | None = None,
        sheet: str | None = None,
        database: object = None,
    ) -> Reconciliation:
        """Compare the transfers and conversions of the service with your books, events or both.

        `books` is a .csv, .xlsx, .parquet or .jsonl file, a frame, or a query of `database`, a URL,
        DuckDB file or SQLAlchemy engine. Rows are matched by id, else by reference, trimmed without
        case. `columns` names yours: `{"reference": "Invoice"}`; usual names are found. Columns that
        both have are compared, but not blank cells, references beside ids, lists without a row.

        `status_map={"settled": "completed"}` translates your words. `tolerance` is one amount or
        one per currency, `window="1 day"` that of dates, `tz` the time zone of your books.
        `since` and `until`, in that zone, are the period of payments that they must have, and of
        the totals. `delimiter`, the `decimal` mark and `date_format` are found if not given.

        `events` are an inbox, the file of one, or events. Without, those of the latest inbox of
        this lab are compared; without books and inbox, those that a simulator recorded.

        >>> lab.reconcile(lab.transfers.frame()).sides
        ('service', 'books')
        """
        from ..webhooks.reconciliation import reconcile
        from .lists import ListSource

        frames_by_family = {
            "transfer": ListSource(self._client.session, "transfers").frame(),
            "conversion": ListSource(self._client.session, "conversions").frame(),
        }
        return reconcile(
            frames_by_family,
            books,
            self._choose_events(events, has_books=books is not None),
            columns=columns,
            status_map=status_map,
            tolerance=tolerance,
            window=window,
            tz=tz,
            since=since,
            until=until,
            delimiter=delimiter,
            decimal=decimal,
            date_format=date_format,
            sheet=sheet,
            database=database,
            place=self._client.place(),
        )

    def _choose_events(self, events: Any, *, has_books: bool) -> EventHistory | None:
        """The events to compare: the passed ones, else of the latest inbox, else of a simulator.

        With books, events of a simulator are not compared. None if no events are compared.
        """
        from ..webhooks.arrivals import read_any_events, simulated_events
        from ..webhooks.event import Wrapper

        event_source = self.inboxes[-1] if events is None and self.inboxes else events
        if event_source is not None:
            return read_any_events(event_source, Wrapper.of(self._client.service))
        controls = None if has_books else self._find_controls()
        return None if controls is None else simulated_events(controls.events())
