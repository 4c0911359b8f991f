"""The kind of service a lab is connected to: simulator, sandbox, other host, or recording."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import urlsplit

from ..client.connection import Watcher
from ..client.sender import Sender
from ..client.settings import Settings
from ..errors.base import PaylabError
from ..loopback import is_loopback
from ..simulator.controls import Controls
from ..simulator.messages import PRODUCT

if TYPE_CHECKING:
    from ..client.replay import Replay

Kind = Literal["embedded", "shared", "sandbox", "other", "recording"]

SANDBOX = re.compile(r"(^|[.-])sandbox([.-]|$)")
"""Hosts whose name indicates a sandbox."""

ANSWER_SECONDS = 2.0


@dataclass(frozen=True)
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
        return shown.get(self.kind, host)


def is_local(settings: Settings) -> bool:
    """Whether the service is on this machine."""
    return is_loopback(urlsplit(settings.base_url).hostname or "")


def place_of(settings: Settings, *, embedded: bool, simulated: bool) -> Place:
    """The place of a lab; `simulated` says whether a local address is a simulator."""
    if embedded:
        kind: Kind = "embedded"
    elif is_local(settings):
        kind = "shared" if simulated else "other"
    else:
        kind = "sandbox" if SANDBOX.search(urlsplit(settings.base_url).hostname or "") else "other"
    return Place(kind, settings.base_url)


def find_controls(
    settings: Settings, watchers: list[Watcher], moved: Callable[[], None]
) -> Controls | None:
    """The controls of a simulator on this machine; None for any other service.

    No request is sent to an address on another machine. `moved` is called after each
    control that may have moved its clock.
    """
    if not is_local(settings):
        return None
    quick = replace(settings, timeout=min(settings.timeout, ANSWER_SECONDS))
    asking = Controls(Sender(quick, max_retries=0, watchers=watchers).request)
    try:
        if "clock" not in asking.summary():
            return None
    except (PaylabError, TypeError, ValueError):
        return None
    sender = Sender(settings, max_retries=0, watchers=watchers)

    def ask(method: str, path: str, **options: Any) -> Any:
        try:
            return sender.request(method, path, **options)
        finally:
            if method != "GET":
                moved()

    return Controls(ask, settings.service)


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
        sender = self._sender()
        if self._embedded or (self._replay and self._replay.has_controls):
            return Controls(sender.request, sender.service)
        if self._replay:
            return None
        return find_controls(sender.settings, sender.watchers, sender.service_clock.forget)

    @property
    def place(self) -> Place:
        """The kind of service; a local address that has not answered yet is asked."""
        if self._sender().product is None and not self._replay:
            self._controls = self.controls
        return self.known

    @property
    def known(self) -> Place:
        """The kind of service as far as earlier answers tell; no request is sent."""
        sender = self._sender()
        if self._replay:
            return Place("recording", sender.settings.base_url, self._replay.path.name)
        simulated = self._controls is not None or sender.product == PRODUCT
        return place_of(sender.settings, embedded=self._embedded, simulated=simulated)
