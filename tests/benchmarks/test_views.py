"""Benchmarks of what a user waits for: a QR code, a form, and a keystroke in a form."""

from __future__ import annotations

import json
from io import BytesIO

import ipywidgets
import pytest
import qrcode
from ipykernel.jsonutil import json_clean

import paylab
from paylab.views.cards import deposit_card

GOALS = {"QR": 1.1, "form": 0.5, "keystroke": 7}  # multiples of the first call's processor time
LOOPS = {"QR": 20, "form": 20, "keystroke": 60}


def bundle(shown):
    """The MIME bundle of an object as JSON, which a kernel sends to show the object."""
    return json.dumps(json_clean(shown._repr_mimebundle_()))


def drawn(payload):
    """Draw a QR code as PNG with the library that paylab uses."""
    qrcode.make(payload, error_correction=qrcode.constants.ERROR_CORRECT_M).save(BytesIO())


def texts(count):
    """A box of `count` plain text inputs."""
    return ipywidgets.VBox([ipywidgets.Text(description=f"{at}") for at in range(count)])


class Page:
    """A form and its page in a browser, which counts the characters of the messages it gets."""

    def __init__(self, form):
        self.form, self.sent = form, 0
        form.view.send = self.send
        bundle(form)
        self.tell(kind="ready")

    def send(self, message, buffers=None):
        """Count the characters of a message as JSON."""
        self.sent += len(json.dumps(message))

    def tell(self, **message):
        """Send a message from the browser to the form."""
        self.form.view.receive(message, [])

    def type(self, name, text):
        """Send a keystroke in a field."""
        self.tell(kind="input", node=self.form.fields[name].id, view="v", n=1, value=text)


def met(goal, compare, title, calls):
    """Compare the calls; the last one may take at most a quarter more than its goal."""
    figures = compare(title, calls, loops=LOOPS[goal], rounds=5, goal=f"{GOALS[goal]} x")
    assert figures[list(calls)[-1]]["ratio"] <= 1.25 * GOALS[goal]


def test_a_deposit_card_takes_little_longer_than_its_qr_code(lab, compare):
    """A deposit card takes little longer than to draw its QR code."""
    account = lab.onramp("PH", example=True, consent=True).submit().conversion_account_id
    instructions = lab.conversion_accounts.get(account).deposit_instructions
    calls = {
        "qrcode, PNG alone": lambda: drawn(instructions.details["qrph_payload"]),
        "deposit card": lambda: bundle(deposit_card(instructions)),
    }
    met("QR", compare, "a QR code inline", calls)


@pytest.mark.parametrize("country", ["MX", "PH"])
def test_a_form_takes_less_than_as_many_inputs_of_ipywidgets(country, compare):
    """A form and the messages to its page take half as long as as many inputs of ipywidgets."""
    lab = paylab.connect()

    def form():
        page = Page(lab.forms.onboarding(country, example=True, new=True))
        assert page.sent > 1_000
        return page

    count = len(form().form.fields)
    calls = {
        f"{count} inputs of ipywidgets": lambda: bundle(texts(count)),
        "form": form,
    }
    met("form", compare, f"the onboarding form of {country}", calls)


def test_a_keystroke_takes_few_times_its_rules(compare):
    """A keystroke in a form takes a few times as long as the rules alone."""
    lab = paylab.connect()
    page = Page(lab.forms.onboarding("MX", example=True, new=True))

    def keystroke():
        page.sent = 0
        page.type("given_name", "Ana" if page.form.fields["given_name"].value != "Ana" else "Anab")
        assert page.sent > 500

    calls = {
        "rules alone": lambda: page.form._find_problems(page.form.values()),
        "keystroke": keystroke,
    }
    met("keystroke", compare, "a keystroke in a form", calls)
