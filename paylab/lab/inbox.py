"""The events of a lab: an inbox, polling, reconciliation, and lookups of their objects."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from os import PathLike
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from ..client import Client
from ..errors import ConfigError, NotFoundError, PaylabError
from ..loopback import is_loopback
from ..spec import codes
from ..webhooks.event import Wrapper
from ..webhooks.inbox import Inbox, InboxFunctions, check_target, post_event
from ..webhooks.polling import PolledList
from ..webhooks.receiver import UNANSWERED, Receiver, Then, signature_check
from ..webhooks.router import Router
from ..webhooks.store import Arrival, EventStore

if TYPE_CHECKING:
    import pandas as pd

    from ..simulator.controls import Controls
    from ..simulator.simulator import Simulator
    from ..webhooks.event import Event
    from ..webhooks.polling import Watch
    from ..webhooks.report import Reconciliation

READ: Mapping[str, Callable[[Client, str], Any]] = {
    "transfer": lambda client, row_id: client.transfers.get(row_id),
    "conversion": lambda client, row_id: client.conversions.by_id(row_id),
    "individual": lambda client, row_id: client.individuals.get(row_id),
}


@dataclass(frozen=True)
class Wish:
    """The arguments of `lab.inbox`, which describes them."""

    event_types: tuple[str, ...]
    router: Router | None = None
    forward_to: str | None = None
    data: str | None = None
    port: int | None = None
    url: str | None = None


def sources(client: Client) -> list[PolledList]:
    """The resources that events are about."""
    size, order = codes.PAGE_MAX, client.order
    transfers, individuals = client.transfers, client.individuals
    return [
        PolledList(
            "transfer",
            transfers.list(size).raw_pages,
            lambda row: transfers.get(row).raw,
            order("transfers"),
        ),
        PolledList(
            "conversion", client.conversions.list(size).raw_pages, order=order("conversions")
        ),
        PolledList(
            "individual",
            individuals.list(size).raw_pages,
            lambda row: individuals.get(row).raw,
            order("individuals"),
        ),
    ]


def open_inbox(client: Client, embedded: Simulator | None, wish: Wish) -> Inbox:
    """Start to receive, then subscribe; closing does the reverse."""
    _must_be_reachable(client, wish.url)
    store = EventStore(wish.data, Wrapper.of(client.service))
    check = signature_check(client.service, client.settings.secret_key)
    then = _then(wish, client.service.webhooks.signature_header)
    receiver = Receiver(store, client.clock, then, check)
    url, shut = _way_in(embedded, receiver, wish)
    try:
        subscription = client.webhook_subscriptions.create(wish.url or url, wish.event_types)
    except BaseException:
        shut()
        raise

    def close() -> None:
        try:
            client.webhook_subscriptions.delete(subscription.id)
        except PaylabError:
            pass  # the service or the subscription no longer exists: nothing to delete
        finally:
            shut()
            for view in views:
                view.stop()

    views: list[Any] = []

    def show(inbox: Inbox) -> Any:
        """Show one table for all displays of the inbox; update it while the inbox is open."""
        views.extend([_view(inbox, client.place())] if not views else [])
        if not inbox.is_open:
            views[0].stop()
        return views[0]

    doors = InboxFunctions(
        client.sleep, lambda family, row_id: current(client, family, row_id), show, close
    )
    return Inbox(store, receiver, doors, url, since=subscription.created_at)


def _then(wish: Wish, signature: str) -> Then | None:
    """Handle an event: call the router, then forward it, as it was signed, to the user's URL."""
    target = check_target(wish.forward_to) if wish.forward_to else None
    if wish.router is None and target is None:
        return None
    header = signature.lower()

    def then(arrival: Arrival) -> int:
        if wish.router is not None:
            wish.router.handle(arrival.event)
        if target is None:
            return 200
        signed = {name: sent for name, sent in arrival.headers.items() if name == header}
        return post_event(target, arrival.body, signature=signed) or UNANSWERED

    return then


def current(client: Client, family: str, row_id: str) -> Mapping[str, Any] | None:
    """The current resource as the service sent it; None if it is not found."""
    look = READ.get(family)
    try:
        found = look(client, row_id) if look and row_id else None
    except NotFoundError:
        return None
    return found.raw if found is not None else None


def _way_in(
    embedded: Simulator | None, receiver: Receiver, wish: Wish
) -> tuple[str, Callable[[], None]]:
    """Receive in this process or on a loopback port; return the URL and a stop function."""
    if embedded is not None and wish.port is None and wish.url is None:
        return _door(embedded, receiver)
    from ..webhooks.receiver import Port

    outside = urlsplit(wish.url).hostname if wish.url else None
    port = Port(receiver, wish.port or 0, {outside} if outside else ()).start()
    return port.url, port.stop


def _door(embedded: Simulator, receiver: Receiver) -> tuple[str, Callable[[], None]]:
    doors = embedded.courier.doors
    number = next(number for number in range(1, len(doors) + 2) if _named(number) not in doors)
    doors[_named(number)] = receiver.deliver
    return _named(number), lambda: doors.pop(_named(number), None) and None


def _named(number: int) -> str:
    return f"http://localhost/inbox/{number}"


def _must_be_reachable(client: Client, url: str | None) -> None:
    """ConfigError if the service is on another machine and no public URL is given."""
    if url is not None or is_loopback(urlsplit(client.settings.base_url).hostname or ""):
        return
    raise ConfigError(
        "the service cannot reach this machine: pass port=PORT and the url=https://... of a"
        " tunnel to that port, or poll with lab.watch(router)"
    )


def _view(inbox: Inbox, place: str) -> Any:
    from ..views.inbox import InboxView

    return InboxView(inbox, place)


class Webhooks:
    """What a lab does with events: receive, poll, list and reconcile them.

    `controls()` returns the simulator's controls, or None for a real service.
    """

    def __init__(
        self, client: Client, embedded: Simulator | None, controls: Callable[[], Controls | None]
    ) -> None:
        self._client, self._embedded, self._controls = client, embedded, controls
        self.inboxes: list[Inbox] = []

    def events(self, resource_id: str | None = None) -> list[Event]:
        """The events that the simulator recorded, of one resource or all.

        Empty for a real service, which sends events to webhook subscriptions only.

        >>> lab.events(transfer.id)
        []
        """
        return controls.events(resource_id) if (controls := self._controls()) else []

    def inbox(  # noqa: PLR0913 - each has a default
        self,
        event_types: str | Iterable[str] = codes.EVENT_TYPES,
        *,
        router: Router | None = None,
        forward_to: str | None = None,
        data: str | None = None,
        port: int | None = None,
        url: str | None = None,
    ) -> Inbox:
        """Receive events from now on: a live table in a notebook, until it is closed.

        Events are passed to `router` or to the URL `forward_to`; if that fails, the service
        delivers again. `data` is a file that stores events. The inbox listens on a loopback `port`
        (no port for an embedded simulator); `url` is its public URL for a service elsewhere.
        One event type may be given as text.

        >>> with lab.inbox(["transfer.completed"]) as inbox:  # doctest: +SKIP
        ...     inbox.wait(timeout=60)
        """
        types = (event_types,) if isinstance(event_types, str) else tuple(event_types)
        wish = Wish(types, router, forward_to, data, port, url)
        inbox = open_inbox(self._client, self._embedded, wish)
        self.inboxes.append(inbox)
        return inbox

    def watch(self, router: Router, *, every: float = 5.0, since: datetime | None = None) -> Watch:
        """Poll every `every` real seconds and pass changes to a router, until `stop()`.

        Existing objects count as changed only if they were updated at or after `since`.
        Each round reads whole lists, unless the service's settings have `lists.order`.

        >>> lab.watch(router, every=30).stop()
        """
        from ..webhooks.polling import Watch

        return Watch(sources(self._client), router, every, since).start()

    def reconcile(
        self,
        references: str | PathLike[str] | pd.DataFrame | None = None,
        *,
        events: Inbox | str | PathLike[str] | Iterable[Event] | None = None,
    ) -> Reconciliation:
        """Compare transfers and conversions in the list, in events and in your own CSV or frame.

        By default the events are those of the latest inbox, or of the simulator. You can pass
        events, or a file with one event per line, as `inbox.save` writes it.

        >>> "transfer" in repr(lab.reconcile())
        True
        """
        from ..webhooks.report import reconcile

        known = self.inboxes[-1] if events is None and self.inboxes else events
        lists = {"transfer": self._client.transfers, "conversion": self._client.conversions}
        simulated = controls.events if (controls := self._controls()) else None
        result = reconcile(lists, known, references, simulated)
        result.place = self._client.place()
        return result
