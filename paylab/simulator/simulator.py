"""The simulator: state, keys, storage, webhook delivery and clock control."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from random import Random
from threading import Event
from typing import TYPE_CHECKING, Any, Unpack

from ..errors.arguments import explain_arguments
from ..errors.base import ArgumentError, SimulatorError
from ..errors.names import with_name_suggestions
from ..errors.options import show_options
from ..files import path_of
from ..spec import timestamps
from ..spec.service.service import Service
from . import seeding
from .clock import CLOCK_DEFAULTS, END, SPEED_MAX, SPEED_MIN, Clock, ClockOptions
from .credentials import check_secret, seeded_keys
from .delivery import EventDelivery, Send
from .messages import Reply, Request
from .world import World

if TYPE_CHECKING:
    from .storage import WorldStorage
    from .transport import SimulatorTransport


def _check_switches(**switches: object) -> None:
    """Refuse a switch that is neither True nor False: any text, "false" too, would switch it on."""
    for switch_name, switch in switches.items():
        if not isinstance(switch, bool):
            message = f"Simulator(): {switch_name} must be True or False, not {switch!r}"
            raise ArgumentError(message, switch_name)


def _check_numbers(seed: object, transfers: object, speed: object) -> None:
    """Raise ArgumentError for a seed, number of transfers or speed that is no valid number."""
    if isinstance(seed, bool) or not isinstance(seed, int):
        raise ArgumentError(f"Simulator(): seed must be a whole number, not {seed!r}", "seed")
    if isinstance(transfers, bool) or not isinstance(transfers, int) or transfers < 0:
        message = f"Simulator(): transfers must be a whole number from 0, not {transfers!r}"
        raise ArgumentError(message, "transfers")
    if not isinstance(speed, int | float) or speed is True or not SPEED_MIN <= speed <= SPEED_MAX:
        message = (
            f"Simulator(): speed must be a number from {SPEED_MIN} to {SPEED_MAX}, not {speed!r}; "
            "frozen=True stops time"
        )
        raise ArgumentError(message, "speed")


def _check_start(start: object) -> None:
    """Refuse a start that is no datetime with a zone, or is outside the years of a clock."""
    if start is None:
        return
    if isinstance(start, datetime) and start.tzinfo is not None and 1 < start.year < END.year:
        return
    message = (
        "Simulator(): start must be a datetime with its zone, like "
        f"datetime(2026, 11, 22, 12, tzinfo=UTC), not {start!r}"
    )
    raise ArgumentError(message, "start")


@with_name_suggestions
@explain_arguments
class Simulator:
    """The simulated service; created by `connect()`, or served by `Server`.

    `frozen` and `speed` set the clock; `data` is a file that stores the state; `transfers` is the
    number of seeded transfers in an empty one. A seed always gives the same ids, times, CLABEs, QR
    payloads and hashes. `keys` are the API key and the secret, by default derived from the seed.
    `service` has the assumptions to follow, by default `Service()`. With `strict`, unknown fields,
    parameters and headers are refused. `start` is the first time of the clock.
    """

    @show_options(ClockOptions, defaults=CLOCK_DEFAULTS)
    def __init__(  # noqa: PLR0913 - each is a switch of its own, and all have defaults
        self,
        *,
        seed: int = 7,
        transfers: int = 0,
        production_like: bool = False,
        data: str | Path | None = None,
        send: Send | None = None,
        keys: tuple[str, str] | None = None,
        service: Service | None = None,
        strict: bool = False,
        **clock_options: Unpack[ClockOptions],
    ) -> None:
        """Load the state from `data`, or seed a new one; ArgumentError for a wrong option."""
        _check_switches(
            production_like=production_like,
            strict=strict,
            frozen=clock_options.get("frozen", True),
        )
        _check_numbers(seed, transfers, clock_options.get("speed", 1.0))
        _check_start(clock_options.get("start"))
        self._new_clock = partial(Clock, **clock_options)
        clock = self._new_clock()
        self.world = World(
            seed=seed, clock=clock, production_like=production_like, service=service, strict=strict
        )
        self.changed = Event()
        self.followers: list[Callable[[], None]] = []
        self._renewal_count = 0
        self._random = Random()  # noqa: S311 - repeatable on purpose
        self._storage: WorldStorage | None = None
        if data:
            from .storage import WorldStorage  # only a world in a file needs SQLite

            self._storage = WorldStorage(path_of(data))
        if self._storage is None or not self._storage.load(self.world):
            seeding.seed_transfers(self.world, transfers)
        key_encoding = self.world.service.signing.key_encoding
        self.api_key, self.secret_key = keys or seeded_keys(self.world.key_seed, key_encoding)
        check_secret(self.secret_key, key_encoding)
        self.world.secrets = {self.api_key: self.secret_key}
        self.world.control = self
        self.delivery = EventDelivery(self.world, self.save, send=send)
        self.save(always=True)

    def __repr__(self) -> str:
        clock_text = "frozen" if self.world.clock.frozen else f"running x{self.world.clock.speed:g}"
        return f"<Simulator seed {self.world.seed}, {clock_text} at {self.world.stamp()}>"

    def respond(self, request: Request) -> Reply:
        """Answer a request. Its changes are stored before the reply is returned."""
        from .dispatch import respond  # with all rules: not needed to connect

        try:
            with self.world.lock:
                reply = respond(self.world, request)
                self.save()
        except SimulatorError as error:
            reply = Reply.json(507, {"error": str(error)})
            self.world.journal.amend(request, reply)
            return reply
        self.delivery.after_request()
        return reply

    def client_options(self) -> dict[str, Any]:
        """The transport, clock and random source of a client in this process.

        The random source gives the same nonces and Idempotency-Keys in every run of the same world.
        """
        if not self._renewal_count:  # for the first client
            self._renew_random()
        return {"transport": self.transport, "clock": self.world.now, "random": self._random}

    def transport(self) -> SimulatorTransport:
        """A transport that answers requests of httpx in this process."""
        from .transport import SimulatorTransport  # httpx takes a third of the time to connect

        return SimulatorTransport(self.respond)

    def renew_clients(self) -> None:
        """Let the clients of this process, if any, send Idempotency-Keys that the world lacks."""
        if self._renewal_count:
            self._renew_random()

    def _renew_random(self) -> None:
        """Seed the random source of clients with a number that the world has not used."""
        world = self.world
        renewal_number = max(self._renewal_count, world.counters.get("clients", 0))
        self._renewal_count = renewal_number + 1
        world.counters["clients"] = renewal_number + 1
        if renewal_number == 0:  # the first client draws the same keys in each world of a seed
            self._random.seed(world.seed)
        else:
            self._random.seed(f"{world.seed} {renewal_number}")

    def advance(self, seconds: float) -> None:
        """Advance the clock. Steps and deliveries run in order, each at its own time."""
        clock = self.world.clock
        target_time = min(clock.now() + timedelta(seconds=seconds), END)
        while True:
            self.settle()
            self.delivery.send_due_and_wait()
            due_text = self.next_due()
            if due_text is None:
                break
            due_time = timestamps.from_text(due_text)
            if due_time > target_time:
                break
            clock.jump(due_time)
        clock.jump(target_time)
        self.save(always=True)

    def set_clock(self, *, frozen: bool | None = None, speed: float | None = None) -> None:
        """Freeze or run the clock, or change its speed."""
        self.world.clock.set(frozen=frozen, speed=speed)
        self.save(always=True)

    def settle(self) -> None:
        """Carry out the steps that are due."""
        from .dispatch import settle

        with self.world.lock:
            settle(self.world)
            self.save()

    def next_due(self) -> str | None:
        """The time of the next step or delivery. None if there is none."""
        with self.world.lock:
            step_due_text = self.world.next_due()
            delivery_due_text = self.world.outbox.next_due()
        if step_due_text is None or delivery_due_text is None:
            return step_due_text or delivery_due_text
        return min(step_due_text, delivery_due_text)

    def reset(self) -> None:
        """Empty the world and set its clock as at the launch."""
        with self.world.lock:
            empty_state = {
                "seed": self.world.seed,
                "clock": self._new_clock().dump(),
                "counters": {},
                "tables": {},
            }
            self.world.load(empty_state)
            self.world.journal.clear()
            self.save(always=True)

    def save(self, *, always: bool = False) -> None:
        """Store the changes in the file, if there is one, and notify listeners."""
        must_save = always or self.world.dirty
        if not must_save:
            return
        with self.world.lock:
            if self._storage:
                self._storage.save(self.world)
            self.world.dirty.clear()
        self.changed.set()
        for follower in tuple(self.followers):
            follower()

    def close(self) -> None:
        """Stop deliveries and close the file."""
        self.delivery.close()
        if self._storage:
            self._storage.close()
