"""Simulators served on a port: a request reaches the one of its API key or control token.

POST   /_simulator/worlds            -> 201 {"base_url", "api_key", "secret_key", ...}
DELETE /_simulator/worlds/{api_key}  -> 204
"""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from secrets import token_hex
from threading import Event, Lock
from typing import Any

from ..errors.arguments import explain_arguments
from ..errors.base import ConfigError, Problem, ServiceError, SimulatorError
from ..errors.names import find_nearest_name, with_name_suggestions
from ..runtime import listen, start_thread
from ..serving import GRACE_SECONDS, ServingThread
from ..spec import timestamps
from ..spec.route import strip_base_path
from ..spec.service.service import Service
from ..spec.service.value_types import NONE
from ..spec.text import JsonObject
from .app import Protocol, SimulatorApp
from .credentials import check_secret, random_keys
from .messages import PRODUCT, RefusedError, Reply, Request, raise_if_problems
from .refusals import refusal_reply
from .routing import CONTROL, find_world_operation
from .simulator import Simulator

WORLDS_PATH = f"{CONTROL}/worlds"
WORLDS_MAX = 1_000
"""Maximum worlds behind one port."""

_BEARER = "bearer "


class ClockThread:
    """A thread that carries out steps and deliveries when they are due."""

    def __init__(self, simulator: Simulator) -> None:
        self._simulator = simulator
        self._stopped = Event()
        self._thread = start_thread(self._run, "paylab-clock")

    def _run(self) -> None:
        """Carry out steps, deliver and sleep, until stopped."""
        changed = self._simulator.changed
        while not self._stopped.is_set():
            changed.clear()
            with suppress(SimulatorError):  # a full disk: the next request reports it
                self._simulator.settle()
            self._simulator.delivery.start_due()
            changed.wait(self._seconds_until_due())

    def stop(self) -> None:
        """Stop the thread now."""
        self._stopped.set()
        self._simulator.changed.set()
        self._thread.join(GRACE_SECONDS)

    def _seconds_until_due(self) -> float | None:
        """The real seconds until the next step or delivery. None if there is none."""
        due = self._simulator.next_due()
        if due is None:
            return None
        clock = self._simulator.world.clock
        return clock.real_seconds_until(timestamps.from_text(due))


class HostedWorld:
    """A simulator behind a port, with its keys, its control token and the thread of its clock."""

    def __init__(self, simulator: Simulator, keys: tuple[str, str] | None = None) -> None:
        self.simulator = simulator
        self.api_key, self.secret_key = keys or (simulator.api_key, simulator.secret_key)
        self.control_token = f"ct_simulator_{token_hex(16)}"
        self.secrets = {self.api_key: self.secret_key}
        world = simulator.world
        check_secret(self.secret_key, world.service.signing.key_encoding)
        # Not changed in place: deliveries in other threads read it.
        world.served_secrets = {**world.served_secrets, **self.secrets}
        self._clock_thread: ClockThread | None = None

    def start(self) -> None:
        """Let the clock carry out what is due, and deliver in threads."""
        self._clock_thread = ClockThread(self.simulator)
        self.simulator.delivery.begin_serving()

    def stop(self) -> None:
        """Stop the thread of the clock."""
        if self._clock_thread is not None:
            self._clock_thread.stop()
            self._clock_thread = None
            self.simulator.delivery.end_serving()


class Worlds:
    """The simulators behind a port. A request with an unknown key is answered by the latest one.

    `base_url` returns the URL of the server.
    """

    def __init__(self, first: HostedWorld, base_url: Callable[[], str]) -> None:
        self.first = first
        self._base_url = base_url
        self._by_key = {first.api_key: first}
        self._ended: set[str] = set()
        self._lock = Lock()

    def add(self, simulator: Simulator) -> HostedWorld:
        """Serve another simulator, with random keys, until `end`."""
        hosted = HostedWorld(simulator, random_keys(simulator.world.service.signing.key_encoding))
        with self._lock:
            if len(self._by_key) >= WORLDS_MAX:
                raise RefusedError(429, f"there are {WORLDS_MAX} worlds already: end some")
            self._by_key[hosted.api_key] = hosted
        hosted.start()
        return hosted

    def end(self, hosted: HostedWorld) -> None:
        """Stop serving a simulator. Later requests with its keys are refused."""
        with self._lock:
            self._by_key.pop(hosted.api_key, None)
            self._ended.add(hosted.api_key)
        hosted.stop()
        hosted.simulator.close()

    def close(self) -> None:
        """Stop all. The first simulator itself stays open."""
        for hosted in [*self._by_key.values()]:
            if hosted is not self.first:
                self.end(hosted)
        self.first.stop()

    def answer(self, request: Request) -> Reply:
        """Answer a request from the simulator of its key, or create or end one."""
        path = strip_base_path(request.path, self.first.simulator.world.service.signing.base_path)
        if path != request.path:
            request = replace(request, path=path)
        api_key = request.headers.get("x-api-key", "")
        hosted = self._by_key.get(api_key)
        is_trusted = request.is_trusted
        bearer: HostedWorld | None = None
        if path.startswith(CONTROL):
            bearer = self._find_token_owner(request)
        if path.startswith(WORLDS_PATH):
            return self._answer_worlds(request, bearer)
        if bearer is not None:
            is_trusted = True
            # The first token controls every world, which X-API-Key names.
            is_named = hosted is not None or api_key in self._ended
            if bearer is not self.first or not is_named:
                hosted = bearer
        if hosted is None:
            # A request that waits may outlive its world.
            if api_key in self._ended or request.is_trusted:
                return Reply.json(401, {"error": "the world of this API key has ended"})
            hosted = next(reversed(self._by_key.values()))
        return hosted.simulator.respond(request.with_access(hosted.secrets, is_trusted=is_trusted))

    def _find_token_owner(self, request: Request) -> HostedWorld | None:
        """The simulator whose control token a request has, or None."""
        header = request.headers.get("authorization", "")
        if header[: len(_BEARER)].lower() != _BEARER:
            return None
        token = header[len(_BEARER) :].strip()
        for hosted in [*self._by_key.values()]:
            if hosted.control_token == token:
                return hosted
        return None

    def _answer_worlds(self, request: Request, bearer: HostedWorld | None) -> Reply:
        """Create or end a world for the owner of a control token."""
        try:
            if bearer is None:
                raise RefusedError(401, "send Authorization: Bearer with the control token")
            operation, placeholders = find_world_operation(request.method, request.path)
            if operation == "control.create_world":
                return self._create_world(request)
            return self._end_world(placeholders["id"], bearer)
        except RefusedError as refused:
            return refusal_reply(refused)

    def _create_world(self, request: Request) -> Reply:
        body = request.json() if request.body else {}
        hosted = self.add(Simulator(**_read_options(body)))
        access = {
            "base_url": self._base_url(),
            "api_key": hosted.api_key,
            "secret_key": hosted.secret_key,
            "control_token": hosted.control_token,
        }
        return Reply.json(201, access)

    def _end_world(self, api_key: str, bearer: HostedWorld) -> Reply:
        """End a world by its own token, or by that of the first world."""
        hosted = self._by_key.get(api_key)
        if hosted is None or hosted is self.first:
            raise RefusedError(404, "there is no other world with this API key")
        if bearer not in (hosted, self.first):
            raise RefusedError(403, "this control token is that of another world")
        self.end(hosted)
        return Reply(204)


def _read_options(body: JsonObject) -> dict[str, Any]:
    """The options of a new simulator. Its clock runs unless `frozen` is set."""
    problems: list[Problem] = []
    for option_name, option_value in body.items():
        if option_name not in _OPTION_TYPES:
            nearest = find_nearest_name(option_name, _OPTION_TYPES)
            meant = f": is {nearest} meant?" if nearest else f": {', '.join(_OPTION_TYPES)} are"
            problems.append(Problem(option_name, f"is not known{meant}"))
        elif type(option_value) is not _OPTION_TYPES[option_name]:
            problems.append(
                Problem(option_name, f"must be {_TYPE_NAMES[_OPTION_TYPES[option_name]]}")
            )
    raise_if_problems(problems)
    options = {"frozen": False, **body}
    if "start" in body:
        options["start"] = read_start_time(body["start"])
    if "service" in body:
        try:
            options["service"] = Service().with_values(body["service"])
        except ServiceError as error:
            raise RefusedError(400, f"service: {error}") from None
    return options


_OPTION_TYPES: Mapping[str, type] = {
    "seed": int,
    "strict": bool,
    "frozen": bool,
    "production_like": bool,
    "start": str,
    "service": dict,
}
_TYPE_NAMES: Mapping[type, str] = {
    int: "a whole number",
    bool: "true or false",
    str: "text",
    dict: "an object",
}


def read_start_time(time_text: str) -> datetime:
    """The first time of a clock, such as 2026-11-22T12:00Z, or that of the machine for "now".

    RefusedError for another form.
    """
    if time_text == "now":
        time_text = datetime.now(UTC).isoformat()
    try:
        start_time = datetime.fromisoformat(time_text)
    except ValueError:
        start_time = datetime.min
    if start_time.tzinfo is None or not 1 < start_time.year < 9000:
        raise RefusedError(
            400, "start: must be a time with its zone, like 2026-11-22T12:00Z, or now"
        )
    return timestamps.from_text(timestamps.to_text(start_time))


@explain_arguments
@with_name_suggestions
class Server:
    """Serves a simulator over HTTP until stopped; a context manager stops it too.

    `keys` are the API key and the secret that requests are signed with, by default the
    simulator's own. `listener` is a socket of `listen`, instead of `host` and `port`. The simulator
    itself stays open when the server stops. `worlds` has further ones behind the same port.
    """

    def __init__(  # noqa: PLR0913 - each has a default
        self,
        simulator: Simulator,
        *,
        host: str = "127.0.0.1",
        port: int = 0,
        keys: tuple[str, str] | None = None,
        allowed_hosts: Iterable[str] = (),
        listener: socket.socket | None = None,
    ) -> None:
        self.simulator = simulator
        self._socket = listener or listen(host, port)
        self.host, self.port = self._socket.getsockname()[:2]
        allowed_names = {host.lower(), *(name.lower() for name in allowed_hosts)}
        self.worlds = Worlds(HostedWorld(simulator, keys), lambda: self.base_url)
        first_world = self.worlds.first
        self.api_key = first_world.api_key
        self.secret_key = first_world.secret_key
        self.control_token = first_world.control_token
        service = simulator.world.service
        app = SimulatorApp(self.worlds.answer, self._abort, service=service, allowed=allowed_names)
        self._serving = ServingThread(app, self._socket, PRODUCT, Protocol)

    @property
    def base_url(self) -> str:
        """The URL of the server."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        base_path = self.simulator.world.service.signing.base_path
        if base_path == NONE:
            base_path = ""
        return f"http://{host}:{self.port}{base_path}"

    def start(self) -> Server:
        """Start to listen. It returns once connections are accepted."""
        try:
            self.worlds.first.start()
            self._serving.start()
        except TimeoutError:
            self.stop()
            raise SimulatorError("the simulator did not start: it took too long") from None
        except ConfigError as error:
            self.stop()
            raise SimulatorError(f"the simulator did not start: {error}") from None
        return self

    def stop(self) -> None:
        """Stop listening. The simulator continues in this process."""
        self._serving.stop()
        self.worlds.close()

    def is_alive(self) -> bool:
        """Whether it is still listening."""
        return self._serving.is_alive()

    def _abort(self, client: object) -> None:
        """Cut a client's connection for a fault."""
        self._serving.abort(client)

    def __enter__(self) -> Server:
        if not self._serving.is_alive():
            self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()
