"""A simulator in this process, on which integrations are led through every situation."""

from __future__ import annotations

import contextlib
import json

import httpx

import paylab
from paylab.client import Client, Secret, Settings
from paylab.client.base_url import EMBEDDED
from paylab.simulator.simulator import Simulator
from paylab.simulator.transport import SimulatorTransport

URL = "https://integration.example/hook"


class Stage:
    """A world with a frozen clock, its controls, and the integration that plays on it."""

    def __init__(self):
        self.simulator = Simulator()
        self.lab = paylab.connect(simulator=self.simulator)
        self.controls = self.lab.simulator
        self.before = lambda request: None
        self.outage = 0
        self.handler = None
        self.keys = (self.simulator.api_key, self.simulator.secret_key)

    def http(self):
        """A client of httpx whose requests reach the simulator."""
        carry = SimulatorTransport(self.simulator.respond)

        def send(request):
            self.before(request)
            return carry.handle_request(request)

        return httpx.Client(transport=httpx.MockTransport(send), base_url="http://service")

    def now(self):
        """The time of the world."""
        return self.simulator.world.now()

    def sleep(self, seconds):
        """Let time pass in the world."""
        self.controls.clock.advance(seconds)

    def receive(self, url, body, **_):
        """Hand a delivery to the integration, unless its receiver is down."""
        if self.outage:
            self.outage -= 1
            return 503
        return self.handler(json.loads(body))

    def listen(self, handler):
        """Let the deliveries reach a handler."""
        self.handler = handler
        self.simulator.delivery.local_receivers[URL] = self.receive

    def owner(self):
        """A client whose requests are the owner's, and no part of the integration."""
        settings = Settings(EMBEDDED, *map(Secret, self.keys))
        carry = SimulatorTransport(self.simulator.respond, is_trusted=True)
        return Client(settings, transport=carry, clock=self.now)

    def fault(self, name, *kind, **details):
        """A fault in a block."""
        return self.controls.faults.on(name, *kind, **details)

    def records(self):
        """The journal."""
        return self.controls.journal()

    def readiness(self):
        """The report."""
        return self.controls.readiness()


@contextlib.contextmanager
def going_on():
    """What an integration raises ends its step, not the tour."""
    with contextlib.suppress(Exception):
        yield


def tour(stage, program):
    """Lead an integration through every situation; what it cannot do is left out."""
    for scene in SCENES:
        stage.controls.name_test(scene.__name__)
        with going_on():
            scene(stage, program)
        stage.controls.faults.clear()
        stage.before = lambda request: None
    return stage.readiness()


def people(stage, program):
    """Individuals who pass, who must upload again, and who are rejected."""
    program.person = program.onboard("José", "Núñez")
    with going_on():
        program.onboard("Ana", "Verification Image Blurry")
    with going_on():
        program.onboard("Eva", "Verification Age Mismatch")


def payments(stage, program):
    """Payments that arrive, fail and expire, and one to an account that there is not."""
    program.bank = program.add_bank(program.person)
    for reference in ("order-1", "scenario:failed:2", "scenario:expired:3"):
        with going_on():
            program.follow(program.pay(reference, program.bank, "10.00"))
    with going_on():
        program.pay("order-4", "fa_unknown", "10.00")


def quotes(stage, program):
    """A quote that expires before the payment."""
    program.pay_quoted("order-5", program.bank, "10.00", lambda: stage.sleep(180))


def ramps(stage, program):
    """Payments from stablecoin and deposits, which arrive and fail; the account comes slowly."""
    with going_on():
        program.wallet = program.add_wallet(program.person)
    for reference in ("order-6", "scenario:failed:6"):
        with going_on():
            program.follow(program.pay(reference, program.bank, "10.00", currency="usdc"))
    account = program.open_account(program.person, program.wallet, "scenario:slow:7")
    for sender_name in ("Ana Ruiz", "Scenario Failed"):
        program.deposit(account, "50.00", "mxn", sender_name)
    stage.sleep(10)
    program.conversions()


def lost_answer(stage, program):
    """The answer of an order is lost."""
    with stage.fault("transfers.create", "drop_after", times=1):
        program.pay("order-8", program.bank, "10.00")


def own_timeout(stage, program):
    """The answer of an order comes later than anybody waits."""
    with stage.fault("transfers.create", delay=60, times=1):
        program.pay("order-9", program.bank, "11.00")


def lost_person(stage, program):
    """The answer of what has no key is lost."""
    with stage.fault("individuals.create", "drop_after", times=1), going_on():
        program.onboard("Luz", "Paz")
    program.transfers()


def conflict(stage, program):
    """An order is answered 409."""
    with stage.fault("transfers.create", status=409, times=1):
        program.pay("order-10", program.bank, "12.00")


def next_day(stage, program):
    """Every answer to an order is lost, and the program goes on a day later."""
    with stage.fault("transfers.create", "drop_after"), going_on():
        program.pay("order-11", program.bank, "13.00")
    stage.sleep(25 * 3600)
    program.recover("order-11", program.bank, "13.00")


def refused_signature(stage, program):
    """A read is answered 401."""
    with stage.fault("transfers.list", status=401, times=1), going_on():
        program.transfers()
    stage.sleep(3600)


def limit(stage, program):
    """A read is answered 429."""
    with stage.fault("transfers.list", "status", status=429, retry_after=2, times=1):
        program.transfers()


def failures(stage, program):
    """A read is answered 503 three times."""
    with stage.fault("transfers.list", status=503, times=3):
        program.transfers()


def spoiled(stage, program):
    """Bodies that are cut or are no JSON."""
    for kind in ("truncate", "html"):
        with stage.fault("transfers.list", kind, times=1), going_on():
            program.transfers()
    program.transfers()


def growing(stage, program):
    """A list of several pages, to which rows are added while it is read."""
    stage.controls.seed(transfers=130)
    calls = []

    def grow(request):
        if "cursor=" in str(request.url) and not calls:
            calls.append(request)
            stage.controls.seed(transfers=1)

    stage.before = grow
    program.transfers()


def dead_cursor(stage, program):
    """A cursor is refused."""
    with stage.fault("transfers.list", "bad_cursor", times=1):
        program.transfers()


def oddities(stage, program):
    """A transfer with an unknown status and field, and without those that have no value."""
    odd = {
        "id": "tr_odd",
        "status": "on_hold",
        "source_amount": "10.00",
        "risk": 1,
    }
    transfer = program.pay("order-12", program.bank, "14.00")
    with stage.fault("transfers.get", body=odd, times=1), going_on():
        program.follow(transfer)
    program.transfers()


def events(stage, program):
    """Events: usual ones, twice, late, overtaken, lost, and after an outage."""
    stage.listen(program.handle)
    program.subscribe(URL)
    faults = [
        ("transfer.completed", "event_duplicate", {}),
        ("transfer.funded", "event_delay", {"seconds": 60}),
        ("transfer.funded", "event_reorder", {}),
        ("transfer.completed", "event_drop", {}),
    ]
    for number, (event_type, kind, details) in enumerate(faults, 20):
        with stage.fault(event_type, kind, times=1, **details), going_on():
            program.pay(f"order-{number}", program.bank, f"{number}.00")
            stage.sleep(120)
    with going_on():
        program.transfers()
    stage.outage = 1
    transfer = program.pay("order-30", program.bank, "30.00")
    stage.controls.send_event("transfer.reversed", transfer)
    stage.sleep(600)


def watch(stage, program):
    """Lead an integration that only receives events through what can happen to them."""
    client = stage.owner()
    person = client.individuals.create(**paylab.examples.recipient("MX"))
    account = client.financial_accounts.create(person.id, **paylab.examples.account("MX"))

    def pay(reference, *_, **__):
        return client.transfers.create(
            financial_account_id=account.id,
            source_amount="10.00",
            source_currency="usd",
            destination_currency="mxn",
            payout_method="spei",
            client_reference_id=reference,
        ).id

    program.pay = pay
    stage.controls.name_test("events")
    events(stage, program)
    return stage.readiness()


SCENES = (
    *(people, payments, quotes, ramps, lost_answer, own_timeout, lost_person, conflict, next_day),
    *(refused_signature, limit, failures, spoiled, growing, dead_cursor, oddities, events),
)
