"""The lab: the service's operations, forms, calls and orders, and a simulator's controls."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from datetime import datetime
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self
from urllib.parse import urlsplit

from ..client import Client
from ..client.call import Call
from ..client.calls import Broadcast
from ..client.settings import Settings
from ..errors import ConfigError
from ..payments.ledger import Ledger
from ..signing.comparison import compare
from ..signing.explain import Explanation
from ..signing.findings import Finding, SignedRequest
from ..simulator.controls import Controls
from ..simulator.messages import PRODUCT
from ..spec import codes
from ..spec.models import Conversion, Deposit, Individual, Transfer
from ..spec.names import public_names, suggest
from ..spec.service import Service
from ..webhooks.event import Event
from ..webhooks.router import Router
from . import displays
from .forms import Forms
from .orders import Orders, Where
from .place import Place, find_controls, place_of
from .resources import (
    LabConversionAccounts,
    LabConversions,
    LabIndividuals,
    LabQuotes,
    LabTransfers,
)
from .service_time import ServiceTime
from .steps import Step, watch_cells

if TYPE_CHECKING:
    import pandas as pd

    from ..client.recording import Recording
    from ..client.replay import Replay
    from ..probe.drift import Drift
    from ..probe.report import Report
    from ..simulator.server import Server
    from ..simulator.simulator import Simulator
    from ..views.cards import Card
    from ..views.forms.live import Live
    from ..views.forms.onramp import Walk
    from ..webhooks.inbox import Inbox
    from ..webhooks.polling import Watch
    from ..webhooks.report import Reconciliation


class Lab:
    """The operations of the service by resource, forms, the record of calls and the ledger.

    `simulator` has the controls of a simulator, and is None for a real service.
    """

    if not TYPE_CHECKING:
        __getattr__, __dir__ = suggest, public_names

    def __init__(
        self,
        settings: Settings,
        *,
        embedded: Simulator | None = None,
        replay: Replay | None = None,
        ledger: Where = None,
        **options: Any,
    ) -> None:
        in_process = embedded is not None or replay is not None
        self.client = client = Client(settings, **options)
        self._embedded, self._replay = embedded, replay
        self._controls: Controls | None = None
        self._inboxes: list[Inbox] = []
        pause = (lambda _: None) if replay else time.sleep  # no waits in a replay
        self._time = ServiceTime(client, lambda: self.simulator, in_process=in_process, pause=pause)
        self._orders = Orders(client, self._time, ledger, in_process=in_process)
        client.sleep, client.keeper = self._time.sleep, self._orders
        client.is_own = embedded is not None and embedded.world.service == client.service
        if replay is None:
            host = "embedded" if embedded else urlsplit(settings.base_url).netloc
            client.watchers.append(Broadcast(client.redaction, host))
        self.individuals = LabIndividuals(client)
        self.financial_accounts = client.financial_accounts
        self.conversion_accounts, self.sandbox = LabConversionAccounts(client), client.sandbox
        self.webhook_subscriptions = client.webhook_subscriptions
        self.quotes = LabQuotes(client.quotes, client.service)
        self.transfers = LabTransfers(client, embedded)
        self.conversions = LabConversions(client)
        client.place = client.calls.place = lambda: str(self.place)
        self.forms = Forms(client, self._time)
        self.calls, self.request = client.calls, client.request
        self.clock, self.sleep = client.clock, client.sleep
        self.calls.screen = displays.on_screen
        displays.register_displays()
        client.wait_shown = displays.wait_shown
        watch_cells()

    @property
    def is_embedded(self) -> bool:
        """Whether the service is a simulator inside this process."""
        return self._embedded is not None

    @property
    def settings(self) -> Settings:
        """Base URL, keys and limits; secrets are hidden."""
        return self.client.settings

    @property
    def service(self) -> Service:
        """The assumptions in use: a table of values, defaults and origins."""
        return self.client.service

    @property
    def ledger(self) -> Ledger | None:
        """The order ledger: the payments and their idempotency keys; None without a ledger."""
        return self._orders.ledger

    @property
    def simulator(self) -> Controls | None:
        """The simulator's controls; None for a real service.

        A service is asked whether it is a simulator only if its address is on this machine.
        """
        if self._controls is None:
            self._controls = self._find_controls()
        return self._controls

    def _find_controls(self) -> Controls | None:
        if self._embedded or (self._replay and self._replay.has_controls):
            return Controls(self.client.request)
        if self._replay:
            return None
        return find_controls(self.settings, self.client.watchers, self._time.was_moved)

    @property
    def place(self) -> Place:
        """The kind of service: a simulator, a sandbox, another host, or a recording."""
        if self._replay:
            return Place("recording", self.settings.base_url, self._replay.path.name)
        return place_of(self.settings, embedded=self.is_embedded, simulated=self._is_simulated)

    def _is_simulated(self) -> bool:
        """Whether a local address is a simulator, by its earlier answers or a request."""
        product = self.client.delivery.product
        return self.simulator is not None if product is None else product == PRODUCT

    def record(self, to: str | PathLike[str]) -> Recording:
        """Write every call from now on to a file, until `stop()` or the end of a `with` block.

        `paylab.connect(replay=...)` answers from it without keys, so that somebody else can run
        the same cells. Keys, signatures, document numbers and images are never written; names and
        account numbers are. An existing file is continued; a replay uses its last run.

        >>> with lab.record("session.calls"):
        ...     lab.transfers.list().first().status
        'completed'
        """
        from ..client.recording import Recording

        return Recording(to, self.client)

    def step(self, title: str) -> Step:
        """A `with` block that is skipped, with a message, if the service has no such operation.

        DeferredCall blocks that use its results are skipped too. Any other error ends the cell.

        >>> with lab.step("Read the transfers"):
        ...     first = lab.transfers.list().first()
        """
        return Step(title)

    def explain(self, call: Call | None = None) -> Explanation:
        """The layers of a call's signature, line by line; by default of the latest call.

        >>> "x-nonce" in repr(lab.explain())
        True
        """
        return (call or self.calls[-1]).explain()

    def compare(
        self, theirs: Mapping[str, str] | str, method: str, url: str, body: bytes = b""
    ) -> Finding:
        """Compare another program's headers with the right ones, using the secret of this lab.

        >>> headers = lab.calls[-1].request_headers
        >>> lab.compare(headers, "GET", "/v1/transfers")  # doctest: +SKIP
        """
        whole = url if urlsplit(url).netloc else self.settings.base_url + url
        request = SignedRequest(method.upper(), whole, body)
        secret, signing = self.settings.secret_key.reveal(), self.client.service.signing
        return compare(theirs, request, secret, now=self.clock(), signing=signing)

    def onramp(
        self,
        country: str = "MX",
        individual_id: str | None = None,
        *,
        example: bool = False,
        consent: bool = False,
        new: bool = False,
    ) -> Walk:
        """The whole on-ramp as one stepper; `individual_id` continues with a person that exists.

        `example=True` fills in every step: three clicks show a QR code or a CLABE.
        `consent=True` records consent when `submit()` is called without a click.

        >>> lab.onramp("PH", example=True)  # doctest: +SKIP
        """
        return self.forms.onramp(country, individual_id, example=example, consent=consent, new=new)

    def status(self, of: Individual | Deposit | Conversion | Transfer | str) -> Live:
        """A live status of an individual, a deposit or a transfer.

        >>> "completed" in repr(lab.status(transfer))
        True
        """
        return self.forms.status(of)

    def deposit_card(self, account: Any) -> Card:
        """A CLABE card or a QR code, from a conversion account, its id, or instructions.

        >>> lab.deposit_card(account).title
        'Pay to this CLABE'
        """
        from ..views.cards import deposit_card

        account = self.conversion_accounts.get(account) if isinstance(account, str) else account
        card = deposit_card(getattr(account, "deposit_instructions", None) or account)
        card.where = str(self.place)
        return card

    def events(self, resource_id: str | None = None) -> list[Event]:
        """The events that the simulator recorded, of one resource or all.

        Empty for a real service, which sends events to webhook subscriptions only.

        >>> lab.events(transfer.id)
        []
        """
        return self.simulator.events(resource_id) if self.simulator else []

    def inbox(  # noqa: PLR0913 - each has a default
        self,
        event_types: Iterable[str] = codes.EVENT_TYPES,
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

        >>> with lab.inbox(["transfer.completed"]) as inbox:  # doctest: +SKIP
        ...     inbox.wait(1)
        """
        from .inbox import Wish, open_inbox

        wish = Wish(tuple(event_types), router, forward_to, data, port, url)
        inbox = open_inbox(self.client, self._embedded, wish)
        self._inboxes.append(inbox)
        return inbox

    def watch(self, router: Router, *, every: float = 5.0, since: datetime | None = None) -> Watch:
        """Poll every `every` real seconds and pass changes to a router, until `stop()`.

        Existing objects count as changed only if they were updated at or after `since`.
        Each round reads whole lists, unless the service's settings have `lists.order`.

        >>> lab.watch(router, every=30).stop()
        """
        from ..webhooks.polling import Watch
        from .inbox import sources

        return Watch(sources(self.client), router, every, since).start()

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

        known = self._inboxes[-1] if events is None and self._inboxes else events
        lists = {"transfer": self.transfers, "conversion": self.conversions}
        simulated = self.simulator.events if self.simulator else None
        result = reconcile(lists, known, references, simulated)
        result.place = str(self.place)
        return result

    def probe(
        self,
        *,
        write: bool = False,
        budget: int = 150,
        to: str | PathLike[str] | None = None,
        calls: str | PathLike[str] | None = None,
    ) -> Report:
        """Check the assumptions against the service, with at most `budget` requests.

        It reads, and sends requests that must be refused. With `write` it also creates synthetic
        objects in a sandbox. The report says for every assumption whether it holds. `to` is the
        service.toml to write; an interrupted run continues from it. With `calls`, a HAR file,
        nothing is sent.

        >>> lab.probe(budget=20)  # doctest: +SKIP
        """
        from .probe import probe

        files = [Path(each) if each is not None else None for each in (to, calls)]
        options = {"to": files[0], "calls": files[1]}
        return probe(self.client, self.place, write=write, budget=budget, **options)

    @property
    def drift(self) -> Drift:
        """The differences between this session's responses and the service's settings.

        Unknown fields, statuses, codes, headers, event types and types of values, with the first
        call of each that is still in `lab.calls`. No request is sent.
        """
        from .probe import drift

        return drift(self.client, self._inboxes)

    def serve(self, *, host: str = "127.0.0.1", port: int = 0) -> Server:
        """Serve the embedded simulator on a port, for clients outside this process.

        The server has its own random keys: its `api_key` and `secret_key`.

        >>> with lab.serve() as server:
        ...     server.base_url.startswith("http://127.0.0.1:")
        True
        """
        if self._embedded is None:
            raise ConfigError("only an embedded simulator can be served: this lab has a base URL")
        from ..simulator.server import Server
        from ..simulator.simulator import random_keys

        return Server(self._embedded, host=host, port=port, keys=random_keys()).start()

    def sources(self) -> list[tuple[str, str, str]]:
        """Each setting, its value (secrets hidden) and its source.

        >>> lab.sources()[0]
        ('base_url', 'http://localhost', 'embedded simulator')
        """
        settings = self.settings
        shown = {"base_url": settings.base_url, "api_key": "***", "secret_key": "***"}
        shown |= {"read_only": "yes"} if settings.read_only else {}
        return [(name, value, settings.where.get(name, "")) for name, value in shown.items()]

    def close(self) -> None:
        """Close the connections.

        >>> lab.close()
        """
        self.client.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        rows = [f"  {name:<11}{value}  ({source})" for name, value, source in self.sources()]
        drift = [self.drift.line] if self.calls and self.drift else []
        return "\n".join([f"Lab on {self.place}", *rows, *drift])
