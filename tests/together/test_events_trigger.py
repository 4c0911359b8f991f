"""Triggering events of new and existing resources by legal moves."""

from __future__ import annotations

import pytest
from batch_killing import settings
from forked import ended, fork

import paylab
from paylab.errors import NotFoundError, OptionError, SimulatorError
from paylab.simulator.server import Server
from paylab.simulator.simulator import Simulator
from paylab.spec import codes
from paylab.spec.service.service import Service


@pytest.fixture
def lab():
    """A lab on its own simulator, which has no payments."""
    return paylab.connect(simulator=Simulator())


@pytest.mark.parametrize(
    ("kind", "types"),
    [
        ("transfer.funded", ["funded"]),
        ("transfer.payout_initiated", ["funded", "payout_initiated"]),
        ("transfer.completed", ["funded", "completed"]),
        ("transfer.failed", ["funded", "failed"]),
        ("transfer.expired", ["expired"]),
    ],
)
def test_an_own_transfer_makes_only_the_needed_moves(lab, kind, types):
    """An existing transfer makes only the moves that lead to the event."""
    (created, *_) = lab.trigger("transfer.created")
    events = lab.trigger(kind, created.id)
    assert [event.type.partition(".")[2] for event in events] == types


@pytest.mark.parametrize("kind", ["payout_initiated", "completed", "failed"])
def test_an_own_conversion_moves_on_to_the_event(lab, kind):
    """An existing conversion moves on to the event."""
    (created, *_) = lab.trigger("conversion.created")
    assert lab.trigger(f"conversion.{kind}", created.id)[-1].type == f"conversion.{kind}"


@pytest.mark.parametrize("order", ["newest_first", "oldest_first"])
def test_an_own_conversion_account_gets_a_new_deposit(order):
    """With the id of a conversion account, `trigger` makes a new deposit into it."""
    service = Service({"lists.conversions.order": order})
    lab = paylab.connect(simulator=Simulator(service=service), service=service)
    (created, *_) = lab.trigger("conversion.created")
    lab.simulator.clock.advance("1h")
    account = created.resource.conversion_account_id
    event = lab.trigger("conversion.completed", account)[-1]
    assert event.resource.conversion_account_id == account
    assert event.resource.id != created.resource.id


@pytest.mark.parametrize(
    ("to", "status"), [(None, "active"), ("rejected", "rejected"), ("under_review", "under_review")]
)
def test_an_own_individual_moves_to_its_next_status(lab, to, status):
    """An individual moves to its next status, or to the status that is given."""
    (changed, *_) = lab.trigger("individual.status_changed")
    assert lab.trigger("individual.status_changed", changed.id, to=to)[-1].status == status


@pytest.mark.parametrize("to", ["pending", "active", "rejected", "under_review"])
def test_a_new_individual_goes_on_to_the_status_that_is_named(lab, to):
    """A new individual moves to the given status."""
    event = lab.trigger("individual.status_changed", to=to)[-1]
    assert (event.status, lab.individuals.get(event.id).status) == (to, to)


def test_a_status_is_chosen_for_individuals_only(lab):
    """`to` with an event of a transfer is an error, and nothing is created."""
    before = len(lab.events())
    with pytest.raises(OptionError, match=r"for individual\.status_changed, not for transfer"):
        lab.trigger("transfer.completed", to="active")
    assert len(lab.events()) == before


@pytest.mark.parametrize(
    ("first", "then", "words"),
    [
        ("transfer.funded", "transfer.expired", "legal moves: completed, failed, under_review"),
        ("transfer.funded", "transfer.created", "is started"),
        ("transfer.funded", "transfer.funded", "is started"),
        ("transfer.completed", "transfer.failed", "none, this status is final"),
        ("transfer.completed", "transfer.payout_initiated", "is completed"),
        ("conversion.completed", "conversion.failed", "none, this status is final"),
    ],
)
def test_what_cannot_follow_says_what_can(lab, first, then, words):
    """An event that cannot follow is an error with the legal moves or the status; nothing moves."""
    row = lab.trigger(first)[-1].id
    before = len(lab.events(row))
    with pytest.raises(SimulatorError, match=words):
        lab.trigger(then, row)
    assert len(lab.events(row)) == before


def test_nobody_is_moved_by_an_unknown_id(lab):
    """An unknown id raises NotFoundError; nothing is created, and no event is sent."""
    lab.trigger("conversion.created")
    before = lab.simulator.snapshot()
    for kind in codes.EVENT_TYPES:
        with pytest.raises(NotFoundError):
            lab.trigger(kind, "nobody")
        assert lab.simulator.snapshot() == before, kind


def test_an_unknown_event_names_the_known_ones(lab):
    """The error for an unknown event lists the known ones."""
    with pytest.raises(OptionError, match=r"transfer\.created, transfer\.funded"):
        lab.trigger("transfer.cancelled")


CELL = """
import paylab
lab = paylab.connect()
made = [lab.trigger(kind)[-1].id for kind in ("transfer.created", "conversion.created")]
with open({path!r}, "a") as file:
    print(made, file=file)
"""


def run_twice(cell):
    """Run a cell twice in an IPython shell of a child."""
    from IPython.core.interactiveshell import InteractiveShell

    shell = InteractiveShell()
    return sum(not shell.run_cell(cell, store_history=True).success for _ in range(2))


def test_a_cell_that_is_run_again_makes_another(tmp_path, monkeypatch):
    """A notebook cell that triggers payments makes new ones each time it runs."""
    path = tmp_path / "made"
    with Server(Simulator(frozen=False, speed=1000)) as server:
        for name, value in settings(server).items():
            monkeypatch.setenv(name, value)
        assert ended(fork(lambda: run_twice(CELL.format(path=str(path))))) == 0
    assert len(set(path.read_text().splitlines())) == 2
