"""A simulated service with two recipients, labs that share a ledger, and a way to hold payments."""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from random import Random
from threading import Event

import httpx
import pytest

import paylab
from paylab.client.settings import Secret, Settings
from paylab.corridors import examples
from paylab.errors import PaylabError
from paylab.lab.lab import Lab
from paylab.simulator.server import Server
from paylab.simulator.simulator import Simulator
from paylab.simulator.transport import SimulatorTransport

TERMS = {"payout_method": "spei", "source_currency": "USD", "destination_currency": "MXN"}
HOUR = 3600
PAID = ("created", "done", "found", "replayed")
"""The outcomes of a row of a batch whose payment exists."""

# The rule, in the parts that a case can show.
SAME = "the same order when they ask for the same thing at the same address"
EQUAL = "equal values in every field, `client_reference_id` included"
ONCE = "The same order is paid once in 24 hours"
ASKED = "whoever asks: another cell, thread, process or script with this ledger"
SPELT = "another spelling, another API key"
NAMED = "A different `client_reference_id` makes a different order"
NEW = "`new=True` makes another payment on purpose"


class Cases(list):
    """A table of cases: functions of a place, each with its sentence and number of payments."""

    def __call__(self, sentence, pays):
        """Decorate a case with the part of the rule that it shows and the payments it makes."""

        def add(function):
            self.append(pytest.param(function, sentence, pays, id=function.__name__))
            return function

        return add

    def row(self, sentence, pays, name, *calls):
        """Add calls, each made by a lab of its own, as a case."""

        def pay_all(place):
            for call in calls:
                place.lab().pay(**call)

        self.append(pytest.param(pay_all, sentence, pays, id=name))

    def test(self):
        """The test of every case: it takes a place, which is empty."""

        @pytest.mark.filterwarnings("ignore::paylab.errors.RuleWarning")
        @pytest.mark.parametrize(("act", "sentence", "pays"), self)
        def as_many_payments(place, act, sentence, pays):
            """The number of payments at the service is what the rule says."""
            act(place)
            assert len(place.transfers) == pays, sentence

        return as_many_payments


class Payer(Lab):
    """A lab that pays one of the two recipients 50 USD unless told otherwise."""

    people = ()

    def pay(self, to="id", **changes):
        """Make a payment; a field that is changed to "left out" is not given."""
        fields = {"source_amount": "50", **TERMS, **changes}
        fields = {name: value for name, value in fields.items() if value != "left out"}
        mine, other = self.people
        ways = {
            "id": ((mine.id,), {}),
            "object": ((mine,), {}),
            "keyword": ((), {"financial_account": mine}),
            "id by name": ((), {"financial_account_id": mine.id}),
            "object by name": ((), {"financial_account_id": mine}),
            "other": ((other.id,), {}),
            "nobody": ((), {}),
        }
        given, named = ways[to]
        return self.transfers.create(*given, **named, **fields)

    def quote(self, **changes):
        """A quote of the usual terms."""
        fields = {"source_amount": "50", **TERMS, **changes}
        return self.quotes.create(self.people[0].id, **fields)

    def pay_quote(self, quote, **more):
        """Make a payment by the id of a quote."""
        return self.transfers.create(quote_id=quote.id, **more)

    def batch(self, *rows, **options):
        """Send a batch, and return the outcome of each row."""
        usual = {"financial_account_id": self.people[0].id, "source_amount": "50", **TERMS}
        given = [{**usual, **row} for row in rows]
        return list(self.transfers.create_many(given, **options)["outcome"])


class Spaced(Random):
    """A random source for one of many labs: no nonces in common, and no wait between attempts."""

    def __init__(self, number):
        super().__init__()
        self.number = number

    def randrange(self, *_):
        """The first nonce, a thousand after that of the lab before."""
        return self.number * 1000

    def uniform(self, a, b):
        """The shortest wait."""
        return a


class Place:
    """A simulator with a frozen clock, reached as a service at an address, and a ledger file."""

    def __init__(self, folder, simulator=None):
        self.folder, self.simulator, self.labs = folder, simulator or Simulator(), count()
        self.keys = self.simulator.api_key, self.simulator.secret_key
        self.simulator.world.secrets = {
            **self.simulator.world.secrets,
            "pk_of_next_year": "sk_of_next_year",
        }
        self.observer = self.lab(ledger="none")
        recipients = [_recipient(self.observer) for _ in range(2)]
        self.person = recipients[0][0]
        self.people = self.observer.people = tuple(account for _, account in recipients)

    def lab(self, transport=None, host="https://pay.example", keys=None, **options):
        """A lab as another script has it: with its own connection and the common ledger."""
        api_key, secret = keys or self.keys
        settings = Settings(host, Secret(api_key), Secret(secret))
        usual = {"ledger": self.folder / "ledger.sqlite3", "max_retries": 0}
        given = {**usual, "random": Spaced(next(self.labs)), **options}
        through = transport or SimulatorTransport(self.simulator.respond)
        lab = Payer(settings, transport=through, clock=self.simulator.world.now, **given)
        lab.people = getattr(self, "people", ())
        return lab

    def embedded(self):
        """A lab on the simulator itself, with its ledger in memory."""
        settings = Settings("http://localhost", *map(Secret, self.keys))
        through = SimulatorTransport(self.simulator.respond)
        clock = self.simulator.world.now
        options = {"clock": clock, "random": Spaced(next(self.labs))}
        lab = Payer(settings, embedded=self.simulator, transport=through, **options)
        lab.people = self.people
        return lab

    def rotated(self, **options):
        """A lab with another API key of the same account."""
        return self.lab(keys=("pk_of_next_year", "sk_of_next_year"), **options)

    def lose(self, carried_out=True, **fields):
        """Make a payment whose answer is lost."""
        fault = self.faults.drop_after if carried_out else self.faults.timeout
        fault(method="POST", path="/v1/transfers", times=1)
        with pytest.raises(PaylabError):
            self.lab().pay(**fields)

    @property
    def controls(self):
        """The controls of the simulator."""
        return paylab.connect(simulator=self.simulator).simulator

    @property
    def faults(self):
        """The faults of the simulator."""
        return self.controls.faults

    @property
    def transfers(self):
        """The ids of all transfers at the service."""
        return [*self.simulator.world.tables["transfers"].rows]


class Served(Place):
    """The same over HTTP, so that other processes can pay; its clock is the machine's."""

    def __init__(self, folder, server):
        self.server, self.ledger = server, folder / "ledger.sqlite3"
        super().__init__(folder, server.simulator)
        self.simulator.advance(60)

    def lab(self, transport=None, host=None, keys=None, **options):
        """A lab as another process has it."""
        given = {"ledger": self.ledger, "max_retries": 0, **options}
        lab = served_lab(self.server.base_url, self.keys, transport=transport, **given)
        lab.people = getattr(self, "people", ())
        return lab

    def pay(self, **fields):
        """Make a payment with a lab of its own, which a child process needs."""
        self.lab().pay(**fields)

    def gate(self, **options):
        """A gate to the server."""
        return Gate(httpx.HTTPTransport(), **options)

    @property
    def account(self):
        """The id of the recipient's account."""
        return self.people[0].id

    @property
    def reached(self):
        """What a worker of a pool needs to pay."""
        return self.server.base_url, self.keys, self.ledger, self.people

    @property
    def environment(self):
        """The environment of a script or kernel that pays here."""
        return {
            **os.environ,
            "PAYLAB_BASE_URL": self.server.base_url,
            "PAYLAB_API_KEY": self.keys[0],
            "PAYLAB_SECRET_KEY": self.keys[1],
            "PAYLAB_LEDGER": str(self.ledger),
            "PYTHONPATH": str(Path(paylab.__file__).parents[1]),
        }

    def run(self, script, *, text=None, folder=None, **more):
        """Run a script, or one from stdin, and return what it printed."""
        return subprocess.run(
            [sys.executable, script],
            env={**self.environment, **more},
            cwd=folder,
            input=text,
            capture_output=True,
            text=True,
            check=True,
        )


def served_lab(base_url, keys, **options):
    """A lab on a server."""
    settings = Settings(base_url, *map(Secret, keys))
    return Payer(settings, **options)


def pay_once(reached, _=None):
    """Pay from a worker of a pool, which is given what `Served.reached` is."""
    base_url, keys, ledger, people = reached
    lab = served_lab(base_url, keys, ledger=ledger, max_retries=0)
    lab.people = people
    return lab.pay().id


def _recipient(lab):
    """An individual and its bank account."""
    person = lab.individuals.create(**examples.recipient("MX"))
    account = lab.financial_accounts.create(person.id, **examples.account("MX"))
    return person.id, account


class Gate(httpx.BaseTransport):
    """Holds every payment before or after the service carries it out, until the gate is open.

    `answer` changes the answer to the first payment. The end of a `with` block opens the gate.
    """

    def __init__(self, inner, *, after=False, answer=None):
        self.inner, self.after, self.answer = inner, after, answer
        self.reached, self.opened, self.arrivals = Event(), Event(), 0

    def handle_request(self, request):
        """Forward a request; a POST of a transfer is held on the way."""
        if request.method != "POST" or request.url.path != "/v1/transfers":
            return self.inner.handle_request(request)
        self.arrivals += 1
        if not self.after:
            self._hold()
        response = self.inner.handle_request(request)
        response.read()
        if self.after:
            self._hold()
        if self.answer is not None and self.arrivals == 1:
            return self.answer(request, response)
        return response

    def __exit__(self, *_):
        self.opened.set()

    def _hold(self):
        self.reached.set()
        assert self.opened.wait(60), "nobody opened the gate"


@contextmanager
def serving(folder):
    """A place whose simulator other processes can reach."""
    with Server(Simulator()) as server:
        yield Served(folder, server)
