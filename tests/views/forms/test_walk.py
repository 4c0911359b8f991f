"""The on-ramp as one stepper: run to the end, continued later, and led back by a refusal."""

from __future__ import annotations

import ast
import asyncio
import re

import pytest

import paylab
from paylab.corridors import examples
from paylab.errors import ArgumentError, PaylabError, RuleError
from paylab.views.forms.onramp_step import DONE, LOCKED, NAMED_STEPS, NOW

LATER = {
    "Verification images": "after person",
    "Verification": "after verification images",
    "Wallet": "after verification",
    "Conversion account": "after wallet",
    "Deposit": "after conversion account",
    "Conversion": "after deposit",
}
"""The steps after the first one, and why each is locked at first."""

STEPS = 1 + len(LATER)


def html_text(source):
    """The text of HTML."""
    return " ".join(re.sub("<[^>]*>", " ", source).split())


def states(walk):
    """The states of the steps."""
    return [step.state for step in walk.nodes()[1:]]


@pytest.mark.parametrize("country", ["MX", "PH"])
def test_submitting_takes_every_step(lab, country):
    """`submit` runs all steps to the completed conversion, and every step shows its code."""
    walk = lab.onramp(country, example=True, consent=True)
    assert walk.submit().status == "completed"
    assert states(walk) == [DONE] * STEPS
    assert all(ast.parse(step.code.text).body for step in walk.nodes()[1:])


@pytest.mark.parametrize("country", ["MX", "PH"])
def test_the_codes_of_all_steps_are_one_program(lab, country):
    """Each step names the results of the steps before it, and contains none of their ids."""
    walk = lab.onramp(country, example=True, consent=True)
    walk.submit()
    code = "\n".join(step.code.text for step in walk.nodes()[1:])
    assert not [name for name in NAMED_STEPS if walk.results[name].id in code]
    number = examples.person(country)["document"]["number"]
    names = {"lab": paylab.connect(), "input": lambda _: number}
    exec(code, names)
    assert names["conversion"].status == "completed"


def test_a_step_shows_its_result_as_it_was_made(lab):
    """The person is active now, and was not when the first step was done."""
    walk = lab.onramp("MX", example=True, consent=True)
    walk.submit()
    assert walk.results["person"].status == "active"
    text = html_text(walk.nodes()[1].result.html)
    assert "Status at creation action_required" in text


def test_no_step_is_left_after_the_last(lab):
    """`take_step` does nothing when all steps are done."""
    walk = lab.onramp("MX", example=True, consent=True)
    while walk.current_step != "deposit":
        walk.take_step()
    assert not [step for step in walk.nodes()[1:] if walk.run_button in step.children]
    walk.submit()
    sent = len(lab.calls)
    walk.take_step()
    assert (states(walk), len(lab.calls)) == ([DONE] * STEPS, sent)


def test_locked_steps_say_why(lab):
    """Only the first step has inputs; every other step names the step before it."""
    _, first, *others = lab.onramp("PH").nodes()
    assert (first.state, first.heading.hint, len(first.children) > 3) == (NOW, NOW, True)
    assert {step.title: step.heading.hint for step in others} == {
        title: f"available {why}" for title, why in LATER.items()
    }
    assert {(step.state, len(step.children)) for step in others} == {(LOCKED, 3)}


def test_an_example_runs_up_to_the_deposit(lab):
    """The button stops while consent is missing; then it runs all steps up to the deposit."""

    async def press():
        walk = lab.onramp("PH", example=True)
        walk.run_button.press()
        stopped = walk.current_step
        walk.pages["person"].consent.value = True
        walk.run_button.press()
        for _ in range(200):
            if walk.current_step == "deposit":
                break
            await asyncio.sleep(0.05)
        reached = walk.current_step
        walk.stop()
        return stopped, reached

    assert asyncio.run(press()) == ("person", "deposit")
    assert not list(lab.conversions.list())


def test_only_an_example_has_the_button(lab):
    """Without `example`, the button is hidden."""
    assert not lab.onramp("PH").run_button.visible


@pytest.mark.parametrize("consent", ["yes", "no", 1, None])
def test_consent_is_said_by_true_only(lab, consent):
    """A value that Python takes for true is no consent of a person."""
    with pytest.raises(ArgumentError, match="consent must be True or False"):
        lab.onramp("PH", example=True, consent=consent)


def test_nothing_goes_on_without_consent(lab):
    """An example without consent is refused, and no step is done."""
    walk = lab.onramp("PH", example=True)
    with pytest.raises(RuleError, match="idv_consent_recorded_at"):
        walk.submit()
    assert not walk.results


@pytest.mark.parametrize("steps", range(1, STEPS + 1, 2))
def test_a_walk_can_be_continued_after_any_step_without_a_second_account_or_conversion(lab, steps):
    """A walk can be continued after any step, without a second account or conversion."""
    walk = lab.onramp("PH", example=True, consent=True)
    for _ in range(steps):
        walk.take_step()
    again = lab.onramp("PH", walk.results["person"].id, example=True)
    assert list(again.results)[: len(walk.results)] == list(walk.results)
    assert again.submit().status == "completed"
    assert len(list(lab.conversion_accounts.list())) == len(list(lab.conversions.list())) == 1
    assert all(ast.parse(step.code.text).body for step in again.nodes()[1:])


def test_the_cell_run_again_is_the_same_walk(lab):
    """Running the cell again returns the same walk; `new=True` begins a new one."""
    walk = lab.onramp("MX", example=True, consent=True)
    walk.submit()
    assert lab.onramp("MX", example=True, consent=True) is walk
    assert lab.onramp("MX", new=True).current_step == "person"


def test_refused_images_lead_back(lab):
    """After blurry images, the images step is current again and the next one is locked."""
    blurry = {"family_name": "Verification Image Blurry"}
    fields = examples.individual("MX", consent_at=lab.clock()) | blurry
    person = lab.individuals.create(**fields)
    walk = lab.onramp("MX", person.id, example=True)
    assert walk.current_step == "images"
    walk.take_step()
    with pytest.raises(PaylabError, match="action_required: verification_image_blurry"):
        walk.take_step()
    assert walk.current_step == "images"
    assert states(walk)[1:3] == [NOW, LOCKED]


@pytest.mark.parametrize("country", ["AR", "XX", "us", ""])
def test_a_country_without_an_on_ramp_names_those_with_one(lab, country):
    """The error of a country without an on-ramp names the countries that have one."""
    with pytest.raises(RuleError, match="must be one of MX, PH"):
        lab.onramp(country)


def test_a_person_of_another_country_cannot_continue(lab):
    """An individual from Mexico cannot continue the on-ramp of the Philippines."""
    person = lab.forms.onboarding("MX", example=True, consent=True).submit()
    with pytest.raises(RuleError, match="is of MX"):
        lab.onramp("PH", person.id)


def test_the_saved_output_has_the_id_of_the_conversion_and_no_document_number(lab):
    """The saved output has the id of the conversion and no document number."""
    walk = lab.onramp("MX", example=True, consent=True)
    walk.submit()
    kept = str(walk._repr_mimebundle_())
    assert walk.results["conversion"].id in kept
    assert "XEXX010101" not in kept


def test_a_step_that_is_done_is_one_line():
    """A done step shows its result in one line; the last step shows all of it."""
    walk = paylab.connect().onramp("MX", example=True, consent=True)
    walk.submit()
    *steps, last = walk.nodes()[1:]
    person = walk.results["person"]
    assert {step.kind for step in steps} == {"fold"}
    assert steps[0].heading.hint == f"ind_…{person.id[-4:]}, active"
    assert steps[5].heading.hint.endswith(", 50.00 MXN")
    assert (last.kind, last.state) == ("group", "done")
    assert dict(walk.rows())["Deposit"].endswith(", 50.00 MXN")


def test_a_step_shows_the_code_that_made_its_account(lab):
    """Another account from a form of its own changes neither the code nor the id of the step."""
    walk = lab.onramp("MX", example=True, consent=True)
    walk.submit()
    account = walk.results["account"]
    step = walk.nodes()[1:][4]
    code = step.code.text
    form = lab.forms.conversion_account(walk.results["person"])
    form.prepare_another()
    assert form.submit().id != account.id
    walk.nodes()
    assert (step.code.text, "new=" in code, "new=" in form.code()) == (code, False, True)
    assert walk.results["account"].id == account.id


def test_start_over_is_above_the_code(lab):
    """The button is above the code of the current step, as in every form."""
    walk = lab.onramp("MX", example=True, consent=True)
    walk.submit()
    *_, actions, code = walk.nodes()[-1].children
    assert ([button.text for button in actions.children], code.kind) == (["Start over"], "code")


def test_start_over_begins_with_another_person():
    """Nothing of the first walk is sent again or changed, and the second one is its own."""
    lab = paylab.connect()
    walk = lab.onramp("MX", example=True, consent=True)
    first = walk.submit()
    form = walk.pages["person"]
    walk.restart()
    assert (walk.result, walk.current_step, walk.results) == (None, "person", {})
    assert walk.pages["person"] is not form
    form.result = form.result.model_copy()  # of a form that the stepper has left
    assert walk.results == {}
    second = walk.submit()
    assert second.id != first.id
    assert second.individual_id != first.individual_id
    assert walk.result.id == second.id


@pytest.mark.parametrize("consent", [False, True])
def test_the_button_of_the_example_has_the_consent_that_was_given(lab, consent):
    """With `consent=True` the button runs to the deposit; without, it stops at the consent."""
    walk = lab.onramp("PH", example=True, consent=consent)
    walk.nodes()
    assert ("Tick the box" in walk._run_actions.children[1].html) == (not consent)
    walk.pages["person"].click()  # the button of the form needs a tick
    assert walk.current_step == "person"
    walk.run_button.press()
    assert (walk.results.keys() >= {"person"}) == consent


def test_the_error_of_a_step_names_the_step(lab):
    """A problem of a form inside a walk says in which step it is."""
    walk = lab.onramp("PH", example=True, consent=True)
    while walk.current_step != "wallet":
        walk.take_step()
    walk.pages["wallet"].fill(network="tron")
    with pytest.raises(RuleError) as caught:
        walk.submit()
    assert caught.value.hint.startswith("this is the step Wallet; correct it with fill(...)")


def test_a_walk_with_somebody_who_was_shown_before_says_so(lab):
    """The heading names the person of an earlier form, until another walk begins."""
    person = lab.forms.onboarding("PH", example=True, consent=True).submit()
    walk = lab.onramp("PH", example=True, consent=True)
    assert walk.heading.hint == f"continues with {person.id}; “Start over” begins with another"
    walk.restart()
    assert walk.heading.hint == lab.onramp("MX").heading.hint == ""
