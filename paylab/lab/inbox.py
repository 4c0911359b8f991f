"""Where an inbox meets the lab: its way in, its subscription, what it looks up and how it shows."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from ..client.api import Client
from ..errors import ConfigError, NotFoundError, PaylabError
from ..loopback import is_loopback
from ..spec import codes
from ..webhooks.event import Wrapper
from ..webhooks.inbox import Inbox, InboxFunctions, check_target, post_event
from ..webhooks.polling import PolledList
from ..webhooks.receiver import UNANSWERED, Receiver, Then
from ..webhooks.router import Router
from ..webhooks.store import Arrival, EventStore

if TYPE_CHECKING:
    from ..simulator.simulator import Simulator


READ: Mapping[str, Callable[[Client, str], Any]] = {
    "transfer": lambda client, row_id: client.transfers.get(row_id),
    "conversion": lambda client, row_id: client.conversions.by_id(row_id),
    "individual": lambda client, row_id: client.individuals.get(row_id),
}


@dataclass(frozen=True)
class Wish:
    """What an inbox was asked to be; `lab.inbox` says what each means."""

    event_types: tuple[str, ...]
    router: Router | None = None
    forward_to: str | None = None
    data: str | None = None
    port: int | None = None
    url: str | None = None


def sources(client: Client) -> list[PolledList]:
    """Everything that events speak of."""
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
    """Start to receive, then subscribe; closing goes the other way."""
    _must_be_reachable(client, wish.url)
    store = EventStore(wish.data, Wrapper.of(client.service))
    receiver = Receiver(store, client.clock, _then(wish))
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
            pass  # the service is gone, or the subscription: nothing is sent here any more
        finally:
            shut()
            for view in views:
                view.stop()

    views: list[Any] = []

    def show(inbox: Inbox) -> Any:
        """One table, however often the inbox is displayed; it follows an open inbox alone."""
        views.extend([_view(inbox)] if not views else [])
        if not inbox.is_open:
            views[0].stop()
        return views[0]

    doors = InboxFunctions(
        client.sleep, lambda family, row_id: current(client, family, row_id), show, close
    )
    return Inbox(store, receiver, doors, url, since=subscription.created_at)


def _then(wish: Wish) -> Then | None:
    """What else happens to an event: the router's handler, then the user's own address."""
    target = check_target(wish.forward_to) if wish.forward_to else None
    if wish.router is None and target is None:
        return None

    def then(arrival: Arrival) -> int:
        if wish.router is not None:
            wish.router.handle(arrival.event)
        return 200 if target is None else post_event(target, arrival.body) or UNANSWERED

    return then


def current(client: Client, family: str, row_id: str) -> Mapping[str, Any] | None:
    """What the service says of a resource now, as it was sent; None when it cannot be found."""
    look = READ.get(family)
    try:
        found = look(client, row_id) if look and row_id else None
    except NotFoundError:
        return None
    return found.raw if found is not None else None


def _way_in(
    embedded: Simulator | None, receiver: Receiver, wish: Wish
) -> tuple[str, Callable[[], None]]:
    """Where events come in, and how to shut it: a door in this process, or a loopback port."""
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
    """A service elsewhere cannot reach a port of this machine's own."""
    if url is not None or is_loopback(urlsplit(client.settings.base_url).hostname or ""):
        return
    raise ConfigError(
        "the service cannot reach this machine: give port=PORT and url=https://... that leads"
        " there through a tunnel of yours, or poll with lab.watch(router)"
    )


def _view(inbox: Inbox) -> Any:
    from ..views.inbox import InboxView

    return InboxView(inbox)
