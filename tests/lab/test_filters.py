"""The filters of lists, frames, files and commands: the same names, and the same rows."""

from __future__ import annotations

import csv
import inspect
import json
import re
from datetime import timedelta

import pytest

import paylab
from paylab.cli.main import main
from paylab.simulator.simulator import Simulator
from paylab.spec.row_filter import FILTER_NAMES, list_filter_names

LISTS = ("transfers", "conversions", "individuals", "conversion_accounts")
EXPORTED = ("transfers", "conversions")


@pytest.fixture(scope="module")
def lab():
    """A lab with transfers of both products, conversions of two people, and a reference."""
    lab = paylab.connect(simulator=Simulator(transfers=130))
    lab.simulator.seed(individuals=4, conversions=7)
    return lab


def rows_of(lab, kind):
    """All rows of a list, unfiltered."""
    return getattr(lab, kind).list().to_list()


def cases(lab, kind):
    """Each filter of a list with a value that some rows have, and the rows that have it."""
    rows = rows_of(lab, kind)
    middle = sorted(row.created_at for row in rows)[len(rows) // 2]
    status = rows[0].status
    yield {"status": status}, lambda row: row.status == status
    yield {"since": middle}, lambda row: row.created_at >= middle
    after = middle + timedelta(seconds=1)
    yield {"until": after}, lambda row: row.created_at < after
    yield (
        {"since": middle.isoformat(), "until": middle + timedelta(days=1)},
        lambda row: middle <= row.created_at < middle + timedelta(days=1),
    )
    owner = {"transfers": "recipient_id"}.get(kind, "individual_id")
    fields = {"individual_id": owner, "conversion_account_id": "conversion_account_id"}
    for name in {*fields} & {*list_filter_names(kind)}:
        value = getattr(rows[-1], fields[name])
        yield {name: value}, lambda row, name=name, value=value: getattr(row, fields[name]) == value
    if kind == "individuals":
        yield {"product_type": "on_ramp"}, lambda row: "on_ramp" in row.product_types
    if kind == "transfers":
        name = next(row.client_reference_id for row in rows if row.client_reference_id)
        kept = {"client_reference_id": name, "status": ["completed", "failed", "started"]}
        yield kept, lambda row: row.client_reference_id == name and row.status in kept["status"]


@pytest.mark.parametrize("kind", LISTS)
def test_each_filter_keeps_the_same_rows_everywhere(lab, kind, tmp_path):
    """A list, a frame and a file have the rows whose values a filter names, and only these."""
    resource = getattr(lab, kind)
    for filters, keeps in cases(lab, kind):
        expected = [row.id for row in rows_of(lab, kind) if keeps(row)]
        assert expected, filters
        assert [row.id for row in resource.list(**filters)] == expected
        assert resource.frame(**filters)["id"].tolist() == expected
        if kind in EXPORTED:
            path = resource.export(tmp_path / "rows.csv", **filters).path
            assert [row["id"] for row in csv.DictReader(path.open(newline=""))] == expected


@pytest.mark.parametrize("kind", LISTS)
def test_list_frame_and_export_name_the_same_filters(lab, kind):
    """The signatures of list, frame and export have the filters of the list."""
    resource = getattr(lab, kind)
    for verb in ("list", "frame", *["export"] * (kind in EXPORTED)):
        names = inspect.signature(getattr(resource, verb)).parameters.keys()
        assert names & FILTER_NAMES == {*list_filter_names(kind)}


def test_an_object_stands_for_its_id(lab):
    """A person and an account are accepted in place of their ids."""
    conversion = lab.conversions.list()[-1]
    person = lab.individuals.get(conversion.individual_id)
    account = lab.conversion_accounts.get(conversion.conversion_account_id)
    hers = {row.id for row in lab.conversions.list(individual_id=person)}
    assert {row.id for row in lab.conversions.list(conversion_account_id=account)} <= hers
    assert conversion.id in {*lab.conversions.frame(conversion_account_id=account)["id"]}


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda lab, to: lab.transfers.list(status="complete"), "is 'completed' meant?"),
        (lambda lab, to: lab.transfers.list().filter(status="paid"), "known are pending"),
        (lambda lab, to: lab.transfers.frame(status=["failed", "paid"]), "known are pending"),
        (lambda lab, to: lab.transfers.export(to, status="paid"), "known are pending"),
        (lambda lab, to: lab.conversions.list(status="under_review"), "no status of conversions"),
        (lambda lab, to: lab.individuals.frame(status="activ"), "is 'active' meant?"),
        (lambda lab, to: lab.conversion_accounts.list(status="aktive"), "is 'active' meant?"),
        (lambda lab, to: lab.transfers.list(status=""), "status: is empty"),
        (lambda lab, to: lab.transfers.list(status=7), "must be a status or a list"),
        (lambda lab, to: lab.transfers.list(since="soon"), "since: must be a datetime"),
        (lambda lab, to: lab.transfers.frame(until="soon"), "until: must be a datetime"),
        (
            lambda lab, to: lab.conversions.list(since="2026-02-02", until="2026-02-02"),
            "later than",
        ),
        (lambda lab, to: lab.conversions.list(individual_id=" "), "individual_id: must be an id"),
        (lambda lab, to: lab.conversions.frame(individual_id=object()), "must be an id"),
        (lambda lab, to: lab.transfers.frame(product_type="payouts"), "must be one of global"),
        (lambda lab, to: lab.individuals.list(product_type="onramp"), "must be one of global"),
    ],
)
def test_a_filter_that_cannot_be_used_is_an_error_at_once(lab, call, words, tmp_path):
    """The error names the filter and what it takes; nothing is read or written."""
    count = len(lab.calls)
    with pytest.raises(paylab.RuleError) as caught:
        call(lab, tmp_path / "rows.csv")
    assert words in str(caught.value)
    assert len(lab.calls) == count
    assert list(tmp_path.iterdir()) == []


def test_a_status_of_the_settings_is_known():
    """A status that the settings declare is no error, and conversion accounts have two more."""
    lab = paylab.connect(service={"statuses.transfers": ["settled"]})
    assert lab.transfers.list(status="settled").to_list() == []
    assert lab.transfers.frame(status="settled").empty
    assert lab.conversion_accounts.list(status="disabled").to_list() == []


def test_a_list_with_the_newest_first_is_read_back_to_since(lab):
    """With a declared order, pages older than `since` are not requested; without it all are."""
    newest_first = paylab.connect(simulator=Simulator(transfers=130), list_order="newest_first")
    rows = newest_first.transfers.list().to_list()
    count = len(newest_first.calls)
    kept = newest_first.transfers.list(since=rows[9].created_at).to_list()
    assert [row.id for row in kept] == [row.id for row in rows[:10]]
    assert len(newest_first.calls) == count + 1


@pytest.mark.parametrize("command", ["list", "export"])
def test_the_commands_have_the_filters(command, monkeypatch, capsys):
    """The options of a command keep the rows of the lab's filters."""
    monkeypatch.delenv("PAYLAB_BASE_URL", raising=False)
    to = ["--to", "-"] if command == "export" else []
    options = ["--status", "failed", "--since", "2020-01-01", "--until", "2100-01-01"]
    assert main([command, "transfers", *to, *options, "--product-type", "global_payouts"]) == 0
    text = capsys.readouterr().out
    rows = [*csv.DictReader(text.splitlines())] if to else [*map(json.loads, text.splitlines())]
    assert rows
    assert {row["status"] for row in rows} == {"failed"}
    assert main([command, "transfers", *to, "--individual-id", rows[0]["recipient_id"]]) == 0
    assert rows[0]["id"] in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["list", "transfers", "--status", "complete"], "is 'completed' meant?"),
        (["list", "webhook_subscriptions", "--status", "x"], "filters work only with transfers"),
        (["list", "conversions", "--product-type", "on_ramp"], "only with transfers and individ"),
        (["export", "transfers", "--to", "-", "--conversion-account-id", "ca_1"], "conversions"),
    ],
)
def test_a_command_refuses_a_filter_that_a_list_lacks(arguments, words, capsys):
    """The error names the lists that have the filter."""
    assert main(arguments) != 0
    assert words in capsys.readouterr().err


@pytest.mark.parametrize("method", ["list", "frame", "export", "to_arrow"])
@pytest.mark.parametrize(
    ("name", "fields"),
    [("currency", "source_currency or destination_currency"), ("method", "payout_method")],
)
def test_a_wrong_filter_is_answered_with_the_fields_of_the_rows(lab, method, name, fields):
    """A list has them for `filter`, a frame as columns."""
    arguments = ["t.csv"] if method == "export" else []
    words = re.escape(fields.partition(" or ")[0] if method == "list" else f"rows have {fields}")
    with pytest.raises(TypeError, match=rf"no parameter '{name}'.*{words}"):
        getattr(lab.transfers, method)(*arguments, **{name: "USD"})
