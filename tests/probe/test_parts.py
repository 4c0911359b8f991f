"""The parts of a probe: guesses, what answers show, the report, and what it sends."""

from __future__ import annotations

import io
from types import SimpleNamespace

import httpx
import pytest
from PIL import Image

import paylab
from paylab.client import Client
from paylab.client.settings import Settings
from paylab.corridors.corridor import NAMED
from paylab.errors import APIStatusError, BadRequestError
from paylab.errors.base import Problem
from paylab.lab.lab import connect
from paylab.probe import actions
from paylab.probe.probe import find_operations, report_recorded_calls
from paylab.probe.report import OUTCOMES, ProbeFinding, Report
from paylab.probe.run import COUNTRIES
from paylab.probe.search import SettingsSearch, is_progress
from paylab.probe.stages import Stage, describe_reach
from paylab.spec.codes import SEPA
from paylab.spec.operations.records import OPERATIONS
from paylab.spec.service import Service

SERVICE = Service()


def call(status=200, body="", headers=(), path="/v1/transfers", method="GET", number=1):
    """A call as far as a probe looks at it."""
    return SimpleNamespace(
        status=status,
        path=path,
        method=method,
        number=number,
        response_headers=dict(headers),
        response_body=SimpleNamespace(text=body) if body else None,
        request_body="",
        failed=status is None or status >= 400,
        replayed="idempotency-replayed" in dict(headers),
    )


def refusal(*problems, status=400, kind=BadRequestError):
    """A refusal with problems of fields."""
    error = kind(status, "refused")
    error.problems = tuple(Problem(*each) for each in problems)
    return error


MISSING = "is required"


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ([("a", MISSING)], [("b", MISSING)], True),
        ([("a", MISSING)], [("a", MISSING)], False),
        ([("a", MISSING)], [("a", "must be text")], True),
        ([("a", MISSING), ("b", MISSING)], [("a", MISSING)], True),
        ([("a", "is no id: ind_1")], [("a", "is no id: ind_2")], False),
    ],
)
def test_progress_is_a_complaint_about_something_else(before, after, expected):
    """Other words than before, but for the ids in them."""
    assert is_progress(refusal(*before), refusal(*after)) is expected


@pytest.mark.parametrize(
    ("status", "expected"),
    [
        *((each, False) for each in (300, 308, 399, 401, 403, 404, 405, 429, 501)),
        *((each, True) for each in (400, 402, 406, 409, 422, 430, 500, 502)),
    ],
)
def test_some_statuses_say_nothing_about_fields(status, expected):
    """A redirect, a refused signature, no path, another method, a limit, no implementation."""
    after = refusal(("b", MISSING), status=status, kind=APIStatusError)
    assert is_progress(refusal(("a", MISSING)), after) is expected


@pytest.mark.parametrize(
    ("key", "operations"),
    [
        ("paths.quotes", {"quotes.create"}),
        ("paths.individual", {"individuals.get"}),
        ("lists.transfers.cursor", {"transfers.create", "transfers.list", "transfers.get"}),
        ("statuses.transfers", {"transfers.create", "transfers.list", "transfers.get"}),
        ("sandbox_deposits.fields.amount", {"sandbox.deposit"}),
        ("success_codes.quotes", {"quotes.create"}),
        ("quotes.fields.source_amount", {"quotes.create"}),
        ("signing.empty_query", {*OPERATIONS}),
        ("amounts.requests", {"transfers.create"}),
        ("rails.MX", {"transfers.create"}),
    ],
)
def test_a_key_is_used_by_operations(key, operations):
    """The operations of the resource that a key names, or all of them."""
    assert find_operations(key) == operations


def test_recorded_calls_show_what_differs():
    """The latest values of answers, by the number of the call; refusals show nothing."""
    row = '{"id": "tr_1", "status": "settling", "source_amount": 1.5}'
    calls = [
        call(404, body=row),
        call(body=f'{{"data": [{row}], "has_next_page": false, "cursor": null}}'),
    ]
    report = report_recorded_calls(calls, SERVICE)
    proven = {each.key: (each.value, each.call) for each in report.where("proven")}
    assert proven["amounts.answers"] == ("number", 2)
    assert proven["statuses.transfers"] == (("settling",), 2)
    assert report.service.diff() == {key: value for key, (value, _) in proven.items()}
    assert report["lists.items"].outcome == "assumed"
    assert report["paths.quotes"].why == "not in the recorded calls"
    assert report["errors.words"].why == "no request of a walk shows it"
    assert report.summary.startswith("2 recorded calls\n0 requests; settings: 2 proven")


def test_a_report_shows_what_to_act_on():
    """Proven and refused keys with the question; the rest only when it is asked for."""
    findings = (
        ProbeFinding("lists.items", "proven", "rows", call=3),
        ProbeFinding("lists.order", "proven", (), call=4),
        ProbeFinding("paths.quotes", "refused", why="404 Not found"),
        ProbeFinding("lists.more", "assumed"),
    )
    report = Report(("Lists: complete",), findings, SERVICE, sent=7)
    lines = report.table().splitlines()
    assert lines[:3] == [
        "lists.items   proven: rows (call 3)",
        "lists.order   proven: none at all (call 4)",
        "paths.quotes  refused (404 Not found)",
    ]
    assert lines[3].startswith("  ask: ")
    assert len(lines) == 4
    assert report.table("assumed") == "lists.more  assumed"
    assert repr(report).startswith("Lists: complete\n7 requests; settings: 2 proven, 1 refused")
    assert report.to_dict()["complete"]
    assert [*OUTCOMES] == ["proven", "refused", "not reached", "assumed"]
    hopeless = Report((), (), SERVICE, sent=3, hopeless="nothing answers")
    assert hopeless.summary == "nothing answers; 3 requests, nothing was written"
    assert not hopeless.complete


def test_payouts_that_end_alike_are_one_line():
    """The other parts have a line each."""
    parts = [
        Stage("Lists"),
        Stage("MX payout"),
        Stage("BR payout", "stops at the transfer (400)"),
        Stage("PH payout"),
        Stage("Webhooks", "", ("without reading it (404)",)),
    ]
    assert [*describe_reach(parts)] == [
        "Lists: complete",
        "Payouts: MX, PH complete; BR stops at the transfer (400)",
        "Webhooks: complete; without reading it (404)",
    ]
    named = [each.country for each in NAMED]
    assert {*COUNTRIES} <= {*named, "FR"}
    assert {*named} - {*COUNTRIES} <= {*SEPA}


def test_the_image_is_a_picture_of_the_allowed_size():
    """A JPEG of one grey pixel, large enough to be accepted."""
    made = actions.make_image()
    image = Image.open(io.BytesIO(made))
    image.load()
    assert (image.size, image.mode, image.format) == ((1, 1), "L", "JPEG")
    assert b"specimenspecimen" in made
    assert 10_240 < len(made) < 40_000


@pytest.mark.parametrize(
    ("codes", "sides"),
    [
        ((), []),
        (("front_image_needed", "selfie_needed"), ["document-front", "selfie"]),
        (("back_image_needed",), ["document-back"]),
        (("image_blurry", "token_needed"), []),
    ],
)
def test_only_needed_images_are_sent(codes, sides):
    """A code that asks for a side, and none that refuses an image."""
    details = [SimpleNamespace(code=f"verification_{code}") for code in codes]
    person = SimpleNamespace(status_details=details or None)
    assert [*actions.make_needed_images(person)] == sides


def test_fields_that_are_required_on_top_have_values():
    """A reference and a currency; others are not known."""
    names = ["client_reference_id", "destination_currency"]
    with connect(service={"conversion_accounts.required": names}) as lab:
        found = actions.make_required_fields(lab.client, "conversion_accounts")
        assert found["destination_currency"] == "USDC"
        assert len(found["client_reference_id"]) == len("paylab-probe-") + 8
        assert actions.make_required_fields(lab.client, "transfers") == {}


def test_a_walk_pauses_between_requests_and_counts_them():
    """At a service elsewhere; the budget is a limit on requests of this walk."""
    page = {"data": [], "has_next_page": False, "cursor": None}
    transport = httpx.MockTransport(lambda _: httpx.Response(200, json=page))
    slept = []
    settings = Settings("https://a.example.com", "k", "s")
    with Client(settings, transport=transport, sleep=slept.append) as client:
        client.transfers.list().first()
        search = SettingsSearch(client, budget=2, pace=0.25, start=1)
        for _ in range(2):
            search.run(lambda each: actions.read_first_page(each, "transfers"))
        assert (search.sent, slept) == (2, [0.25, 0.25])
        with pytest.raises(paylab.PaylabError, match="the budget of requests is used up"):
            search.run(lambda each: actions.read_first_page(each, "transfers"))


@pytest.mark.parametrize("budget", [2, 3])
def test_a_budget_that_ends_after_a_success_keeps_its_settings(budget):
    """They are proven by the call that succeeded, though none could be left out in turn."""
    page = {"rows": [{"id": "tr_1"}], "has_more": False, "next_cursor": None}
    transport = httpx.MockTransport(lambda _: httpx.Response(200, json=page))
    with Client(Settings("https://a.example.com", "k", "s"), transport=transport) as client:
        search = SettingsSearch(client, budget=budget)
        found = search.run(lambda each: actions.read_first_page(each, "transfers"))
        assert [each.id for each in found.data] == ["tr_1"]
        names = ("items", "more", "cursor")
        assert {key: proof.call for key, proof in search.proofs.items()} == {
            f"lists.transfers.{name}": 2 for name in names
        }


@pytest.mark.filterwarnings("ignore:the list repeats")
def test_a_list_that_repeats_its_first_page_is_an_error():
    """It names the setting with the parameter of the cursor, which the service seems to ignore."""
    rows = [{"id": f"tr_{number}"} for number in range(2)]
    page = {"data": rows, "has_next_page": True, "cursor": "c"}
    transport = httpx.MockTransport(lambda _: httpx.Response(200, json=page))
    with (
        Client(Settings("https://a.example.com", "k", "s"), transport=transport) as client,
        pytest.raises(paylab.PaylabError, match=r"see lists\.transfers\.cursor_parameter"),
    ):
        actions.read_second_page(client, "transfers")
