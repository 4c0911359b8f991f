"""The journal that a command reads: of a simulator, or of a proxy in front of a service."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, Protocol

from ..client.request import CONTROLS
from ..client.settings import Settings
from ..errors.base import ConfigError, PaylabError
from ..lab.place import Place, is_local
from ..simulator.requests import Requests
from ..spec.text import JsonObject


class ServedJournal(Protocol):
    """The requests of a journal, and all its records."""

    @property
    def requests(self) -> Requests:
        """The requests."""

    def journal(self, after: int = 0, *, raw: bool = False) -> list[JsonObject]:
        """Everything with a sequence number above `after` as JSON, in one sequence."""


class ConnectedLab(Protocol):
    """The parts of a lab that a journal is found with."""

    @property
    def is_embedded(self) -> bool:
        """Whether its service is a simulator in this process."""

    @property
    def settings(self) -> Settings:
        """Its settings."""

    @property
    def simulator(self) -> ServedJournal | None:
        """The simulator that it is connected to."""

    @property
    def place(self) -> Place:
        """The kind and address of its service."""

    def request(self, method: str, path: str, *, params: Mapping[str, object] | None = None) -> Any:
        """The answer to a request."""


class ProxyJournal:
    """The journal of a proxy, which a lab reads at the address of its service."""

    def __init__(self, lab: ConnectedLab) -> None:
        self._lab = lab

    @property
    def requests(self) -> Requests:
        """The requests that passed."""
        return Requests(self._read_requests)

    def _read_requests(self, after: int = 0) -> Sequence[JsonObject]:
        """The requests with a number above `after` as JSON."""
        return self._read_list("requests", after)

    def journal(self, after: int = 0, *, raw: bool = False) -> list[JsonObject]:
        """Everything with a sequence number above `after` as JSON, in one sequence."""
        return self._read_list("journal", after, raw=int(raw))

    def _read_list(self, list_name: str, after: int, **params: int) -> list[JsonObject]:
        """The rows of a list of the journal API that follow a number."""
        path = f"{CONTROLS}/{list_name}"
        journal_rows: list[JsonObject] = self._lab.request(
            "GET", path, params={"after": after, **params}
        )
        return journal_rows


def find_journal(lab: ConnectedLab) -> ServedJournal | None:
    """The journal of a simulator or of a proxy. None if the service is neither.

    ConfigError if it is one whose control token is another one.
    """
    if lab.is_embedded:
        return None
    if lab.simulator is not None:
        return lab.simulator
    if is_local(lab.settings):  # no real service is asked
        with suppress(PaylabError):
            if "proxy" in lab.request("GET", CONTROLS):
                return ProxyJournal(lab)
        if lab.place.kind == "shared" or lab.place.proxied_host:
            raise ConfigError(
                f"{lab.place.base_url} refused the control token: export all lines that the"
                " simulator or the proxy printed, also PAYLAB_CONTROL_TOKEN"
            )
    return None
