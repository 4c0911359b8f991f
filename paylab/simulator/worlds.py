"""The worlds behind a port, each with keys, a control token and a clock that runs by itself.

A request reaches the world of its API key or control token.

POST   /_simulator/worlds            -> 201 {"base_url", "api_key", "secret_key", ...}
DELETE /_simulator/worlds/{api_key}  -> 204
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from hmac import compare_digest
from secrets import token_hex
from threading import Event, Lock

from ..errors.base import SimulatorError
from ..runtime import start_thread
from ..serving import GRACE_SECONDS
from ..spec import timestamps
from ..spec.route import strip_base_path
from .credentials import check_secret, random_keys
from .messages import RefusedError, Reply, Request
from .refusals import refusal_reply
from .routing import CONTROL, find_world_operation
from .simulator import Simulator
from .world_options import read_world_options

WORLDS_PATH = f"{CONTROL}/worlds"

_BEARER = "bearer "


class ClockThread:
    """A thread that carries out steps and deliveries when they are due."""

    def __init__(self, simulator: Simulator) -> None:
        """Start the thread."""
        self._simulator = simulator
        self._stopped = Event()
        self._thread = start_thread(self._run_until_stopped, "paylab-clock")

    def _run_until_stopped(self) -> None:
        """Carry out steps, deliver and sleep, until stopped."""
        changed_event = self._simulator.changed
        while not self._stopped.is_set():
            changed_event.clear()
            with suppress(SimulatorError):  # a full disk: the next request reports it
                self._simulator.settle()
            self._simulator.delivery.start_sending_due()
            changed_event.wait(self._compute_seconds_until_due())

    def stop(self) -> None:
        """Stop the thread now."""
        self._stopped.set()
        self._simulator.changed.set()
        self._thread.join(GRACE_SECONDS)

    def _compute_seconds_until_due(self) -> float | None:
        """The real seconds until the next step or delivery. None if there is none."""
        due_text = self._simulator.next_due()
        if due_text is None:
            return None
        clock = self._simulator.world.clock
        return clock.real_seconds_until(timestamps.from_text(due_text))


class HostedWorld:
    """A simulator behind a port, with its keys, its control token and the thread of its clock."""

    def __init__(self, simulator: Simulator, keys: tuple[str, str] | None = None) -> None:
        """Host a simulator under an API key and a secret, by default its own."""
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

    `base_url` returns the URL of the server. There are at most `worlds_max` of them.
    """

    def __init__(self, first: HostedWorld, base_url: Callable[[], str], worlds_max: int) -> None:
        """Start with the simulator that the port was opened for."""
        self.first = first
        self._base_url = base_url
        self._worlds_max = worlds_max
        self._by_key = {first.api_key: first}
        self._ended: set[str] = set()
        self._lock = Lock()

    def add(self, simulator: Simulator) -> HostedWorld:
        """Serve another simulator, with random keys, until `end`."""
        hosted_world = HostedWorld(
            simulator, random_keys(simulator.world.service.signing.key_encoding)
        )
        with self._lock:
            if len(self._by_key) >= self._worlds_max:
                raise RefusedError(429, f"there are {self._worlds_max} worlds already: end some")
            self._by_key[hosted_world.api_key] = hosted_world
        hosted_world.start()
        return hosted_world

    def end(self, hosted: HostedWorld) -> None:
        """Stop serving a simulator. Later requests with its keys are refused."""
        with self._lock:
            self._by_key.pop(hosted.api_key, None)
            self._ended.add(hosted.api_key)
        hosted.stop()
        hosted.simulator.close()

    def close(self) -> None:
        """Stop all. The first simulator itself stays open."""
        for hosted_world in [*self._by_key.values()]:
            if hosted_world is not self.first:
                self.end(hosted_world)
        self.first.stop()

    def answer(self, request: Request) -> Reply:
        """Answer a request from the simulator of its key or token, or create or end one."""
        path = strip_base_path(request.path, self.first.simulator.world.service.signing.base_path)
        if path != request.path:
            request = replace(request, path=path)
        token_owner = self._find_token_owner(request) if path.startswith(CONTROL) else None
        if path.startswith(WORLDS_PATH):
            return self._answer_worlds(request, token_owner)
        api_key = request.headers.get("x-api-key", "")
        hosted_world = self._choose_world(api_key, token_owner)
        if hosted_world is None:
            # A request that waits may outlive its world.
            if api_key in self._ended or request.is_trusted:
                return Reply.json(401, {"error": "the world of this API key has ended"})
            # No world has this key: any of them, here the newest, refuses it in the usual words.
            hosted_world = next(reversed(self._by_key.values()))
        is_trusted = request.is_trusted or token_owner is not None
        accessing_request = request.with_access(hosted_world.secrets, is_trusted=is_trusted)
        return hosted_world.simulator.respond(accessing_request)

    def _choose_world(self, api_key: str, token_owner: HostedWorld | None) -> HostedWorld | None:
        """The simulator of a request: by its control token if it has one, else by its API key.

        The token of the first simulator controls them all: then the API key says which one. None
        if that simulator has ended, or if neither key nor token is known.
        """
        named_world = self._by_key.get(api_key)
        if token_owner is None:
            return named_world
        is_named = named_world is not None or api_key in self._ended
        if token_owner is self.first and is_named:
            return named_world
        return token_owner

    def _find_token_owner(self, request: Request) -> HostedWorld | None:
        """The simulator whose control token a request has, or None."""
        authorization_text = request.headers.get("authorization", "")
        if authorization_text[: len(_BEARER)].lower() != _BEARER:
            return None
        token = authorization_text[len(_BEARER) :].strip()
        for hosted_world in [*self._by_key.values()]:
            if compare_digest(hosted_world.control_token.encode(), token.encode(errors="replace")):
                return hosted_world
        return None

    def _answer_worlds(self, request: Request, token_owner: HostedWorld | None) -> Reply:
        """Create or end a world for the owner of a control token."""
        try:
            if token_owner is None:
                raise RefusedError(401, "send Authorization: Bearer with the control token")
            operation_name, value_by_placeholder = find_world_operation(
                request.method, request.path
            )
            if operation_name == "control.create_world":
                return self._create_world(request)
            return self._end_world(value_by_placeholder["id"], token_owner)
        except RefusedError as refused:
            return refusal_reply(refused)

    def _create_world(self, request: Request) -> Reply:
        """Create a world with the options of a body, and answer its keys and its token."""
        body = request.json() if request.body else {}
        hosted_world = self.add(Simulator(**read_world_options(body)))
        access_fields = {
            "base_url": self._base_url(),
            "api_key": hosted_world.api_key,
            "secret_key": hosted_world.secret_key,
            "control_token": hosted_world.control_token,
        }
        return Reply.json(201, access_fields)

    def _end_world(self, api_key: str, token_owner: HostedWorld) -> Reply:
        """End a world by its own token, or by the token of the first world."""
        hosted_world = self._by_key.get(api_key)
        if hosted_world is None or hosted_world is self.first:
            raise RefusedError(404, "there is no other world with this API key")
        if token_owner not in (hosted_world, self.first):
            raise RefusedError(403, "this control token is that of another world")
        self.end(hosted_world)
        return Reply(204)
