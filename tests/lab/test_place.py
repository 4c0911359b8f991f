"""The kind of service a lab is connected to, and the badge that shows it."""

from __future__ import annotations

import contextlib
import copy
import json
import pickle

import httpx
import pytest

import paylab
from paylab.client import Client, Secret, Settings
from paylab.lab import Lab, displays
from paylab.lab.place import Place, ServiceLocator
from paylab.proxy import Proxy
from paylab.simulator.controls import Controls
from paylab.simulator.server import Server
from paylab.simulator.simulator import Simulator
from paylab.simulator.transport import SimulatorTransport

EMBEDDED = "SIMULATOR (embedded)"


@pytest.fixture
def served():
    """A lab connected to a simulator behind an address."""
    with Server(Simulator()) as server:
        keys = server.simulator.api_key, server.simulator.secret_key
        yield paylab.connect(server.base_url, *keys)


@pytest.mark.parametrize(
    ("base_url", "kind", "badge"),
    [
        ("https://sandbox.example.com", "sandbox", "SANDBOX (sandbox.example.com)"),
        ("https://api.sandbox.example.com/x", "sandbox", "SANDBOX (api.sandbox.example.com)"),
        (
            "https://api-sandbox.example.com:8443",
            "sandbox",
            "SANDBOX (api-sandbox.example.com:8443)",
        ),
        ("https://api.example.com", "other", "MAY MOVE REAL MONEY (api.example.com)"),
        ("https://api.example.com/sandbox", "other", "MAY MOVE REAL MONEY (api.example.com)"),
        ("https://sandboxes.example.com", "other", "MAY MOVE REAL MONEY (sandboxes.example.com)"),
        ("https://sandbox.example.no", "sandbox", "SANDBOX (sandbox.example.no)"),
        ("https://sandbox.xn--bcher-kva.de", "sandbox", "SANDBOX (sandbox.xn--bcher-kva.de)"),
        ("https://eu.sandbox.co.example.in", "sandbox", "SANDBOX (eu.sandbox.co.example.in)"),
        *(
            (f"https://{host}", "other", f"MAY MOVE REAL MONEY ({host})")
            for host in (
                *("sandbox.com", "www.sandbox.com", "api.sandbox.co.in", "api.sandbox-pay.com"),
                *("api.sandbox.com.", "xn--sandbox-2za.example.com", "sandbox"),
                *("live.sandbox.example.com", "sandbox-live.example.com", "sandbox.live.com"),
                *("production.sandbox.example.com", "sandbox.prod.example.com"),
                *("no-sandbox.example.com", "non-sandbox.example.com", "not.sandbox.example.com"),
                *("sandbox-off.example.com", "sandbox.production.co.in"),
            )
        ),
        ("http://127.0.0.1:9", "unanswered", "NO ANSWER YET (127.0.0.1:9)"),
    ],
)
def test_an_address_is_named(base_url, kind, badge):
    """A sandbox is recognised by its host; a local address without an answer is no simulator."""
    place = paylab.connect(base_url, "k", "s").place
    assert (place.kind, str(place), place.is_simulator) == (kind, badge, False)
    assert place.notice.startswith(badge)
    assert str(place) in repr(paylab.connect(base_url, "k", "s"))


@pytest.mark.parametrize(
    ("kind", "may_be_live"),
    [
        ("embedded", False),
        ("shared", False),
        ("sandbox", False),
        ("recording", False),
        ("other", True),
        ("unanswered", True),
    ],
)
def test_what_is_not_known_may_be_live(kind, may_be_live):
    """Only a simulator, a sandbox and a recording move no real money for sure."""
    assert Place(kind, "https://api.example.com").may_be_live is may_be_live


PAGE = {"data": [], "has_next_page": False, "cursor": None}


@pytest.fixture(scope="module")
def proxied():
    """A function that connects to a proxy in front of a service, which answers with headers."""
    with contextlib.ExitStack() as stack:

        def connect(to, **headers):
            service = httpx.MockTransport(lambda _: httpx.Response(200, json=PAGE, headers=headers))
            proxy = stack.enter_context(Proxy(to, keys=("key", "secret"), transport=service))
            return paylab.connect(proxy.base_url, "key", "secret"), f"127.0.0.1:{proxy.port}"

        yield connect


@pytest.mark.parametrize(
    ("to", "headers", "kind", "badge"),
    [
        ("https://sandbox.example.com", {}, "sandbox", "SANDBOX (sandbox.example.com, through {})"),
        (
            "https://api.sandbox.example.com:8443/pay",
            {"via": "1.1 cache", "server": "nginx"},
            "sandbox",
            "SANDBOX (api.sandbox.example.com:8443, through {})",
        ),
        (
            "https://api.example.com/sandbox",
            {},
            "other",
            "MAY MOVE REAL MONEY (api.example.com, through {})",
        ),
        (
            "https://api.example.com",
            {"via": "1.1 paylab-proxy (sandbox.example.com)"},
            "other",
            "MAY MOVE REAL MONEY (api.example.com, through {})",
        ),
        (
            "http://localhost:9",
            {"server": "paylab-simulator"},
            "shared",
            "SIMULATOR (shared, localhost:9, through {})",
        ),
    ],
)
def test_behind_a_proxy_the_badge_names_the_service(proxied, to, headers, kind, badge):
    """The proxy on this machine names the service behind it in each answer."""
    lab, address = proxied(to, **headers)
    lab.transfers.list().to_list()
    assert (lab.place.kind, str(lab.place)) == (kind, badge.format(address))
    assert lab.simulator is None
    assert str(lab.place) == badge.format(address)


def test_a_proxy_is_asked_before_the_first_call(proxied):
    """The badge is right before anything is sent to the service."""
    lab, address = proxied("https://sandbox.example.com")
    assert str(lab.place) == f"SANDBOX (sandbox.example.com, through {address})"


def test_only_a_proxy_on_this_machine_is_believed():
    """A service elsewhere cannot say that it is a sandbox."""
    settings = Settings("https://api.example.com", Secret("key"), Secret("secret"))
    locator = ServiceLocator(settings, lambda: pytest.fail("asked"))
    via = {"via": "1.1 paylab-proxy (sandbox.example.com)"}
    service = httpx.MockTransport(lambda _: httpx.Response(200, json=PAGE, headers=via))
    client = Client(settings, transport=service, watchers=[locator.note_product])
    assert client.transfers.list().to_list() == []
    assert (locator.place.kind, str(locator.place)) == (
        "other",
        "MAY MOVE REAL MONEY (api.example.com)",
    )


def test_the_embedded_simulator_says_why_it_is_used(lab):
    """The notice of the embedded simulator says that no PAYLAB_BASE_URL is set."""
    assert str(lab.place) == EMBEDDED
    assert lab.place.notice == "SIMULATOR (embedded): PAYLAB_BASE_URL is not set"


def test_a_simulator_behind_an_address_is_recognised(served):
    """A simulator at a local address is recognised and shown with its host."""
    assert served.place.kind == "shared"
    assert str(served.place).startswith("SIMULATOR (shared, 127.0.0.1:")


@pytest.fixture
def sent():
    """The paths of the requests that the lab `counted` has sent."""
    return []


@pytest.fixture
def counted(sent):
    """A lab at a local address with a simulator."""
    simulator = Simulator(frozen=False)
    transport = SimulatorTransport(simulator.respond)

    def answer(request):
        sent.append(request.url.path)
        response = transport.handle_request(request)
        response.headers["server"] = "paylab-simulator"  # as over HTTP
        return response

    keys = Settings("http://127.0.0.1:9", Secret(simulator.api_key), Secret(simulator.secret_key))
    return Lab(keys, transport=httpx.MockTransport(answer))


def test_a_new_lab_is_shown_without_a_request(counted, sent):
    """Showing a lab sends no request; after the first response it names the simulator."""
    assert "SIMULATOR" not in repr(counted) + displays.show(counted)
    assert sent == []
    assert counted.transfers.list().to_list(1) == []
    assert "SIMULATOR (shared" in repr(counted)
    assert "SIMULATOR (shared" in displays.show(counted)
    assert sent == ["/v1/transfers"]


def test_a_simulator_that_starts_later_is_found():
    """A local address that did not answer before is asked again."""
    simulator = Simulator()
    with Server(simulator) as server:
        port = int(server.base_url.rpartition(":")[2])
    lab = paylab.connect(server.base_url, simulator.api_key, simulator.secret_key)
    assert lab.simulator is None
    with Server(simulator, port=port):
        assert lab.place.is_simulator


def shown(value):
    """The text and the HTML of a value."""
    bundle = value._repr_mimebundle_() if hasattr(value, "_repr_mimebundle_") else {}
    html = bundle.get("text/html") or displays.show(value)
    return repr(value), html


@pytest.mark.parametrize(
    "make",
    [
        lambda lab: lab,
        lambda lab: lab.onramp("PH", example=True),
        lambda lab: lab.forms.onboarding("MX"),
        lambda lab: lab.forms.recipient("BR"),
        lambda lab: lab.status(person(lab)),
        lambda lab: lab.deposit_card({"type": "clabe", "details": {"clabe": "646180111812345678"}}),
        lambda lab: lab.deposit_card({"type": "qrph", "details": {"qrph_payload": "000201"}}),
        lambda lab: lab.deposit_card({"type": "other", "details": {"a": "b"}}),
    ],
)
def test_everything_shown_carries_the_badge(lab, make):
    """The text and the HTML of every display contain the badge."""
    text, html = shown(make(lab))
    assert EMBEDDED in text
    assert EMBEDDED in html


@pytest.mark.parametrize(
    "make",
    [
        lambda lab: lab.transfers.list()[0],
        lambda lab: lab.transfers.list(),
        lambda lab: lab.transfers.list().filter(id="none of them"),
        lambda lab: next(lab.transfers.list().pages()),
        lambda lab: lab.individuals.get(person(lab)),
        lambda lab: lab.transfers.list()[0] and lab.calls,
        lambda lab: lab.transfers.list()[0] and lab.calls[-1],
    ],
)
def test_results_and_lists_carry_the_badge(lab, make):
    """The HTML of results and lists contains the badge of their service."""
    assert EMBEDDED in displays.show(make(lab))


@pytest.mark.parametrize("make", [copy.copy, copy.deepcopy, lambda one: one.model_copy()])
def test_a_copied_result_keeps_its_badge(lab, make):
    """A copy of a result shows the badge of its service and what the service sent."""
    one = lab.transfers.list()[0]
    copied = make(one)
    assert EMBEDDED in displays.show(copied)
    assert copied.raw == one.raw


def test_a_result_can_be_pickled(lab):
    """A pickled result keeps what the service sent, without the badge and without the lab."""
    one = lab.transfers.list()[0]
    pickled = pickle.dumps(one)
    read = pickle.loads(pickled)
    assert (read, read.raw) == (one, one.raw)
    assert EMBEDDED not in displays.show(read)
    assert lab.settings.secret_key.reveal().encode() not in pickled


def test_an_inbox_carries_the_badge(lab):
    """The saved HTML of an inbox contains the badge."""
    with lab.inbox() as inbox:
        shown, _ = inbox._repr_mimebundle_()
    assert EMBEDDED in shown["text/html"]


PANELS = [
    lambda controls: controls,
    lambda controls: controls.faults,
    lambda controls: controls.scenarios,
]


@pytest.mark.parametrize("get", PANELS)
def test_controls_say_that_they_are_of_a_simulator(lab, get):
    """The HTML of controls has the badge of a simulator."""
    assert "SIMULATOR" in displays.show(get(lab.simulator))


@pytest.mark.parametrize("get", [*PANELS, lambda controls: controls.clock])
def test_the_text_of_controls_sends_no_request(get):
    """The text of controls names what they can do, and sends no request."""
    controls = Controls(lambda *_, **__: pytest.fail("a request was sent"))
    assert repr(get(controls)).startswith("<")


def test_an_answer_says_that_it_is_of_a_simulator(counted, sent):
    """A result shows the badge of its simulator without a further request."""
    individual = counted.individuals.get(person(counted))
    sent.clear()
    assert "SIMULATOR (shared, 127.0.0.1:" in displays.show(individual)
    assert sent == []


def person(lab):
    """Create an example individual."""
    return lab.individuals.create(**paylab.examples.individual("MX", consent_at=lab.clock()))


def test_a_form_on_the_page_names_the_service(lab):
    """The heading of a form has the badge."""
    form = lab.forms.onboarding("MX")
    assert EMBEDDED in form.heading.badge


@pytest.mark.parametrize("kind", ["transfers", "conversions"])
def test_frames_and_files_remember_their_service(lab, tmp_path, kind):
    """The `attrs` of a frame and the description beside a file contain the badge."""
    rows = getattr(lab, kind)
    assert rows.frame(limit=3).attrs["service"] == EMBEDDED
    for name in ("rows.csv", "rows.parquet"):
        rows.export(tmp_path / name)
        described = json.loads((tmp_path / f"{name}.columns.json").read_text())
        assert described["service"] == EMBEDDED


def test_a_local_address_is_not_asked_again_at_every_wait():
    """It is asked once whether it is a simulator, and again when its answers name one."""
    settings = Settings("http://127.0.0.1:9", Secret("key"), Secret("secret"))
    asked_paths = []

    def send_control(_method, path, **_):
        """A control request that gets no answer."""
        asked_paths.append(path)
        raise paylab.APIConnectionError("nothing listens")

    locator = ServiceLocator(settings, lambda: send_control)
    waits = [locator.find_controls_once() for _ in range(3)]
    assert (waits, asked_paths) == ([None] * 3, ["/_simulator"])
    started = {"server": "paylab-simulator"}
    service = httpx.MockTransport(lambda _: httpx.Response(200, json=PAGE, headers=started))
    Client(settings, transport=service, watchers=[locator.note_product]).transfers.list().to_list()
    locator.find_controls_once()
    assert asked_paths == ["/_simulator"] * 2
