"""Displaying or inspecting the objects of a lab sends no request."""

from __future__ import annotations

import copy
import inspect
import pickle
from contextlib import suppress

import pytest
from IPython.core.completer import IPCompleter, provisionalcompleter
from IPython.core.formatters import DisplayFormatter

import paylab
from paylab.corridors import examples


@pytest.fixture(scope="module")
def lab():
    """A lab on an embedded simulator."""
    with paylab.connect() as lab:
        yield lab


@pytest.fixture(scope="module")
def shown(lab):
    """One object of each kind: unsubmitted forms, a stepper, status lines, cards and lists."""
    fields = examples.individual("MX", consent_at=lab.clock())
    person = lab.individuals.create(**fields)
    lab.financial_accounts.create(person.id, "crypto_wallet", examples.WALLET)
    recipient = lab.forms.recipient("MX", example=True).submit()
    quote = lab.forms.quote(recipient).submit()
    transfer = lab.forms.transfer(recipient, amount="100").submit()
    return {
        "onboarding": lab.forms.onboarding("PH", example=True, consent=True),
        "images": lab.forms.images(person, example=True),
        "wallet": lab.forms.wallet(person, example=True),
        "account": lab.forms.conversion_account(person),
        "recipient": lab.forms.recipient("BR", example=True),
        "bank": lab.forms.financial_account(recipient, example=True),
        "quote": lab.forms.quote(person),
        "transfer": lab.forms.transfer(recipient, amount="5", new=True),
        "card": lab.forms.quote_card(quote),
        "stepper": lab.onramp("PH", example=True, consent=True, new=True),
        "line": lab.status(person),
        "transfer line": lab.status(transfer),
        "deposit card": lab.deposit_card(transfer) if transfer.deposit_instructions else None,
        "pager": lab.transfers.list(),
        "individuals": lab.individuals.list(),
    }


def complete(one):
    """Complete the attributes of `one.result.`, as a notebook does."""
    completer = IPCompleter(namespace={"one": one}, use_jedi=False)
    with provisionalcompleter():
        for text in ("one.", "one.res", "one.result."):
            list(completer.completions(text, len(text)))


def truth(one):
    """Take the truth of an object that has one."""
    with suppress(TypeError):
        bool(one)


def length(one):
    """Take the length of an object that has one."""
    with suppress(TypeError):
        len(one)


def pickled(one):
    """Pickle an object; objects with widgets or functions cannot be pickled."""
    with suppress(TypeError, AttributeError, pickle.PicklingError):
        pickle.dumps(one)


LOOKS = {
    "repr": repr,
    "str": str,
    "len": length,
    "bool": truth,
    "hasattr": lambda one: hasattr(one, "result"),
    "getattr": lambda one: getattr(one, "result", None),
    "getmembers": inspect.getmembers,
    "traits": lambda one: one.trait_values() if hasattr(one, "trait_values") else None,
    "copy": copy.copy,
    "deepcopy": lambda one: copy.deepcopy(one) if hasattr(one, "submit") else None,
    "pickle": pickled,
    "complete": complete,
    "display": lambda one: DisplayFormatter().format(one),
}


@pytest.mark.parametrize("look", LOOKS)
def test_inspecting_each_object_sends_no_request_and_gives_no_form_a_result(lab, shown, look):
    """Inspecting each object sends no request and gives no form a result."""
    before = len(lab.calls)
    for one in shown.values():
        LOOKS[look](one)
    assert len(lab.calls) == before
    assert not [name for name, one in shown.items() if getattr(one, "result", None)]


def test_the_copy_of_a_form_is_the_form(lab, shown):
    """Copying a form returns the same form, so that submitting both cannot pay twice."""
    form = shown["transfer"]
    assert copy.copy(form) is copy.deepcopy(form) is form


def node_ids(nodes):
    """The ids of nodes, at any depth."""
    return [
        node_id for node in nodes for node_id in (node.id, *node_ids(getattr(node, "children", ())))
    ]


def test_a_page_that_is_drawn_again_keeps_its_inputs(lab, shown):
    """A page has the same nodes each time: the browser would draw others, without the focus."""
    stepper = lab.onramp("MX", example=True, consent=True, new=True)
    while stepper.current_step != "deposit":
        assert node_ids(stepper.page_nodes()) == node_ids(stepper.page_nodes())
        stepper.take_step()
    shown_pages = [page for page in shown.values() if hasattr(page, "page_nodes")]
    for page in (stepper, *shown_pages):
        assert node_ids(page.page_nodes()) == node_ids(page.page_nodes()), page.title
