"""The public functions and methods, and the names that their examples use."""

from __future__ import annotations

import inspect
import json
from datetime import UTC, datetime
from pathlib import Path

import pandas as pd

import paylab
from paylab.client.call import Call
from paylab.corridors import examples
from paylab.errors import annotations, arguments, names
from paylab.errors.public_method import PublicMethod
from paylab.lab.lab import Lab
from paylab.signing.canonical import ReceivedRequest
from paylab.simulator.clock_panel import ClockPanel
from paylab.simulator.controls import Controls
from paylab.simulator.fault_controls import FaultControls
from paylab.simulator.scenarios import Scenarios
from paylab.spec.paging import Pager
from paylab.views import charts
from paylab.views.chart_style import Chart
from paylab.views.specimens import specimen
from paylab.webhooks.inbox import Inbox
from paylab.webhooks.polling import Watch
from paylab.webhooks.report import Reconciliation
from paylab.webhooks.router import Router

TERMS = {"source_currency": "USD", "destination_currency": "MXN", "payout_method": "spei"}
SIGNED = {"date": "2026-01-31T09:30:00.123Z", "nonce": "1769851800123004217"}
ROOTS = (*paylab.__all__, "frames", "read_csv", "read_parquet")
PARTS = (Call, Inbox, Watch, Reconciliation, Pager, Chart)
PARTS += (Controls, ClockPanel, FaultControls, Scenarios)
"""Public classes of the objects that a lab returns."""

PLAIN = {
    *("Pager.raw_pages", "Pager.fetched", "CallLog.append", "CallLog.keep"),
    *("LabTransfers.pull", "LabConversions.pull", "Watch.start", "Key.read"),
    *("public_names", "raise_unknown_attribute", "list_offers", "refuse_item", "refuse_length"),
    *("Names.to_theirs", "Names.to_ours"),
    "set_attribute",
    *(f"Service.{name}" for name in ("path", "match", "list", "account", "declared_order")),
    *(f"Service.{name}" for name in ("accounts_of", "payout_methods")),
    *("bodies", "export_list", "collect_accounts"),
}
"""Public members that only other parts of the package use."""

FOREIGN = ("model_", "DecimalArray.", "DecimalDtype.")
"""Names of members that pydantic and pandas call."""


def is_function(thing):
    """Whether a member of a module or class is a function."""
    return inspect.isfunction(thing) or isinstance(thing, PublicMethod)


def is_own(thing, home):
    """Whether a function or class is defined in a package or module."""
    kind = is_function(thing) or inspect.isclass(thing)
    return kind and f"{thing.__module__}.".startswith(f"{home}.")


def functions(owner):
    """The functions of a module or class, including methods of a module's classes."""
    if is_function(owner):
        return [owner]
    if inspect.ismodule(owner):
        own = [each for each in vars(owner).values() if is_own(each, owner.__name__)]
        return [function for each in own for function in functions(each)]
    kinds = [] if issubclass(owner, BaseException) else owner.__mro__
    held = [each for kind in kinds if is_own(kind, "paylab") for each in vars(kind).values()]
    methods = [getattr(each, "__func__", each) for each in held]
    return [method for method in methods if is_own(method, "paylab")]


def operations():
    """The public functions and methods reachable from `paylab` and from a lab, by name."""
    with paylab.connect() as lab:
        held = {type(getattr(lab, name)) for name in dir(lab) if name != "client"}
    kinds = [kind for kind in held if is_own(kind, "paylab")]
    owners = [*(getattr(paylab, name) for name in ROOTS), charts, Lab, *kinds, *PARTS]
    named = {each.__qualname__: each for owner in owners for each in functions(owner)}
    for name, function in sorted(named.items()):
        is_hidden = any(part.startswith("_") for part in name.split("."))
        if not is_hidden and name not in PLAIN and not any(part in name for part in FOREIGN):
            yield name, function


def names_of_examples(simulator, folder):
    """The objects that the examples use, by name; `folder` is for a dataset."""
    lab = paylab.connect(simulator=simulator)
    lab.simulator.seed(conversions=3)
    conversion = lab.conversions.list().filter(status="completed")[0]
    account = lab.conversion_accounts.get(conversion.conversion_account_id)
    recipient = lab.individuals.list().filter(country="MX", product_types=["global_payouts"])[0]
    payee = recipient.financial_accounts[0]
    dataset = paylab.frames.Dataset(folder)
    dataset.sync(lab.transfers)
    transfer = lab.transfers.list().filter(status="completed")[0]
    url = "https://pay.test/v1/transfers"
    sent, _ = paylab.signing.signed_headers(
        "key", "secret", "GET", "pay.test", "/v1/transfers", **SIGNED
    )
    headers = {name.lower(): value for name, value in sent.items()}
    delivery = {"event_type": "transfer.completed", "event_payload": transfer.raw}
    return {
        "transfer": transfer,
        "dataset": dataset,
        "delivery": json.dumps(delivery),
        "headers": headers,
        "request": paylab.signing.SignedRequest("GET", url),
        "received": ReceivedRequest("GET", "/v1/transfers", "", headers),
        "now": datetime(2026, 1, 31, 9, 30, tzinfo=UTC),
        "frame": lab.transfers.frame(),
        "qr_text": paylab.emvqr.qrph(acquirer="BANKPHM2", account="1", name="ANA", city="CEBU"),
        "paylab": paylab,
        "pd": pd,
        "annotations": annotations,
        "arguments": arguments,
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
        "draft": lab.individuals.create(**examples.individual("MX", consent_at=lab.clock())),
        "router": Router(),
        "selfie": specimen("selfie"),
    }


def renewed(place, state, simulator):
    """The names with a new lab on a simulator that holds `state`."""
    simulator.world.load(json.loads(state))
    lab = paylab.connect(simulator=simulator)
    quote = lab.quotes.create(place["payee"], source_amount="20", **TERMS)
    url = "https://hooks.example.com/first"
    subscription = lab.webhook_subscriptions.create(url, ["transfer.completed"])
    new = {"router": Router(), "path": Path("service.toml"), "lab": lab}
    return {**place, **new, "quote": quote, "subscription": subscription}
