"""The simulator: state, keys, storage, webhook delivery and clock control."""

from __future__ import annotations

from datetime import timedelta
from itertools import count
from pathlib import Path
from random import Random
from secrets import token_hex
from threading import Event

import httpx

from ..errors import SimulatorError
from ..signing.canonical import key_bytes
from ..spec import timestamps
from ..spec.service import Service
from . import ids, seeding, transitions
from .messages import Reply, Request
from .respond import respond
from .storage import WorldStorage
from .webhooks import Courier, Send
from .world import END, Clock, World


class Simulator:
    """The simulated service; created by `connect()`, or served by `Server`.

    `frozen` and `speed` set the clock; `data` is a file that stores the state; `transfers` is the
    number of seeded transfers in an empty one. A seed always gives the same ids, times, CLABEs, QR
    payloads and hashes. `keys` are the API key and the secret, by default derived from the seed.
    `service` has the assumptions to follow, by default `Service()`.
    """

    def __init__(  # noqa: PLR0913 - each is a switch of its own, and all have defaults
        self,
        *,
        seed: int = 7,
        frozen: bool = True,
        speed: float = 1.0,
        transfers: int = 0,
        production_like: bool = False,
        data: str | Path | None = None,
        send: Send | None = None,
        keys: tuple[str, str] | None = None,
        service: Service | None = None,
    ) -> None:
        self._clock_at_launch = {"frozen": frozen, "speed": speed}
        clock = Clock(frozen=frozen, speed=speed)
        self.world = World(seed=seed, clock=clock, production_like=production_like, service=service)
        self.changed, self._clients = Event(), count()
        self._storage = WorldStorage(Path(data)) if data else None
        if self._storage is None or not self._storage.load(self.world):
            seeding.seed_transfers(self.world, transfers)
        encoding = self.world.service.signing.key_encoding
        self.api_key, self.secret_key = keys or seeded_keys(self.world.key_seed, encoding)
        check_secret(self.secret_key, encoding)
        self.world.secrets = {self.api_key: self.secret_key}
        self.world.hand = self
        self.courier = Courier(self.world, self.save, send=send)
        self.save(always=True)

    def __repr__(self) -> str:
        clock = "frozen" if self.world.clock.frozen else f"running x{self.world.clock.speed:g}"
        return f"<Simulator seed {self.world.seed}, {clock} at {self.world.stamp()}>"

    def respond(self, request: Request) -> Reply:
        """Answer a request; its changes are stored before the reply is returned."""
        try:
            with self.world.lock:
                reply = respond(self.world, request)
                self.save()
        except SimulatorError as error:
            return Reply.json(507, {"error": str(error)})
        self.courier.after_request()
        return reply

    def client_random(self) -> Random:
        """A random source for the next client, the same in every run, so that nonces differ."""
        number = next(self._clients)
        seed = self.world.seed
        return Random(f"{seed} {number}" if number else seed)  # noqa: S311 - repeatable on purpose

    def advance(self, seconds: float) -> None:
        """Advance the clock: steps and deliveries run in order, each at its own time."""
        clock = self.world.clock
        target = min(clock.now() + timedelta(seconds=seconds), END)
        while True:
            self.settle()
            self.courier.finish_due()
            due = self.next_due()
            if due is None or timestamps.from_text(due) > target:
                break
            clock.jump(timestamps.from_text(due))
        clock.jump(target)
        self.save(always=True)

    def set_clock(self, *, frozen: bool | None = None, speed: float | None = None) -> None:
        """Freeze or run the clock, or change its speed."""
        if speed is not None:
            self.world.clock.set_speed(speed)
        if frozen is not None:
            self.world.clock.freeze(frozen)
        self.save(always=True)

    def settle(self) -> None:
        """Carry out the steps that are due."""
        with self.world.lock:
            transitions.settle(self.world)
            self.save()

    def next_due(self) -> str | None:
        """The time of the next step or delivery."""
        with self.world.lock:
            dues = (self.world.next_due(), self.world.outbox.next_due())
            return min((due for due in dues if due), default=None)

    def reset(self) -> None:
        """Empty the world and set its clock as at the launch."""
        clock = Clock(**self._clock_at_launch)  # type: ignore[arg-type] # a bool and a float
        with self.world.lock:
            self.world.load(
                {"seed": self.world.seed, "clock": clock.saved(), "counters": {}, "tables": {}}
            )
            self.save(always=True)

    def save(self, *, always: bool = False) -> None:
        """Store the changes in the file, if there is one, and notify listeners."""
        if not (always or self.world.dirty):
            return
        with self.world.lock:
            if self._storage:
                self._storage.save(self.world)
            self.world.dirty.clear()
        self.changed.set()

    def close(self) -> None:
        """Stop deliveries and close the file."""
        self.courier.close()
        if self._storage:
            self._storage.close()


def random_keys(key_encoding: str = "utf-8") -> tuple[str, str]:
    """A random API key and secret for a simulator that other processes can reach."""
    return f"pk_simulator_{token_hex(8)}", _secret(token_hex(20), key_encoding)


def seeded_keys(seed: int, key_encoding: str = "utf-8") -> tuple[str, str]:
    """The API key and secret derived from a seed; useless elsewhere."""
    return (
        f"pk_simulator_{ids.seeded_number(seed, 'api key') % 16**16:016x}",
        _secret(f"{ids.seeded_number(seed, 'secret key') % 16**40:040x}", key_encoding),
    )


def _secret(digits: str, key_encoding: str) -> str:
    """A secret of 40 hex digits; with a prefix unless it must be hex or Base64."""
    return f"sk_simulator_{digits}" if key_encoding == "utf-8" else digits


def check_secret(secret: str, key_encoding: str) -> None:
    """SimulatorError when requests cannot be signed with this secret."""
    try:
        key_bytes(secret, key_encoding)
    except ValueError as error:
        raise SimulatorError(f"{error}: pass other keys to the simulator, or none") from None


BASE_URL = "http://localhost"
"""The host name of an embedded simulator, which listens on no port."""


class SimulatorTransport(httpx.BaseTransport):
    """Answers httpx requests from a simulator; dates are judged by the simulator's clock."""

    def __init__(self, simulator: Simulator) -> None:
        self._simulator = simulator

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Answer an httpx request, or raise the failure of a fault."""
        path, _, query = request.url.raw_path.decode("ascii").partition("?")
        headers = {
            name.decode("latin-1").lower(): value.decode("latin-1")
            for name, value in request.headers.raw
        }
        reply = self._simulator.respond(
            Request(request.method, path, query, headers, request.read())
        )
        if reply.cut:
            raise _FAILURES[reply.cut](_WORDS[reply.cut], request=request)
        return httpx.Response(reply.status, headers=dict(reply.headers), content=reply.body)


_FAILURES = {
    "refuse": httpx.ConnectError,
    "timeout": httpx.ReadTimeout,
    "drop_after": httpx.ReadError,
    "truncate": httpx.RemoteProtocolError,
}
_WORDS = {
    "refuse": "connection refused",
    "timeout": "timed out",
    "drop_after": "connection reset",
    "truncate": "the connection was closed before the whole body was received",
}
