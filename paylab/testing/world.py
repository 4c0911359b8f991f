"""A simulated service for one test."""

from __future__ import annotations

from contextlib import ExitStack
from datetime import datetime
from decimal import Decimal
from functools import cached_property
from json import loads
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ..client.base_url import EMBEDDED
from ..corridors import examples
from ..corridors.on_ramps import of_country
from ..errors.arguments import explain_arguments
from ..errors.base import ArgumentError, SimulatorError
from ..errors.text import printable
from ..files import path_of
from ..simulator.controls import Controls
from ..simulator.messages import Request, dump
from ..simulator.server import Server, first_time
from ..simulator.simulator import Simulator
from ..simulator.transport import SimulatorTransport
from ..spec import codes
from ..spec.service.service import Service

if TYPE_CHECKING:  # a test that calls a service in another language needs neither client nor lab
    from ..client import Client
    from ..client.settings import GivenService
    from ..lab.lab import Lab
    from ..spec.models import FinancialAccount, Individual, Transfer


class Objects(NamedTuple):
    """The objects that were added to a world."""

    individuals: list[Individual]
    transfers: list[Transfer]


@explain_arguments
class PaylabWorld:
    """An empty simulated service with its own address, keys, clock, faults and requests.

    Its clock runs with the machine's unless it is `frozen`. What `seed`, `person` and `account` do
    is not among the `requests`, and no fault changes it.
    """

    def __init__(  # noqa: PLR0913 - the options of the marker
        self,
        server: Server,
        *,
        seed: int = 7,
        service: GivenService | None = None,
        strict: bool = False,
        frozen: bool = False,
        start: str | datetime | None = None,
    ) -> None:
        self.service = Service()
        if service is not None:
            from ..client.settings import service_source

            self.service = service_source(service, {})["service"][0]
        self._server = server
        self._simulator = Simulator(
            seed=seed,
            frozen=frozen,
            service=self.service,
            strict=strict,
            start=None if start is None else first_time(str(start)),
        )
        self._hosted = server.worlds.add(self._simulator)
        self.base_url = server.base_url
        self.api_key = self._hosted.api_key
        self.secret_key = self._hosted.secret_key
        self.control_token = self._hosted.control_token
        self._controls = Controls(self._ask, self.service)
        self.clock = self._controls.clock
        self.faults = self._controls.faults
        self.requests = self._controls.requests
        self.deliveries = self._controls.deliveries
        self._opened = ExitStack()

    @property
    def env(self) -> dict[str, str]:
        """The environment variables by which paylab and the commands find this world."""
        names = ("base_url", "api_key", "secret_key")
        return {f"PAYLAB_{name.upper()}": getattr(self, name) for name in names}

    @cached_property
    def lab(self) -> Lab:
        """A lab that is connected to this world over HTTP."""
        from ..lab.lab import connect

        keys = (self.base_url, self.api_key, self.secret_key)
        lab = connect(*keys, service=self.service)
        return self._opened.enter_context(lab)

    def seed(self, *, individuals: int | None = None, transfers: int = 0) -> Objects:
        """Add so many active individuals, with an account each, and finished transfers to them.

        Without `individuals`, there are as many as the transfers need, which is up to six.
        """
        if individuals == 0 and transfers:
            raise SimulatorError("transfers need at least one individual")
        tables = self._simulator.world.tables
        ids_before = {*tables["individuals"].rows, *tables["transfers"].rows}
        self._controls.seed(individuals=individuals or 0, transfers=transfers)
        return self._added(ids_before)

    def load(self, path: str | PathLike[str]) -> Objects:
        """Replace the state by a file of `lab.simulator.save`, and return its objects."""
        self._controls.load(path)
        return self._added(set())

    def _added(self, before: set[str]) -> Objects:
        client = self._client
        people = [object_ for object_ in client.individuals.list() if object_.id not in before]
        paid = [object_ for object_ in client.transfers.list() if object_.id not in before]
        return Objects(people, paid)

    def person(self, country: str = "MX", *, verified: bool = False, **fields: Any) -> Individual:
        """Add an individual, for payouts, and for an on-ramp where the country has one.

        Its status is that of a new individual, or active if it is `verified`. `fields` are those of
        `lab.individuals.create`.
        """
        if of_country(country):
            fields_of_example = examples.individual(country, consent_at=self.clock.now)
            fields_of_example["product_types"] = [codes.ON_RAMP_PRODUCT, codes.GLOBAL_PAYOUTS]
        else:
            fields_of_example = examples.recipient(country, self.service)
        person = self._client.individuals.create(**{**fields_of_example, **fields})
        for status in ("pending", "active") if verified else ():
            if person.status not in (status, "active"):
                self._controls.move(person.id, status)
                person = self._client.individuals.get(person.id)
        return person

    def account(
        self, person: Individual | None = None, *, country: str = "MX", **fields: Any
    ) -> FinancialAccount:
        """Add a financial account, by default of a new active individual in the country.

        `fields` are `type` and `details`, by default those of an example of the country.
        """
        if isinstance(person, str):
            raise ArgumentError(f"account() takes an individual; for a new one: country={person!r}")
        person = person or self.person(country, verified=True)
        account_fields = {**examples.account(str(person.country), self.service), **fields}
        return self._client.financial_accounts.create(individual_id=person.id, **account_fields)

    def pay_in(self, amount: str | Decimal, currency: str = "USD") -> Decimal:
        """Pay into the account, and return its balance; `lab.simulator.pay_in` says how.

        After `pay_in("0.00")`, transfers await funds until more is paid in.
        """
        return self._controls.pay_in(amount, currency)

    def har(self, path: str | PathLike[str]) -> Path:
        """Write the requests to a HAR file, without keys and personal data."""
        from .har import write_har

        return write_har(self.requests, self.base_url, path_of(path))

    def text(self) -> str:
        """The last requests with their verdicts, and the last deliveries, redacted."""
        return f"requests:\n{self.requests.text()}\ndeliveries:\n{self.deliveries.text()}"

    def close(self) -> None:
        """End the world; its address and keys are refused afterwards."""
        self._opened.close()
        self._server.worlds.end(self._hosted)

    @cached_property
    def _client(self) -> Client:
        """A client in this process, which leaves no trace in the requests."""
        from ..client import Client, Secret, Settings

        simulator = self._simulator
        keys = Secret(simulator.api_key), Secret(simulator.secret_key)
        client = Client(
            Settings(EMBEDDED, *keys, service=self.service),
            transport=SimulatorTransport(simulator.respond, is_trusted=True),
            clock=simulator.world.now,
        )
        return self._opened.enter_context(client)

    def _ask(
        self, method: str, path: str, json: Any = None, params: dict[str, Any] | None = None
    ) -> Any:
        """Send a request to the control API, in this process."""
        query = "&".join(f"{name}={value}" for name, value in (params or {}).items())
        headers = {"content-type": "application/json"}
        body = b"" if json is None else dump(json)
        reply = self._simulator.respond(
            Request(method, path, query, headers, body, is_trusted=True)
        )
        if reply.status >= 400:
            raise SimulatorError(loads(reply.body)["error"])
        return loads(reply.body) if reply.body else None

    def __repr__(self) -> str:
        return printable(f"<paylab_world at {self.base_url}: {len(self.requests)} requests>")
