"""The widget of a form: what it sends, what it receives, and what it never saves."""

from __future__ import annotations

import json
from copy import copy, deepcopy

import pytest

from paylab.views.forms.nodes import Button, Inputs

CURP, NAME = "XEXX010101HNEXXXA4", "Ana"


@pytest.fixture
def page(onboarding):
    """An onboarding form with its widget, and the messages sent to the browser."""
    form = onboarding()
    sent = []
    form.view.send = lambda message, buffers=None: sent.append(message)
    form.view.receive({"kind": "ready"}, [])
    return form, sent


def tell(form, name, kind, **more):
    """Send a browser message about a field to the form."""
    node = form.fields[name].id
    form.view.receive({"kind": kind, "node": node, "view": "v", **more}, [])


def test_nothing_is_drawn_before_a_browser_asks(onboarding):
    """A form sends no message before a browser is ready."""
    form, sent = onboarding(), []
    form.view.send = lambda message, buffers=None: sent.append(message)
    form.fields["given_name"].value = "Bea"
    assert sent == []


def test_a_keystroke_evaluates_values_and_rules_once(page):
    """A keystroke evaluates values and rules once, and sends one message."""
    form, sent = page
    counted = dict.fromkeys(("values", "_find_problems", "_find_warnings", "_write_code"), 0)

    def counting(name, act):
        def call(*given):
            counted[name] += 1
            return act(*given)

        return call

    for name in counted:
        setattr(form, name, counting(name, getattr(form, name)))
    del sent[:]
    tell(form, "given_name", "input", value="Anab", n=1)
    assert counted == dict.fromkeys(counted, 1)
    assert len(sent) == 1


def test_a_keystroke_while_the_page_is_drawn_is_taken(page):
    """A message that another thread handles meanwhile finds its field."""
    form, _ = page
    nodes = form.nodes

    def typing_nodes():
        tell(form, "given_name", "input", value="Anab", n=1)
        return nodes()

    form.nodes = typing_nodes
    form.view.refresh()
    assert form.values()["given_name"] == "Anab"


def test_the_saved_state_holds_no_value(page):
    """The widget state has neither the values nor the result; only messages have them."""
    form, sent = page
    assert CURP in json.dumps(sent)
    form.consent.value = True
    form.submit()
    state = json.dumps(form.view.get_state(), default=str)
    assert not [word for word in (CURP, f'"{NAME}"', "ind_1", "ana.ejemplo@") if word in state]


def test_after_a_refusal_the_focus_goes_to_the_first_error(page):
    """After a refusal the focus is on the first error; after success, on the result."""
    form, sent = page
    form.controls.send_button.press()
    assert sent[-1]["focus"] == form.consent.id
    form.consent.value = True
    form.controls.send_button.press()
    assert sent[-1]["focus"] == form.controls.message.id


def test_after_a_refusal_the_focus_passes_over_warnings(page):
    """A field that can stay as it is does not get the focus."""
    form, sent = page
    form.fields["email"].value = "ana at example"
    form.controls.send_button.press()
    assert sent[-1]["focus"] == form.consent.id


def test_the_message_of_a_refusal_goes_with_the_next_change(page):
    """It names what is marked and the button, which are others after a change."""
    form, _ = page
    form.fields["family_name"].value = ""
    form.consent.value = True
    form.controls.send_button.press()
    assert "Send anyway" in form.controls.message.html
    tell(form, "given_name", "input", value="Bea", n=1)
    assert (form.controls.message.html, form.controls.anyway_button.visible) == ("", False)


def test_after_success_the_form_shows_what_was_sent(page):
    """The fields stay filled and read-only, the document number masked; code is named as sender."""
    form, sent = page
    form.consent.value = True
    form.submit()
    shown = json.dumps(sent[-1], ensure_ascii=False)
    assert NAME in shown
    assert CURP not in shown
    assert "••A4" in shown
    assert "Sent by code" in form.controls.message.html
    assert not form.example_button.visible
    tell(form, "given_name", "input", value="Bea", n=1)
    assert form.values()["given_name"] == NAME


def test_what_stays_behind_is_the_end_of_the_run(onboarding):
    """After `submit`, the saved output shows the result."""
    form, kept = onboarding(consent=True), []
    form._static_display = type("Kept", (), {"update": lambda _, data, raw: kept.append(data)})()
    form.submit()
    assert "ind_1" in kept[-1]["text/html"]
    assert "not yet" not in kept[-1]["text/plain"]


@pytest.mark.parametrize(
    "message", [{}, {"node": "n0"}, {"kind": []}, {"kind": "press", "node": None}]
)
def test_junk_is_passed_over(page, message):
    """A malformed message from the browser is ignored."""
    form, sent = page
    before = len(sent)
    form.view.receive(message, [])
    assert (len(sent), form.result) == (before, None)


@pytest.mark.parametrize(
    ("visible", "disabled", "kind", "presses"),
    [
        (True, False, "press", 1),
        (False, False, "press", 0),
        (True, True, "press", 0),
        (True, False, "look", 0),
    ],
)
def test_a_button_is_pressed_if_it_is_shown_and_enabled(visible, disabled, kind, presses):
    """A message that comes late, when the button has gone, presses nothing; Enter does."""
    pressed = []
    button = Button("Send", lambda: pressed.append(1))
    button.visible, button.disabled = visible, disabled
    button.receive({"kind": kind}, [])
    assert len(pressed) == presses
    Inputs([], button).receive({"kind": kind}, [])
    assert len(pressed) == 2 * presses
    assert button.props()["submits"] is True


def test_a_page_is_sent_again_when_it_changed_or_moves_the_focus(page):
    """A redraw of the same page sends nothing; a browser that comes later gets the page."""
    form, sent = page
    before = len(sent)
    form.redraw()
    assert len(sent) == before
    form.redraw(form.heading)
    assert sent[-1]["focus"] == form.heading.id
    form.view.receive({"kind": "ready"}, [])
    assert (len(sent), sent[-1]["focus"]) == (before + 2, "")


def test_a_copy_of_a_form_is_the_form(onboarding):
    """Two copies of one form could be sent twice."""
    form = onboarding()
    assert copy(form) is form
    assert deepcopy([form]) == [form]


def test_a_change_sends_only_the_nodes_that_changed(page):
    """A keystroke sends its field and the code; a page that missed a message gets every node."""
    form, sent = page
    whole_page = sent[-1]
    tell(form, "given_name", "input", value="Anab", n=1)
    change = sent[-1]
    assert change["earlier"] == whole_page["version"]
    assert {node["kind"] for node in change["nodes"]} == {"field", "code"}
    form.view.receive({"kind": "ready"}, [])
    repeated_page = sent[-1]
    assert (repeated_page["earlier"], repeated_page["version"]) == (0, change["version"] + 1)
    assert len(repeated_page["nodes"]) == len(whole_page["nodes"])
    tell(form, "given_name", "input", value="Anabel", n=2)
    assert sent[-1]["earlier"] == repeated_page["version"]
