"""The world of a test: its objects, clock, faults, deliveries and HAR file."""

import json
import re
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta, timezone

import httpx
import pytest
from http_receiver import Receiver

import paylab
import paylab.testing
from paylab.corridors import examples
from paylab.errors import (
    APIStatusError,
    APITimeoutError,
    AuthenticationError,
    PermissionDeniedError,
    SimulatorError,
    WaitTimeoutError,
)
from paylab.simulator.messages import RefusedError
from paylab.simulator.server import Server
from paylab.simulator.simulator import Simulator
from paylab.testing.world import PaylabWorld
from paylab.views.specimens import specimen


@pytest.fixture(scope="module")
def server():
    """A server for all worlds of the module."""
    with Server(Simulator(frozen=False)) as server:
        yield server


@pytest.fixture
def make(server, tmp_path):
    """A function that creates a world."""
    worlds = []

    def made(**options):
        worlds.append(PaylabWorld(server, **options))
        return worlds[-1]

    yield made
    for world in worlds:
        world.close()


@pytest.mark.parametrize(
    ("asked", "people", "transfers"),
    [
        ({"individuals": 2, "transfers": 30}, 2, 30),
        ({"individuals": 8}, 8, 0),
        ({"transfers": 9}, 6, 9),
        ({}, 0, 0),
    ],
)
def test_seed_leaves_exactly_so_many(make, asked, people, transfers):
    """The objects of a seed are returned, are those of the service, and no others are there."""
    world = make()
    added = world.seed(**asked)
    assert (len(added.individuals), len(added.transfers)) == (people, transfers)
    assert len(world.lab.individuals.list().to_list()) == people
    assert {one.id for one in world.lab.transfers.list()} == {one.id for one in added.transfers}


@pytest.mark.parametrize("asked", [{"transfers": -1}, {"individuals": -1}, {"transfers": "2"}])
def test_a_seed_is_counted_in_whole_numbers(make, asked):
    """Another number is an error that names it, and nothing is added."""
    world = make()
    with pytest.raises(SimulatorError, match=next(iter(asked))):
        world.seed(**asked)
    assert not world.lab.individuals.list().to_list()


def test_transfers_need_an_individual(make):
    """No transfers without a recipient."""
    with pytest.raises(SimulatorError, match="at least one individual"):
        make().seed(individuals=0, transfers=1)


@pytest.mark.parametrize("country", ["MX", "PH", "BR", "IN"])
def test_a_verified_person_is_active(make, country):
    """A verified person is active, whatever its verification needs, and can have an account."""
    world = make(strict=True)
    person = world.person(country, verified=True)
    assert (person.country, person.status) == (country, "active")
    assert world.account(person).id


def test_faults_end_with_their_block(make):
    """A fault changes one operation of one world in its block, and not what a test prepares."""
    world, other = make(), make()
    details = {"status": 418, "headers": {"X-Tea": "pot"}, "body": {"error": "tea"}}
    with world.faults.on("individuals.create", **details):
        assert world.person().id
        assert not world.lab.transfers.list().to_list()
        assert other.lab.individuals.create(**examples.recipient("MX")).id
        with pytest.raises(APIStatusError) as refused:
            world.lab.individuals.create(**examples.recipient("MX"))
    assert (refused.value.status, refused.value.call.response_headers["x-tea"]) == (418, "pot")
    assert world.requests[-1].verdicts["fault"]["operation"] == "individuals.create"
    assert world.lab.individuals.create(**examples.recipient("MX")).id
    assert not world.faults.list()


def test_a_fault_without_a_block_applies_until_it_is_removed(make):
    """The line that a report gives to show an item works as it stands."""
    world = make()
    world.faults.on("transfers.list", status=418, times=1)
    with pytest.raises(APIStatusError, match="418"):
        world.lab.transfers.list().to_list()
    assert world.lab.transfers.list().to_list() == []


def test_a_late_answer_is_a_timeout(make):
    """A client that waits less than the fault's delay gives up, and is in the journal."""
    world = make()
    keys = (world.base_url, world.api_key, world.secret_key)
    with (
        world.faults.on("transfers.list", delay=0.6),
        paylab.connect(*keys, timeout=0.1, max_retries=0) as lab,
        pytest.raises(APITimeoutError),
    ):
        lab.transfers.list().to_list()
    assert world.requests.of("transfers.list").only().status == 200


def test_a_token_and_a_key_reach_their_own_world(make):
    """The control token of a world reads its requests; keys of an ended world are refused."""
    world, other = make(), make()
    world.lab.transfers.list().to_list()
    bearer = {"authorization": f"Bearer {world.control_token}"}
    with httpx.Client(base_url=world.base_url, trust_env=False) as client:
        seen = client.get("/_simulator/requests", headers=bearer).json()
        assert [row["path"] for row in seen] == ["/v1/transfers"]
        assert client.get("/_simulator/requests").status_code == 401
        made = client.post("/_simulator/worlds", headers=bearer, json={"strict": True})
        assert made.status_code == 201
        facts = made.json()
        place = f"/_simulator/worlds/{facts['api_key']}"
        assert client.delete(place, headers=bearer).status_code == 403
        own = {"authorization": f"Bearer {facts['control_token']}"}
        assert client.get("/_simulator", headers=own).json()["counts"]["transfers"] == 0
        assert client.delete(place, headers=own).status_code == 204
        gone = client.get("/v1/transfers", headers={"x-api-key": facts["api_key"]})
        assert (gone.status_code, "has ended" in gone.text) == (401, True)
    assert len(world.requests) == 1
    assert not other.requests


def test_nothing_of_another_world_is_answered_after_the_end(server, make):
    """A request that waits, and the token of the server, get a 401 once their world has ended."""
    world, ended = make(frozen=False), make(frozen=False)
    first = {"authorization": f"Bearer {server.control_token}", "x-api-key": ended.api_key}
    own = {"authorization": f"Bearer {ended.control_token}"}
    with (
        httpx.Client(base_url=world.base_url, trust_env=False, timeout=30) as client,
        ThreadPoolExecutor(1) as pool,
    ):
        assert client.get("/_simulator", headers=first).status_code == 200
        waiting = pool.submit(client.get, "/_simulator/deliveries?wait=20", headers=own)
        time.sleep(0.2)  # the answer is the same if it has not arrived yet
        ended.close()
        assert waiting.result().status_code == 401
        assert client.get("/_simulator", headers=first).status_code == 401


def test_the_control_token_replaces_the_signature(server):
    """With the token, a lab controls its world though its signatures are refused."""
    with httpx.Client(base_url=server.base_url, trust_env=False) as client:
        bearer = {"authorization": f"Bearer {server.control_token}"}
        facts = client.post("/_simulator/worlds", headers=bearer, json={"frozen": True}).json()
    with paylab.connect(**facts | {"secret_key": "other"}) as lab:
        assert lab.simulator.clock.frozen
        with pytest.raises(AuthenticationError):
            lab.transfers.list().first()
        lab.simulator.seed(transfers=2)
        seen = lab.simulator.requests
        assert {each.verdicts["signature"]["result"] for each in seen} == {"refused"}
        assert facts["control_token"] not in repr(lab.settings)
    with paylab.connect(**facts) as lab:
        assert len(lab.transfers.list().to_list()) == 2


@pytest.fixture
def receiver():
    """A receiver that answers 200."""
    with Receiver(200) as receiver:
        yield receiver


def test_deliveries_are_waited_for(make, receiver):
    """Advancing the clock completes and delivers; `wait` returns the attempt, or says what came."""
    world = make(frozen=False)
    world.lab.webhook_subscriptions.create(url=receiver.url, event_types=["transfer.completed"])
    paid = {"payout_method": "spei", "source_currency": "USD", "destination_currency": "MXN"}
    account = {"id": world.account().id}
    made = world.lab.transfers.create(financial_account=account, source_amount="10.00", **paid)
    world.lab.simulator.move(made.id, "started")
    world.clock.advance("3 days")
    assert world.deliveries.wait("transfer.completed")["resource_id"] == made.id
    with pytest.raises(WaitTimeoutError, match=r"was not delivered in time; so far:\ntransfer"):
        world.deliveries.wait("transfer.failed", timeout=0)


def test_the_requests_are_a_har_file(make, tmp_path):
    """The HAR file has the requests without keys and personal data."""
    world = make()
    world.lab.individuals.list().to_list()
    log = json.loads(world.har(tmp_path / "seen.har").read_text())["log"]
    assert [each["response"]["status"] for each in log["entries"]] == [200]
    assert world.secret_key not in json.dumps(log)
    assert world.api_key not in json.dumps(log)


def test_the_guide_names_what_there_is(make):
    """Every method and scenario in the docstring of `paylab.testing` exists."""
    world = make()
    simulator = world.lab.simulator
    parts = {"simulator": simulator, "scenarios": simulator.scenarios}
    parts |= {name: getattr(world, name) for name in ("clock", "faults", "deliveries", "requests")}
    named = set(re.findall(rf"(?=\b({'|'.join(parts)})\.(\w+))", paylab.testing.__doc__))
    assert {root for root, _ in named} == parts.keys()
    assert not [(root, name) for root, name in named if not hasattr(parts[root], name)]


def test_a_verdict_that_is_asked_as_an_attribute(make):
    """The error names where the verdict is."""
    world = make()
    world.lab.transfers.list().to_list()
    with pytest.raises(AttributeError, match=r'verdicts\["signature"\]'):
        assert world.requests[0].signature


def test_the_journal_has_the_times_of_the_world(make):
    """A request over HTTP, judged by this machine's clock, is noted at the world's time."""
    world = make(start="2026-11-22T12:00Z")
    world.lab.transfers.list().to_list()
    assert world.requests.only().at == datetime(2026, 11, 22, 12, tzinfo=UTC)


@pytest.mark.parametrize("start", [datetime(2030, 1, 1), "2030-01-01T00:00", "soon", 5])
def test_a_start_without_a_zone_is_refused(make, start):
    """A time whose zone is not known is an error before the world is there."""
    with pytest.raises(RefusedError, match="start: must be a time with its zone"):
        make(start=start)


def test_a_start_has_any_zone(make):
    """Two in the morning in Cairo is midnight in UTC."""
    start = datetime(2030, 1, 1, 2, tzinfo=timezone(timedelta(hours=2)))
    assert make(start=start).clock.now == datetime(2030, 1, 1, tzinfo=UTC)


def test_the_clock_of_a_world_stands_still(make):
    """A payment is pending until the test moves the clock, and signed requests are accepted."""
    world = make()
    assert world.clock.frozen
    assert world.clock.now == datetime(2026, 1, 15, 12, tzinfo=UTC)
    paid = {"payout_method": "spei", "source_currency": "USD", "destination_currency": "MXN"}
    account = {"id": world.account().id}
    made = world.lab.transfers.create(financial_account=account, source_amount="10.00", **paid)
    assert world.lab.transfers.get(made.id).status == "awaiting_funds"
    world.clock.advance("23h 59m")
    assert world.lab.transfers.get(made.id).status == "completed"


def test_a_world_can_start_now(make):
    """Times of the answers are near those of the machine, as code that compares them needs."""
    world = make(start="now")
    assert abs(datetime.now(UTC) - world.clock.now) < timedelta(minutes=5)
    assert world.clock.now == world.clock.now


def test_a_world_like_production_has_no_sandbox(make):
    """A deposit is a 403, a special reference is a reference, and a special name a name."""
    world = make(production_like=True)
    with pytest.raises(PermissionDeniedError):
        world.lab.sandbox.deposit("ca_1", "10.00", "mxn")
    paid = {"payout_method": "spei", "source_currency": "USD", "destination_currency": "MXN"}
    account = {"id": world.account().id}
    made = world.lab.transfers.create(
        financial_account=account,
        source_amount="10.00",
        client_reference_id="scenario:failed",
        **paid,
    )
    person = world.person(family_name="Verification Age Mismatch")
    world.lab.simulator.move(person.id, "pending")
    world.clock.advance("1h")
    assert world.lab.transfers.get(made.id).status == "completed"
    assert world.lab.simulator.history(person.id)[-1][0] == "active"


@pytest.mark.parametrize("events", [True, False])
def test_objects_of_a_test_can_cause_no_events(make, receiver, events):
    """What `person` and `account` cause is delivered, or held back."""
    world = make()
    world.lab.webhook_subscriptions.create(
        url=receiver.url, event_types=["individual.status_changed"]
    )
    person = world.person("PH", verified=True, events=events)
    world.account(person, events=events)
    world.account(country="MX", events=events)
    world.clock.advance("1s")
    assert len(world.deliveries) == (4 if events else 0)
    world.lab.simulator.add_person(verified=True, events=events)
    assert len(world.lab.simulator.events()) == 6


def test_a_person_has_an_outcome_for_each_verification(make):
    """The first verification asks for better images, the second passes."""
    world = make()
    person = world.person("MX", outcomes=["verification_image_blurry", "passes"])
    statuses = []
    for _ in range(2):
        images = {side: specimen(side) for side in ("document-front", "selfie")}
        world.lab.individuals.upload_images(person.id, images)
        statuses.append(world.lab.individuals.wait(person.id).status)
    assert statuses == ["action_required", "active"]
    with pytest.raises(SimulatorError, match="verification_image_blurry"):
        world.person(outcomes=["blurry"])
