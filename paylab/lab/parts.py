"""Makes the parts of a lab, and the settings for a simulator or a recording."""

from __future__ import annotations

import logging
import os
import time
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from random import SystemRandom
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from ..client.base_url import EMBEDDED
from ..client.call_log import CallLog
from ..client.client import Client
from ..client.followers import Broadcast
from ..client.orders import OrderSender
from ..client.request_signer import Nonces
from ..client.secrecy import make_redaction
from ..client.service_clock import ServiceClock, utcnow
from ..client.session import replay_facts
from ..client.session_options import SessionOptions
from ..client.settings import (
    PROFILE_VARIABLE,
    VARIABLES,
    Found,
    GivenService,
    Settings,
    find_service,
    read_only_source,
)
from ..errors.base import ConfigError, ConfigWarning, in_page, warn_caller
from ..logs import log
from ..redaction.hiding import Secret
from ..spec.service.service import Service
from . import displays
from .place import ServiceLocator
from .service_time import ServiceTime

if TYPE_CHECKING:
    from ..client.exchange import Exchange, Watcher
    from ..client.replay import Replay
    from ..simulator.simulator import Simulator

Parts = dict[str, Any]
"""Arguments of a Lab."""

SEEDED_TRANSFERS = 130
"""The initial data of an embedded simulator: two pages of transfers."""


@dataclass(frozen=True)
class LabParts:
    """A client, the place of its service, and how time passes there."""

    client: Client
    locator: ServiceLocator
    service_time: ServiceTime


def make_parts(
    settings: Settings,
    embedded: Simulator | None,
    replay: Replay | None,
    options: SessionOptions,
) -> LabParts:
    """The parts of a lab for a service, a simulator in this process, or a recording."""
    in_process = embedded is not None or replay is not None
    clock = options.get("clock", utcnow)
    tolerance = settings.service.signing.tolerance
    shared_options = _shared_options(settings, embedded, replay, options)
    control_clock = ServiceClock(clock, tolerance, warns=False)
    control_options = _control_options(shared_options, control_clock, in_process=in_process)
    locator = ServiceLocator(
        settings,
        lambda: Client(settings, **control_options).request,
        embedded=embedded is not None,
        replay=replay,
    )
    pause = (lambda _: None) if replay else options.get("sleep", time.sleep)
    service_time = ServiceTime(locator.find_controls, in_process=in_process, pause=pause)
    read_time = None if in_process else service_time.reading
    service_clock = ServiceClock(clock, tolerance, read_time)
    shared_options["watchers"] += [
        locator.note_product,
        partial(forget_moved_time, service_clock),
    ]
    is_own = embedded is not None and embedded.world.service == settings.service
    client_options: SessionOptions = {
        **shared_options,
        "sleep": service_time.sleep,
        "service_clock": service_clock,
        "calls": CallLog(
            facts=partial(replay_facts, settings, is_own=is_own), screen=displays.on_screen
        ),
        "place": lambda: str(locator.known),
        "wait_shown": displays.wait_shown,
        "is_own": is_own,
    }
    orders = partial(computed_orders, is_shared=not in_process)
    return LabParts(Client(settings, orders=orders, **client_options), locator, service_time)


def _shared_options(
    settings: Settings,
    embedded: Simulator | None,
    replay: Replay | None,
    options: SessionOptions,
) -> SessionOptions:
    """The options of both clients: that of the user's calls and that of the controls."""
    random = options.get("random") or SystemRandom()
    redaction = make_redaction(settings)
    host = "embedded" if embedded else urlsplit(settings.base_url).netloc
    watchers: list[Watcher] = [] if replay else [Broadcast(redaction, host)]
    return {
        **options,
        "random": random,
        "nonces": Nonces(random),
        "redaction": redaction,
        "watchers": watchers,
    }


def _control_options(
    shared_options: SessionOptions, control_clock: ServiceClock, *, in_process: bool
) -> SessionOptions:
    """The options of the client of the controls, which sends each request once."""
    control_options: SessionOptions = {
        **shared_options,
        "max_retries": 0,
        "service_clock": control_clock,
    }
    if not in_process:
        control_options["transport"] = None
    return control_options


def forget_moved_time(service_clock: ServiceClock, exchange: Exchange) -> None:
    """Ask a simulator for its time again after a control that may have moved its clock."""
    if exchange.request.is_control and exchange.request.method != "GET":
        service_clock.forget()


def computed_orders(client: Client, *, is_shared: bool) -> OrderSender:
    """What sends the orders of a lab; `is_shared` is whether other processes reach its service."""
    from ..payments.orders import ComputedOrders
    from ..storage.locks import Locks  # only an order needs them

    return ComputedOrders(client, displays.tell, Locks(is_shared=is_shared))


def followed_service(found: Found, order: dict[str, Any], usual: Service | None = None) -> Service:
    """The service that was found, else `usual`, else that of the specification.

    `order` is empty, or has the setting `lists.order`, which the service gets then.
    """
    service = found["service"][0] if "service" in found else usual or Service()
    return service.with_values(order) if order else service


def refuse_service_in_page(*values: str | None) -> None:
    """ConfigError in a page of a browser if there is an address, a key or a profile."""
    if not in_page():
        return
    variables = (*VARIABLES.values(), PROFILE_VARIABLE)
    if any(values) or any(os.environ.get(variable_name) for variable_name in variables):
        raise ConfigError(
            "a page connects to its own simulator only, since a secret does not belong in a page"
            " and browsers block calls to a service: write paylab.connect() here without address,"
            " keys and profile, remove them from the page, and use `paylab lab` for your service"
        )


def embedded_parts(
    simulator: Any, given: GivenService | None, order: dict[str, Any], read_only: bool | None
) -> Parts:
    """The parts of a lab with a simulator in this process: the given one, or a new one if None."""
    option_sources = read_only_source(read_only, os.environ)
    if simulator is None or given is not None:  # a given simulator has a service already
        option_sources |= find_service(given, os.environ)
    if simulator is None:
        from ..simulator.simulator import Simulator

        simulator_service = followed_service(option_sources, order)
        simulator = Simulator(transfers=SEEDED_TRANSFERS, service=simulator_service)
    client_service = followed_service(option_sources, order, simulator.world.service)
    settings = embedded_settings(
        simulator.api_key, simulator.secret_key, option_sources, client_service
    )
    return {"settings": settings, "embedded": simulator, **simulator.client_options()}


def embedded_settings(api_key: str, secret_key: str, found: Found, service: Service) -> Settings:
    """The settings of a simulator in this process; `found` has (value, origin) by setting."""
    origin_by_name = dict.fromkeys(("base_url", "api_key", "secret_key"), "embedded simulator")
    origin_by_name |= {name: origin for name, (_, origin) in found.items()}
    value_by_name = {name: value for name, (value, _) in found.items()}
    value_by_name["service"] = service
    return Settings(
        EMBEDDED,
        Secret(api_key),
        Secret(secret_key),
        source_by_setting=origin_by_name,
        **value_by_name,
    )


def check_replay(*settings: object) -> None:
    """ConfigError if a replay is given settings of a service, which it does not use."""
    if any(settings):
        raise ConfigError("a replay takes no base URL, keys, profile or simulator: leave them out")


def replay_parts(path: Path, given: GivenService | None) -> Parts:
    """The parts of a lab that replays a HAR file, at the time of the latest replayed call."""
    from ..client.replay import Replay

    option_sources = find_service(given, {})
    replay = Replay(path, option_sources["service"][0] if option_sources else None)
    origin_by_name = dict.fromkeys(("base_url", "api_key", "secret_key"), f"recording {path.name}")
    # A replay is not signed; its placeholder key is valid in every encoding.
    keys = Secret("replay"), Secret("f00d" * 10)
    settings = Settings(
        replay.base_url, *keys, source_by_setting=origin_by_name, service=replay.service
    )
    return {"settings": settings, "replay": replay, "transport": replay, "clock": replay.now}


def warn_of_ledger() -> None:
    """Warn that PAYLAB_LEDGER has no effect any more."""
    if os.environ.get("PAYLAB_LEDGER"):
        message = (
            "PAYLAB_LEDGER has no effect: nothing is stored any more, because the service itself "
            "recognises an order by its key; its file is left alone"
        )
        warn_caller(message, ConfigWarning)


def log_as_asked() -> None:
    """Log every attempt with PAYLAB_LOG=debug; ConfigError for an unknown level."""
    level = os.environ.get("PAYLAB_LOG", "").upper()
    if not level:
        return
    if level not in ("DEBUG", "INFO", "WARNING", "ERROR"):
        raise ConfigError("PAYLAB_LOG must be one of debug, info, warning, error")
    log.setLevel(level)
    if not log.handlers:
        log.addHandler(logging.StreamHandler())
