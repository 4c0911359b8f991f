"""A changed snapshot is either loaded completely or refused without an effect."""

from __future__ import annotations

import copy
import json
import random

import pytest

import paylab
from paylab.client import decoding
from paylab.simulator.storage import checksum

WRONG = (None, True, 7, -1, 1e300, "", "x", "é\ud800", [], [None], {}, {"id": 7}, "9999-99-99")


@pytest.fixture(scope="module")
def whole(module_service):
    """A snapshot with objects of every kind and planned steps."""
    service = module_service
    service.post("/_simulator/seed", {"transfers": 3})
    url = {"url": "https://e.co", "event_types": ["transfer.created", "conversion.created"]}
    service.made("/v1/webhook_subscriptions", url)
    service.post("/_simulator/seed", {"conversions": 2})
    for kind in ("event_delay", "status"):
        service.post("/_simulator/faults", {"kind": kind, "path": "/none", "times": 2})
    service.deposit(service.on_ramp("MX"))
    service.on_ramp("PH")
    service.transfer(client_reference_id="scenario:under_review")
    service.advance(1.5)
    service.transfer()
    owner = service.active("MX", "off_ramp")
    wallet, account = service.wallet(owner), service.account(owner)
    assert wallet["id"] != account["id"]
    price = {
        "financial_account": {"id": account["id"]},
        "payout_method": "spei",
        "destination_currency": "mxn",
        "source_amount": "5",
        "source_currency": "usdc",
        "source_network": "base",
    }
    service.made("/v1/quotes", price)
    key = "6f1c1c5e-5f0b-4d51-9d0d-0e3a4c8f3b11"
    service.post("/v1/transfers", price | {"source_type": "deposit"}, idempotency_key=key)
    service.person("MX", "on_ramp")
    return service.get("/_simulator/snapshot").body


@pytest.fixture
def service(make, whole):
    """A client of a simulator with this snapshot."""
    service = make(send=lambda url, body: 500)
    assert service.put("/_simulator/snapshot", whole).status == 200
    return service


def put(service, dump):
    """Load a snapshot with a recomputed checksum."""
    dump = {name: value for name, value in dump.items() if name != "checksum"}
    body = json.dumps({**dump, "checksum": checksum(dump)}).encode()
    return service.put("/_simulator/snapshot", body)


def places(value, path=()):
    """The path of every value inside a value."""
    items = value.items() if isinstance(value, dict) else enumerate(value)
    for name, inner in items:
        yield (*path, name)
        if isinstance(inner, dict | list):
            yield from places(inner, (*path, name))


def mutated(dump, draw, spots):
    """A copy of the snapshot with one to three values replaced, removed or doubled."""
    dump = copy.deepcopy(dump)
    for path in draw.sample(spots, draw.randint(1, 3)):
        try:
            holder = dump
            for name in path[:-1]:
                holder = holder[name]
            way = draw.random()
            if way < 0.6:
                holder[path[-1]] = copy.deepcopy(draw.choice(WRONG))
            elif way < 0.85:
                del holder[path[-1]]
            elif isinstance(holder, list):
                holder.append(copy.deepcopy(holder[path[-1]]))
        except (LookupError, TypeError):
            continue  # an earlier change removed this path
    return dump


def use(service):
    """Read all lists, let the planned steps run, deposit and pay again."""
    # A changed fault may strike these requests.
    answers = [service.get("/_simulator/faults"), service.delete("/_simulator/faults")]
    lists = ("individuals", "transfers", "conversions", "conversion_accounts")
    answers += [service.get(f"/v1/{name}?limit=100") for name in lists]
    answers += [service.get(f"/_simulator/{name}") for name in ("events", "deliveries")]
    answers += [service.get("/_simulator/snapshot"), service.advance(2)]
    account = next(iter(service.get("/v1/conversion_accounts").json.get("data", [])), None)
    answers += [service.deposit(account)] if account else []
    for name in ("individuals", "transfers", "conversion_accounts"):
        rows = service.get(f"/v1/{name}").json.get("data", [])
        answers += [service.get(f"/v1/{name}/{row['id']}") for row in rows]
    answers.append(service.advance(7200))
    assert {answer.status for answer in answers} <= {200, 201, 204, 422}
    service.transfer()


def attack(service, count, seed):
    """The number of mutated snapshots loaded and refused; check the state after each."""
    draw, good = random.Random(seed), service.get("/_simulator/snapshot").json
    spots, told = list(places(good)), {200: 0, 400: 0}
    for _ in range(count):
        put(service, good)
        before = service.get("/_simulator/snapshot").body
        answer = put(service, mutated(good, draw, spots))
        told[answer.status] += 1
        if answer.status == 200:
            use(service)
        else:
            assert answer["error"]
            assert service.get("/_simulator/snapshot").body == before
    return told


def test_a_mutated_snapshot_either_gives_a_working_state_or_changes_nothing(service):
    """A mutated snapshot either gives a working state or changes nothing."""
    told = attack(service, 25, seed=1)
    assert min(told.values()) > 3


def test_a_large_snapshot_goes_over_http(server, monkeypatch):
    """A state that is larger than any other answer may be is saved and loaded over HTTP."""
    # A state of 8 MiB takes ten seconds.
    monkeypatch.setattr(decoding, "BODY_BYTES_MAX", decoding.BODY_BYTES_MAX // 32)
    keys = server.simulator.api_key, server.simulator.secret_key
    with paylab.connect(server.base_url, *keys) as lab:
        lab.simulator.seed(transfers=400)
        snapshot = lab.simulator.snapshot()
        assert len(json.dumps(snapshot)) > decoding.BODY_BYTES_MAX
        lab.simulator.reset()
        lab.simulator.restore(snapshot)
        assert lab.simulator.snapshot() == snapshot


@pytest.mark.parametrize(
    ("change", "field"),
    [
        (lambda d: d["tables"]["transfers"].append(7), "tables.transfers"),
        (lambda d: d["tables"]["transfers"][0].pop("status"), "status"),
        (lambda d: d["tables"]["transfers"][0].update(recipient_id="ind_no"), "recipient_id"),
        (
            lambda d: d["tables"]["transfers"][0].update(deposit_instructions={"type": "x"}),
            "deposit_instructions",
        ),
        (lambda d: d["tables"]["individuals"][0]["_"].update(specimens=["x"]), "specimens"),
        (
            lambda d: d["tables"]["transfers"][0].update(created_at="2026-13-01T00:00:00.000Z"),
            "created_at",
        ),
        (lambda d: d["tables"]["timers"][0].update(step="explode"), "step"),
        (lambda d: d["tables"]["events"].append(d["tables"]["events"][0]), "duplicate"),
        (lambda d: d["tables"].update(secrets=[]), "tables.secrets"),
        (lambda d: d["clock"].update(base="yesterday"), "clock.base"),
        (lambda d: d["clock"].update(frozen="true"), "clock.frozen"),
        (lambda d: d["clock"].update(frozen=False), "clock"),
        (lambda d: d.update(seed="7"), "seed"),
        (lambda d: d["counters"].update(transfers="9"), "counters"),
        (lambda d: d.update(paylab_snapshot=2), "format"),
        (lambda d: d.pop("paylab_snapshot"), "not a snapshot"),
    ],
)
def test_what_is_wrong_is_named(service, change, field):
    """The error names the invalid field by its path in the snapshot."""
    dump = service.get("/_simulator/snapshot").json
    change(dump)
    answer = put(service, dump)
    assert (answer.status, field in answer["error"]) == (400, True), answer.body


FAULT = {"kind": "status", "method": "GET", "path": "/v1/transfers/none"}


@pytest.mark.parametrize(
    ("change", "status"),
    [
        (lambda d: d["counters"].update(transfers=2**53), 200),
        (lambda d: d["counters"].update(transfers=2**53 + 1), 400),
        (lambda d: d["counters"].update(transfers=0), 200),
        (lambda d: d["counters"].update(transfers=-1), 400),
        (lambda d: d["clock"].update(base="9000-01-01T00:00:00.000Z"), 200),
        (lambda d: d["clock"].update(base="9000-01-01T00:00:00.001Z"), 400),
        (lambda d: d["clock"].update(speed=0), 400),
        (lambda d: d["clock"].update(frozen=False, since=7), 200),
        (lambda d: d["tables"]["faults"][0].update(status=None), 400),
        (lambda d: d["tables"]["faults"][0].pop("times"), 400),
        (lambda d: d["tables"]["faults"][0].update(kind="custom", status=None, body="x"), 200),
        (lambda d: d["tables"]["faults"][0].update(kind="custom", times=None, body="x"), 400),
        (lambda d: d["tables"]["faults"].append(7), 400),
        (lambda d: d.update(service=[]), 200),
        (lambda d: d.update(service=[1]), 400),
    ],
)
def test_numbers_and_times_are_loaded_up_to_their_limits(make, change, status):
    """Numbers and times are loaded up to their limits; a fault needs the numbers of its kind."""
    service = make()
    service.post("/_simulator/faults", FAULT)
    dump = service.get("/_simulator/snapshot").json
    change(dump)
    assert put(service, dump).status == status


def test_the_problems_of_a_snapshot_are_limited(service):
    """Of many problems the first twenty are listed."""
    dump = service.get("/_simulator/snapshot").json
    dump["tables"]["events"] = [{"id": str(number)} for number in range(30)]
    assert len(put(service, dump)["errors"]) == 20


def test_an_id_that_is_taken_is_not_given_out_again(service):
    """After a snapshot with a too low counter, a new row gets an unused id."""
    dump = service.get("/_simulator/snapshot").json
    made = service.transfer()
    dump["tables"] = service.get("/_simulator/snapshot").json["tables"]
    put(service, dump)
    assert service.transfer()["id"] != made["id"]
