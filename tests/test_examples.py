"""The examples in docstrings: each runs, and every public operation has one."""

from __future__ import annotations

import doctest
import importlib
import inspect
import pkgutil

import pandas as pd
import pytest

import paylab
from paylab.client.resources import conversions, individuals, transfers, webhooks
from paylab.corridors import examples
from paylab.lab import resources
from paylab.lab.lab import Lab
from paylab.simulator.simulator import Simulator
from paylab.spec import names
from paylab.spec.models import Resource
from paylab.spec.paging import Pager
from paylab.views import charts
from paylab.views.specimens import specimen
from paylab.webhooks.router import Router

TERMS = {"source_currency": "USD", "destination_currency": "MXN", "payout_method": "spei"}
PUBLIC = [
    *(Lab, Pager, resources.LabTransfers, resources.LabQuotes, resources.LabConversions),
    *(individuals.Individuals, individuals.FinancialAccounts, conversions.ConversionAccounts),
    *(conversions.Conversions, conversions.Sandbox, transfers.Quotes, transfers.Transfers),
    webhooks.WebhookSubscriptions,
]
OWN = ("to_dict", "to_json", "get", "keys", "items")
PLAIN = {"raw_pages", "fetched"}
"""Methods for other parts of the package."""


def found():
    """Every docstring of the package with an example."""
    finder = doctest.DocTestFinder(exclude_empty=True)
    for each in pkgutil.walk_packages(paylab.__path__, "paylab."):
        if each.name.endswith("__main__"):
            continue
        module = importlib.import_module(each.name)
        if ">>>" in inspect.getsource(module):
            yield from (test for test in finder.find(module) if test.examples)


@pytest.fixture(scope="module")
def simulator():
    """One simulator for all examples."""
    return Simulator(transfers=130)


@pytest.fixture(scope="module")
def place(simulator):
    """The names that examples use."""
    lab = paylab.connect(simulator=simulator)
    lab.simulator.seed(conversions=3)
    conversion = lab.conversions.list().filter(status="completed")[0]
    account = lab.conversion_accounts.get(conversion.conversion_account_id)
    recipient = lab.individuals.list().filter(country="MX", product_types=["global_payouts"])[0]
    payee = recipient.financial_accounts[0]
    return {
        "paylab": paylab,
        "pd": pd,
        "names": names,
        "charts": charts,
        "examples": examples,
        "conversion": conversion,
        "account": account,
        "recipient": recipient,
        "payee": payee,
        "terms": TERMS,
        "person": lab.individuals.get(account.individual_id),
        "wallet": account.payout_account,
        "transfer": lab.transfers.list().filter(status="completed")[0],
        "draft": lab.individuals.create(**examples.individual("MX", consent_at=lab.clock())),
        "router": Router(),
        "state": lab.simulator.snapshot(),
    }


@pytest.fixture
def here(place, simulator, tmp_path, monkeypatch):
    """A lab on that simulator as it was before the first example, in a folder of its own."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "selfie.jpg").write_bytes(specimen("selfie"))
    lab = paylab.connect(simulator=simulator)
    lab.simulator.restore(place["state"])
    quote = lab.quotes.create(place["payee"], source_amount="20", **TERMS)
    url = "https://hooks.example.com/first"
    subscription = lab.webhook_subscriptions.create(url, ["transfer.completed"])
    return {**place, "lab": lab, "quote": quote, "subscription": subscription}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("example", found(), ids=lambda test: test.name.removeprefix("paylab."))
def test_an_example_gives_what_it_says(here, example):
    """Run as a reader would, on a simulator."""
    example.globs = {**example.globs, **here}
    runner = doctest.DocTestRunner(verbose=False, optionflags=doctest.ELLIPSIS)
    told: list[str] = []
    runner.run(example, out=told.append)
    assert not runner.failures, "".join(told)


def operations():
    """The public operations, and the functions that draw."""
    for kind in PUBLIC:
        for name, member in vars(kind).items():
            if inspect.isfunction(member) and not name.startswith("_") and name not in PLAIN:
                yield f"{kind.__name__}.{name}", member
    yield from ((f"Resource.{name}", getattr(Resource, name)) for name in OWN)
    drawn = ("volume", "statuses", "completion", "failures", "fees")
    yield from ((f"charts.{name}", getattr(charts, name)) for name in drawn)


@pytest.mark.parametrize(("name", "operation"), operations())
def test_every_operation_has_an_example(name, operation):
    """In its docstring."""
    assert ">>> " in inspect.getdoc(operation), name
