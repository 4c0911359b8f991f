"""Serve the simulated service over HTTP until stopped, or while a program runs.

`paylab simulator -- npm test` runs your tests on a new simulator. They find its address and keys in
PAYLAB_BASE_URL, PAYLAB_API_KEY and PAYLAB_SECRET_KEY, and the token of its controls in
PAYLAB_CONTROL_TOKEN. The command ends when they end, with their exit status. They have no other
PAYLAB_ variable of your shell, and the simulator follows a service.toml only with --service.

With --rehearse, faults, moves and late events that your integration has not met yet come one after
another while it runs; `paylab ready` judges what it did.
"""

from __future__ import annotations

import argparse
import json
import os
from contextlib import closing
from functools import partial
from typing import TYPE_CHECKING

from ..errors.base import ConfigError
from ..redaction.hiding import Secret
from .log_lines import log_without_blocking
from .program import run_program
from .service import FACTS, environment, exports, service_for
from .terminal import in_range, parse_integer, port, stop_event

if TYPE_CHECKING:
    from threading import Event

    from ..simulator.server import Server
    from ..simulator.simulator import Simulator

EXAMPLE = "paylab simulator --port 8080 --data world.db"
_SERVICE = "follow the assumptions in this service.toml (default: see PAYLAB_SERVICE)"
KEY_VARIABLES = ("PAYLAB_SIMULATOR_API_KEY", "PAYLAB_SIMULATOR_SECRET_KEY")
"""The environment variables of the keys; without them the keys are random at each start."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    _add_server_options(parser)
    _add_population_options(parser)
    _add_clock_options(parser)
    _add_behaviour_options(parser)
    parser.add_argument(
        "program", nargs="*", metavar="-- PROGRAM", help="run this program on the simulator"
    )


def _add_server_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of where it listens, and for whom."""
    parser.add_argument("--port", type=port, default=0, help="port to listen on (0: a free one)")
    parser.add_argument("--host", default="127.0.0.1", help="address to listen on")
    parser.add_argument(
        "--allow-host",
        metavar="NAME",
        dest="allow_hosts",
        action="append",
        default=[],
        help="host name that clients on other machines use; may be repeated (default: none)",
    )
    parser.add_argument("--json", action="store_true", help="print one JSON line when ready")


def _add_population_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of the objects that it has at the start."""
    parser.add_argument("--seed", type=parse_integer, default=7, help="seed of ids and payloads")
    parser.add_argument(
        "--transfers",
        type=in_range(0, 1_000_000),
        default=0,
        help="number of past transfers at the start",
    )
    parser.add_argument(
        "--individuals",
        type=in_range(1, 100_000),
        metavar="N",
        help="number of recipients at the start; with more than 6, in all corridors",
    )
    parser.add_argument(
        "--conversions",
        type=in_range(0, 1_000_000),
        default=0,
        metavar="N",
        help="number of past conversions at the start",
    )


def _add_clock_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of how its time passes."""
    parser.add_argument(
        "--speed",
        type=in_range(0.001, 1_000_000),
        default=1.0,
        help="simulated seconds per real second",
    )
    parser.add_argument(
        "--frozen", action="store_true", help="the clock moves only when you advance it"
    )


def _add_behaviour_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of which service it is, and of what it stores, refuses and plays."""
    parser.add_argument(
        "--data", metavar="PATH", type=_read_path, help="keep the state in this file"
    )
    parser.add_argument(
        "--production-like", action="store_true", help="no sandbox: its operations answer 403"
    )
    parser.add_argument(
        "--strict",
        action="store_true",
        help="refuse what a real service might: unknown fields, a consent in the future",
    )
    parser.add_argument(
        "--rehearse",
        metavar="SECONDS",
        nargs="?",
        const=30.0,
        type=in_range(1.0),
        help="play what your integration has not shown yet, each for so many seconds (30)",
    )
    parser.add_argument("--service", metavar="FILE", type=_read_path, help=_SERVICE)


def run(options: argparse.Namespace) -> int:
    """Serve, and run the program, or print the address and wait for a signal."""
    from ..runtime import listen, require_sockets

    require_sockets("paylab simulator")
    from ..simulator.server import Server
    from ..simulator.simulator import Simulator

    if options.program and options.json:
        raise ConfigError("--json prints the keys: omit it, the program has them as variables")
    log_without_blocking()
    service = service_for(options.service, {} if options.program else os.environ)
    option_names = ("seed", "frozen", "speed", "production_like", "data", "strict")
    option_by_name = {option_name: getattr(options, option_name) for option_name in option_names}
    option_by_name["keys"] = _choose_keys(service.signing.key_encoding)
    option_by_name["service"] = service
    stopped_event = stop_event()
    with (
        # First, since the port may be in use: no file is created then.
        listen(options.host, options.port) as listener,
        closing(_seed_if_new(Simulator(**option_by_name), options)) as simulator,
        Server(
            simulator, host=options.host, allowed_hosts=options.allow_hosts, listener=listener
        ) as server,
    ):
        if options.rehearse:
            _start_rehearsal(simulator, options.rehearse, stopped_event)
        if options.program:
            try:
                return run_program(
                    options.program, environment(server, options.service), stopped_event
                )
            finally:
                stopped_event.set()  # the rehearsal ends too
        print(_start_text(server, as_json=options.json), flush=True)
        while not stopped_event.wait(1) and server.is_alive():
            pass
    return 0


def _start_text(server: Server, *, as_json: bool) -> str:
    """The address and the keys of a server, to read or as one line of JSON."""
    if as_json:
        return json.dumps({fact_name: getattr(server, fact_name) for fact_name in FACTS})
    address_line = f"The simulator listens on {server.base_url}. Stop it with Ctrl-C."
    return f"{address_line}\n{exports(server, FACTS)}"


def _start_rehearsal(simulator: Simulator, seconds: float, stopped: Event) -> None:
    """Play the situations in a thread, while the program or another one runs."""
    from ..runtime import start_thread
    from ..simulator.owner import Owner
    from .rehearsal import rehearse

    rehearsal = Owner(simulator).controls.rehearse()
    start_thread(partial(rehearse, rehearsal, seconds, stopped), "paylab-rehearsal")


def _seed_if_new(simulator: Simulator, options: argparse.Namespace) -> Simulator:
    """Add the past objects of the options to a simulator without objects, and return it."""
    from ..simulator.population import seed_world

    world = simulator.world
    table_names = ("individuals", "transfers", "conversions")
    has_objects = any(len(world.tables[table_name]) for table_name in table_names)
    if not has_objects:
        seed_world(world, options.transfers, options.individuals, options.conversions)
        simulator.save()
    return simulator


def _choose_keys(encoding: str) -> tuple[str, str]:
    """The keys: from the environment, else random."""
    from ..simulator.credentials import random_keys

    api_key, secret_key = (os.environ.get(variable_name) for variable_name in KEY_VARIABLES)
    if api_key and secret_key:
        from ..client.settings import Settings

        Settings("http://localhost", Secret(api_key), Secret(secret_key))  # no client takes others
        return api_key, secret_key
    if api_key or secret_key:
        raise ConfigError(f"set both {' and '.join(KEY_VARIABLES)}, or neither")
    return random_keys(encoding)


def _read_path(path_text: str) -> str:
    """The path of a file; ArgumentTypeError if it is blank."""
    if not path_text.strip():
        raise argparse.ArgumentTypeError("must name a file")
    return path_text
