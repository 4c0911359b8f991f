"""What a lab is made of for a service, an embedded simulator or a recording."""

from __future__ import annotations

import logging
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..client.settings import Found, Secret, Settings
from ..errors.base import ConfigError
from ..spec.service import Service

if TYPE_CHECKING:
    from ..simulator.simulator import Simulator

Parts = dict[str, Any]
"""Arguments of a Lab."""

SEEDED_TRANSFERS = 130
"""The initial data of an embedded simulator: two pages of transfers."""


def embedded_parts(simulator: Simulator | None, found: Found, order: dict[str, Any]) -> Parts:
    """A simulator in this process, with its clock and random source."""
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
    return {
        "settings": Settings(BASE_URL, *keys, where=where, **switches),
        "embedded": simulator,
        "transport": SimulatorTransport(simulator),
        "clock": simulator.world.now,
        "random": simulator.client_random(),
    }


def replay_parts(path: Path, given: Service | None) -> Parts:
    """A HAR file; its clock is the time of the latest replayed call."""
    from ..client.replay import Replay

    replay = Replay(path, given)
    where = dict.fromkeys(("base_url", "api_key", "secret_key"), f"recording {path.name}")
    # A replay is not signed; its placeholder key is valid in every encoding.
    keys = Secret("replay"), Secret("f00d" * 10)
    settings = Settings(replay.base_url, *keys, where=where, service=replay.service)
    return {"settings": settings, "replay": replay, "transport": replay, "clock": replay.now}


def log_as_asked() -> None:
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
