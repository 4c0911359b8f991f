"""State in a file: restored after a restart, protected, and checked on reading and writing."""

from __future__ import annotations

import sqlite3
import tracemalloc
from contextlib import closing
from uuid import UUID

import pytest

import paylab
from paylab.corridors import examples
from paylab.errors import SimulatorError
from paylab.simulator.simulator import Simulator
from paylab.simulator.storage import WorldStorage

KEY = "6f1c1c5e-5f0b-4d51-9d0d-0e3a4c8f3b11"


@pytest.fixture
def path(tmp_path):
    """The path of the data file."""
    return tmp_path / "world.db"


@pytest.fixture
def keep(path, in_process):
    """A function that closes the previous simulator and opens a new one on the same file."""
    opened = []

    def start(**options):
        for each in opened:
            each.close()
        opened.append(Simulator(data=path, **options))
        return in_process(opened[-1])

    yield start
    for each in opened:
        each.close()


def test_everything_is_there_again(keep):
    """A restart restores the whole state: rows, planned steps, faults, subscriptions, events."""
    service = keep(transfers=5)
    service.post("/v1/webhook_subscriptions", {"url": "https://e.co", "event_types": []})
    service.post("/_simulator/faults", {"kind": "html", "times": 3, "path": "/none"})
    service.deposit(service.on_ramp("MX"))
    service.transfer()
    before = service.get("/_simulator/snapshot").json
    again = keep(transfers=99, seed=8)
    assert again.get("/_simulator/snapshot").json == before
    assert again.simulator.api_key == service.simulator.api_key


def test_the_file_is_its_owners_alone(keep, path):
    """The file and SQLite's own files have mode 600: they contain document numbers."""
    keep(transfers=1)
    assert {each.stat().st_mode & 0o777 for each in path.parent.iterdir()} == {0o600}


def test_what_was_planned_happens(keep):
    """After a restart the clock continues from its time, and planned steps take place."""
    service = keep()
    made = service.transfer()
    service.advance(1.5)
    service = keep()
    assert service.get("/_simulator")["clock"]["now"] == "2026-01-15T12:00:01.500Z"
    service.advance(1.5)
    assert service.get(f"/v1/transfers/{made['id']}")["completed_in"] == "2"


def test_ids_never_repeat_after_a_restart(keep):
    """After a restart no id is used again, not even that of a deleted row."""
    url = {"url": "https://e.co", "event_types": ["transfer.created"]}
    service = keep()
    gone = service.made("/v1/webhook_subscriptions", url)["id"]
    service.delete(f"/v1/webhook_subscriptions/{gone}")
    first = service.person()["id"]
    service = keep()
    assert service.made("/v1/webhook_subscriptions", url)["id"] != gone
    assert service.person()["id"] != first


def transfer_of_five(service):
    """The body of a transfer of 5 dollars to a new account."""
    return {
        "financial_account": {"id": service.payable()["id"]},
        "source_currency": "usd",
        "destination_currency": "mxn",
        "payout_method": "spei",
        "source_amount": "5",
    }


def test_after_a_restart_an_idempotency_key_replays_the_same_bytes(keep):
    """After a restart an idempotency key replays the same bytes."""
    service = keep()
    body = transfer_of_five(service)
    first = service.post("/v1/transfers", body, idempotency_key=KEY)
    again = keep().post("/v1/transfers", body, idempotency_key=KEY)
    assert (again.body, again.headers["idempotency-replayed"]) == (first.body, "true")


def test_a_new_client_has_new_keys(path):
    """Each new client of a file uses new keys on purpose."""
    found = []
    for _ in range(3):
        with closing(Simulator(data=path)) as simulator:
            lab = paylab.connect(simulator=simulator)
            people = lab.individuals.list()
            person = people.first() or lab.individuals.create(**examples.recipient("MX"))
            route = {"source_currency": "USD", "destination_currency": "MXN"}
            account = person.financial_accounts[0].id
            made = lab.transfers.create(
                account, **route, payout_method="spei", source_amount="5", new=True
            )
            found.append(made.id)
    assert len(set(found)) == 3


def test_a_delivery_that_failed_before_a_restart_is_retried_after_it(keep):
    """A delivery that failed before a restart is retried after it."""
    url = {"url": "https://e.co", "event_types": ["transfer.created"]}
    service = keep(send=lambda url, body: 500)
    service.made("/v1/webhook_subscriptions", url)
    service.transfer()
    service = keep(send=lambda url, body: 200)
    service.advance(10)
    rows = service.get("/_simulator/deliveries").json
    assert [(row["attempt"], row["status"]) for row in rows] == [(1, 500), (2, 200)]


def test_order_of_creation_is_kept(keep):
    """After a restart the faults are in the same order, also one that has applied."""
    service = keep()
    for name in "ab":
        service.post("/_simulator/faults", {"kind": "html", "path": f"/v1/{name}", "times": 2})
    service.get("/v1/a")
    before = service.get("/_simulator/faults").json
    assert keep().get("/_simulator/faults").json == before


def test_a_reset_empties_the_file(keep):
    """After a reset, a restart does not seed transfers again."""
    keep(transfers=5).post("/_simulator/reset", {})
    assert keep(transfers=5).get("/_simulator")["counts"]["transfers"] == 0


def test_a_snapshot_brings_no_other_keys(keep, make):
    """Loading a snapshot does not change the keys of the file."""
    service = keep()
    service.put("/_simulator/snapshot", make(seed=8).get("/_simulator/snapshot").body)
    key = service.simulator.api_key
    assert keep().simulator.api_key == key


def test_a_running_clock_runs_on(keep):
    """A running clock continues while the simulator is closed."""
    first = keep(frozen=False, speed=1000).simulator.world.now()
    assert keep(frozen=True).simulator.world.now() > first


@pytest.mark.parametrize(
    ("control", "body"),
    [("clock", {"advance_seconds": 90}), ("clock", {"speed": 5, "frozen": True}), ("reset", {})],
)
def test_the_clock_is_stored_without_another_change(keep, control, body):
    """A restart continues with the clock as a control left it, and does not seed again."""
    service = keep(transfers=3)
    service.advance(7)
    left = service.post(f"/_simulator/{control}", body).json
    assert keep(transfers=3).get("/_simulator").json == left


def test_a_second_simulator_on_the_file_is_refused_with_its_path(keep, path):
    """A second simulator on the file is refused with its path; the first continues to work."""
    service = keep()
    with pytest.raises(SimulatorError, match="another simulator is using it") as raised:
        Simulator(data=path)
    assert str(path) in str(raised.value)
    assert service.person()["id"]


def spoil(path, statement):
    """Change the file with an SQL statement."""
    with sqlite3.connect(path) as database:
        database.execute(statement)
    database.close()


def cut(path):
    """Truncate the file to its first half."""
    content = path.read_bytes()
    path.write_bytes(content[: len(content) // 2])


def scratch(path):
    """Overwrite everything after the first page."""
    content = path.read_bytes()
    path.write_bytes(content[:4096] + b"\xa5" * (len(content) - 4096))


@pytest.mark.parametrize(
    "harm",
    [
        lambda path: path.write_bytes(b"not a database, and quite long enough to tell" * 100),
        cut,
        scratch,
        lambda path: spoil(path, "UPDATE facts SET body = '{'"),
        lambda path: spoil(path, "UPDATE facts SET body = 'null'"),
        lambda path: spoil(path, "DELETE FROM facts WHERE name = 'clock'"),
        lambda path: spoil(path, "UPDATE rows SET body = '[]'"),
        lambda path: spoil(path, "UPDATE rows SET body = '{}'"),
        lambda path: spoil(path, "UPDATE rows SET kind = 'nothing'"),
        lambda path: spoil(path, "DROP TABLE rows"),
    ],
)
def test_a_corrupt_file_is_refused_with_a_clear_error(keep, path, harm):
    """A corrupt file is refused with a clear error."""
    keep(transfers=50).simulator.close()
    harm(path)
    with pytest.raises(SimulatorError, match="cannot be used for the simulator's data"):
        Simulator(data=path)


def test_the_database_of_another_program_is_refused_and_stays_unchanged(path):
    """The database of another program is refused and stays unchanged."""
    spoil(path, "CREATE TABLE theirs (x)")
    with pytest.raises(SimulatorError, match="another program"):
        Simulator(data=path)
    with sqlite3.connect(path) as database:
        assert database.execute("SELECT name FROM sqlite_master").fetchall() == [("theirs",)]


@pytest.mark.parametrize("name", ["", "no/such/folder/world.db"])
def test_a_folder_is_no_place_for_the_file(tmp_path, name):
    """A folder, or a path in a missing folder, is refused."""
    with pytest.raises(SimulatorError, match="cannot be used for the simulator's data"):
        Simulator(data=tmp_path / name)


def full_disk(service, *, full):
    """Stop the file from growing, or allow it again."""
    database = service.simulator._storage._db
    [pages] = database.execute("PRAGMA page_count").fetchone()
    database.execute(f"PRAGMA max_page_count = {pages if full else 10**9}")


def test_a_full_disk_is_not_acknowledged(keep):
    """A request that cannot be saved returns 507; a retry makes its transfer, and only once."""
    service = keep()
    body = transfer_of_five(service)

    def pay(at):
        return service.post("/v1/transfers", body, idempotency_key=str(UUID(int=at)))

    full_disk(service, full=True)
    answers = [pay(at) for at in range(60)]
    assert {answer.status for answer in answers} == {201, 507}
    assert "cannot be written" in answers[-1]["error"]
    full_disk(service, full=False)
    seen = service.get("/_simulator/requests").json[-60:]
    assert [row["status"] for row in seen] == [answer.status for answer in answers]
    again = [pay(at) for at in range(60)]
    made = {answer["id"] for answer in again if answer.status == 201}
    assert {answer["id"] for answer in answers if answer.status == 201} < made
    kept = [row["id"] for row in keep().get("/v1/transfers?limit=100")["data"]]
    assert (len(kept), {*kept}) == (60, made)


def content(path):
    """The format number and the statements of a file."""
    with closing(sqlite3.connect(path)) as file:
        [[version]] = file.execute("PRAGMA user_version")
        return version, list(file.iterdump())


def test_a_file_of_another_version_is_refused(keep, path):
    """A file of another format is refused with both format numbers, and does not change."""
    keep(transfers=1).simulator.close()
    with closing(sqlite3.connect(path)) as file:
        file.execute("PRAGMA user_version = 7")
    before = content(path)
    with closing(sqlite3.connect(path)) as file:
        assert file.execute("PRAGMA application_id").fetchone() == (0x7061796C,)
    with pytest.raises(SimulatorError, match="format is 7, this version of paylab reads 1"):
        Simulator(data=path)
    assert content(path) == before


def test_rows_are_written_without_the_text_of_all_in_memory(tmp_path):
    """Writing a new file takes a small part of the memory that its text has."""
    path = tmp_path / "world.db"
    world = Simulator(transfers=1000).world
    world.extend("transfers", [*world.tables["transfers"].rows.values()])
    with closing(WorldStorage(path)) as storage:
        tracemalloc.start()
        try:
            storage.save(world)
            _, peak_bytes = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
    assert peak_bytes < path.stat().st_size / 4
