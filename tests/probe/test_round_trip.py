"""A probe finds the values of a service, for each value alone and for several together."""

from datetime import timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from paylab.corridors import examples
from paylab.lab.lab import connect
from paylab.probe.inquiry import Inquiry
from paylab.probe.probe import QUESTIONS, UNANSWERABLE, observe
from paylab.probe.report import ANSWERED, NOT_ASKED
from paylab.probe.requests import Requests
from paylab.simulator.simulator import Simulator
from paylab.spec import assumptions
from paylab.spec.service import Service
from paylab.spec.service_file import ServiceError

UNSEEN = {
    ("conversion_accounts.default_destination_currency", "usdc"): "an answer is in any letter case",
    ("conversion_accounts.default_destination_currency", "none"): "as if the field were required",
    ("statuses.conversion_accounts", ()): "that a status is never used is in no answer",
    **{
        (f"webhooks.{name}", value): "a probe would wait for minutes"
        for name in ("delays", "timeout")
        for value in assumptions.KEYS[f"webhooks.{name}"].others
    },
}
"""Values that a probe cannot find, each with the reason."""
SHOWN = "statuses.", *(f"deposit_instructions.{name}_" for name in ("mx", "ph", "crypto"))
"""Keys without a question of their own, whose values other answers show."""
ARRAYS = ("lists.webhook_subscriptions.",)
TERMINAL = "verification.terminal_codes"
WALLET_ID = "conversion_accounts.fields.payout_account_id"
CASES = [
    (key.name, value)
    for key in assumptions.KEYS.values()
    for value in key.others
    if (key.name, value) not in UNSEEN
]
SIGNED = ("signing.hash_encoding", "signing.empty_body", "signing.signed_path")
SOME = [*CASES[8::40], *(case for case in CASES if case[0] in SIGNED)]


def values_of(key, value):
    """A value, with the other values that are needed to observe it."""
    values = {key: value}
    if key.startswith(ARRAYS) and not key.endswith(".envelope"):
        values["lists.webhook_subscriptions.envelope"] = "object"
    if key == WALLET_ID:
        values["conversion_accounts.account_form"] = "id"
    return values


def prepared(key, value):
    """The function that prepares a simulator so that a value can be observed, or None."""
    if key.startswith("rate_limits."):
        return lambda lab, _: lab.simulator.faults.add("status", status=429, retry_after=1, times=1)
    if key.startswith("lists.") and key.rpartition(".")[2] in (
        "order",
        "default_limit",
        "max_limit",
    ):
        return many_rows
    table, _, name = key.partition(".")
    if table == "statuses" and name != "detail_codes":
        return lambda *both: put_row(*both, name, status=value[-1])
    if table == "deposit_instructions" and "_bank_" in name:
        return lambda *both: put_row(*both, "transfers", deposit_instructions=told(name))
    if key in ("statuses.detail_codes", TERMINAL):
        return lambda lab, simulator: rejections(lab, simulator, key, value)
    return None


def put_row(lab, simulator, kind, **fields):
    """Store a row that the simulator does not create by itself."""
    lab.simulator.seed(conversions=1)
    newest = max(simulator.world.tables[kind].rows.values(), key=lambda row: row["created_at"])
    simulator.world.put(kind, {**newest, **fields})


def told(name):
    """Deposit instructions whose details have every field of their type."""
    kind, start = name.partition(".")[0], f"deposit_instructions.{name.partition('.')[0]}.fields."
    details = {key.removeprefix(start): "1" for key in assumptions.KEYS if key.startswith(start)}
    return {"type": kind, "currency": "gbp", "payment_methods": ["wire"], "details": details}


def many_rows(lab, simulator):
    """Create more rows in every list than a page holds, each at another time."""
    lab.simulator.seed(conversions=220)
    person = lab.individuals.create(**examples.individual("MX", consent_at=lab.clock()))
    image = b"\x89PNG\r\n\x1a\n" + bytes(10_240)
    lab.individuals.upload_images(person.id, {"document-front": image, "selfie": image})
    simulator.advance(5)
    wallet = lab.financial_accounts.create(person.id, "crypto_wallet", dict(examples.WALLET))
    for number in range(60):
        simulator.advance(1)
        lab.individuals.create(**examples.recipient("GB"))
        lab.conversion_accounts.create(
            individual_id=person.id, payout_account=wallet.id, source_currency="mxn"
        )
        lab.webhook_subscriptions.create(f"https://example.com/{number}", ["transfer.expired"])


def rejections(lab, simulator, key, value):
    """Create an individual for each code of the value and of the default."""
    usual = assumptions.KEYS[key].default
    for code in dict.fromkeys((*value, *usual)):
        body = examples.individual("MX", consent_at=lab.clock())
        body["family_name"] = code.replace("_", " ").title()
        person = lab.individuals.create(**body)
        image = b"\x89PNG\r\n\x1a\n" + bytes(10_240)
        lab.individuals.upload_images(person.id, {"document-front": image, "selfie": image})
        simulator.advance(timedelta(seconds=5).total_seconds())


def check(ask, key, value):
    """Probe a simulator with a value, and require that the report has the same service."""
    values = values_of(key, value)
    report = ask(values, prepared(key, value), write=True, local=True, budget=400)
    assert report[key].outcome in ANSWERED, report[key].why
    assert report.service.diff() == Service(values).diff()
    assert report.service == Service(values)


@pytest.mark.parametrize(("key", "value"), SOME, ids=[f"{key}={value}" for key, value in SOME])
def test_a_value_comes_back(ask_simulator, key, value):
    """A probe finds the value, for a sample of all keys and values."""
    check(ask_simulator, key, value)


@pytest.mark.whole_table
@pytest.mark.parametrize(("key", "value"), CASES, ids=[f"{key}={value}" for key, value in CASES])
def test_every_value_comes_back(ask_simulator, key, value):
    """A probe finds every value of every key that can be observed from outside."""
    check(ask_simulator, key, value)


@st.composite
def services(draw):
    """Up to five values of different keys that do not contradict each other."""
    chosen = draw(
        st.lists(st.sampled_from(CASES), min_size=2, max_size=5, unique_by=lambda c: c[0])
    )
    values = {}
    for key, value in chosen:
        try:
            Service({**values, key: value})
        except ServiceError:
            continue
        values[key] = value
    return values


def nothing_is_wrong(ask, values):
    """Probe a simulator with these values, and require right answers and no remarks."""
    report, service = ask(values, write=True, local=True, budget=500), Service(values)
    answers = {each.key: each.value for each in report.where(*ANSWERED)}
    assert answers == {key: service.value(key) for key in answers}
    assert report.remarks == ()


@settings(max_examples=2, deadline=None, derandomize=True, suppress_health_check=HealthCheck)
@given(values=services())
def test_values_together_are_never_mistaken(ask_simulator, values):
    """With several values changed together, no answer is wrong."""
    nothing_is_wrong(ask_simulator, values)


@pytest.mark.whole_table
@settings(max_examples=150, deadline=None, suppress_health_check=HealthCheck)
@given(values=services())
def test_many_values_together_are_never_mistaken(ask_simulator, values):
    """With many random combinations of values, no answer is wrong."""
    nothing_is_wrong(ask_simulator, values)


def test_statuses_that_rows_have_are_learned():
    """Only statuses that the specification does not list are learned from rows."""
    with connect(simulator=Simulator(transfers=3)) as lab:
        inquiry = Inquiry(Requests(lab.client), Service())
        observe(
            inquiry, {"transfers": [{"status": "on_hold"}], "conversions": [{"status": "failed"}]}
        )
    assert inquiry.found["statuses.transfers"].value == ("on_hold",)
    assert not inquiry.knows("statuses.conversions")


def test_what_cannot_be_answered_is_named_with_a_reason(ask_simulator):
    """A key that no question answers has its reason, unless other answers show its value."""
    asked = {key for question in QUESTIONS for key in question.keys}
    findings = ask_simulator(budget=1).where(NOT_ASKED)
    reasons = {each.key: each.why for each in findings if each.key not in asked}
    for start, why in UNANSWERABLE.items():
        assert {reasons[key] for key in reasons if key.startswith(start)} == {why}
    assert [key for key in reasons if not key.startswith((*UNANSWERABLE, *SHOWN))] == []
    assert [each.key for each in findings if not each.why] == []
