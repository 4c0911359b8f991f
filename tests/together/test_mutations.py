"""Mutated files, texts and messages end in a result or an error of paylab, and nothing else."""

from __future__ import annotations

import json
import tomllib

import pytest
from mutations import (
    NOT_NUMBERS,
    VALUES,
    json_text,
    mutated_text,
    mutated_value,
    places,
    unexpected,
    written,
)

import paylab
from paylab import emvqr
from paylab.errors import PaylabError
from paylab.journal.har import write_har
from paylab.readiness.files import read_har_rows, read_report, write_report
from paylab.readiness.judgement import judge
from paylab.simulator.messages import Request
from paylab.simulator.simulator import Simulator
from paylab.simulator.storage import checksum
from paylab.spec.service import Service
from paylab.views.readiness import readiness_page

COUNTS = [60, pytest.param(2000, marks=pytest.mark.whole_table)]
PERSON = paylab.examples.recipient("CO")
QR = emvqr.qrph(
    acquirer="PAYLPHM0XXX", account="900100200300", name="Ana", city="Manila", amount="10.50"
)


@pytest.fixture(scope="module")
def recording(tmp_path_factory):
    """A HAR file of a few calls, parsed."""
    path = tmp_path_factory.mktemp("har") / "calls.har"
    lab = paylab.connect()
    with lab.record(path):
        lab.transfers.list(limit=2).first()
        person = lab.individuals.create(**PERSON)
        lab.individuals.get(person.id)
    return json.loads(path.read_text())


@pytest.mark.parametrize("count", COUNTS)
def test_a_har_file_is_replayed_or_refused_with_an_error_that_says_why(tmp_path, recording, count):
    """A HAR file is replayed, or refused with an error that says why."""
    path, spots = tmp_path / "calls.har", list(places(recording))

    def make(random):
        if random.random() < 0.8:
            return written(json_text(random, mutated_value(random, recording, spots)))
        return written(mutated_text(random, json.dumps(recording)))

    def read(data):
        path.write_bytes(data)
        lab = paylab.connect(replay=path)
        for call in (lab.transfers.list(limit=2).first, lambda: lab.individuals.get("ind_1")):
            try:
                call()
            except PaylabError:
                continue

    assert unexpected(read, make, range(count)) == []


@pytest.mark.parametrize("count", COUNTS)
def test_a_mutated_service_file_is_used_or_refused_with_its_line(tmp_path, count):
    """A service.toml is read and used, or refused with the line and the key."""
    path, values = tmp_path / "service.toml", tomllib.loads(SERVICE.to_toml())
    spots = list(places(values))

    def make(random):
        if random.random() < 0.5:
            return written(mutated_text(random, SERVICE.to_toml()))
        return written(toml_text(mutated_value(random, values, spots)))

    def read(data):
        path.write_bytes(data)
        service = Service.load(path)
        service.diff()
        paylab.connect(service=service).transfers.list(limit=2).first()

    assert unexpected(read, make, range(count)) == []


SERVICE = Service(
    {
        "signing.tolerance": 60,
        "rate_limits.header": "X-Wait",
        "currencies.case": "upper",
        "lists.limit_parameter": "page_size",
        "individuals.required": ["given_name", "family_name"],
        "paths.create_transfer": "/v2/transfers",
    }
)


def toml_text(values):
    """TOML of tables; a value that TOML does not have stays JSON."""
    lines = []
    for table, inside in values.items():
        is_table = isinstance(inside, dict)
        lines.append(f"[{table}]" if is_table else f"{table} = {json.dumps(inside)}")
        members = inside.items() if is_table else ()
        lines += [f"{name} = {json.dumps(value)}" for name, value in members]
    return "\n".join(lines)


@pytest.mark.parametrize("count", COUNTS)
def test_an_emv_text_is_parsed_checked_and_built_again_or_refused(count):
    """An EMV text is parsed, checked and built again, or refused."""

    def read(text):
        emvqr.check(text)
        payload = emvqr.parse(text, verify=len(text) % 2 == 0)
        names = ("amount", "currency", "issuer", "is_static", "crc", "country", "scheme")
        assert all(hasattr(payload, name) for name in (*names, "__repr__"))
        emvqr.build(payload)
        emvqr.build(payload.tree())

    def make(random):
        return resealed(random, mutated_text(random, QR))

    assert unexpected(read, make, range(count)) == []


def resealed(random, text):
    """A text, mostly with the CRC that fits, so that its fields are read."""
    if random.random() < 0.3 or len(text) < 8:
        return text
    try:
        return text[:-4] + emvqr.crc(text[:-4])
    except PaylabError:
        return text


@pytest.mark.parametrize("count", COUNTS)
def test_a_tree_of_fields_is_built_or_refused(count):
    """A tree of fields is built, or refused."""
    tree = emvqr.parse(QR).tree()
    spots = list(places(tree))

    def make(random):
        return mutated_value(random, tree, spots)

    assert unexpected(emvqr.build, make, range(count)) == []


@pytest.mark.parametrize("count", COUNTS)
def test_a_qr_ph_text_is_made_of_its_parts_or_refused(count):
    """A QR Ph text is made of its parts, or refused; a part that is not there is a TypeError."""
    parts = {"acquirer": "PAYLPHM0XXX", "account": "900100200300", "name": "Ana", "city": "Cebu"}
    parts |= {"amount": "10.50", "reference": "R1"}

    def make(random):
        return {**parts, **dict(random.sample(list(mutated_value(random, parts).items()), 1))}

    def read(made):
        return emvqr.qrph(**{name: made[name] for name in parts})

    assert unexpected(read, make, range(count)) == []


@pytest.fixture(scope="module")
def world():
    """A snapshot with objects of most kinds, and planned steps."""
    lab = paylab.connect(simulator=Simulator())
    lab.simulator.seed(transfers=1, conversions=1)
    lab.webhook_subscriptions.create(
        url="https://hooks.example.com/in", event_types=["transfer.created"]
    )
    lab.individuals.create(**PERSON)
    lab.simulator.clock.advance(1)
    return lab.simulator.snapshot()


def answer(simulator, method, path, body=b""):
    """The answer of a simulator; an internal error is none."""
    made = Request(method, path, "", {"content-type": "application/json"}, body, is_trusted=True)
    reply = simulator.respond(made)
    assert reply.status != 500, reply.body
    return reply


STEPS = (
    ("GET", "/v1/transfers", None),
    ("GET", "/v1/conversions", None),
    ("GET", "/_simulator/events", None),
    ("POST", "/_simulator/clock", {"advance_seconds": 3600}),
    ("POST", "/v1/individuals", PERSON),
    ("GET", "/_simulator/snapshot", None),
)
"""What a world that was loaded is asked."""


@pytest.mark.parametrize("count", COUNTS)
def test_snapshots_that_are_put(world, count):
    """A snapshot is loaded and then used, or refused."""
    spots = list(places(world))

    def make(random):
        if random.random() < 0.2:
            return written(mutated_text(random, json.dumps(world)))
        dump = mutated_value(random, world, spots)
        if random.random() < 0.8:
            dump.pop("checksum", None)
            dump["checksum"] = checksum(dump)
        return written(json_text(random, dump))

    def read(body):
        simulator = Simulator()
        if answer(simulator, "PUT", "/_simulator/snapshot", body).status < 300:
            for method, path, sent in STEPS:
                answer(simulator, method, path, json.dumps(sent).encode() if sent else b"")

    assert unexpected(read, make, range(count)) == []


@pytest.mark.parametrize("count", [30, pytest.param(500, marks=pytest.mark.whole_table)])
def test_a_saved_world_is_loaded_or_refused(tmp_path, world, count):
    """A saved world is loaded, or refused."""
    path, spots = tmp_path / "world.json", list(places(world))
    lab = paylab.connect(simulator=Simulator())

    def make(random):
        if random.random() < 0.6:
            return written(json_text(random, mutated_value(random, world, spots)))
        return written(mutated_text(random, json.dumps(world)))

    def read(data):
        path.write_bytes(data)
        lab.simulator.load(path)

    assert unexpected(read, make, range(count)) == []


MESSAGES = ("ready", "press", "input", "leave", "start", "slice", "cancel", "refuse", "remove")
FORMS = {
    "onboarding": lambda lab: lab.forms.onboarding("MX"),
    "wallet": lambda lab: lab.forms.wallet("ind_1", example=True),
    "recipient": lambda lab: lab.forms.recipient("PH", example=True),
    "onramp": lambda lab: lab.forms.onramp("MX"),
}


@pytest.mark.parametrize("name", FORMS)
@pytest.mark.parametrize("count", [30, pytest.param(500, marks=pytest.mark.whole_table)])
def test_a_message_of_any_shape_changes_a_form_or_nothing(name, count):
    """A message of any shape from a browser, or any state, changes a form or nothing."""
    form = FORMS[name](paylab.connect())
    form.view.receive({"kind": "ready"}, [])
    ids = list(form.view._nodes_by_id)

    def make(random):
        message = {
            "kind": random.choice((*MESSAGES, "look")),
            "node": random.choice(ids),
            "value": random.choice((*VALUES, *NOT_NUMBERS)),
            "id": "a",
            "name": "photo.png",
            "size": 100,
            "at": 0,
            "n": random.randrange(9),
            "view": "v",
        }
        buffers = random.choice(([], [b"x" * 100], [memoryview(b"abc")], None, ["x"], 7, [None]))
        if random.random() < 0.5:
            return message, buffers
        change = random.random() < 0.1
        return (random.choice(VALUES) if change else mutated_value(random, message)), buffers

    def read(sent):
        form.view.receive(*sent)
        form.view.set_state(sent[0])
        form.view.receive({"kind": "ready"}, [])

    assert unexpected(read, make, range(count)) == []


@pytest.fixture(scope="module")
def journal_files(tmp_path_factory):
    """A HAR file of a journal and a report of a test run, parsed."""
    folder = tmp_path_factory.mktemp("journal")
    lab = paylab.connect(simulator=Simulator())
    person = lab.individuals.create(**PERSON)
    lab.individuals.get(person.id)
    lab.transfers.list(limit=2).first()
    rows = lab.simulator.journal()
    write_report({"w": rows}, folder / "report.json")
    return {
        read_har_rows: json.loads(write_har(rows, "http://x", folder / "j.har").read_text()),
        read_report: json.loads((folder / "report.json").read_text()),
    }


@pytest.mark.parametrize("read_file", [read_har_rows, read_report])
@pytest.mark.parametrize("count", COUNTS)
def test_a_journal_in_a_file_is_judged_or_refused(tmp_path, journal_files, read_file, count):
    """A HAR file or a report of a test run is judged, or refused."""
    path, seed = tmp_path / "journal.json", journal_files[read_file]
    spots = list(places(seed))

    def make(random):
        return written(json_text(random, mutated_value(random, seed, spots)))

    def read(content):
        path.write_bytes(content)
        rows = read_file(path)
        readiness = judge(rows if isinstance(rows, dict) else {"": rows})
        readiness.text()
        json.dumps(readiness.to_json())
        readiness_page(readiness)

    read(written(json.dumps(seed)))
    assert unexpected(read, make, range(count)) == []
