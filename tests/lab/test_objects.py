"""An object by its id, and the objects that it leads to."""

from __future__ import annotations

import pytest

import paylab
from paylab.errors import ArgumentError, NotFoundError
from paylab.views.forms.nodes import Button


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
    press(page, "payout account")
    assert page.type == "crypto_wallet"
    press(page, "Back")
    assert page.resource.id == walk.result.id


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
