"""A simulated service for one test."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, nullcontext
from datetime import datetime
from decimal import Decimal
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from ..client.base_url import EMBEDDED
from ..errors.arguments import explain_arguments
from ..errors.base import ArgumentError, SimulatorError
from ..errors.text import printable
from ..simulator.events import withheld_events
from ..simulator.messages import RefusedError
from ..simulator.object_controls import example_account, example_person
from ..simulator.owner import Owner
from ..simulator.resources import individuals
from ..simulator.server import Server
from ..simulator.simulator import Simulator
from ..simulator.transport import SimulatorTransport
from ..simulator.world_options import read_start_time
from ..spec import codes
from ..spec.service.service import Service
from ..spec.text import JsonObject

if TYPE_CHECKING:  # a test that calls a service in another language needs neither client nor lab
    from ..client import Client
    from ..client.settings import GivenService
    from ..lab.lab import Lab
    from ..readiness.report import Readiness
    from ..spec.models import FinancialAccount, Individual, Transfer


class Objects(NamedTuple):
    """The objects that were added to a world."""

    individuals: list[Individual]
    transfers: list[Transfer]


@explain_arguments
class PaylabWorld:
    """An empty simulated service with its own address, keys, clock, faults and requests.

    Its clock moves only when the test advances it, unless `frozen` is False; then it runs with the
    machine's. In a `production_like` world there are no sandbox operations and special values.
    `test` is the name of the test, and `expects` the refusal that it expects, such as "409". What
    `seed`, `person` and `account` do is not among the `requests`, and no fault changes it.
    """

    def __init__(  # noqa: PLR0913 - the options of the marker
        self,
        server: Server,
        *,
        seed: int = 7,
        service: GivenService | None = None,
        strict: bool = False,
        frozen: bool = True,
        production_like: bool = False,
        start: str | datetime | None = None,
        test: str = "",
        expects: str = "",
    ) -> None:
        self.service = Service()
        if service is not None:
            from ..client.settings import find_service

            self.service, _ = find_service(service, {})["service"]
        self._server = server
        self._simulator = Simulator(
            seed=seed,
            frozen=frozen,
            production_like=production_like,
            service=self.service,
            strict=strict,
            start=None if start is None else read_start_time(str(start)),
        )
        self._simulator.world.journal.name_test(test, expects)
        self._hosted = server.worlds.add(self._simulator)
        self.base_url = server.base_url
        self.api_key = self._hosted.api_key
        self.secret_key = self._hosted.secret_key
        self.control_token = self._hosted.control_token
        self._controls = Owner(self._simulator).controls
        self.clock = self._controls.clock
        self.faults = self._controls.faults
        self.requests = self._controls.requests
        self.deliveries = self._controls.deliveries
        self._resources = ExitStack()

    @property
    def env(self) -> dict[str, str]:
        """The environment variables by which paylab and the commands find this world."""
        return {
            "PAYLAB_BASE_URL": self.base_url,
            "PAYLAB_API_KEY": self.api_key,
            "PAYLAB_SECRET_KEY": self.secret_key,
        }

    @cached_property
    def lab(self) -> Lab:
        """A lab that is connected to this world over HTTP."""
        from ..lab.lab import connect

        lab = connect(self.base_url, self.api_key, self.secret_key, service=self.service)
        return self._resources.enter_context(lab)

    def seed(self, *, individuals: int | None = None, transfers: int = 0) -> Objects:
        """Add active individuals, with an account each, and finished transfers to them.

        Both are numbers. By default as many individuals are added as the transfers need, up to six.
        """
        if individuals == 0 and transfers:
            raise SimulatorError("transfers need at least one individual")
        ids_by_table = self._controls.seed(individuals=individuals or 0, transfers=transfers)["ids"]
        individual_ids = set(ids_by_table["individuals"])
        transfer_ids = set(ids_by_table["transfers"])
        all_objects = self._list_objects()
        return Objects(
            [person for person in all_objects.individuals if person.id in individual_ids],
            [transfer for transfer in all_objects.transfers if transfer.id in transfer_ids],
        )

    def load(self, path: str | PathLike[str]) -> Objects:
        """Replace the state by a file of `lab.simulator.save`, and return its objects."""
        self._controls.load(path)
        return self._list_objects()

    def _list_objects(self) -> Objects:
        """List all individuals and transfers of the world."""
        individuals = self._client.individuals.list()
        return Objects([*individuals], [*self._client.transfers.list()])

    def person(
        self,
        country: codes.Country | str = "MX",
        *,
        verified: bool = False,
        outcomes: Sequence[str] = (),
        events: bool = True,
        **fields: object,
    ) -> Individual:
        """Add an individual, for payouts, and for an on-ramp where the country has one.

        Its status is that of a new individual, or active if it is `verified`. `outcomes` are those
        of its verifications, one each, like "verification_image_blurry" and "passes". Without
        `events`, none that this causes is delivered. `fields` are those of
        `lab.individuals.create`.
        """
        world = self._simulator.world
        try:
            individuals.require_outcomes(world, outcomes)
        except RefusedError as refused:
            raise SimulatorError(refused.text) from None
        example_fields = example_person(country, self.clock.now, self.service)
        with self._lock_world(delivers_events=events):
            person = self._client.individuals.create(**{**example_fields, **fields})
            person_row = world.tables["individuals"].rows[person.id]
            individuals.plan_outcomes(world, person_row, outcomes)
            if not verified:
                return person
            individuals.activate(world, person_row)
        return self._client.individuals.get(person.id)

    def account(
        self,
        person: Individual | None = None,
        *,
        country: codes.Country | str = "MX",
        events: bool = True,
        **fields: object,
    ) -> FinancialAccount:
        """Add a financial account, by default of a new active individual in the country.

        `fields` are `type` and `details`, by default those of an example of the country. Without
        `events`, none that this causes is delivered.
        """
        if isinstance(person, str):
            raise ArgumentError(f"account() takes an individual; for a new one: country={person!r}")
        person = person or self.person(country, verified=True, events=events)
        account_fields = {**example_account(str(person.country), self.service), **fields}
        return self._client.financial_accounts.create(individual_id=person.id, **account_fields)

    @contextmanager
    def _lock_world(self, *, delivers_events: bool) -> Iterator[None]:
        """Make a block in which nothing else changes the world.

        The events that the block causes are delivered only with `delivers_events`.
        """
        world = self._simulator.world
        events_block = nullcontext() if delivers_events else withheld_events(world)
        with world.lock, events_block:
            yield

    def pay_in(
        self, amount: str | Decimal, currency: codes.SourceCurrency | str = "USD"
    ) -> Decimal:
        """Pay into the account, and return its balance; `lab.simulator.pay_in` says how.

        After `pay_in("0.00")`, transfers await funds until more is paid in.
        """
        return self._controls.pay_in(amount, currency)

    def journal(self) -> list[JsonObject]:
        """Requests, deliveries, events and controls as JSON, in one sequence."""
        return self._controls.journal()

    def readiness(self) -> Readiness:
        """The readiness of the integration that made the requests and deliveries."""
        return self._controls.readiness()

    def har(self, path: str | PathLike[str], *, raw: bool = False) -> Path:
        """Write the journal to a HAR file: what was sent, and what the client received.

        It has no keys and no personal data. With `raw`, bodies are as they came: only its owner can
        read the file.
        """
        return self._controls.har(path, self.base_url, raw=raw)

    def text(self) -> str:
        """The last requests with their verdicts, and the last deliveries, redacted."""
        return f"requests:\n{self.requests.text()}\ndeliveries:\n{self.deliveries.text()}"

    def close(self) -> None:
        """End the world; its address and keys are refused afterwards."""
        self._resources.close()
        self._server.worlds.end(self._hosted)

    @cached_property
    def _client(self) -> Client:
        """A client in this process, which leaves no trace in the requests."""
        from ..client import Client, Secret, Settings

        simulator = self._simulator
        settings = Settings(
            EMBEDDED,
            Secret(simulator.api_key),
            Secret(simulator.secret_key),
            service=self.service,
        )
        client = Client(
            settings,
            transport=SimulatorTransport(simulator.respond, is_trusted=True),
            clock=simulator.world.now,
        )
        return self._resources.enter_context(client)

    def __repr__(self) -> str:
        return printable(f"<paylab_world at {self.base_url}: {len(self.requests)} requests>")
