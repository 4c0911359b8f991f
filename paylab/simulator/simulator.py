"""The simulator: state, keys, storage, webhook delivery and clock control."""

from __future__ import annotations

import json
import re
from base64 import b64decode, b64encode
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from email.utils import format_datetime
from functools import partial
from hashlib import sha256
from pathlib import Path
from random import Random
from secrets import token_hex
from threading import Event
from typing import Any
from weakref import WeakSet

import httpx

from ..errors import SimulatorError
from ..files import path_of
from ..signing.canonical import key_bytes
from ..signing.unauthorized import verify
from ..spec import codes, timestamps
from ..spec.operations import IDEMPOTENT, LISTS
from ..spec.service import Service
from . import (
    control_api,
    faults,
    ids,
    individuals,
    on_ramp,
    quotes,
    seeding,
    transfers,
    transitions,
    webhooks,
)
from .bodies import page, read_row, with_numbers
from .messages import (
    CONTROL,
    CONTROLS,
    JSON,
    MOST_BYTES,
    TOO_LARGE,
    Refused,
    Reply,
    Request,
    find_operation,
)
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
        self._new_clock = partial(Clock, frozen=frozen, speed=speed)
        clock = self._new_clock()
        self.world = World(seed=seed, clock=clock, production_like=production_like, service=service)
        self.changed, self._clients = Event(), 0
        self._randoms: WeakSet[Random] = WeakSet()
        self._storage = WorldStorage(path_of(data)) if data else None
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
        """A random source for the next client, the same in every run of the same world.

        Nonces and Idempotency-Keys differ from those of every client before.
        """
        random = Random()  # noqa: S311 - repeatable on purpose
        self._randoms.add(random)
        self._start(random)
        return random

    def renew_clients(self) -> None:
        """Start the random source of every client anew: another world has other used keys."""
        with self.world.lock:
            for random in self._randoms:
                self._start(random)

    def _start(self, random: Random) -> None:
        """Start a random source with a number that no client of this world had."""
        world = self.world
        # Worlds that were saved without a number had one client at most.
        had = world.counters.get("clients", bool(world.tables["idempotency"].rows))
        number = max(self._clients, had)
        self._clients = world.counters["clients"] = number + 1
        random.seed(f"{world.seed} {number}" if number else world.seed)

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
        empty = {"clock": self._new_clock().saved(), "counters": {}, "tables": {}}
        with self.world.lock:
            self.world.load({"seed": self.world.seed, **empty})
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
        f"pk_simulator_{ids.hex_digits(ids.seeded_number(seed, 'api key'), 16)}",
        _secret(ids.hex_digits(ids.seeded_number(seed, "secret key"), 40), key_encoding),
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
            failure, words = _FAILURES[reply.cut]
            raise failure(words, request=request)
        return httpx.Response(reply.status, headers=dict(reply.headers), content=reply.body)


_FAILURES = {
    "refuse": (httpx.ConnectError, "connection refused"),
    "timeout": (httpx.ReadTimeout, "timed out"),
    "drop_after": (httpx.ReadError, "connection reset"),
    "truncate": (
        httpx.RemoteProtocolError,
        "the connection was closed before the whole body was received",
    ),
}


Operation = Callable[[World, Request], Reply]

OPERATIONS: Mapping[str, Operation] = {
    "individuals.create": individuals.create,
    "individuals.submit_token": individuals.submit_token,
    "individuals.upload_images": individuals.upload_images,
    "individuals.images": individuals.read_images,
    "financial_accounts.create": individuals.create_financial_account,
    "financial_accounts.update": individuals.update_account,
    "quotes.create": quotes.create,
    "transfers.create": transfers.create,
    "transfers.list": transfers.index,
    "conversion_accounts.create": on_ramp.create_account,
    "sandbox.deposit": on_ramp.deposit,
    "webhook_subscriptions.create": webhooks.create,
    "webhook_subscriptions.delete": webhooks.delete,
    **{f"{kind}.get": partial(read_row, kind=kind) for kind in LISTS},
    **{f"{kind}.list": partial(page, kind=kind) for kind in LISTS if kind != "transfers"},
    **{
        route.operation: getattr(control_api, route.operation.partition(".")[2])
        for route in CONTROLS
    },
}
"""The function of each operation; `find_operation` maps paths to operations."""

_UUID = re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")


def once(world: World, request: Request, operation: Operation) -> Reply:
    """Carry out an operation, or replay the stored reply of its key.

    Assumptions `idempotency.same` and `ca.idempotency-202`.
    """
    settings, key = world.service.idempotency, request.headers.get("idempotency-key")
    if key is None:
        if settings.key == "required":
            raise Refused(400, "Idempotency-Key is missing: send a UUID with this request")
        return operation(world, request)
    if not _UUID.fullmatch(key):
        raise Refused(400, "Idempotency-Key must be a UUID of 36 characters")
    place = f"{request.method} {request.path} " if settings.scope == "path" else ""
    slot, digest = f"{place}{key.lower()}", _digest(request, settings)
    stored = world.find("idempotency", slot)
    if stored is not None and stored["until"] > world.stamp():
        if stored["digest"] != digest:
            raise Refused(409, "this Idempotency-Key was used with another body")
        headers = {**JSON, "idempotency-replayed": "true"}
        return Reply(stored["status"], b64decode(stored["body"]), headers)
    reply = operation(world, request)
    if reply.status in settings.stored:
        row = {"id": slot, "digest": digest, "status": reply.status}
        row["until"] = world.after(codes.IDEMPOTENCY_HOURS * 3600)
        world.put("idempotency", {**row, "body": b64encode(reply.body).decode()})
    return reply


def _digest(request: Request, settings: Any) -> str:
    """A hash of the request to compare; for keys per account it includes the operation."""
    body = request.body
    if settings.compare == "json":
        body = json.dumps(request.json(), sort_keys=True).encode()
    place = b"" if settings.scope == "path" else f"{request.method} {request.path}\n".encode()
    return sha256(place + body).hexdigest()


def respond(world: World, request: Request) -> Reply:
    """Answer a request, after carrying out due steps."""
    transitions.settle(world)
    fault = faults.for_call(world, request)
    kind = fault["kind"] if fault else None
    now = request.at or world.now()
    if fault and kind == "skew":
        now += timedelta(seconds=fault["seconds"])
    if fault and kind in faults.INSTEAD:
        reply = faults.instead(world.service, fault, now)
    else:
        reply = _answer(world, request, now)
    dated = {**reply.headers, "date": format_datetime(now, usegmt=True)}
    return Reply(reply.status, reply.body, dated, cut=kind if kind in faults.CUTS else None)


def _answer(world: World, request: Request, now: datetime) -> Reply:
    """Authenticate, find the operation, carry it out. Assumption `check.order`."""
    is_control = request.path.startswith(CONTROL)
    try:
        if len(request.body) > MOST_BYTES:
            raise Refused(413, TOO_LARGE)
        _authenticate(world, request, now)
        name, parts = find_operation(world.service, request.method, request.path)
        _check_content_type(world, request)
        routed = replace(request, id=next(iter(parts.values()), ""))
        operation = OPERATIONS[name]
        reply = once(world, routed, operation) if name in IDEMPOTENT else operation(world, routed)
        if is_control:
            return reply
        return replace(reply, body=with_numbers(world.service, reply.body))
    except Refused as refused:
        return refused.reply(None if is_control else world.service)


def _check_content_type(world: World, request: Request) -> None:
    """Refuse a body that is not declared as JSON. Assumption `request.content-type`."""
    given = request.headers.get("content-type", "")
    if request.body and given.partition(";")[0].strip().lower() != "application/json":
        given_words = f"not {given[:60]!a}" if given else "and it is missing"
        status = world.service.error_codes.content_type
        raise Refused(status, f"the Content-Type of a body must be application/json, {given_words}")


def _authenticate(world: World, request: Request, now: datetime) -> None:
    """Refuse an invalid signature; only a valid one uses up its nonce."""
    secrets = world.secrets if request.keys is None else request.keys
    refusal = verify(request, secrets.get, now, signing=world.service.signing, nonces=world.nonces)
    if refusal is not None:
        status = world.service.error_codes.signature
        raise Refused(status, refusal.message, reason=refusal.reason, mistake=refusal.mistake)
    nonce = request.headers.get("x-nonce")
    if nonce is not None:
        world.nonces.add(nonce, now)
