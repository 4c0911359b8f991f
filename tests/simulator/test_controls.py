"""`lab.simulator`: faults, clock and scenarios by name, and saved state."""

from __future__ import annotations

import json
import pickle
import re
from datetime import timedelta

import pytest

import paylab
from paylab import errors
from paylab.corridors import examples
from paylab.lab import displays
from paylab.simulator.controls import Controls
from paylab.simulator.fault_kinds import FAULT_DETAILS, FAULT_KINDS, FaultDetails
from paylab.simulator.scenarios import name_field_scenarios
from paylab.simulator.simulator import Simulator
from paylab.spec import assumptions
from paylab.spec.codes import STATUS_DETAIL_CODES
from paylab.spec.service import Service

NAMED = name_field_scenarios(Service())
HOOK = "https://hooks.example.com/in"
IMAGE = b"\xff\xd8\xff\xe0" + b"x" * 20_000


@pytest.fixture
def lab():
    """A lab on a small embedded simulator."""
    return paylab.connect(simulator=Simulator(transfers=3))


@pytest.mark.parametrize(
    ("wrong", "nearest"),
    [
        (lambda controls: controls.scenarios.transfer_faild, "transfer_failed"),
        (lambda controls: controls.scenarios["blurry"], "verification_image_blurry"),
        (lambda controls: controls.faults.add("tiemout"), "timeout"),
        (lambda controls: controls.faults.drop(times=2), "drop_after"),
        (lambda controls: controls.faults.event_twice, "event_duplicate"),
    ],
)
def test_a_wrong_name_is_told_the_right_one(wrong, nearest):
    """An unknown name is not sent; the card of the error shows the nearest, pickle keeps it."""
    sent = []
    with pytest.raises(errors.UnknownNameError) as caught:
        wrong(Controls(lambda *request, **body: sent.append(request)))
    assert sent == []
    assert nearest in caught.value.nearest
    assert nearest in "".join(caught.value.card())
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)


@pytest.mark.parametrize("details", [{"tmies": 2}, {"pth": "/v1/*"}, {"probabilty": 0.5}])
def test_a_wrong_detail_is_told_the_right_one(lab, details):
    """An unknown detail of a fault is refused with the nearest name."""
    with pytest.raises(errors.BadRequestError, match=r"times|path|probability"):
        lab.simulator.faults.add("status", **details)


@pytest.mark.parametrize(
    ("given", "error", "words"),
    [
        (("transfers.create", "drop_after"), TypeError, "takes operation=, method=, path=, "),
        (("transfers.create",), errors.ArgumentError, r"write faults\.on\('transfers\.create', "),
        (("transfer.created",), errors.ArgumentError, r"write faults\.on\('transfer\.created', "),
    ],
)
def test_a_fault_that_is_added_as_on_takes_it_says_what_to_write(lab, given, error, words):
    """`on` takes the call first, `add` by name."""
    with pytest.raises(error, match=words):
        lab.simulator.faults.add(*given)
    assert lab.simulator.faults.list() == []


def test_the_names_of_details_are_those_that_are_checked():
    """The signature of `add` and the check of the simulator name the same details."""
    assert [*FaultDetails.__annotations__] == [*FAULT_DETAILS]


def test_every_kind_of_fault_is_a_method_that_tab_completes(lab):
    """Each kind is a method that `dir` lists and that adds one fault; repr and card list it."""
    assert {*FAULT_KINDS} <= {*dir(lab.simulator.faults)}
    for times, kind in enumerate(FAULT_KINDS, 1):
        effect = {"status": 418} if kind == "custom" else {}
        getattr(lab.simulator.faults, kind)(times=times, **effect)
    planned = [(fault["kind"], fault["left"]) for fault in lab.simulator.faults.list()]
    assert planned == [(kind, times) for times, kind in enumerate(FAULT_KINDS, 1)]
    assert all(kind in repr(lab.simulator.faults) for kind in FAULT_KINDS)
    assert all(kind in displays.show(lab.simulator.faults) for kind in FAULT_KINDS)


def test_the_card_names_every_control(lab):
    """The table of `lab.simulator` has each of its public names."""
    shown = re.sub("<[^>]*>", " ", displays.show(lab.simulator).replace("<wbr>", ""))
    names = [name for name in dir(lab.simulator) if not name.startswith("_")]
    assert [name for name in names if not re.search(rf"\b{name}\b", shown)] == []


def test_every_scenario_has_a_name_that_tab_completes(lab):
    """Each scenario and each status detail code is an attribute that `dir` lists."""
    scenarios = lab.simulator.scenarios
    assert {*STATUS_DETAIL_CODES} <= {*dir(scenarios)} == {*scenarios}
    listed = {(each.where, each.value) for each in assumptions.SCENARIOS}
    many = {"anything else", "the words of a status detail code, e.g. Verification Image Blurry"}
    named = {(each.where, each.value) for each in NAMED.values()}
    assert {value for _, value in listed - named} == many
    assert scenarios() == [vars(each) for each in assumptions.SCENARIOS]


def test_scenarios_show_as_a_table(lab):
    """The scenarios are shown as a table, escaped, with a label for an empty value."""
    shown = displays.show(lab.simulator.scenarios).replace("<wbr>", "")
    assert all(f">{name}<" in shown or f'title="{name}"' in shown for name in NAMED)
    assert "&quot;&quot; (empty)" in shown
    assert "transfer_failed" in repr(lab.simulator.scenarios)


@pytest.mark.parametrize("code", STATUS_DETAIL_CODES)
def test_a_scenario_by_name_comes_true(lab, code):
    """The verification of an individual whose family name is a scenario's value has its outcome."""
    scenario = lab.simulator.scenarios[code]
    fields = examples.individual("MX", consent_at=lab.simulator.clock.now)
    made = lab.individuals.create(**{**fields, "family_name": scenario})
    images = dict.fromkeys(("document-front", "document-back", "selfie"), IMAGE)
    lab.individuals.upload_images(made.id, images)
    lab.simulator.clock.advance(2)
    done = lab.individuals.get(made.id)
    found = [detail.code for detail in done.status_details or ()]
    assert (NAMED[code].outcome, found) == (f"{done.status} with {code}", [code])


def test_the_clock_can_be_read_advanced_by_a_span_sped_up_and_frozen(lab):
    """The clock can be read, advanced by a span, sped up and frozen."""
    clock = lab.simulator.clock
    before = clock.now
    clock.advance("24h")
    assert clock.now - before == timedelta(hours=24)
    clock.speed = 50
    assert (clock.speed, clock.frozen) == (50, False)
    clock.freeze()
    assert clock.frozen
    assert clock.now == clock.now


@pytest.mark.parametrize("span", ["a day", "", "24", "-1h", "1e9h", "24 moons"])
def test_a_span_that_is_none(lab, span):
    """An invalid span is refused with an example of a valid one."""
    with pytest.raises(errors.ArgumentError, match="24h"):
        lab.simulator.clock.advance(span)


@pytest.fixture
def saved(lab, tmp_path):
    """A lab with an individual and a subscription, and the file it was saved to."""
    person = examples.individual("MX", consent_at=lab.simulator.clock.now)
    lab.individuals.create(**person)
    lab.webhook_subscriptions.create(f"{HOOK}?token=t0ken", ["transfer.created"])
    path = lab.simulator.save(tmp_path / "bug.json")
    assert path.stat().st_mode & 0o777 == 0o600
    return lab, path


def test_a_saved_world_comes_back(saved):
    """Another simulator that loads the file has the same objects and summary."""
    lab, path = saved
    other = paylab.connect(simulator=Simulator())
    other.simulator.load(path)
    assert other.simulator.summary() == lab.simulator.summary()
    assert [each.id for each in other.transfers.list()] == [
        each.id for each in lab.transfers.list()
    ]
    assert other.webhook_subscriptions.list().first().url == HOOK


ROUTE = {"source_currency": "USD", "destination_currency": "MXN", "payout_method": "spei"}


def pay(lab, amount="10"):
    """Create another transfer to the first financial account found."""
    person = next(each for each in lab.individuals.list() if each.financial_accounts)
    account = person.financial_accounts[0].id
    return lab.transfers.create(account, **ROUTE, source_amount=amount, new=True)


@pytest.mark.parametrize("amount", ["10", "25"])
def test_a_loaded_world_takes_new_transfers(lab, tmp_path, amount):
    """After a load, new idempotency keys differ from all keys in the loaded state."""
    lab.individuals.create(**examples.recipient("MX"))
    ids = [pay(lab).id]
    path = lab.simulator.save(tmp_path / "one.json")
    other = paylab.connect(simulator=Simulator())
    other.simulator.load(path)
    ids += [pay(other, amount).id, pay(other, amount).id]
    other.simulator.save(path)
    third = paylab.connect(simulator=Simulator())
    third.individuals.create(**examples.recipient("MX"))
    pay(third)
    third.simulator.load(path)
    ids.append(pay(third, amount).id)
    assert len(set(ids)) == len(ids)


def test_a_restored_world_of_its_own_changes_no_key(lab):
    """Restoring its own snapshot does not change the next idempotency keys of a lab."""
    lab.individuals.create(**examples.recipient("MX"))
    pay(lab)
    snapshot = lab.simulator.snapshot()
    pay(lab)
    lab.simulator.restore(snapshot)
    made = pay(lab)
    assert not made.replayed
    same = paylab.connect(simulator=Simulator(transfers=3))
    same.individuals.create(**examples.recipient("MX"))
    for _ in range(3):
        pay(same)
    assert lab.calls[-1].idempotency_key == same.calls[-1].idempotency_key


def test_a_saved_world_is_readable_and_holds_no_secret(saved):
    """A saved file has many lines and contains no key, document number, name or URL token."""
    lab, path = saved
    text = path.read_text()
    keys = lab.settings.api_key.reveal(), lab.settings.secret_key.reveal()
    number = examples.PEOPLE["MX"]["document"]["number"]
    assert not any(secret in text for secret in (*keys, number, "t0ken"))
    assert text.count("\n") > 300
    assert '"given_name": "Ana"' not in text


def test_a_snapshot_goes_back_as_it_came(lab):
    """A snapshot that is restored after a reset gives the same summary."""
    before = lab.simulator.summary()
    snapshot = lab.simulator.snapshot()
    lab.simulator.reset()
    lab.simulator.restore(snapshot)
    assert lab.simulator.summary() == before


@pytest.mark.parametrize("text", ["", "{}", "[1]", "null", "{'a': 1}", "[" * 100_000, "\ud800"])
def test_a_file_that_is_no_world(lab, tmp_path, text):
    """A file that is not a saved state is refused with its name; the state stays the same."""
    path = tmp_path / "bug.json"
    path.write_bytes(text.encode(errors="surrogatepass"))
    with pytest.raises(errors.SimulatorError, match=r"bug\.json"):
        lab.simulator.load(path)
    assert len(list(lab.transfers.list())) == 3


def test_a_world_that_was_changed_by_hand(saved):
    """A saved file that was edited is refused; the state stays the same."""
    lab, path = saved
    path.write_text(json.dumps({**json.loads(path.read_text()), "seed": 8}))
    with pytest.raises(errors.BadRequestError, match="changed"):
        lab.simulator.load(path)
    assert lab.simulator.summary()["seed"] == 7


@pytest.mark.parametrize("code", ["verification_image_blurry", "verification_age_mismatch"])
def test_the_terminal_codes_are_those_of_the_service(code):
    """Scenarios and advice call a code final if the settings of the service do."""
    service = Service({"verification.terminal_codes": ["verification_image_blurry"]})
    lab = paylab.connect(simulator=Simulator(service=service))
    outcomes = {row["name"]: row["outcome"] for row in lab.simulator.scenarios.rows()}
    is_final = code in service.verification.terminal_codes
    assert outcomes[code].startswith("rejected") == is_final
    assert paylab.status.detail(code, service.verification.terminal_codes).terminal == is_final
    assert paylab.status.detail(code).terminal != is_final


def test_controls_without_a_service_have_the_usual_one():
    """A fault by the path of an operation, scenarios and requests need no `Service`."""
    lab = paylab.connect(simulator=Simulator())
    controls = Controls(lab.client.request)
    lab.transfers.list().to_list()
    with controls.faults.on("post /v1/transfers", "refuse") as fault:
        assert (fault["method"], fault["path"], fault["times"]) == ("POST", "/v1/transfers", 0)
    assert controls.scenarios.transfer_failed == "scenario:failed"
    assert [each.number for each in controls.requests] == [1]
