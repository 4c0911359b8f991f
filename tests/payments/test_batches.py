"""Batches on the simulator: refusals, limits, silence, interrupts and questions."""

from __future__ import annotations

import re
import signal
from contextlib import redirect_stderr

import pandas as pd
import pytest
from batch_killing import Holding, arguments, settings
from forked import ended, fork

import paylab
from paylab.cli.main import main
from paylab.errors import ChoiceError, RuleError
from paylab.simulator.server import Server

POST = {"method": "POST", "path": "/v1/transfers"}
SOME = 20


@pytest.fixture
def simulator():
    """A simulator whose answer can be held, with a few earlier payments."""
    return Holding(transfers=3)


@pytest.fixture
def many(row):
    """20 payouts."""
    return [row(f"inv-{number}") for number in range(SOME)]


def test_a_refused_row_keeps_nobody_back_and_is_tried_again(lab, row):
    """A refused row does not stop the other rows; after the correction only that row is sent."""
    rows = [row("inv-0"), row("inv-1", financial_account_id="fa_nope"), row("inv-2")]
    first = lab.transfers.create_many(rows)
    assert list(first["outcome"]) == ["created", "refused", "created"]
    assert "financial account not found; check financial_account_id: the" in first["error"][1]
    rows[1] = row("inv-1")
    again = lab.transfers.create_many(rows)
    assert list(again["outcome"]) == ["already paid", "created", "already paid"]


@pytest.mark.parametrize(("status", "concurrency", "sent"), [(503, 1, 5), (429, 4, 8)])
def test_a_service_that_does_not_answer(lab, many, status, concurrency, sent):
    """After five rows without an answer a batch ends, with those that are under way."""
    lab.simulator.faults.add("status", status=status, **POST, times=99)
    first = lab.transfers.create_many(many, concurrency=concurrency)
    unknown = first.attrs["outcomes"]["unknown"]
    assert 5 <= unknown <= sent
    assert first.attrs["outcomes"]["unsent"] == SOME - unknown
    lab.simulator.faults.clear()
    assert lab.transfers.create_many(many).attrs["outcomes"] == {"created": SOME}


def test_a_refused_key_in_the_middle_keeps_the_rows(lab, row):
    """A 401 after the first payment ends the batch, and every payout has its row."""
    faults = lab.simulator.faults

    def refuse_the_rest(done, _total):
        if done == 1:
            faults.add("status", status=401, **POST, times=9)

    rows = [row("inv-1"), row("inv-2"), row("inv-3")]
    frame = lab.transfers.create_many(rows, concurrency=1, progress=refuse_the_rest)
    assert [*frame["outcome"]] == ["created", "unsent", "unsent"]


def test_a_read_only_lab_sends_nothing(simulator, row, payments):
    """A read-only lab raises an error before it sends anything."""
    lab = paylab.connect(simulator=simulator, read_only=True)
    with pytest.raises(paylab.ReadOnlyError):
        lab.transfers.create_many([row()])
    assert payments() == 0


def test_an_interrupted_command_says_how_many_were_made(
    simulator, many, payments, tmp_path, monkeypatch
):
    """After Ctrl-C a command says how many payouts were made; the next run makes the others."""
    path = tmp_path / "payouts.csv"
    pd.DataFrame(many).to_csv(path, index=False)
    words = arguments(path, {})
    output = tmp_path / "errors.txt"

    def command():
        with output.open("w") as file, redirect_stderr(file):
            return main(words)

    with Server(simulator) as server:
        for name, value in settings(server).items():
            monkeypatch.setenv(name, value)
        assert ended(simulator.stop(lambda: fork(command), 4, signal.SIGINT)) == 130
        assert main(words) == 0
    assert re.search(r"interrupted: \d+ of 20 payouts were made; run the same", output.read_text())
    assert "Traceback" not in output.read_text()
    assert payments() == SOME


def test_the_newest_of_several_dead_payments_names_the_next(lab, row):
    """Without the list, a payout that failed twice is paid again as the newest of both."""
    dead = [row("scenario:failed:1")]
    ids = set()
    for number in range(1, 4):
        frame = lab.transfers.create_many(dead, retry_failed=True, lookback=None)
        ids.add(frame["id"][0])
        assert ([*frame["outcome"]], len(ids)) == (["created"], number)
        lab.simulator.clock.advance(60)
    frame = lab.transfers.create_many(dead, lookback=None)
    assert [*frame["outcome"]] == ["failed before"]
    assert "--retry-failed" in frame["error"][0]


@pytest.mark.parametrize(
    ("field", "outcome"), [("source_amount", "conflict"), ("created_at", "8 days|unknown age")]
)
def test_a_list_that_hides_a_field_cannot_tell(simulator, lab, row, field, outcome):
    """A payment whose amount or time is not shown is no proof that the row was paid."""
    lab.transfers.create_many([row()])
    for payment in simulator.world.tables["transfers"].rows.values():
        if payment["client_reference_id"] == "inv-1":
            payment[field] = None
    if outcome == "conflict":
        assert [*lab.transfers.create_many([row()])["outcome"]] == [outcome]
        return
    with pytest.raises(ChoiceError, match=outcome):
        lab.transfers.create_many([row()])


@pytest.mark.parametrize("options", [{"older": "yes"}, {"lookback": "soon"}, {"lookback": 0}])
def test_a_choice_that_is_none_is_named(lab, row, options):
    """A wrong choice is an error before anything is sent."""
    with pytest.raises(RuleError, match=next(iter(options))):
        lab.transfers.create_many([row()], **options)
