"""A rehearsal: what is not seen comes one after another while an integration runs."""

import time
from threading import Event

import pytest
from good_integration import GoodIntegration
from readiness_stage import URL, Stage, going_on

from paylab.cli.rehearsal import rehearse


@pytest.fixture
def stage():
    """A stage with a careful integration that has done nothing special yet."""
    stage = Stage()
    program = GoodIntegration(stage)
    stage.program = program
    program.person = program.onboard("Ana", "Ruiz")
    program.bank = program.add_bank(program.person)
    program.wallet = program.add_wallet(program.person)
    stage.listen(program.handle)
    program.subscribe(URL)
    program.pay("first", program.bank, "10.00")
    program.transfers()
    return stage


PLAYED = (
    *("signing.non-ascii", "signing.refused", "orders.timeout", "orders.conflict"),
    *("retries.429", "answers.statuses", "payments.corridors", "lists.dead-cursor"),
    *("events.duplicate", "events.lost", "events.outage", "events.unknown"),
)
"""Situations of each kind: faults of calls and events, moves, seeds, and none but an action."""


def test_a_rehearsal_fills_the_report(stage):
    """Each situation that an ordinary day does not bring is played, and judged."""
    program = stage.program
    rehearsal = stage.controls.rehearse()
    verdicts = {}
    for number, item in enumerate(rehearsal):
        if item.id not in PLAYED:
            continue
        with going_on():
            if item.id == "signing.non-ascii":
                program.onboard("José", "Díaz")
            transfer = program.pay(f"order-{number}", program.bank, f"{number + 1}.00")
            rehearsal.follow_up()
            program.follow(transfer)
            stage.sleep(60)
            program.follow(transfer)
        with going_on():
            program.transfers()
        verdicts[item.id] = rehearsal.judge(item).verdict
    assert verdicts == dict.fromkeys(PLAYED, "shown")
    assert stage.readiness().of("broken") == []
    assert stage.controls.faults.list() == []


def test_objects_move_while_the_integration_runs(stage):
    """A situation with moves acts once the integration has created the object."""
    rehearsal = stage.controls.rehearse()
    [item] = [item for item in rehearsal.missing if item.id == "payments.deadline"]
    rehearsal.set_up(item)
    assert not rehearsal.follow_up()
    bank = stage.program.bank
    transfers = [stage.program.pay(f"late-{number}", bank, "12.00") for number in range(2)]
    assert rehearsal.follow_up()
    assert not rehearsal.follow_up()
    for transfer in transfers:
        assert stage.program.follow(transfer)["status"] == "expired"
    assert rehearsal.judge(item).verdict == "shown"


def test_a_row_is_added_between_two_pages(stage):
    """The pages come slowly enough for a rehearsal that looks every half second."""
    rehearsal = stage.controls.rehearse()
    [item] = [item for item in rehearsal.missing if item.id == "lists.growing"]
    rehearsal.set_up(item)
    stage.before = lambda request: rehearsal.follow_up()
    begun = time.monotonic()
    stage.program.transfers()
    assert time.monotonic() - begun > 2
    rehearsal.clean_up()
    assert rehearsal.judge(item).verdict == "shown"


def test_the_command_tells_what_it_plays(stage, capsys):
    """Each situation is one line, and its verdict another; a stop ends it."""
    stopped = Event()
    rehearse(stage.controls.rehearse(), 0.001, stopped)
    first, *lines, last = capsys.readouterr().err.splitlines()
    assert first.startswith("Rehearsal: ")
    assert lines[0].startswith("1. Bodies with letters that are not ASCII are signed. Let your ")
    assert lines[1] == "   not seen"
    assert len(lines) >= 40
    assert last.startswith("The rehearsal is over")
    stopped.set()
    rehearse(stage.controls.rehearse(), 60, stopped)
    assert len(capsys.readouterr().err.splitlines()) == 2
    assert stage.controls.faults.list() == []


class HastyIntegration:
    """Runs while a rehearsal waits, in place of the event that stops it."""

    def __init__(self, stage):
        self.stage = stage
        self.count = 0

    def is_set(self):
        """Whether the rehearsal must stop."""
        return self.count == 2

    def wait(self, seconds):
        """Send the request again as soon as it got a 429."""
        faults = self.stage.controls.faults.list()
        if any(fault.get("status") == 429 for fault in faults) or self.count:
            self.count += 1
            self.stage.program.attempt("GET", "/v1/transfers", b"", None)
        return self.is_set()


def test_what_is_shown_is_judged_again_before_it_is_told(stage, capsys):
    """A 429 after which nothing was sent yet seems to be obeyed, until a hasty repetition comes."""
    rehearse(stage.controls.rehearse(), 0.5, HastyIntegration(stage))
    lines = capsys.readouterr().err.splitlines()
    [place] = [index for index, line in enumerate(lines) if "A 429 is obeyed" in line]
    assert lines[place + 1].startswith("   broken (")
