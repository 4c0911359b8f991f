"""Makes the parts of a lab, and the settings for a simulator or a recording."""

from __future__ import annotations

import logging
import os
import time
from dataclasses import replace
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
    GivenService,
    Settings,
    SourcedSettings,
    find_service,
    read_only_source,
)
from ..errors.base import ArgumentError, ConfigError, ConfigWarning, warn_caller
from ..errors.extras import in_page
from ..light_dataclass import light_dataclass
from ..logs import log
from ..redaction.hiding import Secret
from ..runtime import require_sockets
from ..spec.service.service import Service
from . import displays
from .place import ServiceLocator
from .service_time import ServiceTime

if TYPE_CHECKING:
    from ..client.exchange import Exchange, Watcher
    from ..client.replay import Replay
    from ..simulator.credentials import ServedSimulator
    from ..simulator.simulator import Simulator

Parts = dict[str, Any]
"""Arguments of a Lab."""

SEEDED_TRANSFERS = 130
"""The initial data of an embedded simulator: two pages of transfers."""


@light_dataclass(frozen=True)
class LabParts:
    """The client of a lab, the place of its service, and how time passes there."""

    client: Client
    locator: ServiceLocator
    service_time: ServiceTime


def make_parts(
    settings: Settings,
    embedded: Simulator | None,
    replay: Replay | None,
    options: SessionOptions,
) -> LabParts:
    """The parts of a lab for a service, a simulator in this process, or a recording.

    A lab has two clients: one for the user's calls, and one that sends controls to a simulator.
    In a notebook its objects are shown as cards from now on.
    """
    displays.register_displays()
    in_process = embedded is not None or replay is not None
    shared_options = _make_shared_options(settings, embedded, replay, options)
    control_options = _make_control_options(settings, shared_options, in_process=in_process)
    locator = ServiceLocator(
        settings,
        lambda: Client(settings, **control_options).request,
        embedded=embedded is not None,
        replay=replay,
    )
    # A recording answers at once: nothing happens while a lab waits.
    pause_for = (lambda _: None) if replay else options.get("sleep", time.sleep)
    service_time = ServiceTime(locator.find_clock, in_process=in_process, pause=pause_for)
    has_simulator_service = embedded is not None and embedded.world.service == settings.service
    client = _make_client(
        settings, shared_options, locator, service_time, is_own=has_simulator_service
    )
    return LabParts(client, locator, service_time)


def _make_client(
    settings: Settings,
    shared_options: SessionOptions,
    locator: ServiceLocator,
    service_time: ServiceTime,
    *,
    is_own: bool,
) -> Client:
    """Make the client of the user's calls.

    `is_own` is whether the service is a simulator of ours that does what the settings say.
    """
    in_process = service_time.in_process
    # In this process both sides have one clock: the simulator is not asked for its time.
    read_time = None if in_process else service_time.reading
    tolerance_seconds = settings.service.signing.tolerance
    service_clock = ServiceClock(shared_options.get("clock", utcnow), tolerance_seconds, read_time)
    # The client of the controls has the same list of watchers, so that its answers count, too.
    forget_time = partial(forget_moved_time, service_clock)
    shared_options["watchers"].extend([locator.note_product, forget_time])
    make_replay_facts = partial(replay_facts, settings, is_own=is_own)
    client_options: SessionOptions = {
        **shared_options,
        "sleep": service_time.sleep,
        "service_clock": service_clock,
        "calls": CallLog(facts=make_replay_facts, screen=displays.make_call_display),
        "place": lambda: str(locator.known),
        "wait_shown": displays.show_wait,
        "show_notice": displays.show_notice,
        "is_own": is_own,
    }
    make_sender = partial(make_order_sender, is_shared=not in_process)
    return Client(settings, orders=make_sender, **client_options)


def _make_shared_options(
    settings: Settings,
    embedded: Simulator | None,
    replay: Replay | None,
    options: SessionOptions,
) -> SessionOptions:
    """Make the options that both clients of a lab have: its `options`, and what they share."""
    random_source = options.get("random") or SystemRandom()
    redaction = make_redaction(settings)
    service_name = "embedded" if embedded else urlsplit(settings.base_url).netloc
    # Another terminal can follow the calls of a lab, but not those that a recording answers.
    watchers: list[Watcher] = [] if replay else [Broadcast(redaction, service_name)]
    return {
        **options,
        "random": random_source,
        "nonces": Nonces(random_source),
        "redaction": redaction,
        "watchers": watchers,
    }


def _make_control_options(
    settings: Settings, shared_options: SessionOptions, *, in_process: bool
) -> SessionOptions:
    """Make the options of the client of the controls. It sends each request once."""
    clock = shared_options.get("clock", utcnow)
    tolerance_seconds = settings.service.signing.tolerance
    control_options: SessionOptions = {
        **shared_options,
        "max_retries": 0,
        "service_clock": ServiceClock(clock, tolerance_seconds, warns=False),
    }
    if not in_process:
        control_options["transport"] = None  # a connection of its own
    return control_options


def forget_moved_time(service_clock: ServiceClock, exchange: Exchange) -> None:
    """Ask a simulator for its time again after a control that may have moved its clock."""
    if exchange.request.is_control and exchange.request.method != "GET":
        service_clock.forget()


def make_order_sender(client: Client, *, is_shared: bool) -> OrderSender:
    """Make what sends the orders of a lab, with an idempotency key computed from their values.

    `is_shared` is whether other processes can reach the service: locks are then files.
    """
    from ..payments.orders import KeyedOrderSender
    from ..storage.locks import Locks  # only an order needs them

    return KeyedOrderSender(client, displays.show_notice, Locks(is_shared=is_shared))


def choose_service(
    found_settings: SourcedSettings, order_setting: dict[str, Any], default: Service | None = None
) -> Service:
    """The service of the settings, else `default`, else the service of the specification.

    `order_setting` is empty, or has the setting `lists.order` for the service.
    """
    service = default or Service()
    if "service" in found_settings:
        service = found_settings["service"][0]
    return service.with_values(order_setting) if order_setting else service


def refuse_service_in_browser(*values: str | None) -> None:
    """ConfigError in a page of a browser if there is an address, a key or a profile."""
    if not in_page():
        return
    variable_names = (*VARIABLES.values(), PROFILE_VARIABLE)
    if any(values) or any(os.environ.get(variable_name) for variable_name in variable_names):
        raise ConfigError(
            "a page connects to its own simulator only, since a secret does not belong in a page"
            " and browsers block calls to a service: write paylab.connect() here without address,"
            " keys and profile, remove them from the page, and use `paylab lab` for your service"
        )


def make_embedded_parts(
    simulator: Any,
    service_argument: GivenService | None,
    order_setting: dict[str, Any],
    read_only: bool | None,
) -> Parts:
    """The parts of a lab with a simulator in this process; a new one if `simulator` is None.

    `order_setting` has the setting `lists.order`, or is empty.
    """
    if not hasattr(simulator, "world") and simulator is not None:
        advice_text = "leave it out, or pass paylab.Simulator()"
        raise ArgumentError(f"simulator must be a Simulator, not {simulator!r:.60}: {advice_text}")
    found_settings = read_only_source(read_only, os.environ)
    # A simulator that the user passes has a service: only the argument can replace it.
    if simulator is None or service_argument is not None:
        found_settings |= find_service(service_argument, os.environ)
    if simulator is None:
        from ..simulator.simulator import Simulator

        new_service = choose_service(found_settings, order_setting)
        simulator = Simulator(transfers=SEEDED_TRANSFERS, service=new_service)
    client_service = choose_service(found_settings, order_setting, simulator.world.service)
    settings = make_embedded_settings(
        simulator.api_key, simulator.secret_key, found_settings, client_service
    )
    return {"settings": settings, "embedded": simulator, **simulator.client_options()}


def make_embedded_settings(
    api_key: str, secret_key: str, found_settings: SourcedSettings, service: Service
) -> Settings:
    """The settings of a simulator in this process, with the found ones besides its keys.

    `found_settings` has (value, source) by name of the setting.
    """
    source_by_setting = dict.fromkeys(("base_url", "api_key", "secret_key"), "embedded simulator")
    value_by_setting = {}
    for setting_name, (setting_value, source_text) in found_settings.items():
        value_by_setting[setting_name] = setting_value
        source_by_setting[setting_name] = source_text
    value_by_setting["service"] = service
    return Settings(
        EMBEDDED,
        Secret(api_key),
        Secret(secret_key),
        source_by_setting=source_by_setting,
        **value_by_setting,
    )


def complete_settings(settings: Settings, order_setting: dict[str, Any]) -> Settings:
    """The settings of a service with an address, with its setting `lists.order` if there is one.

    `order_setting` is empty for none. ConfigError in a page, which never talks to a real service.
    """
    refuse_service_in_browser(settings.base_url)
    if not order_setting:
        return settings
    return replace(settings, service=settings.service.with_values(order_setting))


def refuse_ignored_settings(*values: str | None) -> None:
    """ConfigError if a simulator in this process is given a setting of `SERVICE_ARGUMENTS`."""
    ignored_names = [
        argument_name
        for argument_name, argument_value in zip(SERVICE_ARGUMENTS, values, strict=True)
        if argument_value
    ]
    if ignored_names:
        raise ConfigError(
            f"an embedded simulator ignores {', '.join(ignored_names)}: leave them out, or "
            "leave simulator out and pass base_url, api_key and secret_key"
        )


SERVICE_ARGUMENTS = ("base_url", "api_key", "secret_key", "profile", "control_token")
"""The arguments of `connect` for a service with an address."""


def serve_embedded(embedded: Simulator | None, host: str, port: int) -> ServedSimulator:
    """Serve the simulator of this process with random keys; ConfigError for a lab without one."""
    require_sockets("lab.serve()")
    from ..simulator.credentials import random_keys
    from ..simulator.server import Server

    if embedded is None:
        raise ConfigError("only an embedded simulator can be served: this lab has a base URL")
    key_pair = random_keys(embedded.world.service.signing.key_encoding)
    return Server(embedded, host=host, port=port, keys=key_pair).start()


def check_replay(*settings: object) -> None:
    """ConfigError if a replay is given settings of a service: it does not use them."""
    if any(settings):
        raise ConfigError("a replay takes no base URL, keys, profile or simulator: leave them out")


def make_replay_parts(path: Path, service_argument: GivenService | None) -> Parts:
    """The parts of a lab that replays a HAR file, at the time of the latest replayed call."""
    from ..client.replay import Replay

    found_settings = find_service(service_argument, {})
    service = found_settings["service"][0] if found_settings else None
    replay = Replay(path, service)
    source_text = f"recording {path.name}"
    settings = Settings(
        replay.base_url,
        # A replay is not signed; its placeholder key is valid in every encoding.
        Secret("replay"),
        Secret("f00d" * 10),
        source_by_setting=dict.fromkeys(("base_url", "api_key", "secret_key"), source_text),
        service=replay.service,
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


def set_log_level() -> None:
    """Log every attempt with PAYLAB_LOG=debug; ConfigError for an unknown level."""
    level_name = os.environ.get("PAYLAB_LOG", "").upper()
    if not level_name:
        return
    if level_name not in ("DEBUG", "INFO", "WARNING", "ERROR"):
        raise ConfigError("PAYLAB_LOG must be one of debug, info, warning, error")
    log.setLevel(level_name)
    if not log.handlers:  # a second call must not log each line twice
        log.addHandler(logging.StreamHandler())
