"""The record of an unfinished probe, which the next one continues, and recorded calls."""

import pytest

from paylab.client import Client
from paylab.client.har import read_har
from paylab.errors import ConfigError
from paylab.lab.lab import connect
from paylab.probe import record
from paylab.probe.probe import probe
from paylab.probe.report import NOT_ASKED, UNCLEAR, Report
from paylab.simulator.simulator import Simulator
from paylab.spec.service import Service

RAIL = "payout_method", "source_currency", "destination_currency"


@pytest.fixture
def lab():
    """A lab with default assumptions on a simulator that differs in two of them."""
    service = Service({"lists.items": "items", "quotes.lifetime": 30})
    simulator = Simulator(transfers=130, service=service)
    with connect(simulator=simulator, service=Service()) as lab:
        yield lab


def test_a_probe_that_stopped_goes_on_where_it_was(lab, tmp_path):
    """A second run continues the first: it repeats few requests and creates nothing twice."""
    to = tmp_path / "service.toml"
    first = lab.probe(write=True, budget=110, to=to)
    assert not first.complete
    assert record.record_path(to).exists()
    second = lab.probe(write=True, budget=110, to=to)
    assert second.complete
    assert first.sent + second.sent < 175
    assert second.service.diff() == {"lists.items": "items", "quotes.lifetime": 30}
    assert not record.record_path(to).exists()
    whole = lab.simulator.summary()["counts"]
    assert whole["conversion_accounts"] == 3


def test_a_file_of_a_probe_is_replaced_without_a_copy(lab, tmp_path):
    """A value set by hand stays; the old file is copied only if an answer contradicts it."""
    to = tmp_path / "service.toml"
    lab.probe(budget=60, to=to)
    assert lab.probe(to=to).remarks == ()
    to.write_text(Service.load(to).with_values({"webhooks.id_field": "key"}).to_toml())
    assert lab.probe(to=to).remarks == ()
    assert Service.load(to).value("webhooks.id_field") == "key"
    assert not [*tmp_path.glob("*.bak*")]
    to.write_text(to.read_text().replace('items = "items"', 'items = "mine"'))
    assert "service.toml.bak" in lab.probe(to=to).remarks[0]
    assert Service.load(to).value("lists.items") == "items"
    assert 'items = "mine"' in to.with_name("service.toml.bak").read_text()


def test_a_value_that_contradicts_an_answer_is_only_in_the_copy(tmp_path):
    """A value that contradicts an answer is left out, so that the written file is valid."""
    to = tmp_path / "service.toml"
    mine = Service({"transfers.fields.quote_id": "amount_quote"})
    to.write_text(mine.to_toml())
    report = Report((), Service({"transfers.fields.client_reference_id": "amount_quote"}))
    report.write(to)
    assert Service.load(to) == report.service
    assert to.with_name("service.toml.bak").read_text() == mine.to_toml()


def test_the_record_is_private_and_holds_no_secret(lab, tmp_path):
    """Only the owner can read the record, and it does not contain the keys."""
    to = tmp_path / "service.toml"
    lab.probe(budget=60, to=to)
    kept = record.record_path(to)
    assert kept.stat().st_mode & 0o077 == 0
    text = kept.read_text()
    assert lab.settings.secret_key.reveal() not in text
    assert lab.settings.api_key.reveal() not in text


def test_the_record_of_another_account_is_not_taken_up(lab, tmp_path):
    """A probe does not continue from the record of another account."""
    to = tmp_path / "service.toml"
    lab.probe(budget=60, to=to)
    with connect(simulator=Simulator(seed=9, transfers=130)) as other:
        report = other.probe(to=to)
    assert report.service.diff() == {}


@pytest.mark.parametrize("text", ["{}", "[]", "5", "{", '{"address": "x"'])
def test_a_record_that_is_none_is_one_error(lab, tmp_path, text):
    """A record of another form is an error that names its file, before anything is sent."""
    to = tmp_path / "service.toml"
    record.record_path(to).write_text(text)
    with pytest.raises(ConfigError, match=r"\.service\.toml\.probe .* remove it to begin again"):
        lab.probe(to=to)
    assert not lab.calls


def test_recorded_calls_answer_without_a_request(lab, tmp_path):
    """Recorded lists, quotes and errors give answers without a request; others have a reason."""
    values = {"lists.items": "items", "quotes.lifetime": 45}
    with connect(simulator=Simulator(transfers=130, service=Service(values))) as source:
        row = source.transfers.list().first()
        rail = {name: getattr(row, name) for name in RAIL}
        source.quotes.create(row.financial_account_id, source_amount="10", **rail)
        with pytest.raises(Exception, match="country"):
            source.request("POST", "/v1/individuals", json={})
        source.calls.har(tmp_path / "calls.har")
    before = len(lab.calls)
    report = lab.probe(calls=tmp_path / "calls.har")
    assert len(lab.calls) == before
    assert report.sent == 0
    assert report["lists.transfers.items"].value == "items"
    assert report["lists.transfers.default_limit"].value == 20
    assert report["errors.words"].value == "error"
    assert report["error_codes.validation"].value == 400
    assert report["quotes.lifetime"].value == 45
    assert "do not show" in report["signing.tolerance"].why
    assert [each.key for each in report.where(NOT_ASKED, UNCLEAR) if not each.why] == []


@pytest.mark.parametrize("text", ["", "{}", '{"log": {"entries": 5}}', "[1]"])
def test_a_file_that_is_no_har_is_one_error(tmp_path, text):
    """A file that is not a HAR file is an error that names the file."""
    path = tmp_path / "x.har"
    path.write_text(text)
    with pytest.raises(ConfigError, match=r"x\.har is not a HAR file"):
        read_har(path)


def test_nothing_but_gets_is_sent_when_the_lab_is_read_only():
    """With a read-only lab, only GETs are sent and `write` is refused."""
    simulator = Simulator(transfers=30)
    with connect(simulator=simulator, read_only=True) as lab:
        report = lab.probe()
        assert {call.method for each in report.findings for call in each.calls} == {"GET"}
        assert "read_only" in report["errors.words"].why
        with pytest.raises(ConfigError, match="read-only"):
            lab.probe(write=True)


def test_a_production_service_gets_no_objects():
    """If a sandbox deposit is answered 403, the probe creates no objects."""
    simulator = Simulator(transfers=30, production_like=True)
    with connect(simulator=simulator) as lab:
        report = probe(lab.client, write=True)
        assert report.made == ()
        assert "production" in report["success_codes.transfers"].why
        assert isinstance(lab.client, Client)
