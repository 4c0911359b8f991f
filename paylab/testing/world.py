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
from ..simulator.controls import Controls
from ..simulator.messages import Request, encode_json
from ..simulator.server import Server, read_start_time
from ..simulator.simulator import Simulator
from ..simulator.transport import SimulatorTransport
from ..spec import codes
from ..spec.service.service import Service
from ..spec.text import JsonObject

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

    Its clock runs with the machine's unless it is `frozen`. `test` is the name of the test, and
    `expects` the refusal that it expects, such as "409". What `seed`, `person` and `account` do
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
        test: str = "",
        expects: str = "",
    ) -> None:
        self.service = Service()
        if service is not None:
            from ..client.settings import service_source

            self.service, _ = service_source(service, {})["service"]
        self._server = server
        self._simulator = Simulator(
            seed=seed,
            frozen=frozen,
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
        self._controls = Controls(self._ask, self.service)
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
        """Add so many active individuals, with an account each, and finished transfers to them.

        Without `individuals`, there are as many as the transfers need, which is up to six.
        """
        if individuals == 0 and transfers:
            raise SimulatorError("transfers need at least one individual")
        tables = self._simulator.world.tables
        old_ids = {*tables["individuals"].rows, *tables["transfers"].rows}
        self._controls.seed(individuals=individuals or 0, transfers=transfers)
        return self._new_objects(old_ids)

    def load(self, path: str | PathLike[str]) -> Objects:
        """Replace the state by a file of `lab.simulator.save`, and return its objects."""
        self._controls.load(path)
        return self._new_objects(set())

    def _new_objects(self, old_ids: set[str]) -> Objects:
        """The individuals and transfers whose ids are not among the old ones."""
        client = self._client
        individuals = [person for person in client.individuals.list() if person.id not in old_ids]
        transfers = [transfer for transfer in client.transfers.list() if transfer.id not in old_ids]
        return Objects(individuals, transfers)

    def person(self, country: str = "MX", *, verified: bool = False, **fields: Any) -> Individual:
        """Add an individual, for payouts, and for an on-ramp where the country has one.

        Its status is that of a new individual, or active if it is `verified`. `fields` are those of
        `lab.individuals.create`.
        """
        if of_country(country):
            example_fields = examples.individual(country, consent_at=self.clock.now)
            example_fields["product_types"] = [codes.ON_RAMP_PRODUCT, codes.GLOBAL_PAYOUTS]
        else:
            example_fields = examples.recipient(country, self.service)
        person = self._client.individuals.create(**{**example_fields, **fields})
        if not verified:
            return person
        for status in ("pending", "active"):
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

    def journal(self) -> list[JsonObject]:
        """Requests, deliveries, events and controls as JSON, in one sequence."""
        return self._controls.journal()

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

    def _ask(
        self, method: str, path: str, json: Any = None, params: dict[str, Any] | None = None
    ) -> Any:
        """Send a request to the control API, in this process."""
        query = "&".join(f"{name}={value}" for name, value in (params or {}).items())
        headers = {"content-type": "application/json"}
        body = b"" if json is None else encode_json(json)
        reply = self._simulator.respond(
            Request(method, path, query, headers, body, is_trusted=True)
        )
        if reply.status >= 400:
            raise SimulatorError(loads(reply.body)["error"])
        return loads(reply.body) if reply.body else None

    def __repr__(self) -> str:
        return printable(f"<paylab_world at {self.base_url}: {len(self.requests)} requests>")
