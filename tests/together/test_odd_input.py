"""Odd files, hosts, names, messages and answers: the outcome is a result or an error of paylab."""

from __future__ import annotations

import copy
import json
import socket
from datetime import timedelta
from random import Random

import httpx
import pytest

import paylab
from paylab.client.settings import Settings
from paylab.errors import APIResponseError, ConfigError, PaylabError, RuleError
from paylab.lab.lab import Lab
from paylab.simulator.server import Server
from paylab.simulator.simulator import Simulator
from paylab.views.inbox import InboxView
from paylab.webhooks.event import read_event

SAMPLE, ALL = 60, 2_000
"""Attacks of each kind: always, and with `-m whole_table`."""
SIZES = [SAMPLE, pytest.param(ALL, marks=pytest.mark.whole_table)]
ODD = [
    *(None, [], {}, "x", "", 0, -1, 1.5, float("nan"), float("inf"), True, 10**400, -(10**30)),
    *("\ud800", "\x00\u202e\u00e9", "9" * 5_000, [1, [2]], {"a": {}}, [None], [[]], {"service": 5}),
    *("http://[", "//", "https://xn--0.com/v1/transfers", "https://h:99999999/v1/transfers"),
    *("1e999", "base64", [{"name": "a\r\nb", "value": "\x00"}], "2026-13-45T99:99:99Z", "%zz%ff"),
]


def answering(content, status=200, headers=None):
    """A lab on a service that answers everything with the same bytes."""
    transport = httpx.MockTransport(
        lambda _: httpx.Response(status, content=content, headers=headers or {})
    )
    settings = Settings("http://127.0.0.1", "key", "secret")
    return Lab(settings, transport=transport, max_retries=0)


def shown(error):
    """Show an error of paylab in every way."""
    return str(error), error.card(), error.traceback()


def is_answered(act):
    """Whether a call has a result or an error of paylab; any other exception is raised."""
    try:
        act()
    except PaylabError as error:
        shown(error)
        return False
    return True


# Recordings


@pytest.fixture(name="recorded", scope="module")
def recorded_fixture(tmp_path_factory):
    """A recording of a few calls, as its text, and the id of a transfer in it."""
    path = tmp_path_factory.mktemp("recording") / "calls.har"
    lab = paylab.connect()
    with lab.record(path):
        transfer = lab.transfers.list(limit=2).first()
        lab.transfers.get(transfer.id)
        is_answered(lambda: lab.transfers.get("nobody"))
    return path.read_text(), transfer.id


def places(value, path=()):
    """The path of each value in parsed JSON."""
    yield path
    for name, item in value.items() if isinstance(value, dict) else ():
        yield from places(item, (*path, name))
    for at, item in enumerate(value if isinstance(value, list) else ()):
        yield from places(item, (*path, at))


def put(value, path, new):
    """The parsed JSON with another value at a path."""
    if not path:
        return new
    changed = copy.deepcopy(value)
    inside = changed
    for step in path[:-1]:
        inside = inside[step]
    inside[path[-1]] = new
    return changed


def replayed(path, transfer_id):
    """Connect to a recording, and make the calls again."""
    lab = paylab.connect(replay=path)
    acts = (
        lambda: lab.transfers.list(limit=2).to_list(2),
        lambda: lab.transfers.get(transfer_id),
        lambda: lab.transfers.get("nobody"),
        lambda: lab.transfers.frame(limit=2),
        lambda: (repr(lab), repr(lab.calls), repr(lab.drift)),
    )
    for act in acts:
        is_answered(act)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("count", SIZES)
def test_recordings_with_odd_facts_are_replayed_or_refused(recorded, tmp_path, count):
    """A recording with an odd value anywhere is replayed, or refused by one error."""
    text, transfer_id = recorded
    log, chance = json.loads(text), Random(7)
    paths = list(places(log))
    for number in range(count):
        path = tmp_path / f"{number}.har"
        path.write_text(json.dumps(put(log, chance.choice(paths), chance.choice(ODD))))
        is_answered(lambda path=path: replayed(path, transfer_id))


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("log", "_paylab", "service"), "text"),
        (("log", "_paylab", "service"), [1]),
        (("log", "_paylab", "base_url"), ["http://localhost"]),
        (("log", "_paylab", "started"), 5),
        (("log", "_paylab"), "text"),
        (("log", "entries", 0, "response", "status"), float("inf")),
        (("log", "entries", 0, "response", "status"), 10**400),
        (("log", "entries", 0, "request", "url"), "http://["),
    ],
)
def test_a_recording_with_a_fact_of_another_type_is_one_sentence(recorded, tmp_path, path, value):
    """A fact of the wrong type is one sentence that names the file."""
    har = tmp_path / "odd.har"
    har.write_text(json.dumps(put(json.loads(recorded[0]), path, value)))
    with pytest.raises(ConfigError, match=r"odd\.har is not a HAR file"):
        paylab.connect(replay=har)


def test_a_recorded_header_that_is_no_ascii(recorded, tmp_path):
    """Any text of a recorded header is replayed."""
    path = ("log", "entries", 0, "response", "headers")
    har = tmp_path / "odd.har"
    headers = [{"name": "x-\u00e9", "value": "\ud800\u00e9"}]
    har.write_text(json.dumps(put(json.loads(recorded[0]), path, headers)))
    assert paylab.connect(replay=har).transfers.list(limit=2).to_list(2)


# Hosts

HOSTS = ["xn--", "xn--a", "xn--999999999", "XN--0.COM", "xn--a.xn--b", "xn--zzzzzz-99", "a..b"]


@pytest.mark.parametrize("form", ["https://{}", "https://{}/v1", "http://{}:80"])
@pytest.mark.parametrize("host", [host for host in HOSTS if host != "a..b"])
def test_a_base_url_with_a_host_that_is_none(host, form):
    """A host that IDNA refuses is a setting that cannot be read."""
    with pytest.raises(ConfigError, match="cannot be read"):
        paylab.connect(form.format(host), "key", "secret")


@pytest.mark.parametrize("form", ["https://{}/v1", "//{}", "{}"])
@pytest.mark.parametrize("host", [*HOSTS, "[", "\u00e9\ufffd"])
def test_a_redirect_to_a_host_that_is_none(host, form):
    """A redirect is an error, wherever it leads."""
    location = [(b"location", form.format(host).encode())]
    assert not is_answered(lambda: answering(b"", 302, location).transfers.get("tr"))


@pytest.mark.parametrize("host", HOSTS)
def test_a_webhook_url_with_a_host_that_is_none(host):
    """An event to such a host is a failed delivery, and the simulator goes on."""
    lab = paylab.connect()
    url = f"https://{host}/events"
    if is_answered(
        lambda: lab.webhook_subscriptions.create(url=url, event_types=["transfer.completed"])
    ):
        lab.simulator.clock.advance(timedelta(hours=1))
        assert lab.simulator.summary()


def test_a_request_with_two_hosts_is_a_400():
    """A server answers 400 to a second Host header, also when one of them is its own."""
    with Server(Simulator()) as server:
        place = (server.host, server.port)
        for hosts in ([b"evil.example", b"localhost"], [b"localhost", b"evil.example"]):
            lines = b"".join(b"Host: %s\r\n" % host for host in hosts)
            with socket.create_connection(place, timeout=20) as client:
                client.sendall(b"GET /v1/transfers HTTP/1.1\r\n" + lines + b"\r\n")
                assert client.recv(100).startswith(b"HTTP/1.1 400")


# Names of fields

NAMES = [{1: 2}, {None: 1}, {b"a": 1}, {("a",): 1}, {"a": {1: 2}}, {"a": [{None: 2}]}, {1.5: 1}]
PAYMENT = {
    "financial_account": "fa_1",
    "source_amount": "1",
    "source_currency": "USD",
    "destination_currency": "MXN",
    "payout_method": "spei",
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("extra", NAMES)
@pytest.mark.parametrize(
    "send",
    [
        lambda lab, extra: lab.individuals.create(given_name="A", extra=extra),
        lambda lab, extra: lab.transfers.create(**PAYMENT, extra=extra),
        lambda lab, extra: lab.quotes.create(**PAYMENT, extra=extra),
        lambda lab, extra: lab.individuals.create(given_name="A", address=extra),
        lambda lab, extra: lab.sandbox.deposit("ca", amount="1", currency="mxn", extra=extra),
    ],
)
def test_a_field_whose_name_is_no_text(lab, send, extra):
    """Nothing is sent, and the problem says that a name must be text."""
    with pytest.raises(RuleError, match="the name of a field must be text"):
        send(lab, extra)
    assert len(lab.calls) == 0


@pytest.mark.parametrize("params", [[1], "x", 5, {1, 2}])
def test_parameters_that_are_no_dict(lab, params):
    """A query that is no dict is a problem of the call."""
    with pytest.raises(RuleError, match="params"):
        lab.request("GET", "/v1/transfers", params=params)


# Messages of a browser

ACTS = ("input", "leave", "press", "start", "slice", "look", "remove", "cancel", "refuse", "ready")
MEMBERS = ("kind", "node", "view", "n", "value", "id", "at", "size", "name", 1, None)
MESSAGES = [*ODD, b"x", object(), {1, 2}, *ACTS]
BUFFERS = [None, [], [b"x"], [memoryview(b"ab")], "abc", 5, [None], [1], {}, b"raw", object()]


def pages(lab):
    """A form of each kind that a browser shows."""
    person = lab.individuals.list().filter(country="MX").first()
    yield lab.forms.onboarding("MX", example=True, new=True)
    yield lab.onramp("PH", example=True, consent=True)
    for name in ("images", "financial_account", "conversion_account", "quote", "transfer"):
        yield getattr(lab.forms, name)(person)
    yield lab.forms.recipient("BR")


def odd_message(chance, nodes):
    """A message of any shape, often to a node that there is."""
    if chance.random() < 0.1:
        return chance.choice(MESSAGES)
    message = {
        name: chance.choice(MESSAGES) for name in chance.sample(MEMBERS, chance.randint(0, 8))
    }
    if chance.random() < 0.7:
        message |= {"kind": chance.choice(ACTS), "node": chance.choice(nodes)}
    return message


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("count", SIZES)
def test_messages_of_any_shape_raise_no_error(lab, count):
    """No message of a browser raises an error in a form, and what the form sends is JSON."""
    chance = Random(7)
    for form in pages(lab):
        form.view.send = lambda message, buffers=None: json.dumps(message).encode()
        form.view.receive({"kind": "ready"}, [])
        for _ in range(count):
            message = odd_message(chance, list(form.view._nodes_by_id))
            form.view.receive(message, chance.choice(BUFFERS))
            form.view.set_state(message)
        assert repr(form).isprintable() or "\n" in repr(form)


def test_what_a_browser_sends_besides_text_is_not_typed(lab):
    """A keystroke without a text, or with half a character, leaves a text that can be sent."""
    form = lab.forms.onboarding("MX", example=True, new=True)
    form.view.receive({"kind": "ready"}, [])
    field = form.fields["given_name"]
    before = field.value
    for value in (None, [], {}, 5):
        form.view.receive({"kind": "input", "node": field.id, "n": "x", "value": value}, None)
        assert field.value == before
    form.view.receive({"kind": "input", "node": field.id, "value": "a\ud800"}, [])
    assert field.value == "a\ufffd"


def test_the_state_of_an_inbox_is_not_the_browsers(lab):
    """A browser says which event is open, and sets nothing else, whatever it sends."""
    view = InboxView(lab.inbox())
    for state in [
        *MESSAGES,
        *({"opened": value} for value in MESSAGES),
        {"rows": 1, "detail": "<b>"},
    ]:
        view.set_state(state)
    assert (view.rows, view.total, "<b>" in view.detail) == ([], 0, False)


# A closed lab

KEPT = {"calls", "client", "close", "drift", "is_embedded", "place", "settings", "simulator"}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("is_used", [True, False])
def test_every_call_of_a_closed_lab_says_that_it_is_closed(tmp_path, is_used):
    """Every call of a closed lab says that it is closed, before and after its first request."""
    lab = paylab.connect()
    if is_used:
        lab.transfers.list().first()
    lab.close()
    lab.close()
    acts = {
        "list": lambda: lab.transfers.list().to_list(),
        "frame": lab.transfers.frame,
        "export": lambda: lab.transfers.export(tmp_path / "t.csv"),
        "get": lambda: lab.transfers.get("tr"),
        "create": lambda: lab.transfers.create(**PAYMENT),
        "quote": lambda: lab.quotes.create(**PAYMENT),
        "individual": lambda: lab.individuals.create(given_name="A"),
        "wait": lambda: lab.conversions.wait("conv"),
        "account": lambda: lab.conversion_accounts.list().first(),
        "subscription": lambda: lab.webhook_subscriptions.list().first(),
        "deposit": lambda: lab.sandbox.deposit("ca", amount="1", currency="mxn"),
        "request": lambda: lab.request("GET", "/v1/transfers"),
        "status": lambda: lab.status("tr"),
        "reconcile": lab.reconcile,
        "onramp": lambda: lab.onramp("PH", example=True, consent=True).submit(),
    }
    for name, act in acts.items():
        with pytest.raises(PaylabError) as error:
            act()
        assert "closed" in str(error.value), name
    for name in KEPT | set(dir(lab)):
        is_answered(lambda name=name: repr(getattr(lab, name)))


# Answers

TWICE = {
    "rows": b'{"data": [{"id": "a"}], "has_next_page": false, "data": []}',
    "rows, escaped": b'{"data": [{"id": "a"}], "has_next_page": false, "d\\u0061ta": []}',
    "an id": b'{"data": [{"id": "a", "id": "b"}], "has_next_page": false}',
    "the end": b'{"data": [{"id": "a"}], "has_next_page": true, "has_next_page": false}',
    "a cursor": b'{"data": [{"id": "a"}], "has_next_page": false, "cursor": "a", "cursor": null}',
    "an unknown field": b'{"data": [{"id": "a", "x": 1, "x": 2}], "has_next_page": false}',
    "inside": b'{"data": [{"id": "a", "x": [{"y": 1, "y": 2}]}], "has_next_page": false}',
}


@pytest.mark.parametrize("content", TWICE.values(), ids=TWICE)
def test_a_page_with_two_members_of_one_name(tmp_path, content):
    """A page is refused, since the second member can hide rows; readers of frames refuse it too."""
    acts = [
        lambda lab: lab.transfers.list().to_list(),
        lambda lab: lab.transfers.frame(),
        lambda lab: lab.transfers.export(tmp_path / "t.csv"),
        lambda lab: lab.conversions.list().first(),
    ]
    for act in acts:
        with pytest.raises(APIResponseError, match="two members"):
            act(answering(content))
    assert not (tmp_path / "t.csv").exists()


def test_an_answer_with_two_members_of_one_name_is_not_lost():
    """Outside of pages the last member counts: the answer to a payment that was made is kept."""
    body = b'{"id": "tr_1", "status": "started", "status": "completed"}'
    assert answering(body, 201).transfers.get("tr_1").status == "completed"


def test_an_event_with_two_members_of_one_name():
    """Of an event the last member counts, as for most readers, so that none is lost."""
    kinds = b'"event_type": "transfer.failed", "event_type": "transfer.completed"'
    body = b"{%s, %s}" % (kinds, b'"event_payload": {"id": "a"}')
    assert read_event(body).type == "transfer.completed"


ROW = '{"data": [{"id": "a", "x": %s}], "has_next_page": false}'
ODD_VALUES = {
    "deep list": "[" * 900 + "]" * 900,
    "deep object": '{"a":' * 900 + "1" + "}" * 900,
    "too deep": "[" * 100_000 + "]" * 100_000,
    "many digits": "9" * 5_000,
    "exponent": "1e99999999999999999999999",
    "NaN": "NaN",
    "Infinity": "-Infinity",
    "surrogate": '"\\ud800"',
    "name with a surrogate": '1, "\\ud800": 1',
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("status", [200, 400, 500])
@pytest.mark.parametrize("value", ODD_VALUES.values(), ids=ODD_VALUES)
def test_answers_with_odd_values_are_read_or_refused(tmp_path, value, status):
    """Deep, huge, infinite and half values are read, or are an error of paylab."""
    acts = [
        lambda lab: [
            (repr(row), str(row), row.to_json()) for row in lab.transfers.list().to_list()
        ],
        lambda lab: lab.transfers.frame(),
        lambda lab: lab.transfers.frame(extra=True),
        lambda lab: lab.transfers.export(tmp_path / "t.parquet"),
        lambda lab: lab.transfers.get("a"),
        lambda lab: lab.request("GET", "/v1/x"),
    ]
    for act in acts:
        lab = answering((ROW % value).encode(), status)
        is_answered(lambda act=act, lab=lab: act(lab))
        assert repr(lab.calls) + repr(lab.drift)
