"""The service settings of a lab: where they come from, what uses them, how they are shown."""

from __future__ import annotations

import logging
import warnings

import pytest
from IPython.core.interactiveshell import InteractiveShell

import paylab
from paylab.corridors import examples
from paylab.lab import displays
from paylab.simulator.simulator import Simulator
from paylab.spec.service import Service
from paylab.views.calls import call_card, service_table

QUOTE = {"paths.quotes": "/v1/quote"}


@pytest.fixture(autouse=True)
def nothing_configured(monkeypatch, tmp_path):
    """Remove all paylab settings of this machine."""
    for name in ("BASE_URL", "API_KEY", "SECRET_KEY", "PROFILE", "SERVICE"):
        monkeypatch.delenv(f"PAYLAB_{name}", raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))


def quoted(lab):
    """Create a quote and return the path of its request."""
    made = lab.individuals.create(**examples.recipient("MX"))
    terms = {"payout_method": "spei", "source_amount": "5", "destination_currency": "MXN"}
    assert lab.quotes.create(made.financial_accounts[0], source_currency="USD", **terms).id
    return lab.calls[-1].path


def test_an_embedded_simulator_follows_the_service():
    """The client and the embedded simulator use the same paths without further settings."""
    lab = paylab.connect(service=QUOTE)
    assert lab.service == Service(QUOTE)
    assert quoted(lab) == "/v1/quote"


def test_the_variable_is_enough(monkeypatch, tmp_path):
    """PAYLAB_SERVICE also sets the service of an embedded simulator."""
    file = tmp_path / "service.toml"
    file.write_text('[paths]\nquotes = "/v1/quote"\n')
    monkeypatch.setenv("PAYLAB_SERVICE", str(file))
    assert quoted(paylab.connect()) == "/v1/quote"


def test_a_simulator_brings_its_service_along():
    """A lab on a simulator uses its service; with another one, the error has the assumption."""
    simulator = Simulator(service=Service(QUOTE))
    assert quoted(paylab.connect(simulator=simulator)) == "/v1/quote"
    other = paylab.connect(simulator=simulator, service=Service())
    with pytest.raises(paylab.NotFoundError) as caught:
        quoted(other)
    assert caught.value.assumption == "quote.operation"
    assert "check the base URL" in caught.value.hint


@pytest.mark.parametrize(
    ("given", "order"),
    [
        ({}, "newest_first"),
        ({"list_order": "oldest_first"}, "oldest_first"),
        ({"service": {"lists.transfers.order": "unknown"}}, "unknown"),
    ],
)
def test_list_order_is_a_setting_of_the_service(given, order):
    """The order of a list comes from `list_order`, the service's settings, or the default."""
    assert paylab.connect(**given).client.session.lists.order("transfers") == order


def test_an_assumed_order_is_not_trusted():
    """The list order of a remote service is unknown until it is declared in the settings."""
    assumed = paylab.connect("https://pay.test", "k", "s").client.session.lists
    declared = paylab.connect(
        "https://pay.test", "k", "s", service={"lists.order": "newest_first"}
    ).client.session.lists
    assert (assumed.order("transfers"), declared.order("transfers")) == ("unknown", "newest_first")


def test_the_service_is_shown_as_a_table():
    """Each row has key, value, default, origin and assumption; changed keys come first."""
    shown = service_table(Service({**QUOTE, "signing.tolerance": 60}))
    assert "2 of " in shown
    assert shown.index("/v1/quote") < shown.index("[signing]")
    row = ("paths.quotes", "/v1/quote", "/v1/quotes", "yours", "quote.operation")
    assert all(f">{text}<" in shown for text in row)


def test_a_notebook_shows_the_table():
    """IPython shows a service as this table."""
    formatter = InteractiveShell.instance().display_formatter.formatters["text/html"]
    paylab.connect()
    assert "signing.tolerance" in formatter(Service())


def test_a_recording_keeps_the_service(tmp_path):
    """A replay uses the service settings of the recording, without a file or a variable."""
    lab = paylab.connect(service=QUOTE)
    with lab.record(tmp_path / "run.har"):
        quoted(lab)
    assert quoted(paylab.connect(replay=tmp_path / "run.har")) == "/v1/quote"
    given = paylab.Service({"signing.tolerance": 60})
    assert paylab.connect(replay=tmp_path / "run.har", service=given).service == given


def test_warnings_of_the_log_are_plain_notices():
    """In a notebook a warning is shown as a notice with its text, and an info is not shown."""
    shown = []
    log = logging.Logger("paylab")
    log.addHandler(displays.NoticeHandler(shown.append))
    log.warning("the clock is %s", "off")
    log.info("nothing")
    assert shown == ["the clock is off"]


def test_own_warnings_are_plain_notices():
    """In a notebook paylab's warnings are notices without a place in code, others stay."""
    shown, others = [], []
    notices = displays.WarningNotices(shown.append, lambda message, *_: others.append(message))
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        warnings.showwarning = notices
        warnings.warn("check every digit", paylab.errors.RuleWarning, stacklevel=1)
        warnings.warn("old", DeprecationWarning, stacklevel=1)
    assert shown == ["check every digit"]
    assert [str(each) for each in others] == ["old"]


def test_the_card_of_a_call_shows_its_query_and_what_is_not_recorded():
    """The request begins with its line; a long answer scrolls, so that the rest is in reach."""
    lab = paylab.connect()
    lab.transfers.list(limit=50).first()
    card = call_card(lab.calls[-1])
    assert ">GET /v1/transfers?limit=50\n" in card
    assert "API key and the signature were sent and are not recorded" in card
    assert 'max-height:360px;overflow:auto" tabindex="0"' in card
