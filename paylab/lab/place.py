"""Which service a lab is connected to: a simulator, a sandbox, another host, or a recording."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal
from urllib.parse import urlsplit

from ..client.api import Client
from ..client.attempt import Watcher
from ..client.settings import Settings
from ..errors import PaylabError
from ..loopback import is_loopback
from ..simulator.panel import Panel

Kind = Literal["embedded", "shared", "sandbox", "other", "recording"]

SANDBOX = re.compile(r"(^|[.-])sandbox([.-]|$)")
"""A host whose name says that no real money is moved there."""

ANSWER_SECONDS = 2.0


@dataclass(frozen=True)
class Place:
    """A service by its kind and address; its text is the badge beside what came from it."""

    kind: Kind
    base_url: str
    file: str = ""

    @property
    def is_simulator(self) -> bool:
        """Whether no real service is reached."""
        return self.kind in ("embedded", "shared")

    @property
    def notice(self) -> str:
        """One sentence for a terminal."""
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


def place_of(settings: Settings, *, embedded: bool, simulated: Callable[[], bool]) -> Place:
    """The place of a lab; `simulated` asks an address on this machine whether it is a simulator."""
    host = urlsplit(settings.base_url).hostname or ""
    if embedded:
        kind: Kind = "embedded"
    elif is_loopback(host):
        kind = "shared" if simulated() else "other"
    else:
        kind = "sandbox" if SANDBOX.search(host) else "other"
    return Place(kind, settings.base_url)


def find_panel(settings: Settings, watchers: list[Watcher]) -> Panel | None:
    """The controls of a simulator on this machine; None for any other service.

    An address elsewhere is not asked whether it is a simulator.
    """
    if not is_loopback(urlsplit(settings.base_url).hostname or ""):
        return None
    quick = replace(settings, timeout=min(settings.timeout, ANSWER_SECONDS))
    try:
        if "clock" not in _panel(quick, watchers).summary():
            return None
    except (PaylabError, TypeError, ValueError):
        return None
    return _panel(settings, watchers)


def _panel(settings: Settings, watchers: list[Watcher]) -> Panel:
    return Panel(Client(settings, max_retries=0, watchers=watchers).request)
