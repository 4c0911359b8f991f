"""Find the settings, and make a lab for a service, an embedded simulator or a recording."""

from __future__ import annotations

import logging
import os
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..client.settings import (
    Found,
    GivenService,
    Secret,
    Settings,
    read_only_source,
    resolve,
    service_source,
)
from ..errors import ConfigError
from ..spec.paging import Order
from ..spec.service import Service
from .lab import Lab
from .orders import Where

if TYPE_CHECKING:
    from ..simulator.simulator import Simulator

SEEDED_TRANSFERS = 130
"""The initial data of an embedded simulator: two pages of transfers."""


def connect(  # noqa: PLR0913 - each setting may be given, and each has a default
    base_url: str | None = None,
    api_key: str | None = None,
    secret_key: str | None = None,
    *,
    profile: str | None = None,
    simulator: Simulator | None = None,
    timeout: float | None = None,
    max_retries: int | None = None,
    ledger: Where = None,
    list_order: Order | None = None,
    read_only: bool | None = None,
    replay: str | PathLike[str] | None = None,
    service: GivenService | None = None,
) -> Lab:
    """Connect to the service: arguments, then environment, then profile, else a simulator.

    If nothing is configured, the service is simulated inside this process, without sockets,
    threads or keys. Raises ConfigError if only some of the settings are given.
    `ledger` is the file that keeps idempotency keys; "none" keeps none.
    `service` describes where your service differs from paylab's assumptions: the path of a
    service.toml, values or a Service. An embedded simulator follows it too.
    `list_order="newest_first"` is short for `lists.order` in it: `since`, `Dataset.sync` and
    `watch` then stop at known rows. Otherwise they read whole lists, except from a simulator
    in this process.
    With `read_only=True` only GETs are sent: any other request raises ReadOnlyError.
    `replay` is a file written by `lab.record`: all responses and the assumptions come from it,
    and no service, key or other setting is used.

    >>> paylab.connect().place.kind
    'embedded'
    """
    _log_as_asked()
    options: dict[str, Any] = {
        "timeout": timeout,
        "max_retries": max_retries,
        "ledger": ledger,
    }
    order = {"lists.order": list_order} if list_order else {}
    if replay is not None:
        if simulator or base_url or api_key or secret_key or profile:
            raise ConfigError(
                "a replay takes no base URL, keys, profile or simulator: leave them out"
            )
        found = service_source(service, {})
        return _replayed(Path(replay), found["service"][0] if found else None, options)
    if simulator is None:
        settings = resolve(
            base_url, api_key, secret_key, profile, read_only=read_only, service=service
        )
        if settings is not None:
            declared = settings.service.with_values(order) if order else settings.service
            return Lab(replace(settings, service=declared), **options)
    found = read_only_source(read_only, os.environ)
    found |= service_source(service, os.environ) if simulator is None or service is not None else {}
    return _embedded(simulator, found, order, options)


def _embedded(
    simulator: Simulator | None, found: Found, order: dict[str, Any], options: dict[str, Any]
) -> Lab:
    """A lab on a simulator in this process, with the simulator's clock and random source."""
    from ..simulator.simulator import BASE_URL, Simulator, SimulatorTransport

    where = dict.fromkeys(("base_url", "api_key", "secret_key"), "embedded simulator")
    where |= {name: source for name, (_, source) in found.items()}
    switches = {name: value for name, (value, _) in found.items()}
    if simulator is None:
        own = switches.get("service", Service()).with_values(order)
        simulator = Simulator(transfers=SEEDED_TRANSFERS, service=own)
    followed = switches.get("service", simulator.world.service)
    switches["service"] = followed.with_values(order) if order else followed
    keys = Secret(simulator.api_key), Secret(simulator.secret_key)
    return Lab(
        Settings(BASE_URL, *keys, where=where, **switches),
        embedded=simulator,
        transport=SimulatorTransport(simulator),
        clock=simulator.world.now,
        random=simulator.client_random(),
        **options,
    )


def _replayed(path: Path, given: Service | None, options: dict[str, Any]) -> Lab:
    """A lab on a recording; its clock is the time of the latest replayed call."""
    from ..client.replay import Replay

    replay = Replay(path)
    where = dict.fromkeys(("base_url", "api_key", "secret_key"), f"recording {path.name}")
    service = given or Service.from_mapping(replay.about.get("service", {}))
    keys = Secret("replay"), Secret("replay")
    # A replay is not signed; its placeholder key is valid in this encoding only.
    service = service.with_values({"signing.key_encoding": "utf-8"})
    settings = Settings(replay.about["base_url"], *keys, where=where, service=service)
    return Lab(settings, replay=replay, transport=replay, clock=replay.now, **options)


def _log_as_asked() -> None:
    """Log every attempt with PAYLAB_LOG=debug; ConfigError for an unknown level."""
    level = os.environ.get("PAYLAB_LOG", "").upper()
    if not level:
        return
    if level not in ("DEBUG", "INFO", "WARNING", "ERROR"):
        raise ConfigError("PAYLAB_LOG must be one of debug, info, warning, error")
    logger = logging.getLogger("paylab")
    logger.setLevel(level)
    if not logger.handlers:
        logger.addHandler(logging.StreamHandler())
