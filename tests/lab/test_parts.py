"""The parts of a lab: its lists, signatures, comparison of quotes, and waiting."""

from __future__ import annotations

import dataclasses
import logging
import warnings
from types import SimpleNamespace

import httpx
import pytest

import paylab
from paylab.client.settings import Settings
from paylab.corridors import examples
from paylab.errors import ConfigWarning
from paylab.lab import displays
from paylab.lab.lab import Lab
from paylab.lab.lists import page_size
from paylab.lab.quotes import list_routes
from paylab.lab.service_time import ServiceTime
from paylab.payments.batch import CONCURRENCY
from paylab.simulator.simulator import Simulator

TERMS = {"source_currency": "USD", "destination_currency": "MXN", "payout_method": "spei"}


@pytest.mark.parametrize(
    ("limit", "size"), [(None, 100), (1, 1), (2, 2), (99, 99), (100, 100), (101, 100)]
)
def test_a_page_is_as_large_as_needed(limit, size):
    """At most 100 rows, and no more than the wanted ones."""
    assert page_size(limit) == size


@pytest.mark.parametrize("limit", [0, -1, True, 1.5, "3"])
def test_a_limit_is_a_number_of_rows(lab, limit):
    """Anything else is refused before a request."""
    with pytest.raises(paylab.RuleError, match="limit: must be a whole number of rows, 1 or more"):
        lab.transfers.frame(limit=limit)
    assert not lab.calls


def test_a_frame_remembers_what_was_asked(lab):
    """The filter in the attributes has what was given, and nothing else."""
    assert lab.transfers.frame(limit=1).attrs["filter"] == {"limit": 1}
    asked = {"status": ["failed", "completed"], "since": "2026-01-01", "product_type": "off_ramp"}
    assert lab.transfers.frame(**asked).attrs["filter"] == {
        "product_type": "off_ramp",
        "since": "2026-01-01T00:00:00.000Z",
        "status": "completed,failed",
    }


def test_progress_is_told_to_a_function(lab):
    """It gets the rows and pages so far; False ends nothing, as no function is there."""
    seen = []
    lab.transfers.frame(progress=lambda *numbers: seen.append(numbers))
    assert seen[-1] == (130, 2)
    assert len(lab.transfers.frame(progress=False)) == 130


@pytest.mark.parametrize(
    ("address", "given", "used"),
    [(None, None, 1), (None, 3, 3), ("http://127.0.0.1:9", None, CONCURRENCY)],
)
def test_a_batch_sends_several_at_a_time_to_a_service(monkeypatch, address, given, used):
    """A simulator in this process answers one request at a time."""
    seen = []
    # From outside only a race would show how many are sent at once.
    monkeypatch.setattr("paylab.payments.batch.Batch.run", lambda _, **how: seen.append(how))
    lab = paylab.connect(address, *(["k", "s"] if address else []))
    lab.transfers.create_many([], concurrency=given)
    assert [how["concurrency"] for how in seen] == [used]


@pytest.mark.parametrize("value", ["none", "orders.sqlite3"])
def test_a_ledger_that_is_set_is_said_to_have_no_effect(tmp_path, monkeypatch, value):
    """PAYLAB_LEDGER gives one warning, and its file is neither made nor changed."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PAYLAB_LEDGER", value)
    with pytest.warns(ConfigWarning, match="nothing is stored any more") as warned:
        paylab.connect()
    assert len(warned) == 1
    assert list(tmp_path.iterdir()) == []


def test_a_signature_is_explained(lab):
    """That of the latest call, or of a given one; without a call there is nothing to explain."""
    with pytest.raises(paylab.ConfigError, match="there is no call yet"):
        lab.explain()
    lab.transfers.list(limit=7).first()
    lab.individuals.list(limit=3).first()
    assert "/v1/individuals" in repr(lab.explain())
    assert "/v1/transfers" in repr(lab.explain(lab.calls[0]))


@pytest.mark.parametrize("start", ["", "http://localhost"])
def test_a_signature_is_compared(lab, start):
    """Headers of another program against the secret of the lab, by a path or a whole URL."""
    body = b'{"url": "https://example.com/", "event_types": ["transfer.created"]}'
    lab.webhook_subscriptions.create("https://example.com/", ["transfer.created"])
    signed = {**lab.calls[-1].request_headers}
    found = lab.compare(signed, "post", f"{start}/v1/webhook_subscriptions", body)
    assert not found.match  # the record of a call has no signature
    assert "uthorization" in repr(found) or "ignature" in repr(found)


def test_quotes_are_compared_by_rail(lab):
    """A row per rail; a refusal is a row with a reason, and a wrong argument an error."""
    person = lab.individuals.create(**examples.recipient("PH"))
    frame = lab.quotes.compare(person, source_amount="25")
    assert frame["rail"].tolist() == ["instapay", "pesonet"]
    assert frame["problem"].isna().all()
    assert frame["quote_id"].str.startswith("qt_").all()
    refused = lab.quotes.compare([person], source_amount="0.01")
    assert refused["problem"].notna().all()
    assert refused["quote_id"].isna().all()
    lab.simulator.faults.add("status", status=401, times=1)
    with pytest.raises(paylab.AuthenticationError):
        lab.quotes.compare([person], source_amount="25")
    with pytest.raises(paylab.RuleError, match="must be individuals, such as"):
        lab.quotes.compare([person, person.id], source_amount="25")
    for wrong_amount in (250.5, "abc", None, "1.001"):
        with pytest.raises(paylab.RuleError, match=r"source_amount: (must|is required)"):
            lab.quotes.compare([person], source_amount=wrong_amount)


def test_a_wallet_is_no_route(lab):
    """A recipient with a wallet alone has no rail, and a country without payouts none."""
    person = lab.individuals.create(**examples.individual("MX", consent_at=lab.clock()))
    lab.financial_accounts.create(person.id, "crypto_wallet", examples.WALLET)
    assert len(lab.quotes.compare(lab.individuals.get(person.id), source_amount="25")) == 0


class Clock:
    """The clock of a simulator, which counts how far it was advanced."""

    def __init__(self, *, frozen):
        self.frozen, self.advanced = frozen, 0

    def advance(self, seconds):
        """Advance it."""
        self.advanced += seconds


@pytest.mark.parametrize(
    ("frozen", "slept", "advanced"), [(True, [], 3.0), (False, [3.0], 0), (None, [3.0], 0)]
)
def test_waiting_is_sleep_unless_a_clock_stands_still(frozen, slept, advanced):
    """A frozen simulator is advanced; with a running one, or none, the process sleeps."""
    clock, pauses = Clock(frozen=frozen), []
    waiting = ServiceTime(lambda: None if frozen is None else clock, pause=pauses.append)
    waiting.sleep(3.0)
    assert (pauses, clock.advanced) == (slept, advanced)
    assert waiting.move_on(1.0) is bool(frozen)
    assert waiting.is_frozen() is bool(frozen)
    assert not waiting.in_process


def test_a_simulator_that_does_not_answer_is_waited_for():
    """An error of the clock is no error of a wait."""

    def find_clock():
        raise paylab.SimulatorError("gone")

    pauses = []
    ServiceTime(find_clock, pause=pauses.append).sleep(2.0)
    assert pauses == [2.0]


@pytest.mark.parametrize(
    "given",
    [
        {"base_url": "https://a.example.com"},
        {"api_key": "k"},
        {"secret_key": "s"},
        {"profile": "p"},
        {"control_token": "t"},
        {"simulator": Simulator()},
    ],
)
def test_a_replay_takes_nothing_else(tmp_path, given):
    """A recording answers, so an address or a key beside it is a mistake."""
    with pytest.raises(paylab.ConfigError, match="a replay takes no base URL"):
        paylab.connect(replay=tmp_path / "x.har", **given)


def test_a_control_token_needs_an_address():
    """The embedded simulator has no token."""
    with pytest.raises(paylab.ConfigError, match="pass base_url"):
        paylab.connect(control_token="t")


@pytest.mark.parametrize(
    ("settings", "ignored"),
    [
        ({"base_url": "https://a.example.com", "api_key": "k", "secret_key": "s"}, "base_url, api"),
        ({"api_key": "x"}, "api_key"),
        ({"profile": "p"}, "profile"),
        ({"control_token": "t"}, "control_token"),
    ],
)
def test_a_simulator_takes_no_settings_of_a_service(settings, ignored):
    """The error names those that the simulator would ignore."""
    with pytest.raises(paylab.ConfigError, match=f"an embedded simulator ignores {ignored}"):
        paylab.connect(simulator=Simulator(), **settings)


def test_values_of_a_lab_cannot_be_changed(lab):
    """A place, a list to read and a route are values."""
    route_owner = lab.individuals.create(**examples.recipient("MX"))
    for value in (lab.place, lab.transfers.pull(), next(list_routes(route_owner, lab.service))):
        name = dataclasses.fields(value)[0].name
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(value, name, None)


class Shell:
    """A running IPython, with or without a kernel."""

    def __init__(self, *, has_kernel):
        self.published = []
        self.display_pub = self
        if has_kernel:
            self.kernel = object()

    def publish(self, bundle):
        """Keep what is shown."""
        self.published.append(bundle)


class Displays(Shell):
    """A shell that registers views of types by name."""

    def __init__(self, *, has_kernel):
        super().__init__(has_kernel=has_kernel)
        self.display_formatter, self.formatters = self, {"text/html": self}
        self.views = {}

    def for_type_by_name(self, home, name, view):
        """Keep a view."""
        self.views[home, name] = view


@pytest.mark.parametrize("has_kernel", [True, False])
def test_views_and_notices_are_for_a_notebook(monkeypatch, lab, has_kernel):
    """A shell gets the views of every type, a kernel notices as well, nothing else anything."""
    shell, logger, others = Displays(has_kernel=has_kernel), logging.getLogger("paylab"), []
    monkeypatch.setattr("IPython.core.getipython.get_ipython", lambda: shell)
    monkeypatch.setattr(logger, "handlers", [])
    monkeypatch.setattr(logger, "propagate", False)
    monkeypatch.setattr(warnings, "showwarning", lambda message, *_: others.append(str(message)))
    for _ in range(2):
        displays.register_displays()
    assert len(logger.handlers) == has_kernel
    warnings.showwarning("of another package", UserWarning, "file", 1)
    warnings.showwarning("of paylab", ConfigWarning, "file", 1)
    assert others == ["of another package", *([] if has_kernel else ["of paylab"])]
    assert len(shell.published) == has_kernel
    assert shell.views.keys() == displays.VIEWS.keys()
    assert "SIMULATOR" in shell.views["paylab.lab.lab", "Lab"](lab)
    assert displays.show(3) is None
    plain = SimpleNamespace(display_formatter=None)
    monkeypatch.setattr("IPython.core.getipython.get_ipython", lambda: plain)
    displays.register_displays()


def test_a_stablecoin_quote_offers_the_wallets_of_its_recipient(lab):
    """The card and the status of an off-ramp read the accounts, those of other payouts do not."""
    fields = examples.individual("MX", consent_at=lab.clock(), product="off_ramp")
    bank = examples.recipient("MX")["financial_accounts"]
    person = lab.individuals.create(**fields, financial_accounts=bank)
    lab.simulator.move(person.id, "pending")
    lab.individuals.wait(person.id)
    wallet = lab.financial_accounts.create(person.id, "crypto_wallet", examples.WALLET)
    pesos = person.financial_accounts[0]
    terms = {**TERMS, "source_amount": "20", "source_currency": "USDC", "source_network": "base"}
    payee = lab.individuals.create(**examples.recipient("MX"))
    for account, more, read in ((pesos, terms, 1), (payee.financial_accounts[0], TERMS, 0)):
        quote = lab.quotes.create(account, **{"source_amount": "20", **more})
        transfer = lab.transfers.create(quote_id=quote.id)
        before = len(lab.calls)
        lab.forms.quote_card(quote)
        lab.status(transfer)
        paths = [call.path for call in list(lab.calls)[before:]]
        assert sum(path.startswith("/v1/individuals/") for path in paths) == 2 * read
        wallets = lab.forms._make_transfer_status(transfer)._wallets
        assert [each.id for each in wallets] == [wallet.id] * read


@pytest.mark.parametrize("has_kernel", [True, False])
def test_a_notice_is_below_the_cell_or_on_stderr(monkeypatch, capsys, has_kernel):
    """A notebook shows it as HTML and text, a script prints it."""
    shell = Shell(has_kernel=has_kernel)
    monkeypatch.setattr("IPython.core.getipython.get_ipython", lambda: shell)
    displays.show_notice("sent\x1b again")
    told = capsys.readouterr()
    if has_kernel:
        assert [each["text/plain"] for each in shell.published] == ["sent\\x1b again"]
        assert told.err == ""
    else:
        assert (shell.published, told.err) == ([], "sent\\x1b again\n")


@pytest.mark.parametrize(
    ("show", "label"), [(displays.show_notice, "Notice"), (displays.show_warning, "Warning")]
)
def test_a_notice_stands_out_by_its_label(monkeypatch, show, label):
    """The HTML has the label in bold, in a box with a border and its own background."""
    shell = Shell(has_kernel=True)
    monkeypatch.setattr("IPython.core.getipython.get_ipython", lambda: shell)
    payment_id = "tr_01KF0FJV6500004241TXGWEA8R"
    show(f"not paid again: <b> {payment_id} was made")
    [published] = shell.published
    assert f"<strong>{label}:</strong> not paid again: &lt;b&gt;" in published["text/html"]
    assert "border-left:4px solid" in published["text/html"]
    assert f'title="{payment_id}&#10;' in published["text/html"]
    assert ">tr_…EA8R<" in published["text/html"]
    assert payment_id in published["text/plain"]


def test_only_a_local_address_is_asked_whether_it_is_a_simulator():
    """One quick request to this machine; a control that moves the clock forgets its time."""
    seen = []

    def answer(request):
        seen.append(f"{request.method} {request.url.path}")
        clock = {"now": "2026-01-31T09:30:00.000Z", "frozen": True, "speed": 1.0}
        return httpx.Response(200, json={"clock": clock, "counts": {}, "seed": 7})

    kinds = {}
    for address in ("https://a.example.com", "http://127.0.0.1:9"):
        lab = Lab(Settings(address, "k", "s"), transport=httpx.MockTransport(answer))
        kinds[address] = lab.place.kind
    assert list(kinds.values()) == ["other", "unanswered"]
    assert seen == []  # a given transport is only for the requests of the lab


def test_an_event_of_a_second_account_leaves_the_first_alone(lab):
    """With the id of a conversion account the deposit goes into it."""
    first = lab.conversions.get(lab.trigger("conversion.completed")[-1].id)
    again = lab.trigger("conversion.failed", first.conversion_account_id)
    second = lab.conversions.get(again[-1].id)
    assert second.conversion_account_id == first.conversion_account_id
    assert (first.status, second.status) == ("completed", "failed")
