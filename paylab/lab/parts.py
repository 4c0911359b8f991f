"""The parts of a lab: settings of a simulator or a recording, and a log."""

from __future__ import annotations

import logging
import os
import warnings
from pathlib import Path
from typing import Any

from ..client.base_url import EMBEDDED
from ..client.settings import (
    Found,
    GivenService,
    Settings,
    read_only_source,
    service_source,
)
from ..errors.base import ConfigError, ConfigWarning
from ..logs import log
from ..redaction.hiding import Secret
from ..spec.service.service import Service

Parts = dict[str, Any]
"""Arguments of a Lab."""

SEEDED_TRANSFERS = 130
"""The initial data of an embedded simulator: two pages of transfers."""


def followed_service(found: Found, order: dict[str, Any], usual: Service | None = None) -> Service:
    """The service that was chosen, else `usual`, with the order of its lists if it is declared."""
    service = found["service"][0] if "service" in found else usual or Service()
    return service.with_values(order) if order else service


def embedded_parts(
    simulator: Any, given: GivenService | None, order: dict[str, Any], read_only: bool | None
) -> Parts:
    """A simulator in this process: the given Simulator, or a new one instead of None."""
    found = read_only_source(read_only, os.environ)
    found |= service_source(given, os.environ) if simulator is None or given is not None else {}
    if simulator is None:
        from ..simulator.simulator import Simulator

        own = followed_service(found, order)
        simulator = Simulator(transfers=SEEDED_TRANSFERS, service=own)
    keys, followed = (simulator.api_key, simulator.secret_key), simulator.world.service
    settings = embedded_settings(*keys, found, followed_service(found, order, followed))
    return {"settings": settings, "embedded": simulator, **simulator.client_options()}


def embedded_settings(api_key: str, secret_key: str, found: Found, service: Service) -> Settings:
    """The settings of a simulator in this process."""
    where = dict.fromkeys(("base_url", "api_key", "secret_key"), "embedded simulator")
    where |= {name: source for name, (_, source) in found.items()}
    switches = {name: value for name, (value, _) in found.items()} | {"service": service}
    return Settings(EMBEDDED, Secret(api_key), Secret(secret_key), where=where, **switches)


def replay_parts(path: Path, given: GivenService | None) -> Parts:
    """A HAR file; its clock is the time of the latest replayed call."""
    from ..client.replay import Replay

    found = service_source(given, {})
    replay = Replay(path, found["service"][0] if found else None)
    where = dict.fromkeys(("base_url", "api_key", "secret_key"), f"recording {path.name}")
    # A replay is not signed; its placeholder key is valid in every encoding.
    keys = Secret("replay"), Secret("f00d" * 10)
    settings = Settings(replay.base_url, *keys, where=where, service=replay.service)
    return {"settings": settings, "replay": replay, "transport": replay, "clock": replay.now}


def warn_of_ledger() -> None:
    """Warn once that PAYLAB_LEDGER has no effect any more."""
    if os.environ.get("PAYLAB_LEDGER"):
        message = (
            "PAYLAB_LEDGER has no effect: nothing is stored any more, because the service itself "
            "recognises an order by its key; its file is left alone"
        )
        warnings.warn(message, ConfigWarning, stacklevel=4)


def log_as_asked() -> None:
    """Log every attempt with PAYLAB_LOG=debug; ConfigError for an unknown level."""
    level = os.environ.get("PAYLAB_LOG", "").upper()
    if not level:
        return
    if level not in ("DEBUG", "INFO", "WARNING", "ERROR"):
        raise ConfigError("PAYLAB_LOG must be one of debug, info, warning, error")
    logger = log
    logger.setLevel(level)
    if not logger.handlers:
        logger.addHandler(logging.StreamHandler())
