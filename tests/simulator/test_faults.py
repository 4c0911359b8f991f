"""Faults on calls in this process; test_faults_on_the_wire has them on a socket."""

from __future__ import annotations

import time

import httpx
import pytest

import paylab
from paylab.client.base_url import EMBEDDED
from paylab.simulator.simulator import Simulator
from paylab.simulator.transport import SimulatorTransport


def fault(service, kind, **details):
    """Add a fault."""
    return service.made("/_simulator/faults", {"kind": kind, **details})


def statuses(service, count=4, target="/v1/transfers"):
    """The statuses of some GETs."""
    return [service.get(target).status for _ in range(count)]


def test_a_fault_is_listed_until_it_is_cleared(service):
    """A new fault returns an id and is listed; a DELETE returns 204 and removes all faults."""
    made = fault(service, "status", status=503, method="POST", path="/v1/transfers", times=2)
    assert made["id"]
    assert service.get("/_simulator/faults").json == [made]
    cleared = service.delete("/_simulator/faults")
    assert (cleared.status, cleared.body) == (204, b"")
    assert service.get("/_simulator/faults").json == []


def test_a_fault_applies_as_often_as_it_says(service):
    """A fault applies as often as `times` says; later calls succeed."""
    fault(service, "status", status=500, times=2)
    assert statuses(service) == [500, 500, 200, 200]
    assert service.get("/_simulator/faults").json[0]["left"] == 0


@pytest.mark.parametrize(
    ("details", "struck"),
    [
        ({}, True),
        ({"method": "GET"}, True),
        ({"method": "get"}, True),
        ({"method": "POST"}, False),
        ({"path": "/v1/transfers"}, True),
        ({"path": "/v1/*"}, True),
        ({"path": "/v1/conversions"}, False),
        ({"probability": 0}, False),
    ],
)
def test_a_fault_applies_to_its_method_and_path(service, details, struck):
    """A fault applies to its method, in any case, and its path, which may contain `*`."""
    fault(service, "status", status=502, **details)
    assert statuses(service, 1) == [502 if struck else 200]


def test_the_same_seed_affects_the_same_calls_and_their_share_is_near_the_probability(make):
    """The same seed affects the same calls, and their share is near the probability."""
    runs = []
    for seed in (7, 7, 8):
        service = make()
        fault(service, "status", status=500, times=1000, probability=0.3, seed=seed)
        runs.append(statuses(service, 200))
    assert runs[0] == runs[1] != runs[2]
    assert 40 < runs[0].count(500) < 80


@pytest.mark.parametrize(
    ("details", "header"),
    [
        ({"status": 429, "retry_after": 7}, "7"),
        ({"status": 429, "retry_after": 0}, "0"),
        ({"status": 429}, "1"),
        ({"status": 503, "retry_after": 2}, "2"),
        ({"status": 503}, None),
    ],
)
def test_retry_after_is_in_seconds(service, details, header):
    """Retry-After is in seconds; a 429 always has this header."""
    fault(service, "status", **details)
    answer = service.get("/v1/transfers")
    assert answer.status == details["status"]
    assert answer.headers.get("retry-after") == header


def test_the_controls_are_never_struck(service):
    """A fault does not apply to control requests."""
    fault(service, "status", status=500, times=10)
    assert service.get("/_simulator").status == 200


@pytest.mark.parametrize("kind", ["status", "html", "refuse", "timeout"])
def test_a_fault_answers_instead_of_the_service(service, transfer_body, kind):
    """These faults respond instead of the service: no transfer is created."""
    fault(service, kind)
    service.post("/v1/transfers", transfer_body)
    assert service.get("/v1/transfers")["data"] == []


@pytest.mark.parametrize("kind", ["drop_after", "truncate"])
def test_with_these_faults_the_service_creates_the_transfer_but_the_answer_is_lost(
    service, transfer_body, kind
):
    """With these faults the service creates the transfer, but the answer is lost."""
    fault(service, kind)
    service.post("/v1/transfers", transfer_body)
    assert len(service.get("/v1/transfers")["data"]) == 1


def test_the_fault_html_returns_a_502_with_an_html_page(service):
    """The fault html returns a 502 with an HTML page."""
    fault(service, "html")
    answer = service.get("/v1/transfers")
    assert (answer.status, answer.headers["content-type"]) == (502, "text/html")
    assert answer.body.startswith(b"<!doctype html>")


@pytest.mark.parametrize(("seconds", "status"), [(299, 200), (-299, 200), (301, 401), (-301, 401)])
def test_the_fault_skew_shifts_the_clock_that_checks_x_date_and_the_date_header(
    service, seconds, status
):
    """The fault skew shifts the clock that checks X-Date, and the Date header."""
    fault(service, "skew", seconds=seconds)
    answer = service.get("/v1/transfers")
    assert answer.status == status
    assert answer.headers["date"] != service.get("/v1/transfers").headers["date"]


def test_the_fault_bad_cursor_refuses_a_valid_cursor_once(make):
    """The fault bad_cursor refuses a valid cursor, once; a request without a cursor succeeds."""
    service = make(transfers=3)
    fault(service, "bad_cursor")
    cursor = service.get("/v1/transfers?limit=1")["cursor"]
    target = f"/v1/transfers?limit=1&cursor={cursor}"
    answer = service.get(target)
    assert (answer.status, answer.json) == (400, {"error": "Invalid pagination token"})
    assert service.get(target).status == 200


LIMITS = [
    ("status", 400, 599, 1),
    ("times", 0, 10**9, 1),
    ("every", 1, 10**9, 1),
    ("retry_after", 0, 86_400, 0.5),
    ("probability", 0, 1, 0.1),
    ("seed", -(2**63), 2**63, 1),
    ("seconds", -(10**8), 10**8, 0.5),
    ("delay", 0, 600, 0.5),
    ("slow", 0, 600, 0.5),
    ("cut_after", 0, 10**9, 1),
]


@pytest.mark.parametrize(("name", "low", "high", "step"), LIMITS)
def test_a_number_beyond_its_limits_is_refused(service, name, low, high, step):
    """A number is accepted from its least to its greatest value, and refused beyond them."""
    kinds = {"seconds": "skew", **dict.fromkeys(("delay", "slow", "cut_after"), "custom")}
    kind = kinds.get(name, "status")
    statuses = [
        service.post("/_simulator/faults", {"kind": kind, name: value}).status
        for value in (low, high, low - step, high + step, True, low + 0.5)
    ]
    assert statuses == [201, 201, 400, 400, 400, 400 if step == 1 else 201]


def test_what_is_not_given(service):
    """A fault strikes once, with certainty, with 503; a custom one until it is removed."""
    usual = {"status": 503, "times": 1, "probability": 1.0, "seed": 0, "seconds": 10.0, "left": 1}
    made = fault(service, "status")
    assert made == usual | {"id": made["id"], "kind": "status"}
    custom = fault(service, "custom", body="")
    assert (custom["times"], custom["left"], "status" in custom) == (0, None, False)


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "kind"),
        ({"kind": "statuss"}, "kind"),
        ({"kind": ["status"]}, "kind"),
        ({"kind": "status", "time": 2}, "time"),
        ({"kind": "custom"}, "kind"),
        ({"kind": "status", "status": 600}, "status"),
        ({"kind": "custom", "status": 199}, "status"),
        ({"kind": "custom", "status": 600}, "status"),
        ({"kind": "custom", "body": 1, "status": 200.5}, "status"),
        ({"kind": "status", "delay": 1}, "delay"),
        ({"kind": "custom", "headers": {"a b": "x"}}, "headers"),
        ({"kind": "custom", "headers": {"a": "x\n"}}, "headers"),
        ({"kind": "custom", "headers": {"a": 1}}, "headers"),
        ({"kind": "custom", "headers": []}, "headers"),
        ({"kind": "custom", "content_type": "\n"}, "content_type"),
        ({"kind": "status", "method": 7}, "method"),
        ({"kind": "status", "path": ["x"]}, "path"),
        ({"kind": "skew", "seconds": "5"}, "seconds"),
        ({"kind": "event_delay", "seconds": -1}, "seconds"),
        ({"kind": "event_outage", "seconds": -0.5}, "seconds"),
        ({"kind": "event_delay", "event_type": "transfer.lost"}, "event_type"),
        ({"kind": "status", "operation": ["transfers.list"]}, "operation"),
    ],
)
def test_an_invalid_fault_returns_a_400_that_names_the_field(service, body, field):
    """An invalid fault returns a 400 that names the field."""
    answer = service.post("/_simulator/faults", body)
    assert (answer.status, [each["field"] for each in answer.json["errors"]]) == (400, [field])


def test_the_message_about_an_unknown_kind_names_the_nearest_kind_first(service):
    """The message about an unknown kind names the nearest kind first."""
    message = service.post("/_simulator/faults", {"kind": "statuss"}).fields["kind"]
    assert message.startswith("must be one of status")


@pytest.mark.parametrize(
    ("kind", "error"),
    [
        ("refuse", httpx.ConnectError),
        ("timeout", httpx.ReadTimeout),
        ("drop_after", httpx.ReadError),
        ("truncate", httpx.RemoteProtocolError),
    ],
)
def test_faults_in_process_raise_the_errors_of_httpx(service, kind, error):
    """The in-process transport raises the same httpx errors as a socket."""
    fault(service, kind)
    headers = service.signed("GET", "/v1/transfers")
    with httpx.Client(transport=SimulatorTransport(service.simulator.respond)) as client:
        with pytest.raises(error):
            client.get(f"{EMBEDDED}/v1/transfers", headers=headers)
        headers = service.signed("GET", "/v1/transfers")
        assert client.get(f"{EMBEDDED}/v1/transfers", headers=headers).status_code == 200


@pytest.mark.parametrize(("delay", "late"), [(0.5, True), (0.49, False)])
def test_a_client_waits_less_than_its_timeout(service, delay, late):
    """The in-process transport fails at the client's timeout, without waiting, and not before."""
    fault(service, "custom", delay=delay)
    with httpx.Client(
        transport=SimulatorTransport(service.simulator.respond), timeout=0.5
    ) as client:
        headers, begun = service.signed("GET", "/v1/transfers"), time.monotonic()
        if late:
            with pytest.raises(httpx.ReadTimeout):
                client.get(f"{EMBEDDED}/v1/transfers", headers=headers)
        else:
            assert client.get(f"{EMBEDDED}/v1/transfers", headers=headers).status_code == 200
    assert (time.monotonic() - begun < 0.4) == late


def test_a_slow_answer_takes_its_time(service):
    """The in-process transport waits until the answer would start, and while it would come."""
    fault(service, "custom", delay=4, slow=3)
    waits = []
    transport = SimulatorTransport(service.simulator.respond, sleep=waits.append)
    with httpx.Client(transport=transport, timeout=None) as client:
        client.get(f"{EMBEDDED}/v1/transfers", headers=service.signed("GET", "/v1/transfers"))
    assert waits == [4, *[3 / 20] * 20]


class SteppedTime:
    """A stopwatch that only waits advance."""

    def __init__(self):
        """Start at 0."""
        self.seconds = 0.0

    def read(self):
        """Return the seconds that were waited."""
        return self.seconds

    def sleep(self, seconds):
        """Advance without waiting."""
        self.seconds += seconds


@pytest.mark.parametrize(
    ("fault_details", "waited", "reason"),
    [
        ({"slow": 0.5}, 0.5, None),
        ({"slow": 2}, 1.2, "the deadline of the whole call has passed"),
        ({"slow": 8}, 0, "timed out"),
        ({"delay": 0.29, "slow": 1}, 1.2, "the deadline of the whole call has passed"),
        ({"slow": 8, "cut_after": 3}, 0, "the connection was closed within the body"),
    ],
)
def test_a_slow_answer_times_out_in_process_as_over_http(fault_details, waited, reason):
    """Each piece must come within the timeout of 0.3 s, and all before the deadline of 1.2 s."""
    simulator, stepped_time = Simulator(transfers=3), SteppedTime()
    lab = paylab.Lab(
        paylab.connect(simulator=simulator).settings,
        embedded=simulator,
        **{
            **simulator.client_options(),
            "transport": SimulatorTransport(simulator.respond, sleep=stepped_time.sleep),
            "perf": stepped_time.read,
            "timeout": 0.3,
            "max_retries": 0,
        },
    )
    lab.simulator.faults.on("transfers.list", **fault_details)
    if reason is None:
        assert len(lab.transfers.list().to_list()) == 3
    else:
        with pytest.raises(paylab.APIConnectionError, match=reason):
            lab.transfers.list().first()
    assert stepped_time.seconds == pytest.approx(waited)
    if "cut_after" not in fault_details:
        assert lab.simulator.requests[-1].row["hung_up"] == (reason is not None)


@pytest.mark.parametrize("path", ["[", "[z-a]", "[" * 999, "*" * 999, "[!]", "\\", "(?P<", "\x00"])
def test_an_unusual_path_pattern_matches_everything_or_is_refused_and_causes_no_error(
    service, path
):
    """An unusual path pattern matches everything, or is refused, and causes no error."""
    made = service.post("/_simulator/faults", {"kind": "status", "path": path, "status": 500})
    assert (made.status, statuses(service, 1)[0]) in ((201, 500), (400, 200))


def test_a_call_that_is_not_hit_does_not_use_up_a_fault():
    """`times` counts the calls that fail, not the calls that were drawn."""
    lab = paylab.connect(simulator=Simulator(), max_retries=0)
    lab.simulator.faults.status(status=503, times=2, probability=0.3)
    failed = 0
    for _ in range(50):
        try:
            lab.transfers.list(limit=1).first()
        except paylab.ServerError:
            failed += 1
    assert failed == 2


CUSTOM = [
    ({"status": 418, "headers": {"X-Tea": "pot"}, "body": {"a": 1}}, 418, b'{"a":1}', "json"),
    ({"status": 200, "body": "hello"}, 200, b"hello", "text/plain"),
    ({"content_type": "text/html"}, 200, b'{"count"', "text/html"),
    ({"status": 401}, 401, b'{"error"', "json"),
]


@pytest.mark.parametrize(("details", "status", "start", "kind"), CUSTOM)
def test_a_custom_fault_answers_one_operation(service, details, status, start, kind):
    """The fault applies to its operation, with its status, headers and body, and to no other."""
    fault = {"kind": "custom", "operation": "transfers.list", **details}
    added = service.post("/_simulator/faults", fault)
    assert added.status == 201, added.body
    usual = service.get("/v1/conversions")
    answer = service.get("/v1/transfers")
    assert (usual.status, answer.status) == (200, status)
    assert kind in answer.headers["content-type"]
    assert answer.body.startswith(start) or "content_type" in details
    assert answer.headers.get("x-tea") == details.get("headers", {}).get("X-Tea")
    service.delete(f"/_simulator/faults/{added['id']}")
    assert service.get("/v1/transfers").headers["content-type"] == usual.headers["content-type"]


def test_a_custom_fault_strikes_every_so_many_calls(service):
    """`every` and `times` limit a fault to each second call, twice."""
    fault = {"kind": "custom", "operation": "transfers.list", "status": 500}
    service.post("/_simulator/faults", {**fault, "every": 2, "times": 2})
    statuses = [service.get("/v1/transfers").status for _ in range(6)]
    assert statuses == [200, 500, 200, 500, 200, 200]


@pytest.mark.parametrize(
    "details",
    [
        {"operation": "transfers.lists"},
        {"status": 100},
        {"headers": {"a b": "c"}},
        {"headers": {"a": "b\r\nc: d"}},
        {"every": 0},
        {"delay": -1},
        {},
        {"body": None, "times": 2},
    ],
)
def test_an_invalid_custom_fault_is_refused(service, details):
    """A detail that cannot be sent or counted is a 400, and no fault."""
    assert service.post("/_simulator/faults", {"kind": "custom", **details}).status == 400
    assert service.get("/_simulator/faults").json == []


BLOCKS = [
    (("transfers.list", "refuse"), {"every": 3}, "..x..x."),
    (("GET /v1/transfers", "truncate"), {"times": 2}, "xx....."),
    (("GET /v1/{kind}", "timeout"), {}, "xxxxxxx"),
    (("GET /v1/transfers/tr_1", "refuse"), {}, "......."),
    (("GET /*/*", "refuse"), {}, "xxxxxxx"),
    (("transfers.list", "drop_after"), {"probability": 0.5, "seed": 3}, None),
    (("transfers.create", "refuse"), {}, "......."),
]


@pytest.mark.parametrize(("given", "details", "struck"), BLOCKS)
def test_a_fault_of_any_kind_ends_with_its_block(given, details, struck):
    """In a block, a fault applies as its details say; after it, to nothing."""
    simulator = Simulator()
    with paylab.connect(simulator=simulator, max_retries=0) as lab:

        def outcome():
            try:
                return "." if lab.transfers.list().to_list() == [] else "?"
            except paylab.APIConnectionError:
                return "x"

        with lab.simulator.faults.on(*given, **details):
            seen = "".join(outcome() for _ in range(7))
        assert seen == struck or (struck is None and "x" in seen and "." in seen)
        assert outcome() == "."


EVENTS = ["transfer.created", "transfer.funded", "transfer.payout_initiated", "transfer.completed"]
EVENT_BLOCKS = [
    ("event_duplicate", [*EVENTS[:2], *EVENTS[1:]]),
    ("event_drop", [EVENTS[0], *EVENTS[2:]]),
    ("event_reorder", [EVENTS[0], EVENTS[2], EVENTS[1], EVENTS[3]]),
    ("event_outage", [*EVENTS, EVENTS[1], EVENTS[1]]),
]


@pytest.mark.parametrize(("kind", "types"), EVENT_BLOCKS)
def test_a_fault_of_events_is_for_a_type_and_a_block(kind, types):
    """The events of a type are repeated, dropped or late, also after the block's end."""
    lab = paylab.connect(simulator=Simulator(send=lambda *_, **__: 200))
    lab.webhook_subscriptions.create(url="https://example.com/in", event_types=EVENTS)
    person = lab.individuals.create(**paylab.examples.recipient("MX"))
    account = lab.financial_accounts.create(person.id, **paylab.examples.account("MX"))
    terms = {"source_currency": "USD", "destination_currency": "MXN", "payout_method": "spei"}
    with lab.simulator.faults.on("transfer.funded", kind):
        to = {"id": account.id}
        lab.transfers.create(financial_account=to, source_amount="10.00", **terms)
        lab.simulator.clock.advance(1)
    lab.simulator.clock.advance(60)
    assert [each["event_type"] for each in lab.simulator.deliveries] == types


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (("transfer.completed",), "event_drop, event_duplicate"),
        (("transfers.create", "event_drop"), "nearest: transfer.created"),
        (("transfers.creat",), "nearest: transfers.create"),
        (("transfers.create", "refuses"), "nearest: refuse"),
        (("POST /v1/tranfers", "refuse"), "nearest: POST /v1/transfers"),
        (("DELETE /v1/transfers", "refuse"), "no operation is called"),
    ],
)
def test_a_block_names_what_is_near(given, words):
    """A wrong name of an operation, event type or kind is an error that names the nearest."""
    lab = paylab.connect(simulator=Simulator())
    with pytest.raises(paylab.SimulatorError, match=words), lab.simulator.faults.on(*given):
        pass


def test_a_path_with_a_wildcard_is_no_path_of_an_id():
    """`/v1/individuals/*` has the operations further down too, of which some are a POST."""
    lab = paylab.connect(simulator=Simulator())
    person = lab.individuals.create(**paylab.examples.recipient("MX"))
    with lab.simulator.faults.on("POST /v1/individuals/*", "refuse"):
        assert lab.individuals.get(person.id).id == person.id
    with (
        pytest.raises(paylab.SimulatorError, match=r"no operation|nearest"),
        lab.simulator.faults.on("POST /v1/individuals/{id}", "refuse"),
    ):
        pass
