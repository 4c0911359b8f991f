"""The lab: the service's operations, forms, calls and orders, and a simulator's controls."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from os import PathLike
from typing import TYPE_CHECKING, Any, Self, Unpack

from ..client.parameters import strict_keywords
from ..client.request import Options
from ..client.session_options import SessionOptions
from ..client.settings import GivenService, Settings, resolve
from ..errors.arguments import explain_arguments
from ..errors.names import with_name_suggestions
from ..errors.text import printable_lines
from ..files import path_of
from ..redaction.hiding import hide_frames
from ..spec.service.lists import Order
from . import parts
from .balance import Funds
from .inbox import Webhooks
from .place import Place, is_local
from .resources import LabConversionAccounts, LabConversions, LabIndividuals, LabQuotes
from .service_time import PROBE_PAUSE_SECONDS, LabClock
from .signatures import Signatures
from .transfers import LabTransfers

if TYPE_CHECKING:
    from ..client.recording import Recording
    from ..client.replay import Replay
    from ..client.resources.individuals import FinancialAccounts
    from ..client.resources.sandbox import Sandbox
    from ..client.resources.webhooks import WebhookSubscriptions
    from ..drift.drift import Drift
    from ..probe.report import Report
    from ..simulator.controls import Controls
    from ..simulator.credentials import ServedSimulator
    from ..simulator.simulator import Simulator
    from ..spec import codes
    from ..spec.resource import Resource
    from ..views.cards import Card
    from ..views.forms.live import LiveStatus
    from ..views.forms.objects import ObjectPage
    from ..views.forms.onramp import OnrampStepper
    from ..views.qr import QR
    from ..webhooks.event import Event
    from .forms import Forms
    from .objects import ObjectBrowser
    from .panel import Panel
    from .scenarios import ScenarioRunner


@with_name_suggestions
@explain_arguments
class Lab:
    """The operations of the service by resource, forms, and the record of calls.

    `simulator` has the controls of a simulator, and is None for a real service.
    """

    def __init__(
        self,
        settings: Settings,
        *,
        embedded: Simulator | None = None,
        replay: Replay | None = None,
        **options: Unpack[SessionOptions],
    ) -> None:
        lab_parts = parts.make_parts(settings, embedded, replay, options)
        self.client = client = lab_parts.client
        self._embedded = embedded
        self._locator = locator = lab_parts.locator
        self._service_time = lab_parts.service_time
        self._webhooks = webhooks = Webhooks(client, embedded, locator.find_controls)
        signatures = Signatures(client)
        self.settings = client.settings
        self.service = client.service
        self.sources = client.settings.sources
        self.calls = client.calls
        self.request = client.request
        self.clock = LabClock(client.clock)
        self.sleep = client.sleep
        self.inbox = webhooks.inbox
        self.watch = webhooks.watch
        self.events = webhooks.events
        self.reconcile = webhooks.reconcile
        self._funds = Funds(client, locator.find_controls)
        self.balance = self._funds.balance
        self.explain = signatures.explain
        self.compare = signatures.compare

    # Made when they are first used, because their models take long to import.
    individuals = cached_property(lambda lab: LabIndividuals(lab.client))
    financial_accounts: cached_property[FinancialAccounts] = cached_property(
        lambda lab: lab.client.financial_accounts
    )
    quotes = cached_property(lambda lab: LabQuotes(lab.client.quotes, lab.service))
    transfers = cached_property(lambda lab: LabTransfers(lab.client, is_embedded=lab.is_embedded))
    conversion_accounts = cached_property(lambda lab: LabConversionAccounts(lab.client))
    conversions = cached_property(lambda lab: LabConversions(lab.client))
    sandbox: cached_property[Sandbox] = cached_property(lambda lab: lab.client.sandbox)
    webhook_subscriptions: cached_property[WebhookSubscriptions] = cached_property(
        lambda lab: lab.client.webhook_subscriptions
    )

    @cached_property
    def _objects(self) -> ObjectBrowser:
        from .objects import ObjectBrowser

        return ObjectBrowser(self.client, lambda: str(self.place), self.events)

    @cached_property
    def forms(self) -> Forms:
        """A form for every step of the on-ramp and of a payout."""
        from .form_registry import FormRegistry
        from .forms import Forms

        registry = FormRegistry(lambda: str(self.place), self._objects.visit)
        readers = self._locator.find_controls, self._funds.find_simulated
        return Forms(self.client, self._service_time, registry, *readers)

    @cached_property
    def scenarios(self) -> ScenarioRunner:
        """The simulated outcomes: a card of buttons, and a function for each."""
        from .scenarios import ScenarioRunner

        return ScenarioRunner(self.client, self._locator, self.events, self.inbox)

    open: cached_property[Callable[[Resource | str], ObjectPage]] = cached_property(
        lambda lab: lab._objects.open
    )

    @cached_property
    def panel(self) -> Callable[..., Panel]:
        """Calls and events as they happen, to filter, explain and send again."""
        from .panel import Panels

        return Panels(self.client, self._embedded, self._webhooks, self._locator).panel

    onramp: cached_property[Callable[..., OnrampStepper]] = cached_property(
        lambda lab: lab.forms.onramp
    )
    status: cached_property[Callable[..., LiveStatus]] = cached_property(
        lambda lab: lab.forms.status
    )

    @property
    def is_embedded(self) -> bool:
        """Whether the service is a simulator inside this process."""
        return self._embedded is not None

    @property
    def simulator(self) -> Controls | None:
        """The simulator's controls; None for a real service.

        A service is asked whether it is a simulator only if its address is on this machine.
        """
        return self._locator.find_controls()

    @property
    def place(self) -> Place:
        """The kind of service: a simulator, a sandbox, another host, or a recording.

        A local address that has not answered yet is asked whether it is a simulator.
        """
        return self._locator.place

    def get(
        self, path: str, params: Mapping[str, Any] | None = None, **options: Unpack[Options]
    ) -> Any:
        """Send a signed GET to any path and return the decoded JSON of its answer.

        >>> lab.get("/v1/transfers", params={"limit": 1})["has_next_page"]
        True
        """
        return self.request("GET", path, params=params, **options)

    def post(self, path: str, json: object = None, **options: Unpack[Options]) -> Any:
        """Send a signed POST to any path and return the decoded JSON of its answer.

        >>> lab.post("/v1/quotes", json={})
        Traceback (most recent call last):
        paylab.errors.api.BadRequestError: 400 ...
        """
        return self.request("POST", path, json=json, **options)

    def record(self, to: str | PathLike[str]) -> Recording:
        """Write every call from now on to a HAR file, until `stop()` or the end of a `with` block.

        `paylab.connect(replay=...)` answers from it without keys, so that somebody else can run
        the same cells. Keys, signatures, document numbers and images are never written; names and
        account numbers are. An earlier recording with that name is replaced.

        >>> with lab.record("session.har"):
        ...     lab.transfers.list().first().status
        'completed'
        """
        from ..client.recording import Recording

        return Recording(to, self.client.session)

    def deposit_card(self, account: object) -> Card | QR:
        """A CLABE card or a QR code, from a conversion account, its id, or instructions.

        >>> lab.deposit_card(account).title
        'Pay to this CLABE'
        """
        from ..views.cards import deposit_card

        account = self.conversion_accounts.get(account) if isinstance(account, str) else account
        return deposit_card(account, str(self.place))

    def probe(
        self,
        *,
        write: bool = False,
        sandbox: bool = False,
        budget: int = 400,
        to: str | PathLike[str] | None = None,
        calls: str | PathLike[str] | None = None,
    ) -> Report:
        """Walk through the service as the notebooks do, and report what it does differently.

        It reads the lists. With `write` it also takes people through both on-ramps, pays one
        payout to each country and subscribes a webhook, in a proven sandbox only; `sandbox` says
        that you know that it is one. A refused request is sent again with one setting changed; what
        then succeeds is proven. `to` is the service.toml to write, with the proven differences;
        what was set by hand in an existing one stays. With `calls`, a HAR file, nothing is sent.

        >>> lab.probe().where("proven")
        ()
        """
        from ..probe.probe import probe_service

        pause_seconds = 0.0 if is_local(self.settings) else PROBE_PAUSE_SECONDS
        probe_options: dict[str, Any] = {"write": write, "sandbox": sandbox, "budget": budget}
        return probe_service(self.client, **probe_options, pace=pause_seconds, to=to, calls=calls)

    @property
    def drift(self) -> Drift:
        """The differences between this session's responses and the service's settings.

        Unknown fields, statuses, codes, headers, event types and types of values, with the first
        call of each that is still in `lab.calls`. No request is sent.
        """
        from ..drift.drift import find_drift

        inboxes = self._webhooks.inboxes
        type_and_call_pairs = ((arrival.event.type, None) for inbox in inboxes for arrival in inbox)
        return find_drift(self.calls, self.service, type_and_call_pairs)

    def trigger(
        self, event_type: codes.EventType | str, resource_id: object = None, *, to: str = ""
    ) -> list[Event]:
        """Make the simulator send an event, by legal moves; return it and those on the way.

        It is of a new resource, or one or its id: a conversion account gets a deposit. `to` is
        the status of an individual.

        >>> lab.trigger("transfer.completed")[-1].status
        'completed'
        """
        from .trigger import trigger

        return trigger(self, event_type, resource_id, to=to or None)

    def serve(self, *, host: str = "127.0.0.1", port: int = 0) -> ServedSimulator:
        """Serve the embedded simulator on a port, for clients outside this process.

        The server has its own random keys: its `api_key` and `secret_key`.

        >>> with lab.serve() as server:
        ...     server.base_url.startswith("http://127.0.0.1:")
        True
        """
        return parts.serve_embedded(self._embedded, host, port)

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
        if "sources" not in vars(self):
            return "Lab that is not connected"  # in the traceback of its own __init__
        lines = [f"  {name:<11}{text}  ({origin})" for name, text, origin in self.sources()]
        drift = [self.drift.line] if self.drift else []
        return printable_lines("\n".join([f"Lab: {self._locator.known.notice}", *lines, *drift]))


@hide_frames
@strict_keywords()
def connect(  # noqa: PLR0913 - each setting may be given, and each has a default
    base_url: str | None = None,
    api_key: str | None = None,
    secret_key: str | None = None,
    *,
    profile: str | None = None,
    simulator: Simulator | None = None,
    timeout: float | None = None,
    max_retries: int | None = None,
    list_order: Order | None = None,
    read_only: bool | None = None,
    replay: str | PathLike[str] | None = None,
    service: GivenService | None = None,
    control_token: str | None = None,
) -> Lab:
    """Connect to the service: arguments, then environment, then profile, else a simulator.

    If nothing is configured, the service is simulated inside this process, without sockets,
    threads or keys. ConfigError if only some are given, or some beside `simulator` or `replay`.
    `service` describes where your service differs from paylab's assumptions: the path of a
    service.toml, values or a Service. An embedded simulator follows it too.
    `list_order="newest_first"` is short for `lists.order` in it: `since`, `Dataset.sync` and
    `watch` then stop at known rows; otherwise they read whole lists, except simulated ones.
    With `read_only=True` only GETs are sent: any other request raises ReadOnlyError.
    `replay` is a HAR file of `lab.record`, `lab.calls.har` or another program: all responses come
    from it. One of a lab also has its assumptions. No service or key is used.
    `control_token` is that of a simulator, which `paylab simulator --json` prints: the controls of
    `lab.simulator` send it instead of a signature.

    >>> paylab.connect().place.kind
    'embedded'
    """
    connection_arguments = base_url, api_key, secret_key, profile
    parts.refuse_service_in_browser(*connection_arguments, control_token)
    parts.set_log_level()
    parts.warn_of_ledger()
    options: dict[str, Any] = {"timeout": timeout, "max_retries": max_retries}
    order_setting = {"lists.order": list_order} if list_order else {}
    if replay is not None:
        parts.check_replay(simulator, *connection_arguments, control_token)
        return Lab(**parts.make_replay_parts(path_of(replay), service), **options)
    if simulator is None:
        settings = resolve(
            *connection_arguments, read_only=read_only, service=service, control_token=control_token
        )
        if settings is not None:
            return Lab(parts.complete_settings(settings, order_setting), **options)
    parts.refuse_ignored_settings(*connection_arguments, control_token)
    return Lab(**parts.make_embedded_parts(simulator, service, order_setting, read_only), **options)
