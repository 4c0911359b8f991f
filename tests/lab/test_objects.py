"""An object by its id, and the objects that it leads to."""

from __future__ import annotations

import json
import re

import pytest

import paylab
from paylab.corridors import examples
from paylab.errors import ArgumentError, NotFoundError
from paylab.lab import displays
from paylab.lab.objects import ObjectBrowser
from paylab.views.forms.nodes import Button
from paylab.webhooks import event


@pytest.fixture
def walk():
    """A walk whose deposit was converted, with its lab."""
    lab = paylab.connect()
    walk = lab.onramp("MX", example=True, consent=True)
    walk.submit()
    return lab, walk


def press(page, text):
    """Press the button whose text begins so; return the texts of the list that it opened."""
    [button] = [node for node in page._links.children if node.text.startswith(text)]
    button.press()
    return [node.static() for node in page._list.children]


def test_ids_lead_from_an_individual_to_the_events(walk):
    """Each id and each list of a card leads on, and "Back" returns."""
    lab, walk = walk
    page = lab.open(walk.result.individual_id)
    assert page.status == "active"
    assert press(page, "Conversion accounts")[0].endswith("Conversion accounts: 1</div>")
    [_, link] = page._list.children
    link.children[0].press()
    assert page.resource.id == walk.results["account"].id
    press(page, "Deposits and their conversions")
    page._list.children[1].children[0].press()
    assert page.resource == lab.conversions.get(walk.result.id)
    assert "conversion.completed" in press(page, "Events")[-1]
    press(page, "Payout account")
    assert page.type == "crypto_wallet"
    press(page, "Back")
    assert page.resource.id == walk.result.id


def test_the_events_of_an_object_are_listed_up_to_the_newest():
    """None is left out; a status or a time that an event lacks is not printed as None."""
    client = paylab.connect().client
    person = client.individuals.create(**examples.individual("MX", consent_at=client.clock()))
    events = [make_event(status=f"status_{number}") for number in range(25)]
    events.append(make_event(status=None, updated_at=None))
    browser = ObjectBrowser(client, lambda: "here", lambda _id: events)
    event_lines = press(browser.open(person.id), "Events")
    assert event_lines[0].endswith("Events: 26</div>")
    assert "status_24" in event_lines[-2]
    assert "None" not in event_lines[-1]
    assert "individual.status_changed" in event_lines[-1]


def make_event(**payload):
    """An event of an individual with this snapshot."""
    fields = {"id": "ind_1", "updated_at": "2026-01-31T09:30:00Z", **payload}
    body = {"event_type": "individual.status_changed", "event_payload": fields}
    return event.read_event(json.dumps(body).encode())


def test_an_id_in_a_form_opens_its_object_below(walk):
    """The message of a click on an id shows the card; an unknown id shows why not."""
    _, walk = walk
    [_, *_, opened] = _after_click(walk, walk.result.id)
    assert opened.children[0].text.startswith("Conversion conv_")
    [_, *_, opened] = _after_click(walk, "tr_1")
    assert "no transfer has this id" in "".join(
        getattr(node, "html", "") for node in opened.children
    )
    close = opened.children[-1].children[0]
    assert isinstance(close, Button)
    close.press()
    assert len(walk.page_nodes()) == len(walk.nodes())


def test_an_object_that_was_opened_closes_with_its_walk(walk):
    """After "Start over" the card of the earlier conversion is gone."""
    _, walk = walk
    _after_click(walk, walk.result.id)
    walk.restart()
    assert len(walk.page_nodes()) == len(walk.nodes())


def _after_click(page, object_id):
    page.view.receive({"kind": "open", "value": object_id}, [])
    return page.page_nodes()


@pytest.mark.parametrize(
    ("object_id", "error", "words"),
    [
        ("tr_1", NotFoundError, "no transfer has this id"),
        ("order 7", NotFoundError, "no individual or transfer or conversion"),
        (" ", ArgumentError, "open takes the id"),
    ],
)
def test_an_id_that_opens_nothing_is_an_error(object_id, error, words):
    """The error names the kinds that were looked through."""
    with pytest.raises(error, match=words):
        paylab.connect().open(object_id)


STATIC = {
    "a result": lambda lab, walk: displays.show(walk.results["deposit"]),
    "a person": lambda lab, walk: displays.show(lab.individuals.list()[0]),
    "a list": lambda lab, walk: displays.show(fetched(lab.conversions.list())),
    "calls": lambda lab, walk: displays.show(lab.calls),
    "an opened object": lambda lab, walk: lab.open(lab.individuals.list()[0]).static_bundle()[HTML],
    "a status line": lambda lab, walk: lab.status(lab.conversions.list()[0]).static_bundle()[HTML],
    "a stepper": lambda lab, walk: walk.static_bundle()[HTML],
}
"""Cards as a notebook saves them, for pages without a kernel."""
HTML = "text/html"
LINK = re.compile(r"<a\b|underline|href|paylab-open|role=.(button|link)")
"""What looks as if a click would lead somewhere."""


def fetched(pager):
    """A list that was read."""
    pager.to_list()
    return pager


@pytest.mark.parametrize("card", STATIC)
def test_an_id_in_a_saved_card_looks_like_text(walk, card):
    """Without a kernel no id can open: it is text with a tooltip, and no link."""
    lab, stepper = walk
    saved = STATIC[card](lab, stepper)
    ids = re.findall(r"<code title=.(?:ind|conv|ca|fa|tr|dep)_", saved)
    assert ids or card == "calls"
    assert LINK.findall(saved) == []


def test_an_id_opens_in_a_page_that_has_a_kernel(walk):
    """The live card of an object and a status line open the object of an id."""
    lab, stepper = walk
    conversion = lab.conversions.list()[0]
    page = lab.status(conversion)
    assert (page.opens_ids, stepper.opens_ids, lab.open(conversion).opens_ids) == (True,) * 3
    page.open_object(conversion.individual_id)
    assert any("Individual" in str(getattr(node, "text", "")) for node in opened_nodes(page))


def opened_nodes(page):
    """The nodes of a page, with those of its groups."""
    nodes = list(page.page_nodes())
    for node in nodes:
        nodes += getattr(node, "children", ())
    return nodes
