"""A world in a file: kept over a restart, refused when it is another's, honest about the disk."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest

import paylab
from paylab.corridors import examples
from paylab.errors import SimulatorError
from paylab.simulator.simulator import Simulator

KEY = "6f1c1c5e-5f0b-4d51-9d0d-0e3a4c8f3b11"


@pytest.fixture
def path(tmp_path):
    """Where the file is."""
    return tmp_path / "world.db"


@pytest.fixture
def keep(path, in_process):
    """Makes a service on the file; the one before is let go of first."""
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
    """Rows, hidden parts, steps ahead, faults, subscriptions, events."""
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
    """People's document numbers are in it; whatever SQLite lays beside it too."""
    keep(transfers=1)
    assert {each.stat().st_mode & 0o777 for each in path.parent.iterdir()} == {0o600}


def test_what_was_planned_happens(keep):
    """A transfer half way through goes on, and the clock from where it was."""
    service = keep()
    made = service.transfer()
    service.advance(1.5)
    service = keep()
    assert service.get("/_simulator")["clock"]["now"] == "2026-01-15T12:00:01.500Z"
    service.advance(1.5)
    assert service.get(f"/v1/transfers/{made['id']}")["completed_in"] == "2"


def test_ids_never_repeat(keep):
    """Not even those of rows that are gone."""
    url = {"url": "https://e.co", "event_types": ["transfer.created"]}
    service = keep()
    gone = service.made("/v1/webhook_subscriptions", url)["id"]
    service.delete(f"/v1/webhook_subscriptions/{gone}")
    first = service.person()["id"]
    service = keep()
    assert service.made("/v1/webhook_subscriptions", url)["id"] != gone
    assert service.person()["id"] != first


def test_keys_still_replay(keep):
    """The same bytes as before the restart."""
    service = keep()
    account = service.payable()
    body = {
        "financial_account": {"id": account["id"]},
        "source_currency": "usd",
        "destination_currency": "mxn",
        "payout_method": "spei",
        "source_amount": "5",
    }
    first = service.post("/v1/transfers", body, idempotency_key=KEY)
    again = keep().post("/v1/transfers", body, idempotency_key=KEY)
    assert (again.body, again.headers["idempotency-replayed"]) == (first.body, "true")


def test_a_new_client_has_new_keys(path):
    """A kept world knows the keys of its clients; one that was not counted had one client."""
    found = []
    for at in range(3):
        with closing(Simulator(data=path)) as simulator:
            if at == 1:
                simulator.world.counters.pop("clients", None)
            lab = paylab.connect(simulator=simulator)
            people = lab.individuals.list()
            person = people.first() or lab.individuals.create(**examples.recipient("MX"))
            route = {"source_currency": "USD", "destination_currency": "MXN"}
            account = person.financial_accounts[0].id
            made = lab.transfers.create(account, **route, payout_method="spei", source_amount="5")
            found.append(made.id)
    assert len(set(found)) == 3


def test_deliveries_go_on(keep):
    """An attempt that was due after the restart is made."""
    url = {"url": "https://e.co", "event_types": ["transfer.created"]}
    service = keep(send=lambda url, body: 500)
    service.made("/v1/webhook_subscriptions", url)
    service.transfer()
    service = keep(send=lambda url, body: 200)
    service.advance(10)
    rows = service.get("/_simulator/deliveries").json
    assert [(row["attempt"], row["status"]) for row in rows] == [(1, 500), (2, 200)]


def test_order_of_creation_is_kept(keep):
    """A fault that struck does not go behind the others."""
    service = keep()
    for name in "ab":
        service.post("/_simulator/faults", {"kind": "html", "path": f"/v1/{name}", "times": 2})
    service.get("/v1/a")
    before = service.get("/_simulator/faults").json
    assert keep().get("/_simulator/faults").json == before


def test_a_reset_empties_the_file(keep):
    """And the next start fills it no more."""
    keep(transfers=5).post("/_simulator/reset", {})
    assert keep(transfers=5).get("/_simulator")["counts"]["transfers"] == 0


def test_a_snapshot_brings_no_other_keys(keep, make):
    """After a restart the keys are those the file began with."""
    service = keep()
    service.put("/_simulator/snapshot", make(seed=8).get("/_simulator/snapshot").body)
    key = service.simulator.api_key
    assert keep().simulator.api_key == key


def test_a_running_clock_runs_on(keep):
    """While nobody looks as well."""
    first = keep(frozen=False, speed=1000).simulator.world.now()
    assert keep(frozen=True).simulator.world.now() > first


def test_a_second_simulator(keep, path):
    """One clear sentence, and the first is not disturbed."""
    service = keep()
    with pytest.raises(SimulatorError, match="another simulator is using it") as raised:
        Simulator(data=path)
    assert str(path) in str(raised.value)
    assert service.person()["id"]


def spoil(path, statement):
    """Change the file behind the simulator's back."""
    with sqlite3.connect(path) as database:
        database.execute(statement)
    database.close()


def cut(path):
    """Keep the first half."""
    content = path.read_bytes()
    path.write_bytes(content[: len(content) // 2])


def scratch(path):
    """Overwrite everything but the first page."""
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
def test_a_corrupt_file(keep, path, harm):
    """One clear sentence that names the file."""
    keep(transfers=50).simulator.close()
    harm(path)
    with pytest.raises(SimulatorError, match="cannot be used for the simulator's data"):
        Simulator(data=path)


def test_another_programs_database(path):
    """It is left alone."""
    spoil(path, "CREATE TABLE theirs (x)")
    with pytest.raises(SimulatorError, match="another program"):
        Simulator(data=path)
    with sqlite3.connect(path) as database:
        assert database.execute("SELECT name FROM sqlite_master").fetchall() == [("theirs",)]


@pytest.mark.parametrize("name", ["", "no/such/folder/world.db"])
def test_no_place_for_a_file(tmp_path, name):
    """A folder, or nowhere."""
    with pytest.raises(SimulatorError, match="cannot be used for the simulator's data"):
        Simulator(data=tmp_path / name)


def full_disk(service, *, full):
    """Let the file grow no more, or again."""
    database = service.simulator._storage._db
    [pages] = database.execute("PRAGMA page_count").fetchone()
    database.execute(f"PRAGMA max_page_count = {pages if full else 10**9}")


def test_a_full_disk_is_not_acknowledged(keep):
    """507 that says so, until there is room; then what was tried is there or can be retried."""
    service = keep()
    account = service.payable()
    full_disk(service, full=True)
    answers = [
        service.post(
            "/v1/transfers",
            {
                "financial_account": {"id": account["id"]},
                "source_currency": "usd",
                "destination_currency": "mxn",
                "payout_method": "spei",
                "source_amount": "5",
            },
        )
        for _ in range(60)
    ]
    assert {answer.status for answer in answers} == {201, 507}
    assert "cannot be written" in answers[-1]["error"]
    full_disk(service, full=False)
    made = {answer["id"] for answer in answers if answer.status == 201}
    again = keep()
    kept = {row["id"] for row in again.get("/v1/transfers?limit=100")["data"]}
    assert made <= kept


def test_a_file_of_another_version_is_refused(keep, path):
    """With both numbers, and nothing in it is changed."""
    keep(transfers=1).simulator.close()
    with closing(sqlite3.connect(path)) as file:
        file.execute("PRAGMA user_version = 7")
    with pytest.raises(SimulatorError, match="format is 7, this version of paylab reads 1"):
        Simulator(data=path)
