"""The report: from files, as text and JSON, and what is not held against an integration."""

import contextlib
import json
import re
from datetime import timedelta

import pytest
from faulty_integration import FaultyIntegration
from good_integration import PICTURE, GoodIntegration, ServiceError
from readiness_stage import URL, Stage, tour

import paylab
from paylab.cli.main import main
from paylab.errors import ConfigError, UnknownNameError
from paylab.readiness.files import read_har_rows, read_report, write_report
from paylab.readiness.judgement import judge
from paylab.simulator.server import Server
from paylab.simulator.simulator import Simulator
from paylab.spec import timestamps
from paylab.spec.assumptions import ALL


@pytest.fixture(scope="module")
def faulty():
    """The stage of the faulty integration, after its tour."""
    stage = Stage()
    stage.report = tour(stage, FaultyIntegration(stage))
    return stage


@pytest.fixture
def stage():
    """A stage with a careful integration, which has an account to pay to."""
    stage = Stage()
    stage.program = GoodIntegration(stage)
    stage.person = stage.program.onboard("Ana", "Ruiz")
    stage.bank = stage.program.add_bank(stage.person)
    return stage


class SelfieIntegration(GoodIntegration):
    """Uploads the selfie, whatever is asked for."""

    def upload(self, person):
        """Upload one side of several."""
        images = [{"type": "selfie", "content": PICTURE}]
        path = f"/v1/individuals/{person['id']}/verification_images"
        self.call("POST", path, {"images": images})


@pytest.mark.parametrize("raw", [False, True])
def test_a_har_file_is_judged_like_the_journal(faulty, tmp_path, raw):
    """Verdicts and evidence are the same from a HAR file, redacted or raw."""
    path = faulty.controls.har(tmp_path / "calls.har", raw=raw)
    from_file = judge({"": read_har_rows(path)})
    assert from_file.to_json() == faulty.report.to_json()


def test_a_report_is_judged_like_the_journal(faulty, tmp_path):
    """The report of a test run has no personal data, and gives the same verdicts."""
    path = tmp_path / "paylab-ready.json"
    write_report({"w": faulty.records()}, path)
    assert "Núñez" not in path.read_text()
    assert judge(read_report(path)).verdicts == faulty.report.verdicts


def test_the_har_file_of_another_program_is_judged_by_its_statuses(tmp_path):
    """Without verdicts, the status tells whether a signature was taken."""
    answer = {"status": 200, "headers": [], "content": {"text": '{"id": "tr_1"}'}}
    request = {"method": "GET", "url": "https://x.example/api/v1/transfers/tr_1", "headers": []}
    entries = [
        {"request": request, "response": answer, "startedDateTime": "2026-01-15T12:00:00Z"},
        {"request": request, "response": {"status": 0, "headers": []}},
        {"request": {**request, "url": "https://x.example/"}, "response": answer},
    ]
    path = tmp_path / "other.har"
    path.write_text(json.dumps({"log": {"entries": entries}}))
    rows = read_har_rows(path)
    assert [(row["operation"], row["sent"]) for row in rows] == [
        ("transfers.get", "whole"),
        ("transfers.get", "nothing"),
        (None, "whole"),
    ]
    readiness = judge({"": rows})
    assert readiness["signing.get"].verdict == "shown"
    assert readiness["orders.key"].verdict == "not applicable"


@pytest.mark.parametrize(
    ("target", "verdict"),
    [
        ("/v1/transfers?limit=5&cursor=eyJhIjoxfQ==", "shown"),
        ("/v1/individuals?search=a.b@example.com", "broken"),
        ("/v1/individuals?q=%2B525512345678", "broken"),
        ("/v1/individuals?api_key=x", "broken"),
        ("/v1/individuals/a.b%40example.com", "broken"),
    ],
)
def test_an_address_with_personal_data_is_found_in_any_har_file(tmp_path, target, verdict):
    """Another program does not redact addresses."""
    request = {"method": "GET", "url": f"https://x.example{target}", "headers": []}
    entry = {"request": request, "response": {"status": 200, "headers": []}}
    path = tmp_path / "other.har"
    path.write_text(json.dumps({"log": {"entries": [entry]}}))
    assert judge({"": read_har_rows(path)})["people.addresses"].verdict == verdict


@pytest.mark.parametrize(
    ("text", "read", "words"),
    [
        ("{", read_har_rows, "is not a HAR file"),
        ('{"log": {"entries": [1]}}', read_har_rows, "is not a HAR file"),
        ("[]", read_report, "is no report of a test run"),
        ('{"paylab_ready": 9, "worlds": []}', read_report, "another version"),
        (None, read_report, "cannot be read"),
    ],
)
def test_a_file_that_is_none(tmp_path, text, read, words):
    """The error names the file and what it is not."""
    path = tmp_path / "file.json"
    if text is not None:
        path.write_text(text)
    with pytest.raises(ConfigError, match=words):
        read(path)


def test_a_refusal_that_a_test_expects_is_not_held_against_it(stage):
    """The same conflict is a mistake in a test that does not say that it expects it."""
    program = stage.program

    def conflict(reference):
        program.pay(reference, stage.bank, "10.00")
        with pytest.raises(ServiceError):
            program.pay(reference, stage.bank, "11.00")

    stage.controls.name_test("expected", expects="the 409 of another amount")
    conflict("a")
    assert stage.readiness()["orders.one-order"].verdict == "not seen"
    stage.controls.name_test("another refusal", expects="422")
    conflict("b")
    judged = stage.readiness()["orders.one-order"]
    assert judged.verdict == "broken"
    assert [str(evidence) for evidence in judged.evidence] == [
        "another refusal, call 8: the key of call 7, with another body"
    ]


def quote_from(stage, currency, **terms):
    """A quote of the integration, from a currency to the bank account."""
    fields = {
        "financial_account": {"id": stage.bank},
        "payout_method": "spei",
        "source_currency": currency,
        "destination_currency": "mxn",
        "source_amount": "10.00",
        **terms,
    }
    return stage.program.call("POST", "/v1/quotes", fields)


@pytest.mark.parametrize(("has_wallet", "verdict"), [(True, "shown"), (False, "broken")])
def test_a_quote_from_a_stablecoin_makes_an_off_ramp(stage, has_wallet, verdict):
    """The transfer names only its quote, which has the currency."""
    program = stage.program
    if has_wallet:
        program.add_wallet(stage.person)
    quote = quote_from(stage, "usdc", source_network="base")
    with contextlib.suppress(ServiceError):
        program.call("POST", "/v1/transfers", {"quote_id": quote["id"]}, key=program.key_of("a"))
    assert stage.readiness()["payments.wallet"].verdict == verdict


@pytest.mark.parametrize(("reference", "verdict"), [("a", "shown"), ("b", "not seen")])
def test_a_stale_quote_is_replaced_for_its_own_order(stage, reference, verdict):
    """The quote of the next order is no replacement."""
    program = stage.program
    for order, seconds in (("a", 180), (reference, 0)):
        quote = quote_from(stage, "usd")
        stage.sleep(seconds)
        fields = {"quote_id": quote["id"], "client_reference_id": order}
        with contextlib.suppress(ServiceError):
            program.call("POST", "/v1/transfers", fields, key=program.key_of(order))
    assert stage.readiness()["payments.quote"].verdict == verdict


@pytest.mark.parametrize(
    ("outcome", "verdict"),
    [({"status": 200}, "shown"), ({"status": 500}, "broken"), ({}, "not seen")],
)
def test_a_duplicate_is_refused_only_by_an_answer(stage, outcome, verdict):
    """A delivery that still runs at the end of a test has no answer."""
    stage.listen(stage.program.handle)
    stage.program.subscribe(URL)
    stage.program.pay("a", stage.bank, "10.00")
    stage.sleep(60)
    first = next(row for row in stage.records() if row["kind"] == "delivery")
    again = {name: first[name] for name in first if name not in ("status", "error", "duration")}
    rows = [first, {**again, "sequence": first["sequence"] + 1, **outcome}]
    assert judge({"": rows})["events.duplicate"].verdict == verdict


@pytest.mark.parametrize(
    ("seconds", "path", "verdict"),
    [
        (0, "/v1/transfers/{id}", "shown"),
        (59, "/v1/transfers/{id}", "shown"),
        (61, "/v1/transfers/{id}", "not seen"),
        (0, "/v1/transfers", "not seen"),
        (0, "/v1/transfers/{other}", "not seen"),
    ],
)
def test_an_event_is_verified_by_a_prompt_reading_of_its_object(stage, seconds, path, verdict):
    """A list, another object and a later reading do not verify an event."""
    other = stage.program.pay("before", stage.bank, "10.00")
    stage.sleep(3600)
    stage.listen(lambda event: 200)
    stage.program.subscribe(URL)
    transfer = stage.program.pay("order", stage.bank, "10.00")
    stage.sleep(3600)
    stage.controls.deliveries.redeliver()
    stage.sleep(seconds)
    stage.program.call("GET", path.format(id=transfer, other=other))
    assert stage.readiness()["events.verified"].verdict == verdict


@pytest.mark.parametrize(
    ("count", "world_seconds", "real_seconds", "statuses", "verdict"),
    [
        (60, 0, 0.05, ["started"], "broken"),
        (60, 0.05, 0.05, ["started"], "broken"),
        (49, 0, 0.05, ["started"], "not seen"),
        (300, 0, 0.001, ["started"], "not seen"),
        (60, 1, 0.05, ["started"], "not seen"),
        (60, 0, 0.2, ["started"], "not seen"),
        (5, 0, 0.001, ["started", "completed"], "not seen"),
        (5, 1, 0.001, ["started", "completed"], "shown"),
        (5, 0, 1, ["started", "completed"], "shown"),
        (5, 1, 1, ["completed"], "not seen"),
        (2, 3600, 3600, ["started", "completed"], "not seen"),
    ],
)
def test_a_poll_without_a_gap_is_broken_once_real_time_proves_it(
    stage, count, world_seconds, real_seconds, statuses, verdict
):
    """A test in a world whose time stands still reads quickly, and that is no mistake."""
    transfer = stage.program.pay("polled", stage.bank, "10.00")
    stage.program.call("GET", f"/v1/transfers/{transfer}")
    row = [row for row in stage.records() if row["kind"] == "request"][-1]
    rows = []
    for number in range(count):
        # The last read has the last status, all others the first.
        status = statuses[-1] if number == count - 1 else statuses[0]
        times = {"at": number * world_seconds, "real_at": number * real_seconds}
        moments = {
            name: timestamps.to_text(timestamps.from_text(row[name]) + timedelta(seconds=seconds))
            for name, seconds in times.items()
        }
        answer = row["answer"] | {"status": status}
        place = {"sequence": row["sequence"] + number, "number": row["number"] + number}
        rows.append(row | moments | place | {"answer": answer, "duration": 0})
    assert judge({"": rows})["retries.polling"].verdict == verdict


def read(stage, path):
    """A read of the integration, as by another of its threads, whatever is answered."""
    with contextlib.suppress(ServiceError):
        stage.program.call("GET", path)


@pytest.mark.parametrize(
    ("between", "verdict"),
    [(None, "broken"), ("/v1/individuals", "broken"), ("a payment", "shown")],
)
def test_reads_of_another_thread_do_not_hide_a_repetition_after_a_401(stage, between, verdict):
    """Only other work makes the next reading of a list a new try."""
    with stage.fault("transfers.list", status=401, times=1):
        read(stage, "/v1/transfers")
    if between == "a payment":
        stage.program.pay("order", stage.bank, "10.00")
    elif between:
        read(stage, between)
    read(stage, "/v1/transfers")
    assert stage.readiness()["signing.refused"].verdict == verdict


@pytest.mark.parametrize(
    ("look", "verdict"), [("/v1/transfers", "broken"), ("/v1/individuals", "shown")]
)
def test_only_the_list_of_its_kind_tells_whether_a_person_was_created(stage, look, verdict):
    """A read of something else says nothing of the request whose answer was lost."""
    fields = {"product_types": ["global_payouts"], "given_name": "A", "family_name": "B"}
    fields |= {"country": "GB", "address": {"country": "GB"}}
    stage.controls.faults.add("drop_after", operation="individuals.create")
    for _ in range(2):
        with contextlib.suppress(ServiceError):
            stage.program.call("POST", "/v1/individuals", fields)
        read(stage, look)
    assert stage.readiness()["orders.no-key"].verdict == verdict


@pytest.mark.parametrize("reference", ["order", "another"])
def test_after_a_conflict_another_key_is_a_repetition_too(stage, reference):
    """The order may have been paid with the key that is refused."""
    fields = {
        "source_amount": "10.00",
        "source_currency": "usd",
        "destination_currency": "mxn",
        "financial_account": {"id": stage.bank},
        "payout_method": "spei",
    }
    with stage.fault("transfers.create", status=409, times=1), contextlib.suppress(ServiceError):
        stage.program.call("POST", "/v1/transfers", fields, key=stage.program.key_of("order"))
    stage.program.call("POST", "/v1/transfers", fields, key=stage.program.key_of(reference))
    assert stage.readiness()["orders.conflict"].verdict == "broken"


@pytest.mark.parametrize(
    ("amount", "verdict"),
    [
        ("10.5", "shown"),
        ("10.505", "broken"),
        ("1e1", "broken"),
        ("10,50", "broken"),
        ("", "broken"),
        (10, "broken"),
        (10.5, "broken"),
        ("0", "not seen"),
        ("0.00", "not seen"),
        ("-10.00", "not seen"),
        (None, "not seen"),
    ],
)
def test_an_amount_is_judged_by_its_form(stage, amount, verdict):
    """One that is not more than 0, which is sent to see a refusal, is refused for its value."""
    with contextlib.suppress(ServiceError):
        stage.program.pay("order", stage.bank, amount)
    assert stage.readiness()["payments.amounts"].verdict == verdict


@pytest.mark.parametrize(("failures", "verdict"), [(1, "not seen"), (2, "shown"), (9, "shown")])
def test_growing_gaps_need_two_repetitions(stage, failures, verdict):
    """One that succeeds at once shows neither a limit nor growing gaps."""
    with stage.fault("transfers.list", status=503, times=failures), contextlib.suppress(Exception):
        stage.program.transfers()
    assert stage.readiness()["retries.5xx"].verdict == verdict


@pytest.mark.parametrize(
    ("key", "verdict"),
    [
        ("5f0a3d0c-2a52-4a3a-9a08-6a6f9f2a8a11", "shown"),
        ("5F0A3D0C-2A52-1A3A-9A08-6A6F9F2A8A11", "shown"),
        ("5f0a3d0c2a524a3a9a086a6f9f2a8a11", "broken"),
        ("{5f0a3d0c-2a52-4a3a-9a08-6a6f9f2a8a1}", "broken"),
        ("payment-0001", "broken"),
    ],
)
def test_a_key_is_a_uuid_of_36_characters(stage, key, verdict):
    """A key of another form is refused by the service, and held against the integration."""
    with contextlib.suppress(ServiceError):
        stage.program.call("POST", "/v1/transfers", {"source_amount": "0"}, key)
    assert stage.readiness()["orders.key"].verdict == verdict


@pytest.mark.parametrize(
    ("hours_by_date", "test", "verdict"),
    [
        (0, None, "not seen"),
        (24, None, "broken"),
        (0, "a day later", "broken"),
    ],
)
def test_a_day_passes_on_the_clock_of_the_integration(stage, hours_by_date, test, verdict):
    """A program that runs on does not notice that the clock of a world was advanced."""
    stage.program.pay("order", stage.bank, "10.00")
    first = [row for row in stage.records() if row["kind"] == "request"][-1]
    real_at = timestamps.from_text(first["real_at"])

    def later(**span):
        return timestamps.to_text(real_at + timedelta(**span))

    first |= {"at": first["real_at"], "headers": first["headers"] | {"x-date": first["real_at"]}}
    again = first | {
        "sequence": first["sequence"] + 1,
        "at": later(hours=25),
        "real_at": later(seconds=2),
        "headers": first["headers"] | {"x-date": later(seconds=2, hours=hours_by_date)},
        "test": test,
    }
    finding = judge({"": [first, again]})["orders.24-hours"]
    assert finding.verdict == verdict
    if verdict == "broken":
        assert finding.evidence[0].text.endswith(", after 24 hours")


def test_a_code_is_answered_by_the_side_that_it_asks_for():
    """A picture of another side does not answer it, even if it is taken."""
    stage = Stage()
    program = SelfieIntegration(stage)
    with contextlib.suppress(ServiceError):
        program.onboard("Eva", "Luna")
    judged = stage.readiness()["people.codes"]
    assert judged.verdict == "not seen"
    assert judged.remark == "Not seen yet: verification_front_image_needed."


def test_a_call_under_a_fault_is_not_held_against_it(stage):
    """A clock that a fault puts ahead is no mistake of the signer."""
    with stage.fault("transfers.list", "skew", seconds=4000), pytest.raises(ServiceError):
        stage.program.transfers()
    assert stage.readiness().of("broken") == []


def test_what_the_owner_does_is_not_held_against_it():
    """Objects that a test adds, and moves, are no calls of the integration."""
    stage = Stage()
    client = stage.owner()
    client.individuals.list().to_list()
    stage.controls.clock.advance("1h")
    stage.controls.seed(transfers=3)
    readiness = stage.readiness()
    assert readiness.request_count == 0
    assert {judged.verdict for judged in readiness} == {"not seen", "not applicable", "question"}


def test_the_text_says_what_to_do(faulty):
    """What is broken comes first, with test and call; what is not seen says how to show it."""
    readiness = faulty.report
    lines = readiness.text().splitlines()
    assert lines[2] == f"BROKEN ({readiness.counts['broken']})"
    [line] = [line for line in lines if "Retry-After was 2 s" in line]
    assert re.fullmatch(
        r"    limit, call \d+: sent again after \d\.\d s; Retry-After was 2 s", line
    )
    nothing = judge({"": []}).text().splitlines()
    first = nothing.index("? signing.get: GETs without a query are signed")
    assert nothing[first + 2].startswith("    to show it: Read one object")
    assert repr(readiness).startswith("<readiness: ")


def test_an_item_that_there_is_not(faulty):
    """The error names the nearest."""
    readiness = faulty.report
    with pytest.raises(UnknownNameError, match=r"orders\.key"):
        readiness["order.key"]
    with pytest.raises(UnknownNameError, match="broken"):
        readiness.of("brocken")
    assert readiness[0].item.id == "signing.get"


def test_each_item_has_its_source(faulty):
    """Each row says why, with a section of the spec or an assumption, and how to show it."""
    ids = {assumption.id for assumption in ALL}
    items = [judged.item for judged in faulty.report]
    assert len({item.id for item in items}) == len(items)
    for item in items:
        assert item.source.startswith("spec: ") or item.source in ids, item.id
        assert item.why.endswith(".")
        assert bool(item.show) == (item.observe is not None)


def test_the_command_prints_the_report_and_fails_for_what_is_broken(faulty, tmp_path, capsys):
    """It prints the report, writes a page, and fails for what is broken or not shown."""
    path = faulty.controls.har(tmp_path / "calls.har")
    page = tmp_path / "ready.html"
    assert main(["ready", "--har", str(path), "--html", str(page), "--json"]) == 1
    report = json.loads(capsys.readouterr().out)
    assert report["counts"]["broken"] == faulty.report.counts["broken"]
    assert "<h1>Is this integration ready?</h1>" in page.read_text()
    assert main(["ready"]) == 2
    assert "there is nothing to judge" in capsys.readouterr().err


def test_the_command_counts_what_is_shown(stage, tmp_path, capsys):
    """Fewer items than --fail-under are a failure, as many are none."""
    path = stage.controls.har(tmp_path / "calls.har")
    shown = stage.readiness().counts["shown"]
    assert main(["ready", "--har", str(path), "--fail-under", str(shown)]) == 0
    assert main(["ready", "--har", str(path), "--fail-under", str(shown + 1)]) == 1


def test_the_fault_that_the_command_shows_for_a_shell_works(tmp_path, capsys):
    """What the report names as Python is shown once as a command, whose body is accepted."""
    lab = paylab.connect(simulator=Simulator(), max_retries=0)
    lab.transfers.list().first()
    main(["ready", "--har", str(lab.simulator.har(tmp_path / "calls.har"))])
    body = re.search(r"paylab post /_simulator/faults --json \\\n *'(.*)'", capsys.readouterr().out)
    lab.post("/_simulator/faults", json.loads(body[1]))
    with pytest.raises(paylab.ServerError, match="503"):
        lab.transfers.list().first()


@pytest.mark.parametrize(("count", "is_warned"), [(1, False), (2, True)])
def test_the_command_names_the_first_call_of_a_journal(monkeypatch, capsys, count, is_warned):
    """A journal that has lost its oldest calls, here by a reset, is not judged in silence."""
    with Server(Simulator(frozen=False)) as server:
        keys = server.simulator.api_key, server.simulator.secret_key
        lab = paylab.connect(server.base_url, *keys)
        for number in range(count):
            if number:
                lab.simulator.reset()
            lab.transfers.list().to_list()
        for name, key in zip(("PAYLAB_API_KEY", "PAYLAB_SECRET_KEY"), keys, strict=True):
            monkeypatch.setenv(name, key)
        main(["ready", "--world", server.base_url])
    warning = f"the journal begins with call {count}: earlier calls are not judged"
    assert (warning in capsys.readouterr().err) == is_warned
