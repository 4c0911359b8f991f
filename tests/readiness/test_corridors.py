"""Corridors: each that an integration uses must complete once, and fail once."""

import contextlib

import pytest
from good_integration import GoodIntegration, ServiceError
from readiness_stage import Stage


@pytest.fixture
def stage():
    """A stage with a careful integration, which has accounts to pay to."""
    stage = Stage()
    program = GoodIntegration(stage)
    stage.program = program
    program.person = program.onboard("Ana", "Ruiz")
    program.bank = program.add_bank(program.person)
    program.wallet = program.add_wallet(program.person)
    return stage


def open_account(program):
    """A conversion account without a deposit."""
    return program.open_account(program.person, program.wallet, "account")


def deposit(stage, account, *sender_names):
    """Deposits into an account, and a look at the conversions."""
    for sender_name in sender_names:
        stage.program.deposit(account, "10.00", "mxn", sender_name)
    stage.sleep(10)
    stage.program.conversions()


@pytest.mark.parametrize(
    ("sender_names", "missing"),
    [
        ((), ["completed", "failed"]),
        (("Ana Ruiz",), ["failed"]),
        (("Scenario Failed",), ["completed"]),
        (("",), ["completed", "failed"]),
        (("Ana Ruiz", "Scenario Failed"), []),
    ],
)
def test_an_on_ramp_needs_a_conversion_of_each_end(stage, sender_names, missing):
    """A conversion that is held for review has no end."""
    deposit(stage, open_account(stage.program), *sender_names)
    judged = stage.readiness()["payments.on-ramps"]
    names = ", ".join(f"MXN to a stablecoin, {outcome}" for outcome in missing)
    assert judged.remark == (f"Not seen yet: {names}." if missing else "")
    assert judged.verdict == ("not seen" if missing else "shown")


def test_a_conversion_counts_only_when_the_integration_was_told(stage):
    """A deposit whose conversion nobody reads shows nothing."""
    account = open_account(stage.program)
    for sender_name in ("Ana Ruiz", "Scenario Failed"):
        stage.program.deposit(account, "10.00", "mxn", sender_name)
    stage.sleep(10)
    assert stage.readiness()["payments.on-ramps"].verdict == "not seen"


def test_conversions_of_other_accounts_do_not_count(stage):
    """The list has those of all accounts; the integration uses one."""
    stage.controls.seed(conversions=40)
    open_account(stage.program)
    listed = {row["status"] for row in stage.program.conversions()}
    assert listed == {"completed", "failed"}
    assert stage.readiness()["payments.on-ramps"].evidence == ()


def test_a_conversion_is_told_by_an_event(stage):
    """The evidence is the delivery."""
    url = "https://integration.example/hook"
    types = ["conversion.completed", "conversion.failed"]
    body = {"url": url, "event_types": types}
    stage.program.call("POST", "/v1/webhook_subscriptions", body)
    stage.handler = lambda event: 200
    stage.simulator.delivery.local_receivers[url] = stage.receive
    account = open_account(stage.program)
    for sender_name in ("Ana Ruiz", "Scenario Failed"):
        stage.program.deposit(account, "10.00", "mxn", sender_name)
    stage.sleep(10)
    judged = stage.readiness()["payments.on-ramps"]
    assert judged.verdict == "shown"
    assert {evidence.call.split()[0] for evidence in judged.evidence} == {"delivery"}


def test_an_off_ramp_is_no_payout(stage):
    """Each is judged for itself: a failed payout does not show that of an off-ramp."""
    program = stage.program
    program.follow(program.pay("scenario:failed:1", program.bank, "10.00"))
    assert stage.readiness()["payments.off-ramps"].verdict == "not applicable"
    program.follow(program.pay("a", program.bank, "10.00", currency="usdc"))
    readiness = stage.readiness()
    assert readiness["payments.corridors"].remark == "Not seen yet: MXN by spei, completed."
    remark = "Not seen yet: USDC on base to MXN by spei, failed."
    assert readiness["payments.off-ramps"].remark == remark


def test_an_off_ramp_by_a_quote_has_the_corridor_of_the_quote(stage):
    """The transfer names only its quote."""
    program = stage.program
    terms = {
        "financial_account": {"id": program.bank},
        "payout_method": "spei",
        "source_currency": "usdc",
        "source_network": "base",
        "destination_currency": "mxn",
        "source_amount": "10.00",
    }
    quote = program.call("POST", "/v1/quotes", terms)
    fields = {"quote_id": quote["id"], "client_reference_id": "scenario:failed"}
    transfer = program.call("POST", "/v1/transfers", fields, key=program.key_of("a"))
    program.follow(transfer["id"])
    remark = "Not seen yet: USDC on base to MXN by spei, completed."
    assert stage.readiness()["payments.off-ramps"].remark == remark


def test_a_refused_payment_uses_no_corridor(stage):
    """Nothing is missing for what the service did not accept."""
    with contextlib.suppress(ServiceError):
        stage.program.pay("a", "fa_unknown", "10.00")
    judged = stage.readiness()["payments.corridors"]
    assert (judged.verdict, judged.remark) == ("not seen", "")


def test_a_rehearsal_lets_the_conversion_of_a_deposit_fail(stage):
    """It is the conversion of the deposit that the integration has just paid."""
    account = open_account(stage.program)
    deposit(stage, account, "Ana Ruiz")
    rehearsal = stage.controls.rehearse()
    [item] = [item for item in rehearsal.missing if item.id == "payments.on-ramps"]
    rehearsal.set_up(item)
    stage.program.deposit(account, "20.00", "mxn", "Ana Ruiz")
    assert rehearsal.follow_up()
    stage.program.conversions()
    assert rehearsal.judge(item).verdict == "shown"
