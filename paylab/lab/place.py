"""The kind of service a lab is connected to: simulator, sandbox, other host, or recording."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Literal
from urllib.parse import urlsplit

from ..client.base_url import PROXY_PRODUCT, is_sandbox_host, read_proxied_host
from ..client.request import CONTROLS
from ..client.settings import Settings
from ..errors.base import PaylabError
from ..errors.names import with_name_suggestions
from ..errors.text import printable
from ..light_dataclass import light_dataclass
from ..loopback import is_loopback
from ..simulator.messages import PRODUCT

if TYPE_CHECKING:
    from ..client.exchange import Exchange
    from ..client.replay import Replay
    from ..simulator.clock_panel import ClockPanel
    from ..simulator.controls import Controls
    from ..simulator.fault_controls import SendControl

Kind = Literal["embedded", "shared", "sandbox", "other", "unanswered", "recording"]
"""The kind of a service. "other" may move real money; "unanswered" is an address on this machine
that has not answered yet."""

ANSWER_SECONDS = 2.0


@with_name_suggestions
@light_dataclass(frozen=True)
class Place:
    """The kind and address of a service; its text is the badge on results.

    With a `proxied_host`, the address is the address of a proxy before that host.
    """

    kind: Kind
    base_url: str
    file: str = ""
    proxied_host: str = ""

    @property
    def is_simulator(self) -> bool:
        """Whether the service is a simulator."""
        return self.kind in ("embedded", "shared")

    @property
    def may_be_live(self) -> bool:
        """Whether the service may move real money: nothing says that it does not."""
        return self.kind in ("other", "unanswered")

    @property
    def notice(self) -> str:
        """The badge, and why it is that one if its name does not say so."""
        reason_text = _REASONS.get(self.kind)
        return f"{self}: {reason_text}" if reason_text else str(self)

    def __str__(self) -> str:
        """The text of the badge, such as "SANDBOX (sandbox.example.com)"."""
        host = urlsplit(self.base_url).netloc
        if self.proxied_host:
            host = f"{self.proxied_host}, through {host}"
        text_by_kind: dict[Kind, str] = {
            "embedded": "SIMULATOR (embedded)",
            "shared": f"SIMULATOR (shared, {host})",
            "sandbox": f"SANDBOX ({host})",
            "recording": f"RECORDING ({self.file})",
            "unanswered": f"NO ANSWER YET ({host})",
            "other": f"MAY MOVE REAL MONEY ({host})",
        }
        return printable(text_by_kind[self.kind])


_REASONS: dict[Kind, str] = {
    "embedded": "PAYLAB_BASE_URL is not set",
    "unanswered": "its first answer tells whether it is a simulator",
    "other": "it is no simulator, and nothing before the domain of its host says sandbox",
}
"""Why a service has its badge."""


def place_of_url(base_url: str) -> Place:
    """The kind of service that an address tells; nothing is sent."""
    return Place(_kind_of_host(base_url), base_url)


def _kind_of_host(base_url: str) -> Kind:
    """The kind of a service that has not answered yet, by its host."""
    if is_loopback(urlsplit(base_url).hostname or ""):
        return "unanswered"
    return "sandbox" if is_sandbox_host(base_url) else "other"


def is_local(settings: Settings) -> bool:
    """Whether the service is on this machine."""
    return is_loopback(urlsplit(settings.base_url).hostname or "")


class ServiceLocator:
    """The place of a lab's service, and the controls found there.

    `make_control_sender` makes the function that sends requests to the controls of a simulator.
    `embedded` is whether the service is a simulator in this process; `replay` is the recording
    that answers in its place, or None.
    """

    def __init__(
        self,
        settings: Settings,
        make_control_sender: Callable[[], SendControl],
        *,
        embedded: bool = False,
        replay: Replay | None = None,
    ) -> None:
        """Start without controls; they are looked for on first use, not here."""
        self._settings = settings
        self._make_control_sender = make_control_sender
        self._embedded = embedded
        self._replay = replay
        self._controls: Controls | None = None
        self._has_asked = False
        self._server_product: str | None = None
        self._proxied_host = ""

    def note_product(self, exchange: Exchange) -> None:
        """Note the product in the Server header of an answer, and the host in its Via header.

        Once a service has named itself, the name of a proxy in front of it is not noted.
        """
        if not exchange.status:  # there is no answer
            return
        self._proxied_host = read_proxied_host(exchange.headers)
        product_name = exchange.headers.get("server", "")
        if self._server_product is None or product_name != PROXY_PRODUCT:
            self._server_product = product_name

    def find_controls(self) -> Controls | None:
        """The simulator's controls; None for a real service.

        A service on this machine is asked whether it is a simulator.
        """
        if self._controls is None:
            self._has_asked = True
            self._controls = self._find_simulator_controls()
        return self._controls

    def find_controls_once(self) -> Controls | None:
        """The same for a wait: an address is asked again only if its answers name a simulator."""
        if self._has_asked and self._controls is None and self._server_product != PRODUCT:
            return None
        return self.find_controls()

    def find_clock(self) -> ClockPanel | None:
        """The clock of a simulator; None for a real service, which is not asked again."""
        controls = self.find_controls_once()
        return None if controls is None else controls.clock

    def _find_simulator_controls(self) -> Controls | None:
        """The controls of a simulator; None for a service that does not answer as one."""
        from ..simulator.controls import Controls

        if self._embedded or (self._replay and self._replay.has_controls):
            return Controls(self._make_control_sender(), self._settings.service)
        # No request is sent to an address on another machine.
        if self._replay or not is_local(self._settings):
            return None
        send_control_request = self._make_control_sender()
        answer_seconds = min(self._settings.timeout, ANSWER_SECONDS)
        try:
            simulator_summary = send_control_request("GET", CONTROLS, timeout=answer_seconds)
        except PaylabError:
            return None
        is_simulator = isinstance(simulator_summary, Mapping) and "clock" in simulator_summary
        return Controls(send_control_request, self._settings.service) if is_simulator else None

    @property
    def place(self) -> Place:
        """The kind of service; a local address that has not answered yet is asked."""
        if self._server_product is None and not self._replay:
            self.find_controls()  # `note_answer` gets the product from the answer
        return self.known

    @property
    def known(self) -> Place:
        """The kind of service as far as earlier answers tell; no request is sent."""
        settings = self._settings
        if self._replay:
            return Place("recording", settings.base_url, self._replay.path.name)
        if self._embedded:
            return Place("embedded", settings.base_url)
        # A proxy's answer about the service behind it counts only if the proxy is on this machine.
        proxied_host = self._proxied_host if is_local(settings) else ""
        service_url = f"https://{proxied_host}" if proxied_host else settings.base_url
        has_simulator = self._controls is not None or self._server_product == PRODUCT
        place_kind = _kind_of_host(service_url)
        if is_local(settings) and has_simulator:
            place_kind = "shared"
        elif place_kind == "unanswered" and self._server_product is not None:
            place_kind = "other"
        return Place(place_kind, settings.base_url, proxied_host=proxied_host)
