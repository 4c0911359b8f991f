"""The kind of service a lab is connected to: simulator, sandbox, other host, or recording."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import urlsplit

from ..client.base_url import is_sandbox_host
from ..client.sender import Sender
from ..client.settings import Settings
from ..errors.base import PaylabError
from ..errors.text import printable
from ..light_dataclass import light_dataclass
from ..loopback import is_loopback
from ..simulator.messages import PRODUCT

if TYPE_CHECKING:
    from ..client.replay import Replay
    from ..simulator.controls import Controls

Kind = Literal["embedded", "shared", "sandbox", "other", "recording"]

ANSWER_SECONDS = 2.0


@light_dataclass(frozen=True)
class Place:
    """The kind and address of a service; its text is the badge on results."""

    kind: Kind
    base_url: str
    file: str = ""

    @property
    def is_simulator(self) -> bool:
        """Whether the service is a simulator."""
        return self.kind in ("embedded", "shared")

    @property
    def notice(self) -> str:
        """A sentence for the terminal."""
        if self.kind == "embedded":
            return "using the embedded simulator: no PAYLAB_BASE_URL is set"
        if self.kind == "recording":
            return f"answering from the recording {self.file}"
        named = {"shared": "simulator", "sandbox": "sandbox"}.get(self.kind, "service")
        return f"using the {named} at {self.base_url}"

    def __str__(self) -> str:
        host = urlsplit(self.base_url).netloc
        shown = {
            "embedded": "SIMULATOR (embedded)",
            "shared": f"SIMULATOR (shared, {host})",
            "sandbox": f"SANDBOX ({host})",
            "recording": f"RECORDING ({self.file})",
        }
        return printable(shown.get(self.kind, host))


def is_local(settings: Settings) -> bool:
    """Whether the service is on this machine."""
    return is_loopback(urlsplit(settings.base_url).hostname or "")


class Whereabouts:
    """The place of a lab's service, and the controls found there.

    `sender()` is the lab's client; `embedded` is whether the service is a simulator in this
    process, `replay` is the recording that answers instead of a service.
    """

    def __init__(
        self, sender: Callable[[], Sender], *, embedded: bool, replay: Replay | None = None
    ) -> None:
        self._sender, self._embedded, self._replay = sender, embedded, replay
        self._controls: Controls | None = None

    @property
    def controls(self) -> Controls | None:
        """The simulator's controls; None for a real service, which is asked if it is local."""
        if self._controls is None:
            self._controls = self._find()
        return self._controls

    def _find(self) -> Controls | None:
        from ..simulator.controls import Controls

        sender = self._sender()
        if self._embedded or (self._replay and self._replay.has_controls):
            return Controls(sender.request, sender.service)
        # No request is sent to an address on another machine.
        if self._replay or not is_local(sender.settings):
            return None
        apart = Sender(sender.settings, max_retries=0, watchers=sender.watchers)
        quick = min(sender.settings.timeout, ANSWER_SECONDS)
        try:
            if "clock" not in Controls(partial(apart.request, timeout=quick)).summary():
                return None
        except (PaylabError, TypeError, ValueError):
            return None

        def ask(method: str, path: str, **options: Any) -> Any:
            try:
                return apart.request(method, path, **options)
            finally:
                if method != "GET":  # it may have moved the simulator's clock
                    sender.service_clock.forget()

        return Controls(ask, sender.service)

    @property
    def place(self) -> Place:
        """The kind of service; a local address that has not answered yet is asked."""
        if self._sender().product is None and not self._replay:
            self._controls = self.controls
        return self.known

    @property
    def known(self) -> Place:
        """The kind of service as far as earlier answers tell; no request is sent."""
        sender, settings = self._sender(), self._sender().settings
        if self._replay:
            return Place("recording", settings.base_url, self._replay.path.name)
        kind: Kind = "other"
        if self._embedded:
            kind = "embedded"
        elif is_local(settings):
            kind = "shared" if self._controls or sender.product == PRODUCT else "other"
        elif is_sandbox_host(settings.base_url):
            kind = "sandbox"
        return Place(kind, settings.base_url)
