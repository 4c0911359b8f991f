"""The lab: where its settings come from, what it shows, how it waits, and its displays."""

import logging
import re
from datetime import UTC, datetime, timedelta
from unittest.mock import Mock, patch

import httpx
import pytest

import paylab
from paylab.lab import displays
from paylab.simulator.simulator import Simulator

KEYS = {"api_key": "an-api-key", "secret_key": "a-very-secret-key"}


@pytest.fixture
def served():
    """A frozen simulator behind a URL, and a lab connected to it."""
    with paylab.connect().serve() as server:
        keys = server.api_key, server.secret_key
        yield server, paylab.connect(server.base_url, *keys)


def account(lab, country):
    """Create an active conversion account of an example individual."""
    person = lab.individuals.create(**paylab.examples.individual(country, consent_at=lab.clock()))
    lab.simulator.move(person.id, "pending")
    lab.simulator.move(person.id, "active")
    wallet = lab.financial_accounts.create(person.id, "crypto_wallet", paylab.examples.WALLET)
    return lab.conversion_accounts.wait(lab.conversion_accounts.create(person, wallet).id)


def test_nothing_configured_means_the_embedded_simulator(lab):
    """Without settings, a lab uses an embedded simulator that has 130 past transfers."""
    assert repr(lab).startswith("Lab: SIMULATOR (embedded)")
    assert len(list(lab.transfers.list(limit=100))) == 130


def test_two_labs_live_side_by_side():
    """Each lab has its own simulator, and both simulators give the same ids."""
    one, other = paylab.connect(), paylab.connect()
    first = account(one, "MX")
    assert not list(other.conversion_accounts.list())
    assert account(other, "MX").id == first.id


def test_the_environment_leads_to_a_service(served, monkeypatch):
    """Three environment variables connect a lab to a service, and `sources` names them."""
    server, _ = served
    monkeypatch.setenv("PAYLAB_BASE_URL", server.base_url)
    monkeypatch.setenv("PAYLAB_API_KEY", server.api_key)
    monkeypatch.setenv("PAYLAB_SECRET_KEY", server.secret_key)
    lab = paylab.connect()
    assert {source for _, _, source in lab.sources()} == {
        f"environment PAYLAB_{name}" for name in ("BASE_URL", "API_KEY", "SECRET_KEY")
    }
    assert lab.transfers.list(limit=1).first() is not None


@pytest.mark.parametrize(
    ("shared", "words"),
    [
        ("http://127.0.0.1:9", "the simulator that paylab lab started"),
        ("http://127.0.0.1:8", "environment PAYLAB_BASE_URL"),
        (None, "environment PAYLAB_BASE_URL"),
    ],
)
def test_a_lab_says_truly_where_its_address_came_from(monkeypatch, shared, words):
    """`lab.sources()` says whether the user or `paylab lab` set the base URL."""
    names = {"BASE_URL": "http://127.0.0.1:9", "API_KEY": "k", "SECRET_KEY": "s"}
    for name, value in {**names, "SHARED_SIMULATOR": shared}.items():
        if value is not None:
            monkeypatch.setenv(f"PAYLAB_{name}", value)
    with paylab.connect() as lab:
        assert ("base_url", names["BASE_URL"], words) in lab.sources()


def test_half_a_configuration_is_an_error(monkeypatch):
    """A missing variable is an error; the lab does not silently use the simulator."""
    monkeypatch.setenv("PAYLAB_API_KEY", "an-api-key")
    with pytest.raises(paylab.ConfigError, match="base_url and secret_key are missing"):
        paylab.connect()


@pytest.mark.parametrize("show", [repr, str, displays.show])
def test_a_lab_shows_no_secret(show):
    """The text and the HTML of a lab contain the base URL and neither of the keys."""
    shown = show(paylab.connect("https://api.example.com", **KEYS))
    assert not [key for key in KEYS.values() if key in shown]
    assert "https://api.example.com" in shown


def test_a_real_service_is_never_asked_whether_it_is_a_simulator():
    """A service on another machine gets no request for simulator controls."""
    asked = []
    settings = paylab.connect("https://api.example.com", **KEYS).settings
    transport = httpx.MockTransport(lambda request: asked.append(request) or httpx.Response(500))
    lab = paylab.Lab(settings, transport=transport)
    assert lab.simulator is None
    assert lab.events("tr_1") == []
    assert not asked


def test_a_service_without_controls_is_no_simulator():
    """A local address that does not answer is not a simulator."""
    assert paylab.connect("http://127.0.0.1:9", **KEYS).simulator is None


@pytest.mark.parametrize(("span", "seconds"), [(5, 5), ("2 hours", 7200), (timedelta(1), 86_400)])
def test_waiting_moves_a_frozen_clock(lab, span, seconds):
    """`sleep` advances the frozen clock of an embedded simulator by the span waited."""
    before = lab.clock()
    lab.sleep(span)
    assert lab.clock() - before == timedelta(seconds=seconds)
    assert before == datetime(2026, 1, 15, 12, tzinfo=UTC)


def test_waiting_for_text_that_is_no_span_says_how_to_write_one(lab):
    """`sleep` refuses text without a unit."""
    with pytest.raises(paylab.ArgumentError, match="'5' is not a time span: write a number of"):
        lab.sleep("5")


def test_waiting_moves_a_frozen_clock_behind_a_url(served):
    """`sleep` also advances the frozen clock of a simulator behind a URL."""
    server, lab = served
    before = server.simulator.world.now()
    lab.sleep(7)
    assert server.simulator.world.now() - before == timedelta(seconds=7)


def test_a_served_world_is_the_same_world(served):
    """A client in this process reads what a client of the served simulator has created."""
    server, lab = served
    made = account(lab, "PH")
    assert paylab.connect(simulator=server.simulator).conversion_accounts.get(made.id) == made


def test_only_an_embedded_simulator_can_be_served(served):
    """A lab with a base URL cannot be served."""
    _, lab = served
    with pytest.raises(paylab.ConfigError, match="only an embedded simulator"):
        lab.serve()


@pytest.mark.parametrize("encoding", ["hex", "base64"])
def test_a_served_lab_has_keys_in_the_encoding_of_its_service(encoding):
    """A client can sign with the server's keys in the encoding that the service declares."""
    service = {"signing.key_encoding": encoding}
    with paylab.connect(service=service).serve() as server:
        keys = server.api_key, server.secret_key
        assert paylab.connect(server.base_url, *keys, service=service).transfers.list().first()


@pytest.mark.parametrize(("country", "title"), [("MX", "Pay to this CLABE"), ("PH", "Scan to pay")])
def test_a_deposit_card_suits_the_country(lab, country, title):
    """The deposit card is a CLABE in Mexico and a QR code in the Philippines."""
    assert lab.deposit_card(account(lab, country)).title == title


@pytest.mark.parametrize(
    ("limit", "rows", "complete"), [(None, 130, True), (5, 5, False), (130, 130, True)]
)
def test_a_frame_says_whether_it_is_whole(lab, limit, rows, complete):
    """`limit` sets the maximum rows; `attrs` says whether the frame is complete."""
    frame = lab.transfers.frame(limit=limit)
    assert (len(frame), frame.attrs["complete"]) == (rows, complete)


def test_a_frame_since_a_time_has_nothing_older(lab):
    """The list is newest first, so fetching stops at the first older row."""
    tenth = list(lab.transfers.list())[9]
    frame = lab.transfers.frame(since=tenth.created_at)
    assert (len(frame), frame["id"].iloc[-1]) == (10, tenth.id)


def test_the_log_level_is_asked_for_by_name(monkeypatch):
    """PAYLAB_LOG sets the log level by its name; an unknown level is an error."""
    monkeypatch.setenv("PAYLAB_LOG", "loud")
    with pytest.raises(paylab.ConfigError, match="PAYLAB_LOG"):
        paylab.connect()
    monkeypatch.setenv("PAYLAB_LOG", "debug")
    paylab.connect()
    assert logging.getLogger("paylab").level == logging.DEBUG
    logging.getLogger("paylab").setLevel(logging.NOTSET)


@pytest.mark.parametrize(
    "make", [paylab.connect, lambda: paylab.connect("http://127.0.0.1:9", "k", "s")]
)
def test_a_closed_lab_says_so(make):
    """A call after `close` is an error of ours with the way on."""
    lab = make()
    lab.close()
    with pytest.raises(paylab.ConfigError, match=r"closed: make another lab with paylab\.connect"):
        lab.transfers.list().first()


def test_production_refuses_what_only_a_sandbox_does():
    """A production-like simulator refuses a sandbox deposit with a 403."""
    lab = paylab.connect(simulator=Simulator(production_like=True))
    with pytest.raises(paylab.PermissionDeniedError):
        lab.sandbox.deposit("ca_1", "1", "mxn")


def test_a_read_only_lab_reads_and_still_controls_its_simulator(monkeypatch):
    """PAYLAB_READ_ONLY also refuses writes to an embedded simulator; its clock can be moved."""
    monkeypatch.setenv("PAYLAB_READ_ONLY", "1")
    lab = paylab.connect()
    assert ("read_only", "yes", "environment PAYLAB_READ_ONLY") in lab.sources()
    row = lab.transfers.list().first()
    before = lab.clock()
    lab.sleep(5)
    assert (lab.clock() - before).total_seconds() == 5
    with pytest.raises(paylab.ReadOnlyError, match="POST /v1/transfers was not sent"):
        lab.transfers.create(
            row.financial_account_id,
            source_amount="1",
            source_currency="USD",
            destination_currency="MXN",
            payout_method="spei",
        )


def test_two_labs_on_one_simulator_have_nonces_of_their_own():
    """Labs on one simulator use different nonces, even while its clock is frozen."""
    simulator = Simulator(transfers=3)
    labs = [paylab.connect(simulator=simulator) for _ in range(3)]
    assert [len(list(lab.transfers.list())) for lab in labs] == [3, 3, 3]


def test_a_reconciliation_names_the_service(lab):
    """The HTML of a reconciliation has the badge of the lab."""
    assert "SIMULATOR (embedded)" in displays.show(lab.reconcile())


def test_a_resource_of_the_client_alone_is_named(lab):
    """The error for a resource that only the client has says where it is."""
    with pytest.raises(AttributeError, match=r"'ask_time': use client\.ask_time"):
        _ = lab.ask_time


def test_a_held_conversion_says_that_it_is_held_and_how_to_release_it():
    """The error of a wait names the hold, and its advice completes the conversion."""
    lab = paylab.connect()
    lab.simulator.seed(conversions=1)
    account = lab.conversion_accounts.list()[0]
    lab.sandbox.deposit(account, "10", "mxn", sender_name="")
    with pytest.raises(paylab.WaitTimeoutError, match="may be held for review") as caught:
        lab.conversions.wait(conversion_account_id=account, timeout=20)
    release = re.search(r"in a simulator (lab\S+ \S+) releases", str(caught.value))
    eval(release[1], {"lab": lab})
    assert lab.conversions.wait(conversion_account_id=account).status == "completed"


def test_a_wait_for_a_slow_rail_says_how_long_it_takes_and_moves_the_clock():
    """The advice names the hours of the rail; its call completes the transfer."""
    lab = paylab.connect()
    payee = lab.individuals.create(**paylab.examples.recipient("PH"))
    terms = {"source_amount": "20", "source_currency": "USD", "destination_currency": "PHP"}
    lab.balance().top_up("20", "USD")
    transfer = lab.transfers.create(
        payee.financial_accounts[0], payout_method="pesonet", client_reference_id="slow", **terms
    )
    with pytest.raises(paylab.WaitTimeoutError) as caught:
        lab.transfers.wait(transfer, timeout=20)
    advice = re.search(
        r"pesonet settles in up to 48 hours.*in a simulator (lab\S+)", caught.value.hint
    )
    eval(advice[1], {"lab": lab})
    assert lab.transfers.get(transfer.id).status == "completed"


@pytest.mark.parametrize(
    ("part", "name"),
    [
        ("lab", "transfers"),
        ("lab", "clock"),
        ("lab", "request"),
        ("lab.transfers", "create"),
        ("lab.client", "transfers"),
        ("lab.client", "settings"),
        ("lab.sandbox", "deposit"),
        ("lab.simulator", "clock"),
    ],
)
def test_a_test_can_replace_a_part_and_put_it_back(part, name):
    """As `unittest.mock` and `monkeypatch` do."""
    lab = paylab.connect()
    owner = {"lab": lab}.get(part) or getattr(lab, part.partition(".")[2])
    before = getattr(owner, name)
    with patch.object(owner, name, Mock()):
        assert isinstance(getattr(owner, name), Mock)
    assert getattr(owner, name) == before


def test_a_clock_says_what_moves_the_one_of_a_simulator():
    """The clock of a lab only tells the time."""
    with pytest.raises(AttributeError, match=r"is the time; .* lab\.simulator\.clock"):
        paylab.connect().clock.advance("2h")


def test_a_clock_and_a_list_show_what_they_are():
    """A clock shows its time, and a list the size of its pages, which is not its own."""
    lab = paylab.connect()
    assert repr(lab.clock) == f"lab.clock() is {lab.clock():%Y-%m-%d %H:%M:%S} UTC"
    assert "nothing fetched yet in pages of 5:" in repr(lab.transfers.list(limit=5))
