"""The scenarios of a lab: what each creates, its card, and a service that is no simulator."""

from __future__ import annotations

import pytest

import paylab
from paylab.errors import ConfigError, UnknownNameError
from paylab.simulator.server import Server
from paylab.simulator.simulator import Simulator
from paylab.spec.codes import STATUS_DETAIL_CODES

ENDS = {
    "verification_image_blurry": ["action_required", "pending", "action_required"],
    "verification_age_mismatch": ["action_required", "pending", "rejected"],
    "verification_image_blurry_then_passes": [
        *("action_required", "pending", "action_required", "pending", "active"),
    ],
    "under_review": ["action_required", "pending", "under_review"],
    "deposit_held": ["pending"],
    "deposit_failed": ["pending", "failed"],
    "transfer_failed": ["awaiting_funds", "started", "started", "failed"],
    "transfer_expired": ["awaiting_funds", "expired"],
    "transfer_under_review": ["awaiting_funds", "started", "under_review"],
    "transfer_cancelled": ["awaiting_funds", "cancelled"],
    "conversion_account_slow": ["pending", "active"],
    "lost_answer": ["", "", "awaiting_funds"],
    "duplicate_event": ["awaiting_funds", "started", "started", "completed", "completed"],
}
"""The statuses on the way of each scenario, the codes of a verification by two examples."""


@pytest.fixture(scope="module")
def lab():
    """A lab on an embedded simulator."""
    with paylab.connect() as lab:
        yield lab


def test_there_is_a_scenario_for_each_outcome(lab):
    """Each status detail code has one, and no other is missing in the table above."""
    assert {*lab.scenarios} == {*STATUS_DETAIL_CODES, *ENDS}


@pytest.mark.parametrize("name", ENDS)
def test_what_a_scenario_creates_takes_its_states(lab, name):
    """It takes the states of its outcome, again at the second run."""
    for run in (lab.scenarios.run(name), lab.scenarios[name]()):
        assert [step.status for step in run.way] == ENDS[name]
        assert run.status == ENDS[name][-1]


def test_a_lost_answer_pays_once(lab):
    """The first attempt has no answer, and the second one replays the payment."""
    run = lab.scenarios.lost_answer()
    first, second, _ = (step.what for step in run.way)
    assert "attempt 1: no answer" in first
    assert second == "POST, attempt 2: 201, replayed"
    assert [row.id for row in lab.transfers.list()].count(run.id) == 1


def test_a_duplicate_event_is_kept_once(lab):
    """Other payouts that complete meanwhile do not use the fault up."""
    lab.scenarios.lost_answer()
    run = lab.scenarios.duplicate_event()
    assert run.way[-1].what == "transfer.completed delivered 2 times, kept once"
    assert lab.simulator.faults.list() == []


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("failed payout", "transfer_failed"),
        ("Held deposit", "deposit_held"),
        ("expired-transfer", "transfer_expired"),
        ("slow provisioning", "conversion_account_slow"),
        ("LOST ANSWER", "lost_answer"),
        ("event duplicate", "duplicate_event"),
        ("kyc image glare", "verification_image_glare"),
        ("selfie_needed", "verification_selfie_needed"),
    ],
)
def test_the_words_of_a_name_in_any_order(lab, text, name):
    """A scenario is found by its words, and by the text of its button."""
    assert lab.scenarios[text].args == (name,)


@pytest.mark.parametrize("name", ["failed payot", "", "transfer", 7, "payout failed today"])
def test_the_error_lists_names_that_are_similar_and_nothing_is_sent(lab, name):
    """The error lists names that are similar, and nothing is sent."""
    before = len(lab.calls)
    with pytest.raises(
        (UnknownNameError, paylab.PaylabError), match=r"nearest: |known are |must be text"
    ):
        lab.scenarios.run(name)
    assert len(lab.calls) == before


def test_names_complete_with_tab(lab):
    """Tab completes attributes and keys, which are functions without arguments."""
    assert {*dir(lab.scenarios)} == {*lab.scenarios, "list", "run"}
    assert [*lab.scenarios.list()] == lab.scenarios._ipython_key_completions_() == [*lab.scenarios]
    assert lab.scenarios.deposit_held.func == lab.scenarios.run


def test_the_card_sends_nothing_until_a_click(lab):
    """A click shows the way; the saved text has it, too."""
    before = len(lab.calls)
    page = lab.scenarios._make_page()
    assert "Held deposit" in page.static_bundle()["text/html"]
    assert len(lab.calls) == before
    page.buttons["transfer_failed"].receive({"kind": "press"}, [])
    assert page.result.status == "failed"
    saved = page.static_bundle()["text/html"]
    assert "bank rejected the payout" in saved
    assert "payout_<wbr>initiated" in saved
    assert page.code.text == "lab.scenarios.run('transfer_failed')".replace("'", '"')
    assert not any(button.disabled for button in page.buttons.values())


def test_a_failure_is_shown_in_the_card(lab):
    """What goes wrong in a scenario is shown, escaped, and the buttons work again."""
    page = lab.scenarios._make_page()
    with lab.simulator.faults.on("individuals.create", status=400, body={"error": "<b>no"}):
        page.click("under_review")
    assert "&lt;b&gt;no" in page.message.html
    page.click("under_review")
    assert page.result.status == "under_review"


def test_a_service_that_is_no_simulator():
    """The card says so in one sentence, without buttons; by code it is an error."""
    lab = paylab.connect("https://sandbox.example.com", "key", "s" * 32)
    page = lab.scenarios._make_page()
    assert "Only a simulator runs scenarios" in page.static_bundle()["text/html"]
    assert len(page.nodes()) == 5
    with pytest.raises(ConfigError, match="only a simulator runs scenarios"):
        lab.scenarios.run("lost_answer")
    assert len(lab.calls) == 0


def test_a_simulator_with_an_address_runs_scenarios():
    """A served simulator runs scenarios too; it is not asked before a click."""
    with Server(Simulator(seed=3)) as server:
        lab = paylab.connect(server.base_url, server.api_key, server.secret_key)
        page = lab.scenarios._make_page()
        assert [*server.simulator.world.journal.records()] == []
        page.click("transfer_expired")
        assert page.result.status == "expired"
        page.click("duplicate_event")
        assert "delivered 2 times" in page.result.way[-1].what


def test_the_list_has_the_name_of_every_scenario(lab):
    assert lab.scenarios.list() == tuple(lab.scenarios)
    assert len(lab.scenarios.list()) == len(lab.scenarios) > 20
